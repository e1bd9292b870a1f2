"""One-offs and tests of a pipeline, run as the modern commands that do the same."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import click

from pubweave.cli.problems import OK, Failed

if TYPE_CHECKING:
    from pubweave.cli.operations.grammar import GivenCommand


def tell_idle(context: click.Context, commands: Sequence[list[str]], given: "GivenCommand") -> None:
    """Name options that none of these commands knows, so that nobody believes they did something."""
    from pubweave.cli.operations.table import BY_NAME
    from pubweave.output.terminal import say
    from pubweave.settings import BY_NAME as SETTINGS

    root = context.find_root().command
    known = {name for words in commands for name in _parameters(_found(root, words[: words.index("--")]))}
    idle = [SETTINGS[name].option for name in given.settings if name not in {*known, *_OF_LOGS}]
    idle += [
        BY_NAME[name].spelling
        for name in given.values
        if BY_NAME[name].stage in ("getting", "output")
        and name != "quiet"
        and ("format_" if name == "format" else name.replace("-", "_")) not in known
    ]
    for option in idle:
        say(f"{option} does nothing here: no operation is given that it is for")


_OF_LOGS: Final = frozenset(("log", "log_format", "log_layout"))


def _parameters(command: click.Command) -> list[str]:
    return [parameter.name or "" for parameter in command.params]


def call(context: click.Context, words: list[str], given: "GivenCommand") -> None:
    """Run a modern command in the place of a one-off, with the settings and the output that it knows.

    :raises Failed: it failed
    """
    if _status_of(context, words, given) != OK:
        raise Failed(f"pubweave {' '.join(words)} could not be finished")


def try_all(context: click.Context, commands: Sequence[list[str]], given: "GivenCommand") -> int:
    """Run tests one after the other, whatever comes out; what they found they have said.

    :returns: the worst exit status
    """
    return max((_status_of(context, words, given) for words in commands), default=OK)


def _status_of(context: click.Context, words: list[str], given: "GivenCommand") -> int:
    root = context.find_root().command
    at = words.index("--")
    command = _found(root, words[:at])
    words = [*words[:at], *_passed_on(command, given), *words[at:]]
    with _logged(command, given, tuple(context.obj or ())):
        status = root.main(words, prog_name="pubweave", standalone_mode=False, obj=context.obj)
    return status if isinstance(status, int) else OK


@contextmanager
def _logged(command: click.Command, given: "GivenCommand", argv: tuple[str, ...]) -> Iterator[None]:
    """The log of a command that has none of its own (F-CLI-08)."""
    if "log" not in given.settings or "log" in _parameters(command):
        yield
        return
    from pubweave.cli.logs import listening_as_set
    from pubweave.cli.options import in_effect
    from pubweave.output.terminal import say
    from pubweave.settings import scrubbed

    settings = in_effect({name: given.settings.get(name) for name in _OF_LOGS})
    with listening_as_set(settings, say, scrubbed(argv)):
        yield


def _found(command: click.Command, words: Sequence[str]) -> click.Command:
    """The command that these words begin with."""
    for word in words:
        if not isinstance(command, click.Group):
            break
        command = command.get_command(click.Context(command), word) or command
    return command


def _passed_on(command: click.Command, given: "GivenCommand") -> list[str]:
    from pubweave.settings import BY_NAME

    known = {parameter.name for parameter in command.params}
    words: list[str] = []
    for name, value in given.settings.items():
        if name in known and isinstance(value, bool):
            words.append(BY_NAME[name].option if value else f"--no-{BY_NAME[name].option[2:]}")
        elif name in known:
            words += [BY_NAME[name].option, str(value)]
    if "plain" in known and given.has("plain"):
        words.append("--plain")
    if "format_" in known and (format_ := given.one("format")) is not None:
        words += ["--format", format_]
    return words
