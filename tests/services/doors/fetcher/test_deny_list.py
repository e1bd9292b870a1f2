"""What an operator does not want asked is not asked (takedown requests)."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pubweave.adapters.clock import ManualClock
from pubweave.contract.exchange import Request, Work
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.values import Identifiers, Place
from pubweave.doors.fetcher.deny_list import DenyList
from pubweave.doors.fetcher.settings import FetcherProblem
from services.doors.fetcher.loopback import OpenFetcher, Server, reply_bytes, says

LIST = """\
# hosts
Press.example\tthey asked us to
*.cdn.example

# articles
https://doi.org/10.1234/With.Drawn\ttaken down, case 7
10.5678/*
"""


@pytest.fixture
def listed(tmp_path: Path) -> DenyList:
    path = tmp_path / "deny.txt"
    path.write_text(LIST, "utf-8")
    return DenyList(path, ManualClock())


def work(*dois: str) -> Work:
    """A work that needs something of the publications with these DOIs."""
    place = Place(0, 1, 1, 1, 1, 1)
    return Work(
        "doi",
        tuple(NeedsPart(doi, f"need {doi}", place, "doi", Identifiers(doi=doi)) for doi in dois),
    )


def told(listed: DenyList, url: str, of: Work | None = None) -> str:
    host = url.partition("://")[2].partition("/")[0]
    refusal = listed.refusal(url, host, of)
    return refusal.evidence if refusal is not None else ""


@pytest.mark.parametrize(
    "host", ["press.example", "www.press.example", "PRESS.example", "a.b.press.example."]
)
def test_a_host_is_denied_with_all_below_it(listed: DenyList, host: str) -> None:
    """In letters of either case; the entry and its reason are told."""
    assert (
        told(listed, f"http://{host}/x") == "press.example is on the operator's deny list: they asked us to"
    )


@pytest.mark.parametrize("host", ["xpress.example", "example", "press.example.org", "other.example"])
def test_another_host_is_not_denied(listed: DenyList, host: str) -> None:
    """Names are compared label by label."""
    assert told(listed, f"http://{host}/x") == ""


@pytest.mark.parametrize(
    "url",
    [
        "https://doi.org/10.1234/with.drawn",
        "https://doi.org/10.1234%2FWITH.drawn",
        "https://api.unpaywall.example/v2/10.1234/with.drawn?email=x",
        "https://journal.example/doi/full/10.1234/with.drawn/",
        "https://journal.example/doi/pdf/10.1234/with.drawn.pdf",
        "https://journal.example/10.1234/with.drawn/pdf",
        "https://journal.example/go?to=https%253A%252F%252Fdoi.org%252F10.1234%252Fwith.drawn",
        "https://api.example/search?query=DOI:%2210.1234/with.drawn%22",
        "https://journal.example/doi/10.5678/whatever",
    ],
)
def test_a_doi_is_denied_wherever_it_stands_in_an_address(listed: DenyList, url: str) -> None:
    """At the resolver, at services that are asked by DOI, at the publisher, in renderings, encoded twice."""
    assert told(listed, url) != ""


@pytest.mark.parametrize(
    "url",
    [
        "https://doi.org/10.1234/with.drawn2",
        "https://doi.org/10.1234/with.drawn.2",
        "https://doi.org/10.1234/with",
        "https://doi.org/10.56789/x",
        "https://doi.org/110.1234/with-drawn",
    ],
)
def test_another_doi_is_not_denied(listed: DenyList, url: str) -> None:
    """One that only begins alike is another one's."""
    assert told(listed, url) == ""


def test_a_doi_is_denied_where_the_address_does_not_say_it(listed: DenyList) -> None:
    """The publication that is asked for is known beside the address."""
    evidence = told(listed, "https://other.example/article/77.pdf", work("10.1234/with.drawn"))

    assert evidence == "10.1234/with.drawn is on the operator's deny list: taken down, case 7"


@pytest.mark.parametrize(
    ("dois", "among_others"),
    [(("10.5678/a", "10.5678/b"), False), (("10.5678/a", "10.9/x"), True), (("10.9/x", "10.5678/a"), True)],
)
def test_a_batch_says_whether_others_are_in_it(
    listed: DenyList, dois: tuple[str, ...], among_others: bool
) -> None:
    """So that the others can be asked for without it."""
    refusal = listed.refusal("https://api.example/", "api.example", work(*dois))

    assert refusal is not None
    assert refusal.among_others == among_others


def test_a_list_that_cannot_be_read_is_told_at_once(tmp_path: Path) -> None:
    """With file, line and what is wrong."""
    path = tmp_path / "deny.txt"
    with pytest.raises(FetcherProblem, match="cannot be read: No such file"):
        DenyList(path, ManualClock())
    path.write_text("a.example\nwhat is this\n")
    with pytest.raises(FetcherProblem, match="line 2: 'what is this' is neither a host nor a DOI"):
        DenyList(path, ManualClock())
    path.write_bytes(b"\xff")
    with pytest.raises(FetcherProblem, match="not UTF-8"):
        DenyList(path, ManualClock())


async def test_a_changed_list_holds_without_a_restart(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A new entry is obeyed; a list with a mistake, or none, leaves the old one in force and is told once."""
    clock, path = ManualClock(), tmp_path / "deny.txt"
    path.write_text("a.example")
    listed = DenyList(path, clock)

    async def changed(text: str) -> list[bool]:
        path.write_text(text)
        os.utime(path, ns=(clock.now_ms(), clock.now_ms()))
        await clock.advance(2)
        return [bool(told(listed, f"http://{host}.example/")) for host in "ab"]

    assert await changed("b.example") == [False, True]
    assert await changed("a.example\nno list") == [False, True]
    path.unlink()
    await clock.advance(2)
    assert told(listed, "http://b.example/") != ""
    await clock.advance(2)
    assert told(listed, "http://b.example/") != ""
    assert await changed("a.example b") == [False, True]
    assert await changed("a.example\tnow so") == [True, False]
    assert len([record for record in caplog.records if record.levelname == "ERROR"]) == 3


@settings(derandomize=True, deadline=None, max_examples=200)
@given(st.text(max_size=80))
def test_any_address_can_be_looked_at(tail: str) -> None:
    """Nothing that stands in an address breaks the test."""
    listed = DenyList(None, ManualClock())
    listed._dois = {"10.1234/x": ""}

    assert listed.refusal(f"http://h.example/10.1234/x/{tail}", "h.example", None) is not None


def question(url: str, *dois: str) -> ReplyWanted:
    return ReplyWanted(f"ask {url}", "-", Request(url), work(*dois))


@pytest.mark.network
async def test_a_denied_publication_is_asked_nowhere(open_fetcher: OpenFetcher, tmp_path: Path) -> None:
    """The outcome names the entry; a batch with others is `blocked`, which its asker halves; nothing is sent."""
    path = tmp_path / "deny.txt"
    path.write_text("10.5678/*\tcase 8")
    async with Server(says(reply_bytes(b"x"))).running() as server, open_fetcher(deny_list=path) as fetcher:
        alone = await fetcher.fetch(question(f"{server.url}/a", "10.5678/a"))
        batch = await fetcher.fetch(question(f"{server.url}/a", "10.5678/a", "10.1/b"))
        other = await fetcher.fetch(question(f"{server.url}/b", "10.1/b"))

    evidence = "10.5678/* is on the operator's deny list: case 8"
    assert (alone.outcome, alone.evidence) == ("refused-address", evidence)
    assert (batch.outcome, batch.evidence) == ("blocked", evidence)
    assert other.outcome == "found"
    assert [asked.path for asked in server.asked] == ["/b"]


@pytest.mark.network
async def test_a_redirect_to_a_denied_host_is_not_followed(open_fetcher: OpenFetcher, tmp_path: Path) -> None:
    """Every hop is tested."""
    path = tmp_path / "deny.txt"
    path.write_text("press.example")
    moved = reply_bytes(b"", "302 Found", "Location: http://press.example/")
    async with Server(says(moved)).running() as server, open_fetcher(deny_list=path) as fetcher:
        reply = await fetcher.fetch(question(f"{server.url}/a"))

    assert (reply.outcome, reply.evidence) == (
        "refused-address",
        "press.example is on the operator's deny list",
    )
