"""`pubweave`: finds the command, runs it, and says in one sentence what went wrong."""

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import click

from pubweave.cli.group import Command, Lazy, LazyGroup
from pubweave.cli.problems import BAD_INPUT, OK, UNFINISHED
from pubweave.output.terminal import echo
from pubweave.runtimes.collecting import collect_less_often
from pubweave.settings import SETTINGS
from pubweave.version import NAME, URL, VERSION

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

COMMANDS: Final = {
    "fetch": Lazy("pubweave.cli.commands.fetch.command:fetch", "Make finished records out of identifiers."),
    "page": Lazy("pubweave.cli.commands.page.command:page", "Make clean text of web pages and docs."),
    "doc": Lazy(
        "pubweave.cli.commands.doc.command:doc", "Print one document from an address; nothing is stored."
    ),
    "explain": Lazy(
        "pubweave.cli.commands.explain.command:explain",
        "Say where a value comes from, and what else was found.",
    ),
    "pipe": Lazy(
        "pubweave.cli.commands.pipe.command:pipe",
        "Get, filter, sort, put out and store content in one command.",
    ),
    "export": Lazy(
        "pubweave.cli.commands.export.command:export", "Write what is in a database, in any format."
    ),
    "report": Lazy(
        "pubweave.cli.commands.report.command:report",
        "Count what is there, where it came from, what is missing and why.",
    ),
    "status": Lazy(
        "pubweave.cli.commands.status.command:status", "Count what was asked and what became of it."
    ),
    "db": Lazy("pubweave.cli.commands.db.command:db", "Make, measure and tidy up a database."),
    "id": Lazy("pubweave.cli.commands.id.command:ids", "Check and normalise identifiers."),
    "escape": Lazy("pubweave.cli.commands.escape.command:escape", "Escape a text for HTML."),
    "rules": Lazy(
        "pubweave.cli.commands.rules.command:rules", "Say which rules are in force for an address."
    ),
    "test": Lazy(
        "pubweave.cli.commands.test.command:trying", "Try one source, or the rules of one page, alone."
    ),
    "settings": Lazy(
        "pubweave.cli.commands.settings.command:settings", "List every setting, what it is and who set it."
    ),
    "jats": Lazy("pubweave.cli.commands.jats.command:jats", "Turn JATS articles into structured documents."),
    "articles": Lazy("pubweave.cli.commands.articles.command:articles", "Find the articles of a site."),
    "text": Lazy("pubweave.cli.commands.text.command:text", "Clean text of pages, PDFs and JATS files."),
    "work": Lazy("pubweave.cli.commands.work.command:work", "Run services on Kafka and Cassandra."),
    "submit": Lazy("pubweave.cli.commands.submit.command:submit", "Put identifiers on the bus."),
    "follow": Lazy(
        "pubweave.cli.commands.follow.command:follow", "Print finished records of the bus as they come."
    ),
    "rebuild": Lazy(
        "pubweave.cli.commands.rebuild.command:rebuild", "Make finished records anew from the log alone."
    ),
    "dead-letters": Lazy(
        "pubweave.cli.commands.dead_letters.command:dead_letters",
        "See and repeat messages that were put aside.",
    ),
    "topics": Lazy("pubweave.cli.commands.topics.command:topics", "Make and check the topics of the bus."),
    "tables": Lazy("pubweave.cli.commands.tables.command:tables", "Make the tables of the bus in Cassandra."),
    "legacy": Lazy(
        "pubweave.cli.commands.legacy.command:legacy", "Take a command line of PubFetcher as it is."
    ),
    "doctor": Lazy(
        "pubweave.cli.commands.doctor.command:doctor", "Look at what a fetch needs, and say what to do."
    ),
    "completion": Lazy(
        "pubweave.cli.commands.completion.command:completion", "Let a shell complete commands and options."
    ),
    "man": Lazy("pubweave.cli.commands.man.command:man", "Write the manual pages."),
    "version": Lazy("pubweave.cli.main:version", "Say which version this is."),
}
ALIASES: Final = {"iter": "articles"}

_INTERRUPTED: Final = 130
"""128 + SIGINT, as shells expect."""


class _Main(LazyGroup):
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, _modern(args) if ctx.resilient_parsing else args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        """Commands, and the options of pipelines, which need none."""
        found = super().shell_complete(ctx, incomplete)
        if incomplete.startswith("-"):
            from pubweave.cli.operations.completing import completed

            found += completed((), incomplete, "modern" if incomplete.startswith("--") else "legacy")
        return found

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Fetching parameters (of fetch; pubweave settings explains them)"):
            names = [setting.option for setting in SETTINGS if setting.group == "fetching"]
            for at in range(0, len(names), 3):
                line = "".join(f"{name:34}" for name in names[at : at + 3])
                formatter.write(" " * formatter.current_indent + line.rstrip() + "\n")
        with formatter.section("Examples"):
            for line in (
                "pubweave fetch 31092905 PMC6519000 10.1093/nar/gkz369",
                "pubweave fetch --ids my.txt --format json --out records.json",
                "pubweave explain 31092905 title",
            ):
                formatter.write(" " * formatter.current_indent + line + "\n")


@click.group(
    cls=_Main,
    lazy=COMMANDS,
    aliases=ALIASES,
    help=f"{NAME} {VERSION} ({URL}) turns PMIDs, PMCIDs and DOIs into finished, explained publication records.",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(VERSION, "-V", "--version", prog_name=NAME.lower(), message="%(prog)s %(version)s")
@click.option(
    "--debug",
    is_flag=True,
    expose_value=False,
    help="If something goes wrong, show where in the program; may stand anywhere.",
)
def root() -> None:
    pass


@click.command(cls=Command, examples="pubweave version")
def version() -> None:
    """Say which version this is."""
    echo(f"{NAME.lower()} {VERSION}")


def _complain(sentence: str) -> None:
    echo(f"pubweave: {sentence}", err=True)


def _usage(problem: click.UsageError) -> str:
    sentence = problem.format_message().strip()
    sentence = sentence[:1].lower() + sentence[1:] if not sentence.startswith("PM") else sentence
    where = problem.ctx.command_path if problem.ctx else "pubweave"
    return f"{sentence.rstrip('.')} ({where} --help)"


def _modern(arguments: list[str]) -> list[str]:
    """A command line that begins with an option instead of a command is one of PubFetcher, or a pipeline."""
    if arguments and arguments[0].startswith("-"):
        from pubweave.cli.operations.meant import command_of

        command = command_of(arguments)
        return [command, *arguments] if command else arguments
    return arguments


def run(arguments: Sequence[str]) -> int:
    """Run one command line.

    :returns: the exit status: 0 all went well, 1 some could not be finished, 2 bad input
    """
    debug = "--debug" in arguments
    try:
        result = root.main(
            _modern([argument for argument in arguments if argument != "--debug"]),
            prog_name="pubweave",
            standalone_mode=False,
            obj=tuple(arguments),
        )
        sys.stdout.flush()
        return result if isinstance(result, int) else OK
    except click.exceptions.NoArgsIsHelpError as problem:
        echo(problem.format_message(), err=True)
        return BAD_INPUT
    except click.UsageError as problem:
        if debug:
            raise
        _complain(_usage(problem))
        return BAD_INPUT
    except click.ClickException as problem:
        if debug:
            raise
        _complain(problem.format_message())
        return problem.exit_code
    except (KeyboardInterrupt, click.Abort):
        _complain("interrupted")
        return _INTERRUPTED
    except BrokenPipeError:
        # The reader has had enough (`| head`). What is left in the buffer must not be tried again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return UNFINISHED
    except Exception as problem:  # the last resort: no user sees a traceback unasked
        if debug:
            raise
        known = _known(problem)
        _complain(known or f"failed: {type(problem).__name__}: {problem} (--debug shows where)")
        return BAD_INPUT if known else UNFINISHED


def _known(problem: Exception) -> str:
    """The sentence of a problem that was foreseen; "" of one that was not."""
    from pubweave.core.reading.java_regex import JavaRegexTimeout
    from pubweave.ports import StorageProblem
    from pubweave.problems import UserError

    foreseen = (JavaRegexTimeout, StorageProblem, UserError)
    return str(problem) if isinstance(problem, foreseen) else ""


def main() -> None:
    """The console script."""
    collect_less_often()
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
