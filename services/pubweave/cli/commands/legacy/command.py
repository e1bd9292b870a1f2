"""PubFetcher's own command lines, taken as they are (chapters 17 and 23)."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import click

from pubweave.cli.commands.pipe.command import Whole
from pubweave.cli.problems import OK, UNFINISHED, Failed

if TYPE_CHECKING:
    from pubweave.cli.operations.grammar import Given

ROOT_OPTIONS: Final = frozenset(("-h", "--help", "-V", "--version", "--debug"))

_EXAMPLES: Final = """
pubweave -pub-file ids.txt -db-fetch-end library.db
pubweave -pub 10.1093/nar/gkz369 -fetch -out
pubweave legacy -pub-db library.db -db library.db -oa -count
"""


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


class _Legacy(Whole):
    style = "legacy"

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from pubweave.cli.operations.helping import about

        formatter.write(f"\n{about()}\n")
        super().format_options(ctx, formatter)


@click.command(cls=_Legacy, examples=_EXAMPLES)
@click.pass_context
def legacy(context: click.Context) -> int:
    """Take a command line of PubFetcher as it is.

    The word `legacy` may be left out where the command line begins with an option of PubFetcher. One-offs come first,
    then the pipeline, then tests. Exit status: 0, or 1 for any error.
    """
    from pubweave.cli.interrupting import Interrupted
    from pubweave.cli.operations.grammar import GrammarProblem
    from pubweave.core.reading.java_regex import JavaRegexTimeout
    from pubweave.ports import StorageProblem
    from pubweave.problems import UserError

    try:
        return _carry_out(context)
    except GrammarProblem as problem:
        raise Failed(f"{problem} (pubweave legacy --help lists all options)") from None
    except Interrupted:
        raise
    except click.ClickException as problem:
        raise Failed(problem.format_message()) from problem
    except (JavaRegexTimeout, StorageProblem, UserError) as problem:
        raise Failed(str(problem)) from problem


def _carry_out(context: click.Context) -> int:
    from pubweave.cli.operations.grammar import GrammarProblem, read
    from pubweave.cli.operations.pipeline import Pipeline, carry_out, one_offs, tests
    from pubweave.cli.options import typed
    from pubweave.output.terminal import say

    given = read(context.args)
    if not given.values:
        raise GrammarProblem("nothing to do: no operation is given")
    for notice in given.notices:
        say(notice)
    singles = [*one_offs(given), *tests(given)]
    wanted = Pipeline.is_wanted(given)
    if not wanted:
        tell_idle(context, singles, given)
    for words in one_offs(given):
        call(context, words, given)
    unfinished = carry_out(given, typed(context))[1] if wanted else 0
    return max(UNFINISHED if unfinished else OK, try_all(context, tests(given), given))


def tell_idle(context: click.Context, commands: Sequence[list[str]], given: "Given") -> None:
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


def call(context: click.Context, words: list[str], given: "Given") -> None:
    """Run a modern command in the place of a one-off, with the settings and the output that it knows.

    :raises Failed: it failed
    """
    if _status_of(context, words, given) != OK:
        raise Failed(f"pubweave {' '.join(words)} could not be finished")


def try_all(context: click.Context, commands: Sequence[list[str]], given: "Given") -> int:
    """Run tests one after the other, whatever comes out; what they found they have said.

    :returns: the worst exit status
    """
    return max((_status_of(context, words, given) for words in commands), default=OK)


def _status_of(context: click.Context, words: list[str], given: "Given") -> int:
    root = context.find_root().command
    at = words.index("--")
    command = _found(root, words[:at])
    words = [*words[:at], *_passed_on(command, given), *words[at:]]
    with _logged(command, given, tuple(context.obj or ())):
        status = root.main(words, prog_name="pubweave", standalone_mode=False, obj=context.obj)
    return status if isinstance(status, int) else OK


@contextmanager
def _logged(command: click.Command, given: "Given", argv: tuple[str, ...]) -> Iterator[None]:
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


def _passed_on(command: click.Command, given: "Given") -> list[str]:
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
