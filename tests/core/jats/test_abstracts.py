"""Of several abstracts the article's own is `abstract`, wherever it comes; all others keep their own titles."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.jats.making import article, document, outline, read
from pubweave.core.reading.jats.plain import PlainArticle, articles, parse_xml, read_plain
from pubweave.core.reading.jats.sections import find_sections, text_of
from shared_data import needs_shared_data, shared_data

OWN = "<abstract><title>Summary</title><p>What we found.</p></abstract>"
OTHERS = {
    "graphical": "<abstract abstract-type='graphical'><title>Graphical abstract</title><p><fig><graphic/></fig>Arrows.</p></abstract>",
    "highlights": "<abstract abstract-type='author-highlights'><title>Highlights</title><p>Bees fly.</p></abstract>",
    "teaser": "<abstract abstract-type='teaser'><p>Do bees fly?</p></abstract>",
    "précis": "<abstract abstract-type='precis'><title>Précis</title><p>Bees, briefly.</p></abstract>",
    "plain language": "<abstract abstract-type='plain-language-summary'><title>Plain words</title><p>Bees can fly.</p></abstract>",
    "contents": "<abstract abstract-type='toc'><p>Bees on page 3.</p></abstract>",
    "untyped highlights": "<abstract><title>Highlights</title><p>Bees fly.</p></abstract>",
    "untyped author summary": "<abstract><title>Author Summary</title><p>We watched bees.</p></abstract>",
    "untyped picture": "<abstract><fig><caption><p>A bee.</p></caption><graphic/></fig></abstract>",
    "translator's": "<abstract abstract-type='translator' xml:lang='fr'><p>Les abeilles.</p></abstract>",
    "in another language": "<abstract xml:lang='es'><p>Las abejas.</p></abstract>",
    "translated": "<trans-abstract xml:lang='de'><title>Kurzfassung</title><p>Bienen.</p></trans-abstract>",
    "author summary": "<abstract abstract-type='summary'><title>Author Summary</title><p>We watched bees.</p></abstract>",
    "executive summary": "<abstract abstract-type='executive-summary'><title>eLife digest</title><p>Bees!</p></abstract>",
}  # fmt: skip


def plainly(xml: str) -> PlainArticle:
    (found,) = articles(parse_xml(xml.encode()))
    return read_plain(found)


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("first", [True, False], ids=["before it", "after it"])
def test_what_stands_beside_the_abstract_is_not_it(name: str, first: bool) -> None:
    """In the record and in the document, before or after: the own one is `abstract` and the second section (B-10)."""
    xml = article(meta=OTHERS[name] + OWN if first else OWN + OTHERS[name], attributes="xml:lang='en'")
    found = read(xml)

    assert plainly(xml).abstract == "Summary\n\nWhat we found."
    assert found.abstract == "What we found."
    assert outline(found.body_sections[:1]) == ["1 abstract implicit L1 Abstract", "1.1 p: What we found."]


@pytest.mark.parametrize("name", [name for name in OTHERS if name != "in another language"])
def test_it_does_not_stand_in_for_an_abstract_that_is_not_there(name: str) -> None:
    """An article with nothing but highlights has no abstract, as far as the record can tell."""
    found = document(meta=OTHERS[name])

    assert (plainly(article(meta=OTHERS[name])).abstract, found.abstract) == ("", "")
    assert [(one.implicit, one.title == "Abstract") for one in found.body_sections] == [(False, False)]


@pytest.mark.parametrize("kind", ["summary", "executive-summary", "short"])
def test_a_summary_is_the_abstract_where_there_is_no_other(kind: str) -> None:
    """Journals that call their abstract so."""
    found = document(meta=f"<abstract abstract-type='{kind}'><p>Aim and results.</p></abstract>")

    assert (found.abstract, found.body_sections[0].title) == ("Aim and results.", "Abstract")


def test_others_keep_their_own_titles() -> None:
    """Titles are text of the article, the own abstract's alone is set (B-28); types tell them apart."""
    found = document(meta=OTHERS["highlights"] + OTHERS["translated"] + OWN + OTHERS["teaser"])

    assert [(one.id, one.title, one.implicit, one.type) for one in found.body_sections] == [
        ("1", "Abstract", True, "abstract"),
        ("2", "Highlights", False, "further-abstract"),
        ("3", "Kurzfassung", False, "abstract"),
        ("4", "", False, "further-abstract"),
    ]
    assert text_of(find_sections(found, "further-abstract")) == "Highlights\n\nBees fly.\n\nDo bees fly?"
    assert "Bees fly" not in text_of(find_sections(found, "abstract"))


def test_an_abstract_in_pieces_is_whole_and_one_given_twice_is_one() -> None:
    """Nothing of it is lost, nothing stands twice."""
    pieces = "<abstract><p>Aim.</p></abstract><abstract><p>Results.</p></abstract>"

    assert document(meta=pieces).abstract == "Aim. Results."
    assert plainly(article(meta=pieces)).abstract == "Aim.\n\nResults."
    assert document(meta=OWN + OWN).abstract == "What we found."
    assert plainly(article(meta=OWN + OWN)).abstract == "Summary\n\nWhat we found."


@given(st.permutations(sorted(OTHERS)), st.integers(0, len(OTHERS)), st.integers(0, len(OTHERS)))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_any_number_in_any_order(names: list[str], count: int, place: int) -> None:
    """However many stand there in whatever order, the abstract is the same and no word is lost (`read` checks the law)."""
    given_ = [OTHERS[name] for name in names[:count]]
    given_.insert(min(place, count), OWN)
    found = read(
        article(
            meta="<title-group><article-title>T</article-title></title-group>" + "".join(given_),
            attributes="xml:lang='en'",
        )
    )

    assert found.abstract == "What we found."
    assert outline(found.body_sections)[:4] == [
        "1 title implicit L1 Title", "1.1 p: T", "2 abstract implicit L1 Abstract", "2.1 p: What we found.",
    ]  # fmt: skip
    numbers = [int(one.id) for one in found.body_sections if one.level == 1]
    assert numbers == list(range(1, count + 3))


@needs_shared_data
def test_recorded_articles_have_their_own_abstracts() -> None:
    """By eye: how the abstracts begin of those recorded articles in which another abstract stands first."""
    begins = {
        "10.1590_S2237-96222023000200017.xml": "The objective of this report was",
        "10.31744_einstein_journal_2024AO0328.xml": "Objective: To develop and validate",
        "PMC2467521.xml": "One of the most cumbersome",
        "PMC4375606.xml": "Over the past centuries",
        "PMC6097586.xml": "Wheat is an important staple",
        "10.1126_science.abm3231.xml": "After large galaxies merge",
        "PMC3767938.xml": "Aim The aim of the CEntralised",
        "10.1073_pnas.2201344119.xml": "",
    }
    for name, begin in begins.items():
        (root,) = itertools.islice(
            articles(parse_xml(shared_data("europepmc-fulltext", name).read_bytes())), 1
        )
        xml = read_plain(root)
        said = read(shared_data("europepmc-fulltext", name).read_bytes()).abstract

        assert (name, said[: len(begin)], bool(said)) == (name, begin, bool(begin))
        assert bool(xml.abstract) == bool(begin)
