"""Which kinds of events there are, in which version, and what makes two of them the same."""

from collections.abc import Mapping
from typing import Final, NamedTuple, TypeAlias

import msgspec

from pubweave.contract.dead_letter import DeadLetter
from pubweave.contract.delayed import Delayed
from pubweave.contract.erasure_requested import ErasureRequested
from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.field_candidate import FieldCandidate
from pubweave.contract.gate_flag import GateFlag
from pubweave.contract.identifier_asked import IdentifierAsked
from pubweave.contract.identifiers_conflicted import IdentifiersConflicted
from pubweave.contract.job_closed import JobClosed
from pubweave.contract.line_standing import LineStanding
from pubweave.contract.link_found import LinkFound
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.new_id import NewId
from pubweave.contract.part_candidate import PartCandidate
from pubweave.contract.publication_erased import PublicationErased
from pubweave.contract.publication_put import PublicationPut
from pubweave.contract.publication_removed import PublicationRemoved
from pubweave.contract.publication_updated import PublicationUpdated
from pubweave.contract.publications_joined import PublicationsJoined
from pubweave.contract.put_requested import PutRequested
from pubweave.contract.removal_requested import RemovalRequested
from pubweave.contract.reply_received import ReplyReceived
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.resource_done import ResourceDone
from pubweave.contract.restarted import Restarted
from pubweave.contract.run_accepted import RunAccepted
from pubweave.contract.submission_settled import SubmissionSettled
from pubweave.contract.submissions_entered import SubmissionsEntered
from pubweave.contract.webpage_accepted import WebpageAccepted
from pubweave.contract.webpage_put import WebpagePut
from pubweave.contract.webpage_read import WebpageRead
from pubweave.contract.webpage_removed import WebpageRemoved

Event: TypeAlias = (
    FetchRequested
    | SubmissionsEntered
    | RunAccepted
    | NeedsPart
    | ReplyWanted
    | ReplyReceived
    | PartCandidate
    | FieldCandidate
    | GateFlag
    | LinkFound
    | ResourceDone
    | NewId
    | IdentifierAsked
    | Restarted
    | PublicationsJoined
    | IdentifiersConflicted
    | PutRequested
    | PublicationPut
    | RemovalRequested
    | ErasureRequested
    | PublicationErased
    | PublicationUpdated
    | PublicationRemoved
    | SubmissionSettled
    | LineStanding
    | JobClosed
    | WebpageAccepted
    | WebpageRead
    | WebpagePut
    | WebpageRemoved
    | Delayed
    | DeadLetter
)


class Kind(NamedTuple):
    """One kind of event."""

    struct: type[Event]
    version: int = 1
    """The version that is written; older ones are read through upcasts.py."""
    times: tuple[str, ...] = ()
    """Members, by dotted path, that say when something happened, or how it was found then, and are no part of its
    identity: said again at another time it is the same event (design law 8)."""
    named_by: tuple[str, ...] = ()
    """Members that name the event by themselves; empty: everything but `times` does."""

    @property
    def name(self) -> str:
        """On the wire: in lower case with hyphens."""
        return str(self.struct.__struct_config__.tag)


def _registry(*kinds: Kind) -> dict[str, Kind]:
    return {kind.name: kind for kind in kinds}


KINDS: Final[Mapping[str, Kind]] = _registry(
    Kind(FetchRequested, times=("submitted_at",)),
    Kind(SubmissionsEntered, times=("entered_at", "gone")),
    Kind(RunAccepted, times=("accepted_at",)),
    Kind(NeedsPart),
    Kind(ReplyWanted, times=("until", "fetched.fetched_at", "carried.started_at", "carried.remaining_ms")),
    Kind(ReplyReceived, times=("reply.fetched_at",)),
    Kind(PartCandidate, times=("fetched_at",)),
    Kind(FieldCandidate, times=("fetched_at", "site.timestamp")),
    Kind(GateFlag, times=("fetched_at",)),
    Kind(LinkFound, times=("fetched_at",)),
    Kind(ResourceDone, times=("fetched_at",)),
    Kind(NewId),
    Kind(IdentifierAsked),
    Kind(Restarted),
    Kind(PublicationsJoined),
    Kind(IdentifiersConflicted),
    Kind(PutRequested, named_by=("publication", "request")),
    Kind(PublicationPut, named_by=("publication", "epoch")),
    Kind(RemovalRequested, times=("requested_at",)),
    Kind(ErasureRequested, named_by=("publication", "request", "look")),
    Kind(PublicationErased),
    # A record holds times of fetching all over; its version number says that it has changed.
    Kind(PublicationUpdated, named_by=("publication", "version")),
    Kind(PublicationRemoved, named_by=("publication", "version")),
    Kind(SubmissionSettled, times=("settled_at",)),
    Kind(LineStanding),
    Kind(JobClosed),
    Kind(WebpageAccepted, times=("accepted_at",)),
    Kind(WebpageRead, times=("fetched_at",)),
    Kind(WebpagePut, named_by=("publication", "epoch")),
    Kind(WebpageRemoved, named_by=("publication", "epoch")),
    # When it is due is part of it: the same question can be put off twice.
    Kind(Delayed),
    Kind(DeadLetter, times=("put_aside_at",)),
)
"""All kinds by name, in the order of the flow."""


def kind_of(event: Event) -> str:
    """The name of an event's kind.

    :raises KeyError: not an event
    """
    name = str(type(event).__struct_config__.tag)
    return KINDS[name].name


def timeless(event: Event, times: tuple[str, ...]) -> Event:
    """The event with the members at these paths set to 0 (lists: emptied), where they are there."""
    for path in times:
        event = _zeroed(event, path)
    return event


def _zeroed(event: Event, path: str) -> Event:
    member, _, rest = path.partition(".")
    if not rest:
        nothing: object = () if isinstance(getattr(event, member), tuple) else 0
        return msgspec.structs.replace(event, **{member: nothing})
    inner = getattr(event, member)
    if inner is None:
        return event
    return msgspec.structs.replace(event, **{member: _zeroed(inner, rest)})


def subject_of(event: Event) -> str:
    """What the event is about, in its own words: a publication, a submission, a question, an identifier."""
    match event:
        case FetchRequested():
            return event.submission
        case SubmissionSettled() | LineStanding():
            return f"{event.job}.{event.line:09d}"
        case ReplyWanted() | ReplyReceived():
            return event.ask
        case IdentifiersConflicted():
            return f"{event.id_kind}:{event.value}"
        case JobClosed():
            return event.job
        case Delayed() | DeadLetter():
            return event.topic
        case _:
            return event.publication


def correlation_of(event: Event) -> str:
    """The correlation id that the event itself carries; "" if it carries none."""
    match event:
        case FetchRequested() | RunAccepted() | NeedsPart() | SubmissionSettled() | WebpageAccepted():
            return event.correlation_id
        case _:
            return ""
