"""PubFetcher's own command lines, taken as they are (chapters 17 and 23)."""

from typing import TYPE_CHECKING, Final

import click

from pubweave.cli.operations.whole import Whole
from pubweave.cli.problems import OK, UNFINISHED, Failed

if TYPE_CHECKING:
    pass


_EXAMPLES: Final = """
pubweave -pub-file ids.txt -db-fetch-end library.db
pubweave -pub 10.1093/nar/gkz369 -fetch -out
pubweave legacy -pub-db library.db -db library.db -oa -count
"""


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
    from pubweave.cli.operations.calling import call, tell_idle, try_all
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
