"""Command lines of the pipeline: which options, how many arguments, of which type (17.1).

Both spellings are understood: PubFetcher's own (`-pub-file`, `--emptyCooldown`) and the modern one
(`--pub-file`, `--empty-cooldown`, `--sort desc`).
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final, Literal, NamedTuple

from pubweave.cli.operations.model import ARGUMENTS, FILTERS, Argument, Operation
from pubweave.cli.operations.selecting import FilterCondition
from pubweave.cli.operations.table import ALIASES, BY_NAME, OPERATIONS, WITHOUT_EFFECT
from pubweave.cli.showing import FORMAT_WORDS
from pubweave.contract.vocabulary import PART_NAMES, TYPE_NAMES, PartName
from pubweave.core.reading.java_regex import JavaRegexError
from pubweave.core.reading.selectors.patterns import compile_pattern
from pubweave.settings import SETTINGS, Setting, nearest

HELP: Final = ("-h", "--help", "-help")


class GrammarProblem(Exception):
    """The command line cannot be understood; the text is one sentence for the user."""


class GivenCommand(NamedTuple):
    """A command line as it was understood."""

    values: dict[str, list[str]]
    """Arguments of each operation that was given, by its name."""
    settings: dict[str, object]
    """What it sets, by the name of the setting."""
    notices: list[str]
    """What the user should know about options that do nothing."""
    wants_help: bool = False

    def has(self, name: str) -> bool:
        return name in self.values

    def one(self, name: str) -> str | None:
        """The argument of an operation that takes one; None if it was not given."""
        found = self.values.get(name)
        return found[0] if found else None

    def several(self, name: str) -> list[str]:
        return self.values.get(name, [])


def _setting_spellings() -> dict[str, tuple[Setting, object]]:
    """Options of settings; a switch has its value with it, the others None."""
    found: dict[str, tuple[Setting, object]] = {}
    for setting in SETTINGS:
        if setting.name == "db" or setting.group == "bus":
            continue  # `--db` is the operation that loads from a database; how to log in to a cluster is no option
        if setting.kind == "switch":
            found[setting.option] = (setting, True)
            found[f"--no-{setting.option[2:]}"] = (setting, False)
            continue
        found[setting.option] = (setting, None)
        if setting.legacy:
            found[f"--{setting.legacy}"] = (setting, None)
        if setting.name == "log":
            found["-l"] = (setting, None)
    return found


_SETTINGS: Final = _setting_spellings()
_OF_THE_BUS: Final = {setting.option: setting for setting in SETTINGS if setting.group == "bus"}
_OPERATIONS: Final[dict[str, Operation]] = {
    **{operation.spelling: operation for operation in OPERATIONS},
    **{operation.legacy: operation for operation in OPERATIONS},
}
_IDLE: Final = {f"--{name}": (count, why) for name, (count, why) in WITHOUT_EFFECT.items()}
_ALIASES: Final = {f"--{name}": meanings for name, meanings in ALIASES.items()}
_KNOWN: Final = frozenset((*_SETTINGS, *_OPERATIONS, *_IDLE, *_ALIASES, *HELP))


def spelling_of(word: str) -> Literal["legacy", "modern", "either", "none"]:
    """Who spells an option so: PubFetcher, we, or both; `none` if it is no option of the pipeline.

    Settings that PubFetcher does not have go with either.
    """
    if word not in _KNOWN:
        return "none"
    operation, (setting, _) = _OPERATIONS.get(word), _SETTINGS.get(word, (None, None))
    if operation is not None:
        if operation.legacy == operation.spelling:
            return "either"
        return "legacy" if word == operation.legacy else "modern"
    if setting is not None:
        if not setting.legacy or f"--{setting.legacy}" == setting.option:
            return "either"
        return "modern" if word == setting.option else "legacy"
    return "modern" if word in _ALIASES else "legacy"


def read(arguments: Sequence[str]) -> GivenCommand:
    """Understand a command line.

    :raises GrammarProblem: unknown, given twice, too few or too many arguments, a wrong type, a companion missing
    """
    if any(word in HELP for word in arguments):
        return GivenCommand({}, {}, [], wants_help=True)
    given = GivenCommand({}, {}, [])
    left = _split(arguments)
    while left:
        spelling = left.pop(0)
        if spelling in _ALIASES:
            operation = _aliased(spelling, _take(left, spelling, 1, 1)[0])
            _store(given, operation, spelling, [])
        elif spelling in _OPERATIONS:
            operation = _OPERATIONS[spelling]
            values = _take(left, spelling, operation.least, operation.most)
            _store(given, operation, spelling, [_checked(operation, spelling, value) for value in values])
        elif spelling in _SETTINGS:
            setting, value = _SETTINGS[spelling]
            if setting.name in given.settings:
                raise GrammarProblem(f"{spelling} is given twice")
            given.settings[setting.name] = _take(left, spelling, 1, 1)[0] if value is None else value
        elif spelling in _IDLE:
            count, why = _IDLE[spelling]
            _take(left, spelling, count, count)
            given.notices.append(f"{spelling} does nothing here: {why}")
        else:
            raise GrammarProblem(_unknown(spelling))
    _check_together(given, arguments)
    return given


def _split(arguments: Sequence[str]) -> list[str]:
    """`--head=3` is `--head 3`."""
    found: list[str] = []
    for word in arguments:
        name, equals, value = word.partition("=")
        found += [name, value] if equals and name.startswith("--") and name in _KNOWN else [word]
    return found


def _take(left: list[str], spelling: str, least: int, most: int) -> list[str]:
    """Its arguments: as many as it takes, up to the next option (F-CLI-05)."""
    values: list[str] = []
    while left and len(values) < most and left[0] not in _KNOWN:
        if len(values) >= least and re.match(r"--?[A-Za-z]", left[0]):
            break  # a list ends at anything that looks like an option, so that a mistyped one is noticed
        values.append(left.pop(0))
    if len(values) < least:
        wanted = "an argument" if least == 1 else f"{least} arguments"
        raise GrammarProblem(f"{spelling} needs {wanted}")
    return values


def _unknown(word: str) -> str:
    if not word.startswith("-"):
        return f"'{word}' stands where an option should"
    setting = _OF_THE_BUS.get(word.partition("=")[0])
    if setting is not None:
        return f"{word} is no option here: set {setting.variable}, or {setting.name} in pubweave.toml"
    near = nearest(word, sorted(_KNOWN))
    return f"there is no option {word}" + (f"; did you mean {near}?" if near else "")


def _aliased(spelling: str, value: str) -> Operation:
    meanings = _ALIASES[spelling]
    if value not in meanings:
        raise GrammarProblem(f"{spelling} takes one of {', '.join(meanings)}, not '{value}'")
    return BY_NAME[meanings[value]]


def _store(given: GivenCommand, operation: Operation, spelling: str, values: list[str]) -> None:
    if operation.name in given.values:
        raise GrammarProblem(f"{spelling} is given twice")
    given.values[operation.name] = values


def _checked(operation: Operation, spelling: str, value: str) -> str:
    try:
        _CHECKS.get(operation.argument, str)(value)
    except ValueError as problem:
        what = ARGUMENTS[operation.argument][1]
        detail = f" ({problem})" if operation.argument == "regex" else ""
        raise GrammarProblem(f"{spelling}: '{value}' is not {what}{detail}") from None
    return value


def _check_together(given: GivenCommand, arguments: Sequence[str]) -> None:
    for name in given.values:
        operation = BY_NAME[name]
        if operation.companion and operation.companion not in given.values:
            dashes = "-" if f"-{name}" in arguments else "--"
            condition, parts = sorted((name, operation.companion), key=len)
            raise GrammarProblem(
                f"{dashes}{condition} and {dashes}{parts} belong together: "
                f"{dashes}{operation.companion} is missing"
            )
    if given.has("fetch-part") and given.has("not-fetch-part"):
        raise GrammarProblem("--fetch-part and --not-fetch-part exclude each other")


_INSTANT: Final = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z", re.ASCII)


def time_of(text: str) -> int:
    """UNIX milliseconds of an instant (F-CLI-02).

    :raises ValueError: it is none
    """
    match = _INSTANT.fullmatch(text)
    if match is None:
        raise ValueError(text)
    moment = datetime.fromisoformat(match[1]).replace(tzinfo=UTC)
    return int(moment.timestamp()) * 1000 + int(f"{match[2] or '0':0<9}"[:3])


def count_of(text: str) -> int:
    """:raises ValueError: not a whole number, or a negative one (F-CLI-03)"""
    if not re.fullmatch(r"\d+", text, re.ASCII):
        raise ValueError(text)
    return int(text)


def _integer_of(text: str) -> int:
    if not re.fullmatch(r"-?\d+", text, re.ASCII):
        raise ValueError(text)
    return int(text)


def part_of(text: str) -> PartName:
    """:raises ValueError: no part is called so"""
    for name in PART_NAMES:
        if text == name or (text == "abstract" and name == "theAbstract"):
            return name
    raise ValueError(text)


def _type_of(text: str) -> str:
    if text not in TYPE_NAMES:
        raise ValueError(text)
    return text


def _format_of(text: str) -> str:
    if text not in FORMAT_WORDS:
        raise ValueError(text)
    return text


def _regex_of(text: str) -> object:
    try:
        return compile_pattern(text)
    except JavaRegexError as problem:
        raise ValueError(str(problem)) from None


_CHECKS: Final = {
    "regex": _regex_of,
    "time": time_of,
    "count": count_of,
    "integer": _integer_of,
    "part": part_of,
    "type": _type_of,
    "format": _format_of,
}


def condition_of(given: GivenCommand, operation: Operation) -> FilterCondition:
    """A filter that was given, with its arguments as what they are."""
    values = given.values[operation.name]
    argument: Argument = operation.argument
    parts = values if argument == "part" else given.several(operation.companion)
    return FilterCondition(
        operation.name,
        patterns=tuple(map(compile_pattern, values)) if argument == "regex" else (),
        numbers=tuple(
            time_of(value) if argument == "time" else _integer_of(value)
            for value in (values if argument in ("time", "count", "integer") else ())
        ),
        words=tuple(values) if argument in ("word", "type", "host") else (),
        parts=tuple(map(part_of, parts)),
    )


def conditions(given: GivenCommand) -> list[FilterCondition]:
    """The filters of content that were given, in the order of the table."""
    return [
        condition_of(given, operation)
        for operation in OPERATIONS
        if operation.stage in FILTERS and operation.name in given.values and not _is_companion(operation)
    ]


def listed_conditions(given: GivenCommand) -> list[FilterCondition]:
    """The filters of identifiers that were given, but for those that ask a database."""
    return [
        condition_of(given, operation)
        for operation in OPERATIONS
        if operation.stage == "filter-ids"
        and operation.argument != "database"
        and operation.name in given.values
    ]


def _is_companion(operation: Operation) -> bool:
    """A list of parts that belongs to another option."""
    return bool(operation.companion) and operation.argument == "part"
