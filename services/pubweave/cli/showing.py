"""What several commands let people say about their output: its format, and the parts that are in it."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from pubweave.cli.group import Option
from pubweave.cli.problems import Refused

if TYPE_CHECKING:
    from pubweave.contract.vocabulary import PartName
    from pubweave.output.writer import Writer

FORMATS_OF_PAGES: Final = ("text", "html", "json", "jsonl")
"""Of web pages and docs."""

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

PART_WORDS: Final = [
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
    "abstract",
]
"""The ten parts; `abstract` is another word for `theAbstract`."""

FORMAT_WORDS: Final = (
    "text",
    "html",
    "json",
    "jsonl",
    "csv",
    "tsv",
    "parquet",
    "bioc",
    "bibtex",
    "ris",
    "csl",
)
"""The names of `output.formats.FORMATS`, here for the help, which must not load what makes them."""


def parts_option(name: str, variable: str, heading: str, sentence: str) -> Callable[[Decorated], Decorated]:
    """An option that takes parts, as `--x title abstract`, `--x title,abstract` or several times."""
    return click.option(
        name,
        variable,
        cls=Option,
        heading=heading,
        listed=PART_WORDS,
        metavar="PART …",
        help=sentence,
    )


def part_named(word: str) -> "PartName":
    """:raises Refused: there is no such part"""
    from pubweave.contract.vocabulary import PART_NAMES
    from pubweave.settings import nearest

    for name in PART_NAMES:
        if word == name or (word == "abstract" and name == "theAbstract"):
            return name
    near = nearest(word, PART_WORDS)
    hint = f"did you mean {near}?" if near else f"the parts are: {', '.join(PART_WORDS[:10])}"
    raise Refused(f"there is no part '{word}'; {hint}")


def check_format(word: str, known: Sequence[str], context: click.Context) -> None:
    """:raises click.UsageError: there is no such format"""
    from pubweave.settings import nearest

    if word not in known:
        near = nearest(word, known)
        hint = f"did you mean {near}?" if near else f"there are: {', '.join(known)}"
        raise click.UsageError(f"--format: there is no '{word}'; {hint}", context)


def check_selection(writer: "type[Writer]", *, plain: bool, parts: bool, context: click.Context) -> None:
    """:raises click.UsageError: the format's own standard says what is in it"""
    if not writer.selects and (plain or parts):
        given = "--plain" if plain else "--out-part"
        raise click.UsageError(
            f"--format {writer.name} has a standard of its own; {given} is not for it", context
        )


LENGTHS: Final = (
    "title_min_length",
    "keywords_min_size",
    "mined_terms_min_size",
    "abstract_min_length",
    "fulltext_min_length",
    "webpage_min_length",
)
"""The settings by which parts and pages are usable and final where they are shown."""
