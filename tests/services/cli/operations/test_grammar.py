"""How command lines of the pipeline are understood (17.1; T-084)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pubweave.cli.operations.grammar import GrammarProblem, conditions, read, time_of
from pubweave.cli.operations.model import Argument, Operation
from pubweave.cli.operations.table import BY_NAME, OPERATIONS, WITHOUT_EFFECT
from pubweave.settings import SETTINGS

GOOD: dict[Argument, str] = {
    "regex": "^a[b-d]+$",
    "time": "2018-08-31T13:37:51.123Z",
    "count": "7",
    "integer": "-7",
    "part": "theAbstract",
    "type": "europepmc_xml",
    "format": "json",
}
BAD: dict[Argument, list[str]] = {
    "regex": ["[", "(?<x", "a{2,1}"],
    "time": [
        "2018",
        "2018-08-31",
        "2018-08-31T13:37:51",
        "2018-08-31T13:37:51+00:00",
        "2018-02-30T00:00:00Z",
        "",
    ],
    "count": ["-1", "1.5", "x", "", "1_000"],
    "integer": ["x", "1.5", ""],
    "part": ["fullText", "titles", ""],
    "type": ["europepmcxml", "EUROPEPMC", ""],
    "format": ["xml", "JSON", "pretty", ""],
}


def words(operation: Operation, spelling: str) -> list[str]:
    """The operation with as many good arguments as it needs, and its companion if it has one."""
    found = [spelling, *[GOOD.get(operation.argument, "x")] * operation.least]
    if operation.companion:
        other = BY_NAME[operation.companion]
        found += [
            spelling[: spelling.index(operation.name)] + other.name,
            *[GOOD.get(other.argument, "x")] * other.least,
        ]
    return found


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_every_operation_is_understood_in_both_spellings(operation: Operation) -> None:
    for spelling in (operation.legacy, operation.spelling):
        given_ = read(words(operation, spelling))

        assert len(given_.values[operation.name]) == operation.least


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_nothing_is_given_twice(operation: Operation) -> None:
    """F-CLI-06."""
    with pytest.raises(GrammarProblem, match="given twice"):
        read([*words(operation, operation.legacy), *words(operation, operation.spelling)])


@pytest.mark.parametrize(
    ("operation", "value"),
    [(one, value) for one in OPERATIONS for value in BAD.get(one.argument, []) if one.most],
    ids=lambda one: one.name if isinstance(one, Operation) else one,
)
def test_arguments_of_a_wrong_type_are_refused_by_name(operation: Operation, value: str) -> None:
    """F-CLI-01 to F-CLI-04."""
    with pytest.raises(GrammarProblem, match=rf"^{operation.legacy}: '"):
        read([operation.legacy, *[value] * operation.least])


@pytest.mark.parametrize(
    "operation", [one for one in OPERATIONS if one.companion], ids=lambda operation: operation.name
)
def test_a_companion_alone_is_an_error_that_names_both(operation: Operation) -> None:
    """F-CLI-206, T-098."""
    with pytest.raises(GrammarProblem) as problem:
        read(words(operation, operation.legacy)[: 1 + operation.least])

    assert f"{operation.legacy} " in str(problem.value)
    assert f"-{operation.companion} " in str(problem.value)


@pytest.mark.parametrize("operation", [one for one in OPERATIONS if one.least], ids=lambda one: one.name)
def test_missing_arguments_are_named(operation: Operation) -> None:
    with pytest.raises(GrammarProblem, match=rf"^{operation.legacy} needs"):
        read([operation.legacy, "-oa"])


def test_a_list_goes_up_to_the_next_option() -> None:
    """F-CLI-05."""
    given_ = read(["-pub", "1", "2", "3", "-retry-counter", "0", "2", "-out"])

    assert given_.values == {"pub": ["1", "2", "3"], "retry-counter": ["0", "2"], "out": []}


def test_the_order_of_options_does_not_matter() -> None:
    one = read(["-out", "-oa", "-pub-db", "x", "-db", "y", "-not-empty"])
    other = read(["-not-empty", "-db", "y", "-pub-db", "x", "-oa", "-out"])

    assert one.values == other.values
    assert conditions(one) == conditions(other)


@pytest.mark.parametrize("spelling", [f"--{one.legacy}" for one in SETTINGS if one.legacy])
def test_the_parameters_of_chapter_5_are_options(spelling: str) -> None:
    """F-CLI-09."""
    given_ = read([spelling, "5", "-fetch"])

    assert list(given_.settings.values()) == ["5"]


def test_newer_options_that_do_nothing_are_accepted_with_a_notice() -> None:
    for name, (count, _) in WITHOUT_EFFECT.items():
        given_ = read(["-fetch", f"--{name}", *["true"] * count, "-out"])

        assert list(given_.values) == ["fetch", "out"]
        assert f"--{name} does nothing here" in given_.notices[0]


def test_the_modern_spelling_of_sorting() -> None:
    assert list(read(["--sort", "time-desc", "--sort-ids", "asc"]).values) == ["desc-time", "asc-ids"]
    with pytest.raises(GrammarProblem, match="takes one of asc, desc, time-asc, time-desc"):
        read(["--sort", "newest"])


def test_parts_are_selected_in_one_way() -> None:
    """T-093."""
    with pytest.raises(GrammarProblem, match="exclude each other"):
        read(["-fetch", "--fetch-part", "title", "--not-fetch-part", "doi"])


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (["-fecht"], "did you mean -fetch?"),
        (["--emptyCoolddown", "1"], "did you mean --emptyCooldown?"),
        (["-oa", "title"], "'title' stands where an option should"),
        (["-head", "1", "2"], "'2' stands where an option should"),
    ],
)
def test_mistakes_are_told_with_a_guess(line: list[str], sentence: str) -> None:
    with pytest.raises(GrammarProblem, match=sentence.replace("?", r"\?")):
        read(line)


def test_a_value_may_begin_with_a_dash() -> None:
    assert read(["-doi", "-x"]).values == {"doi": ["-x"]}
    assert read(["-status-code", "-1", "404"]).values == {"status-code": ["-1", "404"]}
    assert read(["--head=3"]).values == {"head": ["3"]}


def test_times_are_instants_in_milliseconds() -> None:
    """F-CLI-02."""
    assert time_of("2018-08-31T13:37:51Z") == 1535722671000
    assert time_of("2018-08-31T13:37:51.123Z") == 1535722671123
    assert time_of("1969-12-31T23:59:59.999Z") == -1


@settings(derandomize=True, deadline=None, max_examples=200)
@given(
    st.lists(
        st.sampled_from([one.legacy for one in OPERATIONS] + ["", "x", "1", "--", "-", "-9", "title"]),
        max_size=6,
    )
)
def test_any_words_are_understood_or_refused_in_one_sentence(line: list[str]) -> None:
    try:
        given_ = read(line)
    except GrammarProblem as problem:
        told = str(problem)
    else:
        told = "understood"
        assert sum(1 + len(values) for values in given_.values.values()) == len(line)

    assert told
    assert "\n" not in told
