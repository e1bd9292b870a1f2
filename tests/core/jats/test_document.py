"""The document, row by row of the specification (B-10…B-64): a small article for each."""

import pytest

from core.jats.making import MML, article, body, contents, document, outline, plain, read
from pubweave.core.reading.jats.document import Content, Document
from pubweave.core.reading.jats.plain import articles, parse_xml
from pubweave.core.reading.jats.read import read_document
from pubweave.core.reading.jats.sections import all_sections
from shared_data import needs_shared_data, shared_data

AUTHOR = (
    "<contrib-group><contrib contrib-type='author'><name><surname>Noun</surname><given-names>Ann Mary</given-names></name>"
    "<xref ref-type='aff' rid='a1'>1</xref></contrib><contrib contrib-type='editor'><name><surname>Ed</surname>"
    "<given-names>I.</given-names></name></contrib></contrib-group><aff id='a1'><label>1</label>Uni, Town</aff>"
)


def test_b10_identifiers_and_journal() -> None:
    """B-10, A-32: `_id` is the numeric part, `pmcid` has the prefix; journal, issue, volume, pages, medline_ta."""
    found = plain(
        document(
            journal="<journal-id journal-id-type='publisher-id'>x</journal-id><journal-id journal-id-type='nlm-ta'>J Test"
            "</journal-id><journal-title-group><journal-title>Journal of Tests</journal-title></journal-title-group>",
            meta="<article-id pub-id-type='pmcid'>PMC12</article-id><article-id pub-id-type='pmid'>34</article-id>"
            "<article-id pub-id-type='doi'>10.1/X</article-id><volume>7</volume><issue>8</issue><fpage>9</fpage><lpage>10</lpage>",
            attributes="article-type='review-article' xml:lang='en'",
        )
    )

    expected = {
        "_id": "12", "pmcid": "PMC12", "pmid": "34", "doi": "10.1/X", "journal": "Journal of Tests", "medline_ta": "J Test",
        "volume": "7", "issue": "8", "start_page": "9", "end_page": "10", "medline_pgn": "9-10",
        "article_type": "review-article", "language": "en",
    }  # fmt: skip
    assert {name: found[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("pages", "expected"),
    [
        ("<fpage>1</fpage><lpage>2</lpage>", "1-2"),
        ("<fpage>1</fpage>", "1-?"),
        ("<lpage>2</lpage>", "?-2"),
        ("", ""),
    ],
)
def test_b10_medline_pgn(pages: str, expected: str) -> None:
    """B-10: start-end, start-?, ?-end or empty."""
    assert document(meta=pages).medline_pgn == expected


def test_b10_authors_and_affiliations() -> None:
    """B-10, B-11: affiliations with id, label, name; only contributors of type author."""
    found = plain(document(meta=AUTHOR))

    assert found["affiliations"] == [{"id": "a1", "label": "1", "name": "Uni, Town"}]
    assert found["authors"] == [
        {
            "affiliations": ["a1"],
            "last_name": "Noun",
            "first_name": "Ann Mary",
            "name": "Ann Mary Noun",
            "initials": "AM",
        }
    ]


def test_b10_keywords_title_abstract_and_their_second_spellings() -> None:
    """B-10, A-33: full_title and title, publication_year and pubyear are equal; keywords are a list."""
    found = document(
        meta="<title-group><article-title>A title</article-title></title-group><pub-date pub-type='epub'><day>5</day>"
        "<month>4</month><year>2011</year></pub-date><abstract><p>Short.</p></abstract>"
        "<kwd-group><kwd>one</kwd><kwd>two</kwd></kwd-group>"
    )

    assert (found.full_title, found.title) == ("A title", "A title")
    assert (found.publication_year, found.pubyear) == ("2011", "2011")
    assert (found.keywords, found.abstract) == (["one", "two"], "Short.")


def test_b11_title_has_all_of_the_group_but_the_alternative() -> None:
    """B-11: subtitle and translation belong to it, a redundant alternative title does not."""
    found = document(
        meta="<title-group><article-title>Main</article-title><subtitle>sub</subtitle><trans-title-group><trans-title>Haupt"
        "</trans-title></trans-title-group><alt-title alt-title-type='running-head'>Short</alt-title></title-group>"
    )

    assert found.full_title == "Main sub Haupt"
    assert [(one.reason, one.row, one.words) for one in found.pubweave.conservation.dropped] == [
        ("alternative-title", "B-11", 1)
    ]


def test_b11_an_alternative_title_without_a_title_is_the_title() -> None:
    """B-11: only a *redundant* alternative is left out."""
    assert document(meta="<title-group><alt-title>Only</alt-title></title-group>").full_title == "Only"


@pytest.mark.parametrize(
    ("xml", "expected"),
    [
        ("<p>a\n\t b&#160;&#160;c  </p>", "a b c"),
        ("<p>  <italic>E.</italic>\u2009coli </p>", "E. coli"),
        (f"<p>{'long ' * 40}&#160;end</p>", f"{'long ' * 40}end"),
        (f"<p>{'wörter ' * 40}\u3000end</p>", f"{'wörter ' * 40}end"),
    ],
)
def test_b12_white_space_is_one_space(xml: str, expected: str) -> None:
    """B-12: line ends, tabs, no-break and repeated spaces collapse, texts are trimmed; long ones too."""
    assert contents(xml)[0].text == expected


@pytest.mark.parametrize(
    ("xml", "expected"),
    [
        (
            "<p>H<sub>2</sub>O <bold>is</bold> <italic>w</italic>et <ext-link>here</ext-link></p>",
            "H2O is wet here",
        ),
        ("<p>Known<sup><xref ref-type='bibr' rid='r1'>1</xref></sup>, yes</p>", "Known, yes"),
        ("<p>Known<xref ref-type='bibr' rid='r1'><sup>1</sup></xref>.</p>", "Known."),
        ("<p>Two<sup><xref ref-type='bibr'>1</xref>,<xref ref-type='bibr'>2</xref></sup>.</p>", "Two."),
        ("<p>10<sup>3<xref ref-type='bibr'>1</xref></sup> cells</p>", "103 cells"),
        ("<p>In line [<xref ref-type='bibr'>1</xref>]</p>", "In line [1]"),
        ("<p>Note<sup><xref ref-type='fn'>a</xref></sup></p>", "Notea"),
        (
            f"<p>If <inline-formula><mml:math {MML}><mml:mi>x</mml:mi></mml:math></inline-formula>, then</p>",
            "If , then",
        ),
        (
            "<p>So <disp-formula><tex-math>\\alpha</tex-math><label>(1)</label></disp-formula>follows</p>",
            "So follows",
        ),
    ],
)
def test_b13_inline_markup_goes_its_text_stays(xml: str, expected: str) -> None:
    """B-13: markup is dropped, superscript citations and formulae are removed, what follows them is not."""
    assert [content.text for content in contents(xml)] == [expected]


def test_b20_sections_have_one_structure() -> None:
    """B-20: sections, appendices and boxed texts have the same fields."""
    found = document(
        body="<sec><label>1</label><title>S</title><p>x</p></sec><boxed-text><label>B</label><caption><p>C</p></caption>"
        "<p>y</p></boxed-text>",
        back="<app-group><app><title>A</title><p>z</p></app></app-group>",
    )
    sections = [plain(section) for section in [*found.body_sections, *found.back_sections]]
    documented = ("id", "tag", "level", "implicit", "label", "title", "caption")

    assert [tuple(section[name] for name in documented) for section in sections] == [
        ("1", "sec", 1, False, "1", "S", ""),
        ("2", "boxed-text", 1, False, "B", "", "C"),
        ("3", "app", 1, False, "", "A", ""),
    ]


def test_b21_b22_b24_sections_are_flattened_with_dotted_ids_and_levels() -> None:
    """B-21, 22, 24: siblings in document order; sections and contents share one numbering; level 1 below body."""
    found = body(
        "<sec><title>A</title><p>p</p><sec><title>B</title><p>q</p></sec><sec><title>C</title><p>r</p></sec></sec>"
    )

    assert outline(found) == [
        "1 sec L1 A",
        "1.1 p: p",
        "1.2 sec L2 B",
        "1.2.1 p: q",
        "1.3 sec L2 C",
        "1.3.1 p: r",
    ]


def test_b23_tag_is_the_name_of_the_element() -> None:
    """B-23: the XML name, hyphens included."""
    found = document(body="<sec><p>x</p></sec><boxed-text><p>y</p></boxed-text>", back="<ack><p>t</p></ack>")

    assert [section.tag for section in [*found.body_sections, *found.back_sections]] == [
        "sec",
        "boxed-text",
        "ack",
    ]


def test_b25_b27_paragraphs_beside_sections_get_implicit_ones() -> None:
    """B-25, B-27 (T-129): p–sec–p below body: an implicit section for body, the section, an implicit wrapper."""
    assert outline(body("<p>before</p><sec><title>S</title><p>in</p></sec><p>after</p>")) == [
        "1 body implicit L1", "1.1 p: before", "2 sec L1 S", "2.1 p: in", "3 wrap implicit L1", "3.1 p: after",
    ]  # fmt: skip


def test_b25_b28_title_and_abstract_are_the_first_two_sections() -> None:
    """B-25, B-28, A-35: implicit, titled "Title" and "Abstract"; the abstract's structure is parsed."""
    found = document(
        meta="<title-group><article-title>The title</article-title></title-group><abstract><title>Summary</title>"
        "<sec><title>Aim</title><p>We ask.</p></sec></abstract>",
        body="<p>x</p>",
    )

    assert outline(found.body_sections) == [
        "1 title implicit L1 Title", "1.1 p: The title", "2 abstract implicit L1 Abstract", "2.1 sec L2 Aim",
        "2.1.1 p: We ask.", "3 body implicit L1", "3.1 p: x",
    ]  # fmt: skip
    assert found.body_sections[1].xml_title == "Summary"
    assert found.abstract == "Aim We ask."


def test_b26_label_and_title_as_in_the_xml() -> None:
    """B-26: as given, empty when not given: no default title is invented."""
    found = document(
        body="<sec><p>x</p></sec>",
        back="<ref-list><ref id='r'><mixed-citation>R</mixed-citation></ref></ref-list>",
    )

    assert [(s.label, s.title) for s in [*found.body_sections, *found.back_sections]] == [("", ""), ("", "")]


def test_b27_text_after_a_subsection_is_wrapped() -> None:
    """B-27: order is kept by an implicit section of tag wrap, one level down."""
    assert outline(body("<sec><title>A</title><p>1</p><sec><title>B</title><p>2</p></sec><p>3</p><p>4</p></sec>")) == [
        "1 sec L1 A", "1.1 p: 1", "1.2 sec L2 B", "1.2.1 p: 2", "1.3 wrap implicit L2", "1.3.1 p: 3", "1.3.2 p: 4",
    ]  # fmt: skip


def test_b30_b31_contents_have_id_tag_and_text_or_caption() -> None:
    """B-30, 31, A-36: id and tag always; text for paragraphs and others, caption for figures and tables."""
    found = plain(
        contents(
            "<sec><p>t</p><list><list-item><p>i</p></list-item></list><fig><caption><p>c</p></caption></fig></sec>"
        )
    )

    assert [(one["id"], one["tag"], one.get("text"), one.get("caption")) for one in found] == [
        ("1.1", "p", "t", None), ("1.2", "list-item", "i", None), ("1.3", "fig", None, "c"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "tag", ["disp-quote", "speech", "statement", "verse-group", "preformat", "array", "nobody-knows"]
)
def test_b32_other_tags_get_the_default_handler(tag: str) -> None:
    """B-32: tag and all text, also for elements that no JATS version knows."""
    assert [(one.tag, one.text) for one in contents(f"<sec><{tag}><p>a</p><p>b</p></{tag}></sec>")] == [
        (tag, "a b")
    ]


def test_b33_a_list_is_one_element_per_item_and_text_after_it_is_a_paragraph() -> None:
    """B-33: items of nested lists too; the paragraph goes on after the list."""
    xml = (
        "<sec><p>Lead<list><list-item><label>1</label><p>one</p></list-item><list-item><p>two</p><list><list-item><p>deep"
        "</p></list-item></list></list-item></list>tail</p></sec>"
    )

    assert [(one.tag, one.text) for one in contents(xml)] == [
        ("p", "Lead"), ("list-item", "1 one"), ("list-item", "two"), ("list-item", "deep"), ("p", "tail"),
    ]  # fmt: skip


FIG = (
    "<fig id='{0}'><label>Fig {0}</label><caption><title>T.</title><p>C{0}</p></caption><graphic xlink:href='g{0}.jpg'/>"
    "<media xlink:href='m{0}.mov'/></fig>"
)


def test_b40_figures_have_label_caption_graphics_media_and_pmcid() -> None:
    """B-40: enough to build the address of the picture; xref_id and xref_url beside it."""
    found = read(
        article(meta="<article-id pub-id-type='pmc'>7</article-id>", body=f"<sec>{FIG.format('F1')}</sec>")
    )
    (fig,) = plain(found.body_sections[0].contents)
    documented = ("id", "tag", "label", "caption", "graphics", "media", "pmcid", "xref_id", "xref_url")

    assert {name: fig[name] for name in documented} == {
        "id": "1.1", "tag": "fig", "label": "Fig F1", "caption": "T. CF1", "graphics": ["gF1.jpg"], "media": ["mF1.mov"],
        "pmcid": "PMC7", "xref_id": "F1",
        "xref_url": "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC7/figure/F1",
    }  # fmt: skip


PLACES_OF_FIGURES = {
    "body": (FIG.format(1), ["1 body implicit L1", "1.1 fig: Fig 1 T. C1"]),
    "sec": (f"<sec>{FIG.format(1)}</sec>", ["1 sec L1", "1.1 fig: Fig 1 T. C1"]),
    "p": (
        f"<sec><p>before {FIG.format(1)} after</p></sec>",
        ["1 sec L1", "1.1 p: before", "1.2 fig: Fig 1 T. C1", "1.3 p: after"],
    ),
    "p, inside markup": (
        f"<sec><p>before <bold>x {FIG.format(1)} y</bold></p></sec>",
        ["1 sec L1", "1.1 p: before x", "1.2 fig: Fig 1 T. C1", "1.3 p: y"],
    ),
    "fig-group": (
        f"<sec><fig-group><caption><p>Both.</p></caption>{FIG.format(1)}{FIG.format(2)}</fig-group></sec>",
        ["1 sec L1", "1.1 fig: Fig 1 Both. T. C1", "1.2 fig: Fig 2 Both. T. C2"],
    ),
    "fig-group in p": (
        f"<sec><p>x<fig-group>{FIG.format(1)}{FIG.format(2)}</fig-group></p></sec>",
        ["1 sec L1", "1.1 p: x", "1.2 fig: Fig 1 T. C1", "1.3 fig: Fig 2 T. C2"],
    ),
    "boxed-text": (
        f"<sec><boxed-text><caption><title>Box</title></caption>{FIG.format(1)}</boxed-text></sec>",
        ["1 sec L1", "1.1 boxed-text L2 Box", "1.1.1 fig: Fig 1 T. C1"],
    ),
    "disp-quote": (
        f"<sec><disp-quote><p>q</p>{FIG.format(1)}</disp-quote></sec>",
        ["1 sec L1", "1.1 disp-quote: q Fig 1 T. C1"],
    ),
    "list in p in sec (A-39)": (
        f"<sec><p>l<list><list-item><p>i</p>{FIG.format(1)}<p>j</p></list-item></list></p></sec>",
        ["1 sec L1", "1.1 p: l", "1.2 list-item: i", "1.3 fig: Fig 1 T. C1", "1.4 list-item: j"],
    ),
}


@pytest.mark.parametrize("place", PLACES_OF_FIGURES)
def test_b41_places_of_figures(place: str) -> None:
    """B-41: one sample for each row of the table."""
    xml, expected = PLACES_OF_FIGURES[place]

    assert outline(body(xml)) == expected


def test_b41_a_groups_caption_is_a_copy_from_the_second_figure_on() -> None:
    """B-41: the copies that the row orders are marked and stand once in the account."""
    found = document(body=PLACES_OF_FIGURES["fig-group"][0])
    first, second = found.body_sections[0].contents

    assert (first.group_caption, first.group_copy or False) == ("Both.", False)
    assert (second.group_caption, second.group_copy) == ("Both.", True)
    assert found.pubweave.conservation.words_flow == len(
        ["Both.", "Fig", "1", "T.", "C1", "Fig", "2", "T.", "C2"]
    )


TABLE = (
    "<table-wrap id='{0}'><label>Table {0}</label><caption><p>Cap{0}</p></caption><table><thead><tr><th>a</th><th>b</th></tr>"
    "</thead><tbody><tr><td>1</td><td><bold>2</bold></td></tr><tr><th>3</th><td/></tr></tbody></table></table-wrap>"
)


def table_of(xml: str) -> Content:
    (found,) = [one for one in contents(xml) if one.tag == "table"]
    return found


def test_b50_tables_have_columns_values_and_markup() -> None:
    """B-50, A-40: header texts, cell texts row by row (row headings too), markup; both spellings, equal."""
    found = plain(table_of(f"<sec>{TABLE.format('T1')}</sec>"))

    assert (found["label"], found["caption"], found["xref_id"]) == ("Table T1", "CapT1", "T1")
    assert found["tableColumns"] == found["table_columns"] == ["a", "b"]
    assert found["tableValues"] == found["table_values"] == [["1", "2"], ["3", ""]]
    assert (found["xml"][:6], found["xml"][-8:]) == ("<table", "</table>")
    assert (found["graphics"], found["media"]) == ([], [])


@pytest.mark.parametrize(
    ("xml", "values", "graphics"),
    [
        (
            "<alternatives><graphic xlink:href='g'/><table><tr><td>1</td></tr></table></alternatives>",
            [["1"]],
            ["g"],
        ),
        ("<graphic xlink:href='g'/>", [], ["g"]),
        ("<table><tr><td>1</td></tr></table><table><tr><td>2</td></tr></table>", [["1"], ["2"]], []),
        (
            "<o:table xmlns:o='http://www.niso.org/standards/z39-96/ns/oasis-exchange/table'><o:tgroup><o:tbody><o:row>"
            "<o:entry>1</o:entry></o:row></o:tbody></o:tgroup></o:table>",
            [["1"]],
            [],
        ),
    ],
    ids=["alternatives", "only a picture", "two tables", "OASIS"],
)
def test_b51_where_the_markup_is(xml: str, values: list[list[str]], graphics: list[str]) -> None:
    """B-51: the child, or the one inside alternatives; or only graphics; CALS tables too."""
    found = table_of(f"<sec><table-wrap>{xml}</table-wrap></sec>")

    assert (found.table_values_, found.graphics) == (values, graphics)


PLACES_OF_TABLES = {
    "sec": (f"<sec>{TABLE.format(1)}</sec>", ["1 sec L1", "1.1 table: Table 1 Cap1"]),
    "body": (TABLE.format(1), ["1 body implicit L1", "1.1 table: Table 1 Cap1"]),
    "boxed-text": (
        f"<sec><boxed-text><p>x</p>{TABLE.format(1)}</boxed-text></sec>",
        ["1 sec L1", "1.1 boxed-text L2", "1.1.1 p: x", "1.1.2 table: Table 1 Cap1"],
    ),
    "p": (
        f"<sec><p>before {TABLE.format(1)}after</p></sec>",
        ["1 sec L1", "1.1 p: before", "1.2 table: Table 1 Cap1", "1.3 p: after"],
    ),
    "supplementary-material": (
        f"<sec><supplementary-material><label>S1</label>{TABLE.format(1)}</supplementary-material></sec>",
        ["1 sec L1", "1.1 supplementary-material: S1", "1.2 table: Table 1 Cap1"],
    ),
    "supplementary-material with an implicit figure": (
        "<sec><supplementary-material><label>S1</label><caption><p>Film.</p></caption><graphic xlink:href='g'/>"
        "</supplementary-material></sec>",
        ["1 sec L1", "1.1 fig: S1 Film."],
    ),
    "several supplementary-materials": (
        "<sec><supplementary-material><label>S1</label><caption><p>One.</p></caption></supplementary-material>"
        "<supplementary-material><label>S2</label><caption><p>Two.</p></caption></supplementary-material></sec>",
        ["1 sec L1", "1.1 supplementary-material: S1 One.", "1.2 supplementary-material: S2 Two."],
    ),
    "table-wrap-group": (
        f"<sec><table-wrap-group><label>T</label><caption><p>All.</p></caption>{TABLE.format(1)}{TABLE.format(2)}"
        "</table-wrap-group></sec>",
        ["1 sec L1", "1.1 table: T Table 1 All. Cap1", "1.2 table: T Table 2 All. Cap2"],
    ),
    "disp-quote": (
        f"<sec><disp-quote>{TABLE.format(1)}</disp-quote></sec>",
        ["1 sec L1", "1.1 disp-quote: Table 1 Cap1 a b 1 2 3"],
    ),
    "fig": (
        f"<sec><fig><label>F</label>{TABLE.format(1)}<caption><p>C</p></caption></fig></sec>",
        ["1 sec L1", "1.1 fig: F C"],
    ),
}


@pytest.mark.parametrize("place", PLACES_OF_TABLES)
def test_b52_places_of_tables(place: str) -> None:
    """B-52: one sample for each row of the table."""
    xml, expected = PLACES_OF_TABLES[place]

    assert outline(body(xml)) == expected


def test_b52_a_table_in_a_figure_is_ignored_but_told() -> None:
    """B-52: it leaves the flow for that row's reason, and its words can still be had."""
    found = document(body=PLACES_OF_TABLES["fig"][0]).pubweave

    assert [(one.reason, one.row) for one in found.conservation.dropped] == [("table-in-figure", "B-52")]
    assert [(one.tag, one.text) for one in found.dropped_texts] == [("table-in-figure", "Table 1Cap1ab123")]


def test_b53_several_feet_are_all_taken() -> None:
    """B-53: every table-wrap-foot."""
    xml = "<table-wrap><table><tr><td>1</td></tr></table>{}</table-wrap>".format(
        "".join(
            f"<table-wrap-foot><fn><label>{x}</label><p>note {x}</p></fn></table-wrap-foot>" for x in "ab"
        )
    )

    assert table_of(f"<sec>{xml}</sec>").footer == "a note a b note b"


def test_b54_boxed_text_stands_in_the_flow() -> None:
    """B-54, A-38: a section where it is met, also inside a paragraph."""
    assert outline(body("<sec><p>a <boxed-text><p>box</p></boxed-text> b</p></sec>")) == [
        "1 sec L1", "1.1 p: a", "1.2 boxed-text L2", "1.2.1 p: box", "1.3 wrap implicit L2", "1.3.1 p: b",
    ]  # fmt: skip


def dated(*dates: str) -> Document:
    return document(meta="".join(dates))


def date(kind: str, inner: str, attribute: str = "pub-type") -> str:
    return f"<pub-date {attribute}='{kind}'>{inner}</pub-date>"


FULL = "<day>05</day><month>4</month><year>2011</year>"


def test_b60_dates_are_searched_in_order_of_their_kind() -> None:
    """B-60: pmc-release, epub, ppub, collection, any; both attributes count; the first complete one wins."""
    found = dated(
        date("collection", "<year>2001</year>"),
        date("ppub", "<day>1</day><month>2</month><year>2002</year>"),
        date("pmc-release", "<year>2004</year>"),
        date("epub", FULL, "date-type"),
    )

    assert (found.publication_date, found.publication_date_status) == ("05-4-2011", "ok")


def test_b60_without_a_complete_date_the_last_one_tried() -> None:
    """B-60: if none is complete, the last one tried."""
    found = dated(date("collection", "<year>2001</year>"), date("epub", "<month>6</month><year>2002</year>"))

    assert (found.publication_date, found.publication_date_status) == ("1-1-2001", "incomplete")


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        (FULL, ("05-4-2011", "2011 Apr 05", "ok", "2011")),
        ("<month>4</month><year>2011</year>", ("1-4-2011", "2011 Apr 1", "incomplete", "2011")),
        ("<year>2011</year>", ("1-1-2011", "2011 Jan 1", "incomplete", "2011")),
        ("<day>5</day><month>Apr</month><year>2011</year>", ("5-Apr-2011", "2011 Apr 5", "ok", "2011")),
        ("<string-date>some day</string-date>", ("", "", "unparseable", "")),
    ],
)
def test_b61_b62_forms_of_dates(inner: str, expected: tuple[str, str, str, str]) -> None:
    """B-61, B-62: missing parts become 1 and the status incomplete; day and month as written."""
    found = dated(date("epub", inner))

    assert (
        found.publication_date, found.publication_date_alt, found.publication_date_status, found.publication_year
    ) == expected  # fmt: skip


def test_b61_no_date_is_not_found() -> None:
    """B-10, B-61: the status says so."""
    assert dated().publication_date_status == "not found"


@pytest.mark.parametrize(
    "xml",
    [
        pytest.param(
            '<?xml version="1.0" encoding="ISO-8859-1"?>{}'.format(article(body="<p>caf\xe9</p>")).encode(
                "latin-1"
            ),
            id="latin-1",
        ),
        pytest.param(
            '<?xml version="1.0" encoding="UTF-16"?>{}'.format(article(body="<p>café</p>")).encode("utf-16"),
            id="utf-16",
        ),
        pytest.param(article(body="<p>caf&eacute;</p>").encode(), id="entity without DTD"),
        pytest.param(
            article(body="<?a b?><!-- c --><p>ca<!-- d -->f<?e?>é</p>").encode(), id="comments, instructions"
        ),
        pytest.param(
            article(body="<p>café</p>").replace("<article ", "<article xmlns='urn:jats' ").encode(),
            id="namespace",
        ),
        pytest.param(f"<OAI><record>{article(body='<p>café</p>')}</record></OAI>".encode(), id="OAI"),
        pytest.param(b"\n\n" + article(body="<p>café</p>").encode(), id="blank lines"),
    ],
)
def test_b64_robust_input(xml: bytes) -> None:
    """B-64: encodings, namespaces, wrappers, comments and instructions do not disturb."""
    assert [content.text for section in read(xml).body_sections for content in section.contents] == ["café"]


def test_b06_problems_are_warnings() -> None:
    """B-06: missing identifiers, authors, dates are collected, not fatal."""
    codes = {warning.code for warning in document(body="<p>x</p>").warnings}

    assert {"no-pmid", "no-pmcid", "no-doi", "no-authors", "no-title", "date"} <= codes


def test_counts_of_figures_tables_and_paragraphs() -> None:
    """B-10 (program): how many of each stand in body, back and floats."""
    found = document(
        body=f"<sec><p>x</p>{FIG.format(1)}</sec>",
        back=f"<app><p>y</p><p>z</p>{TABLE.format(1)}</app>",
        after=f"<floats-group>{FIG.format(2)}{TABLE.format(2)}</floats-group>",
    )

    assert (found.figures_in_body, found.tables_in_body, found.paragraphs_in_body) == (1, 0, 1)
    assert (found.figures_in_back, found.tables_in_back, found.paragraphs_in_back) == (0, 1, 2)
    assert (found.figures_in_float, found.tables_in_float, found.paragraphs_in_float) == (1, 1, 0)


def test_floats_are_sections_of_their_own_list() -> None:
    """B-10: float_sections; ids run on, unique over the whole document."""
    found = document(
        body="<sec><p>x</p></sec>",
        back="<ack><p>t</p></ack>",
        after=f"<floats-group>{FIG.format(1)}</floats-group>",
    )
    sections = [*found.body_sections, *found.float_sections, *found.back_sections]

    assert [(one.id, one.tag) for one in sections] == [("1", "sec"), ("2", "floats-group"), ("3", "ack")]


def test_references_keep_their_words_apart() -> None:
    """B-32, B-12: parts of a reference without punctuation do not run together, markup does not cut words."""
    found = document(
        back="<ref-list><title>References</title><ref id='r1'><label>1</label><element-citation><person-group><name><surname>"
        "Noun</surname><given-names>A</given-names></name></person-group><article-title>On CO<sub>2</sub> in <italic>E. coli"
        "</italic>s</article-title><year>1999</year></element-citation></ref><ref id='r2'><mixed-citation><name><surname>Verb"
        "</surname>, <given-names>B</given-names></name>. <source>J</source>, <year>2000</year>.</mixed-citation></ref></ref-list>"
    )

    assert [(one.rid, one.text) for one in found.back_sections[0].contents] == [
        ("r1", "1 Noun A On CO2 in E. colis 1999"), ("r2", "Verb, B. J, 2000."),
    ]  # fmt: skip


def test_without_extras_the_documented_fields_are_the_same() -> None:
    """The additional fields change nothing in the documented ones."""
    (found,) = articles(
        parse_xml(article(meta=AUTHOR, body=f"<sec><p>x <xref>1</xref></p>{TABLE.format(1)}</sec>").encode())
    )
    bare, full = plain(read_document(found, extras=False)), plain(read_document(found))
    for one in (bare, full):
        one.pop("pubweave")
        for section in one["body_sections"]:
            section.pop("path", None), section.pop("type", None)
            for content in section["contents"]:
                content.pop("links", None)

    assert bare == full


@pytest.mark.parametrize(
    ("xml", "text", "caption", "asides"),
    [
        ("<label>S1</label><caption><title>Counts.</title><p>All of them.</p></caption><media xlink:href='s1.csv'/>",
         "S1 Counts. All of them.", "Counts. All of them.", None),
        ("<media xlink:href='s1.csv'><label>S1</label><caption><p>All counts.</p></caption></media>",
         "S1 All counts.", "All counts.", None),
        ("<media xlink:href='1'><caption><p>One.</p></caption></media><media xlink:href='2'><caption><p>Two.</p></caption></media>",
         "One. Two.", "One. Two.", None),
        ("<caption><p>All counts.</p></caption><media xlink:href='1'><caption><p>Click here for additional data file.</p></caption>"
         "</media>", "All counts.", "All counts.", ["Click here for additional data file."]),
        ("<object-id>10.1/s1</object-id><label>S1</label><note>Ask us.</note>", "S1 Ask us.", "", ["10.1/s1"]),
        ("Table S1 - All counts.", "Table S1 - All counts.", "", None),
        ("", "", "", None),
    ],
    ids=["its own", "its file's", "of two files", "PMC's link is none", "other text", "text alone", "none"],
)  # fmt: skip
def test_b31_b32_captions_of_supplementary_material_are_caption_and_in_text(
    xml: str, text: str, caption: str, asides: list[str] | None
) -> None:
    """B-31, B-32: a caption like a figure's, and all text like any other element's; counted once by the law."""
    found = document(body=f"<sec><supplementary-material id='s1'>{xml}</supplementary-material></sec>")
    (one,) = plain(found.body_sections[0].contents)

    assert (one["tag"], one["text"], one["caption"], one.get("asides")) == (
        "supplementary-material",
        text,
        caption,
        asides,
    )
    words = text.split() + " ".join(asides or ()).split()
    assert found.pubweave.conservation.words_flow == len(words)


@pytest.mark.parametrize("tag", ["media", "graphic"])
def test_b31_b32_a_film_or_picture_that_stands_alone_has_caption_and_text(tag: str) -> None:
    """As supplementary material does."""
    found = document(body=f"<sec><{tag}><label>Video 1</label><caption><p>Bees.</p></caption></{tag}></sec>")
    (one,) = plain(found.body_sections[0].contents)

    assert (one["tag"], one["text"], one["label"], one["caption"]) == (
        tag,
        "Video 1 Bees.",
        "Video 1",
        "Bees.",
    )
    assert found.pubweave.conservation.words_flow == 3


def test_places_in_the_text_of_supplementary_material_are_right() -> None:
    """Offsets of citations count from the beginning of `text`, of which label and caption are a part."""
    found = document(
        body="<sec><supplementary-material><label>S1</label><caption><p>See <xref rid='f1' ref-type='fig'>Fig. 1</xref>.</p></caption>"
        "<note>Or <xref rid='f2' ref-type='fig'>Fig. 2</xref>.</note></supplementary-material></sec>"
    )
    one = plain(found.body_sections[0].contents[0])

    assert one["text"] == "S1 See Fig. 1. Or Fig. 2."
    assert [one[place.field][place.start : place.end] for place in found.pubweave.citations] == [
        "Fig. 1",
        "Fig. 2",
    ]


@needs_shared_data
def test_b31_captions_of_recorded_supplementary_material() -> None:
    """Every caption of real material, the file's or its own, is a caption and in a text; PMC's link is neither."""
    seen = 0
    for path in sorted(shared_data("europepmc-fulltext").glob("*.xml")):
        for root in articles(parse_xml(path.read_bytes())):
            found = read_document(root)
            said = [
                c
                for one in all_sections(found)
                for c in one.contents
                if c.tag in ("supplementary-material", "fig")
            ]
            for caption in root.iterfind("./body//supplementary-material//caption"):
                words = "".join("".join(map(str, caption.itertext())).split())
                if words.startswith("Clickhere") or caption.find(".//inline-formula") is not None:
                    continue
                if any(one.tag in ("fig", "table-wrap") for one in caption.iterancestors()):
                    continue
                seen += 1
                assert any(words in "".join((c.caption or "").split()) for c in said), (path.name, words)
                assert any(words in "".join((c.text or "").split()) for c in said if c.tag != "fig") or any(
                    words in "".join((c.caption or "").split()) for c in said if c.tag == "fig"
                ), path.name
    assert seen > 20


@pytest.mark.parametrize(
    ("xml", "expected"),
    [
        ("fig <sup><xref ref-type='bibr'>1</xref></sup>, then", "fig, then"),
        ("fig<sup><xref ref-type='bibr'>1</xref></sup> , then", "fig, then"),
        ("fig <xref ref-type='bibr'><sup>1</sup></xref>; then", "fig; then"),
        ("fig <sup><xref ref-type='bibr'>1</xref>,<xref ref-type='bibr'>2</xref></sup> . Then", "fig. Then"),
        ("(fig <sup><xref ref-type='bibr'>1</xref></sup> )", "(fig)"),
        ("fig <sup><xref ref-type='bibr'>1</xref></sup> <italic>, then</italic>", "fig, then"),
        ("fig <sup><xref ref-type='bibr'>1</xref></sup> then", "fig then"),
        ("a , b", "a , b"),
        ("<sup><xref ref-type='bibr'>1</xref></sup>, then", ", then"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("extras", [True, False])
def test_b13_a_citation_that_goes_takes_the_blank_before_a_comma_along(
    xml: str, expected: str, extras: bool
) -> None:
    """What closes a clause follows the word; what the article itself sets apart stays so."""
    found = read(article(body=f"<p>{xml}</p>"), extras=extras)

    assert found.body_sections[0].contents[0].text == expected
    assert found.pubweave.conservation.words_flow == len(expected.split())


MIXED = "<mixed-citation>Noun A. <source>J</source> 1999.</mixed-citation>"
TAKEN_APART = "<element-citation><name><surname>Noun</surname></name><source>J</source><year>1999</year></element-citation>"


@pytest.mark.parametrize("label", ["", "<label>1</label>"])
@pytest.mark.parametrize(
    "xml",
    [
        MIXED + TAKEN_APART, TAKEN_APART + MIXED, f"<citation-alternatives>{MIXED}{TAKEN_APART}</citation-alternatives>",
        f"<citation-alternatives>{TAKEN_APART}{MIXED}</citation-alternatives>",
    ],
    ids=["mixed first", "mixed last", "alternatives, mixed first", "alternatives, mixed last"],
)  # fmt: skip
def test_of_a_reference_given_twice_both_are_reachable(label: str, xml: str) -> None:
    """The one for reading is `text`, the one taken apart is `alternative`, and its parts are data."""
    found = document(back=f"<ref-list><ref id='r'>{label}{xml}</ref></ref-list>")
    (one,) = found.back_sections[0].contents
    (data,) = found.pubweave.references

    assert (one.text, one.alternative) == (f"{'1 ' if label else ''}Noun A. J 1999.", "Noun J 1999")
    assert (data.source, data.year, [who.surname for who in data.people]) == ("J", "1999", ["Noun"])
