"""The grammar of options that click does not have."""

import click
import pytest
from click.testing import CliRunner

from pubweave.cli.group import Command, Option


@click.command(cls=Command)
@click.argument("rest", nargs=-1)
@click.option("--part", "parts", cls=Option, listed=("one", "two", "three"))
@click.option("--name", "--naam", cls=Option)
@click.option("--file", "files", multiple=True, cls=Option)
def toy(rest: tuple[str, ...], parts: tuple[str, ...], name: str | None, files: tuple[str, ...]) -> None:
    click.echo(f"{rest} {parts} {name} {files}")


@pytest.mark.parametrize(
    ("arguments", "parts", "rest"),
    [
        (["--part", "one", "two", "x"], ("one", "two"), ("x",)),
        (["--part", "one,two", "three", "x", "y"], ("one", "two", "three"), ("x", "y")),
        (["--part=one", "two"], ("one",), ("two",)),
        (["x", "--part", "one", "--part", "two"], ("one", "two"), ("x",)),
        (["--part", "other", "one", "x"], ("other", "one"), ("x",)),
        (["--part", "one", "--", "two"], ("one",), ("two",)),
        (["--", "--part", "one"], (), ("--part", "one")),
        ([], (), ()),
    ],
)
def test_a_list_ends_where_its_words_end(
    arguments: list[str], parts: tuple[str, ...], rest: tuple[str, ...]
) -> None:
    """The first word always belongs to the option, so a mistyped one is not taken for something else."""
    ran = CliRunner().invoke(toy, arguments)

    assert ran.output == f"{rest} {parts} None ()\n"


@pytest.mark.parametrize("arguments", [["--name", "a", "--name", "b"], ["--name", "a", "--naam", "a"]])
def test_once_is_enough(arguments: list[str]) -> None:
    """F-CLI-06: an option given twice is an error, in whatever spelling."""
    ran = CliRunner().invoke(toy, arguments)

    assert ran.exit_code == 2
    assert "--name is given twice" in ran.output


def test_some_options_may_come_again() -> None:
    assert "('a', 'b')" in CliRunner().invoke(toy, ["--file", "a", "--file", "b"]).output


def test_a_list_without_a_word_is_an_error() -> None:
    assert CliRunner().invoke(toy, ["--part"]).exit_code == 2
