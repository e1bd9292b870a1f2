"""HTML output is chapter 18.4: the information of the text, harmless, with links."""

import base64
import hashlib
import re
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html

from output.records import AT, empty_record, full_page, full_record, text
from pubweave.contract.values import MeshTerm, MinedTerm
from pubweave.contract.vocabulary import PartName
from pubweave.core.record import Part, Record
from pubweave.output.formats import FORMATS, DocumentFrame
from pubweave.output.html_escape import escape_attribute, escape_text, is_linked, link, paragraphs
from pubweave.output.publication import Selection
from pubweave.output.text import publication_text


def shown(*records: Record, selection: Selection = Selection()) -> str:  # noqa: B008
    writer = FORMATS["html"](selection)
    pieces = [*writer.begin()]
    for record in records:
        pieces += writer.publication(record)
    return "".join(map(str, [*pieces, *writer.end()]))


def tree(page: str) -> Any:
    return html.document_fromstring(page)


def links(page: str) -> list[str]:
    return [str(one) for one in tree(page).xpath("//main//a/@href")]


def test_escaping_is_that_of_the_specification() -> None:
    """F-CLI-42 and F-CLI-43."""
    assert escape_text('a & b < c > "d"') == 'a &amp; b &lt; c &gt; "d"'
    assert escape_attribute("aZ9 \"'<é\n") == "aZ9&#32;&#34;&#39;&#60;é&#10;"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://loom.example/", True),
        ("HTTP://loom.example", True),
        ("ftp://loom.example/a", True),
        ("javascript:alert(1)", False),
        ("java\tscript:alert(1)", False),
        ("data:text/html,x", False),
        ("mailto:a@b", False),
        ("//loom.example/", False),
        ("https:///path", False),
        ("https://[bad", False),
        (" https://loom.example/", False),
        ("Pubweave 0.1.0", False),
        ("", False),
    ],
)
def test_only_web_addresses_become_links(url: str, expected: bool) -> None:
    """F-HTML-04."""
    assert is_linked(url) == expected
    assert ("<a " in link(url)) == expected


def test_empty_lines_part_paragraphs_and_single_ones_break() -> None:
    """F-HTML-05; all three kinds of line ends."""
    assert paragraphs("a\nb\r\n\r\nc <\n \n\n\nd\n") == "<p>a<br>b</p>\n<p>c &lt;</p>\n<p>d</p>\n"
    assert paragraphs("") == ""


def test_headings_of_a_full_text_are_set_off() -> None:
    """Short paragraphs without a full stop that begin with a capital or a number, and never the last one."""
    text_ = "Introduction\n\nWe weave. Much.\n\n2.1 Warp and weft\n\nlower case\n\n12\n\nThe end"

    assert re.findall(r'class="head">(.*?)</p>', paragraphs(text_, headings=True)) == [
        "Introduction",
        "2.1 Warp and weft",
    ]
    assert "head" not in paragraphs(text_)


def test_the_page_says_what_the_text_says() -> None:
    """F-HTML-01: every content, type, address, time and size, every field and visited site."""
    document = tree(shown(full_record()))
    there = " ".join([document.text_content().replace(",", ""), *document.xpath("//@href | //@title")])
    said = [
        word.strip("()[]*;,")
        for line in publication_text(full_record()).splitlines()
        for word in re.sub(r"^ *[A-Za-z ]+:(?= |$)", "", line).split()
    ]

    assert len(said) > 600
    assert {word for word in said if word.replace(",", "") not in there} == {"preprint-of", "retracted"}
    assert "Preprint of" in there
    assert "Retracted" in there


def test_identifiers_terms_and_addresses_are_links() -> None:
    """F-HTML-01 and F-HTML-06."""
    page = shown(full_record())

    assert {
        "https://www.ncbi.nlm.nih.gov/pubmed/?term=31092905",
        "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC6519000/",
        "https://doi.org/10.5555/LOOM.1",
        "https://www.ncbi.nlm.nih.gov/mesh/?term=%22D013783%22",
        "https://www.ncbi.nlm.nih.gov/mesh/?term=%22Humans%22",
        "http://www.ebi.ac.uk/efo/EFO_0000001",
        "https://loom.example/a",
    } <= set(links(page))
    assert ">Textiles</a>*<" in page
    assert "weaving assay</a> <small>(5)</small>" in page


def test_a_doi_with_odd_characters_leads_where_it_should() -> None:
    """In an address `#` would begin a fragment, `<` must not appear at all."""
    odd = msgspec.structs.replace(full_record(), doi=text("10.5555/A#B<C>?%"))

    assert "https://doi.org/10.5555/A%23B%3CC%3E%3F%25" in links(shown(odd))


@pytest.mark.parametrize("parts", [("pmid", "pmcid", "doi"), ("doi",), ("pmcid", "pmid")])
def test_plain_identifiers_are_a_table(parts: tuple[PartName, ...]) -> None:
    """F-HTML-02: a row each; identifiers that were not chosen leave their cells empty."""
    page = tree(shown(full_record(), empty_record(), selection=Selection(plain=True, parts=parts)))
    rows = [[cell.text_content() for cell in row] for row in page.xpath("//table//tr[td]")]
    first = {"pmid": "31092905", "pmcid": "PMC6519000", "doi": "10.5555/LOOM.1"}

    assert rows[0] == [value if kind in parts else "" for kind, value in first.items()]
    assert len(rows) == 2
    assert len(page.xpath("//table")) == 1
    assert not page.xpath("//article")


def test_lists_of_identifiers_are_the_same_table_when_plain() -> None:
    """F-HTML-02, F-CLI-100; without plain a list with provenance, as links."""
    plain = FORMATS["html"](Selection(plain=True), DocumentFrame(lists=("publicationIds",)))
    full = FORMATS["html"](Selection(), DocumentFrame(lists=("publicationIds", "webpageUrls")))
    table = "".join(map(str, [*plain.begin(), *plain.identifiers(full_record()), *plain.end()]))
    listed = "".join(
        map(
            str,
            [*full.begin(), *full.identifiers(full_record()), *full.address("https://a.example/", "webpage")],
        )
    )

    assert table == shown(full_record(), selection=Selection(plain=True, parts=("pmid", "pmcid", "doi")))
    assert len(tree(listed).xpath("//li")) == 2
    assert "https://www.ebi.ac.uk/europepmc/webservices/rest/search?query=ext_id:31092905" in links(listed)


def test_plain_leaves_the_metadata_out() -> None:
    page = shown(full_record(), selection=Selection(plain=True))

    assert "2018" not in tree(page).xpath("string(//main)")
    assert "Europe PubMed Central" not in page
    assert "We weave." in page


def test_out_part_shows_only_those() -> None:
    page = tree(shown(full_record(), selection=Selection(parts=("mesh",)))).xpath("string(//main)")

    assert "Textiles" in page
    assert "Warp" not in page
    assert "Annals" not in page


def test_a_long_list_is_folded_not_cut() -> None:
    terms = tuple(MinedTerm(term=f"term {n}", count=1, uri="") for n in range(200))
    record = msgspec.structs.replace(
        full_record(), efo=Part(type="europepmc", timestamp=AT, size=200, terms=terms)
    )
    page = tree(shown(record))

    assert len(page.xpath("//li[starts-with(., 'term ')]")) == 200
    assert len(page.xpath("//details//li[starts-with(., 'term ')]")) > 150


def test_pages_tell_their_thirteen_fields() -> None:
    writer = FORMATS["html"](Selection(), DocumentFrame(lists=("webpages",)))
    page = "".join(map(str, [*writer.begin(), *writer.webpage(full_page(), "webpage"), *writer.end()]))
    content = tree(page).xpath("string(//main)")

    for said in ("Loom <beta> & friends", "text/html", "200", "Apache-2.0", "Python, C", "It is free."):
        assert said in content
    assert {"https://www.loom.example/tool?a=1&b=2", "https://loom.example/tool/"} <= set(links(page))


def test_hosts_are_a_table() -> None:
    writer = FORMATS["html"](Selection(), DocumentFrame(lists=("docTopHosts",)))
    page = "".join(map(str, [*writer.begin(), *writer.hosts("doc", [("loom.example", 1200)]), *writer.end()]))

    assert [cell.text_content() for cell in tree(page).xpath("//td")] == ["loom.example", "1,200"]


def test_the_page_is_whole_by_itself() -> None:
    """No address is loaded; style and script are known to the policy by their digests."""
    page = shown(full_record())
    document = tree(page)
    (policy,) = document.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")

    assert not document.xpath("//@src | //link | //iframe | //object | //embed | //@style | //@onclick")
    assert "url(" not in page
    assert policy.startswith("default-src 'none'; ")
    for element in document.xpath("//style | //script"):
        digest = base64.b64encode(hashlib.sha256(element.text.encode()).digest()).decode()

        assert f"'sha256-{digest}'" in policy


hostile = st.text(alphabet=st.sampled_from("<>&\"'/= \n\tab:scriptonimgé\x00\u2028"), max_size=40)


@settings(derandomize=True, deadline=None, max_examples=120)
@given(hostile, hostile, st.booleans())
def test_no_content_makes_an_element_or_an_attribute(content: str, url: str, plain: bool) -> None:
    """F-HTML-03: whatever stands in titles, terms, addresses and pages, the elements are those of harmless ones."""

    def built(content: str, url: str) -> Any:
        record = msgspec.structs.replace(
            full_record(),
            title=text(content or "a", url=url),
            keywords=Part(size=1, words=(content,)),
            mesh=Part(size=1, mesh=(MeshTerm(term=content),)),
            efo=Part(size=1, terms=(MinedTerm(term=content, count=1, uri=url),)),
            journal_title=content or "a",
        )
        return tree(shown(record, selection=Selection(plain=plain)))

    def elements(document: Any) -> list[Any]:
        return [(one.tag, sorted(one.keys())) for one in document.iter() if isinstance(one.tag, str)]

    assert elements(built(content, url)) == elements(built("harmless", ""))
