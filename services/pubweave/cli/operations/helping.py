"""Help and documentation, made from the table."""

import sys
import textwrap
from collections.abc import Iterable, Iterator
from typing import Final, Literal

from pubweave.cli.operations.model import ARGUMENTS, ONE_OFFS, STAGES, Operation, Stage
from pubweave.cli.operations.table import ALIASES, OPERATIONS, WITHOUT_EFFECT
from pubweave.settings import SETTINGS
from pubweave.version import NAME, URL, VERSION

Style = Literal["legacy", "modern"]

_WIDTH: Final = 110
_COLUMN: Final = 34


def _spelled(operation: Operation, style: Style) -> str:
    spelling = operation.legacy if style == "legacy" else operation.spelling
    return f"{spelling} {operation.arguments}".rstrip()


def _listed(entries: Iterable[tuple[str, str]]) -> Iterator[str]:
    for left, right in entries:
        lines = textwrap.wrap(right, _WIDTH - _COLUMN - 2) or [""]
        first = f"  {left:{_COLUMN}}"
        if len(left) >= _COLUMN:
            yield f"  {left}"
            first = " " * (_COLUMN + 2)
        yield first + lines[0]
        for line in lines[1:]:
            yield " " * (_COLUMN + 2) + line


def _entries(stage: Stage, style: Style) -> Iterator[tuple[str, str]]:
    for operation in OPERATIONS:
        if operation.stage == stage:
            yield _spelled(operation, style), operation.sentence
    for name, meanings in ALIASES.items():
        if stage == name and style == "modern":
            yield f"--{name} {'|'.join(meanings)}", "The same in one option."


def options_about(words: Iterable[str], style: Style) -> list[str]:
    """Only the options that have all of these words in their name or sentence; empty if there are none."""
    wanted = [word.lower() for word in words]
    entries = [
        entry
        for stage in STAGES
        if style == "legacy" or stage not in (*ONE_OFFS, "test")
        for entry in _entries(stage, style)
        if all(word in " ".join(entry).lower() for word in wanted)
    ]
    return list(_listed(entries)) if wanted else []


def options_help(style: Style) -> Iterator[str]:
    """All options under their headings, in the order in which they work."""
    for stage, heading in STAGES.items():
        if style == "modern" and stage in (*ONE_OFFS, "test"):
            continue
        yield f"{heading}:"
        yield from _listed(_entries(stage, style))
        yield ""
    yield "Arguments:"
    yield from _listed(row for row in ARGUMENTS.values() if row[0])
    yield ""
    yield "Settings (`pubweave settings` explains them):"
    names = [
        f"--{setting.legacy}" if style == "legacy" and setting.legacy else setting.option
        for setting in SETTINGS
        if setting.name != "db" and setting.group != "bus"
    ]
    yield from textwrap.wrap(" ".join(names), _WIDTH, initial_indent="  ", subsequent_indent="  ")


EXAMPLES: Final = """
pubweave pipe --pub-file my.txt --db-fetch library.db --usable --out --format json
pubweave pipe --pub-db library.db --db library.db --not-part-empty fulltext --oa --count
pubweave pipe --pub-db library.db --db library.db --sort time-desc --head 10 --out-part title --plain --out
pubweave pipe --pub-file old.txt --not-in-db library.db --txt-ids-pub new.txt --plain
"""


def about() -> str:
    """Name, version and address (F-CLI-07)."""
    return f"{NAME} {VERSION} ({URL})"


# docs/operations.md


_HEAD: Final = """<!-- Made by `python -m pubweave.cli.operations.helping`; edit the table in services/pubweave/cli/operations instead. -->
# Every operation

`pubweave pipe` works through identifiers, gets their content, filters it and does something with the result. Its
steps happen in the order of this page, whatever the order of the options, and each once. All filters must hold. The
word `pipe` may be left out: `pubweave --pub-file ids.txt --out-ids`.

Command lines of PubFetcher work as they are: put `pubweave` where the Java program was called
(`pubweave -pub-file ids.txt -db-fetch-end library.db`). `pubweave legacy …` takes a command line so in any case.
In that spelling an error ends with exit status 1, as in PubFetcher; elsewhere bad input is 2.

An option is given once. `…` after an argument means one or more, up to the next option. Numbers compare strictly,
times inclusively; a pattern is a regular expression of Java and is found anywhere.
"""


def page() -> str:
    """docs/operations.md."""
    parts = [_HEAD]
    for stage, heading in STAGES.items():
        rows = [operation for operation in OPERATIONS if operation.stage == stage]
        once = stage in ONE_OFFS
        parts.append(f"## {heading}\n")
        parts.append("| legacy | modern | what it does | example |\n|---|---|---|---|")
        parts += [
            f"| {_code(_spelled(operation, 'legacy'))} | {_modern(operation)} | {_cell(operation)} | "
            f"{_code(example(operation))} |"
            for operation in rows
        ]
        if not once and stage in ALIASES:
            meanings = ", ".join(f"`--{stage} {word}` is `--{name}`" for word, name in ALIASES[stage].items())
            parts.append(f"\nAlso: {meanings}.")
        parts.append("")
    parts.append("## Options of newer versions of PubFetcher that do nothing here\n")
    parts.append("| option | why |\n|---|---|")
    parts += [f"| `--{name}` | {why} |" for name, (_, why) in WITHOUT_EFFECT.items()]
    parts.append("")
    return "\n".join(parts)


def _cell(operation: Operation) -> str:
    together = f" Together with `--{operation.companion}`." if operation.companion else ""
    return (operation.sentence + together).replace("|", "\\|")


def _code(text: str) -> str:
    return f"`{text}`".replace("|", "\\|")


def _modern(operation: Operation) -> str:
    if operation.command:
        return _code(f"pubweave {' '.join(operation.command)}")
    if operation.stage == "test":
        verb, _, name = operation.name.partition("-")
        if operation.argument == "regex":
            return _code(f"pubweave test run {name.removesuffix('-regex')} --regex")
        return _code(f"pubweave test {'print' if verb == 'print' else 'run'} {name}")
    return _code(operation.spelling)


def example(operation: Operation) -> str:
    """A command line that uses it."""
    if operation.command:
        return f"pubweave {operation.legacy} {operation.example}".rstrip()
    words = f"{operation.spelling} {operation.example}".rstrip()
    if operation.companion:
        other = next(one for one in OPERATIONS if one.name == operation.companion)
        words += f" {other.spelling} {other.example}".rstrip()
    match operation.stage:
        case "test":
            return f"pubweave {operation.legacy} {operation.example}".rstrip()
        case "add":
            return f"pubweave pipe {words} --out-ids"
        case "filter-ids" | "sort-ids" | "limit-ids":
            return f"pubweave pipe --pub-db library.db {words} --out-ids"
        case "remove-ids" | "out-ids":
            return f"pubweave pipe --pub-file ids.txt {words}"
        case "get":
            return f"pubweave pipe --pub-file ids.txt {words} --count"
        case "getting":
            return f"pubweave pipe --pub-file ids.txt --db-fetch library.db {words} --count"
        case "filter-pages":
            return f"pubweave pipe --web-db library.db --db library.db {words} --count"
        case "end":
            return f"pubweave pipe --pub-db library.db --db library.db {words}"
        case _:
            return f"pubweave pipe --pub-db library.db --db library.db {words} --out"


if __name__ == "__main__":
    sys.stdout.write(page())
