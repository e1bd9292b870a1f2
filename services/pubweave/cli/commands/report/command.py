"""`pubweave report`: what a database holds, where it came from, and what is missing and why."""

import asyncio
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from pubweave.cli.group import Command, Option
from pubweave.cli.options import setting_options, typed
from pubweave.cli.problems import OK, Refused
from pubweave.cli.showing import LENGTHS, part_named, parts_option
from pubweave.cli.stored import Source, cluster_options, opened, source_of
from pubweave.output.terminal import say

if TYPE_CHECKING:
    from pubweave.contract.values import Thresholds
    from pubweave.contract.vocabulary import PageKind, PartName
    from pubweave.output.reports.top_hosts import Rules

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


class _Wishes(NamedTuple):
    argv: tuple[str, ...]
    source: Source
    format: str
    html: Path | None
    out: Path | None
    head: int | None
    tail: int | None
    rules: "Rules"
    only: tuple[str, ...]
    parts: "tuple[PartName, ...]"
    ids_to: Path | None


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
        asyncio.run(_completeness(wishes, thresholds(source.settings)))
    elif kind == "part-table":
        asyncio.run(_part_table(wishes))
    else:
        asyncio.run(_top_hosts(wishes, source.settings))
    return OK


def _named(words: tuple[str, ...], options: dict[str, Any], context: click.Context) -> tuple[str, Source]:
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


def _wishes(kind: str, source: Source, options: dict[str, Any], context: click.Context) -> _Wishes:
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
    return _Wishes(
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


def _give(wishes: _Wishes, text: Iterable[str], value: dict[str, Any], page: Iterable[str]) -> None:
    """Write the report in its format, and as a page besides if that is wanted."""
    from pubweave.output.out_file import Out

    page = list(page) if wishes.html is not None or wishes.format == "html" else []
    with Out(wishes.out) as out:
        for piece in {"text": text, "json": _json(wishes, value), "html": page}[wishes.format]:
            out.write(piece)
    if wishes.html is not None:
        with Out(wishes.html) as out:
            for piece in page:
                out.write(piece)


def _json(wishes: _Wishes, value: dict[str, Any]) -> Iterator[str]:
    from pubweave.output.json_document import JsonDocument, member

    document = JsonDocument()
    yield document.head(wishes.argv)
    for name, told in value.items():
        yield member(name, told)
    yield document.tail()


async def _top_hosts(wishes: _Wishes, settings: Any) -> None:
    from pubweave.core.record import decode_record
    from pubweave.core.webpage_record import decode_webpage
    from pubweave.output.reports.pages import top_hosts_page
    from pubweave.output.reports.top_hosts import TopHosts, journals_rules, top_hosts_text, webpage_rules

    of_publications = of_pages = None
    if wishes.rules != "any":
        from pubweave.adapters.rule_files import load_rule_book
        from pubweave.core.reading.rules import RuleError

        try:
            book = load_rule_book(settings.path("journals_yaml"), settings.path("webpages_yaml"))
        except RuleError as problem:
            raise Refused(str(problem)) from problem
        of_publications, of_pages = journals_rules(book), webpage_rules(book)
    counted: list[tuple[str, str, TopHosts]] = []
    async with opened(wishes.source) as storage:
        if "publications" in wishes.only:
            hosts = TopHosts(of_publications, wishes.rules)
            async for stored in storage.store.records():
                hosts.add_publication(decode_record(stored.body))
            counted.append(("publications", "publicationTopHosts", hosts))
        pages: tuple[tuple[str, str, PageKind], ...] = (
            ("webpages", "webpageTopHosts", "webpage"),
            ("docs", "docTopHosts", "doc"),
        )
        for word, member, kind in pages:
            if word in wishes.only:
                hosts = TopHosts(of_pages, wishes.rules)
                async for stored in storage.store.records(kind):
                    hosts.add_webpage(decode_webpage(stored.body))
                counted.append(("web pages" if word == "webpages" else word, member, hosts))
    lists = [(words, hosts.rows(wishes.head, wishes.tail)) for words, _, hosts in counted]
    _give(
        wishes,
        _host_lists(lists, top_hosts_text),
        {
            member: [{"count": count, "host": host} for host, count in hosts.rows(wishes.head, wishes.tail)]
            for _, member, hosts in counted
        },
        top_hosts_page(f"Top hosts of {wishes.source.name}", lists),
    )


def _host_lists(lists: list[tuple[str, list[tuple[str, int]]]], text: Any) -> Iterator[str]:
    """A heading for each list only where there are several with something in them."""
    filled = [(words, rows) for words, rows in lists if rows]
    for number, (words, rows) in enumerate(filled):
        if len(filled) > 1:
            yield ("\n" if number else "") + f"# {words}\n"
        yield from text(rows)


async def _part_table(wishes: _Wishes) -> None:
    from pubweave.core.record import decode_record
    from pubweave.output.reports.pages import part_table_page
    from pubweave.output.reports.part_table import PartTable

    counted = PartTable()
    async with opened(wishes.source) as storage:
        async for stored in storage.store.records():
            counted.add(decode_record(stored.body))
    page = part_table_page(f"Part table of {wishes.source.name}", counted)
    _give(wishes, counted.csv(), {"partTable": counted.objects()}, page)


async def _completeness(wishes: _Wishes, usable: "Thresholds") -> None:
    from pubweave.cli.commands.report.missing import MissingLists, asked_about
    from pubweave.core.record import decode_record
    from pubweave.output.reports.completeness import Completeness
    from pubweave.output.reports.pages import completeness_page
    from pubweave.output.reports.texts import completeness_text

    counted = Completeness(usable, wishes.parts)
    with MissingLists(wishes.ids_to) as lists:
        async with opened(wishes.source) as storage:
            async for stored in storage.store.records():
                record = decode_record(stored.body)
                asked = await asked_about(storage, stored.publication) if counted.lacks(record) else ()
                lists.add(record, counted.add(record, asked))
            counted.add_requests(await storage.store.attempts())
    if wishes.ids_to is not None:
        say(f"identifiers are in {wishes.ids_to}: {', '.join(lists.names) or 'nothing is missing'}")
    page = completeness_page(f"Completeness of {wishes.source.name}", counted)
    _give(wishes, completeness_text(counted), {"completeness": counted.object()}, page)
