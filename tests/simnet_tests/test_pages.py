"""Pages and PDFs of the simulated internet are what the universe says they are, read with the product's own readers.

What is held together here: the description (`simnet.replies.pages.said`), the bytes, and the rules for the sites.
"""

from collections import Counter
from collections.abc import Iterator

import pytest

from pubweave.adapters.rule_files import load_rule_book
from pubweave.core.reading.pages import judge_page, read_page
from pubweave.core.reading.rules import RuleBook
from pubweave.doors.pdf_reader.messages import PdfReaderBounds
from simnet.facts import Page, PdfKind, Publication
from simnet.publishers import BY_JAVASCRIPT, BY_KEY, PUBLISHERS, REPOSITORIES
from simnet.replies import pages, pdf
from simnet.replies.layouts import LAYOUTS
from simnet.universe import Universe

HTML = "text/html;charset=UTF-8"
READABLE = ("article", "abstract", "landing")
SOME = 600


@pytest.fixture(scope="module")
def rules() -> RuleBook:
    """Our own rules."""
    return load_rule_book()


def all_pages(universe: Universe, faces: tuple[str, ...]) -> Iterator[tuple[Publication, Page, bool]]:
    """(publication, page, whether its text page is meant), each address once."""
    for index in range(SOME):
        publication = universe.publication(index)
        for page in {one.url: one for one in (*publication.pages.values(), *publication.copies)}.values():
            if page.face in faces:
                yield publication, page, False
                if page.full_url and page.face == "article":
                    yield publication, page, True


def typed(type_: str) -> str:
    return {"page": "doi", "pdf": "pdf_doi"}.get(type_, type_)


def test_pages_say_what_the_description_says(universe: Universe, rules: RuleBook) -> None:
    """Identifiers, parts, links and addresses, each with its type and in order; sites with a layout by their rules."""
    checked: Counter[str] = Counter()
    for publication, page, full in all_pages(universe, READABLE):
        url = page.full_url if full else page.url
        told = pages.said(publication, page, full)
        found = read_page(pages.html(publication, page, full), url, rules, "doi", content_type=HTML)
        ids = [(kind, value.upper(), typed(type_)) for kind, value, type_ in told.ids]
        links = [(address, typed(type_)) for address, type_ in told.links if address.startswith("https://")]
        emails = [author.email for read in found.authors for author in read.authors]

        assert (found.site != "") == told.by_rules, url
        assert [(one.kind, one.value, one.type) for one in found.identifiers] == ids, url
        assert [(one.part, one.type) for one in found.parts] == [
            (one.part, typed(one.type)) for one in told.parts
        ], url
        assert list(dict.fromkeys((one.link.url, one.link.type) for one in found.links)) == list(
            dict.fromkeys(links)
        ), url
        assert emails[:1] == ([told.email] if told.email else []), url
        checked[page.site] += 1

    shown = {page.site for _, page, _ in all_pages(universe, READABLE)}
    assert set(checked) == shown
    assert len(shown & set(LAYOUTS)) >= 30


def test_texts_are_whole(universe: Universe, rules: RuleBook) -> None:
    """The text by rules begins with title and abstract, has its first and last sentence and no references."""
    checked = 0
    for publication, page, full in all_pages(universe, ("article",)):
        if not pages.has_text(page, full) or pages.layout_of(page) is None:
            continue
        url = page.full_url if full else page.url
        found = read_page(pages.html(publication, page, full), url, rules, "doi", content_type=HTML)
        (text,) = [one.content for one in found.parts if one.part == "fulltext"]
        first, last = pages.first_and_last(publication)

        assert isinstance(text, str)
        assert pages.LEFT_OUT not in text, url
        assert " ".join(first.split()) in " ".join(text.split()), url
        assert " ".join(last.split()) in " ".join(text.split()), url
        assert len(text) >= pages.TEXT_SIZE, url
        checked += 1

    assert checked >= 100


def test_pages_are_judged_as_what_they_are(universe: Universe) -> None:
    """Articles as articles, abstracts as abstracts, every wall as a wall; never a wall as content."""
    expected = {
        "login": {"login"},
        "consent": {"consent-wall"},
        "bot": {"bot-wall"},
        "soft-404": {"soft-404"},
        "other": {"landing"},
        "script": {"landing"},
        "landing": {"landing"},
    }
    faces = (*READABLE, "login", "consent", "bot", "soft-404", "other", "script")
    for publication, page, full in all_pages(universe, faces):
        url = page.full_url if full else page.url
        readable = page.face in READABLE
        status, body = (
            (200, pages.html(publication, page, full)) if readable else pages.wall(publication, page)
        )
        asked = page.also or page.ids.doi or publication.ids.doi
        verdict = judge_page(body, url, status=status, content_type=HTML, expected_doi=asked.upper())
        wanted = expected.get(page.face, set())
        if readable and pages.has_text(page, full):
            wanted = {"article"}
        elif not wanted:
            wanted = {"abstract-only"} if page.abstract in ("long", "huge") else {"landing", "abstract-only"}

        assert verdict.kind in wanted, (url, page.face, verdict)
        assert verdict.is_other == (page.face in ("other", "script")), (url, verdict)


@pytest.mark.parametrize("key", [publisher.key for publisher in PUBLISHERS])
def test_a_site_has_a_layout_where_there_are_rules(key: str, rules: RuleBook) -> None:
    """What is read by rules has the site's own markup, and the other way round."""
    publisher = BY_KEY[key]
    doi = publisher.doi.format(n="00000004", year=2020)
    url = f"https://{publisher.host}{publisher.page.format(doi=doi, n='00000004', year=2020)}"

    assert (rules.site_for(url).site is not None) == (key in LAYOUTS)
    assert (rules.wants_javascript(url) is not None) == (key in BY_JAVASCRIPT)


def test_repositories_have_no_rules(rules: RuleBook) -> None:
    """They are read by their meta tags alone."""
    for repository in REPOSITORIES:
        assert rules.site_for(f"https://{repository.host}{repository.page.format(n='00000004')}").site is None


@pytest.mark.parametrize(
    ("kind", "reason"),
    [("text", "read"), ("scanned", "no-text-layer"), ("locked", "needs-password"), ("login", "not-a-pdf")],
)
def test_pdfs_are_what_they_are_called(universe: Universe, kind: PdfKind, reason: str) -> None:
    """Text with its metadata in order; no text layer; a password; no PDF."""
    opening = pytest.importorskip("pubweave.doors.pdf_reader.opening")
    bounds = PdfReaderBounds(max_text_characters=10**6, max_pages=100, memory_mb=512, cpu_s=10)
    for index in range(12):
        publication = universe.publication(index)
        reading = opening.read_pdf(pdf.of(publication, kind)[1], bounds)

        assert reason == reading.reason, index
        if kind == "text":
            told = pdf.information(publication)
            text = " ".join(reading.text.split())
            sentences = [sentence for paragraph in pdf.sentences_of(publication) for sentence in paragraph]
            assert told.get("Title", "") == reading.metadata.title
            assert [one for one in sentences if " ".join(one.split()) not in text] == []


def test_broken_pdfs_are_malformed(universe: Universe) -> None:
    """Neither text nor an exception comes out."""
    opening = pytest.importorskip("pubweave.doors.pdf_reader.opening")
    bounds = PdfReaderBounds(max_text_characters=10**6, max_pages=100, memory_mb=512, cpu_s=10)
    reading = opening.read_pdf(pdf.of(universe.publication(0), "broken")[1], bounds)

    assert (reading.outcome, reading.text) == ("malformed", "")
