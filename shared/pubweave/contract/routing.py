"""On which topic an event is said. Topics are described in topics/*.yaml; a test holds the two together."""

from collections.abc import Mapping
from typing import Final

from pubweave.contract.dead_letter import DeadLetter
from pubweave.contract.delayed import Delayed
from pubweave.contract.erasure_requested import ErasureRequested
from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.field_candidate import FieldCandidate
from pubweave.contract.gate_flag import GateFlag
from pubweave.contract.identifier_asked import IdentifierAsked
from pubweave.contract.identifiers_conflicted import IdentifiersConflicted
from pubweave.contract.job_closed import JobClosed
from pubweave.contract.kinds import Event
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

_TOPICS: Final[Mapping[type[Event], str]] = {
    PartCandidate: "part-candidates",
    FieldCandidate: "part-candidates",
    GateFlag: "part-candidates",
    LinkFound: "part-candidates",
    ResourceDone: "part-candidates",
    RunAccepted: "part-candidates",
    Restarted: "part-candidates",
    PublicationsJoined: "part-candidates",
    PutRequested: "part-candidates",
    PublicationPut: "part-candidates",
    RemovalRequested: "part-candidates",
    PublicationErased: "part-candidates",
    IdentifierAsked: "part-candidates",
    IdentifiersConflicted: "identifiers-conflicted",
    PublicationUpdated: "publications",
    PublicationRemoved: "publications",
    SubmissionSettled: "submissions-settled",
    LineStanding: "jobs",
    JobClosed: "jobs",
    WebpageAccepted: "webpages",
    WebpageRead: "webpages",
    WebpagePut: "webpages",
    WebpageRemoved: "webpages",
    Delayed: "delayed",
    DeadLetter: "dead-letters",
}

_ALWAYS: Final[Mapping[str, str]] = {
    str(struct.__struct_config__.tag): topic for struct, topic in _TOPICS.items()
}
"""By name: an event with members that are not known here is of a type of its own (`widening`)."""


def is_page_key(key: str) -> bool:
    """Whether facts under this key are those of a web page or doc (`core.merging.webpage_fold.page_key`); a publication's
    key holds no space."""
    return key.startswith(("webpage ", "doc "))


def topic_for(event: Event) -> str:
    """The full name of the event's topic.

    :raises TypeError: not an event
    """
    topic = _ALWAYS.get(str(type(event).__struct_config__.tag))
    if topic is not None:
        return topic
    match event:
        case FetchRequested():
            return f"fetch-requested.{event.lane}"
        case NeedsPart():
            return f"needs-part.{event.resource}"
        case ReplyWanted(door="pdf_reader", fetched=None) | ReplyWanted(bring=True, fetched=None):
            return "reply-wanted.fetcher"  # which brings the PDF, or the page
        case ReplyWanted():
            return f"reply-wanted.{event.door}"
        case ReplyReceived() if event.work.asker:
            return "page-replies"
        case ReplyReceived():
            return f"reply-received.{event.work.resource}"
        case SubmissionsEntered() | ErasureRequested():
            return "webpages" if is_page_key(event.publication) else "part-candidates"
        case NewId():
            # Claims go to the owner of the identifier, whose answer is a fact of the publication.
            return "new-ids" if event.said in ("claimed", "released") else "part-candidates"
        case _:
            raise TypeError(f"not an event: {event!r}")
