"""What a shell offers in the middle of a command line of the pipeline: options, and values where there are few."""

from collections.abc import Iterator, Sequence
from typing import Final

from click.shell_completion import CompletionItem

from pubweave.cli.operations.grammar import spelling_of
from pubweave.cli.operations.helping import Style
from pubweave.cli.operations.model import ONE_OFFS, Argument, Operation
from pubweave.cli.operations.table import ALIASES, OPERATIONS
from pubweave.cli.showing import FORMAT_WORDS
from pubweave.contract.vocabulary import PART_NAMES, TYPE_NAMES
from pubweave.settings import SETTINGS, Setting

_VALUES: Final[dict[Argument, Sequence[str]]] = {
    "part": PART_NAMES,
    "type": TYPE_NAMES,
    "format": FORMAT_WORDS,
}
_PATHS: Final = ("file", "database")


def completed(words: Sequence[str], incomplete: str, style: Style) -> list[CompletionItem]:
    """What may stand there.

    :param words: those before it, without the command
    :param incomplete: what is typed of it so far
    :param style: the spelling of options that are offered
    """
    at = next((at for at in range(len(words) - 1, -1, -1) if spelling_of(words[at]) != "none"), -1)
    last, count = (words[at] if at >= 0 else ""), len(words) - at - 1
    operation = _named(last)
    setting = next((one for one in SETTINGS if last in _spellings(one)), None)
    found: list[CompletionItem] = []
    if incomplete[:1] != "-":
        if operation is not None and count < operation.most:
            found += _values(operation, incomplete)
        elif setting is not None and setting.kind != "switch" and count == 0:
            kind = {"file": "file", "folder": "dir"}.get(setting.kind)
            return [CompletionItem(incomplete, type=kind)] if kind else []
        elif count == 0 and last.removeprefix("--") in ALIASES:
            return _beginning(ALIASES[last.removeprefix("--")], incomplete)
    least = operation.least if operation is not None else 0
    if count >= least and (incomplete[:1] == "-" or not found):
        given = {word for word in words if spelling_of(word) != "none"}
        found += [
            CompletionItem(spelling, help=sentence)
            for spelling, sentence in _options(style)
            if spelling.startswith(incomplete or "-") and spelling not in given
        ]
    return found


def _named(word: str) -> Operation | None:
    return next((one for one in OPERATIONS if word in (one.spelling, one.legacy)), None)


def _spellings(setting: Setting) -> tuple[str, ...]:
    return (setting.option, f"--{setting.legacy}") if setting.legacy else (setting.option,)


def _values(operation: Operation, incomplete: str) -> list[CompletionItem]:
    if operation.argument in _PATHS:
        return [CompletionItem(incomplete, type="file")]
    return _beginning(_VALUES.get(operation.argument, ()), incomplete)


def _beginning(values: "Sequence[str] | dict[str, str]", incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(value) for value in values if value.startswith(incomplete)]


def _options(style: Style) -> Iterator[tuple[str, str]]:
    """(spelling, sentence) in the order of the table."""
    for operation in OPERATIONS:
        if style == "legacy" or operation.stage not in (*ONE_OFFS, "test"):
            yield operation.legacy if style == "legacy" else operation.spelling, operation.sentence
    if style == "modern":
        for name, meanings in ALIASES.items():
            yield f"--{name}", f"One of {', '.join(meanings)}."
    for setting in SETTINGS:
        if setting.name != "db" and setting.group != "bus":
            yield _spellings(setting)[-1 if style == "legacy" else 0], setting.sentence
