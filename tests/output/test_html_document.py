"""Full texts from JATS on HTML pages: sections, lists, figures and tables as the article has them."""

import re
from typing import Any, Final

import msgspec
import pytest
from lxml import html

from output.records import full_record, text
from pubweave.contract.vocabulary import PartName
from pubweave.core.reading.jats.document import Document
from pubweave.core.reading.jats.plain import articles, parse_xml, read_plain
from pubweave.core.reading.jats.read import read_document
from pubweave.output.formats import FORMATS
from pubweave.output.html_document import document_html, shown_sections
from pubweave.output.publication import Envelope, Selection
from shared_data import SHARED_DATA, needs_shared_data

ARTICLE: Final = b"""<article><front><article-meta>
<title-group><article-title>On looms</article-title></title-group>
<abstract><sec><title>Aim</title><p>Abstracted aim.</p></sec></abstract>
<abstract abstract-type="graphical"><p>A drawing of it.</p></abstract>
</article-meta></front><body>
<sec><label>1</label><title>Warp &lt;b&gt;</title><p>Threads<sup><xref ref-type="bibr" rid="r1">7</xref></sup> run. See
https://loom.example/a?b=1&amp;c=2.</p>
  <sec><title>Tension</title><list><list-item><p>first thing</p></list-item><list-item><p>second thing</p></list-item></list>
  <disp-quote><p>Weave well.</p><attrib>A weaver</attrib></disp-quote>
  <p>It is <inline-formula><tex-math>T = k x</tex-math></inline-formula> here.</p></sec></sec>
<sec><title>Weft</title><fig id="f1"><label>Figure 1</label><caption><p>A shuttle.</p></caption><graphic href="x"/>
<attrib>Drawn by hand</attrib></fig>
<table-wrap id="t1"><label>Table 1</label><caption><p>Counts.</p></caption>
<table><thead><tr><th>yarn</th><th>ends</th></tr></thead><tbody><tr><td>wool</td><td>12</td></tr></tbody></table>
<table-wrap-foot><p>Per inch.</p></table-wrap-foot></table-wrap></sec>
</body><back><ack><title>Thanks</title><p>We thank nobody.</p></ack>
<app-group><app><title>Extra</title><sec><title>Inside</title><p>Appended words.</p></sec></app></app-group>
<sec><title>Notes on data</title><p>Data lie open.</p></sec>
<ref-list><ref id="r1"><mixed-citation>Someone 1999</mixed-citation></ref></ref-list></back></article>"""


def document(xml: bytes = ARTICLE) -> Document:
    return read_document(next(iter(articles(parse_xml(xml)))))


def shown(made: Document | None, *, plain: bool = False, parts: tuple[PartName, ...] = ()) -> str:
    writer = FORMATS["html"](Selection(plain=plain, parts=parts))
    record = msgspec.structs.replace(full_record(), fulltext=text("As plain text.", "europepmc_xml"))
    pieces = [*writer.begin(), *writer.publication(record, Envelope(document=made)), *writer.end()]
    return "".join(map(str, pieces))


def tree(page: str) -> Any:
    return html.document_fromstring(page)


def words(element: Any) -> str:
    return " ".join(" ".join(element.itertext()).split())


def test_sections_have_their_headings_and_a_tree_of_them() -> None:
    """Levels below the part's own heading; every link of the tree leads to the heading of its name."""
    page = tree(shown(document()))
    headings = [
        (one.tag, one.text_content()) for one in page.xpath("//main//*[self::h4 or self::h5 or self::h6]")
    ]
    led = {
        one.text_content(): page.xpath("//*[@id=$id]", id=one.get("href")[1:])[0].text_content()
        for one in page.xpath("//nav[@class='tree']//a")
    }

    assert headings == [
        ("h4", "1 Warp <b>"), ("h5", "Tension"), ("h4", "Weft"), ("h4", "Notes on data"),
    ]  # fmt: skip
    assert led == {name: name for _, name in headings}
    assert page.xpath("count(//nav[@class='tree']/ol/li)") == 3
    assert page.xpath("string(//nav[@class='tree']/ol/li[1]/ol)") == "Tension"


def test_lists_quotes_figures_and_tables_are_what_they_are() -> None:
    page = tree(shown(document()))

    assert [one.text_content() for one in page.xpath("//section//ul/li")][-2:] == [
        "first thing",
        "second thing",
    ]
    assert words(page.xpath("//blockquote")[0]) == "Weave well. A weaver"
    figure, table = page.xpath("//figure")
    assert words(figure) == "Figure 1 A shuttle. Drawn by hand"
    assert words(table.xpath("figcaption")[0]) == "Table 1 Counts."
    assert [[cell.text for cell in row] for row in table.xpath(".//tr")] == [["yarn", "ends"], ["wool", "12"]]
    assert [one.tag for one in table.xpath(".//tr[1]/*")] == ["th", "th"]
    assert words(table).endswith("Per inch.")


def test_what_was_taken_out_of_texts_stands_where_it_was() -> None:
    """Formulae and citations in superscript; addresses are links without the full stop after them."""
    page = tree(shown(document()))

    assert "Threads7 run." in page.text_content()
    assert page.xpath("string(//sup)") == "7"
    assert words(page.xpath("//p[span[@class='formula inline']]")[0]) == "It is T = k x here."
    assert "https://loom.example/a?b=1&c=2" in page.xpath("//section//p/a/@href")


def test_what_a_full_text_leaves_out_is_left_out() -> None:
    """F-PT-09: references, acknowledgements, appendices with all below them; and what the page has elsewhere."""
    page = shown(document())

    for absent in ("thank nobody", "Appended", "Inside", "Someone 1999", "Abstracted", "drawing", "As plain"):
        assert absent not in page
    alone = shown(document(), parts=("fulltext",))
    assert "On looms" in alone
    assert "Abstracted aim." in alone
    assert "drawing" not in alone


@pytest.mark.parametrize("made", [None, document(b"<article><body><p></p></body></article>")])
def test_without_a_document_the_plain_text_is_shown(made: Document | None) -> None:
    """Also where there is nothing in it."""
    assert "As plain text." in shown(made)


def test_plain_stays_plain() -> None:
    """`--plain`: the text as it is, and nobody loads the document."""
    page = shown(document(), plain=True, parts=("fulltext",))
    structured = msgspec.structs.replace(full_record().fulltext, structured=msgspec.UNSET)
    record = msgspec.structs.replace(full_record(), fulltext=structured)
    wanting = [
        FORMATS[name](selection).wants_document(record)
        for name, selection in (
            ("html", Selection()),
            ("html", Selection(parts=("fulltext",))),
            ("html", Selection(plain=True)),
            ("html", Selection(parts=("title",))),
            ("text", Selection()),
            ("json", Selection()),
        )
    ]

    assert "As plain text." in page
    assert "<h4" not in page
    assert wanting == [True, True, False, False, False, False]
    assert not FORMATS["html"](Selection()).wants_document(full_record())


@needs_shared_data
def test_the_words_of_real_full_texts_are_all_there() -> None:
    """F-HTML-01: what the plain text says the sections say; formulae and marks may be written otherwise."""
    assert SHARED_DATA is not None
    letters = re.compile(r"[^\W\d_]{4,}")
    told = lost = 0
    for path in sorted((SHARED_DATA / "europepmc-fulltext").glob("PMC*.xml"))[:40]:
        article = next(iter(articles(parse_xml(path.read_bytes()))))
        made = read_document(article)
        page = document_html(shown_sections(made, with_title=False, with_abstract=False), made, 1)
        there = set(letters.findall(words(html.fromstring(f"<div>{page}</div>"))))
        wanted = letters.findall(read_plain(article).body)
        told += len(wanted)
        lost += sum(word not in there for word in wanted)

    assert told > 50_000
    assert lost / told < 0.0001


def test_supplementary_material_is_shown_once_with_its_label() -> None:
    """Its `text` begins with a copy of label and caption, which are not shown twice; other abstracts are left out."""
    made = document(
        b"<article><front><article-meta><abstract abstract-type='teaser'><p>Look!</p></abstract><abstract><p>Own.</p></abstract>"
        b"</article-meta></front><body><sec><title>S</title><supplementary-material><label>File 1</label><caption><p>All.</p>"
        b"</caption><note>Ask us.</note></supplementary-material></sec></body></article>"
    )
    sections = shown_sections(made, with_title=True, with_abstract=True)
    page = document_html(sections, made, 1)

    assert "<p><b>File 1</b> All. Ask us.</p>" in page
    assert ("Own." in page, "Look!" in page) == (True, False)
