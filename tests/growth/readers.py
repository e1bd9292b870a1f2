"""The readers of what comes from outside, and texts made to cost them the most: nested, unclosed, crowded, in one piece."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final

from pubweave.core.addresses import identifier_in_link
from pubweave.core.identifiers import identifier_in_text, kind_of
from pubweave.core.reading.cleaning import clean_page
from pubweave.core.reading.jats.plain import articles, parse_xml, read_plain
from pubweave.core.reading.jats.read import read_document
from pubweave.core.reading.layout import formatted_html, text_of_html, without_markup
from pubweave.core.reading.pages import Page, decode_page, judge_page, read_page
from pubweave.core.reading.pdf_text import PdfBlock, PdfPage, text_of_pages
from pubweave.core.reading.pdf_text.metadata import plain as plain_of_pdf
from pubweave.core.reading.rules.loading import RuleFile, load_rules
from pubweave.core.reading.rules.model import RuleBook
from pubweave.doors.fetcher.robots_rules import rules_for
from pubweave.input.identifier_lines import parse
from pubweave.resources.europepmc import reading as europepmc
from pubweave.resources.europepmc_mined import reading as annotations
from pubweave.resources.pubmed_html import reading as pubmed_page
from pubweave.resources.pubmed_xml import reading as pubmed

_URL: Final = "https://www.example.org/a"


def _html(text: str) -> None:
    """The page reader with its verdict, as a fetched page meets them."""
    page = Page(text.encode("utf-8", "replace"), _URL)
    judge_page(page, _URL, expected_doi="10.1/X", expected_title="Of things that are as they are")
    read_page(page, _URL, RuleBook(), "doi")


def _jats(text: str) -> None:
    for article in articles(parse_xml(text.encode("utf-8", "replace"))):
        read_plain(article)
        read_document(article)


def _identifiers(text: str) -> None:
    for kind in ("pmid", "pmcid", "doi"):
        identifier_in_text(kind, text)
    kind_of(text)
    identifier_in_link(text)


def _pdf(text: str) -> None:
    lines = tuple(line for line in text.split("\n") if line.strip()) or ("x",)
    text_of_pages([PdfPage(600, 800, (PdfBlock(50, 50, 550, 750, lines),))] * 2)
    plain_of_pdf(text)


def _in_bytes(read: Callable[[bytes], object]) -> Callable[[str], object]:
    return lambda text: read(text.encode("utf-8", "replace"))


READERS: Final[dict[str, tuple[Callable[[str], object], tuple[tuple[str, str], ...]]]] = {
    "page": (
        _html,
        (
            ("", ""),
            ("<html><body>", ""),
            ("<title>", ""),
            ("<p>", "</p>"),
            ('<meta name="citation_doi" content="', '">'),
        ),
    ),
    "classic cleaner": (
        lambda text: clean_page(Page(text, _URL).tree, "publication", "classic"),
        (("<body>", ""),),
    ),
    "text of HTML": (text_of_html, (("", ""), ("<p>", "</p>"))),
    "formatted HTML": (formatted_html, (("", ""), ("<pre>", "</pre>"))),
    "text with markup": (without_markup, (("", ""),)),
    "JATS": (
        _jats,
        (("<article><body><p>", "</p></body></article>"), ("<article><body>", "</body></article>"), ("", "")),
    ),
    "PubMed XML": (
        _in_bytes(pubmed.read),
        (("<PubmedArticleSet><PubmedArticle>", "</PubmedArticle></PubmedArticleSet>"), ("", "")),
    ),
    "PubMed page": (_in_bytes(pubmed_page.read_page), (("<html>", ""),)),
    "Europe PMC JSON": (_in_bytes(europepmc.read_json), (("", ""), ('{"resultList":{"result":[', "]}}"))),
    "Europe PMC XML": (
        _in_bytes(europepmc.read_xml),
        (("<responseWrapper><result>", "</result></responseWrapper>"),),
    ),
    "Europe PMC text": (europepmc.plain, (("", ""),)),
    "annotations JSON": (_in_bytes(annotations.read_json), (("", ""), ("[", "]"))),
    "annotations XML": (_in_bytes(annotations.read_xml), (("<List>", "</List>"),)),
    "identifiers": (_identifiers, (("", ""), ("pmcid", ""), ("10.1/", ""))),
    "lines of identifiers": (parse, (("", ""), ("pmid", ""))),
    "character set": (_in_bytes(decode_page), (("", "\xff"), ("<meta ", ">"))),
    "robots.txt": (
        _in_bytes(lambda body: rules_for(body, "pubweave")),
        (("User-agent: *\nDisallow: ", "\n"), ("", "\n")),
    ),
    "rules": (lambda text: load_rules([RuleFile("journals", "x.yaml", text)]), (("", ""), ("a: ", ""))),
    "PDF text": (_pdf, (("", ""),)),
}
"""What reads, and what is put around the text so that it gets there."""

HOSTILE: Final = (
    "<div>", "<p>", "<b>", "<table><tr><td>", "</div>", "<a href='x", "<a b='1' ", " a=1", " a", "<span class='x'>a</span>", "<li>a",
    "<sec>", "<sec><title>1</title>", "<xref rid='a'>1</xref>", "&amp;", "&lt;", "&x;", "&#1;", "[", "{", '{"a":', '["a",', "- ", "- - ",
    "*", "$", "<script>", "<!-- ", "<![CDATA[", "<pre>", "<?x ", "<", "<aaaa", "a", " ", "\n", "0", "1.", "IV", "0.142857", "10.",
    "10.1/", "PMC", "pmcid ", ":", "doi:", "@", "a@a.", "a-\n", "word-", "\u00e9", "\u0301", "Disallow: /a\n", "User-agent: a\n",
    "<meta name='citation_title' content='a'>", "<h2>Methods</h2><p>a.</p>", "A. B. 1999, 1-2. ", "<PubmedArticle>", "<Author>",
)  # fmt: skip


def cases() -> Iterator[tuple[str, str, str, str]]:
    """Reader, what stands before, again and again, after."""
    for name, (_, frames) in READERS.items():
        for before, after in frames:
            for again in HOSTILE:
                yield name, before, again, after


def run(name: str, text: str) -> None:
    """Read it; what the reader refuses it may refuse."""
    with suppress(ValueError, RecursionError):
        READERS[name][0](text)
