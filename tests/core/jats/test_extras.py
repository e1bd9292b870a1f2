"""The additional fields: references, contributors, grids, formulae, statements, licence, citations, sections by path."""

import pytest

from core.jats.making import MML, article, document, plain, read
from pubweave.core.reading.jats.document import Grid, Licence
from pubweave.core.reading.jats.formulae import linear, tex_linear
from pubweave.core.reading.jats.plain import parse_xml
from pubweave.core.reading.jats.references import clean_doi
from pubweave.core.reading.jats.sections import find_sections, text_of, type_of_title


def refs(xml: str) -> list[dict[str, object]]:
    found = document(back=f"<ref-list>{xml}</ref-list>").pubweave.references
    return [plain(one) for one in found]


def test_references_are_structured_with_identifiers() -> None:
    """People, title, source, place and identifiers; the content element that has the text."""
    (found,) = refs(
        "<ref id='r1'><label>[1]</label><element-citation publication-type='journal'><person-group person-group-type='author'>"
        "<name><surname>Noun</surname><given-names>A</given-names></name><collab>The Group</collab><etal/></person-group>"
        "<article-title>A title</article-title><source>J</source><year>1999</year><volume>1</volume><issue>2</issue><fpage>3"
        "</fpage><lpage>4</lpage><pub-id pub-id-type='doi'>https://doi.org/10.1234/ab.</pub-id><pub-id pub-id-type='pmid'>5"
        "</pub-id><pub-id pub-id-type='pmc'>6</pub-id><ext-link xlink:href='http://x'>x</ext-link></element-citation></ref>"
    )

    assert found == {
        "id": "r1", "content": "1.1", "label": "[1]", "type": "journal", "title": "A title", "source": "J", "year": "1999",
        "volume": "1", "issue": "2", "first_page": "3", "last_page": "4", "doi": "10.1234/ab", "pmid": "5", "pmcid": "PMC6",
        "people": [{"surname": "Noun", "given_names": "A", "role": "author"}, {"name": "The Group", "role": "author"}],
        "et_al": True, "urls": ["http://x"],
    }  # fmt: skip


def test_alternatives_of_a_reference_are_one_reference_and_its_text_stands_once() -> None:
    """citation-alternatives: one entry; the reading form is text, the other goes beside it."""
    found = document(
        back="<ref-list><ref id='r'><citation-alternatives><element-citation><year>1999</year></element-citation><mixed-citation>"
        "Noun, 1999</mixed-citation></citation-alternatives></ref></ref-list>"
    )
    (content,) = found.back_sections[0].contents

    assert (content.text, content.alternative) == ("Noun, 1999", "1999")
    assert [one.year for one in found.pubweave.references] == ["1999"]


def test_a_reference_given_twice_without_saying_so_is_one() -> None:
    """SciELO's mixed-citation and element-citation side by side: the first is read, the second taken apart."""
    found = document(
        back="<ref-list><ref id='r'><mixed-citation>Noun. <italic>J</italic>, 1999</mixed-citation><element-citation><year>1999</year>"
        "</element-citation></ref></ref-list>"
    )
    (content,) = found.back_sections[0].contents

    assert (content.text, content.alternative) == ("Noun. J, 1999", "1999")
    assert [(one.id, one.year) for one in found.pubweave.references] == [("r", "1999")]


def test_identifiers_and_words_in_place_of_pictures_are_asides() -> None:
    """object-id, alt-text and long-desc are kept, but are no text of figure, table or section."""
    found = document(
        body="<sec><object-id>10.1/s</object-id><fig><object-id>10.1/f</object-id><label>F</label><alt-text>a bee</alt-text>"
        "<graphic xlink:href='g'><alt-text>bee</alt-text></graphic></fig></sec>"
    ).body_sections[0]

    assert (found.asides, found.contents[0].asides, found.contents[0].text or "") == (
        ["10.1/s"],
        ["10.1/f", "a bee", "bee"],
        "",
    )


def test_a_reference_with_two_citations_is_two_references() -> None:
    """1a and 1b share an id and have a structure each."""
    found = refs(
        "<ref id='r'><mixed-citation><year>1999</year></mixed-citation><mixed-citation><year>2000</year></mixed-citation></ref>"
    )

    assert [(one["id"], one["year"]) for one in found] == [("r", "1999"), ("r", "2000")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("doi: 10.1000/abc.", "10.1000/abc"), ("https://doi.org/10.1000/a(b)c", "10.1000/a(b)c"), ("(10.1000/abc)", "10.1000/abc"),
        ("no doi 10.5 here", ""),
    ],
)  # fmt: skip
def test_dois_are_cut_out_of_what_surrounds_them(text: str, expected: str) -> None:
    """Full stops and closing brackets of the sentence are not of the DOI."""
    assert clean_doi(text) == expected


def test_contributors_with_orcid_affiliations_letters_and_roles() -> None:
    """ORCID, affiliations resolved, corresponding flag, e-mails, CRediT roles, equal contributions, groups."""
    found = document(
        meta="<contrib-group><contrib contrib-type='author' corresp='yes' equal-contrib='yes'><contrib-id contrib-id-type='orcid'"
        " authenticated='true'>http://orcid.org/0000-0001-2345-678x</contrib-id><name><surname>Noun</surname><given-names>Ann"
        "</given-names></name><xref ref-type='aff' rid='a1 a2'/><email>ann@x.org</email><role vocab='credit' vocab-term='Writing "
        "– original draft' degree-contribution='lead'>wrote</role><role content-type='http://credit.niso.org/contributor-roles/"
        "formal-analysis/'>Analysis</role><role>made tea</role></contrib><contrib contrib-type='author'><collab>The Group"
        "</collab></contrib></contrib-group><aff id='a1'><label>1</label><institution>Uni</institution><country>NL</country></aff>"
        "<aff id='a2'>Lab</aff>"
    ).pubweave.contributors

    assert plain(found[0]) == {
        "name": "Ann Noun", "surname": "Noun", "given_names": "Ann", "type": "author", "orcid": "0000-0001-2345-678X",
        "orcid_authenticated": True, "affiliation_ids": ["a1", "a2"], "affiliations": ["Uni NL", "Lab"], "corresponding": True,
        "emails": ["ann@x.org"], "equal": True,
        "roles": [
            {"text": "wrote", "credit": "Writing – original draft", "degree": "lead"},
            {"text": "Analysis", "credit": "Formal analysis"},
            {"text": "made tea"},
        ],
    }  # fmt: skip
    assert (found[1].name, found[1].collective, found[1].corresponding) == ("The Group", True, False)


def grid(rows: str, feet: str = "") -> Grid:
    xml = f"<sec><table-wrap><table>{rows}</table>{feet}</table-wrap></sec>"
    (found,) = document(body=xml).pubweave.grids
    return found


def test_spans_are_resolved() -> None:
    """Row and column spans repeat the cell's text; rows are as wide as the widest; header rows are counted."""
    found = grid(
        "<thead><tr><th rowspan='2'>A</th><th colspan='2'>B</th></tr><tr><th>b1</th><th>b2</th></tr></thead>"
        "<tbody><tr><td>1</td><td rowspan='2'>2</td><td>3</td></tr><tr><td>4</td><td>5</td></tr><tr><td>6</td></tr></tbody>",
        "<table-wrap-foot><fn id='f'><label>*</label><p>Note.</p></fn></table-wrap-foot>",
    )

    assert found.rows == [["A", "B", "B"], ["A", "b1", "b2"], ["1", "2", "3"], ["4", "2", "5"], ["6", "", ""]]
    assert (found.header_rows, found.cut) == (2, False)
    assert [(one.label, one.text, one.id) for one in found.notes] == [("*", "Note.", "f")]


def test_cals_spans_are_resolved() -> None:
    """morerows, namest and nameend of OASIS tables."""
    (found,) = document(
        body="<sec><table-wrap><o:table xmlns:o='http://docs.oasis-open.org/ns/oasis-exchange/table'><o:tgroup><o:colspec colname='c1'/>"
        "<o:colspec colname='c2'/><o:thead><o:row><o:entry namest='c1' nameend='c2'>H</o:entry></o:row></o:thead><o:tbody><o:row>"
        "<o:entry morerows='1'>x</o:entry><o:entry>y</o:entry></o:row><o:row><o:entry>z</o:entry></o:row></o:tbody></o:tgroup>"
        "</o:table></table-wrap></sec>"
    ).pubweave.grids

    assert (found.rows, found.header_rows) == ([["H", "H"], ["x", "y"], ["x", "z"]], 1)


@pytest.mark.parametrize(
    "span",
    ["colspan='999999'", "colspan='999999' rowspan='999999'", "rowspan='0'", "colspan='-3'", "colspan='x'"],
)
def test_span_bombs_are_bounded(span: str) -> None:
    """Spans beyond reason cost nothing: the table is given as it stands, marked as cut, or the span counts as one."""
    found = grid(f"<tr><td {span}>a</td><td>b</td></tr><tr><td>c</td></tr>")

    assert sum(map(len, found.rows)) <= 6
    assert found.cut == ("999999" in span)


@pytest.mark.parametrize(
    ("mathml", "expected"),
    [
        ("<mfrac><mi>a</mi><mrow><mi>b</mi><mo>+</mo><mn>1</mn></mrow></mfrac>", "a/(b + 1)"),
        ("<msup><mi>x</mi><mn>2</mn></msup><mo>=</mo><msqrt><mi>y</mi></msqrt>", "x^2 = √(y)"),
        ("<msubsup><mi>x</mi><mi>i</mi><mrow><mi>n</mi><mo>-</mo><mn>1</mn></mrow></msubsup>", "x_i^(n - 1)"),
        ("<mover><mi>x</mi><mo>¯</mo></mover>", "x̄"),
        ("<semantics><mi>z</mi><annotation>\\zeta</annotation></semantics>", "z"),
        (
            "<mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr><mtr><mtd><mi>c</mi></mtd></mtr></mtable>",
            "a, b; c",
        ),
        ("<mfenced open='[' close=']'><mi>a</mi><mi>b</mi></mfenced>", "[a, b]"),
    ],
)
def test_mathml_is_linear_text(mathml: str, expected: str) -> None:
    """Fractions, powers, indices, roots, accents, tables."""
    found = linear(parse_xml(f"<math xmlns='http://www.w3.org/1998/Math/MathML'>{mathml}</math>".encode()))

    assert " ".join(found.split()) == expected


@pytest.mark.parametrize(
    ("tex", "expected"),
    [
        (
            "\\documentclass[12pt]{minimal}\\usepackage{amsmath}\\begin{document}$$\\alpha \\leq \\frac{a}{b+1}$$\\end{document}",
            "α ≤ a/(b+1)",
        ),
        ("$x_{i}^{2} \\times \\mathrm{pH}$", "x_i^2 × pH"),
        ("\\unknowncommand{a}", "a"),
    ],
)
def test_tex_is_linear_text(tex: str, expected: str) -> None:
    """The LaTeX document around a formula goes, signs become characters."""
    assert tex_linear(tex) == expected


def test_formulae_stand_beside_the_text_they_left() -> None:
    """B-13 takes them out of the text; place, linear text, TeX and label are kept, and the letters as they stood."""
    (found,) = document(
        body="<p>So <disp-formula id='e1'><label>(1)</label><alternatives><tex-math>\\begin{document}$a$\\end{document}</tex-math>"
        "<mml:math><mml:mi>a</mml:mi></mml:math><graphic xlink:href='e1.gif'/></alternatives></disp-formula> holds</p>"
    ).pubweave.formulae

    assert (found.content, found.offset, found.display, found.text, found.tex) == ("1.1", 2, True, "a", "a")
    assert (found.label, found.id, found.graphics) == ("(1)", "e1", ["e1.gif"])


def test_citations_are_linked_with_offsets() -> None:
    """Cross-references keep their place; those that B-13 drops are told with the place where they stood."""
    found = document(
        body="<p>Long ago [<xref ref-type='bibr' rid='r1 r2'>1, <bold>2</bold></xref>] it was<sup><xref ref-type='bibr' rid='r3'>3"
        "</xref></sup> (see <xref ref-type='fig' rid='f'>Fig. 1</xref>).</p>"
    )
    text = str(found.body_sections[0].contents[0].text)

    assert [(one.kind, one.rids, text[one.start : one.end], one.text, one.dropped) for one in found.pubweave.citations] == [
        ("reference", ["r1", "r2"], "1, 2", "1, 2", False),
        ("reference", ["r3"], "", "3", True),
        ("fig", ["f"], "Fig. 1", "Fig. 1", False),
    ]  # fmt: skip
    assert text[: found.pubweave.citations[1].start] == "Long ago [1, 2] it was"


def test_offsets_in_cells_captions_and_titles_name_their_field() -> None:
    """A quote can be cut out wherever it stands."""
    found = document(
        body="<sec><title>By <xref>T</xref></title><table-wrap><label>L</label><caption><p>See <xref>C</xref></p></caption><table><thead>"
        "<tr><th>x</th><th>y <xref>H</xref></th></tr></thead><tr><td>1</td></tr><tr><td>2</td><td>3 <xref>V</xref></td></tr></table>"
        "</table-wrap></sec>"
    ).pubweave.citations

    assert [(one.content, one.field, one.start, one.text) for one in found] == [
        ("1", "title", 3, "T"), ("1.1", "caption", 4, "C"), ("1.1", "tableColumns[1]", 2, "H"), ("1.1", "tableValues[1][1]", 2, "V"),
    ]  # fmt: skip


# How publishers tag the same thing: attribute, title, footnote, notes, custom metadata (styles of twenty publishers).
STATEMENTS = {
    "sec-type": (
        "back",
        "<sec sec-type='data-availability'><title>x</title><p>T</p></sec>",
        "data-availability",
    ),
    "sec title, availability of data": (
        "back",
        "<sec><title>Availability of data and materials</title><p>T</p></sec>",
        "data-availability",
    ),
    "sec title, data access": (
        "body",
        "<sec><title>6. Data Accessibility</title><p>T</p></sec>",
        "data-availability",
    ),
    "notes-type": (
        "back",
        "<notes notes-type='data-availability'><title>Data</title><p>T</p></notes>",
        "data-availability",
    ),
    "custom-meta": (
        "meta",
        "<custom-meta-group><custom-meta><meta-name>Data Availability</meta-name><meta-value>T</meta-value></custom-meta></custom-meta-group>",
        "data-availability",
    ),
    "fn COI": (
        "back",
        "<fn-group><fn fn-type='COI-statement'><p>T</p></fn></fn-group>",
        "competing-interests",
    ),
    "fn conflict": (
        "back",
        "<fn-group><fn fn-type='conflict'><p>T</p></fn></fn-group>",
        "competing-interests",
    ),
    "fn in author notes": (
        "meta",
        "<author-notes><fn fn-type='conflict'><p>T</p></fn></author-notes>",
        "competing-interests",
    ),
    "fn with a lead": (
        "back",
        "<fn-group><fn><p>Competing interests: none.</p></fn></fn-group>",
        "competing-interests",
    ),
    "notes title": (
        "back",
        "<notes><title>Conflicts of Interest</title><p>T</p></notes>",
        "competing-interests",
    ),
    "disclosure": ("back", "<sec><title>Disclosure statement</title><p>T</p></sec>", "competing-interests"),
    "declaration": (
        "back",
        "<sec><title>Declaration of Competing Interest</title><p>T</p></sec>",
        "competing-interests",
    ),
    "fn-group title": (
        "back",
        "<fn-group content-type='competing-interest'><title>Competing interests</title><fn><p>T</p></fn></fn-group>",
        "competing-interests",
    ),
    "fn con": ("back", "<fn-group><fn fn-type='con'><p>T</p></fn></fn-group>", "author-contributions"),
    "contributions": (
        "back",
        "<sec><title>Authors’ contributions</title><p>T</p></sec>",
        "author-contributions",
    ),
    "CRediT": (
        "back",
        "<sec><title>CRediT authorship contribution statement</title><p>T</p></sec>",
        "author-contributions",
    ),
    "ethics": (
        "back",
        "<sec><title>Ethics approval and consent to participate</title><p>T</p></sec>",
        "ethics",
    ),
    "irb": ("back", "<sec><title>Institutional Review Board Statement</title><p>T</p></sec>", "ethics"),
    "consent": ("back", "<sec><title>Consent for publication</title><p>T</p></sec>", "consent"),
    "ack": ("back", "<ack><p>T</p></ack>", "acknowledgements"),
    "acknowledgments sec": ("back", "<sec><title>Acknowledgments</title><p>T</p></sec>", "acknowledgements"),
    "funding sec": ("back", "<sec><title>Funding</title><p>T</p></sec>", "funding"),
    "funding in ack": ("back", "<ack><sec><title>Financial support</title><p>T</p></sec></ack>", "funding"),
    "funding fn": (
        "back",
        "<fn-group><fn fn-type='financial-disclosure'><p>T</p></fn></fn-group>",
        "funding",
    ),
    "funding-statement": (
        "meta",
        "<funding-group><funding-statement>T</funding-statement></funding-group>",
        "funding",
    ),
    "trial": ("back", "<sec><title>Trial registration</title><p>T</p></sec>", "trial-registration"),
    "glossary": ("back", "<glossary><title>Abbreviations</title><p>T</p></glossary>", "abbreviations"),
    "supplement": (
        "back",
        "<sec sec-type='supplementary-material'><title>S</title><p>T</p></sec>",
        "supplementary-material",
    ),
    "agradecimentos": ("back", "<ack><title>Agradecimentos</title><p>T</p></ack>", "acknowledgements"),
    "publisher's note": ("back", "<sec><title>Publisher’s Note</title><p>T</p></sec>", "publisher-note"),
}


@pytest.mark.parametrize("style", STATEMENTS)
def test_back_matter_is_typed_whatever_the_publishers_tagging(style: str) -> None:
    """Funding, data, interests, ethics, contributions, consent, acknowledgements, trials: by attribute or title."""
    place, xml, expected = STATEMENTS[style]
    found = document(**{place: xml}).pubweave.statements

    assert expected in [one.type for one in found]
    assert all(one.evidence for one in found)


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("1. Introduction", "introduction"), ("Background", "introduction"), ("2 Materials and Methods", "methods"),
        ("Statistical analysis", "methods"), ("Experimental Section", "methods"), ("Results and discussion", "results-discussion"),
        ("III. RESULTS", "results"), ("Discussion", "discussion"), ("Concluding remarks", "conclusions"),
        ("Case presentation", "case-report"), ("Métodos", "methods"), ("The wings of bees", ""), ("Resultsbook", ""),
    ],
)  # fmt: skip
def test_canonical_types_of_titles(title: str, expected: str) -> None:
    """Numbers and capitals do not matter; what is not known has no type."""
    assert type_of_title(title) == expected


def test_paths_and_types_run_down_the_sections() -> None:
    """Each section has the titles above it, and its parent's type if it has none."""
    found = document(
        body="<sec><title>Methods</title><sec><title>Bees</title><p>x</p></sec></sec><sec sec-type='intro'><title>Why</title></sec>"
    )

    assert [(one.path, one.type) for one in found.body_sections] == [
        (["Methods"], "methods"), (["Methods", "Bees"], "methods"), (["Why"], "introduction"),
    ]  # fmt: skip


def test_sections_of_an_abstract_are_abstract() -> None:
    """`results` means the article's results, not the line of a structured abstract."""
    found = document(
        meta="<abstract><sec><title>Results</title><p>short</p></sec></abstract>",
        body="<sec><title>Results</title><p>long</p></sec>",
    )

    assert text_of(find_sections(found, "results")) == "Results\n\nlong"
    assert text_of(find_sections(found, "abstract/results")) == "Results\n\nshort"
    assert [one.type for one in found.body_sections] == ["abstract", "abstract", "results"]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("methods", "Methods\n\nlead\n\nBees\n\nbuzz\n\nAnts\n\ncrawl"),
        ("Methods/bees", "Bees\n\nbuzz"),
        ("1.3", "Ants\n\ncrawl"),
        ("ref-list", "Refs\n\nR"),
        ("nothing", ""),
        ("methods/nothing", ""),
    ],
)
def test_sections_are_found_by_path(path: str, expected: str) -> None:
    """By id, title, canonical type or element; subsections come along."""
    found = document(
        body="<sec><title>Methods</title><p>lead</p><sec><title>Bees</title><p>buzz</p></sec><sec><title>Ants</title><p>crawl</p></sec>"
        "</sec><sec><title>Results</title><p>r</p></sec>",
        back="<ref-list><title>Refs</title><ref><mixed-citation>R</mixed-citation></ref></ref-list>",
    )

    assert text_of(find_sections(found, path)) == expected


LICENCES = {
    "href": (
        "<license xlink:href='http://creativecommons.org/licenses/by/4.0/'><license-p>x</license-p></license>",
        "CC-BY-4.0",
    ),
    "ali": (
        "<license><ali:license_ref xmlns:ali='http://www.niso.org/schemas/ali/1.0/'>https://creativecommons.org/licenses/by-nc-nd/4.0/"
        "</ali:license_ref><license-p>x</license-p></license>",
        "CC-BY-NC-ND-4.0",
    ),
    "link": (
        "<license><license-p>see <ext-link xlink:href='https://creativecommons.org/licenses/by-nc/3.0/igo/'>here</ext-link></license-p></license>",
        "CC-BY-NC-3.0-IGO",
    ),
    "words": (
        "<license><license-p>under the Creative Commons Attribution-NonCommercial 4.0 International License</license-p></license>",
        "CC-BY-NC-4.0",
    ),
    "code": ("<license><license-p>This article is CC BY-SA 4.0.</license-p></license>", "CC-BY-SA-4.0"),
    "zero": ("<license xlink:href='https://creativecommons.org/publicdomain/zero/1.0/'/>", "CC0-1.0"),
    "none": ("<copyright-statement>© All rights reserved</copyright-statement>", ""),
}


@pytest.mark.parametrize("style", LICENCES)
def test_licence_as_a_code_with_its_evidence(style: str) -> None:
    """By address or by words; what cannot be told stays empty, with the statement as it stands."""
    xml, expected = LICENCES[style]
    found: Licence = document(meta=f"<permissions>{xml}</permissions>").pubweave.licence

    assert found.code == expected
    assert bool(found.evidence) == bool(expected)


def test_funding_trials_supplements_dates_and_relations() -> None:
    """Awards with funder ids, registrations found in the text, files, history, related articles."""
    found = read(
        article(
            meta="<funding-group><award-group><funding-source><institution-wrap><institution-id>10.13039/1</institution-id><institution>"
            "Fund</institution></institution-wrap></funding-source><award-id>G1</award-id><principal-award-recipient>A"
            "</principal-award-recipient></award-group></funding-group><history><date date-type='received'><day>1</day><month>2</month>"
            "<year>2003</year></date></history><related-article related-article-type='retracted-article' ext-link-type='doi' "
            "xlink:href='10.1/old'>Old</related-article>",
            body="<sec><p>Registered as NCT01234567 and ISRCTN 12345678.</p><supplementary-material><label>S1</label><caption><p>Data."
            "</p></caption><media xlink:href='s1.csv' mimetype='text' mime-subtype='csv'/></supplementary-material></sec>",
        )
    ).pubweave

    assert plain(found.awards) == [
        {"funder": "Fund", "funder_id": "10.13039/1", "award_ids": ["G1"], "recipients": ["A"]}
    ]
    assert [(one.registry, one.id, one.evidence) for one in found.registrations] == [
        ("ClinicalTrials.gov", "NCT01234567", "1.1"), ("ISRCTN", "ISRCTN12345678", "1.1"),
    ]  # fmt: skip
    assert plain(found.supplements) == [
        {"content": "1.2", "href": "s1.csv", "label": "S1", "caption": "Data.", "mimetype": "text/csv"}
    ]
    assert plain(found.dates) == [{"type": "received", "date": "2003-02-01"}]
    assert plain(found.related) == [
        {"type": "retracted-article", "id": "10.1/old", "id_type": "doi", "text": "Old"}
    ]


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ({"body": "<sec><p>x</p></sec>"}, "full-text"),
        ({"meta": "<abstract><p>x</p></abstract>"}, "abstract-only"),
        ({"meta": "<abstract><sec><title>Aim</title><p>x</p></sec></abstract>"}, "abstract-only"),
        ({"meta": "<abstract abstract-type='teaser'><p>x</p></abstract>"}, "front-only"),
        ({"meta": "<title-group><article-title>x</article-title></title-group>"}, "front-only"),
        (
            {
                "body": "<supplementary-material content-type='scanned-pages'><graphic xlink:href='p1'/></supplementary-material>"
            },
            "scanned",
        ),
    ],
)
def test_the_form_tells_what_there_is(pieces: dict[str, str], expected: str) -> None:
    """Front-only and scanned articles are read and said to be so."""
    assert document(**pieces).pubweave.form == expected


def test_nesting_beyond_sense_is_refused_or_read() -> None:
    """Hundreds of levels of anything are read; sub-articles in sub-articles beyond twenty are given as text."""
    for tag in ("sec", "p", "italic", "list", "fig", "boxed-text", "alternatives"):
        assert (
            read(article(body=f"<{tag}>" * 240 + "x" + f"</{tag}>" * 240)).pubweave.conservation.words_flow
            == 1
        )
    found = read(
        "<article>" + "<sub-article>" * 30 + "<body><p>deep</p></body>" + "</sub-article>" * 30 + "</article>"
    )
    while found.pubweave.sub_articles:
        (found,) = found.pubweave.sub_articles

    assert ([one.text for one in found.pubweave.dropped_texts], found.warnings[-1].code) == (
        ["deep"],
        "sub-articles",
    )


def test_a_formula_nested_beyond_sense_keeps_its_letters() -> None:
    """No formula is a reason to refuse the article."""
    math = "<mrow>" * 230 + "<mi>x</mi>" + "</mrow>" * 230
    (found,) = document(
        body=f"<p>a <inline-formula><math>{math}</math></inline-formula> b</p>"
    ).pubweave.formulae

    assert found.text == "x"


DIALECTS = {
    "NLM 2.3": "<article><front><article-meta><title-group><article-title>T</article-title></title-group></article-meta></front><body><sec><p>x"
    "<sup><xref ref-type='bibr' rid='b'>1</xref></sup></p></sec></body><back><ref-list><ref id='b'><nlm-citation citation-type='journal'>"
    "<person-group><name><surname>N</surname></name></person-group><year>1</year></nlm-citation></ref></ref-list></back><floats-wrap><fig><label>F"
    "</label></fig></floats-wrap></article>",
    "NLM 3.0 citation": "<article><body><p>x</p></body><back><ref-list><ref id='b'><citation citation-type='book'><source>S</source></citation></ref>"
    "</ref-list></back></article>",
    "BITS chapter": "<book-part book-part-type='chapter'><book-part-meta><title-group><title>T</title></title-group></book-part-meta><body><p>x</p>"
    "</body></book-part>",
    "Pensoft": "<article xmlns:tp='http://www.plazi.org/taxpub'><body><tp:taxon-treatment><tp:nomenclature>Aus bus</tp:nomenclature><tp:treatment-sec>"
    "<title>D</title><p>x</p></tp:treatment-sec></tp:taxon-treatment></body></article>",
    "Elsevier in PMC": f"<article {MML}><body><sec id='s1'><label>1</label><title>I</title><p id='p1'>x<xref rid='b' ref-type='bibr'>[1]</xref></p></sec></body>"
    "<back><ref-list><ref id='b'><label>1.</label><element-citation publication-type='journal'><year>1</year></element-citation></ref></ref-list></back></article>",
    "SciELO": "<article specific-use='sps-1.9' xml:lang='pt'><body><sec sec-type='intro'><title>I</title><p>x</p></sec></body><sub-article xml:lang='en'>"
    "<body><sec><p>y</p></sec></body></sub-article></article>",
    "JATS 1.3 processing-meta": "<article><processing-meta><restricted-by>pmc</restricted-by></processing-meta><front/><body><p>x</p></body></article>",
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_other_dialects_are_read_whole(dialect: str) -> None:
    """NLM 2 and 3, BITS, TaxPub, publishers' and repositories' habits: the law holds and the text is there."""
    found = read(DIALECTS[dialect])

    assert any("x" in str(content.text) for section in found.body_sections for content in section.contents)
