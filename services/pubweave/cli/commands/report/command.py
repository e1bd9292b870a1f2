"""`pubweave report`: what a database holds, where it came from, and what is missing and why."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from pubweave.cli.group import Command, Option
from pubweave.cli.options import setting_options, typed
from pubweave.cli.problems import OK, Refused
from pubweave.cli.showing import LENGTHS, part_named, parts_option
from pubweave.cli.stored import StoredSource, cluster_options, source_of

if TYPE_CHECKING:
    pass
from pubweave.cli.commands.report.counting import ReportOptions, completeness, part_table, top_hosts

_KINDS: Final = ("top-hosts", "part-table", "completeness")


_ENTRIES: Final = ["publications", "webpages", "docs"]


_WHAT: Final = "What is counted"


_OUT: Final = "What comes out"


_EXAMPLES: Final = """
pubweave report library.db part-table
pubweave report library.db top-hosts --head 20 --html hosts.html
pubweave report library.db top-hosts --rules without
pubweave report library.db completeness --part abstract fulltext --ids-to missing/
pubweave fetch --ids missing/fulltext.failed.tsv          (then tries those again)
"""


@click.command(cls=Command, examples=_EXAMPLES)
@click.argument("words", nargs=-1, metavar="[DB] top-hosts|part-table|completeness")
@click.option(
    "--format",
    "format_",
    cls=Option,
    heading=_OUT,
    type=click.Choice(["text", "json", "html"]),
    default="text",
    help="text, for people and line tools; json, for programs; html, a page with plots.",
)
@click.option(
    "--out", cls=Option, heading=_OUT, metavar="FILE", help="Write there instead of to standard output."
)
@click.option("--html", cls=Option, heading=_OUT, metavar="FILE", help="Write the page there, too.")
@click.option(
    "--ids-to",
    cls=Option,
    heading=_OUT,
    metavar="DIR",
    help="completeness: write identifiers there, one file for each part and state (fulltext.blocked.tsv), ready "
    "for pubweave fetch --ids; and missing.csv with sources, outcomes and evidence.",
)
@click.option(
    "--head",
    cls=Option,
    heading=_WHAT,
    type=click.IntRange(0),
    metavar="N",
    help="top-hosts: only the first N.",
)
@click.option(
    "--tail",
    cls=Option,
    heading=_WHAT,
    type=click.IntRange(0),
    metavar="N",
    help="top-hosts: only the last N.",
)
@click.option(
    "--rules",
    cls=Option,
    heading=_WHAT,
    type=click.Choice(["any", "with", "without"]),
    default="any",
    help="top-hosts: only addresses that have scraping rules, or only those without.",
)
@click.option(
    "--only",
    cls=Option,
    heading=_WHAT,
    listed=_ENTRIES,
    metavar="KIND …",
    help="top-hosts: only of publications, webpages, docs.",
)
@parts_option("--part", "part", _WHAT, "completeness: only these parts.")
@setting_options("db", *LENGTHS, "journals_yaml", "webpages_yaml")
@cluster_options
def report(words: tuple[str, ...], **options: Any) -> int:
    """Count what is in a database.

    top-hosts: where entries come from, most frequent first. part-table: which part came from which type.
    completeness: for each part what is there, and why the rest is not: pending, blocked, failed, absent or not
    asked, by source and host. Reads entry by entry; works while a fetch is running.
    """
    from pubweave.runtimes.wiring import thresholds

    context = click.get_current_context()
    kind, source = _named(words, options, context)
    wishes = _wishes(kind, source, options, context)
    if kind == "completeness":
        asyncio.run(completeness(wishes, thresholds(source.settings)))
    elif kind == "part-table":
        asyncio.run(part_table(wishes))
    else:
        asyncio.run(top_hosts(wishes, source.settings))
    return OK


def _named(
    words: tuple[str, ...], options: dict[str, Any], context: click.Context
) -> tuple[str, StoredSource]:
    """Which report, and of what.

    :raises click.UsageError: what was given makes no sense
    """
    from pubweave.settings import nearest

    kinds = [word for word in words if word in _KINDS]
    others = [word for word in words if word not in _KINDS]
    if not kinds:
        near = nearest(words[-1], _KINDS) if words else ""
        hint = f"did you mean {near}?" if near else f"there are: {', '.join(_KINDS)}"
        raise click.UsageError(f"which report? {hint}", context)
    if len(kinds) > 1 or len(others) > 1:
        raise click.UsageError("one database, one report", context)
    return kinds[0], source_of(others[0] if others else None, options, context)


def _wishes(
    kind: str, source: StoredSource, options: dict[str, Any], context: click.Context
) -> ReportOptions:
    """:raises click.UsageError: an option of another report"""
    from pubweave.contract.vocabulary import PART_NAMES

    of = {"head": "top-hosts", "tail": "top-hosts", "only": "top-hosts", "part": "completeness"}
    of |= {"ids_to": "completeness"}
    for name, owner in of.items():
        if options[name] not in (None, ()) and owner != kind:
            raise click.UsageError(f"--{name.replace('_', '-')} is for {owner}", context)
    if options["rules"] != "any" and kind != "top-hosts":
        raise click.UsageError("--rules is for top-hosts", context)
    unknown = [word for word in options["only"] if word not in _ENTRIES]
    if unknown:
        raise click.UsageError(
            f"--only: there is no '{unknown[0]}'; there are: {', '.join(_ENTRIES)}", context
        )
    for name in ("out", "html"):
        if options[name] and source.is_file(options[name]):
            raise Refused(f"--{name} {options[name]} is the database; choose another name")
    return ReportOptions(
        argv=typed(context),
        source=source,
        format=options["format_"],
        html=Path(options["html"]) if options["html"] else None,
        out=Path(options["out"]) if options["out"] else None,
        head=options["head"],
        tail=options["tail"],
        rules=options["rules"],
        only=tuple(options["only"]) or tuple(_ENTRIES),
        parts=tuple(map(part_named, options["part"])) or PART_NAMES,
        ids_to=Path(options["ids_to"]) if options["ids_to"] else None,
    )
