"""`pubweave report`: what a database holds, where it came from, and what is missing and why."""

import asyncio
import csv
import io
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from pubweave.cli.group import Command, Option
from pubweave.cli.options import say, setting_options
from pubweave.cli.problems import OK, Refused
from pubweave.cli.showing import LENGTHS, PART_WORDS, part_named, parts_option
from pubweave.cli.stored import Source, Stored, cluster_options, opened, source_of

if TYPE_CHECKING:
    from collections import Counter

    from pubweave.contract.values import Thresholds
    from pubweave.contract.vocabulary import PartName
    from pubweave.core.record import Record
    from pubweave.output.reports.completeness import Asked, Completeness, Lack
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
_HEADER: Final = ("part", "state", "pmid", "pmcid", "doi", "title", "source", "outcome", "host", "evidence")


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
    from pubweave.cli.wiring import thresholds

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
    from pubweave.settings import scrubbed

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
        argv=tuple(scrubbed(context.obj or ())),
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
    from pubweave.cli.outfile import Out

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
        for word, member, kind in (
            ("webpages", "webpageTopHosts", "webpage"),
            ("docs", "docTopHosts", "doc"),
        ):
            if word in wishes.only:
                hosts = TopHosts(of_pages, wishes.rules)
                async for stored in storage.store.records(kind):  # type: ignore[arg-type]
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
    from pubweave.core.record import decode_record
    from pubweave.output.reports.completeness import Completeness
    from pubweave.output.reports.pages import completeness_page

    counted = Completeness(usable, wishes.parts)
    with _Lists(wishes.ids_to) as lists:
        async with opened(wishes.source) as storage:
            async for stored in storage.store.records():
                record = decode_record(stored.body)
                asked = await _asked(storage, stored.publication) if counted.lacks(record) else ()
                lists.add(record, counted.add(record, asked))
            counted.add_requests(await storage.store.attempts())
    if wishes.ids_to is not None:
        say(f"identifiers are in {wishes.ids_to}: {', '.join(lists.names) or 'nothing is missing'}")
    page = completeness_page(f"Completeness of {wishes.source.name}", counted)
    _give(wishes, _completeness_text(counted), {"completeness": counted.object()}, page)


async def _asked(storage: Stored, publication: str) -> "list[Asked]":
    """Every question about a publication, from its rows."""
    from pubweave.contract.needs_part import NeedsPart
    from pubweave.contract.resource_done import ResourceDone
    from pubweave.core.politeness import host_of
    from pubweave.output.reports.completeness import Asked
    from pubweave.runtimes.embedded.engine import read_row

    needs: dict[str, NeedsPart] = {}
    done: dict[str, ResourceDone] = {}
    for row in await storage.store.rows(publication):
        if row.body.startswith((b"needs-part ", b"resource-done ")):
            event = read_row(row)
            if isinstance(event, NeedsPart):
                needs[event.need] = event
            elif isinstance(event, ResourceDone):
                done.setdefault(event.need, event)
    result = []
    for need in needs.values():
        ended = done.get(need.need)
        tried = ended.tried[-1] if ended is not None and ended.tried else ""
        where = tried or (need.link.url if need.link is not None else "")
        result.append(
            Asked(
                resource=need.resource,
                missing=need.missing,
                outcome=ended.outcome if ended is not None else "",
                evidence=ended.evidence if ended is not None else "",
                host=host_of(where),
                order=tuple(need.place),
            )
        )
    return result


class _Lists:
    """Files of what is missing, written as it is found; opened when there is something for them.

    They take their names at the end, so nobody sees half a list.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._files: dict[str, Any] = {}
        self._open = ExitStack()

    def __enter__(self) -> "_Lists":
        """:raises Refused: the folder cannot be made"""
        if self._folder is not None:
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
            except OSError as problem:
                reason = (problem.strerror or str(problem)).lower()
                raise Refused(f"{self._folder} cannot be made: {reason}") from None
            for old in self._folder.glob("*.tsv"):
                # Lists of an earlier report that are empty now must not stay.
                if old.stem.partition(".")[0] in PART_WORDS:
                    old.unlink()
        return self

    @property
    def names(self) -> list[str]:
        return sorted(self._files)

    def _file(self, name: str, first_line: str) -> Any:
        from pubweave.cli.outfile import Out

        if name not in self._files:
            assert self._folder is not None
            self._files[name] = self._open.enter_context(Out(self._folder / name))
            self._files[name].write(first_line)
        return self._files[name]

    def add(self, record: "Record", lacks: "list[Lack]") -> None:
        from pubweave.output.reports.completeness import STATE_SENTENCES
        from pubweave.output.tables import defused
        from pubweave.output.text import one_line, triplet

        if self._folder is None:
            return
        known = record.identifiers
        for lack in lacks:
            if any(value for _, value in known.known()):
                name = f"{lack.part}.{lack.state}.tsv"
                self._file(name, f"# {lack.part}: {STATE_SENTENCES[lack.state]}\n").write(
                    triplet(known) + "\n"
                )
            row = (
                lack.part,
                lack.state,
                known.pmid,
                known.pmcid,
                known.doi,
                one_line(record.title.text),
                lack.resource,
                lack.outcome,
                lack.host,
                lack.evidence,
            )
            self._file("missing.csv", _csv_line(_HEADER)).write(_csv_line(map(defused, row)))

    def __exit__(self, *problem: Any) -> None:
        self._open.__exit__(*problem)


def _csv_line(cells: Iterable[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\r\n").writerow(cells)
    return line.getvalue()


def _completeness_text(counted: "Completeness") -> Iterator[str]:
    from pubweave.output.labels import PART_LABELS, RESOURCE_LABELS
    from pubweave.output.reports.completeness import STATE_SENTENCES, STATES
    from pubweave.output.reports.pages import STATE_WORDS

    labels = {str(name): label for name, label in RESOURCE_LABELS.items()}
    yield f"{counted.publications:,} publications\n\n"
    yield from _columns(
        ["part", *(STATE_WORDS[state] for state in STATES), "final"],
        [
            [
                PART_LABELS[name],
                *(f"{counted.states[name][state]:,}" for state in STATES),
                f"{counted.final[name]:,}",
            ]
            for name in counted.parts
        ],
    )
    yield "\n"
    for state in STATES:
        yield f"{STATE_WORDS[state]:<9}  {STATE_SENTENCES[state]}\n"
    rows = [
        [PART_LABELS[name], labels.get(source, source), *(f"{counts[state]:,}" for state in STATES[2:])]
        for name in counted.parts
        for source, counts in sorted(counted.sources[name].items())
    ]
    if rows:
        yield "\nWhat the sources said about missing parts\n\n"
        yield from _columns(["part", "source", *(STATE_WORDS[state] for state in STATES[2:])], rows, words=2)
    yield from _host_lines("Hosts that would help most", counted.worst_hosts()[:30])
    yield from _host_lines("All requests, by host", sorted(counted.requests.items()))


def _host_lines(heading: str, hosts: "list[tuple[str, Counter[str]]]") -> Iterator[str]:
    from pubweave.output.reports.pages import outcomes_words

    if hosts:
        yield f"\n{heading}\n\n"
    for host, counts in hosts:
        yield f"{counts.total():>7,}  {host}: {outcomes_words(counts)}\n"


def _columns(header: list[str], rows: list[list[str]], words: int = 1) -> Iterator[str]:
    """The first columns left, numbers right, each as wide as it must be."""
    widths = [max(len(row[at]) for row in [header, *rows]) for at in range(len(header))]
    for row in [header, *rows]:
        yield (
            "  ".join(
                cell.ljust(width) if at < words else cell.rjust(width)
                for at, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            + "\n"
        )
