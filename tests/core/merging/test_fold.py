"""Filling precedence, one row a rule (chapter 4.3), and the law that order and repeats change nothing."""

import random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flow.worlds import arbitrary_world, question, say
from pubweave.contract.exchange import Reply
from pubweave.contract.field_candidate import FieldCandidate
from pubweave.contract.part_candidate import PartCandidate
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.run_accepted import RunAccepted
from pubweave.contract.values import (
    BlobRef,
    CorrespAuthor,
    Identifiers,
    Place,
    RunSettings,
    Thresholds,
    VisitedSite,
)
from pubweave.contract.vocabulary import CONTENT_PARTS
from pubweave.core.merging.decide import Abilities, record_of, walk
from pubweave.core.merging.fold import Draft
from pubweave.core.merging.state import PublicationState, StateRow
from pubweave.core.record import is_final, is_usable
from pubweave.merger.handler import advance, answer_claim, send

SETTINGS = RunSettings(thresholds=Thresholds(abstractMinLength=20, fulltextMinLength=50))
PLACE = Place(1, 1, 1, 1, 1, 0)


def candidate(part: str, type_: str, size: int, text: str = "", **more: Any) -> PartCandidate:
    text = text or ("x" * size if part in ("title", "theAbstract", "fulltext") else "")
    words = tuple(f"w{n}" for n in range(size)) if part == "keywords" else ()
    return PartCandidate(
        publication="p",
        need="n",
        answer="a",
        place=PLACE,
        fetched_at=7,
        part=part,  # type: ignore[arg-type]
        type=type_,  # type: ignore[arg-type]
        url=f"at-{type_}",
        size=len(text) or size,
        text=text,
        words=words,
        **more,
    )


def field(name: str, **values: Any) -> FieldCandidate:
    return FieldCandidate(
        publication="p",
        need="n",
        answer="a",
        place=PLACE,
        fetched_at=7,
        field=name,
        url="u",
        **values,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("rule", "part", "first", "second", "verdict"),
    [
        (
            "F-FILL-01 a final part stays",
            "theAbstract",
            ("europepmc", 25),
            ("pubmed_xml", 90),
            "final-already",
        ),
        (
            "F-FILL-03 a better type replaces, though shorter",
            "theAbstract",
            ("og", 90),
            ("citation", 3),
            "better-type",
        ),
        (
            "F-FILL-03 a final type replaces any other",
            "title",
            ("webpage", 90),
            ("link_oadoi", 1),
            "better-type",
        ),
        (
            "F-FILL-04 the larger of two final ones",
            "theAbstract",
            ("europepmc", 10),
            ("pubmed_xml", 15),
            "larger",
        ),
        ("F-FILL-04 not the smaller", "theAbstract", ("europepmc", 10), ("pubmed_xml", 9), "not-better"),
        ("F-FILL-04 nor the equal", "theAbstract", ("europepmc", 10), ("pubmed_xml", 10), "not-better"),
        (
            "F-FILL-05 a larger one of the same lower type does not",
            "theAbstract",
            ("og", 10),
            ("og", 90),
            "not-better",
        ),
        ("F-FILL-05 nor of a worse one", "keywords", ("citation", 1), ("dc", 9), "not-better"),
        (
            "F-PT-10 a web page's full text is never final",
            "fulltext",
            ("webpage", 90),
            ("pdf_doi", 60),
            "better-type",
        ),
        ("F-TY-10 keywords need two", "keywords", ("europepmc", 1), ("pmc_xml", 2), "larger"),
    ],
)
def test_two_candidates_of_a_part(
    rule: str, part: str, first: tuple[str, int], second: tuple[str, int], verdict: str
) -> None:
    """T-017."""
    draft = Draft()
    draft.take(candidate(part, *first), SETTINGS)
    before = draft.parts[part]  # type: ignore[index]

    assert draft.take(candidate(part, *second), SETTINGS) == verdict, rule
    changed = draft.parts[part] is not before  # type: ignore[index]
    assert changed == (verdict in ("better-type", "larger"))
    if changed:  # F-FILL-07: all of it is set together
        now = draft.parts[part]  # type: ignore[index]
        assert (now.type, now.url, now.timestamp, now.size) == (second[0], f"at-{second[0]}", 7, second[1])


def test_empty_and_unrequested_candidates_change_nothing() -> None:
    """F-FILL-02, F-FILL-09; identifiers are filled whatever was requested (T-019)."""
    draft = Draft()
    only_title = RunSettings(parts=("title",))

    assert draft.take(candidate("title", "europepmc", 0), SETTINGS) == "empty"
    assert draft.take(candidate("theAbstract", "europepmc", 30), only_title) == "not-requested"
    assert draft.take(candidate("pmid", "europepmc", 0, "12"), only_title) == "first"


@pytest.mark.parametrize(
    ("known", "found", "marks", "verdict", "value", "type_"),
    [
        (("external", "11"), ("europepmc", "12"), (), "better-type", "12", "europepmc"),
        (("europepmc", "11"), ("pubmed_xml", "12"), (), "final-already", "11", "europepmc"),
        (("citation", "11"), ("citation", "123456"), (), "not-better", "11", "citation"),
        (("external", "11"), ("europepmc", "11"), (), "better-type", "11", "europepmc"),
        (("external", "11"), ("link_oadoi", "12"), ("unless-external",), "not-external", "11", "external"),
    ],
)
def test_identifiers(
    known: tuple[str, str], found: tuple[str, str], marks: Any, verdict: str, value: str, type_: str
) -> None:
    """F-FILL-06, F-TY-11, F-LNK-04, T-018: only finality and better types count."""
    draft = Draft()
    draft.take(candidate("pmid", known[0], 0, known[1]), SETTINGS)

    assert draft.take(candidate("pmid", found[0], 0, found[1], marks=marks), SETTINGS) == verdict
    assert (draft.parts["pmid"].text, draft.parts["pmid"].type) == (value, type_)


@pytest.mark.parametrize(("new", "marks"), [("10.1/X.2", ()), ("10.5281/ZENODO.77", ("variant-of-known",))])
def test_a_version_keeps_the_old_value_with_the_better_type(new: str, marks: Any) -> None:
    """F-ID-41: by its suffix, or because it was found at zenodo.org."""
    draft = Draft()
    draft.supply(Identifiers(doi="10.1/X"), Identifiers(doi="tool"), PLACE, 1)

    assert draft.take(candidate("doi", "europepmc", 0, new, marks=marks), SETTINGS) == "variant"
    assert (draft.parts["doi"].text, draft.parts["doi"].type, draft.parts["doi"].url) == (
        "10.1/X",
        "europepmc",
        "at-europepmc",
    )


def test_a_contested_identifier_is_left_to_the_one_submitted_first() -> None:
    """Design law 4."""
    draft = Draft()

    assert (
        draft.take(candidate("doi", "europepmc", 0, "10.1/X"), SETTINGS, frozenset({("doi", "10.1/X")}))
        == "contested"
    )
    assert draft.parts["doi"].is_empty


def test_a_text_without_body_is_never_final_and_gives_way() -> None:
    """Fault 31: a long abstract does not make a full text."""
    draft = Draft()
    draft.take(candidate("fulltext", "europepmc_xml", 200, marks=("never-final",)), SETTINGS)

    assert not draft.is_final("fulltext", SETTINGS.thresholds)
    assert draft.take(candidate("fulltext", "pmc_xml", 60), SETTINGS) == "has-body"
    assert draft.is_final("fulltext", SETTINGS.thresholds)


def test_a_body_beats_none_whatever_its_type() -> None:
    """Fault 31: a longer text with a body takes the place, and is not lost to another one without."""
    draft = Draft()
    draft.take(candidate("fulltext", "europepmc_xml", 40, marks=("never-final",)), SETTINGS)

    assert draft.take(candidate("fulltext", "pdf_oadoi", 30), SETTINGS) == "not-better"
    assert draft.take(candidate("fulltext", "pdf_oadoi", 60), SETTINGS) == "has-body"
    assert draft.take(candidate("fulltext", "pmc_xml", 90, marks=("never-final",)), SETTINGS) == "not-better"
    assert draft.parts["fulltext"].type == "pdf_oadoi"
    assert draft.take(candidate("fulltext", "doi", 55), SETTINGS) == "better-type"


def test_a_stub_takes_the_place_of_no_text_and_gives_way_to_one() -> None:
    """The ladder of types holds among texts: 24 kB of a web page against the 509 characters of a PDF's cover."""
    cleaned, cover = candidate("fulltext", "webpage", 24_000), candidate("fulltext", "pdf_doi", 509)
    kept, replaced = Draft(), Draft()
    kept.take(cleaned, SETTINGS)
    replaced.take(cover, RunSettings())

    assert kept.take(cover, SETTINGS) == "no-text"
    assert kept.parts["fulltext"].size == 24_000
    assert replaced.take(cleaned, RunSettings()) == "has-body"
    assert replaced.take(candidate("fulltext", "doi", 30_000), RunSettings()) == "better-type"


def test_fields() -> None:
    """T-012, F-PT-20: once, only ever true, at every read, or growing."""
    draft = Draft()
    for value in (
        field("journalTitle", text="First"),
        field("journalTitle", text="Second"),
        field("pubDate", number=5),
        field("pubDate", number=6),
        field("oa", flag=True),
        field("oa", flag=False),
        field("citationsCount", number=3),
        field("citationsCount", number=4),
        field("correspAuthor", authors=(CorrespAuthor(name="A"),)),
        field("correspAuthor", authors=(CorrespAuthor(name="B"),)),
        field("visitedSite", site=VisitedSite(url="https://a.org/x?y#1", type="doi")),
        field("visitedSite", site=VisitedSite(url="http://a.org/x?y#2", type="link")),
        field("visitedSite", site=VisitedSite(url="https://a.org/x?z", type="link")),
    ):
        draft.take(value, SETTINGS)
    record = draft.record("p", fetch_time=1, retry_counter=0, fetch_exception=False, known=True)

    assert record.journal_title == "First"
    assert record.pub_date == 5
    assert record.oa
    assert (record.citations_count, record.citations_timestamp) == (4, 7)
    assert [author.name for author in record.corresp_author] == ["A"]
    assert [site.url for site in record.visited_sites] == ["https://a.org/x?y#1", "https://a.org/x?z"]


def test_a_new_generation_keeps_identifiers_only() -> None:
    """F-CHG-01 with A-15: parts and fields are emptied."""
    draft = Draft()
    draft.take(candidate("pmid", "europepmc", 0, "1"), SETTINGS)
    draft.take(candidate("title", "europepmc", 9), SETTINGS)
    draft.take(field("oa", flag=True), SETTINGS)
    draft.begin_generation()

    assert draft.identifiers() == Identifiers(pmid="1")
    assert draft.parts["title"].type == "na"
    assert not draft.oa


def test_status_follows_the_thresholds() -> None:
    """T-013, T-016, F-PT-30…34: computed, not stored."""
    draft = Draft()
    draft.take(candidate("theAbstract", "europepmc", 100), RunSettings())
    record = draft.record("p", fetch_time=1, retry_counter=0, fetch_exception=False, known=True)
    low = Thresholds(abstractMinLength=100)

    assert not record.is_empty()
    assert not record.is_usable(Thresholds())
    assert record.is_usable(low)
    assert not is_final("theAbstract", record.theAbstract, Thresholds())
    assert is_final("theAbstract", record.theAbstract, low)
    assert not is_usable("fulltext", record.fulltext, Thresholds(fulltextMinLength=0))


def rows_of_a_run(seed: int) -> tuple[list[StateRow], Abilities]:
    """All rows of a finished run of a generated world, in the order they came."""
    abilities = Abilities(
        frozenset(
            {
                "europepmc",
                "europepmc_fulltext",
                "europepmc_mined",
                "pubmed_xml",
                "pubmed_html",
                "pmc",
                "doi",
                "unpaywall",
                "links",
                "pdf",
            }
        )
    )
    world = arbitrary_world(seed)
    run = RunAccepted("p", "j.1", 1, 1, 1, 1, world.settings, world.supplied)
    state = PublicationState("p")
    rows: list[StateRow] = [run]
    state.add(run)
    while True:
        advanced = advance(state, abilities)
        for claim in advanced.claims:
            answer = answer_claim(claim, "granted")
            state.add(answer)
            rows += [claim, answer]
        needs = send(state, advanced.walked)
        rows += needs
        if not needs:
            return rows, abilities
        for need in needs:
            said = say(need, world.answer(*question(need)), Reply(outcome="found", url="u", fetched_at=5))
            for event in said:
                assert not isinstance(event, ReplyWanted)
                state.add(event)
                rows.append(event)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.integers(0, 10_000), st.randoms(use_true_random=False))
def test_order_repetition_and_splitting_never_change_a_record(seed: int, rng: random.Random) -> None:
    """Design law 1, P-20: any permutation and duplication of the rows gives the same record."""
    rows, abilities = rows_of_a_run(seed)
    in_order = PublicationState("p")
    for row in rows:
        in_order.add(row)
    mixed = rows + rng.sample(rows, len(rows) // 2)
    rng.shuffle(mixed)
    shuffled = PublicationState("p")
    for row in mixed:
        shuffled.add(row)

    assert record_of(shuffled, walk(shuffled, abilities)) == record_of(in_order, walk(in_order, abilities))
    assert walk(shuffled, abilities).finished


def test_every_part_can_be_filled() -> None:
    """T-009: ten parts; an untouched one has type `na`."""
    draft = Draft(created_at=3)
    record = draft.record("p", fetch_time=1, retry_counter=0, fetch_exception=False, known=True)

    assert [name for name, _ in record.parts()] == [
        "pmid",
        "pmcid",
        "doi",
        "title",
        "keywords",
        "mesh",
        "efo",
        "go",
        "theAbstract",
        "fulltext",
    ]
    assert {part.type for _, part in record.parts()} == {"na"}
    assert {part.timestamp for _, part in record.parts()} == {3}
    assert len(CONTENT_PARTS) == 7


def test_a_part_whose_content_is_gone_is_lacking_and_stays_until_something_is_found() -> None:
    """Whatever follows sees an empty part: links are worth following, sources worth asking."""
    text, document = BlobRef(digest="a" * 32, bytes=90), BlobRef(digest="b" * 32, bytes=9)
    draft = Draft()
    draft.take(candidate("title", "europepmc", 60), SETTINGS)
    draft.take(msgspec.structs.replace(candidate("fulltext", "doi", 90), text="", blob=text), SETTINGS)
    draft.lose(["c" * 32])
    assert "fulltext" not in draft.lacking(SETTINGS.thresholds)
    draft.lose([text.digest])
    told = draft.record("p", fetch_time=0, retry_counter=0, fetch_exception=False, known=True)

    assert "fulltext" in draft.lacking(SETTINGS.thresholds)
    assert draft.parts["fulltext"].is_empty
    assert (told.fulltext.blob, told.fulltext.size, told.title.size) == (text, 90, 60)
    assert draft.take(candidate("fulltext", "webpage", 60), SETTINGS) == "first"
    assert draft.left_of_gone() == {}

    draft = Draft()
    draft.take(candidate("fulltext", "pmc_xml", 90, structured=document), SETTINGS)
    draft.lose([document.digest])
    draft.take(candidate("fulltext", "webpage", 60), SETTINGS)
    assert draft.left_of_gone()["fulltext"].size == 90, "a text that is there gives way to nothing worse"
    assert draft.take(candidate("fulltext", "pmc_xml", 90, structured=document), SETTINGS) == "better-type"
    assert draft.left_of_gone() == {}


def test_authors_from_affiliations_give_way_to_a_list_from_elsewhere() -> None:
    """F-CA-09: gathered addresses are better than none, a list that names somebody is better than they are."""
    gathered = field(
        "correspAuthor",
        authors=(CorrespAuthor(name="A Noun", email="a@x"), CorrespAuthor(name="B Verb", email="b@x")),
        marks=("until-better",),
    )
    from_meta = field("correspAuthor", authors=(CorrespAuthor(email="c@x"),), marks=("if-empty",))
    nameless = field("correspAuthor", authors=(CorrespAuthor(email="d@x"),))
    from_jats = field(
        "correspAuthor",
        authors=(CorrespAuthor(name="a noun", phone="1"), CorrespAuthor(name="C Pro", email="e@x")),
    )
    later = field("correspAuthor", authors=(CorrespAuthor(name="Z"),))
    draft = Draft()

    verdicts = [
        draft.take(one, SETTINGS)
        for one in (gathered, from_meta, nameless, gathered, from_jats, later, gathered)
    ]

    assert verdicts == ["field-set", *["field-kept"] * 3, "field-set", *["field-kept"] * 2]
    assert draft.corresp_author == (
        CorrespAuthor(name="a noun", email="a@x", phone="1"),
        CorrespAuthor(name="C Pro", email="e@x"),
    )
    draft.begin_generation()
    assert [draft.take(one, SETTINGS) for one in (later, from_jats)] == ["field-set", "field-kept"]
