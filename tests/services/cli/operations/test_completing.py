"""What a shell offers in the middle of a pipeline."""

import pytest
from click.shell_completion import ShellComplete

from pubweave.cli.main import root


def offered(line: str) -> list[str]:
    """The last word of the line is what is typed of it so far; files and folders by their kind."""
    *words, incomplete = line.split(" ")
    found = ShellComplete(root, {}, "pubweave", "_PUBWEAVE_COMPLETE").get_completions(words, incomplete)
    return [one.value if one.type == "plain" else f"<{one.type}>" for one in found]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("pipe --pub 1 --journal-title", ["--journal-title", "--journal-title-empty"]),
        ("pipe --oa --o", ["--out-ids", "--out", "--out-top-hosts", "--out-part", "--old-mined-terms"]),
        ("--pub 1 --journals", ["--journals-yaml"]),
        ("-pub 1 --journals", ["--journalsYaml"]),
        ("-pub-f", ["-pub-file"]),
        ("--pub-f", ["--pub-file"]),
        ("legacy -oa", ["-oa"]),
        ("pipe --format j", ["json", "jsonl"]),
        ("pipe --part-empty title ti", ["title"]),
        ("pipe --visited-type pdf_p", ["pdf_pmc"]),
        ("pipe --sort time", ["time-asc", "time-desc"]),
        ("pipe --pub-file a", ["<file>"]),
        ("pipe --db a", ["<file>"]),
        ("pipe --record a", ["<dir>"]),
        ("pipe --timeout ", []),
        ("pipe --journal-title ", []),
        ("pipe --db-i", []),
        ("legacy -db-i", ["-db-init"]),
        ("pipe --cassandra", []),
        ("d", ["doc", "db", "dead-letters", "doctor"]),
        ("db er", ["erase"]),
    ],
)
def test_what_may_stand_there_is_offered(line: str, expected: list[str]) -> None:
    """Options in the spelling of the line that are not given yet, or values where there are few."""
    assert offered(line) == expected


def test_after_a_whole_option_others_are_offered_with_their_sentences() -> None:
    assert {"--out", "--db", "--timeout"} <= set(offered("pipe --oa "))
    assert set(offered("--pub 1 ")) == set(offered("pipe --pub 1 "))


def test_nothing_breaks_a_shell() -> None:
    """Commands and options that there are not."""
    assert offered("loom x") == offered("loom --nonsense") == []
