"""Pages from address to database, through the real doors (T-069…T-073, T-075 for web pages and docs)."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pubweave import api
from pubweave.adapters.clock import SystemClock
from pubweave.adapters.memory import MemoryStorage
from pubweave.contract.exchange import Reply
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.values import Cooldowns
from pubweave.core.reading.rules import RuleFile, load_rules
from pubweave.core.toolkit.service import Context
from pubweave.core.webpage_record import WebpageRecord
from pubweave.runtimes.embedded.explain import status
from pubweave.runtimes.embedded.webpage_store import WebpageStore
from pubweave.runtimes.embedded.webpages import PageFinished, PageLine, PageWishes, Webpages
from services.doors.fetcher.ftp_server import FtpServer
from services.doors.pdf_reader.pdfs import pages_of
from services.doors.renderer.conftest import needs_browser
from webpages.conftest import Opened
from webpages.site import Said, Site, html


async def fetched(pages: Webpages, *urls: str, **wishes: Any) -> list[PageFinished]:
    """All pages, in the order of their lines."""
    lines = [PageLine(number, url) for number, url in enumerate(urls, start=1)]
    found = [one async for one in pages.fetch(lines, PageWishes(**wishes))]
    return sorted(found, key=lambda one: one.line)


async def test_a_page_is_fetched_read_and_stored(site: Site, opened: Opened, tmp_path: Path) -> None:
    """T-069: and what is final is not asked for again (F-CAN-05)."""
    site.pages["/tool"] = html("Aligner")
    for run in (1, 2):
        async with opened(tmp_path / "pages.db") as pages:
            (one,) = await fetched(pages, f"{site.url}/tool")

            assert one.fetched is (run == 1)
            assert one.record.title == "Aligner"
            assert (one.record.status_code, one.record.final_url) == (200, f"{site.url}/tool")
            assert one.record.is_final(50)
            assert await pages.store.get("webpage", f"{site.url}/tool") == one.record
    assert site.asked("/tool") == 1


async def test_redirects_are_followed_and_the_final_address_is_kept(site: Site, opened: Opened) -> None:
    """F-NET-03, F-DB-04: two start addresses with one final address are two entries."""
    site.pages["/home"] = html()
    site.pages["/old"] = Said(b"", 301, "", (("Location", "/home"),))
    async with opened() as pages:
        both = await fetched(pages, f"{site.url}/old", f"{site.url}/home")

        assert {one.record.final_url for one in both} == {f"{site.url}/home"}
        stored = [record.start_url async for record in pages.store.all("webpage")]
        assert stored == [f"{site.url}/home", f"{site.url}/old"]


async def test_web_pages_and_docs_are_two_stores(site: Site, opened: Opened) -> None:
    """F-DB-01: the same address in both, each fetched for itself and removed for itself."""
    site.pages["/tool"] = html()
    url = f"{site.url}/tool"
    async with opened() as pages:
        await fetched(pages, url)
        (doc,) = await fetched(pages, url, entry="doc")
        removed = await pages.store.remove("webpage", url)

        assert doc.fetched
        assert site.asked("/tool") == 2
        assert removed
        assert not await pages.store.contains("webpage", url)
        assert await pages.store.contains("doc", url)


async def test_a_404_is_broken_and_a_503_is_worth_another_attempt(site: Site, opened: Opened) -> None:
    """T-069, F-EXC-02, F-EXC-03."""
    site.pages["/busy"] = Said(b"later", 503)
    async with opened() as pages:
        gone, busy = await fetched(pages, f"{site.url}/gone", f"{site.url}/busy", second_chance=False)

    assert (gone.record.status_code, gone.record.is_broken(), gone.record.fetch_exception) == (
        404,
        True,
        False,
    )
    assert (busy.record.status_code, busy.record.is_broken(), busy.record.fetch_exception) == (
        503,
        True,
        True,
    )
    assert (gone.record.content, busy.record.content) == ("", "")
    assert (gone.outcome, busy.outcome) == ("absent", "unavailable")


async def test_a_pdf_at_the_address_is_read(site: Site, opened: Opened) -> None:
    """F-WEB-14, by the real PDF reader."""
    pdf = pages_of(["The manual of the aligner.", "It aligns."], title="Manual")
    site.pages["/manual.pdf"] = Said(pdf, 200, "application/pdf")
    async with opened() as pages:
        (one,) = await fetched(pages, f"{site.url}/manual.pdf", entry="doc")

    assert (one.record.title, one.record.content_type) == ("Manual", "application/pdf")
    assert "It aligns." in one.record.content
    assert one.record.is_final(20)


async def test_an_unfinished_page_is_asked_once_and_three_times_again(site: Site, opened: Opened) -> None:
    """T-073 for pages."""
    site.pages["/empty"] = Said(b"<html><body></body></html>")
    url = f"{site.url}/empty"
    async with opened() as pages:
        counts = [(await fetched(pages, url))[0] for _ in range(5)]

    assert [one.fetched for one in counts] == [True, True, True, True, False]
    assert counts[-1].record.retry_counter == 3
    assert site.asked("/empty") == 4


async def test_a_good_page_outlives_a_bad_answer(site: Site, opened: Opened) -> None:
    """T-072: good page stored, empty one comes: the content stays, the counters go on."""
    short = html(text="Just this much.")
    site.pages["/tool"] = [short, Said(b"<html></html>"), Said(b"no", 500)]
    url = f"{site.url}/tool"
    async with opened() as pages:
        records = [(await fetched(pages, url))[0].record for _ in range(3)]

    assert [record.content for record in records] == ["Just this much."] * 3
    assert [record.retry_counter for record in records] == [0, 1, 2]
    assert [record.outcome for record in records] == ["found", "empty", "unavailable"]
    assert len({record.content_time for record in records}) == 1
    assert {record.status_code for record in records} == {200}


async def test_pages_that_failed_for_a_while_get_a_second_chance_at_the_end(
    site: Site, opened: Opened
) -> None:
    """T-075 (F-CAN-09, A-25): two requests, the second when all others have ended; it counts as a retry."""
    site.pages |= {"/busy": [Said(b"", 503), html("Busy")], "/a": html("A"), "/b": html("B")}
    async with opened() as pages:
        found = await fetched(pages, *(f"{site.url}{path}" for path in ("/busy", "/a", "/b")))
        sizes = [one.path for one in site.got if one.path != "/robots.txt"]

    assert [one.record.title for one in found] == ["Busy", "A", "B"]
    assert sizes[-1] == "/busy"
    assert site.asked("/busy") == 2
    assert (found[0].record.retry_counter, found[0].record.fetch_exception) == (1, False)


async def test_the_second_chance_is_given_once_and_only_if_retries_are_left(
    site: Site, opened: Opened
) -> None:
    """Once only; with a retryLimit of 0 not at all."""
    site.pages |= {"/busy": Said(b"", 503), "/other": Said(b"", 503)}
    async with opened() as pages:
        await fetched(pages, f"{site.url}/busy")
        (other,) = await fetched(pages, f"{site.url}/other", cooldowns=Cooldowns(retryLimit=0))

    assert (site.asked("/busy"), site.asked("/other")) == (2, 1)
    assert (other.fetched, other.outcome) == (True, "unavailable")


async def test_an_address_given_twice_is_asked_once(site: Site, opened: Opened) -> None:
    """Duplicates come out as often as they were given (F-HOST-05: never two at a time)."""
    site.pages["/empty"] = Said(b"<html></html>")
    url = f"{site.url}/empty"
    async with opened() as pages:
        found = await fetched(pages, url, url, url)

    assert [one.line for one in found] == [1, 2, 3]
    assert len({one.record for one in found}) == 1
    assert site.asked("/empty") == 1


async def test_two_jobs_at_a_time_never_fetch_one_page_side_by_side(site: Site, opened: Opened) -> None:
    """F-HOST-05: the second waits, then sees that the page is there."""
    site.pages["/tool"] = html()
    async with opened() as pages:
        both = await asyncio.gather(*(fetched(pages, f"{site.url}/tool") for _ in range(2)))

    assert sorted(one.fetched for (one,) in both) == [False, True]
    assert site.asked("/tool") == 1


async def test_a_fresh_fetch_replaces_what_is_stored(site: Site, opened: Opened) -> None:
    """F-CLI-112: even a final page, even by an empty one."""
    site.pages["/tool"] = [html("Old"), Said(b"<html></html>")]
    url = f"{site.url}/tool"
    async with opened() as pages:
        await fetched(pages, url)
        (new,) = await fetched(pages, url, fresh=True)

        assert (new.record.title, new.record.retry_counter) == ("", 0)
        assert (await pages.store.get("webpage", url)) == new.record


async def test_a_long_page_comes_back_whole(site: Site, opened: Opened) -> None:
    """A content above 4,096 characters lies among the blobs; nobody sees the difference."""
    words = " ".join(f"word{number}ä" for number in range(3000))
    site.pages["/long"] = html(text=words)
    url = f"{site.url}/long"
    async with opened() as pages:
        (one,) = await fetched(pages, url)
        (stored,) = [body async for body in _bodies(pages)]

        assert one.record.content == words
        assert len(stored) < 2000
        assert await pages.store.get("webpage", url) == one.record


async def _bodies(pages: Webpages) -> Any:
    async for record in pages._storage.store.records("webpage"):
        yield record.body


async def test_a_page_that_is_put_is_there_and_a_page_that_is_removed_is_not(
    site: Site, opened: Opened
) -> None:
    """F-CLI-251, F-CLI-252 for pages; a removed one can be fetched anew."""
    site.pages["/tool"] = html("Fetched")
    url = f"{site.url}/tool"
    given = WebpageRecord(url, url, status_code=200, title="Put", content="p" * 6000, fetch_time=5)
    async with opened() as pages:
        await pages.store.put("webpage", given)
        (kept,) = await fetched(pages, url)

        assert (kept.fetched, kept.record) == (False, given)
        assert await pages.store.remove("webpage", url)
        assert not await pages.store.remove("webpage", url)
        assert (await fetched(pages, url))[0].record.title == "Fetched"


async def test_everything_can_be_made_anew_from_the_log(site: Site, opened: Opened) -> None:
    """P-01: the log is the truth; records and their versions come out the same."""
    site.pages |= {
        "/a": [Said(b"", 503), html("A")],
        "/b": Said(b"<html></html>"),
        "/c": html("C", "x " * 5000),
    }
    async with opened() as pages:
        for _ in range(2):
            await fetched(pages, *(f"{site.url}{path}" for path in ("/a", "/b", "/c")))
        await fetched(pages, f"{site.url}/c", entry="doc")
        await pages.store.put("doc", WebpageRecord(f"{site.url}/d", title="put"))
        await pages.store.remove("webpage", f"{site.url}/c")
        source = pages._storage
        target = MemoryStorage()
        after = 0
        while found := await source.log.read("webpages", after):
            await target.log.append("webpages", [one.entry for one in found])
            after = found[-1].offset
        count = await WebpageStore(target, SystemClock()).rebuild()

        assert count == 5
        for entry in ("webpage", "doc"):
            stored = [one async for one in source.store.records(entry)]
            assert stored
            assert [one async for one in target.store.records(entry)] == stored
        assert await target.store.record(f"{site.url}/c", "webpage") == await source.store.record(
            f"{site.url}/c", "webpage"
        )


async def test_the_numbers_reconcile(site: Site, opened: Opened) -> None:
    """Design law 3: every question to a resource has its outcome in `pubweave status`."""
    site.pages["/a"] = html()
    async with opened() as pages:
        await fetched(pages, f"{site.url}/a", f"{site.url}/gone", "http://[bad")
        told = await status(pages._storage.store)

    assert told.needs["webpages"] == {"": 3, "found": 1, "absent": 1, "bad-url": 1}
    assert told.differences == []


async def test_rules_without_a_browser_read_what_is_there(site: Site, opened: Opened, caplog: Any) -> None:
    """F-JS-06: one clear line in the log however many pages want a browser."""
    site.pages |= {"/a": html("A"), "/b": html("B")}
    book = load_rules([RuleFile("webpages", "w.yaml", "'^http://127.0.0.1':\n  javascript: true\n")])
    async with opened(rules=book) as pages:
        found = await fetched(pages, f"{site.url}/a", f"{site.url}/b")

    assert [one.record.title for one in found] == ["A", "B"]
    assert [one.record.evidence for one in found] == ["read without JavaScript: there is no browser here"] * 2
    assert sum("There is no browser here" in line.message for line in caplog.records) == 1


class Scripted:
    """A door that does what a test says; for what no server can be made to do at a given moment."""

    def __init__(self, *answers: Reply | BaseException | None) -> None:
        self._answers = list(answers)
        self.asked: list[ReplyWanted] = []

    async def fetch(self, wanted: ReplyWanted) -> Reply:
        self.asked.append(wanted)
        answer = self._answers.pop(0)
        if answer is None:
            await asyncio.Event().wait()
            raise AssertionError
        if isinstance(answer, BaseException):
            raise answer
        return msgspec.structs.replace(answer, url=wanted.request.url)


def over(door: Scripted, storage: Any = None) -> Webpages:
    return Webpages(storage or MemoryStorage(), door, Context(), SystemClock())


async def test_a_door_that_breaks_costs_one_page() -> None:
    """F-EXC-12: the flag is set, the page says why, the next one is read."""
    page = Reply("found", "", body=html("Next").body, status=200, content_type="text/html", fetched_at=1)
    door = Scripted(KeyError("a bug"), page)
    async with over(door) as pages:
        (broken,) = await fetched(pages, "http://a.example/", second_chance=False)
        (good,) = await fetched(pages, "http://b.example/")

    assert (broken.record.outcome, broken.record.fetch_exception) == ("failed", True)
    assert "a bug" in broken.record.evidence
    assert good.record.title == "Next"


async def test_what_is_not_finished_at_the_deadline_is_parked() -> None:
    """A line that cannot be finished still has an outcome; nothing is stored of it."""
    storage = MemoryStorage()
    async with over(Scripted(None), storage) as pages:
        (one,) = await fetched(pages, "http://slow.example/", deadline_at=1)

    assert (one.parked, one.outcome, one.fetched) == (True, "cancelled", False)
    assert await storage.store.count("webpage") == 0


async def test_who_reads_slowly_gets_no_memory_full_of_pages() -> None:
    """While nobody takes what is there, no more is asked for than is allowed to be under way and to lie there."""
    page = Reply("found", "", body=html().body, status=200, content_type="text/html", fetched_at=1)
    door = Scripted(*[page] * 50)
    async with Webpages(MemoryStorage(), door, Context(), SystemClock(), in_flight=2) as pages:
        lines = [PageLine(number, f"http://a.example/{number}") for number in range(50)]
        reading = pages.fetch(lines)
        await anext(reading)
        for _ in range(2000):
            await asyncio.sleep(0)
        asked = len(door.asked)
        rest = [one async for one in reading]

    assert asked <= 6
    assert len(rest) == 49


async def test_every_line_has_its_outcome_at_the_deadline_however_many_there_are() -> None:
    """Also those that were not under way yet; pages that are stored come with what is stored."""
    storage = MemoryStorage()
    stored = WebpageRecord("http://slow.example/5", title="Stored")
    door = Scripted(None, None)
    async with Webpages(storage, door, Context(), SystemClock(), in_flight=2) as pages:
        await pages.store.put("webpage", stored)
        urls = [f"http://slow.example/{number}" for number in range(9)]
        found = await fetched(pages, *urls, deadline_at=1, idempotency_key="job")
        told = await status(storage.store)

    assert [one.line for one in found] == list(range(1, 10))
    assert all(one.parked for one in found)
    assert found[5].record == stored
    assert told.submissions == {"parked": 9}
    assert told.reconciled


async def test_an_interrupted_job_goes_on_where_it_was(site: Site, opened: Opened, tmp_path: Path) -> None:
    """What has its outcome is told at once and not asked for again, though it is not final; the rest is fetched; every
    line has exactly one outcome."""
    site.pages |= {f"/{number}": Said(b"<title>Only a title</title>") for number in range(6)}
    urls = [f"{site.url}/{number}" for number in (0, 1, 2, 0, 3, 4, 5)]
    lines = [PageLine(number, url) for number, url in enumerate(urls, start=1)]
    wishes = PageWishes(idempotency_key="job", correlation_id="c")
    async with opened(tmp_path / "pages.db") as pages:
        heard = []
        async for one in pages.fetch(lines, wishes):
            heard.append(one.line)
            if len(heard) == 3:
                break
    before = {url: site.asked(url.removeprefix(site.url)) for url in urls}
    async with opened(tmp_path / "pages.db") as pages:
        store = pages._storage.store
        unfinished = await status(store)
        (job,) = unfinished.unfinished_jobs
        settled = {urls[one.line - 1] async for one in store.submissions(job) if one.settled}
        found = [one async for one in pages.fetch(lines, wishes)]
        told = await status(store)

    assert len(settled) >= 2
    assert {site.asked(url.removeprefix(site.url)) - before[url] for url in settled} == {0}
    assert sorted(one.line for one in found) == list(range(1, 8))
    assert {one.record.title for one in found} == {"Only a title"}
    assert told.submissions == {"finished": 7}
    assert (told.unfinished_jobs, told.differences) == ([], [])


async def test_a_storage_that_fails_is_told_and_nothing_is_half_stored() -> None:
    """The exception reaches whoever runs the job."""

    class Failing(MemoryStorage):
        pass

    storage = Failing()

    async def refuse(*_: object) -> None:
        raise OSError("disk full")

    storage.store.put_record = refuse  # type: ignore[method-assign,assignment]
    page = Reply("found", "", body=html().body, status=200, content_type="text/html", fetched_at=1)
    async with over(Scripted(page), storage) as pages:
        with pytest.raises(OSError, match="disk full"):
            await fetched(pages, "http://a.example/")

    assert [one.entry.kind for one in await storage.log.read("webpages")] == ["webpage-accepted"]


async def test_a_page_can_be_read_without_being_stored(site: Site, opened: Opened) -> None:
    """What `doc select` does."""
    site.pages["/tool"] = html("Once")
    async with opened() as pages:
        record = await pages.read(f"{site.url}/tool")

        assert record.title == "Once"
        assert not await pages.store.contains("webpage", f"{site.url}/tool")


async def test_the_library_gives_stored_pages(site: Site, opened: Opened, tmp_path: Path) -> None:
    """`api.get_webpage` and `api.get_doc`, by start address."""
    site.pages["/tool"] = html("Tool", "word " * 2000)
    base, url = tmp_path / "pages.db", f"{site.url}/tool"
    async with opened(base) as pages:
        (one,) = await fetched(pages, url)

    assert await api.get_webpage(base, url) == one.record
    assert await api.get_doc(base, url) is None


@needs_browser
async def test_a_page_made_by_scripts_is_read_as_a_browser_shows_it(site: Site, opened: Opened) -> None:
    """T-071 with a real browser: the plain page is short, so its scripts are run; the fetcher brings what they want."""
    site.pages["/app"] = Said(
        b"<title>App</title><body><main id=root></main><script src=/app.js></script></body>"
    )
    site.pages["/app.js"] = Said(
        b"document.title = 'Aligner'; document.getElementById('root').innerHTML = '<p>' + 'Made by scripts. '.repeat(20)",
        200,
        "text/javascript",
    )
    async with opened(browser=True) as pages:
        (one,) = await fetched(pages, f"{site.url}/app")

    assert (one.record.title, one.outcome) == ("Aligner", "found")
    assert one.record.content.startswith("Made by scripts. Made by scripts.")
    assert (site.asked("/app"), site.asked("/app.js")) == (2, 1)


@pytest.mark.parametrize("classic", [False, True])
async def test_pages_can_be_cleaned_as_the_specification_says(
    site: Site, opened: Opened, classic: bool
) -> None:
    """Chapter 8.2, by a setting: what no name gives away stays."""
    text = "".join(
        f"<p>The aligner folds widget number {number}, and then it unfolds the widget.</p>"
        for number in range(9)
    )
    links = "".join(f"<li><a href='/{number}'>Another tool {number}</a></li>" for number in range(9))
    site.pages["/tool"] = Said(f"<title>Tool</title><div>{text}</div><ul>{links}</ul>".encode())
    async with opened(classic_cleaning=classic) as pages:
        (one,) = await fetched(pages, f"{site.url}/tool")

    assert "widget number 8" in one.record.content
    assert ("Another tool 3" in one.record.content) is classic


@pytest.mark.parametrize(
    ("said", "title"), [("untitled", ""), ("Microsoft Word - manual.doc", ""), ("Manual", "Manual")]
)
async def test_what_a_program_calls_a_pdf_is_no_title(
    site: Site, opened: Opened, said: str, title: str
) -> None:
    """As for articles: names of files and "untitled" are their maker's words."""
    site.pages["/manual"] = Said(pages_of(["The manual."], title=said), 200, "application/pdf")
    async with opened() as pages:
        (one,) = await fetched(pages, f"{site.url}/manual")

    assert (one.outcome, one.record.title) == ("found", title)


FEED = (
    b"<?xml version='1.0'?><rss><channel><title>News</title><item><title>Folded</title>"
    b"<description>It folds.</description></item></channel></rss>"
)


@needs_browser
@pytest.mark.parametrize("javascript", ["rules", "always", "if-short"])
async def test_xml_is_never_read_as_a_browser_shows_it(site: Site, opened: Opened, javascript: str) -> None:
    """A feed is short, so a browser would be asked; what it shows is a tree of tags and a word of its own."""
    site.pages["/feed"] = Said(FEED, 200, "application/xml")
    async with opened(browser=True) as pages:
        (one,) = await fetched(pages, f"{site.url}/feed", javascript=javascript)

    assert (one.outcome, one.record.title, one.record.content) == ("found", "News", "Folded\nIt folds.")
    assert site.asked("/feed") == (2 if javascript == "always" else 1)


async def test_a_pdf_over_ftp_is_read(opened: Opened) -> None:
    """F-EXC-01, F-PDF-08: an address that is not HTTP is tried as PDF."""
    pdf = pages_of(["The manual of the aligner, as it lies on an old server."], title="Old manual")
    async with FtpServer(files={"pub/manual.pdf": pdf}).running() as server, opened() as pages:
        one, missing = await fetched(
            pages, f"{server.url}/pub/manual.pdf", f"{server.url}/pub/none.pdf", entry="doc"
        )

    assert (one.outcome, one.record.title) == ("found", "Old manual")
    assert one.record.is_final(50)
    assert (one.record.final_url, one.record.status_code) == (one.url, 0)
    assert (missing.outcome, missing.record.is_broken(), missing.record.content) == ("absent", True, "")
