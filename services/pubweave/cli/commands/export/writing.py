"""What `pubweave export` writes."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Self, TextIO

from pubweave.cli.problems import Refused
from pubweave.cli.stored import Stored
from pubweave.output.terminal import say

if TYPE_CHECKING:
    from pubweave.contract.values import Thresholds
    from pubweave.contract.vocabulary import EntryKind
    from pubweave.core.record import Record
    from pubweave.core.webpage_record import WebpageRecord
    from pubweave.output.out_file import Out
    from pubweave.output.publication import Selection
    from pubweave.output.writer import ListName, Writer


_NAMES: Final[dict[str, str]] = {
    "fulltext": "the full text",
    "theAbstract": "the abstract",
    "title": "the title",
}


class ExportOptions(NamedTuple):
    argv: tuple[str, ...]
    writer: "type[Writer]"
    selection: "Selection"
    kinds: "tuple[EntryKind, ...]"
    """Those that were asked for; all kinds that the format holds if none was."""
    asked: bool
    out: Path | None
    title: str
    gone_to: Path | None


async def possible(storage: Stored, wishes: ExportOptions) -> "tuple[EntryKind, ...]":
    """The kinds that will be in it; what has no place in the format is refused if it was asked for by name,
    else told and left out.

    :raises Refused: nothing would be left
    """
    kinds: list[EntryKind] = []
    for kind in wishes.kinds:
        words = _list_of(kind).replace("webpages", "web pages")
        if _list_of(kind) not in wishes.writer.holds:
            reason = f"{wishes.writer.name} has no place for {words}"
        elif kinds and wishes.writer.one_list:
            reason = f"{wishes.writer.name} holds one kind of entries at a time (--only {_list_of(kind)})"
        else:
            kinds.append(kind)
            continue
        if wishes.asked:
            raise Refused(reason)
        if count := await storage.store.count(kind):
            say(
                f"{reason}; {count:,} {words} left out"
                if words not in reason
                else f"{reason}; {count:,} left out"
            )
    return tuple(kinds)


def _list_of(kind: "EntryKind") -> "ListName":
    names: dict[EntryKind, ListName] = {"publication": "publications", "webpage": "webpages", "doc": "docs"}
    return names[kind]


class Gone:
    """Entries whose contents are stored no more: each is named; publications are listed in a file instead, if there is
    one."""

    def __init__(self, path: Path | None) -> None:
        self.count = 0
        self._path = path
        self._file: TextIO | None = None
        self._pages = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def publication(self, record: "Record", what: "list[str]") -> None:
        """:param what: the parts whose contents are gone"""
        self.count += 1
        ids = record.identifiers
        if self._path is None:
            known = " ".join(value for _, value in ids.known())
            say(f"{known}: the content of {' and '.join(what)} is gone")
            return
        if self._file is None:
            self._file = self._path.open("w", encoding="utf-8")
        self._file.write("\t".join((ids.pmid, ids.pmcid, ids.doi)) + "\n")

    def document(self, record: "Record") -> None:
        """Only what stands beside its full text is gone: nothing is missing but headings."""
        known = " ".join(value for _, value in record.identifiers.known())
        say(f"{known}: the structured document of its full text is gone; its plain text is shown")

    def page(self, page: "WebpageRecord") -> None:
        self.count += 1
        self._pages = True
        say(f"{page.start_url}: its content is gone")

    def sentence(self, *, cluster: bool) -> str:
        entries = "one entry are" if self.count == 1 else f"{self.count:,} entries are"
        command = "submit" if cluster else "fetch"
        file = self._path if self._path is not None else "FILE"
        how = f"`pubweave {command} --ids {file}` with their identifiers fetches them anew"
        if self._pages:
            page = "submit --urls FILE" if cluster else "page URL…"
            how += f", and `pubweave {page}` pages"
        return f"the contents of {entries} stored no more, everything else is written; {how}"


class Export:
    def __init__(
        self,
        storage: Stored,
        wishes: ExportOptions,
        kinds: "tuple[EntryKind, ...]",
        usable: "Thresholds",
        out: "Out",
        gone: Gone,
    ) -> None:
        from pubweave.output.formats import DocumentFrame, NotInThisFormat

        self._storage, self._kinds, self._gone = storage, kinds, gone
        self._write: Callable[[str | bytes], None] = out.write
        frame = DocumentFrame(wishes.argv, usable, tuple(map(_list_of, kinds)), title=wishes.title)
        try:
            self._writer = wishes.writer(wishes.selection, frame)
        except NotInThisFormat as problem:
            raise Refused(str(problem)) from None

    async def write(self) -> None:
        for piece in self._writer.begin():
            self._write(piece)
        for kind in self._kinds:
            if kind == "publication":
                await self._publications()
            else:
                await self._pages(kind)
        for piece in self._writer.end():
            self._write(piece)

    async def _publications(self) -> None:
        from pubweave.cli.documents import with_document
        from pubweave.core.record import decode_record
        from pubweave.output.publication import Envelope
        from pubweave.runtimes.contents import put_back
        from pubweave.runtimes.lost import gone, texts_gone

        async for stored in self._storage.store.records():
            record = await put_back(decode_record(stored.body), self._storage.blobs)
            envelope = Envelope(version=stored.version, reason=stored.reason)
            what = [_NAMES.get(name, name) for name in texts_gone(record)]
            if self._writer.wants_document(record):
                envelope = await with_document(envelope, record, self._storage.blobs)
                structured = record.fulltext.document
                if (
                    structured is not None
                    and await gone(self._storage.blobs, [structured.digest])
                    and not what
                ):
                    self._gone.document(record)
            if what:
                self._gone.publication(record, what)
            for piece in self._writer.publication(record, envelope):
                self._write(piece)

    async def _pages(self, kind: "EntryKind") -> None:
        from pubweave.core.webpage_record import decode_webpage
        from pubweave.runtimes.embedded.webpage_store import content_put_back

        if kind == "publication":
            return
        async for stored in self._storage.store.records(kind):
            page = await content_put_back(decode_webpage(stored.body), self._storage.blobs)
            if page.blob is not None:
                self._gone.page(page)
            for piece in self._writer.webpage(page, kind):
                self._write(piece)
