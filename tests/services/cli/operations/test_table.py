"""The one table of operations."""

from itertools import chain
from pathlib import Path

from pubweave.cli.operations.helping import example, options_help, page
from pubweave.cli.operations.model import FILTERS as FILTER_STAGES
from pubweave.cli.operations.model import STAGES
from pubweave.cli.operations.selecting import FILTERS
from pubweave.cli.operations.table import ALIASES, BY_NAME, OPERATIONS

OPTIONS_PER_NUMBER: dict[range, int] = {
    # 17.2 to 17.6
    range(20, 47): 1,
    range(50, 59): 1,
    range(70, 83): 2,
    range(90, 100): 1,
    range(110, 115): 1,
    range(120, 125): 1,
    # 17.7
    range(130, 132): 1,
    range(132, 133): 2,
    range(133, 135): 1,
    range(135, 140): 2,
    # 17.8
    range(150, 158): 2,
    range(158, 181): 2,
    # 17.9
    range(190, 193): 2,
    range(193, 195): 4,
    range(195, 197): 2,
    range(197, 198): 4,
    range(198, 200): 2,
    range(200, 204): 4,
    range(204, 206): 2,
    # 17.10
    range(210, 232): 2,
    # 17.11 to 17.14
    range(240, 246): 1,
    range(250, 264): 1,
    range(270, 273): 1,
    range(280, 289): 2,
    range(289, 291): 3,
}
"""How many options chapter 17 has under each of its numbers F-CLI-nn."""


def test_the_table_has_every_option_of_chapter_17_under_its_number() -> None:
    expected = {
        f"F-CLI-{number}": count for numbers, count in OPTIONS_PER_NUMBER.items() for number in numbers
    }
    found: dict[str, int] = {}
    for operation in OPERATIONS:
        if operation.feature not in ("HEAD", "OURS"):
            found[operation.feature] = found.get(operation.feature, 0) + 1

    assert found == expected
    assert sum(found.values()) == 297


def test_names_are_unique_and_spelled_in_one_way() -> None:
    assert len(BY_NAME) == len(OPERATIONS)
    for operation in OPERATIONS:
        assert operation.name.replace("-", "").isalnum(), operation.name
        assert operation.name == operation.name.lower()


def test_every_row_says_what_it_does_and_shows_how() -> None:
    for operation in OPERATIONS:
        assert operation.sentence.endswith("."), operation.name
        assert operation.sentence[0].isupper(), operation.name
        assert (operation.argument == "none") == (operation.example == ""), operation.name
        assert operation.legacy in example(operation) or operation.spelling in example(operation)


def test_rows_stand_in_the_order_in_which_they_work() -> None:
    """F-CLI-11; that tests come last is F-CLI-10."""
    order = list(STAGES)
    stages = [order.index(operation.stage) for operation in OPERATIONS]

    assert stages == sorted(stages)


def test_every_filter_has_its_predicate_and_every_predicate_its_option() -> None:
    companions = {one.companion for one in OPERATIONS if one.companion and one.argument != "part"}
    options = {one.name for one in OPERATIONS if one.stage in FILTER_STAGES} - companions

    assert options == set(FILTERS)


def test_companions_and_negations_know_each_other() -> None:
    for operation in OPERATIONS:
        if operation.companion:
            assert BY_NAME[operation.companion].companion == operation.name
        if operation.negates:
            assert operation.name == f"not-{operation.negates}"
            assert BY_NAME[operation.negates].argument == operation.argument


def test_help_and_documentation_show_every_operation() -> None:
    legacy, documented = "\n".join(options_help("legacy")), page()
    for operation in OPERATIONS:
        assert operation.legacy in legacy
        assert f"`{operation.legacy}" in documented


def test_aliases_mean_operations() -> None:
    assert set(chain.from_iterable(meanings.values() for meanings in ALIASES.values())) <= set(BY_NAME)
    assert not set(ALIASES) & set(BY_NAME)


def test_the_documentation_is_made_from_the_table() -> None:
    root = Path(__file__).parents[4]

    assert (root / "docs" / "operations.md").read_text("utf-8") == page(), "stale: run `make generate`"
