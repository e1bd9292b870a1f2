"""A publication as its owner has it in memory: the rows of its state, and who waits for it."""

from typing import Final, Literal, TypeAlias

import msgspec

from pubweave.contract.catalogue import record_key, topic_of
from pubweave.contract.codec import UnknownKind, UnknownWords, decode, named, version_of
from pubweave.contract.erasure_requested import ErasureRequested
from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.identifier_asked import IdentifierAsked
from pubweave.contract.kinds import Event, kind_of
from pubweave.contract.line_standing import LineStanding
from pubweave.contract.new_id import NewId
from pubweave.contract.publication_removed import PublicationRemoved
from pubweave.contract.publication_updated import PublicationUpdated
from pubweave.contract.removal_requested import RemovalRequested
from pubweave.contract.routing import topic_for
from pubweave.contract.submission_settled import SubmissionSettled
from pubweave.contract.submissions_entered import SubmissionsEntered
from pubweave.core.merging.decide import Walked
from pubweave.core.merging.state import PublicationState, StateRow
from pubweave.ports import Row, Store

_last: tuple[Event | None, tuple[str, bytes]] = (None, ("", b""))


def named_once(event: Event) -> tuple[str, bytes]:
    """(`event_id`, `encode`) of the event. What is kept is said next, and needs both as well."""
    global _last
    known, found = _last
    if known is not event:
        found = named(event)
        _last = (event, found)
    return found


Asked: TypeAlias = tuple[str, str, str, int, bool]
"""A claim that this publication is asked about: claimant, kind, value, round, and whether it is asked back."""


def asked_key(asked: IdentifierAsked) -> Asked:
    claim = asked.claim
    return (claim.publication, claim.id_kind, claim.value, claim.round, asked.back)


class Judged(msgspec.Struct, frozen=True):
    """A row that only this publication reads: it has judged a claim."""

    asked: Asked


class Aside(msgspec.Struct, frozen=True):
    """A row that nobody reads until the publication is erased: the log has an event of it that is no row of its state."""

    topic: str
    record_key: str


def aside(event: Event) -> Aside:
    topic = topic_for(event)
    return Aside(topic, record_key(topic_of(topic), event))


class Taken(msgspec.Struct, frozen=True):
    """A row that only this publication reads: it has put what was wanted under this name."""

    request: str


class SentOn(msgspec.Struct, frozen=True):
    """A row that only this publication reads: a line that others had led astray goes on alone."""

    submission: str
    entered: tuple[str, ...]
    """What had entered until then; what brings the line later brings it back."""


class Erased(msgspec.Struct, frozen=True):
    """All that is left of an erased publication."""

    lines: tuple[str, ...] = ()
    """Submissions that led here; heard of again, they begin nothing."""
    version: int = 0
    """Of its tombstone; 0: it had no record."""
    gone: tuple[Aside, ...] = ()
    """What the log no longer has to keep, to be said once more at the last look; then this is empty, and no identifier is
    left."""


NO_EVENTS: Final = ("judged ", "aside ", "taken ", "sent-on ", "erased")
"""How the ids of rows begin that only their publication reads; all others are events of the log."""


class Unread(msgspec.Struct, frozen=True):
    """A row that a newer release wrote and this one does not know. It stays as it is, and nothing is decided by it."""


PublicationRow: TypeAlias = Event | Judged | Aside | Taken | SentOn | Erased | Unread

Ended = Literal["", "removed", "erasing", "erased"]


class Publication:
    """Its rows, indexed. Only `add` changes it; rows in any order give the same."""

    __slots__ = (
        "asked",
        "brought",
        "chances",
        "ended",
        "entered",
        "judged",
        "lines",
        "published",
        "sent_on",
        "settled",
        "state",
        "taken",
        "walked",
        "withheld",
    )

    def __init__(self, key: str) -> None:
        self.state = PublicationState(key)
        self.entered: set[str] = set()
        """Names of what has entered."""
        self.lines: dict[str, FetchRequested] = {}
        """Submissions that lead here."""
        self.brought: dict[str, set[str]] = {}
        """By line what it entered with."""
        self.sent_on: dict[str, frozenset[str]] = {}
        """Lines that went on alone, once each, and what had entered until then."""
        self.settled: set[str] = set()
        self.withheld: set[str] = set()
        self.chances: set[str] = set()
        """Lines that have had their second chance."""
        self.asked: dict[Asked, IdentifierAsked] = {}
        self.judged: set[Asked] = set()
        self.published: PublicationUpdated | PublicationRemoved | None = None
        self.taken: set[str] = set()
        self.ended: Ended = ""
        """A publication that was removed or erased never goes on; who submits its identifiers begins a new one."""
        self.walked: Walked | None = None
        """Where it stands if its claims are granted, while it waits for the answers."""

    @property
    def key(self) -> str:
        return self.state.publication

    def waiting(self) -> list[FetchRequested]:
        """Lines without an outcome that are not withheld either, in order of submission."""
        return [self.lines[name] for name in sorted(self.lines) if self._waits(name)]

    def _waits(self, name: str) -> bool:
        return (
            name not in self.settled
            and (name not in self.withheld or name in self.chances)
            and not self.is_away(name)
        )

    def unsettled(self) -> tuple[FetchRequested, ...]:
        return tuple(
            self.lines[name]
            for name in sorted(self.lines)
            if name not in self.settled and not self.is_away(name)
        )

    def is_away(self, submission: str) -> bool:
        """The line goes on alone, and nothing has brought it back."""
        return submission in self.sent_on and self.brought.get(submission, set()) <= self.sent_on[submission]

    def is_at_rest(self) -> bool:
        """Nobody waits for it: neither a line that is not withheld, nor a claim. Lines of one that turned out to be
        another wait for that one."""
        return bool(self.state.survivor) or (
            not any(map(self._waits, self.lines)) and not self.pending_asks()
        )

    def pending_asks(self) -> list[IdentifierAsked]:
        return [asked for key, asked in self.asked.items() if key not in self.judged]

    def add(self, row: PublicationRow) -> bool:
        """Take a row in; False if it was there already or comes too late to count."""
        if not (isinstance(row, NewId) and row.said in ("claimed", "granted")):
            self.walked = None
        match row:
            case Aside() | Unread():
                return True
            case Taken():
                if row.request in self.taken:
                    return False
                self.taken.add(row.request)
                return True
            case SentOn():
                self.sent_on[row.submission] = frozenset(row.entered)
                return True
            case Erased():
                self.settled.update(row.lines)
                self.ended = "erased"
                return True
            case RemovalRequested():
                if self.ended:
                    return False
                self.ended = "removed"
                return True
            case ErasureRequested():
                if self.ended in ("erasing", "erased"):
                    return False
                self.ended = "erasing"
                return True
            case SubmissionsEntered():
                name = _entry(row)
                if name in self.entered:
                    return False
                self.entered.add(name)
                for line in row.lines:
                    self.lines.setdefault(line.submission, line)
                    if not row.park:
                        self.brought.setdefault(line.submission, set()).add(name)
                    if line.second_chance:
                        self.chances.add(line.submission)
                return True
            case IdentifierAsked():
                key = asked_key(row)
                if key in self.asked:
                    return False
                self.asked[key] = row
                return True
            case Judged():
                if row.asked in self.judged:
                    return False
                self.judged.add(row.asked)
                return True
            case SubmissionSettled():
                name = f"{row.job}.{row.line:09d}"
                if name in self.settled:
                    return False
                self.settled.add(name)
                return True
            case LineStanding():
                name = f"{row.job}.{row.line:09d}"
                if name in self.withheld:
                    return False
                self.withheld.add(name)
                return True
            case PublicationUpdated() | PublicationRemoved():
                if self.published is not None and self.published.version >= row.version:
                    return False
                self.published = row
                return True
            case _:
                assert isinstance(row, StateRow)
                assert not isinstance(row, NewId) or row.publication == self.key
                return self.state.add(row)

    def begin_anew(self) -> None:
        """Forget all rows."""
        Publication.__init__(self, self.key)


def _entry(entered: SubmissionsEntered) -> str:
    """Names it among all that enter one publication."""
    lines = ",".join(line.submission + "+" * line.second_chance for line in entered.lines)
    return f"{entered.origin} {lines} {entered.park}"


def as_row(row: PublicationRow) -> Row:
    """`kind version body` under the event's id, as the embedded system writes it."""
    assert not isinstance(row, Unread), "it is written only by who knows it"
    if isinstance(row, Aside):
        return Row(f"aside {row.topic} {row.record_key}", b"aside 0 " + msgspec.json.encode(row))
    if isinstance(row, Taken):
        return Row(f"taken {row.request}", b"taken 0 " + msgspec.json.encode(row))
    if isinstance(row, SentOn):
        return Row(f"sent-on {row.submission}", b"sent-on 0 " + msgspec.json.encode(row))
    if isinstance(row, Erased):
        return Row("erased", b"erased 0 " + msgspec.json.encode(row))
    if isinstance(row, Judged):
        body = msgspec.json.encode(row.asked)
        return Row("judged " + body.decode(), b"judged 0 " + body)
    name, body = named_once(row)
    return Row(name, b"%b %d %b" % (kind_of(row).encode(), version_of(row), body))


def read_row(row: Row) -> PublicationRow:
    """:raises UndecodableEvent: nobody can have written it so"""
    kind, version, body = row.body.split(b" ", 2)
    if kind == b"aside":
        return msgspec.json.decode(body, type=Aside)
    if kind == b"taken":
        return msgspec.json.decode(body, type=Taken)
    if kind == b"sent-on":
        return msgspec.json.decode(body, type=SentOn)
    if kind == b"erased":
        return msgspec.json.decode(body, type=Erased)
    if kind == b"judged":
        return Judged(msgspec.json.decode(body, type=Asked))
    try:
        return decode(kind.decode(), int(version), body)
    except UnknownWords as known:
        try:
            return aside(known.event)  # nothing is decided by it; erased it can be
        except KeyError:  # its topic is one of the newer release's
            return Unread()
    except UnknownKind:
        return Unread()


async def load(store: Store, key: str) -> Publication:
    """The publication from its rows; empty for one that is new."""
    publication = Publication(key)
    for row in await store.rows(key):
        publication.add(read_row(row))
    return publication
