"""Meta tags: seven vocabularies, their types, separators and exceptions (chapter 11)."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from pubweave.contract.vocabulary import TypeName
from pubweave.core.reading.layout import without_markup
from pubweave.core.reading.meta_tags import MetaTags, read_meta_tags

URL = "https://journal.example.org/a/1"


def read(html: str, url: str = URL, page_type: TypeName = "doi") -> list[tuple[str, tuple[str, ...], str]]:
    tags = MetaTags(LexborHTMLParser(html))
    return [(found.value, found.content, found.type) for found in read_meta_tags(tags, url, page_type)]


def meta(name: str, content: str, attribute: str = "name") -> str:
    return f'<meta {attribute}="{name}" content="{content}">'


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("citation_pmid", "12345", ("pmid", ("12345",), "citation")),
        ("citation_pmcid", "PMC12345", ("pmcid", ("PMC12345",), "citation")),
        ("citation_doi", "doi:10.1000/x1", ("doi", ("10.1000/X1",), "citation")),
        ("citation_title", "A title", ("title", ("A title",), "citation")),
        ("citation_keywords", "a; b, c | d", ("keywords", ("a", "b", "c", "d"), "citation")),
        ("citation_keyword", "a", ("keywords", ("a",), "citation")),
        ("citation_abstract", "Text", ("abstract", ("Text",), "citation")),
        ("citation_fulltext_html_url", "/full", ("page_link", ("/full",), "link_citation")),
        ("citation_full_html_url", "/full", ("page_link", ("/full",), "link_citation")),
        ("citation_pdf_url", "/x.pdf", ("pdf_link", ("/x.pdf",), "pdf_citation")),
        ("citation_author_email", "a@b.example", ("email", ("a@b.example",), "citation")),
        ("eprints.pubmed_id", "7", ("pmid", ("7",), "eprints")),
        ("eprints.title", "T", ("title", ("T",), "eprints")),
        ("eprints.keywords", "a,b", ("keywords", ("a", "b"), "eprints")),
        ("eprints.abstract", "Text", ("abstract", ("Text",), "eprints")),
        ("eprints.document_url", "/d", ("page_link", ("/d",), "link_eprints")),
        ("bepress_citation_doi", "10.1000/y", ("doi", ("10.1000/Y",), "bepress")),
        ("bepress_citation_title", "T", ("title", ("T",), "bepress")),
        ("bepress_citation_pdf_url", "/b.pdf", ("pdf_link", ("/b.pdf",), "pdf_bepress")),
        ("DC.Identifier", "https://doi.org/10.1000/z", ("doi", ("10.1000/Z",), "dc")),
        ("dc.identifier.DOI", "10.1000/z", ("doi", ("10.1000/Z",), "dc")),
        ("dc:doi", "10.1000/z", ("doi", ("10.1000/Z",), "dc")),
        ("dc.Title", "T", ("title", ("T",), "dc")),
        ("DC.subject", "a;b", ("keywords", ("a", "b"), "dc")),
        ("dc.description", "Text", ("abstract", ("Text",), "dc")),
        ("dc.description.abstract", "Text", ("abstract", ("Text",), "dc")),
        ("og:title", "T", ("title", ("T",), "og")),
        ("og.description", "Text", ("abstract", ("Text",), "og")),
        ("twitter:title", "T", ("title", ("T",), "twitter")),
        ("twitter:description", "Text", ("abstract", ("Text",), "twitter")),
        ("doi", "10.1000/m", ("doi", ("10.1000/M",), "meta")),
        ("title", "T", ("title", ("T",), "meta")),
        ("Keywords", "a", ("keywords", ("a",), "meta")),
        ("description", "Text", ("abstract", ("Text",), "meta")),
        ("meta.description", "Text", ("abstract", ("Text",), "meta")),
        ("abstract", "Text", ("abstract", ("Text",), "meta")),
        ("fulltext_html", "/f", ("page_link", ("/f",), "link_meta")),
        ("fulltext_pdf", "/f.pdf", ("pdf_link", ("/f.pdf",), "pdf_meta")),
    ],
)
@pytest.mark.parametrize("attribute", ["name", "property"])
def test_each_tag_gives_its_value_with_its_type(
    name: str, content: str, expected: tuple[str, tuple[str, ...], str], attribute: str
) -> None:
    """In `name` or `property`, in any case, with dots or colons."""
    assert read(meta(name, content, attribute)) == [expected]


def test_vocabularies_come_in_order_identifiers_of_all_first() -> None:
    """The order of the tags on the page does not matter."""
    html = meta("title", "m") + meta("og:title", "o") + meta("doi", "10.1/m") + meta("citation_title", "c")

    assert [(value, type_) for value, _, type_ in read(html)] == [
        ("doi", "meta"),
        ("title", "citation"),
        ("title", "og"),
        ("title", "meta"),
    ]


def test_the_type_is_the_worse_of_vocabulary_and_page() -> None:
    """A tag on a page reached by a meta link is no better than that link."""
    html = meta("citation_title", "c") + meta("citation_pdf_url", "/x.pdf") + meta("og:title", "o")

    assert [type_ for _, _, type_ in read(html, page_type="link_meta")] == [
        "link_meta",
        "pdf_citation",
        "link_meta",
    ]
    assert next(type_ for _, _, type_ in read(html, page_type="link_citation")) == "link_citation"


@pytest.mark.parametrize(
    ("url", "name", "taken"),
    [
        ("https://genomebiology.biomedcentral.com/a", "dc.subject", False),
        ("https://biomedcentral.com.example/a", "dc.subject", True),
        ("https://genomebiology.biomedcentral.com/a", "citation_keywords", True),
        ("https://www.nature.com/a", "dc.description", False),
        ("https://www.nature.com/a", "og:description", False),
        ("https://www.nature.com/a", "twitter:description", False),
        ("https://nature.com/a", "description", False),
        ("https://www.nature.com/a", "citation_abstract", True),
        ("https://blogs.nature.com/a", "description", True),
        ("https://science.sciencemag.org/a", "dc.description", False),
        ("https://science.sciencemag.org/a", "og:description", False),
        ("https://science.sciencemag.org/a", "description", True),
        ("https://febs.onlinelibrary.wiley.com/a", "og:description", False),
        ("https://febs.onlinelibrary.wiley.com/a", "dc.description", True),
        ("https://citeseerx.ist.example.edu/a", "keywords", False),
        ("https://citeseerx.ist.example.edu/a", "description", True),
    ],
)
def test_tags_known_to_be_wrong_are_not_taken(url: str, name: str, taken: bool) -> None:
    """The exceptions hold by the host of the final address only."""
    assert bool(read(meta(name, "some text"), url)) is taken


def test_no_keywords_from_pages_found_by_unpaywall() -> None:
    """They are often a repository's own."""
    html = meta("citation_keywords", "a, b") + meta("citation_title", "T")

    assert [value for value, _, _ in read(html, page_type="link_oadoi")] == ["title"]


@pytest.mark.parametrize(
    ("site", "keywords", "taken"),
    [
        # The publisher's name is no keyword of an article: the list is the same on all its pages.
        (meta("citation_publisher", "Science for All"), "open access, science for all, biology", False),
        (meta("DC.publisher", "Science for All"), "Science-for-All,Medicine", False),
        # Nothing but the journal's name.
        (meta("citation_journal_title", "Journal of Widgets"), "journal of widgets", False),
        (
            meta("citation_journal_title", "Journal of Widgets") + meta("og:site_name", "JWidgets"),
            "JWidgets, Journal of Widgets",
            False,
        ),
        # An article about what its journal is called after.
        (meta("citation_journal_title", "Gene Therapy"), "gene therapy, vectors", True),
        (meta("citation_publisher", "Science for All"), "science, all", True),
        ("", "anything", True),
    ],
)
def test_keywords_of_the_site_are_none_of_the_article(site: str, keywords: str, taken: bool) -> None:
    """Generic `keywords` only; other vocabularies are about the article."""
    found = [value for value, _, _ in read(site + meta("keywords", keywords))]

    assert ("keywords" in found) is taken
    assert "keywords" in [value for value, _, _ in read(site + meta("citation_keywords", keywords))]


def test_a_description_that_repeats_the_title_is_no_abstract() -> None:
    """In whatever vocabulary; another description beside it counts."""
    title = meta("citation_title", "Folding of &lt;i&gt;widgets&lt;/i&gt;")
    html = title + meta("dc.description", "Folding of widgets.") + meta("description", "We folded.")

    assert [found for found in read(html) if found[0] == "abstract"] == [
        ("abstract", ("We folded.",), "meta")
    ]


def test_several_abstracts_are_joined_and_repeats_are_not() -> None:
    """An empty line stands between them; the same text twice is one text."""
    html = (
        meta("dc.description", "One.")
        + meta("dc.description", "Two.")
        + meta("dc.description.abstract", "One.")
    )

    assert read(html) == [("abstract", ("One.\n\nTwo.",), "dc")]


def test_an_identifier_that_is_none_is_passed_over() -> None:
    """`dc.identifier` often holds something else; the next tag that has a DOI counts."""
    html = meta("dc.identifier", "oai:example:1") + meta("dc.identifier", "doi:10.1000/q")

    assert read(html) == [("doi", ("10.1000/Q",), "dc")]


def test_empty_values_are_nothing() -> None:
    """A tag without a value gives nothing."""
    assert read(meta("citation_title", "  ") + '<meta name="citation_doi">') == []


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("On <i>E. coli</i> and H<sub>2</sub>O", "On E. coli and H2O"),
        ("On &lt;i&gt;E. coli&lt;/i&gt;", "On E. coli"),
        ("AT&amp;T at p &lt; 0.05", "AT&T at p < 0.05"),
        ("a < b and c > d", "a < b and c > d"),
        ("if x<y then z>y", "if x<y then z>y"),
        ("<jats:p>One.</jats:p><jats:p>Two.</jats:p>", "One. Two."),
        ('<p class="x">A</p><p>B</p>', "A B"),
    ],
)
def test_markup_in_values_is_stripped_and_text_is_not(value: str, text: str) -> None:
    """Tags as letters go, also when escaped twice; signs of comparison stay."""
    assert without_markup(value) == text


def test_the_longest_description_is_the_description() -> None:
    """Of several descriptions the longest counts (F-CLN-13)."""
    html = (
        meta("description", "short")
        + meta("og:description", "the longer one")
        + meta("twitter:description", "mid")
    )

    assert MetaTags(LexborHTMLParser(html)).description() == "the longer one"
