"""Frames: several events as one message, each still an event of its own."""

import json
from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contract.arbitrary import arbitrary_event
from contract.test_growing import Nobody
from pubweave.contract.catalogue import topic_of
from pubweave.contract.cloudevents import from_headers, headers
from pubweave.contract.codec import decode, encode, event_id
from pubweave.contract.dead_letter import DeadLetter
from pubweave.contract.delayed import Delayed
from pubweave.contract.examples import EXAMPLES
from pubweave.contract.frames import FRAME_TYPE, MOST_EVENTS, NoFrame, frame_body, read_frame
from pubweave.contract.kinds import Event, kind_of
from pubweave.contract.part_candidate import PartCandidate
from pubweave.runtimes.messages.delivered import delivered
from pubweave.runtimes.messages.driving import hear_batch
from pubweave.runtimes.messages.effects import Delivered, Effects, due, message
from pubweave.runtimes.messages.frames import Frame, body_of, framed, headers_of, opened

NOW = 1_795_269_600_123


def sent(one: Frame, offset: int = 7) -> Delivered:
    """As Kafka gives it."""
    told, body = headers_of(one, "doi", NOW), body_of(one, "doi", NOW)
    return delivered(one.topic, one.record_key.encode(), body, told, offset)


def answer(need: str = "n", publication: str = "p", found: int = 3) -> list[Event]:
    """What a resource says of one need."""
    example = EXAMPLES["part-candidate"]["title"]
    assert isinstance(example, PartCandidate)
    done = EXAMPLES["resource-done"]["found"]
    names = {"publication": publication, "need": need}
    return [
        *(
            msgspec.structs.replace(example, **names, place=example.place._replace(position=n))  # type: ignore[attr-defined]
            for n in range(found)
        ),
        msgspec.structs.replace(done, **names),
    ]


def frame(events: Sequence[Event]) -> Frame:
    (one,) = framed([message(event) for event in events])
    assert isinstance(one, Frame)
    return one


class Ear(Nobody):
    """Keeps what it hears."""

    def __init__(self, breaks_on: Event | None = None) -> None:
        self.heard: list[Event] = []
        self._breaks_on = breaks_on

    async def hear(self, topic: str, event: Event, effects: Effects) -> None:
        if event == self._breaks_on:
            raise ZeroDivisionError
        self.heard.append(event)


async def heard(came: Delivered, ear: Ear) -> list[Event | None]:
    """What is said of it."""
    said: list[Event | None] = []

    async def apply(effects: Effects) -> None:
        said.extend(one.event for one in effects.said)

    await hear_batch(ear, [came], apply, "merger", lambda: NOW)
    return said


@settings(max_examples=200)
@given(st.lists(arbitrary_event(), max_size=6))
def test_each_event_of_a_frame_is_as_it_would_be_alone(events: list[Event]) -> None:
    """The same attributes, the same body, the same id, in the same order."""
    alone = [(headers(event, "doi", NOW), encode(event)) for event in events]
    found = read_frame(frame_body(alone))

    assert [one.problem for one in found] == [""] * len(events)
    assert [(dict(one.headers), one.body) for one in found] == [(dict(told), body) for told, body in alone]
    for event, one in zip(events, found, strict=True):
        told = from_headers(one.headers)
        assert told.id == event_id(event)
        assert decode(*told.kind_and_version(), one.body) == event


def test_a_frame_is_a_batch_of_cloudevents() -> None:
    """JSON Event Format, 4.2: an array of events in the JSON format, `data` being JSON itself; any reader of it will do."""
    one = frame(answer())
    told = dict(headers_of(one, "doi", NOW))
    batch = json.loads(body_of(one, "doi", NOW))

    assert told["content-type"].decode() == FRAME_TYPE == "application/cloudevents-batch+json"
    assert len(batch) == 4
    for event in batch:
        assert {"id", "source", "specversion", "type"} <= event.keys()
        assert event["datacontenttype"] == "application/json"
        assert event["data"]["publication"] == event["partitionkey"] == "p"
    assert batch[-1]["type"].endswith(".resource-done.v1")


def test_what_one_answer_says_is_one_message_under_the_name_of_its_outcome() -> None:
    """So that the same answer, said again, replaces it, and what takes all of its events from the log takes the frame."""
    first, other = answer(), answer(need="m")
    said = [message(event) for event in [*first, *other]]
    one, two = framed(said)

    assert isinstance(one, Frame)
    assert isinstance(two, Frame)
    assert [[each.event for each in of.messages] for of in (one, two)] == [first, other]
    assert one.record_key == message(first[-1]).record_key
    assert two.record_key == message(other[-1]).record_key


def test_what_is_kept_for_ever_travels_with_its_publication_or_alone() -> None:
    """Else nobody could take the events of one from the log without those of another."""
    for told in EXAMPLES.values():
        for event in told.values():
            one = message(event)
            twins = framed([one, one._replace(key="another", name="x")])
            if topic_of(one.topic).compacted:
                assert len(twins) == 2, kind_of(event)


def test_no_frame_is_too_large_for_its_topic() -> None:
    """Long answers become several frames."""
    many = answer(found=90)
    long = [msgspec.structs.replace(one, text="x" * 60_000) for one in many[:-1]]  # type: ignore[type-var]
    frames = framed([message(event) for event in [*long, many[-1]]])

    assert len(frames) > 1
    events = [each.event for one in frames for each in (one.messages if isinstance(one, Frame) else (one,))]
    assert events == [*long, many[-1]]
    for one in frames:
        assert len(body_of(one, "doi", NOW)) < 1024 * topic_of(one.topic).max_message_kib
    assert len({one.record_key for one in frames}) == len(frames)


async def test_all_events_of_a_frame_are_heard() -> None:
    """In their order."""
    ear = Ear()

    assert await heard(sent(frame(answer())), ear) == []
    assert ear.heard == answer()


async def test_one_bad_event_costs_itself_only() -> None:
    """It is a dead letter as if it had come alone, and can be said again by itself; the others are heard."""
    came = sent(frame(answer()))
    batch = json.loads(came.body)
    batch[1]["data"]["size"] = "many"
    batch.insert(1, {"id": "no event"})
    batch.insert(1, 5)
    ear = Ear()
    letters = await heard(came._replace(body=json.dumps(batch).encode()), ear)

    assert ear.heard == [event for number, event in enumerate(answer()) if number != 1]
    assert len(letters) == 3
    *strange, bad = letters
    assert isinstance(bad, DeadLetter)
    assert (bad.event_kind, bad.event_version, bad.topic) == ("part-candidate", 1, "part-candidates")
    assert (bad.key, bad.offset) == (f"p/{batch[3]['id']}", 7)
    assert json.loads(bad.body) == batch[3]["data"]
    assert all(isinstance(one, DeadLetter) and one.offset == 7 for one in strange)


async def test_an_event_that_breaks_its_hearer_costs_itself_only() -> None:
    poison = answer()[1]
    ear = Ear(poison)
    (letter,) = await heard(sent(frame(answer())), ear)

    assert isinstance(letter, DeadLetter)
    assert decode(letter.event_kind, letter.event_version, letter.body) == poison
    assert ear.heard == [event for event in answer() if event != poison]


async def test_an_event_of_a_newer_release_waits_by_itself() -> None:
    """With all that its headers would say; what the frame holds beside it is heard now."""
    came = sent(frame(answer()))
    batch = json.loads(came.body)
    batch[1] |= {"release": "99.0.0", "weather": "fair"}
    batch[1]["data"]["type"] = "loom"
    ear = Ear()
    (waiting,) = await heard(came._replace(body=json.dumps(batch).encode()), ear)

    assert len(ear.heard) == 3
    assert isinstance(waiting, Delayed)
    again = due(waiting)
    assert (again.topic, again.key, again.record_key) == ("part-candidates", "p", f"p/{batch[1]['id']}")
    assert json.loads(again.body) == batch[1]["data"]
    assert dict(again.headers)["ce_weather"] == b"fair"
    assert dict(again.headers)["content-type"] == b"application/json"


async def test_a_release_that_does_not_know_a_frame_lets_it_wait() -> None:
    """As 0.1.0 does with all of them: it is said again, byte for byte, until somebody hears it who can read it."""
    came = sent(frame(answer()))
    newer = [(name, value.replace(b"frame.v1", b"frame.v2")) for name, value in came.headers]
    newer = [(name, b"99.0.0" if name == "ce_release" else value) for name, value in newer]
    unknown = delivered(came.topic, came.key.encode(), came.body, newer, 7)
    ear = Ear()
    (waiting,) = await heard(unknown, ear)

    assert ear.heard == []
    assert isinstance(waiting, Delayed)
    again = due(waiting)
    assert (again.topic, again.key, again.record_key, again.body) == (came.topic, "p", came.key, came.body)
    assert {name: value for name, value in again.headers if name != "ce_waits"} == dict(newer)


@pytest.mark.parametrize(
    "body", [b"", b"no JSON", b"{}", b"[" * 100_000, b"[1" + b",1" * MOST_EVENTS + b"]", b"\xff"]
)
async def test_what_is_no_frame_is_one_dead_letter(body: bytes) -> None:
    with pytest.raises(NoFrame):
        read_frame(body)
    ear = Ear()
    (letter,) = await heard(sent(frame(answer()))._replace(body=body), ear)

    assert isinstance(letter, DeadLetter)
    assert letter.event_kind == "frame"
    assert ear.heard == []


def test_a_batch_of_somebody_else_is_read_as_well() -> None:
    """Without the headers that ours has beside: its content type says what it is."""
    came = sent(frame(answer()))
    bare = delivered(came.topic, None, came.body, [("content-type", FRAME_TYPE.encode())], 3)
    found = opened(bare)

    assert [one.kind for one in found] == ["part-candidate"] * 3 + ["resource-done"]


def test_nobody_puts_an_event_among_those_of_another() -> None:
    """The record key of each is made of the frame's, which decided the partition."""
    came = sent(frame(answer()))
    batch = json.loads(came.body)
    batch[0]["partitionkey"] = "q"
    (first, *_) = opened(came._replace(body=json.dumps(batch).encode()))

    assert first.key == f"p/{batch[0]['id']}"


def test_questions_of_many_publications_go_together_where_any_process_may_hear_them() -> None:
    """And replies; but questions to a door only with those of the same site."""
    need = EXAMPLES["needs-part"][next(iter(EXAMPLES["needs-part"]))]
    needs = [message(msgspec.structs.replace(need, publication=f"p{n}")) for n in range(120)]
    frames = framed(needs)

    assert [len(one.messages) for one in frames if isinstance(one, Frame)] == [50, 50, 20]
    assert [each for one in frames for each in one.messages] == needs  # type: ignore[union-attr]
    assert "ce_partitionkey" not in dict(headers_of(frames[0], "merger", NOW))
    wanted = message(next(iter(EXAMPLES["reply-wanted"].values())))
    assert len(framed([wanted, wanted._replace(key="elsewhere"), wanted._replace(name="other")])) == 2


def test_findings_without_their_outcome_are_framed_by_the_last() -> None:
    """The key is always that of the last event."""
    first = answer()[:-1]

    assert frame(first).record_key == message(first[-1]).record_key
