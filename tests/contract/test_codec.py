"""Events and bytes: strictly read, always written the same, old versions brought forward, the rest put aside."""

import copy
from contextlib import suppress
from typing import Any

import msgspec
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contract.arbitrary import arbitrary_event
from pubweave.contract.codec import Codec, UndecodableEvent, decode, encode, version_of
from pubweave.contract.examples import EXAMPLES
from pubweave.contract.kinds import KINDS, Event, Kind, kind_of
from pubweave.contract.upcasts import UPCASTS
from pubweave.contract.values import RunSettings, Thresholds
from pubweave.contract.vocabulary import PART_NAMES

FLAG = EXAMPLES["gate-flag"]["open-access"]


def builtins(event: Event) -> Any:
    """The event as orjson can write it; raw JSON inside is read first."""

    def plain(value: Any) -> Any:
        if isinstance(value, msgspec.Raw):
            return orjson.Fragment(bytes(value))
        if isinstance(value, msgspec.Struct):
            told = {}
            if isinstance(value.__struct_config__.tag, str):
                told[value.__struct_config__.tag_field or "type"] = value.__struct_config__.tag
            for field in msgspec.structs.fields(value):
                member = getattr(value, field.name)
                if field.required or member != field.default:
                    told[field.encode_name] = plain(member)
            return told
        if isinstance(value, tuple):
            return [plain(item) for item in value]
        return msgspec.to_builtins(value)

    return plain(event)


@settings(derandomize=True, max_examples=200, deadline=None)
@given(arbitrary_event())
def test_what_is_written_is_read_again(event: Event) -> None:
    """Every event there can be comes back equal, and gives the same bytes once more."""
    body = encode(event)
    again = decode(kind_of(event), version_of(event), body)

    assert encode(again) == body
    assert type(again) is type(event)
    if not _holds_raw(event):
        assert again == event


@settings(derandomize=True, max_examples=200, deadline=None)
@given(arbitrary_event())
def test_bytes_are_those_of_orjson(event: Event) -> None:
    """Compact UTF-8, members in the order of the Struct, defaults left out."""
    assert encode(event) == orjson.dumps(builtins(event))


@settings(derandomize=True, max_examples=100, deadline=None)
@given(arbitrary_event())
def test_equal_events_have_equal_bytes(event: Event) -> None:
    """However they were made: here with every member made anew, where defaults are not the default itself."""
    anew = copy.deepcopy(event) if not _holds_raw(event) else event

    assert anew == event
    assert encode(anew) == encode(event)


def test_a_default_made_anew_is_left_out() -> None:
    """msgspec looks for the very object; events that say the same must have the same id."""
    needs = EXAMPLES["needs-part"]["europepmc-by-pmid"]
    made = msgspec.structs.replace(
        needs,
        settings=RunSettings(
            parts=PART_NAMES[:1] + PART_NAMES[1:], thresholds=Thresholds(), timeout_ms=int("15000")
        ),
    )
    plain = msgspec.structs.replace(needs, settings=RunSettings())

    assert made == plain
    assert encode(made) == encode(plain)
    assert b"settings" not in encode(made)


@pytest.mark.parametrize("kind", KINDS)
def test_examples_are_read(kind: str) -> None:
    """By the version that the registry names."""
    for event in EXAMPLES[kind].values():
        assert encode(decode(kind, KINDS[kind].version, encode(event))) == encode(event)


def undecodable(kind: str, version: int, body: bytes, codec: Codec | None = None) -> UndecodableEvent:
    with pytest.raises(UndecodableEvent) as caught:
        (codec.decode if codec else decode)(kind, version, body)
    return caught.value


@pytest.mark.parametrize(
    ("kind", "version", "reason"),
    [
        ("gate-flag", 2, "unknown version; version 1 is the newest known"),
        ("gate-flag", 0, "unknown version"),
        ("gate-flag", -1, "unknown version"),
        ("gate-flags", 1, "unknown kind"),
        ("", 1, "unknown kind"),
    ],
)
def test_unknown_kinds_and_versions_are_put_aside(kind: str, version: int, reason: str) -> None:
    """P-09: with kind, version and reason, never guessed at."""
    problem = undecodable(kind, version, encode(FLAG))

    assert (problem.kind, problem.version) == (kind, version)
    assert problem.reason.startswith(reason)


def without(member: str) -> bytes:
    told = orjson.loads(encode(FLAG))
    del told[member]
    return orjson.dumps(told)


def altered(**members: object) -> bytes:
    return orjson.dumps({**orjson.loads(encode(FLAG)), **members})


BROKEN = {
    "nothing": b"",
    "not-json": b"<xml/>",
    "cut": encode(FLAG)[:-1],
    "two-events": encode(FLAG) * 2,
    "not-utf-8": encode(FLAG).replace(b"isOpenAccess", b"isOpen\xff"),
    "a-list": b"[]",
    "null": b"null",
    "member-missing": without("gate"),
    "kind-missing-its-members": b'{"kind":"gate-flag"}',
    "another-kind": altered(kind="link-found"),
    "number-for-text": altered(need=1),
    "text-for-number": altered(fetched_at="1795269600000"),
    "text-for-truth": altered(open="true"),
    "number-for-truth": altered(open=1),
    "word-not-in-the-list": altered(gate="isOpen"),
    "place-too-short": altered(place=[1, 1, 1]),
    "place-too-long": altered(place=[1, 1, 1, 1, 1, 1, 1, 1]),
    "fraction": altered(fetched_at=1.5),
    "null-for-text": altered(answer=None),
    "too-deep": b'{"kind":' * 100_000,
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_the_schema_does_not_say_is_put_aside(name: str) -> None:
    """Strictly: no number for a text, no word that is not in its list, nothing half-read."""
    problem = undecodable("gate-flag", 1, BROKEN[name])

    assert (problem.kind, problem.version) == ("gate-flag", 1)
    assert problem.reason


@settings(derandomize=True, max_examples=150, deadline=None)
@given(st.sampled_from(sorted(KINDS)), st.binary(max_size=200))
def test_no_bytes_do_any_harm(kind: str, body: bytes) -> None:
    """Whatever stands in a message, it is an event or it is put aside."""
    event: Event | None = None
    with suppress(UndecodableEvent):
        event = decode(kind, 1, body)

    assert event is None or kind_of(event) == kind


def test_a_dead_letter_keeps_the_message() -> None:
    """Byte for byte, with where it was found and why it was put aside; it can itself be written and read."""
    body = b"\x00\xff not JSON"
    letter = undecodable("gate-flag", 7, body).dead_letter("part-candidates", body, key="p", offset=3)
    again = decode("dead-letter", 1, encode(letter))

    assert again == letter
    assert letter.body == body
    assert (letter.topic, letter.key, letter.offset) == ("part-candidates", "p", 3)
    assert (letter.event_kind, letter.event_version) == ("gate-flag", 7)
    assert letter.reason.startswith("unknown version")


# Upcasts, with a toy: the gate flag as it might look after two changes.


class Toy(msgspec.Struct, tag_field="kind", tag="toy", frozen=True, forbid_unknown_fields=True):
    gate: str
    is_open: bool
    seen_by: tuple[str, ...]


def toy_v1_to_v2(told: dict[str, Any]) -> dict[str, Any]:
    """Version 2 wrote a truth where version 1 wrote Y or N."""
    return {**told, "open": told["open"] == "Y"}


def toy_v2_to_v3(told: dict[str, Any]) -> dict[str, Any]:
    """Version 3 renamed `open` and says who saw it."""
    rest = {name: value for name, value in told.items() if name != "open"}
    return {**rest, "is_open": told["open"], "seen_by": []}


TOY = Codec(
    {"toy": Kind(Toy, version=3)},  # type: ignore[arg-type]
    {("toy", 1): toy_v1_to_v2, ("toy", 2): toy_v2_to_v3},
)


@pytest.mark.parametrize(
    ("version", "body"),
    [
        (1, b'{"kind":"toy","gate":"hasPDF","open":"Y"}'),
        (2, b'{"kind":"toy","gate":"hasPDF","open":true}'),
        (3, b'{"kind":"toy","gate":"hasPDF","is_open":true,"seen_by":[]}'),
    ],
)
def test_old_versions_are_brought_forward(version: int, body: bytes) -> None:
    """Step by step to the newest; what comes out is the newest Struct."""
    assert TOY.decode("toy", version, body) == Toy(gate="hasPDF", is_open=True, seen_by=())


@pytest.mark.parametrize(
    ("version", "body"),
    [
        (1, b'{"kind":"toy","gate":"hasPDF"}'),
        (1, b'{"kind":"toy","gate":7,"open":"Y"}'),
        (2, b'{"kind":"toy","gate":"hasPDF","open":"Y"}'),
        (1, b"[]"),
        (1, b"{"),
        (4, b'{"kind":"toy","gate":"hasPDF","is_open":true,"seen_by":[]}'),
    ],
)
def test_old_versions_are_read_as_strictly(version: int, body: bytes) -> None:
    """An old event that is not of its own shape is put aside, not repaired."""
    assert undecodable("toy", version, body, TOY).version == version


def test_a_missing_step_is_said() -> None:
    """Rather than skipping a version."""
    gap = Codec({"toy": Kind(Toy, version=3)}, {("toy", 1): toy_v1_to_v2})  # type: ignore[arg-type]

    assert "no way from version 2 to 3" in undecodable("toy", 1, b'{"kind":"toy","open":"Y"}', gap).reason


def test_every_old_version_can_be_brought_forward() -> None:
    """There is a step from each version below the newest of each kind, and none for anything else."""
    wanted = {(name, version) for name, kind in KINDS.items() for version in range(1, kind.version)}

    assert set(UPCASTS) == wanted


def _holds_raw(value: object) -> bool:
    if isinstance(value, msgspec.Struct):
        return any(_holds_raw(getattr(value, field.name)) for field in msgspec.structs.fields(value))
    return isinstance(value, msgspec.Raw)
