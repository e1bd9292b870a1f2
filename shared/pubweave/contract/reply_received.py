from pubweave.contract.exchange import Reply, Work
from pubweave.contract.values import Value
from pubweave.contract.vocabulary import DoorName


class ReplyReceived(Value, tag_field="kind", tag="reply-received", frozen=True, omit_defaults=True):
    """A door answers a `reply-wanted`: always exactly one, whatever happened."""

    ask: str
    reply: Reply
    work: Work
    door: DoorName = "fetcher"
