"""How a page is got and read, step by step (T-069…T-071, chapters 6.2 and 7 for web pages and docs)."""

from collections.abc import Mapping
from typing import Any, Final, get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pubweave.contract.exchange import Reply
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.values import RunSettings, Thresholds
from pubweave.contract.vocabulary import AttemptOutcome
from pubweave.contract.webpage_accepted import WebpageAccepted
from pubweave.contract.webpage_read import WebpageRead
from pubweave.core.merging.webpage_fold import need_of
from pubweave.core.reading.rules import RuleBook, RuleFile, load_rules, rules_from_selectors
from pubweave.core.toolkit.service import Context
from pubweave.core.toolkit.webpage_asking import JavaScript, first_work
from pubweave.resources import docs, webpages

START: Final = "http://tool.example/start"
FINAL: Final = "https://tool.example/home"
MOST_ASKS: Final = 12
"""More questions than any page may cost."""

LONG_TEXT: Final = " ".join(f"Sentence number {number} about aligning sequences." for number in range(12))
PAGE: Final = f"<html><head><title>Tool</title></head><body><main><p>{LONG_TEXT}</p></main></body></html>"
SHORT: Final = "<html><head><title>Tool</title></head><body><div id=root></div></body></html>"
NOSCRIPT: Final = PAGE.replace("</main>", "</main><noscript>Please enable JavaScript.</noscript>")
PDF: Final = msgspec.json.encode(
    {"reason": "read", "text": "Chapter 1\n\nOf tools.", "pages": 2, "metadata": {"title": " The manual "}}
)


def reply(outcome: AttemptOutcome = "found", body: str | bytes = "", **more: Any) -> Reply:
    given_: dict[str, Any] = {
        "final_url": FINAL,
        "status": 200,
        "content_type": "text/html; charset=utf-8",
        "fetched_at": 1_795_269_601_250,
    }
    return Reply(
        outcome=outcome, url=START, body=body.encode() if isinstance(body, str) else body, **(given_ | more)
    )


def failed(outcome: AttemptOutcome, **more: Any) -> Reply:
    """Nothing answered."""
    return reply(outcome, **({"final_url": "", "status": 0, "content_type": ""} | more))


NO_BROWSER: Final = failed("no-door", evidence="there is no renderer here")


class Went:
    """One page from its beginning to its one outcome."""

    def __init__(
        self,
        doors: Mapping[str, Reply | list[Reply]],
        rules: RuleBook | None = None,
        *,
        url: str = START,
        javascript: JavaScript = "rules",
        resource: Any = webpages,
        run_settings: RunSettings = RunSettings(),  # noqa: B008
    ) -> None:
        self.asked: list[ReplyWanted] = []
        run = WebpageAccepted(
            publication=f"webpage {url}",
            entry="webpage" if resource is webpages else "doc",
            url=url,
            epoch=1,
            run=1,
            accepted_at=1,
            settings=run_settings,
        )
        context = Context(rules=rules)
        left = {
            door: list(replies) if isinstance(replies, list) else [replies] for door, replies in doors.items()
        }
        said = resource.SERVICE.step(first_work(need_of(run), javascript), None, context)
        while True:
            (one,) = said
            if isinstance(one, WebpageRead):
                self.read = one
                return
            self.asked.append(one)
            assert len(self.asked) <= MOST_ASKS
            answers = left[one.door]
            answer = answers.pop(0) if len(answers) > 1 else answers[0]
            said = resource.SERVICE.step(
                one.work, msgspec.structs.replace(answer, url=one.request.url), context
            )

    @property
    def doors(self) -> list[str]:
        return [wanted.door for wanted in self.asked]


def rules(text: str) -> RuleBook:
    return load_rules([RuleFile("webpages", "mine.yaml", text)])


# Fields (T-069).


def test_a_page_says_where_it_was_and_what_it_was() -> None:
    """T-069, F-NET-05: start and final address, type, status, title, content."""
    read = Went({"fetcher": reply(body=PAGE)}).read

    assert (read.url, read.final_url, read.status_code) == (START, FINAL, 200)
    assert read.content_type == "text/html; charset=utf-8"
    assert (read.title, read.content) == ("Tool", LONG_TEXT)
    assert (read.outcome, read.fetch_exception, read.rules_version) == ("found", False, "")


def test_a_doc_is_read_like_a_page_and_says_that_it_is_a_doc() -> None:
    """F-DB-01: its own store, the same reading."""
    as_page, as_doc = (Went({"fetcher": reply(body=PAGE)}, resource=one).read for one in (webpages, docs))

    assert (as_page.entry, as_doc.entry) == ("webpage", "doc")
    assert as_page.content == as_doc.content


@pytest.mark.parametrize(
    ("outcome", "status", "flag"),
    [
        ("absent", 404, False),
        ("blocked", 403, False),
        ("unavailable", 503, True),
        ("unavailable", 500, False),
    ],
)
def test_an_error_status_is_kept_with_its_address(outcome: AttemptOutcome, status: int, flag: bool) -> None:
    """F-EXC-02, F-EXC-03: only the flag of 503 is set; the body of an error is never content."""
    answer = reply(outcome, PAGE, status=status, web_fetch_exception=flag, evidence=f"HTTP {status}")
    went = Went({"fetcher": answer})

    assert went.doors == ["fetcher"]
    assert (went.read.title, went.read.content) == ("", "")
    assert (went.read.status_code, went.read.final_url) == (status, FINAL)
    assert (went.read.outcome, went.read.fetch_exception) == (outcome, flag)
    assert went.read.evidence == f"HTTP {status}"


def test_a_page_that_says_nothing_is_empty_not_found() -> None:
    """A failure is no emptiness, and emptiness no finding."""
    nothing = "<html><body></body></html>"

    assert Went({"fetcher": reply(body=nothing), "renderer": NO_BROWSER}).read.outcome == "empty"


# Rules (T-070).


def test_title_and_content_are_what_rules_select() -> None:
    """F-WEB-11, F-WEB-12: the first title, all contents with an empty line between."""
    page = "<title>T</title><h1>One</h1><h1>Two</h1><p class=x>a</p><p>b</p><p class=x>c</p>"
    read = Went({"fetcher": reply(body=page)}, rules("tool.example:\n  title: h1\n  content: .x\n")).read

    assert (read.title, read.content) == ("One", "a\n\nc")
    assert read.rules_version


def test_an_empty_selector_empties_and_a_missing_one_does_not() -> None:
    """T-070: `content: ''` gives nothing; without the key the page is cleaned; the same for the title."""
    emptied = Went({"fetcher": reply(body=PAGE)}, rules("tool.example:\n  title: ''\n  content: ''\n")).read
    cleaned = Went({"fetcher": reply(body=PAGE)}, rules("tool.example:\n  license: .nothing\n")).read

    assert (emptied.title, emptied.content, emptied.outcome) == ("", "", "empty")
    assert (cleaned.title, cleaned.content) == ("Tool", LONG_TEXT)


def test_rules_are_those_of_the_final_address() -> None:
    """F-WEB-10: not those of the start address."""
    book = rules("tool.example/start:\n  title: b\ntool.example/home:\n  title: i\n")
    read = Went(
        {"fetcher": reply(body=f"<title>T</title><b>start</b><i>home</i><p>{LONG_TEXT}</p>")}, book
    ).read

    assert read.title == "home"


def test_licence_and_language_come_from_rules_only() -> None:
    """F-WEB-13, A-17: the first licence; all languages."""
    page = f"<title>T</title><a class=l>MIT</a><a class=l>GPL</a><i>C</i><i>Rust</i><p>{LONG_TEXT}</p>"
    book = rules("tool.example:\n  license: .l\n  language: i\n")
    with_rules, without = (Went({"fetcher": reply(body=page)}, one).read for one in (book, None))

    assert (with_rules.license, with_rules.language) == ("MIT", "C, Rust")
    assert (without.license, without.language) == ("", "")


def test_a_page_that_no_rule_has_read_names_no_rules() -> None:
    """The version of rules stands where they were used, and only there."""
    book = rules("other.example:\n  title: h1\n")

    assert Went({"fetcher": reply(body=PAGE)}, book).read.rules_version == ""


# JavaScript (T-071).

RENDERED: Final = PAGE.replace("<title>Tool", "<title>Rendered tool")


@pytest.mark.parametrize("page", [SHORT, NOSCRIPT])
def test_a_short_page_or_one_with_noscript_is_read_again_in_the_browser(page: str) -> None:
    """T-071, F-WEB-21: two fetches; what the browser shows counts."""
    went = Went({"fetcher": reply(body=page), "renderer": reply(body=RENDERED)})

    assert went.doors == ["fetcher", "renderer"]
    assert [wanted.request.url for wanted in went.asked] == [START, START]
    assert went.asked[1].request.javascript
    assert (went.read.title, went.read.javascript) == ("Rendered tool", True)


def test_the_length_that_decides_is_a_setting() -> None:
    """webpageMinLengthJavascript; exactly that long is long enough."""
    body = "<body><p>" + "x" * 300 + "</p></body>"
    doors = {"fetcher": reply(body=body), "renderer": reply(body=RENDERED)}

    def asked(minimum: int) -> list[str]:
        return Went(
            doors, run_settings=RunSettings(thresholds=Thresholds(webpageMinLengthJavascript=minimum))
        ).doors

    assert asked(300) == ["fetcher"]
    assert asked(301) == ["fetcher", "renderer"]


@pytest.mark.parametrize("said", ["false", "no", "''"])
def test_rules_that_say_no_are_obeyed_whatever_the_page(said: str) -> None:
    """T-071, F-WEB-20: any explicit value but `true` means one fetch."""
    went = Went({"fetcher": reply(body=SHORT)}, rules(f"tool.example:\n  javascript: {said}\n  license: p\n"))

    assert went.doors == ["fetcher"]


@pytest.mark.parametrize("said", ["true", "TRUE"])
def test_rules_of_the_start_address_send_a_page_to_the_browser_at_once(said: str) -> None:
    """F-WEB-20, F-JS-01 (c)."""
    book = rules(f"tool.example/start:\n  javascript: '{said}'\n")
    went = Went({"renderer": reply(body=RENDERED)}, book)

    assert went.doors == ["renderer"]
    assert went.read.javascript


def test_rules_of_the_final_address_that_say_yes_suffice() -> None:
    """A-18: whatever the length."""
    book = rules("tool.example/home:\n  javascript: true\n")
    went = Went({"fetcher": reply(body=PAGE), "renderer": reply(body=RENDERED)}, book)

    assert went.doors == ["fetcher", "renderer"]


def test_a_page_with_rules_is_not_read_again_for_being_short() -> None:
    """F-WEB-21: the test is for pages without rules."""
    assert Went({"fetcher": reply(body=SHORT)}, rules("tool.example:\n  title: h1\n")).doors == ["fetcher"]


def test_plain_text_has_no_scripts() -> None:
    """However short, it is its own content."""
    went = Went({"fetcher": reply(body="README\r\nshort", content_type="text/plain")})

    assert went.doors == ["fetcher"]
    assert went.read.content == "README\nshort"


@pytest.mark.parametrize("outcome", ["timeout", "failed", "unavailable", "no-door", "blocked"])
def test_a_browser_that_fails_leaves_what_was_read_before(outcome: AttemptOutcome) -> None:
    """F-WEB-22, with one clear line; a failure that may pass makes it worth another attempt."""
    flag = outcome in ("timeout", "failed")
    browser = failed(outcome, web_fetch_exception=flag, evidence="seen")
    read = Went({"fetcher": reply(body=NOSCRIPT), "renderer": browser}).read

    assert (read.outcome, read.title, read.content, read.javascript) == ("found", "Tool", LONG_TEXT, False)
    assert read.fetch_exception is flag
    assert "read without JavaScript" in read.evidence
    assert "\n" not in read.evidence


def test_a_browser_that_shows_nothing_leaves_what_was_read_before() -> None:
    """An empty rendering is a failed one."""
    went = Went({"fetcher": reply(body=NOSCRIPT), "renderer": reply(body="<html></html>")})

    assert went.read.content == LONG_TEXT
    assert went.read.evidence.endswith("read without JavaScript: empty: the browser shows nothing")


def test_without_a_browser_a_page_that_wants_one_is_read_plainly() -> None:
    """F-JS-06: softly, and said; a page of which only the title is there is not `found`."""
    book = rules("tool.example:\n  javascript: true\n")
    went = Went({"fetcher": reply(body=SHORT), "renderer": NO_BROWSER}, book)

    assert went.doors == ["renderer", "fetcher"]
    assert went.read.title == "Tool"
    assert went.read.outcome == "empty"
    assert went.read.evidence == "read without JavaScript: there is no browser here; the page has no content"


def test_what_the_browser_shows_is_utf_8_whatever_the_page_declares() -> None:
    """The page's own `meta charset` speaks of bytes that are no longer there."""
    shown = f"<meta charset=iso-8859-1><title>Zürich</title><p>{LONG_TEXT} é</p>"
    read = Went({"renderer": reply(body=shown, content_type="text/html")}, javascript="always").read

    assert (read.title, read.content[-1]) == ("Zürich", "é")


@pytest.mark.parametrize(
    ("javascript", "page", "doors"),
    [
        ("always", PAGE, ["renderer"]),
        ("never", SHORT, ["fetcher"]),
        ("if-short", SHORT, ["fetcher", "renderer"]),
        ("if-short", NOSCRIPT, ["fetcher", "renderer"]),
        ("if-short", PAGE, ["fetcher"]),
    ],
)
def test_selectors_by_hand_have_their_own_test_for_javascript(
    javascript: JavaScript, page: str, doors: list[str]
) -> None:
    """F-WEB-23: the length and noscript test whatever the rules; `true` and `false` as they stand."""
    book = rules_from_selectors("title", "p")
    went = Went({"fetcher": reply(body=page), "renderer": reply(body=RENDERED)}, book, javascript=javascript)

    assert went.doors == doors


@pytest.mark.parametrize("javascript", ["never", "if-short"])
def test_what_a_person_wants_goes_before_what_rules_want(javascript: JavaScript) -> None:
    """Rules that send every page to the browser do not count where somebody has said when to."""
    book = rules("tool.example:\n  javascript: true\n  title: title\n")

    assert Went({"fetcher": reply(body=PAGE)}, book, javascript=javascript).doors == ["fetcher"]


# Walls.

WALL: Final = (
    "<html><head><title>Just a moment...</title></head><body><p>Checking your browser.</p>"
    "<script src=/cdn-cgi/challenge-platform/x.js></script><noscript>Enable JavaScript</noscript></body></html>"
)


def test_a_bot_check_is_an_outcome_and_never_content() -> None:
    """Nobody is sent to get past it, though it is short and has a noscript element."""
    went = Went({"fetcher": reply(body=WALL)})

    assert went.doors == ["fetcher"]
    assert (went.read.outcome, went.read.title, went.read.content) == ("blocked", "", "")
    assert (went.read.status_code, went.read.final_url, went.read.fetch_exception) == (200, FINAL, False)
    assert "Just a moment" in went.read.evidence


def test_a_bot_check_in_the_browser_leaves_what_was_read_before() -> None:
    """F-WEB-22: it is a failed attempt."""
    read = Went({"fetcher": reply(body=NOSCRIPT), "renderer": reply(body=WALL)}).read

    assert (read.outcome, read.content) == ("found", LONG_TEXT)
    assert "read without JavaScript: blocked" in read.evidence


@pytest.mark.parametrize("title", ["DDoS analyser", "Captcha tool", "Please wait: a queueing library"])
def test_a_page_about_walls_is_no_wall(title: str) -> None:
    """What says more than a bot check does is a page, whatever its title."""
    page = f"<title>{title}</title><main><h1>{title}</h1>{'<p>It is a tool that does many things well.</p>' * 40}</main>"

    assert Went({"fetcher": reply(body=page)}).read.title == title


def test_rules_know_better_than_the_look_of_a_page() -> None:
    """What rules select is the page."""
    read = Went({"fetcher": reply(body=WALL)}, rules("tool.example:\n  content: p\n")).read

    assert (read.outcome, read.content) == ("found", "Checking your browser.")


# TLS (F-EXC-09, F-EXC-10).


def test_a_tls_failure_sends_a_page_to_the_browser_once() -> None:
    """F-EXC-09."""
    went = Went({"fetcher": failed("tls-failure"), "renderer": reply(body=RENDERED)})

    assert went.doors == ["fetcher", "renderer"]
    assert went.read.title == "Rendered tool"


def test_a_second_tls_failure_is_the_end() -> None:
    """F-EXC-10: no flag."""
    went = Went({"fetcher": failed("tls-failure"), "renderer": failed("tls-failure")})

    assert went.doors == ["fetcher", "renderer"]
    assert (went.read.outcome, went.read.fetch_exception) == ("tls-failure", False)


def test_a_page_that_wants_a_browser_that_is_not_there_is_not_sent_back_to_it() -> None:
    """Neither door can have it: each is asked once."""
    book = rules("tool.example:\n  javascript: true\n")
    went = Went({"fetcher": failed("tls-failure"), "renderer": NO_BROWSER}, book)

    assert went.doors == ["renderer", "fetcher"]
    assert went.read.outcome == "tls-failure"


def test_rules_that_forbid_javascript_forbid_it_after_a_tls_failure_too() -> None:
    """F-WEB-20: in any case."""
    book = rules("tool.example:\n  javascript: false\n")

    assert Went({"fetcher": failed("tls-failure")}, book).doors == ["fetcher"]


# PDF (F-WEB-14, F-EXC-01, F-EXC-05, F-EXC-06, F-PDF-03).


@pytest.mark.parametrize("content_type", ["application/pdf", "application/octet-stream", "image/pdf", "PB-x"])
def test_a_pdf_at_the_address_is_read_by_the_pdf_reader(content_type: str) -> None:
    """F-EXC-05, F-EXC-13: at the address where it was met; all text is content, the metadata's title the title."""
    met = reply("wrong-type", b"%PDF-1.7", content_type=content_type, evidence="a PDF")
    went = Went({"fetcher": met, "pdf_reader": reply(body=PDF, content_type="application/json")})

    assert went.doors == ["fetcher", "pdf_reader"]
    assert (went.asked[1].request.url, went.asked[1].request.expect) == (FINAL, "pdf")
    assert (went.read.title, went.read.content) == ("The manual", "Chapter 1\n\nOf tools.")
    assert (went.read.content_type, went.read.status_code, went.read.final_url) == (content_type, 200, FINAL)


def test_a_pdf_that_cannot_be_read_leaves_its_address_and_type() -> None:
    """F-EXC-05: final address and content type are stored; the reader's word is the outcome."""
    met = reply("wrong-type", b"%PDF-1.7", content_type="application/pdf")
    broken = reply(
        "malformed", content_type="application/json", evidence="no pages", web_fetch_exception=False
    )
    read = Went({"fetcher": met, "pdf_reader": broken}).read

    assert (read.outcome, read.final_url, read.content_type) == ("malformed", FINAL, "application/pdf")
    assert not read.content


def test_a_media_type_that_nobody_reads_is_stored_with_its_address() -> None:
    """F-EXC-06."""
    went = Went({"fetcher": reply("wrong-type", b"\x89PNG", content_type="image/png")})

    assert went.doors == ["fetcher"]
    assert (went.read.outcome, went.read.final_url, went.read.content_type) == (
        "wrong-type",
        FINAL,
        "image/png",
    )


@pytest.mark.parametrize(
    "url", ["ftp://tool.example/manual.pdf", "tool.example/no-scheme", "http://[bad", "mailto:x"]
)
def test_an_address_that_is_not_http_is_tried_as_pdf(url: str) -> None:
    """F-EXC-01: this is how PDFs over FTP are read. Without a status a final address says that it is not broken."""
    pdf = failed("found", body=PDF, final_url=url)
    went = Went({"pdf_reader": pdf}, url=url)

    assert went.doors == ["pdf_reader"]
    assert went.asked[0].request.url == url
    assert (went.read.title, went.read.status_code, went.read.final_url) == ("The manual", 0, url)
    assert went.read.content_type == "application/pdf"


def test_a_pdf_without_a_final_address_was_where_it_was_asked_for() -> None:
    """So that it is not broken (F-WEB-04)."""
    read = Went({"pdf_reader": failed("found", body=PDF)}, url="ftp://tool.example/a.pdf").read

    assert read.final_url == "ftp://tool.example/a.pdf"


def test_an_ftp_server_has_no_status_whatever_the_fetcher_calls_its_answers() -> None:
    """F-WEB-04: found is not broken, missing is, both with status 0."""
    url = "ftp://tool.example/a.pdf"
    found = Went({"pdf_reader": reply(body=PDF, final_url=url)}, url=url).read
    missing = Went({"pdf_reader": reply("absent", status=404, final_url=url)}, url=url).read

    assert (found.status_code, found.final_url) == (0, url)
    assert (missing.status_code, missing.final_url, missing.outcome) == (0, "", "absent")


def test_an_address_that_no_door_takes_ends_as_such() -> None:
    """Tried as PDF, then it is over."""
    bad = failed("bad-url", evidence="no host in it")
    went = Went({"fetcher": bad, "pdf_reader": bad})

    assert went.doors == ["fetcher", "pdf_reader"]
    assert (went.read.outcome, went.read.final_url) == ("bad-url", "")


# Asking again.


def test_a_broken_connection_is_tried_once_more_later() -> None:
    """Fault 55: as a delayed event, then it is over."""
    went = Went({"fetcher": failed("reset")})

    assert [wanted.delay_ms for wanted in went.asked] == [0, 31_000]
    assert len({wanted.ask for wanted in went.asked}) == 2
    assert went.read.outcome == "reset"


def test_what_comes_after_a_broken_connection_is_read() -> None:
    """The memory of the work survives the repetition."""
    doors = {
        "fetcher": [failed("reset"), reply(body=SHORT)],
        "renderer": [failed("reset"), reply(body=RENDERED)],
    }
    went = Went(doors)

    assert went.doors == ["fetcher", "fetcher", "renderer", "renderer"]
    assert went.read.title == "Rendered tool"


def test_a_server_that_asks_to_be_left_alone_is() -> None:
    """Retry-After, as long as it says, three times."""
    went = Went({"fetcher": failed("rate-limited", retry_after_ms=90_000, web_fetch_exception=True)})

    assert [wanted.delay_ms for wanted in went.asked] == [0, 90_000, 90_000, 90_000]
    assert (went.read.outcome, went.read.fetch_exception) == ("rate-limited", True)


# Whatever comes.

OUTCOMES: Final = get_args(AttemptOutcome)
ANY_REPLY: Final = st.builds(
    reply,
    st.sampled_from(OUTCOMES),
    st.sampled_from([PAGE, SHORT, NOSCRIPT, "", "%PDF-1.4", "\x00"]),
    status=st.sampled_from([0, 200, 404, 503]),
    final_url=st.sampled_from(["", FINAL, "http://[bad"]),
    content_type=st.sampled_from(["", "text/html", "text/plain", "application/pdf", "image/png"]),
    web_fetch_exception=st.booleans(),
    retry_after_ms=st.sampled_from([0, 1000, 10**9]),
)
PDF_REPLY: Final = ANY_REPLY.map(
    lambda any_: msgspec.structs.replace(any_, body=PDF) if any_.outcome == "found" else any_
)


@settings(derandomize=True, max_examples=300, deadline=None)
@given(
    st.lists(ANY_REPLY, min_size=1, max_size=4),
    st.lists(ANY_REPLY, min_size=1, max_size=4),
    st.lists(PDF_REPLY, min_size=1, max_size=4),
    st.sampled_from(["rules", "always", "never", "if-short"]),
    st.sampled_from(["", "true", "false"]),
    st.sampled_from([START, "ftp://tool.example/a.pdf", "::"]),
)
def test_every_page_has_one_outcome_after_a_bounded_number_of_questions(
    plain: list[Reply], browser: list[Reply], pdf: list[Reply], javascript: Any, said: str, url: str
) -> None:
    """Whatever the doors answer; and content only ever comes from a reply that was `found`."""
    book = rules(f"tool.example:\n  javascript: '{said}'\n") if said else None
    went = Went(
        {"fetcher": plain, "renderer": browser, "pdf_reader": pdf}, book, javascript=javascript, url=url
    )

    assert went.read.need == f"webpage {url}/1.1"
    if went.read.content:
        assert any(one.outcome == "found" for one in (*plain, *browser, *pdf))
        assert went.read.outcome == "found"


@pytest.mark.parametrize("outcome", [one for one in OUTCOMES if one not in ("found", "wrong-type")])
def test_every_failure_becomes_the_outcome_of_the_page(outcome: AttemptOutcome) -> None:
    """The fault matrix: one word in, the same word out, nothing filled, the flag of the table kept."""
    answer = reply(outcome, PAGE, web_fetch_exception=True)
    went = Went({"fetcher": answer, "renderer": answer, "pdf_reader": answer})

    assert (went.read.outcome, went.read.title, went.read.content) == (outcome, "", "")
    assert went.read.fetch_exception
