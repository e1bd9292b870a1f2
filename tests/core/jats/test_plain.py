"""Plain reading: the parts and fields that the pipeline takes from JATS (F-EFT, F-CA)."""

import pytest

from pubweave.core.reading.emails import match_emails
from pubweave.core.reading.jats.plain import PlainArticle, PlainAuthor, articles, parse_xml, read_plain
from shared_data import needs_shared_data, shared_data


def plain(
    front: str = "", body: str = "", back: str = "", after: str = "", journal: str = ""
) -> PlainArticle:
    body = f"<body>{body}</body>" if body else ""
    back = f"<back>{back}</back>" if back else ""
    xml = (
        f"<article xmlns:xlink='http://www.w3.org/1999/xlink'><front><journal-meta>{journal}</journal-meta>"
        f"<article-meta>{front}</article-meta></front>{body}{back}{after}</article>"
    )
    (article,) = articles(parse_xml(xml.encode()))
    return read_plain(article)


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("pmid", "123", ("123", "", "")),
        ("pmid", "0123", ("", "", "")),
        ("pmc", "77", ("", "PMC77", "")),
        ("pmcid", "77", ("", "PMC77", "")),
        ("pmcid", "PMC77", ("", "PMC77", "")),
        ("pmcaid", "77", ("", "", "")),
        ("doi", "10.1/aB", ("", "", "10.1/aB")),
        ("doi", "https://doi.org/10.1/aB", ("", "", "10.1/aB")),
        ("doi", "10.1/a b", ("", "", "")),
        ("publisher-id", "10.1/a", ("", "", "")),
    ],
)
def test_identifiers_of_all_taggings(kind: str, text: str, expected: tuple[str, str, str]) -> None:
    """F-EFT-04: pmc and pmcid, bare and prefixed; what is not valid is not taken."""
    found = plain(f"<article-id pub-id-type='{kind}'>{text}</article-id>")

    assert (found.pmid, found.pmcid, found.doi) == expected


def test_identifiers_of_references_and_sub_articles_are_not_the_articles() -> None:
    """Only the article's own article-meta counts."""
    found = plain(
        "<related-article><article-id pub-id-type='doi'>10.9/other</article-id></related-article>",
        body="<p>x</p>",
        back="<ref-list><ref><pub-id pub-id-type='pmid'>5</pub-id></ref></ref-list>",
        after="<sub-article><front-stub><article-id pub-id-type='doi'>10.9/sub</article-id></front-stub>"
        "<body><p>Sub text</p></body></sub-article>",
    )

    assert (found.pmid, found.doi, found.body) == ("", "", "x")


def test_title_subtitle_keywords_journal() -> None:
    """F-EFT-05, 06, 10: markup joins, TeX and footnote marks go, keywords keep order without repeats."""
    found = plain(
        "<title-group><article-title>H<sub>2</sub>O in <italic>E. coli</italic><xref ref-type='fn'>*</xref> at "
        "<inline-formula><alternatives><tex-math>\\document</tex-math><math><mi>x</mi></math></alternatives></inline-formula>"
        "</article-title><subtitle>a story</subtitle></title-group>"
        "<kwd-group><kwd>B </kwd><kwd>a</kwd><kwd>B</kwd><kwd/></kwd-group>",
        journal="<journal-title-group><journal-title>J. Test</journal-title></journal-title-group>",
    )

    assert (found.title, found.subtitle, found.keywords, found.journal_title) == (
        "H2O in E. coli at x",
        "a story",
        ("B", "a"),
        "J. Test",
    )


def test_abstract_is_the_main_one_in_paragraphs() -> None:
    """F-EFT-07: sections are descended into; graphical and translated abstracts are others."""
    found = plain(
        "<abstract abstract-type='graphical'><p>Picture</p></abstract><abstract><title>Abstract</title><sec>"
        "<title>Aim</title><p>We ask.</p></sec><p>End.</p></abstract><trans-abstract><p>Ziel</p></trans-abstract>"
    )

    assert found.abstract == "Abstract\n\nAim\n\nWe ask.\n\nEnd."


def test_body_and_the_back_matter_that_belongs_to_the_text() -> None:
    """F-EFT-08, 09, F-PT-09: captions, supplements, glossary, notes and floats; no back matter of other kinds."""
    found = plain(
        body="<p>Lead.</p><sec><title>Intro</title><p>One <xref>1</xref>.</p><sec><p>Deep.</p>"
        "<fig><label>Fig 1</label><caption><p>Cap.</p></caption><permissions><p>©</p></permissions></fig></sec></sec>"
        "<sig-block>Signed</sig-block>",
        back="<ack><p>Thanks</p></ack><glossary><def-list><def-item><term>T</term><def><p>Def</p></def></def-item>"
        "</def-list></glossary><notes><p>Note</p><fn-group><fn>Foot</fn></fn-group></notes>"
        "<sec><title>Data</title><p>Here.</p></sec><app-group><app><p>App</p></app></app-group>"
        "<fn-group><fn><p>Foot</p></fn></fn-group><bio><p>Bio</p></bio><ref-list><ref>Ref</ref></ref-list>",
        after="<floats-group><table-wrap><label>T1</label><table><tr><td>a</td><td>b</td></tr></table></table-wrap>"
        "</floats-group>",
    )

    assert found.body.split("\n\n") == [
        "Lead.", "Intro", "One 1.", "Deep.", "Fig 1 Cap.", "T Def", "Note", "Data", "Here.", "T1 a b",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("body", "back", "expected"),
    [
        ("", "<notes><p>only notes</p></notes>", (False, "")),
        (
            "<supplementary-material content-type='scanned-pages'><p>p. 1</p></supplementary-material>",
            "",
            (False, ""),
        ),
        ("<sec><title/><p> </p></sec>", "", (False, "")),
        ("<p>One word</p>", "", (True, "One word")),
    ],
)
def test_an_article_without_body_text_says_so(body: str, back: str, expected: tuple[bool, str]) -> None:
    """Abstract-only answers and scans are never taken for full text."""
    found = plain(body=body, back=back)

    assert (found.has_body, found.body) == expected


def test_a_withheld_article_is_restricted() -> None:
    """PMC's comment in a front-only article is evidence that the publisher withholds the text."""
    comment = "<!--The publisher of this article does not allow downloading of the full text in XML form.-->"

    assert plain("", after=comment).restricted
    assert not plain("", after="<!-- nothing -->").restricted
    assert not plain("", body="<p>Text</p>", after=comment).restricted


def contrib(given: str, surname: str, inner: str = "", attributes: str = "") -> str:
    name = f"<name><surname>{surname}</surname><given-names>{given}</given-names></name>"
    return f"<contrib contrib-type='author' {attributes}>{name}{inner}</contrib>"


def corresp(contributors: str, notes: str = "") -> tuple[PlainAuthor, ...]:
    notes = f"<author-notes>{notes}</author-notes>" if notes else ""
    return plain(f"<contrib-group>{contributors}</contrib-group>{notes}").corresp_authors


def test_flagged_author_with_an_address_of_their_own() -> None:
    """F-CA-01, 02: corresp='yes'; ORCID, e-mail, phone and uri stand with the contributor."""
    found = corresp(
        contrib("Ann", "Noun")
        + contrib(
            "Bo",
            "Verb",
            "<contrib-id contrib-id-type='orcid'>https://orcid.org/0000-0001-2345-6789</contrib-id>"
            "<address><phone>+1 23</phone><email>bo@x.org</email><uri>http://bo</uri></address>",
            "corresp='yes'",
        )
    )

    assert found == (
        PlainAuthor("Bo Verb", "https://orcid.org/0000-0001-2345-6789", "bo@x.org", "+1 23", "http://bo"),
    )


def test_flagged_by_reference_with_free_text_in_the_note() -> None:
    """F-CA-01, 02, 04: xref of type corresp; `e-mail:` and `tel:` are found in the note's text."""
    found = corresp(
        contrib("Ann", "Noun", "<xref ref-type='corresp' rid='c1'/>"),
        "<corresp id='c1'>Write to A. Noun. Tel: +44 20 7946 0000; e-mail: ann.noun@x.org.</corresp>",
    )

    assert found == (PlainAuthor("Ann Noun", "", "ann.noun@x.org", "+44 20 7946 0000", ""),)


def test_noted_by_footnote_when_nobody_is_flagged() -> None:
    """F-CA-01, second way: a cross-reference of type author-notes to a footnote."""
    found = corresp(
        contrib("Ann", "Noun") + contrib("Bo", "Verb", "<xref ref-type='author-notes' rid='n1'/>"),
        "<fn id='n1'><p>Reach <email>bv@x.org</email></p></fn>",
    )

    assert found == (PlainAuthor("Bo Verb", email="bv@x.org"),)


def test_named_in_the_note_when_nobody_is_marked() -> None:
    """F-CA-01, third way: the surname stands in the corresp element."""
    found = corresp(
        contrib("Ann", "Noun") + contrib("Bo", "Verb"),
        "<corresp>To Dr. Verb, <email>bo@x.org</email></corresp>",
    )

    assert found == (PlainAuthor("Bo Verb", email="bo@x.org"),)


def test_common_note_is_shared_out_by_name() -> None:
    """F-CA-03: several authors, several addresses in one note, each used once."""
    found = corresp(
        contrib("José", "Núñez", "<xref ref-type='corresp' rid='c'/>")
        + contrib("Li", "Wei", "<xref ref-type='corresp' rid='c'/>"),
        "<corresp id='c'><email>liwei@y.cn</email>; <email>jnunez2@x.org</email></corresp>",
    )

    assert [(one.name, one.email) for one in found] == [
        ("José Núñez", "jnunez2@x.org"),
        ("Li Wei", "liwei@y.cn"),
    ]


@pytest.mark.parametrize(
    ("names", "emails", "expected"),
    [
        pytest.param(["Ann Noun"], ["info@x.org"], ["info@x.org"], id="one and one need no likeness"),
        pytest.param(
            ["Al Be", "Be Al Ce"], ["bealce@x", "albe@x"], ["albe@x", "bealce@x"], id="whole name first"
        ),
        pytest.param(["Ann Noun", "Bo Verb"], ["verb7@x", "noun@x"], ["noun@x", "verb7@x"], id="a part"),
        pytest.param(["Ann Mary Noun", "Bo Verb"], ["bv@x", "amn@x"], ["amn@x", "bv@x"], id="initials"),
        pytest.param(
            ["Maximilian Q", "Bo Verb"], ["maxim@x", "zz@x"], ["maxim@x", ""], id="shortened; no guess"
        ),
    ],
)
def test_emails_are_matched_in_passes(names: list[str], emails: list[str], expected: list[str]) -> None:
    """F-CA-03: passes of decreasing strictness, each address once."""
    assert match_emails(names, emails) == expected


@needs_shared_data
def test_every_recorded_article_is_read() -> None:
    """All real files are read; no LaTeX leaks; full texts have bodies, lists of other things have no article."""
    count, without_article, latex, with_body = 0, [], [], 0
    for path in sorted(shared_data("europepmc-fulltext").glob("*.xml")):
        found = articles(parse_xml(path.read_bytes()))
        if not found:
            without_article.append(path.name)
        for one in map(read_plain, found):
            count += 1
            with_body += one.has_body
            latex += [path.name] * ("\\begin{" in one.body + one.title + one.abstract)

    assert (count, without_article, latex) == (201, ["pmc_s3_listing_PMC13625194.xml"], [])
    assert with_body >= 180


REFERS = "<xref ref-type='corresp' rid='c'/>"


@pytest.mark.parametrize(
    ("note", "phones"),
    [
        ("To Ann Noun or Bo Verb, Town. Phone: 780-492-2136; Fax: 1; ann@x.org or verb@x.org", ["780-492-2136"] * 2),
        ("Ann Noun, ann@x.org; Bo Verb, verb@x.org; Tel. 780-492-2136", ["780-492-2136"] * 2),
        ("<email>ann@x.org</email>, <email>verb@x.org</email>, <phone>12345</phone>", ["12345"] * 2),
        ("Tel: 780-492-2136", ["780-492-2136"] * 2),
        ("Ann Noun, Tel. 780-492-2136, ann@x.org; Bo Verb, verb@x.org", ["780-492-2136", ""]),
        ("Tel: 11 11 11, ann@x.org; Tel: 22 22 22, verb@x.org", ["11 11 11", "22 22 22"]),
        ("verb@x.org, Tel: 22 22 22, ann@x.org", ["22 22 22"] * 2),
    ],
    ids=["before", "after", "tagged", "no e-mails", "of the first only", "one each", "between"],
)  # fmt: skip
def test_a_telephone_in_a_common_note_is_not_lost(note: str, phones: list[str]) -> None:
    """F-CA-02: one that two authors share is both's; one that stands before a name belongs to somebody before it."""
    found = corresp(
        contrib("Ann", "Noun", REFERS) + contrib("Bo", "Verb", REFERS), f"<corresp id='c'>{note}</corresp>"
    )

    assert [(one.name, one.phone) for one in found] == list(zip(["Ann Noun", "Bo Verb"], phones, strict=True))


@pytest.mark.parametrize(
    ("said", "phone"),
    [
        ("Tel +1\u2010406\u2010994\u20106717; fax +1\u2010406\u2010994\u20101848", "+1\u2010406\u2010994\u20106717"),
        ("Phone/ Fax: +542914861700", "+542914861700"),
        ("Tel. and Fax. (01) 23 45 67", "(01) 23 45 67"),
        ("Fax: +1 234 567", ""),
        ("Hotel 12345678", ""),
    ],
)  # fmt: skip
def test_telephones_as_they_are_written(said: str, phone: str) -> None:
    """F-CA-04: hyphens of any kind, a number that is a fax as well."""
    (found,) = corresp(contrib("Ann", "Noun", REFERS), f"<corresp id='c'>{said}; ann@x.org</corresp>")

    assert (found.phone, found.email) == (phone, "ann@x.org")


def test_authors_whom_a_note_names_with_an_address_are_there_too() -> None:
    """Only one of the two is flagged; the other's name and address stand in the same note."""
    found = corresp(
        contrib("Ann", "Noun", REFERS) + contrib("Bo", "Verb") + contrib("Cy", "Noun-Like"),
        "<corresp id='c'>CONTACT Bo Verb b.verb@x.org; Ann Noun a.noun@x.org</corresp>",
    )

    assert [(one.name, one.email) for one in found] == [
        ("Ann Noun", "a.noun@x.org"),
        ("Bo Verb", "b.verb@x.org"),
    ]


@pytest.mark.parametrize(
    ("contributors", "notes", "expected"),
    [
        (contrib("Ann", "Noun", "<address><email>x1@x.org</email></address>") + contrib("Bo", "Verb"), "",
         [("Ann Noun", "x1@x.org")]),
        (contrib("Ann", "Noun", "<xref ref-type='aff' rid='a'/>") + contrib("Bo", "Verb", "<xref ref-type='aff' rid='b'/>")
         + "<aff id='a'>Uni, Town</aff><aff id='b'>Uni, City <email>x1@x.org</email></aff>", "", [("Bo Verb", "x1@x.org")]),
        (contrib("Ann", "Noun", "<aff>Uni, Town. noun@x.org</aff>") + contrib("Bo", "Verb"), "", [("Ann Noun", "noun@x.org")]),
        (contrib("Ann", "Noun") + contrib("Bo", "Verb"), "<corresp><email>bo.v@x.org</email></corresp><corresp>anoun@x.org</corresp>",
         [("Ann Noun", "anoun@x.org"), ("Bo Verb", "bo.v@x.org")]),
        (contrib("Ann", "Noun") + contrib("Bo", "Verb"), "<corresp><email>lab@x.org</email></corresp>", [("", "lab@x.org")]),
        (contrib("Ann", "Noun") + contrib("Bo", "Verb"), "", []),
    ],
    ids=["an address beside the name", "in the affiliation", "in one's own affiliation", "made from names",
         "made from nobody's name", "none"],
)  # fmt: skip
def test_where_nobody_is_marked_addresses_tell(
    contributors: str, notes: str, expected: list[tuple[str, str]]
) -> None:
    """Beyond F-CA-01, whose three ways found nobody: an address for letters is not lost."""
    assert [(one.name, one.email) for one in corresp(contributors, notes)] == expected


@needs_shared_data
def test_recorded_addresses_and_telephones_are_not_lost() -> None:
    """By eye, of articles whose notes have them."""
    told = {
        "PMC12578317": [("Natalia Szóstak", "nszostak@ibch.poznan.pl", ""), ("Anna Philips", "aphilips@ibch.poznan.pl", "")],
        "PMC6015254": [("Parvin Mirmiran", "Parvin.mirmiran@sbmu.ac.ir", "+98-2122432503")],
        "PMC2640145": [("D. Fontenille", "fontenil@dakar.orstom.sn", "")],
        "10.1590_1982-2554201729575": [("Alan Cholodenko", "alan.cholodenko@sydney.edu.au", "")],
    }  # fmt: skip
    for name, expected in told.items():
        (root,) = articles(parse_xml(shared_data("europepmc-fulltext", f"{name}.xml").read_bytes()))
        found = {(one.name, one.email, one.phone) for one in read_plain(root).corresp_authors}

        assert (name, found) == (name, set(expected))
    (root,) = articles(parse_xml(shared_data("pmc", "biomcp_cloud_pmc3040717.1.xml").read_bytes()))
    assert [one.phone for one in read_plain(root).corresp_authors] == ["780-492-2136"] * 2
