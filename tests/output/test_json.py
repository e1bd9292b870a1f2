"""JSON output is chapter 18.2 exactly."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pubweave.output
from output.records import AT, empty_record, full_record
from pubweave.contract.values import Identifiers, Thresholds
from pubweave.contract.vocabulary import PART_NAMES, TYPE_NAMES
from pubweave.core.record import Part, Record
from pubweave.output.json_document import JsonDocument, document, line
from pubweave.output.publication import Envelope, Selection, identifiers_object, publication_object
from pubweave.output.times import date, instant

SCHEMAS = Path(pubweave.output.__file__).parent / "schemas"
FIELDS = [
    "fetchTime",
    "fetchTimeHuman",
    "retryCounter",
    "fetchException",
    "oa",
    "journalTitle",
    "pubDate",
    "pubDateHuman",
    "citationsCount",
    "citationsTimestamp",
    "citationsTimestampHuman",
    "correspAuthor",
    "visitedSites",
    "empty",
    "usable",
    "final",
    "totallyFinal",
]
PARTS = ["pmid", "pmcid", "doi", "title", "keywords", "mesh", "efo", "go", "abstract", "fulltext"]
USUAL = Thresholds()


def schema(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
    return loaded


def valid(instance: object, name: str = "publications") -> bool:
    return jsonschema.Draft202012Validator(schema(name)).is_valid(instance)


def printed(*records: Record, selection: Selection = Selection()) -> dict[str, Any]:  # noqa: B008
    objects = [publication_object(record, USUAL, selection, Envelope(version=1)) for record in records]
    parsed: dict[str, Any] = json.loads("".join(document(["fetch"], "publications", objects)))
    return parsed


def test_members_stand_in_the_order_of_the_specification() -> None:
    """F-JSON-04: fields, then parts; ours comes last."""
    result = publication_object(full_record(), USUAL)

    assert [*FIELDS, *PARTS, "pubweave"] == list(result)


def test_document_begins_with_version_and_argv() -> None:
    """F-JSON-01: the first members say who wrote it and how it was called."""
    result = printed(full_record())

    assert list(result) == ["version", "argv", "publications"]
    assert list(result["version"]) == ["name", "url", "version"]
    assert result["argv"] == ["fetch"]


@pytest.mark.parametrize(
    "selection",
    [
        Selection(),
        Selection(plain=True),
        Selection(parts=("theAbstract", "pmid")),
        Selection(plain=True, parts=("mesh", "doi")),
    ],
    ids=["everything", "plain", "out-part", "plain out-part"],
)
def test_every_selection_keeps_to_the_schema(selection: Selection) -> None:
    """Whatever is chosen, the document validates."""
    assert valid(printed(full_record(), empty_record(), selection=selection))


def test_no_publications_are_an_empty_list() -> None:
    """A-28: a kind that was asked for is there, and empty."""
    assert printed()["publications"] == []
    assert valid(printed())


@pytest.mark.parametrize("member", [*FIELDS, *PARTS, "pubweave"])
def test_the_schema_misses_every_missing_member(member: str) -> None:
    """The schema is strict enough to notice when one member is lost."""
    broken = printed(full_record())
    del broken["publications"][0][member]

    assert not valid(broken)


def test_the_schema_refuses_what_18_2_does_not_know() -> None:
    broken = printed(full_record())
    broken["publications"][0]["doiUrl"] = ""

    assert not valid(broken)


def test_plain_values_are_bare() -> None:
    """F-JSON-07: no metadata, each part its content."""
    (result,) = printed(full_record(), selection=Selection(plain=True))["publications"]

    assert list(result) == PARTS
    assert result["pmid"] == "31092905"
    assert result["keywords"] == ["loom", "thread; double"]
    assert result["mesh"][0] == {"term": "Textiles", "majorTopic": True, "uniqueId": "D013783"}


def test_out_part_leaves_the_fields_out_and_keeps_the_order() -> None:
    """F-JSON-08: only the chosen parts, in the order of the specification."""
    (result,) = printed(full_record(), selection=Selection(parts=("fulltext", "title")))["publications"]

    assert list(result) == ["title", "fulltext"]
    assert list(result["title"]) == [
        "content",
        "type",
        "url",
        "timestamp",
        "timestampHuman",
        "size",
        "empty",
        "usable",
        "final",
    ]


def test_parts_say_their_state_by_the_thresholds_of_the_reader() -> None:
    """F-PT-34: usable and final are computed when they are read."""
    usual = publication_object(full_record(), USUAL)
    strict = publication_object(full_record(), Thresholds(abstractMinLength=301))

    assert usual["abstract"]["final"]
    assert usual["final"]
    assert not strict["abstract"]["usable"]
    assert not strict["final"]


def test_unknown_times_lie_before_1970() -> None:
    """F-JSON-04: a negative time is the sign for unknown, in both spellings."""
    result = publication_object(empty_record(), USUAL)

    assert (result["pubDate"], result["pubDateHuman"]) == (-1, "1969-12-31")
    assert (
        result["citationsTimestamp"],
        result["citationsTimestampHuman"],
    ) == (-1, "1969-12-31T23:59:59.999Z")


def test_times_have_milliseconds_and_z() -> None:
    """F-JSON-14, in the very form of the manual."""
    assert instant(0) == "1970-01-01T00:00:00.000Z"
    assert instant(AT) == "2018-08-31T13:37:51.123Z"
    assert date(AT) == "2018-08-31"
    assert date(-62_135_596_800_000) == "0001-01-01"


def test_ours_says_what_18_2_cannot() -> None:
    """Key, version, reason, preprint, ties and notices, and what became of the submission."""
    envelope = Envelope(
        version=3,
        reason="pubmed_xml filled mesh",
        outcome="finished",
        line=7,
        submitted=Identifiers(pmid="31092905"),
    )
    ours = publication_object(full_record(), USUAL, envelope=envelope)["pubweave"]

    assert ours["publication"] == "p-0001"
    assert (ours["version"], ours["reason"]) == (3, "pubmed_xml filled mesh")
    assert ours["preprint"]
    assert [tie["kind"] for tie in ours["relations"]] == ["preprint-of"]
    assert [notice["kind"] for notice in ours["notices"]] == ["retracted"]
    assert (ours["submission"]["line"], ours["submission"]["outcome"]) == (7, "finished")
    assert ours["submission"]["pmid"] == "31092905"


def test_identifiers_have_their_own_document() -> None:
    """F-JSON-02: with provenance, or without when plain."""
    elements = [identifiers_object(full_record(), plain=plain) for plain in (False, True)]
    parsed = json.loads("".join(document([], "publicationIds", elements)))

    assert valid(parsed, "publication-ids")
    assert list(parsed["publicationIds"][0]) == ["pmid", "pmcid", "doi", "pmidUrl", "pmcidUrl", "doiUrl"]
    assert list(parsed["publicationIds"][1]) == ["pmid", "pmcid", "doi"]


def test_json_lines_are_one_object_a_line() -> None:
    written = line(publication_object(full_record(), USUAL))

    assert written.count("\n") == 1
    assert valid({**printed(), "publications": [json.loads(written)]})


def test_arguments_that_are_no_text_do_not_stop_the_output() -> None:
    """A file name in another encoding reaches us with lone surrogates."""
    assert json.loads("".join(document(["b\udcffd"], "publications", [])))["argv"] == ["b?d"]


def test_a_document_may_hold_several_lists() -> None:
    pieces = JsonDocument()
    text = pieces.head([])
    for name, elements in (("publications", [{"a": 1}, {"b": 2}]), ("webpages", []), ("docs", [{"c": 3}])):
        text += pieces.begin(name) + "".join(map(pieces.element, elements)) + pieces.end()

    assert {"publications": [{"a": 1}, {"b": 2}], "webpages": [], "docs": [{"c": 3}]}.items() <= json.loads(
        text + pieces.tail()
    ).items()


texts = st.text(max_size=30)
parts = st.builds(
    lambda text, type_: Part(type=type_, size=len(text), text=text), texts, st.sampled_from(TYPE_NAMES)
)
records = st.builds(
    lambda chosen, words, day: Record(
        publication="p",
        keywords=Part(size=len(words), words=tuple(words)),
        pub_date=day,
        journal_title="".join(words),
        **chosen,
    ),
    st.fixed_dictionaries({}, optional=dict.fromkeys(("pmid", "title", "theAbstract", "fulltext"), parts)),
    st.lists(texts, max_size=4),
    st.integers(min_value=-62_135_596_800_000, max_value=253_402_300_799_999),
)


@settings(derandomize=True, deadline=None, max_examples=80)
@given(st.lists(records, max_size=3), st.lists(st.sampled_from(PART_NAMES), max_size=4), st.booleans())
def test_any_record_gives_a_valid_document(some: list[Record], chosen: list[Any], plain: bool) -> None:
    """Quotes, controls and every script inside contents never break the document, and come back unchanged."""
    selection = Selection(plain=plain, parts=tuple(chosen))
    result = printed(*some, selection=selection)

    assert valid(result)
    if "title" in selection.shown_parts:
        shown = [one["title"] if plain else one["title"]["content"] for one in result["publications"]]

        assert [record.title.text for record in some] == shown
