"""`pubweave page`: addresses in, web pages or docs as clean text out."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from pubweave.cli.addresses import addresses
from pubweave.cli.group import Command, Option
from pubweave.cli.options import OF_REQUESTS, in_effect, setting_options, typed
from pubweave.cli.problems import BAD_INPUT, Refused
from pubweave.cli.showing import FORMATS_OF_PAGES, check_format

if TYPE_CHECKING:
    pass
from pubweave.cli.commands.page.job import PagesJob, PagesOptions

SETTINGS_OF_PAGES: Final = (
    "webpage_min_length",
    "webpage_min_length_javascript",
    "timeout",
    "empty_cooldown",
    "non_final_cooldown",
    "fetch_exception_cooldown",
    "retry_limit",
    "db",
    "webpages_yaml",
    "classic_cleaning",
    "email",
    "user_agent",
    "budgets",
    "connections_per_host",
    "in_flight",
    *OF_REQUESTS,
)
"""The settings that matter here; all others hold as they are set elsewhere."""


_WHAT: Final = "What to fetch"


_OUT: Final = "What comes out"


_HOW: Final = "How it runs"


_EXAMPLES: Final = """
pubweave page https://bowtie-bio.sourceforge.net/bowtie2/index.shtml
pubweave page --urls tools.txt --format json --out tools.json
pubweave page --doc --urls - --plain < manuals.txt
pubweave page https://github.com/samtools/samtools --webpages-yaml my-rules.yaml
"""


@click.command(cls=Command, examples=_EXAMPLES)
@click.argument("urls", nargs=-1, metavar="[URL]…")
@click.option(
    "--urls",
    "files",
    cls=Option,
    heading=_WHAT,
    multiple=True,
    metavar="FILE|-",
    help="A file with one address a line; # starts a comment. May be given several times; - is standard input.",
)
@click.option(
    "--doc",
    is_flag=True,
    cls=Option,
    heading=_WHAT,
    help="They are documentation: kept in the store of docs, apart from web pages.",
)
@click.option(
    "--format",
    "format_",
    cls=Option,
    heading=_OUT,
    metavar="FORMAT",
    help=f"{', '.join(FORMATS_OF_PAGES)}. Otherwise by the name of --out; text without one.",
)
@click.option(
    "--out",
    cls=Option,
    heading=_OUT,
    metavar="FILE",
    help="Write the results there; the file is there whole or not at all.",
)
@click.option(
    "--plain", is_flag=True, cls=Option, heading=_OUT, help="Only address, title and content of each."
)
@click.option(
    "--quiet", "-q", is_flag=True, cls=Option, heading=_OUT, help="No progress, no warnings, no summary."
)
@click.option(
    "--deadline",
    cls=Option,
    heading=_HOW,
    default="",
    metavar="WHEN",
    help="End then with what is there: a span such as 30m or 2h, or an instant such as 2026-11-21T18:00:00Z.",
)
@setting_options(*SETTINGS_OF_PAGES)
def page(**options: Any) -> int:
    """Fetch web pages of tools and databases, and make clean text of them.

    What is found is stored in the database; a good page is not asked for again, another one as the cooldowns and
    the retry limit say. PDFs are read, too. Exit status: 0 all pages were read, 1 some could not be, 2 bad input
    (lines that are no addresses are named and left out).
    """
    from pubweave.cli.interrupting import run_until_told
    from pubweave.cli.logs import listening_as_set
    from pubweave.output.out_file import Out

    settings = in_effect(options)
    wishes = _wishes(options)
    lines, bad = addresses(wishes.urls, wishes.files)
    if not lines:
        raise Refused("nothing to fetch: there is no address in what was given")
    with Out(wishes.out) as out:
        run = PagesJob(settings, wishes, lines, out)
        with listening_as_set(settings, run.say, wishes.argv, warnings=not wishes.quiet) as ear:
            status = run_until_told(run.go())
        run.tell(bad, ear.unsaid)
    return BAD_INPUT if bad else status


def _wishes(options: dict[str, Any]) -> PagesOptions:
    """:raises click.UsageError: options that contradict each other"""
    from pubweave.output.formats import FORMATS, format_of_file

    context = click.get_current_context()
    if not options["urls"] and not options["files"]:
        raise click.UsageError("nothing to fetch: give addresses, or a file of them with --urls", context)
    if options["files"].count("-") > 1:
        raise click.UsageError("--urls - is given twice; standard input can be read once", context)
    name = options["format_"]
    if name is None:
        name = format_of_file(options["out"]) if options["out"] else "text"
        name = name if name in FORMATS_OF_PAGES else "text"
    check_format(name, FORMATS_OF_PAGES, context)
    return PagesOptions(
        argv=typed(context),
        urls=options["urls"],
        files=options["files"],
        entry="doc" if options["doc"] else "webpage",
        writer=FORMATS[name],
        plain=options["plain"],
        out=Path(options["out"]) if options["out"] else None,
        deadline=options["deadline"],
        quiet=options["quiet"],
    )
