"""What every format of output is: a writer that gives pieces in the order in which they are to be written.

A writer keeps nothing of the entries it has seen but counts, so a million records need no more memory than
one. The pieces of one output are those of `begin`, of each entry in turn, and of `end`.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import ClassVar, Final, Literal, TypeAlias

import msgspec

from pubweave.contract.values import Thresholds
from pubweave.core.record import Record
from pubweave.core.webpage_record import WebpageRecord
from pubweave.output.publication import Envelope, Selection

Piece: TypeAlias = str | bytes
"""Text goes out as UTF-8, bytes as they are."""

PageKind = Literal["webpage", "doc"]

ListName = Literal[
    "publicationIds",
    "webpageUrls",
    "docUrls",
    "publications",
    "webpages",
    "docs",
    "publicationTopHosts",
    "webpageTopHosts",
    "docTopHosts",
]
"""What an output can hold, by its names in JSON (F-JSON-02, 03, 11), in the order in which it is written."""

ADDRESSES: Final[dict[PageKind, ListName]] = {"webpage": "webpageUrls", "doc": "docUrls"}
PAGES: Final[dict[PageKind, ListName]] = {"webpage": "webpages", "doc": "docs"}
HOSTS: Final[dict[str, ListName]] = {
    "publication": "publicationTopHosts",
    "webpage": "webpageTopHosts",
    "doc": "docTopHosts",
}


class DocumentFrame(msgspec.Struct, frozen=True):
    """What is said around the entries of one output."""

    argv: tuple[str, ...] = ()
    """The command line, scrubbed (F-JSON-01)."""
    thresholds: Thresholds = Thresholds()
    """By which `usable` and `final` are computed (F-PT-34)."""
    lists: tuple[ListName, ...] = ("publications",)
    """What was asked for; JSON shows such a list even if it stays empty (A-28)."""
    title: str = "Publications"
    """Of a page for people."""


class NotInThisFormat(ValueError):
    """The format has no place for such entries; nothing has been written for it. The text is one sentence."""


class Writer(ABC):
    """One output in one format.

    Entries of one list come together; the lists come in the order of `ListName`. Texts that lie among the
    blobs must have been put back into the records.

    A writer has the methods of the lists that it `holds`. The others stay as they are here: they say that the format
    has no place for the list. `NotImplementedError` is a writer that claims a list without its method.
    """

    name: ClassVar[str]
    """After `--format`."""
    sentence: ClassVar[str]
    """What it is, for help."""
    suffixes: ClassVar[tuple[str, ...]]
    """Of file names, with the dot, the usual one first."""
    media_type: ClassVar[str]
    holds: ClassVar[frozenset[ListName]]
    as_finished: ClassVar[bool] = False
    """An entry is a whole by itself: it may be shown as soon as it is there."""
    binary: ClassVar[bool] = False
    """Nothing for a terminal."""
    extra: ClassVar[str] = ""
    """What has to be installed with `pip install 'pubweave[…]'` first."""
    selects: ClassVar[bool] = True
    """It knows `--plain` and `--out-part`; otherwise its own standard says what is in it."""

    one_list: ClassVar[bool] = False
    """It holds one list at a time, for its columns are those of one kind of entries."""

    def __init__(self, selection: Selection, frame: DocumentFrame | None = None) -> None:
        """:raises NotInThisFormat: it cannot hold the frame's lists"""
        self.selection: Final = selection
        self.frame: Final = frame or DocumentFrame()
        for wanted in self.frame.lists:
            self.must_hold(wanted)
        if self.one_list and len(self.frame.lists) != 1:
            raise NotInThisFormat(f"{self.name} holds one list at a time, not {len(self.frame.lists)}")

    def must_hold(self, wanted: ListName) -> None:
        """:raises NotInThisFormat: it does not"""
        if wanted not in self.holds:
            raise NotInThisFormat(f"{self.name} has no place for {_WORDS[wanted]}")

    def wants_document(self, record: Record) -> bool:
        """Whether it shows the structured document of a record's full text, if the envelope brings it."""
        return False

    @abstractmethod
    def begin(self) -> Iterator[Piece]: ...

    def publication(self, record: Record, envelope: Envelope | None = None) -> Iterator[Piece]:
        """One publication."""
        self.must_hold("publications")
        raise NotImplementedError

    def webpage(self, record: WebpageRecord, kind: PageKind) -> Iterator[Piece]:
        """One web page or doc."""
        self.must_hold(PAGES[kind])
        raise NotImplementedError

    def identifiers(self, record: Record) -> Iterator[Piece]:
        """A publication's identifiers alone (17.5)."""
        self.must_hold("publicationIds")
        raise NotImplementedError

    def address(self, start_url: str, kind: PageKind) -> Iterator[Piece]:
        """A web page's or doc's address alone (17.5)."""
        self.must_hold(ADDRESSES[kind])
        raise NotImplementedError

    def hosts(
        self, kind: Literal["publication", "webpage", "doc"], counts: Iterable[tuple[str, int]]
    ) -> Iterator[Piece]:
        """Top hosts, most frequent first (F-TOP-01)."""
        self.must_hold(HOSTS[kind])
        raise NotImplementedError

    @abstractmethod
    def end(self) -> Iterator[Piece]: ...


_WORDS: Final[dict[ListName, str]] = {
    "publicationIds": "identifiers of publications",
    "webpageUrls": "addresses of web pages",
    "docUrls": "addresses of docs",
    "publications": "publications",
    "webpages": "web pages",
    "docs": "docs",
    "publicationTopHosts": "hosts of publications",
    "webpageTopHosts": "hosts of web pages",
    "docTopHosts": "hosts of docs",
}

EVERY_LIST: Final[frozenset[ListName]] = frozenset(_WORDS)
"""For formats that can hold everything."""
LIST_NAMES: Final[tuple[ListName, ...]] = tuple(_WORDS)
"""In the order in which they are written."""
