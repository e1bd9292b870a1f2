"""`pubweave page` and `pubweave doc`: pages from addresses (T-070, T-086, T-107)."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import pubweave.output
from pubweave.cli.addresses import problem_of
from services.cli.conftest import Cli
from services.doors.pdf_reader.pdfs import pages_of
from webpages.site import Answer, Got, Said, Site, html, running_site

SCHEMA = json.loads((Path(pubweave.output.__file__).parent / "schemas" / "webpages.schema.json").read_text())


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A site on loopback that the commands may ask."""
    monkeypatch.setenv("PUBWEAVE_ALLOW_ADDRESSES", "127.0.0.0/8")
    with running_site() as site:
        yield site


def read(out: str) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(out)
    assert list(jsonschema.Draft202012Validator(SCHEMA).iter_errors(told)) == []
    return told


# page


def test_pages_come_out_in_the_order_of_the_input(cli: Cli, site: Site) -> None:
    """As often as they were given, as specified JSON (T-107)."""
    site.pages |= {"/a": html("A"), "/b": html("B")}
    urls = [f"{site.url}/{name}" for name in ("b", "a", "b")]
    ran = cli("page", *urls, "--format", "json")

    assert ran.status == 0
    assert [page["startUrl"] for page in read(ran.out)["webpages"]] == urls
    assert [page["title"] for page in read(ran.out)["webpages"]] == ["B", "A", "B"]
    assert (site.asked("/a"), site.asked("/b")) == (1, 1)
    assert "3 pages in" in ran.err


def test_docs_are_docs(cli: Cli, site: Site) -> None:
    """`--doc`: another list, another store."""
    site.pages["/manual"] = html("Manual")
    ran = cli("page", "--doc", f"{site.url}/manual", "--format", "json", "--plain")

    assert [list(page) for page in read(ran.out)["docs"]] == [["startUrl", "title", "content"]]
    assert "webpages" not in read(ran.out)
    assert cli("db", "size", "pubweave.db", "--docs").out == "1\n"
    assert cli("db", "size", "pubweave.db", "--webpages").out == "0\n"


def test_addresses_come_from_files_and_pipes(
    cli: Cli, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Comments, empty lines, CRLF and a byte order mark are nothing to worry about; a # in an address is its own."""
    site.pages["/a"] = html("A")
    file = tmp_path / "urls.txt"
    file.write_bytes(f"\ufeff# tools\r\n\r\n  {site.url}/a#part  \r\n{site.url}/a # the same\r\n".encode())
    ran = cli("page", "--urls", file, "--format", "jsonl", "--plain")

    found = sorted(json.loads(line)["startUrl"] for line in ran.out.splitlines())
    assert ran.status == 0
    assert found == [f"{site.url}/a", f"{site.url}/a#part"]


def test_a_page_that_could_not_be_read_is_named(cli: Cli, site: Site) -> None:
    """Exit status 1; its record says the status all the same (T-069)."""
    site.pages["/a"] = html("A")
    ran = cli("page", f"{site.url}/a", f"{site.url}/gone", "--format", "json", "--quiet")
    good, gone = read(ran.out)["webpages"]

    assert ran.status == 1
    assert (good["broken"], gone["broken"], gone["statusCode"]) == (False, True, 404)
    assert ran.err == f"pubweave: {site.url}/gone: absent: HTTP 404\n"


def hung_up(_: Got) -> Said:
    raise ConnectionResetError


NO_PAGES: dict[str, Answer] = {
    "blocked": Said(b"<title>Just a moment...</title><div id='cf-challenge'></div>"),
    "wrong-type": Said(b"\x89PNG\r\n\x1a\n", content_type="image/png"),
    "malformed": Said(b"<p>broken</p>", headers=(("Content-Encoding", "gzip"),)),
    "reset": hung_up,
}


@pytest.mark.parametrize("outcome", NO_PAGES)
def test_what_is_no_page_ends_with_status_1(outcome: str, cli: Cli, site: Site) -> None:
    """And is named with its outcome, beside a page that came."""
    site.pages |= {"/a": html("A"), "/b": NO_PAGES[outcome]}
    ran = cli("page", f"{site.url}/a", f"{site.url}/b", "--quiet")

    assert ran.status == 1
    assert f"/b: {outcome}" in ran.err
    assert "/a: " not in ran.err


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("tool.example/x", "did you mean https://tool.example/x?"),
        ("https://a b", "holds a space"),
        ("http://[bad", "no web address"),
        ("31092905", "they begin with https://"),
        ("file:///etc/passwd", "they begin with https://"),
        ("https://", "they begin with https://"),
        ("", "it is empty"),
    ],
)
def test_lines_that_are_no_addresses_are_named(line: str, words: str) -> None:
    """Each with what to do."""
    assert words in problem_of(line)


@pytest.mark.parametrize(
    "url", ["https://a.example", "HTTP://A.example/%20?x#y", "ftp://a.example/b.pdf", "http://ä.example/ö"]
)
def test_addresses_are_taken_as_they_are(url: str) -> None:
    """A start address is an identifier; nobody tidies it."""
    assert problem_of(url) == ""


def test_bad_lines_are_left_out_and_the_rest_is_fetched(cli: Cli, site: Site, tmp_path: Path) -> None:
    """Exit status 2 at the end, the line named."""
    site.pages["/a"] = html("A")
    file = tmp_path / "urls.txt"
    file.write_text(f"nonsense\n{site.url}/a\n")
    ran = cli("page", "--urls", file, "--plain")

    assert ran.status == 2
    assert f"{file} line 1: 'nonsense' is no web address" in ran.err
    assert ran.out.startswith(f"{site.url}/a\n\nA\n\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "give addresses"),
        (("nonsense",), "there is no address"),
        (("--urls", "not-there.txt"), "does not exist"),
        (("https://a.example", "--format", "jsn"), "did you mean"),
        (("https://a.example", "--timeout", "-5"), "timeout"),
        (("--urls", "-", "--urls", "-"), "read once"),
        (("https://a.example", "--deadline", "2020-01-01T00:00:00Z"), "has passed already"),
    ],
)
def test_mistakes_are_one_sentence(cli: Cli, arguments: tuple[str, ...], words: str) -> None:
    """Exit status 2, nothing on standard output, no database made."""
    ran = cli("page", *arguments)

    assert (ran.status, ran.out) == (2, "")
    assert words in ran.err
    assert not Path("pubweave.db").exists()


def test_rules_of_ones_own_read_pages(cli: Cli, site: Site, tmp_path: Path) -> None:
    """T-070: `content: ''` gives nothing, without the key the page is cleaned."""
    site.pages |= {"/empty": html("E"), "/clean": html("C")}
    file = tmp_path / "webpages.yaml"
    file.write_text(
        "'^http://127.0.0.1.*/empty':\n  content: ''\n'^http://127.0.0.1.*/clean':\n  license: i\n"
    )
    ran = cli("page", f"{site.url}/empty", f"{site.url}/clean", "--webpages-yaml", file, "--format", "json")
    empty, clean = read(ran.out)["webpages"]

    assert (empty["title"], empty["content"]) == ("E", "")
    assert clean["content"].startswith("Sentence 0")


def test_a_file_is_there_whole_or_not_at_all(cli: Cli, site: Site) -> None:
    """`--out`, the format by its name."""
    site.pages["/a"] = html("A")
    ran = cli("page", f"{site.url}/a", "--out", "pages.json")

    assert (ran.status, ran.out) == (0, "")
    assert read(Path("pages.json").read_text())["webpages"][0]["title"] == "A"


def test_an_exchange_that_was_recorded_is_read_without_the_site(cli: Cli, site: Site) -> None:
    """The same page from the recording, to the byte."""
    site.pages["/a"] = html("A")
    first = cli("page", f"{site.url}/a", "--record", "warc", "--db", "one.db", "--plain")
    asked = len(site.got)
    again = cli("page", f"{site.url}/a", "--replay", "warc", "--db", "two.db", "--plain")

    assert (first.status, again.status, again.out) == (0, 0, first.out)
    assert len(site.got) == asked


def test_the_numbers_of_pages_add_up(cli: Cli, site: Site) -> None:
    """`pubweave status` counts pages, lines and questions."""
    site.pages["/a"] = html("A")
    cli("page", f"{site.url}/a", f"{site.url}/gone", "-q")
    told = json.loads(cli("status", "--format", "json").out)

    assert (told["webpages"], told["docs"], told["submissions"]) == (2, 0, {"finished": 2})
    assert told["needs"]["webpages"] == {"sent": 2, "found": 1, "absent": 1}
    assert told["reconciled"]
    assert "2 web pages" in cli("status").out


# doc (T-086)


def test_a_document_is_printed_as_it_comes(cli: Cli, site: Site) -> None:
    """F-CLI-28: HTML, in UTF-8 whatever it came in."""
    site.pages["/old"] = Said("<p>Zürich</p>".encode("latin-1"), 200, "text/html; charset=iso-8859-1")
    ran = cli("doc", "get", f"{site.url}/old")

    assert (ran.status, ran.out) == (0, "<p>Zürich</p>")
    assert not Path("pubweave.db").exists()


def test_a_document_that_is_not_there_is_a_sentence(cli: Cli, site: Site) -> None:
    """Exit status 1; the page of the error is no document."""
    ran = cli("doc", "get", f"{site.url}/gone")

    assert (ran.status, ran.out) == (1, "")
    assert f"pubweave: {site.url}/gone: absent: HTTP 404\n" in ran.err


def test_a_pdf_is_no_text(cli: Cli, site: Site) -> None:
    """F-NET-08: no PDF support for one-off documents; the sentence says who has it."""
    site.pages["/a.pdf"] = Said(b"%PDF-1.7\0", 200, "application/pdf")
    ran = cli("doc", "get", f"{site.url}/a.pdf")

    assert (ran.status, ran.out) == (1, "")
    assert "application/pdf; pubweave page reads PDFs" in ran.err


def test_pairs_are_posted(cli: Cli, site: Site) -> None:
    """F-CLI-30: a last name without a value gets an empty one; the answer is printed raw."""
    site.pages["/echo"] = lambda got: Said(
        b"[" + got.method.encode() + b" " + got.body + b"]", 200, "text/plain"
    )
    ran = cli("doc", "post", f"{site.url}/echo", "query=a b&c", "format=", "last")

    assert (ran.status, ran.out) == (0, "[POST query=a+b%26c&format=&last=]")


def test_a_page_is_read_by_selectors_given_by_hand(cli: Cli, site: Site) -> None:
    """F-CLI-31, A-29: rules from files are ignored; JSON has it among `webpages`."""
    site.pages["/a"] = html("Page", "x " * 200 + "<i>one</i><i>two</i>", "<h2>Heading</h2>")
    ran = cli("doc", "select", f"{site.url}/a", "--title", "h2", "--content", "i", "--format", "json")
    (page,) = read(ran.out)["webpages"]

    assert ran.status == 0
    assert (page["title"], page["content"]) == ("Heading", "one\n\ntwo")


def test_without_selectors_the_page_speaks_for_itself(cli: Cli, site: Site) -> None:
    """Empty title selector: `<title>`; empty content selector: the cleaned page."""
    site.pages["/a"] = html("Page")
    ran = cli("doc", "select", f"{site.url}/a", "--plain", "--javascript", "false")

    assert ran.out.startswith(f"{site.url}/a\n\nPage\n\nSentence 0 about")


def test_a_pdf_can_be_selected_from_too(cli: Cli, site: Site) -> None:
    """F-CLI-31: also PDF; its text is the content."""
    site.pages["/a.pdf"] = Said(pages_of(["All of the text."], title="Manual"), 200, "application/pdf")
    ran = cli("doc", "select", f"{site.url}/a.pdf", "--content", "h1", "--plain")

    assert ran.out == f"{site.url}/a.pdf\n\nManual\n\nAll of the text.\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("get", "nonsense"), "no web address"),
        (("post", "https://a.example", "=x"), "a pair has no name"),
        (("select", "https://a.example", "--title", "b["), "never closed"),
        (("select", "https://a.example", "--javascript", "maybe"), "true, false or auto"),
    ],
)
def test_mistakes_about_documents_are_one_sentence(cli: Cli, arguments: tuple[str, ...], words: str) -> None:
    """Before anything is asked."""
    ran = cli("doc", *arguments)

    assert (ran.status, ran.out) == (2, "")
    assert words in ran.err


def test_a_form_is_answered_by_what_was_posted(cli: Cli, site: Site) -> None:
    """The site sees one POST, and nothing else but robots.txt."""
    site.pages["/echo"] = Said(b"ok", 200, "text/plain")
    cli("doc", "post", f"{site.url}/echo", "a=1")

    assert [one for one in site.got if one.path != "/robots.txt"] == [Got("POST", "/echo", b"a=1")]
