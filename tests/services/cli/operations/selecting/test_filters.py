"""Each filter against a predicate written from the specification alone (17.7 to 17.10; T-096 to T-099)."""

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pubweave.cli.operations.grammar import GivenCommand, conditions
from pubweave.cli.operations.pipeline import plain_text
from pubweave.cli.operations.selecting import FILTERS, Filter, Surroundings, filter_of
from pubweave.cli.operations.selecting.model import Entry
from pubweave.cli.operations.table import BY_NAME
from pubweave.contract.values import Thresholds
from pubweave.contract.vocabulary import EntryKind
from pubweave.core.politeness import host_of
from pubweave.output.publication import json_key
from pubweave.output.reading import read_publication
from pubweave.output.webpage_reading import read_webpages
from services.cli.operations.selecting import plain
from services.cli.operations.selecting.cases import PARTS, VALUES

SURROUNDINGS = Surroundings(Thresholds(), plain_text, lambda url: host_of(url) == "github.com")


def entry_of(value: plain.Plain) -> tuple[EntryKind, Entry]:
    if plain.is_page(value):
        (page,) = read_webpages(msgspec.json.encode({"webpages": [value]}), "webpages")
        return "webpage", page
    record = read_publication(value | {"pubweave": {"preprint": value["preprint"]}})
    return "publication", record


PLAIN = [*plain.publications(60, seed=1), *plain.webpages(40, seed=1)]
ENTRIES = [(value, *entry_of(value)) for value in PLAIN]


def made(name: str, values: list[str], parts: list[str]) -> Filter:
    operation = BY_NAME[name]
    given_ = {name: parts if operation.argument == "part" else values}
    if operation.companion:
        given_[operation.companion] = parts
    (condition,) = conditions(GivenCommand(given_, {}, []))
    return filter_of(condition, SURROUNDINGS)


def passed(name: str, values: list[str], parts: list[str]) -> list[bool]:
    filter_ = made(name, values, parts)
    return [kind not in filter_.kinds or filter_.holds(entry) for _, kind, entry in ENTRIES]


def expected(name: str, values: list[str], parts: list[str]) -> list[bool]:
    return [plain.passes(name, value, values, parts) for value in PLAIN]


def of_kinds(name: str) -> list[int]:
    kinds = made(name, VALUES.get(name.removeprefix("not-"), ["x"]), ["title"]).kinds
    return [place for place, (_, kind, _) in enumerate(ENTRIES) if kind in kinds]


def is_about_parts(name: str) -> bool:
    return name.removeprefix("not-").startswith("part-")


@pytest.mark.parametrize("name", sorted(FILTERS))
def test_a_filter_keeps_what_the_specification_says_with_both_sides_not_empty(name: str) -> None:
    values = VALUES.get(name.removeprefix("not-"), [])
    lists = PARTS if is_about_parts(name) else [[]]
    found = [(passed(name, values, parts), expected(name, values, parts)) for parts in lists]

    for ours, theirs in found:
        assert ours == theirs
    kept = {ours[place] for ours, _ in found for place in of_kinds(name)}
    assert kept == {True, False}


@pytest.mark.parametrize("name", sorted(name for name in FILTERS if name.startswith("not-")))
def test_a_filter_and_its_negation_partition_the_entries_it_is_for(name: str) -> None:
    """Of one part; with several parts both may refuse an entry."""
    positive = name.removeprefix("not-")
    values = VALUES.get(positive, [])
    one, other = passed(positive, values, ["keywords"]), passed(name, values, ["keywords"])

    for place in of_kinds(name):
        assert one[place] is not other[place]


def test_entries_of_other_kinds_are_not_touched() -> None:
    pages = [place for place, (_, kind, _) in enumerate(ENTRIES) if kind == "webpage"]

    assert all(passed("oa", [], [])[place] for place in pages)
    assert all(passed("not-oa", [], [])[place] for place in pages)


def test_of_an_empty_list_nothing_matches_and_all_are_empty() -> None:
    """F-CLI-181."""
    nobody = [place for place, value in enumerate(PLAIN) if value.get("correspAuthor") == []]

    assert nobody
    for place in nobody:
        assert not passed("corresp-author-name", [""], [])[place]
        assert passed("not-corresp-author-name", [""], [])[place]
        assert passed("corresp-author-name-empty", [], [])[place]
        assert not passed("not-corresp-author-name-empty", [], [])[place]


def test_several_parts_must_all_meet_the_condition_or_all_not() -> None:
    """17.9."""
    both = passed("part-empty", [], ["keywords", "mesh"])
    neither = passed("not-part-empty", [], ["keywords", "mesh"])
    mixed = [
        place
        for place, value in enumerate(PLAIN)
        if not plain.is_page(value) and (not value["keywords"]["list"]) is not (not value["mesh"]["list"])
    ]

    assert mixed
    assert not any(both[place] or neither[place] for place in mixed)


def _strategy(name: str) -> st.SearchStrategy[list[str]]:
    argument = BY_NAME[name].argument
    many = BY_NAME[name].most > 1
    one: st.SearchStrategy[Any]
    match argument:
        case "none" | "part":
            return st.just([])
        case "time":
            one = st.sampled_from([plain.START + step * plain.HOUR for step in range(-11, 6)]).map(plain.time)
        case "count" | "integer":
            one = st.sampled_from([0, 1, 2, 3, 4, 5, 9, 10, 56, 150, 200, 204, 404, 503]).map(str)
        case "type":
            one = st.sampled_from(plain.LADDER)
        case "host":
            one = st.sampled_from(
                ["nature.com", "WWW.NATURE.COM", "doi.org", "x.org", "ebi.ac.uk", "github.com"]
            )
        case _:
            one = st.sampled_from(
                [
                    "",
                    "^$",
                    "e",
                    "(?i)GENOME",
                    r"\d$",
                    "^h",
                    "[A-Z]{2}",
                    "a|b",
                    "(n).*\\1",
                    ".",
                    "genome",
                    "(?i)a workflow",
                    "The genome",
                ]
            )
    return st.lists(one, min_size=1, max_size=3) if many else one.map(lambda value: [value])


@settings(derandomize=True, deadline=None, max_examples=300)
@given(st.data())
def test_whatever_the_arguments_a_filter_keeps_what_the_specification_says(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(FILTERS)))
    values = data.draw(_strategy(name))
    parts = data.draw(st.lists(st.sampled_from(plain.PARTS), min_size=1, max_size=3))

    assert passed(name, values, parts) == expected(name, values, parts)


def test_texts_that_are_kept_elsewhere_are_named() -> None:
    """Only filters that read texts ask for them: the others never load a full text."""
    needing = {
        name
        for name in FILTERS
        if made(name, VALUES.get(name.removeprefix("not-"), []), ["title"]).needs_texts
    }

    assert needing == {
        "grep",
        "not-grep",
        "content",
        "not-content",
        "part-content",
        "not-part-content",
    }


def test_the_json_key_of_the_abstract_is_known_to_both_sides() -> None:
    assert json_key("theAbstract") in PLAIN[0]
