"""Entries written to a file in any of the formats (F-LIB-05)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pubweave.api.checking import identifiers_of
from pubweave.contract.values import Identifiers, Thresholds
from pubweave.contract.vocabulary import PageKind, PartName
from pubweave.core.record import Record
from pubweave.core.webpage_record import WebpageRecord
from pubweave.problems import UserError

if TYPE_CHECKING:
    from pubweave.output.out_file import Out
    from pubweave.output.writer import ListName, Piece, Writer

LISTS: "tuple[ListName, ...]" = ("publications", "webpages", "docs")


class Output:
    """One file that is being written. Made by `open_output`; memory does not grow with what is written.

    Entries of one list come together, and the lists in their order. Every method raises `UserError` for an entry that the
    format has no place for, or that comes too late.
    """

    def __init__(self, out: "Out", writer: "Writer") -> None:
        self._out = out
        self._writer = writer

    def publication(self, record: Record) -> None:
        """Write a publication, with all its texts in it (as `Database` and `Fetcher` give them)."""
        self._write(lambda: self._writer.publication(record))

    def webpage(self, page: WebpageRecord) -> None:
        """Write a web page."""
        self._write(lambda: self._writer.webpage(page, "webpage"))

    def doc(self, page: WebpageRecord) -> None:
        """Write a doc."""
        self._write(lambda: self._writer.webpage(page, "doc"))

    def identifiers(self, identifiers: str | Identifiers | Record) -> None:
        """Write the identifiers of a publication, into the list `publicationIds`."""
        from pubweave.api.beginning import init_publication

        record = (
            identifiers if isinstance(identifiers, Record) else init_publication(identifiers_of(identifiers))
        )
        self._write(lambda: self._writer.identifiers(record))

    def address(self, url: str, kind: PageKind) -> None:
        """Write the start address of a web page or doc, into the list `webpageUrls` or `docUrls`.

        :param kind: `webpage` or `doc`
        """
        self._write(lambda: self._writer.address(url, kind))

    def _write(self, made: "Callable[[], Iterable[Piece]]") -> None:
        try:
            for piece in made():
                self._out.write(piece)
        except ValueError as problem:
            raise UserError(str(problem)) from None


@contextmanager
def open_output(
    path: str | Path,
    format: str = "",
    *,
    plain: bool = False,
    parts: Sequence[PartName] = (),
    lists: "Sequence[ListName]" = LISTS,
    argv: Sequence[str] = (),
    thresholds: Thresholds | None = None,
) -> Iterator[Output]:
    """A file for entries. It is there whole when the block ends well, and not at all otherwise.

    :param format: `json` (chapter 18.2), `jsonl`, `text`, `html` … (docs/formats.md); by the name of the file unless given
    :param plain: without metadata
    :param parts: of publications: only these; empty = all
    :param lists: what it will hold, in the order of `publicationIds`, `webpageUrls`, `docUrls`, `publications`, `webpages`,
        `docs`; JSON shows each of them even if it stays empty. Formats that hold one list take the first
    :param argv: what stands as command line in JSON (F-JSON-01); no secrets
    :param thresholds: from which sizes, in characters or elements, parts are usable; the defaults unless given
    :raises UserError: there is no such format, it has no place for a list, or the file cannot be written
    """
    from pubweave.output.formats import FORMATS, format_of_file
    from pubweave.output.out_file import Out
    from pubweave.output.publication import Selection
    from pubweave.output.writer import DocumentFrame, NotInThisFormat

    name = format or format_of_file(str(path))
    if name not in FORMATS:
        raise UserError(f"there is no format {name!r}; there are: {', '.join(FORMATS)}")
    wanted = (
        tuple(one for one in lists if one in FORMATS[name].holds) if tuple(lists) == LISTS else tuple(lists)
    )
    frame = DocumentFrame(
        argv=tuple(argv),
        thresholds=thresholds or Thresholds(),
        lists=wanted[:1] if FORMATS[name].one_list else wanted,
    )
    try:
        writer = FORMATS[name](Selection(plain=plain, parts=tuple(parts)), frame)
        with Out(Path(path)) as out:
            output = Output(out, writer)
            output._write(writer.begin)
            yield output
            output._write(writer.end)
    except NotInThisFormat as problem:
        raise UserError(str(problem)) from None
