"""Several events as one message, a frame: a JSON array of CloudEvents, each with the attributes that it has as the headers of
a message of its own.

Source: CloudEvents 1.0.2, JSON Event Format, section 4 ("JSON Batch Format"). The Kafka protocol binding knows no batches, so
that a frame says by headers of its own what it is, too: who reads only single events sees a kind that he does not know.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from pubweave.contract.cloudevents import (
    RELEASE_HEADER,
    SOURCE_PREFIX,
    SPEC_VERSION,
    TYPE_PREFIX,
    Headers,
    timestamp,
)
from pubweave.contract.codec import CONTENT_TYPE
from pubweave.contract.digests import quick_digest
from pubweave.version import VERSION

FRAME_TYPE: Final = "application/cloudevents-batch+json"
FRAME_KIND: Final = "frame"
EVENTS_HEADER: Final = "ce_events"
"""An extension of ours: how many there are in a frame."""

MOST_EVENTS: Final = 1_000
"""More in one frame are no frame of ours."""

_TYPE: Final = re.compile(re.escape(f"{TYPE_PREFIX}{FRAME_KIND}.v".encode()) + rb"([1-9][0-9]{0,8})")
_PLAIN_TYPES: Final = ("application/json", "text/json")

_encode: Final = msgspec.json.Encoder().encode
_array: Final = msgspec.json.Decoder(list[msgspec.Raw])
_object: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_any: Final = msgspec.json.Decoder()


class NoFrame(ValueError):
    """A message that says that it is a frame is none; the text says why."""


class Framed(NamedTuple):
    """One event of a frame, as it would be alone."""

    headers: tuple[tuple[str, bytes], ...]
    body: bytes
    problem: str = ""
    """Why it cannot be read; then it has no headers, and the body is what stands in the frame."""


def frame_body(events: Iterable[tuple[Headers, bytes]]) -> bytes:
    """The value of a frame.

    :param events: of each the headers and the value of its own message
    """
    return _encode(
        [
            {
                **{_attribute(name): value.decode("utf-8", "replace") for name, value in headers},
                "data": msgspec.Raw(body),
            }
            for headers, body in events
        ]
    )


def frame_headers(ids: Sequence[str], service: str, said_at_ms: int, subject: str = "") -> Headers:
    """The headers of a frame.

    :param ids: of its events
    :param service: who says it
    :param said_at_ms: UNIX ms
    :param subject: what all of its events are about; "" if not all are about the same
    """
    made = [
        ("ce_specversion", SPEC_VERSION.encode()),
        ("ce_id", quick_digest(FRAME_KIND, *ids).encode()),
        ("ce_source", f"{SOURCE_PREFIX}{service}".encode()),
        ("ce_type", f"{TYPE_PREFIX}{FRAME_KIND}.v1".encode()),
        ("ce_time", timestamp(said_at_ms).encode()),
        (EVENTS_HEADER, b"%d" % len(ids)),
        (RELEASE_HEADER, VERSION.encode()),
        ("content-type", FRAME_TYPE.encode()),
    ]
    if subject:
        made.append(("ce_subject", subject.encode()))
    return made


def is_frame(headers: Iterable[tuple[str, bytes]]) -> bool:
    """Whether a message with these headers is a frame, whoever wrote it."""
    return any(
        value.startswith(FRAME_TYPE.encode()) for name, value in headers if name.lower() == "content-type"
    )


def version_of_frame(headers: Iterable[tuple[str, bytes]]) -> int:
    """How a frame is to be read: 1, unless it says that it is of a later kind."""
    told = next((value for name, value in headers if name == "ce_type"), b"")
    found = _TYPE.fullmatch(told)
    return int(found[1]) if found else 1


def size_of(headers: Iterable[tuple[str, bytes]]) -> int:
    """How many events a message with these headers holds, as far as it says so."""
    told = next((value for name, value in headers if name == EVENTS_HEADER), b"1")
    return min(int(told), MOST_EVENTS) if told.isdigit() and len(told) < 10 else 1


def read_frame(body: bytes) -> list[Framed]:
    """The events of a frame, in their order. One that cannot be read costs itself only.

    :raises NoFrame: it is no list of events
    """
    try:
        found = _array.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise NoFrame(f"not a list of events: {error}") from error
    if len(found) > MOST_EVENTS:
        raise NoFrame(f"{len(found):,} events; a frame has no more than {MOST_EVENTS:,}")
    return [_event(bytes(one)) for one in found]


def _event(one: bytes) -> Framed:
    try:
        told = _object.decode(one)
        data = told.pop("data", None)
        if data is None:
            return Framed((), one, "an event of a frame without data as JSON")
        headers = tuple((_header(name), _text(bytes(value))) for name, value in told.items())
    except (msgspec.DecodeError, UnicodeError, RecursionError, ValueError) as error:
        return Framed((), one, f"an event of a frame that is none: {error}")
    kinds = [value.decode("utf-8", "replace") for name, value in headers if name == "content-type"]
    if not kinds:
        headers = (*headers, ("content-type", CONTENT_TYPE.encode()))
    elif kinds[0].partition(";")[0].strip() not in _PLAIN_TYPES and not kinds[0].endswith("+json"):
        return Framed((), one, "an event of a frame whose data are no JSON")
    return Framed(headers, bytes(data))


def _text(raw: bytes) -> bytes:
    if raw[:1] == b'"' and b"\\" not in raw:
        return raw[1:-1]
    value: Any = _any.decode(raw)
    if isinstance(value, bool):
        return b"true" if value else b"false"
    if isinstance(value, str | int):
        return str(value).encode()
    raise ValueError("an attribute that is neither text nor a number")


def _attribute(header: str) -> str:
    return "datacontenttype" if header == "content-type" else header.removeprefix("ce_")


def _header(attribute: str) -> str:
    return "content-type" if attribute == "datacontenttype" else f"ce_{attribute}"
