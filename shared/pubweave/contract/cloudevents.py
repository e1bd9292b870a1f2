"""CloudEvents 1.0 attributes of an event, as headers of a Kafka message (binary content mode).

Sources: CloudEvents 1.0.2 `spec.md` (attributes, their types and constraints), its Kafka protocol binding
3.2 (prefix `ce_`, `content-type`, UTF-8), and its documented extension `correlation`.
"""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import Final, TypeAlias

import msgspec

from pubweave.contract.codec import CONTENT_TYPE, UndecodableEvent, event_id, version_of
from pubweave.contract.kinds import KINDS, Event, correlation_of, kind_of, subject_of
from pubweave.version import VERSION

Headers: TypeAlias = list[tuple[str, bytes]]

SPEC_VERSION: Final = "1.0"
TYPE_PREFIX: Final = "example.pubweave."
"""Reverse DNS of the project's reserved name (RFC 2606)."""
SOURCE_PREFIX: Final = "https://pubweave.example/services/"
SCHEMA_PREFIX: Final = "https://pubweave.example/events/"

RELEASE_HEADER: Final = "ce_release"
"""An extension of ours: the release that wrote the message. What is not known here waits if a newer one wrote it, and is a
dead letter otherwise."""

_RELEASE: Final = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,6}){0,2}", re.ASCII)
_TYPE: Final = re.compile(re.escape(TYPE_PREFIX) + r"([a-z0-9-]+)\.v([1-9][0-9]{0,8})", re.ASCII)
_ATTRIBUTE: Final = re.compile(r"[a-z0-9]+", re.ASCII)
# Characters that a CloudEvents String must not hold: controls, lone surrogates, noncharacters.
_FORBIDDEN: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef"
    + "".join(f"{chr(plane * 0x10000 + 0xFFFE)}{chr(plane * 0x10000 + 0xFFFF)}" for plane in range(17))
    + "]"
)


class NotACloudEvent(ValueError):
    """The headers of a message do not make a CloudEvent; the text names the attribute."""


class Attributes(msgspec.Struct, frozen=True):
    """The attributes of one message."""

    id: str
    source: str
    type: str
    specversion: str = SPEC_VERSION
    time: str = ""
    subject: str = ""
    dataschema: str = ""
    datacontenttype: str = ""
    correlationid: str = ""
    others: tuple[tuple[str, str], ...] = ()
    """Extensions of somebody else, passed on."""

    def kind_and_version(self) -> tuple[str, int]:
        """What `codec.decode` must know.

        :raises UndecodableEvent: a type that is not one of ours
        """
        return _kind_and_version(self.type)


@lru_cache(maxsize=256)
def _kind_and_version(type_: str) -> tuple[str, int]:
    found = _TYPE.fullmatch(type_)
    if found is None:
        raise UndecodableEvent(type_, 0, "not a type of Pubweave")
    return found[1], int(found[2])


def release_of(given: Iterable[tuple[str, bytes]]) -> str:
    """Which release of Pubweave wrote a message, as its headers say; "" if they do not."""
    return next((value.decode("utf-8", "replace") for key, value in given if key == RELEASE_HEADER), "")


def is_newer(release: str) -> bool:
    """A later release than this program's."""
    return _numbers(release) > _numbers(VERSION)


def _numbers(release: str) -> tuple[int, ...]:
    found = _RELEASE.match(release)
    return tuple(int(number) for number in found[0].split(".")) if found else ()


def schema_name(kind: str, version: int) -> str:
    """The name of a schema's file, which is also the end of its address."""
    return f"{kind}.v{version}.json"


def attributes(
    event: Event, service: str, said_at_ms: int, correlation_id: str = "", *, name: str = ""
) -> Attributes:
    """What the headers say of an event.

    :param service: who says it
    :param said_at_ms: UNIX ms of the occurrence
    :param correlation_id: that of the submission it follows from, where the event does not carry it itself
    :param name: its `event_id`, if that is known
    """
    kind, version = kind_of(event), version_of(event)
    return Attributes(
        id=name or event_id(event),
        source=SOURCE_PREFIX + service,
        type=f"{TYPE_PREFIX}{kind}.v{version}",
        time=timestamp(said_at_ms),
        subject=_printable(subject_of(event)),
        dataschema=SCHEMA_PREFIX + schema_name(kind, version),
        datacontenttype=CONTENT_TYPE,
        correlationid=_printable(correlation_id or correlation_of(event)),
        others=((RELEASE_HEADER.removeprefix("ce_"), VERSION),),
    )


def headers(
    event: Event, service: str, said_at_ms: int, correlation_id: str = "", *, name: str = ""
) -> Headers:
    """The headers of the Kafka message whose value is `codec.encode(event)`: `to_headers` of its `attributes`, made in
    fewer steps."""
    type_, source, schema = _constants(kind_of(event), service)
    made = [
        _SPEC_VERSION_HEADER,
        ("ce_id", (name or event_id(event)).encode()),
        source,
        type_,
        ("ce_time", timestamp(said_at_ms).encode()),
    ]
    if subject := _printable(subject_of(event)):
        made.append(("ce_subject", subject.encode()))
    made.append(schema)
    if correlation := _printable(correlation_id or correlation_of(event)):
        made.append(("ce_correlationid", correlation.encode()))
    made += (_RELEASE_SAID, _CONTENT_TYPE_HEADER)
    return made


_SPEC_VERSION_HEADER: Final = ("ce_specversion", SPEC_VERSION.encode())
_RELEASE_SAID: Final = (RELEASE_HEADER, VERSION.encode())
_CONTENT_TYPE_HEADER: Final = ("content-type", CONTENT_TYPE.encode())


@cache
def _constants(kind: str, service: str) -> tuple[tuple[str, bytes], ...]:
    """Headers that all events of a kind from a service share: type, source, schema."""
    version = KINDS[kind].version
    return (
        ("ce_type", f"{TYPE_PREFIX}{kind}.v{version}".encode()),
        ("ce_source", f"{SOURCE_PREFIX}{service}".encode()),
        ("ce_dataschema", f"{SCHEMA_PREFIX}{schema_name(kind, version)}".encode()),
    )


def to_headers(told: Attributes) -> Headers:
    """The attributes as headers; those that are empty are left out, as the specification wants it."""
    named = {
        "specversion": told.specversion,
        "id": told.id,
        "source": told.source,
        "type": told.type,
        "time": told.time,
        "subject": told.subject,
        "dataschema": told.dataschema,
        "correlationid": told.correlationid,
        **dict(told.others),
    }
    made = [(f"ce_{name}", value.encode()) for name, value in named.items() if value]
    if told.datacontenttype:
        made.append(("content-type", told.datacontenttype.encode()))
    return made


_NAMES: Final = {
    **{f"ce_{name}": name for name in Attributes.__struct_fields__ if name != "others"},
    "ce_partitionkey": "partitionkey",
    "content-type": "datacontenttype",
}
"""Attributes by the headers that we write."""

_REQUIRED: Final = ("specversion", "id", "source", "type")


def from_headers(given: Iterable[tuple[str, bytes]]) -> Attributes:
    """The attributes again. Headers that are not CloudEvents' are ignored.

    :raises NotACloudEvent: one is missing, twice there, empty or malformed
    """
    found: dict[str, str] = {}
    for key, value in given:
        name = _NAMES.get(key)
        if name is None:
            name = key.removeprefix("ce_") if key.startswith("ce_") else ""
            if key.lower() == "content-type":
                name = "datacontenttype"
            if not name:
                continue
        if name in found:
            raise NotACloudEvent(f"{name} is there twice")
        if key not in _NAMES and not _ATTRIBUTE.fullmatch(name):
            raise NotACloudEvent(f"{name} is not a name of lower-case letters and digits")
        try:
            found[name] = value.decode()
        except UnicodeDecodeError as error:
            raise NotACloudEvent(f"{name} is not UTF-8") from error
        if not found[name] or (not _is_plain(found[name]) and _FORBIDDEN.search(found[name])):
            raise NotACloudEvent(f"{name} is empty or holds characters that are not allowed")
    for name in _REQUIRED:
        if name not in found:
            raise NotACloudEvent(f"{name} is missing")
    if found["specversion"] != SPEC_VERSION:
        raise NotACloudEvent(f"specversion is {found['specversion']}, not {SPEC_VERSION}")
    if found.get("datacontenttype", "").lower().startswith("application/cloudevents"):
        raise NotACloudEvent("it is in structured mode, which is not spoken here")
    if "time" in found:
        _check_time(found["time"])
    own = {name: found.pop(name) for name in Attributes.__struct_fields__ if name in found}
    return Attributes(**own, others=tuple(sorted(found.items())))


@lru_cache(maxsize=256)
def _check_time(text: str) -> None:
    try:
        with_zone = datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        with_zone = False
    if not with_zone or "T" not in text.upper():
        raise NotACloudEvent(f"time is not a timestamp of RFC 3339: {text}")


@lru_cache(maxsize=256)
def timestamp(ms: int) -> str:
    """UNIX ms as RFC 3339, in UTC, with milliseconds."""
    seconds, rest = divmod(ms, 1000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{rest:03d}Z"


def _is_plain(text: str) -> bool:
    """Nothing is forbidden in it, as can be seen quickly of nearly every text."""
    return text.isascii() and text.isprintable()


def _printable(text: str) -> str:
    """Characters that a header must not hold are replaced; the event itself still has them."""
    if _is_plain(text):
        return text
    return _FORBIDDEN.sub("\ufffd", text)
