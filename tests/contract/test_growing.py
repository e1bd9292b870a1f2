"""Contracts grow (design law 9): what a newer release adds is kept and passed on, or waits for it; nothing is lost."""

import copy
from collections.abc import Iterator
from typing import Any

import msgspec
import orjson
import pytest

from pubweave.adapters.memory import MemoryStorage
from pubweave.contract.cloudevents import headers, is_newer, release_of
from pubweave.contract.codec import UndecodableEvent, UnknownKind, UnknownWords, decode, decode_row, encode
from pubweave.contract.delayed import Delayed
from pubweave.contract.examples import EXAMPLES
from pubweave.contract.kinds import KINDS, Event, kind_of
from pubweave.contract.routing import topic_for
from pubweave.contract.widening import _MADE, MOST_MEMBERS, MOST_STRUCTS
from pubweave.core.record import Record, decode_record, encode_record
from pubweave.ports import Row
from pubweave.runtimes.messages.delays import LONGEST_WAIT_MS, MOST_WAITS
from pubweave.runtimes.messages.driving import hear_batch
from pubweave.runtimes.messages.effects import Delivered, Effects, message
from pubweave.runtimes.messages.publication import as_row, load
from pubweave.scheduler.handler import Scheduler
from pubweave.version import VERSION

NOW = 1_800_000_000_000
TOLD = [(kind, name) for kind in KINDS for name in EXAMPLES[kind]]
of_each = pytest.mark.parametrize(("kind", "name"), TOLD)

Path = tuple[str | int, ...]


def plain(event: Event) -> Any:
    return orjson.loads(encode(event))


def walked(told: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    yield path, told
    for key, value in (
        told.items() if isinstance(told, dict) else enumerate(told) if isinstance(told, list) else ()
    ):
        yield from walked(value, (*path, key))


def is_raw(kind: str, path: Path) -> bool:
    """What an event carries as it is: JSON of its own, which is not looked into."""
    return (kind, path[:1]) in {
        ("publication-updated", ("record",)),
        ("publication-put", ("record",)),
        ("put-requested", ("record",)),
        ("webpage-put", ("record",)),
        ("delayed", ("event",)),
    }


def at(told: Any, path: Path) -> Any:
    for key in path:
        told = told[key]
    return told


@of_each
def test_a_member_that_is_not_known_is_kept_wherever_it_stands(kind: str, name: str) -> None:
    """Read, changed and written again, it is there, and so is its topic, on which others look for it."""
    event = EXAMPLES[kind][name]
    for path, value in walked(plain(event)):
        if not isinstance(value, dict) or (path and is_raw(kind, path)):
            continue
        told = plain(event)
        at(told, path)["colour"] = {"of": ["weft", 1]}
        read = decode(kind, KINDS[kind].version, orjson.dumps(told))

        assert plain(msgspec.structs.replace(read)) == told, path
        assert kind_of(read) == kind
        assert isinstance(read, KINDS[kind].struct)
        assert topic_for(read) == topic_for(event)


@of_each
def test_a_word_that_is_not_known_is_told_apart_and_kept(kind: str, name: str) -> None:
    """Nothing is decided by it: whoever reads it is told. The event has it, to be kept and shown."""
    event = EXAMPLES[kind][name]
    for path, value in walked(plain(event)):
        if not isinstance(value, str) or path[-1] in ("kind", "body") or is_raw(kind, path):
            continue
        told = plain(event)
        at(told, path[:-1])[path[-1]] = "a word of tomorrow"
        body = orjson.dumps(told)
        known = is_known(kind, body)

        assert known is None or plain(known.event) == told
        assert (decode_row(kind, KINDS[kind].version, body) is None) == (known is not None)


def is_known(kind: str, body: bytes) -> UnknownWords | None:
    try:
        decode(kind, KINDS[kind].version, body)
    except UnknownWords as problem:
        return problem
    return None


def test_words_of_tomorrow_were_met() -> None:
    """The law above is not true of nothing: the lists of words that events are made of are among what it walks."""
    found = {
        "needs-part": "resource",
        "resource-done": "outcome",
        "part-candidate": "type",
        "gate-flag": "gate",
    }
    for kind, member in found.items():
        told = {**plain(next(iter(EXAMPLES[kind].values()))), member: "tomorrow's"}
        with pytest.raises(UnknownWords):
            decode(kind, 1, orjson.dumps(told))


def test_an_answer_echoes_what_it_does_not_know() -> None:
    """A door of today hands the work of a newer release back as it came."""
    wanted = plain(next(iter(EXAMPLES["reply-wanted"].values())))
    wanted["work"]["urgency"] = 3
    wanted["work"]["needs"][0]["hint"] = {"year": 1847}
    read: Any = decode("reply-wanted", 1, orjson.dumps(wanted))
    answer = msgspec.structs.replace(next(iter(EXAMPLES["reply-received"].values())), work=read.work)
    told = plain(answer)["work"]

    assert (told["urgency"], told["needs"][0]["hint"]) == (3, {"year": 1847})


def test_whoever_invents_members_cannot_fill_the_memory() -> None:
    """More members than any release would say are put aside, and of their combinations only the last ones are kept."""
    flag = plain(EXAMPLES["gate-flag"]["open-access"])
    with pytest.raises(UndecodableEvent, match="more or other ones"):
        decode("gate-flag", 1, orjson.dumps(flag | {f"m{number}": 1 for number in range(MOST_MEMBERS + 1)}))
    with pytest.raises(UndecodableEvent, match="more or other ones"):
        decode("gate-flag", 1, orjson.dumps(flag | {"a member": 1}))
    for number in range(MOST_STRUCTS + 10):
        told = flag | {f"invented_{number}": 1}
        assert plain(decode("gate-flag", 1, orjson.dumps(told))) == told
    assert len(_MADE) == MOST_STRUCTS


@pytest.mark.parametrize(
    ("kind", "version"), [("weather-changed", 1), ("gate-flag", 2)], ids=["kind", "version"]
)
def test_kinds_and_versions_of_tomorrow_are_told_from_nonsense(kind: str, version: int) -> None:
    """A row of theirs is left where it is."""
    with pytest.raises(UnknownKind):
        decode(kind, version, b"{}")

    assert decode_row(kind, version, b"{}") is None
    with pytest.raises(UndecodableEvent):
        decode_row("gate-flag", 1, b"{}")


async def test_rows_of_a_newer_release_stay_and_decide_nothing() -> None:
    """A publication is loaded without them, and the newer release finds them."""
    store = MemoryStorage().store
    known = EXAMPLES["resource-done"]["found"]
    new = plain(EXAMPLES["part-candidate"]["title"]) | {"type": "loom"}
    rows = [
        as_row(known),
        Row("new-word", b"part-candidate 1 " + orjson.dumps(new)),
        Row("new-kind", b"weather-changed 1 {}"),
    ]
    await store.add_rows("p", rows)
    loaded = await load(store, "p")

    assert {need for need, answers in loaded.state.answers.items() if answers.done} == {known.need}  # type: ignore[union-attr]
    assert not any(answers.found for answers in loaded.state.answers.values())
    assert {row.id for row in await store.rows("p")} == {row.id for row in rows}


def test_a_record_of_a_newer_release_is_told() -> None:
    """With its members and words, for nothing is decided by a record."""
    told = orjson.loads(encode_record(Record(publication="p", fetch_time=1)))
    told |= {"funding": ["a mill"], "title": {"type": "loom", "size": 1, "text": "x"}}
    read = decode_record(orjson.dumps(told))

    assert (read.title.text, read.title.type) == ("x", "loom")
    assert orjson.loads(encode_record(read)) == told


# What waits.


class Nobody:
    """A hearer that is not to hear anything."""

    async def hear(self, topic: str, event: Event, effects: Effects) -> None:
        raise AssertionError(f"heard {event!r}")

    async def end_of_batch(self, effects: Effects) -> None:
        """Nothing was put off."""

    def durable(self) -> None:
        """Nothing is kept."""

    def forget(self) -> None:
        """Nothing is kept."""


def came(release: str, body: bytes | None = None, kind: str = "resource-done") -> Delivered:
    event = EXAMPLES["resource-done"]["found"]
    sent = message(event)
    told = dict(headers(event, "doi", NOW)) | {"ce_partitionkey": sent.key.encode()}
    told["ce_release"] = release.encode()
    if not release:
        del told["ce_release"]
    body = orjson.dumps(plain(event) | {"outcome": "half-found"}) if body is None else body
    return Delivered(sent.topic, kind, 1, body, sent.record_key, 7, headers=tuple(told.items()))


async def said(delivered: Delivered, now_ms: int = NOW) -> tuple[list[Event | None], int]:
    gathered: list[Effects] = []

    async def apply(effects: Effects) -> None:
        gathered.append(effects)

    aside = await hear_batch(Nobody(), [delivered], apply, "merger", lambda: now_ms)
    return [sent.event for effects in gathered for sent in effects.said], aside.letters


@pytest.mark.parametrize("release", ["", VERSION, "0.0.9", "nonsense"])
async def test_what_no_newer_release_wrote_is_a_dead_letter(release: str) -> None:
    """It will not be understood tomorrow either."""
    (event,), dead = await said(came(release))

    assert dead == 1
    assert kind_of(event) == "dead-letter"  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["resource-done", "weather-changed"])
async def test_what_a_newer_release_wrote_waits_for_it(kind: str) -> None:
    """Said again as it came, byte for byte and under its key, ever more seldom, until somebody hears it who can read."""
    delivered, now_ms = came("99.0.0", kind=kind), NOW
    store = MemoryStorage().store
    waits = []
    for _ in range(12):
        (waiting,), dead = await said(delivered, now_ms)
        assert isinstance(waiting, Delayed)
        assert dead == 0
        waits.append(waiting.due_at - now_ms)
        now_ms = waiting.due_at
        scheduler, effects = Scheduler(store), Effects()
        again = decode("delayed", 1, encode(waiting))
        await scheduler.hear("delayed", again, effects)
        assert await scheduler.due(now_ms, 10, effects) == 1
        (sent,) = effects.said

        assert (sent.topic, sent.key, sent.record_key, sent.body) == (
            delivered.topic,
            dict(delivered.headers)["ce_partitionkey"].decode(),
            delivered.key,
            delivered.body,
        )
        kept = {name: value for name, value in sent.headers if name != "ce_waits"}
        assert kept == {name: value for name, value in delivered.headers if name != "ce_waits"}
        delivered = delivered._replace(headers=sent.headers)
    assert waits == sorted(waits)
    assert waits[-1] == LONGEST_WAIT_MS


async def test_it_does_not_wait_for_ever() -> None:
    """A month later, and for what is no JSON at once, a person should look."""
    waited = came("9.0.0")
    (event,), dead = await said(
        waited._replace(headers=(*waited.headers, ("ce_waits", str(MOST_WAITS).encode())))
    )
    assert dead == 1
    assert kind_of(event) == "dead-letter"  # type: ignore[arg-type]

    (event,), dead = await said(came("9.0.0", b"\x00 not JSON"))
    assert dead == 1


def test_every_message_names_its_release() -> None:
    """By which the release before knows that it may wait."""
    made = headers(EXAMPLES["gate-flag"]["open-access"], "merger", NOW)

    assert release_of(made) == VERSION
    assert [is_newer(release) for release in ("99.0", "99", "0.99.1", "1.0.0")] == [True] * 4
    assert [is_newer(release) for release in (VERSION, "", "0.0.9", "new")] == [False] * 4


def test_copies_of_what_is_not_known_are_independent() -> None:
    """Two messages with different new members do not get each other's."""
    flag = plain(EXAMPLES["gate-flag"]["open-access"])
    one = decode("gate-flag", 1, orjson.dumps(flag | {"colour": 1}))
    other = decode("gate-flag", 1, orjson.dumps(flag | {"weight": 2}))

    assert plain(copy.copy(one)) == flag | {"colour": 1}
    assert plain(other) == flag | {"weight": 2}
