"""What of the Cassandra adapter needs no server: its schema's steps, its rules, what its views say."""

import re
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import pytest

from pubweave.adapters.cassandra.migrations import Migration, known, outstanding
from pubweave.adapters.cassandra.session import SHELVES, shelf_of
from pubweave.adapters.cassandra.views import seen
from pubweave.ports import StorageProblem
from stack.records import FULL, TITLE, stored

ONE = Migration(1, "pre", "0001_pre_one", "CREATE TABLE {keyspace}.one (a int PRIMARY KEY);")
TWO = Migration(2, "post", "0002_post_two", "DROP TABLE {keyspace}.one;")
THREE = Migration(3, "pre", "0003_pre_three", "-- not; this\nA;\n\nB {keyspace};\n")


def names(steps: Sequence[Migration]) -> list[str]:
    return [step.name for step in steps]


def test_steps_count_up_without_gaps() -> None:
    """A released number is never used again."""
    assert [step.number for step in known()] == list(range(1, len(known()) + 1))


def test_each_step_is_outstanding_until_it_was_run() -> None:
    """In order; those of one phase alone where that is asked for."""
    assert names(outstanding([], [ONE, TWO, THREE])) == [ONE.name, TWO.name, THREE.name]
    assert names(outstanding([], [ONE, TWO, THREE], ["pre"])) == [ONE.name, THREE.name]
    assert names(outstanding([(ONE.name, ONE.digest)], [ONE, TWO, THREE], ["post"])) == [TWO.name]
    assert outstanding([(step.name, step.digest) for step in (ONE, TWO)], [ONE, TWO]) == []


def test_a_keyspace_that_a_newer_release_only_added_to_can_be_used() -> None:
    """Its `pre` steps are run before it is rolled out: the release before must start, scale and be gone back to."""
    assert outstanding([(step.name, step.digest) for step in (ONE, TWO, THREE)], [ONE, TWO]) == []


def test_a_keyspace_that_a_newer_release_took_from_is_refused() -> None:
    """Somebody updated the cluster and not this program."""
    with pytest.raises(StorageProblem, match=r"newer Pubweave \(it has 0002_post_two\)"):
        outstanding([(step.name, step.digest) for step in (ONE, TWO, THREE)], [ONE])


def test_an_edited_step_is_refused() -> None:
    """What was run is not what stands there now."""
    with pytest.raises(StorageProblem, match="0001_pre_one is not the one that was run"):
        outstanding([(ONE.name, "another digest")], [ONE])


def test_statements_are_split_and_filled_in() -> None:
    """Comments go, also those with a semicolon."""
    assert THREE.statements("k") == ["A", "B k"]


def test_the_tables_keep_to_the_rules() -> None:
    """Made again without harm, in the keyspace that is asked for; nothing runs out, for facts do not."""
    statements = [statement for step in known() for statement in step.statements("k9")]

    assert len(statements) > 20
    for statement in statements:
        assert re.match(r"CREATE TABLE IF NOT EXISTS k9\.[a-z_]+ \(", statement), statement
        assert "time_to_live" not in statement


def test_names_keep_their_shelves() -> None:
    """A listing is found again by every later program: these numbers never change."""
    assert [shelf_of(name) for name in ("", "p", "0001", "κλειδί")] == [0, 17, 4, 23]
    assert {shelf_of(str(number)) for number in range(1000)} == set(SHELVES)


def test_no_statement_scans_what_it_could_look_up() -> None:
    """No ALLOW FILTERING, no expiry, nowhere in the adapter."""
    folder = files("pubweave.adapters.cassandra")
    sources = [file.read_text("utf-8") for file in folder.iterdir() if file.name.endswith(".py")]

    assert len(sources) > 8
    for source in sources:
        assert not re.search(r"ALLOW\s+FILTERING|USING\s+TTL|default_time_to_live", source)


@pytest.mark.parametrize(
    ("fields", "state"),
    [
        ({}, "empty"),
        ({"fetch_exception": True, **FULL}, "failed"),
        ({"title": TITLE}, "incomplete"),
        (FULL, "final"),
    ],
)
def test_a_record_has_one_state(fields: dict[str, Any], state: str) -> None:
    """Why it might be fetched again, in one word."""
    assert seen(stored("p", **fields)).state == state
