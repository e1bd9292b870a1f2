"""What `pubweave report` counts."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pubweave.cli.problems import Refused
from pubweave.cli.stored import StoredSource, opened
from pubweave.output.terminal import say

if TYPE_CHECKING:
    from pubweave.contract.values import Thresholds
    from pubweave.contract.vocabulary import PageKind, PartName
    from pubweave.output.reports.top_hosts import Rules


class ReportOptions(NamedTuple):
    argv: tuple[str, ...]
    source: StoredSource
    format: str
    html: Path | None
    out: Path | None
    head: int | None
    tail: int | None
    rules: "Rules"
    only: tuple[str, ...]
    parts: "tuple[PartName, ...]"
    ids_to: Path | None


def _give(wishes: ReportOptions, text: Iterable[str], value: dict[str, Any], page: Iterable[str]) -> None:
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


def _json(wishes: ReportOptions, value: dict[str, Any]) -> Iterator[str]:
    from pubweave.output.json_document import JsonDocument, member

    document = JsonDocument()
    yield document.head(wishes.argv)
    for name, told in value.items():
        yield member(name, told)
    yield document.tail()


async def top_hosts(wishes: ReportOptions, settings: Any) -> None:
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


async def part_table(wishes: ReportOptions) -> None:
    from pubweave.core.record import decode_record
    from pubweave.output.reports.pages import part_table_page
    from pubweave.output.reports.part_table import PartTable

    counted = PartTable()
    async with opened(wishes.source) as storage:
        async for stored in storage.store.records():
            counted.add(decode_record(stored.body))
    page = part_table_page(f"Part table of {wishes.source.name}", counted)
    _give(wishes, counted.csv(), {"partTable": counted.objects()}, page)


async def completeness(wishes: ReportOptions, usable: "Thresholds") -> None:
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
