"""What is done with the result (17.12), and how it is put out (17.13)."""

import logging
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from pubweave.cli.operations.getting import Getting
from pubweave.cli.operations.grammar import GivenCommand, part_of
from pubweave.cli.operations.selecting import ListedEntry
from pubweave.cli.operations.worklist import KINDS, Worklist
from pubweave.cli.problems import Refused
from pubweave.contract.values import RunSettings, Thresholds
from pubweave.contract.vocabulary import EntryKind
from pubweave.core.record import Part, Record
from pubweave.core.webpage_record import WebpageRecord
from pubweave.output.formats import FORMATS, DocumentFrame, ListName, NotInThisFormat, Piece, Writer
from pubweave.output.out_file import Out
from pubweave.output.publication import Envelope, Selection
from pubweave.settings import Settings

if TYPE_CHECKING:
    from pubweave.core.reading.rules import RuleBook
    from pubweave.output.reports.part_table import PartTable
    from pubweave.output.reports.top_hosts import Rules, TopHosts
    from pubweave.runtimes.bus.changing import Changing
    from pubweave.runtimes.embedded.database import RecordStore
    from pubweave.runtimes.embedded.webpage_store import WebpageStore

_log = logging.getLogger(__name__)

LABELS: Final[dict[EntryKind, str]] = {"publication": "publications", "webpage": "webpages", "doc": "docs"}
IDENTIFIER_LISTS: Final[dict[EntryKind, ListName]] = {
    "publication": "publicationIds",
    "webpage": "webpageUrls",
    "doc": "docUrls",
}
CONTENT_LISTS: Final[dict[EntryKind, ListName]] = {
    "publication": "publications",
    "webpage": "webpages",
    "doc": "docs",
}
HOST_LISTS: Final[dict[EntryKind, ListName]] = {
    "publication": "publicationTopHosts",
    "webpage": "webpageTopHosts",
    "doc": "docTopHosts",
}
_FILES: Final[dict[EntryKind, str]] = {"publication": "pub", "webpage": "web", "doc": "doc"}


class Outputs:
    """Standard output and files, in the format that was asked for.

    What goes to standard output is one document, whatever it is made of. Files that cannot be written are refused before
    anything is done (F-OUT-02).
    """

    def __init__(
        self,
        given: GivenCommand,
        argv: tuple[str, ...],
        thresholds: Thresholds,
        kinds: Iterable[EntryKind],
        say: Callable[[str], None],
    ) -> None:
        self._given = given
        self._argv = argv
        self._thresholds = thresholds
        self._kinds = [kind for kind in KINDS if kind in set(kinds)]
        self._say = say
        self._format = given.one("format") or "text"
        if not FORMATS[self._format].selects and (given.has("plain") or given.has("out-part")):
            option = "plain" if given.has("plain") else "out-part"
            raise Refused(f"--format {self._format} has a standard of its own; --{option} is not for it")
        self._selection = Selection(
            plain=given.has("plain"), parts=tuple(map(part_of, given.several("out-part")))
        )
        lists = [
            table[kind]
            for option, table in (
                ("out-ids", IDENTIFIER_LISTS),
                ("out", CONTENT_LISTS),
                ("out-top-hosts", HOST_LISTS),
            )
            if given.has(option)
            for kind in self._kinds
        ]
        self._out = Out(None)
        self._stdout = self._writer(lists) if lists else None
        for start, table in (
            ("txt-ids", IDENTIFIER_LISTS),
            ("txt", CONTENT_LISTS),
            ("txt-top-hosts", HOST_LISTS),
        ):
            for kind, ending in _FILES.items():
                file = given.one(f"{start}-{ending}")
                if file is not None:
                    self._writer([table[kind]])
                    Out.check(Path(file))

    def _writer(self, lists: Iterable[ListName]) -> Writer:
        try:
            return FORMATS[self._format](
                self._selection,
                DocumentFrame(argv=self._argv, thresholds=self._thresholds, lists=tuple(lists)),
            )
        except NotInThisFormat as problem:
            raise Refused(f"--format {problem}") from None

    def begin(self) -> None:
        """Before anything goes to standard output."""
        self._out.__enter__()
        if self._stdout is not None:
            self._write(self._out, self._stdout.begin())

    def end(self) -> None:
        """When everything is out."""
        if self._stdout is not None:
            self._write(self._out, self._stdout.end())
        self._out.flush()

    @staticmethod
    def _write(out: Out, pieces: Iterable[Piece]) -> None:
        for piece in pieces:
            out.write(piece)

    def line(self, text: str) -> None:
        """A line of figures; beside the document where there is one that it would break."""
        if self._stdout is not None and self._format != "text":
            self._say(text)
        else:
            self._out.write(text + "\n")

    def counts(self, numbers: Iterable[tuple[EntryKind, int]]) -> None:
        """`label : number`, for the kinds that something was given for (F-CLI-101)."""
        for kind, number in numbers:
            if kind in self._kinds:
                self.line(f"{LABELS[kind]} : {number}")

    # Identifiers.

    def identifiers(self, worklist: Worklist) -> None:
        """F-CLI-95 to F-CLI-98."""
        if self._given.has("out-ids") and self._stdout is not None:
            for kind in self._kinds:
                self._put_identifiers(self._out, self._stdout, kind, worklist)
        for kind, ending in _FILES.items():
            file = self._given.one(f"txt-ids-{ending}")
            if file is not None:
                writer = self._writer([IDENTIFIER_LISTS[kind]])
                with Out(Path(file)) as out:
                    self._write(out, writer.begin())
                    self._put_identifiers(out, writer, kind, worklist)
                    self._write(out, writer.end())

    def _put_identifiers(self, out: Out, writer: Writer, kind: EntryKind, worklist: Worklist) -> None:
        for one in worklist.elements(kind):
            if kind == "publication":
                self._write(out, writer.identifiers(_bare(one.listed)))
            else:
                self._write(out, writer.address(one.listed.url, kind))

    # Content.

    async def content(self, getting: Getting) -> None:
        """F-CLI-253 to F-CLI-256."""
        if self._given.has("out") and self._stdout is not None:
            for kind in self._kinds:
                await self._put_content(self._out, self._stdout, kind, getting)
        for kind, ending in _FILES.items():
            file = self._given.one(f"txt-{ending}")
            if file is not None:
                writer = self._writer([CONTENT_LISTS[kind]])
                with Out(Path(file)) as out:
                    self._write(out, writer.begin())
                    await self._put_content(out, writer, kind, getting)
                    self._write(out, writer.end())

    async def _put_content(self, out: Out, writer: Writer, kind: EntryKind, getting: Getting) -> None:
        async for row, entry in getting.entries(kind, texts=True):
            if isinstance(entry, WebpageRecord):
                assert kind != "publication"
                self._write(out, writer.webpage(entry, kind))
            elif writer.wants_document(entry):
                envelope = Envelope(document=await getting.document(row, entry))
                self._write(out, writer.publication(entry, envelope))
            else:
                self._write(out, writer.publication(entry))

    # Hosts and parts.

    def hosts(self, hosts: "dict[EntryKind, TopHosts]", *, head: int | None, tail: int | None) -> None:
        """F-CLI-258 to F-CLI-262."""
        top = {kind: hosts[kind].rows(head, tail) for kind in KINDS}
        if self._given.has("out-top-hosts") and self._stdout is not None:
            for kind in self._kinds:
                self._write(self._out, self._stdout.hosts(kind, top[kind]))
        for kind, ending in _FILES.items():
            file = self._given.one(f"txt-top-hosts-{ending}")
            if file is not None:
                writer = self._writer([HOST_LISTS[kind]])
                with Out(Path(file)) as out:
                    for pieces in (writer.begin(), writer.hosts(kind, top[kind]), writer.end()):
                        self._write(out, pieces)
        if self._given.has("count-top-hosts"):
            for kind in self._kinds:
                self.line(f"{LABELS[kind]} top hosts : {len(top[kind])}")

    def part_table(self, table: "PartTable") -> None:
        """F-CLI-263."""
        for line in table.csv():
            self.line(line.rstrip("\n"))


def _bare(listed: ListedEntry) -> Record:
    """A record that has nothing but its identifiers."""
    parts = {
        kind: Part(url=listed.provenance.get(kind), size=len(value), text=value)
        for kind, value in listed.identifiers.known()
    }
    return msgspec.structs.replace(Record(publication=""), **parts)


def counted_hosts(given: GivenCommand, book: "RuleBook | None") -> "dict[EntryKind, TopHosts]":
    """All hosts, or with `--has-scrape` and `--not-has-scrape` those with and without rules (F-TOP-03)."""
    from pubweave.output.reports.top_hosts import TopHosts, journals_rules, webpage_rules

    if book is None:
        return {kind: TopHosts() for kind in KINDS}
    rules: Rules = "with" if given.has("has-scrape") else "without"
    return {
        kind: TopHosts(journals_rules(book) if kind == "publication" else webpage_rules(book), rules)
        for kind in KINDS
    }


@asynccontextmanager
async def _changing(path: str) -> AsyncIterator[tuple["RecordStore | Changing", "WebpageStore"]]:
    """The publications and pages of a database, to put and remove; of a cluster its services do it.

    :raises StorageProblem: it cannot be opened
    """
    from pubweave.adapters.clock import SystemClock
    from pubweave.runtimes.embedded.database import RecordStore
    from pubweave.runtimes.embedded.webpage_store import WebpageStore
    from pubweave.runtimes.places import is_cluster
    from pubweave.runtimes.wiring import writing

    if is_cluster(path):
        from pubweave.cli.cluster import changing_settled

        async with changing_settled(path) as told_to:
            yield told_to, told_to.pages
        return
    async with writing(Path(path)) as storage:
        yield RecordStore(storage, SystemClock()), WebpageStore(storage, SystemClock())


async def put(path: str, getting: Getting) -> None:
    """F-CLI-251: put all entries into a database."""
    async with _changing(path) as (target, pages):
        for kind in KINDS:
            async for _, entry in getting.entries(kind, texts=True):
                if isinstance(entry, WebpageRecord):
                    assert kind != "publication"
                    await pages.put(kind, entry)
                    continue
                await target.put(entry)
                for sentence in target.said:
                    _log.error("%s", sentence)


async def remove(path: str, getting: Getting) -> None:
    """F-CLI-252: remove all entries from a database, by their identifiers."""
    async with _changing(path) as (target, pages):
        for kind in KINDS:
            async for _, entry in getting.entries(kind, texts=False):
                if isinstance(entry, WebpageRecord):
                    await _remove_one(target, pages, kind, ListedEntry(url=entry.start_url), path)
                else:
                    await _remove_one(target, pages, kind, ListedEntry(entry.identifiers), path)


async def remove_identifiers(path: str, worklist: Worklist) -> None:
    """F-CLI-94: remove from a database what the identifier lists name."""
    async with _changing(path) as (target, pages):
        for kind in KINDS:
            for one in worklist.elements(kind):
                await _remove_one(target, pages, kind, one.listed, path)


async def _remove_one(
    target: "RecordStore | Changing", pages: "WebpageStore", kind: EntryKind, listed: ListedEntry, path: str
) -> None:
    if kind != "publication":
        if not await pages.remove(kind, listed.url):
            _log.warning("%s is not in %s", listed.url, path)
        return
    await target.remove(listed.identifiers)
    for sentence in target.said:
        _log.warning("%s", sentence)


_COUNTED_AT_A_TIME: Final = 500


async def update_citations(
    path: str, getting: Getting, worklist: Worklist, run: RunSettings, settings: Settings
) -> tuple[int, int]:
    """F-CLI-250: ask for the citations of the resulting publications and put those that could be asked.

    They are asked in a database of their own, so that nothing else of the stored ones changes.

    :param settings: with a database that is not there yet
    :returns: how many were counted anew, of how many
    """
    from pubweave.adapters.clock import SystemClock
    from pubweave.runtimes.embedded.database import RecordStore
    from pubweave.runtimes.embedded.jobs import JobSettings, Line
    from pubweave.runtimes.wiring import running, writing

    wanted = JobSettings(settings=msgspec.structs.replace(run, citations_only=True))
    counted = asked = 0
    async with AsyncExitStack() as stack:
        target = RecordStore(await stack.enter_async_context(writing(Path(path))), SystemClock())
        system = await stack.enter_async_context(running(settings, create=True))
        beside = RecordStore(system.storage, SystemClock())
        held: dict[int, Record] = {}

        async def ask() -> None:
            nonlocal counted, asked
            asked += len(held)
            lines = [Line(number, record.identifiers) for number, record in held.items()]
            async for finished in system.run_job(lines, wanted):
                old, new = held[finished.line], finished.record
                if new is None or new.citations_timestamp <= old.citations_timestamp:
                    continue
                await target.put(
                    msgspec.structs.replace(
                        old,
                        citations_count=new.citations_count,
                        citations_timestamp=new.citations_timestamp,
                    )
                )
                worklist.counted(finished.line, new.citations_count, new.citations_timestamp)
                counted += 1
            held.clear()

        async for row, entry in getting.entries("publication", texts=True):
            assert isinstance(entry, Record)
            if not entry.identifiers.known():
                continue
            held[row.number] = entry
            await beside.put(msgspec.structs.replace(entry, fulltext=Part()))
            if len(held) >= _COUNTED_AT_A_TIME:
                await ask()
        if held:
            await ask()
    return counted, asked
