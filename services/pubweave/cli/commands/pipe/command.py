"""`pubweave pipe`: identifiers in, content filtered, anything out; all steps in one command (chapter 17)."""

from typing import TYPE_CHECKING

import click

from pubweave.cli.operations.helping import EXAMPLES
from pubweave.cli.operations.whole import Whole
from pubweave.cli.problems import BAD_INPUT, OK, UNFINISHED

if TYPE_CHECKING:
    pass


@click.command(cls=Whole, examples=EXAMPLES)
@click.pass_context
def pipe(context: click.Context) -> int:
    """Work through identifiers: get their content, filter it, sort it, put it out or into databases.

    `pubweave pipe --help time` shows only the options about time.

    Steps happen in the order of this page, whatever the order of the options, and each once; all filters must
    hold. An option is given once; `…` means one or more arguments. The word `pipe` may be left out. Exit status:
    0 all went well, 1 some could not be finished, 2 bad input.
    """
    from pubweave.cli.operations.calling import call, tell_idle, try_all
    from pubweave.cli.operations.grammar import GrammarProblem, read
    from pubweave.cli.operations.pipeline import Pipeline, carry_out, one_offs, tests
    from pubweave.cli.options import typed
    from pubweave.output.terminal import say

    if not context.args:
        raise click.UsageError("nothing to do: give options", context)
    try:
        given = read(context.args)
    except GrammarProblem as problem:
        raise click.UsageError(str(problem), context) from None
    once = [name for name in given.values if _is_once(name)]
    command = next((word for word in context.obj or () if word != "--debug"), "pipe")
    if once and command == "pipe":
        raise click.UsageError(f"--{once[0]} stands alone: {_instead(once[0])}", context)
    for notice in given.notices:
        say(notice)
    wanted = Pipeline.is_wanted(given) or not once
    if not wanted:
        tell_idle(context, [*one_offs(given), *tests(given)], given)
    for words in one_offs(given):
        call(context, words, given)
    bad = unfinished = 0
    if wanted:
        bad, unfinished = carry_out(given, typed(context))
    unfinished += try_all(context, tests(given), given)
    return BAD_INPUT if bad else UNFINISHED if unfinished else OK


def _is_once(name: str) -> bool:
    from pubweave.cli.operations.model import ONE_OFFS
    from pubweave.cli.operations.table import BY_NAME

    return BY_NAME[name].stage in ONE_OFFS or BY_NAME[name].stage == "test"


def _instead(name: str) -> str:
    from pubweave.cli.operations.table import BY_NAME

    operation = BY_NAME[name]
    return f"pubweave {' '.join(operation.command) or 'test'}"
