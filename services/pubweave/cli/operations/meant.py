"""Which command a command line without one means."""

from collections.abc import Sequence
from typing import Final

ROOT_OPTIONS: Final = frozenset(("-h", "--help", "-V", "--version", "--debug"))


def command_of(arguments: Sequence[str]) -> str:
    """The command that a command line without one means: PubFetcher's own is `legacy`, one in the modern spelling
    is `pipe`; "" if it has a command, or begins with an option of the program itself.

    What both spell the same (`--format`) is PubFetcher's where an option with a single dash follows.
    """
    first = next(iter(arguments), "").partition("=")[0]
    if not first.startswith("-") or first in ROOT_OPTIONS:
        return ""
    if not first.startswith("--"):
        return "legacy"
    from pubweave.cli.operations.grammar import spelling_of

    own = spelling_of(first)
    if own == "either":
        return "legacy" if any(spelling_of(word) == "legacy" for word in arguments) else "pipe"
    return {"legacy": "legacy", "modern": "pipe", "none": ""}[own]
