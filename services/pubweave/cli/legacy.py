"""PubFetcher's own command lines, taken as they are (chapters 17 and 23)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import click

from pubweave.cli.pipe import Whole
from pubweave.cli.problems import OK, Failed

if TYPE_CHECKING:
    from pubweave.cli.operations.grammar import Given

ROOT_OPTIONS: Final = frozenset(("-h", "--help", "-V", "--version", "--debug"))

_EXAMPLES: Final = """
pubweave -pub-file ids.txt -db-fetch-end library.db
pubweave -pub 10.1093/nar/gkz369 -fetch -out
pubweave legacy -pub-db library.db -db library.db -oa -count
"""


def is_legacy(arguments: Sequence[str]) -> bool:
    """Whether a command line is PubFetcher's: it begins with an option, and not with one of ours."""
    first = next(iter(arguments), "")
    if not first.startswith("-") or first in ROOT_OPTIONS:
        return False
    if not first.startswith("--"):
        return True
    from pubweave.cli.operations.grammar import is_known

    return is_known(first.partition("=")[0])


class _Legacy(Whole):
    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from pubweave.cli.operations.helping import about, options_help

        formatter.write(f"\n{about()}\n\n")
        for line in options_help("legacy"):
            formatter.write(line + "\n")


@click.command(cls=_Legacy, examples=_EXAMPLES)
@click.pass_context
def legacy(context: click.Context) -> int:
    """Take a command line of PubFetcher as it is.

    The word `legacy` may be left out where the command line begins with an option. One-offs come first, then the
    pipeline, then tests. Exit status: 0, or 1 for any error.
    """
    from pubweave.cli.operations.grammar import GrammarProblem
    from pubweave.ports import StorageProblem
    from pubweave.settings import SettingsProblem

    try:
        return _carry_out(context)
    except GrammarProblem as problem:
        raise Failed(f"{problem} (pubweave legacy --help lists all options)") from None
    except click.ClickException as problem:
        raise Failed(problem.format_message()) from problem
    except (StorageProblem, SettingsProblem) as problem:
        raise Failed(str(problem)) from problem


def _carry_out(context: click.Context) -> int:
    from pubweave.cli.operations.grammar import GrammarProblem, read
    from pubweave.cli.operations.pipeline import Pipeline, carry_out, one_offs, tests
    from pubweave.cli.options import say
    from pubweave.settings import scrubbed

    given = read(context.args)
    if not given.values:
        raise GrammarProblem("nothing to do: no operation is given")
    for notice in given.notices:
        say(notice)
    for words in one_offs(given):
        _call(context, words)
    if Pipeline.is_wanted(given):
        carry_out(given, tuple(scrubbed(context.obj or ())))
    for name in tests(given):
        _test(name, given)
    return OK


def _call(context: click.Context, words: list[str]) -> None:
    """Run a modern command in the place of a one-off.

    :raises Failed: it failed
    """
    root = context.find_root().command
    status = root.main(words, prog_name="pubweave", standalone_mode=False, obj=context.obj)
    if isinstance(status, int) and status != OK:
        raise Failed(f"pubweave {' '.join(words)} could not be finished")


def _test(name: str, given: "Given") -> None:
    raise Failed(f"-{name} is not here yet: `pubweave explain` tells what each source gave")
