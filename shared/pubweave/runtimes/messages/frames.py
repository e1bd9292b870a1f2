"""What leaves in one step for one place leaves as one message: a frame of events (docs/decisions/024).

Two kinds of topics have frames:

* `part-candidates`: what one answer said of a publication, in order, with its outcome at the end. The topic is kept for ever
  and compacted, so the record's key is that of the frame's last event: whoever says the answer again replaces it by the
  same, and whoever takes that event out of the log (erasing takes all) takes the frame.
* Topics that let their messages go with time: whatever goes to one of them in one step. Where any process may hear a message
  (questions to resources, replies), publications travel together.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from pubweave.contract.catalogue import topic_of, topics
from pubweave.contract.cloudevents import Headers, headers
from pubweave.contract.field_candidate import FieldCandidate
from pubweave.contract.frames import (
    FRAME_KIND,
    NoFrame,
    frame_body,
    frame_headers,
    read_frame,
)
from pubweave.contract.gate_flag import GateFlag
from pubweave.contract.link_found import LinkFound
from pubweave.contract.part_candidate import PartCandidate
from pubweave.contract.resource_done import ResourceDone
from pubweave.runtimes.messages.delivered import delivered
from pubweave.runtimes.messages.effects import Delivered, Message

FINDINGS: Final = (PartCandidate, FieldCandidate, GateFlag, LinkFound, ResourceDone)

MOST_TOGETHER: Final = 50
"""Events of a frame of a topic that lets them go: one process hears them all."""
MOST_BYTES: Final = 384 * 1024
"""Of their bodies: well below the largest message."""
_ATTRIBUTES: Final = 512
"""What each event takes besides its body, about."""


class Frame(NamedTuple):
    """Events that go as one message."""

    messages: tuple[Message, ...]

    @property
    def topic(self) -> str:
        return self.messages[0].topic

    @property
    def key(self) -> str:
        """What decides the partition."""
        return self.messages[0].key

    @property
    def record_key(self) -> str:
        return self.messages[-1].record_key


def framed(said: Sequence[Message]) -> list[Message | Frame]:
    """The same messages with those together that may go together, each place's in their order."""
    if len(said) < 2:
        return list(said)
    gathered: dict[tuple[str, ...], list[Message]] = {}
    for number, one in enumerate(said):
        gathered.setdefault(_place(one) or (str(number),), []).append(one)
    return [frame for messages in gathered.values() for frame in _cut(messages)]


def _place(one: Message) -> tuple[str, ...]:
    """Messages of one such place may go together; empty where it goes alone."""
    event = one.event
    if event is None:
        return ()  # on its way as it came
    if one.topic == "part-candidates":
        return (one.topic, one.key, event.need) if isinstance(event, FINDINGS) else ()
    family = one.topic.partition(".")[0]
    if family in ("needs-part", "reply-received"):
        return (one.topic,)  # any of its processes may hear it
    if family in ("reply-wanted", "jobs"):
        return (one.topic, one.key)
    return ()


def _cut(messages: Sequence[Message]) -> Iterable[Message | Frame]:
    most = MOST_TOGETHER if not topic_of(messages[0].topic).compacted else len(messages)
    begun: list[Message] = []
    size = 0
    for one in messages:
        if begun and (len(begun) >= most or size + len(one.body) > MOST_BYTES):
            yield _one_or_frame(begun)
            begun, size = [], 0
        begun.append(one)
        size += len(one.body) + _ATTRIBUTES
    yield _one_or_frame(begun)


def _one_or_frame(messages: Sequence[Message]) -> Message | Frame:
    return Frame(tuple(messages)) if len(messages) > 1 else messages[0]


def headers_of(sent: Message | Frame, service: str, now_ms: int) -> Headers:
    """CloudEvents attributes, with what the message is partitioned by (the documented extension)."""
    if isinstance(sent, Frame):
        keys = {one.key for one in sent.messages}
        ids = [one.name for one in sent.messages]
        made = frame_headers(ids, service, now_ms, _subject(sent))
        return [*made, *_partition_key(sent.key)] if len(keys) == 1 else made
    if sent.event is None:
        return list(sent.headers)
    return [*headers(sent.event, service, now_ms, name=sent.name), *_partition_key(sent.key)]


def body_of(sent: Message | Frame, service: str, now_ms: int) -> bytes:
    """The value of the message."""
    if isinstance(sent, Message):
        return sent.body
    return frame_body((headers_of(one, service, now_ms), one.body) for one in sent.messages)


def _subject(frame: Frame) -> str:
    """Frames of findings are about one publication."""
    return frame.key if frame.topic == "part-candidates" and frame.key.isprintable() else ""


def _partition_key(key: str) -> Headers:
    return [("ce_partitionkey", key.encode("utf-8", "surrogatepass"))] if key else []


def opened(came: Delivered) -> list[Delivered]:
    """The events of a message, each as if it had come alone; a message that is no frame is one itself."""
    if came.kind != FRAME_KIND or came.version != 1:
        return [came]  # no frame; or a newer release's, which knows how it is read
    try:
        events = read_frame(came.body)
    except NoFrame as problem:
        return [came._replace(problem=str(problem))]
    found = []
    for one in events:
        if one.problem:
            found.append(came._replace(kind="", version=0, body=one.body, problem=one.problem, headers=()))
            continue
        told = dict(one.headers)
        event = delivered(came.topic, None, one.body, one.headers, came.offset)
        found.append(event._replace(key=_key_of(came, told)))
    return found


def _key_of(came: Delivered, told: dict[str, bytes]) -> str:
    """Of the record that the event would be alone."""
    name = told.get("ce_id", b"").decode("utf-8", "replace")
    if came.topic in _KEPT:
        # What decides the partition is the frame's: nobody puts an event among those of another.
        place = came.key.rpartition("/")[0] if _KEPT[came.topic].record_key == "event" else came.key
    else:
        place = told.get("ce_partitionkey", b"").decode("utf-8", "surrogatepass")
    return f"{place}/{name}" if place else name


_KEPT: Final = {name: topic for topic in topics() if topic.compacted for name in topic.names()}
