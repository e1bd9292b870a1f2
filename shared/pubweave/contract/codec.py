"""The one way between events and bytes.

Bytes are the JSON that orjson writes: UTF-8, no spaces, members in the order of the Struct, those that
equal their default left out. (msgspec writes the same bytes in fewer steps; a test compares the two.)
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from pubweave.contract.canonical import canonical
from pubweave.contract.dead_letter import DeadLetter
from pubweave.contract.digests import quick_digest
from pubweave.contract.kinds import KINDS, Event, Kind, kind_of, timeless
from pubweave.contract.upcasts import UPCASTS, Upcast, chain
from pubweave.contract.widening import TooMuchUnknown, read_widely

CONTENT_TYPE: Final = "application/json"


class UndecodableEvent(Exception):
    """A message is not an event that this program knows. Put it aside as a dead letter; retrying cannot help."""

    def __init__(self, kind: str, version: int, reason: str) -> None:
        super().__init__(f"{kind or 'an event without a kind'}, version {version}: {reason}")
        self.kind = kind
        self.version = version
        self.reason = reason

    def dead_letter(self, topic: str, body: bytes, *, key: str = "", offset: int = 0) -> DeadLetter:
        """What goes to `dead-letters` in place of the message."""
        return DeadLetter(
            topic=topic,
            event_kind=self.kind,
            event_version=self.version,
            reason=self.reason,
            body=body,
            key=key,
            offset=offset,
        )


class UnknownKind(UndecodableEvent):
    """A kind, or a version of it, that is not known here: a newer release's, where one wrote it."""


class UnknownWords(UndecodableEvent):
    """The event is whole, but holds words that are not in their lists: a newer release's, where one wrote it. Nothing
    may be decided by it here; it waits for a release that knows them."""

    def __init__(self, kind: str, version: int, words: tuple[str, ...], event: Event) -> None:
        told = ", ".join(repr(word[:60]) for word in dict.fromkeys(words[:5]))
        super().__init__(kind, version, f"words that are not known here: {told}")
        self.event = event
        """With the words as they came: to be told and kept, not to be decided by."""


class Codec:
    """Reads and writes the kinds that it is given. The module's functions are those of the real ones."""

    def __init__(self, kinds: Mapping[str, Kind], upcasts: Mapping[tuple[str, int], Upcast]) -> None:
        self._kinds = kinds
        self._upcasts = upcasts
        self._encoder = msgspec.json.Encoder()
        self._objects = msgspec.json.Decoder(dict[str, Any])
        self._decoders: dict[tuple[str, int], msgspec.json.Decoder[Event]] = {
            (name, kind.version): msgspec.json.Decoder(kind.struct) for name, kind in kinds.items()
        }

    def encode(self, event: Event) -> bytes:
        """The event as JSON. Equal events give the same bytes."""
        return self._encoder.encode(canonical(event))

    def decode(self, kind: str, version: int, body: bytes) -> Event:
        """The event, of the newest version of its kind; every member strictly of its type. Members that are not known
        here are kept: they are written again wherever the event is (`widening`).

        :raises UnknownWords: a word is not in its list
        :raises UndecodableEvent: unknown kind or version, or not what the kind's schema says
        """
        try:
            decoder = self._decoders.get((kind, version))
            if decoder is None:
                return self._decode_old(kind, version, body)
            try:
                return decoder.decode(body)
            except msgspec.ValidationError:
                return self._decode_wide(kind, version, body)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise UndecodableEvent(kind, version, str(error)) from error
        except RecursionError as error:
            raise UndecodableEvent(kind, version, "nested too deeply") from error

    def _decode_old(self, kind: str, version: int, body: bytes) -> Event:
        known = self._kinds.get(kind)
        if known is None:
            raise UnknownKind(kind, version, "unknown kind")
        if version > known.version:
            raise UnknownKind(kind, version, f"unknown version; version {known.version} is the newest known")
        if version < 1:
            raise UndecodableEvent(kind, version, "unknown version; the first is 1")
        try:
            steps = chain(self._upcasts, kind, version, known.version)
        except LookupError as error:
            raise UndecodableEvent(kind, version, str(error)) from error
        told = self._objects.decode(body)
        try:
            for step in steps:
                told = step(told)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise UndecodableEvent(kind, version, f"not of the shape of its version ({error!r})") from error
        return self._decode_wide(kind, version, msgspec.json.encode(told))

    def _decode_wide(self, kind: str, version: int, body: bytes) -> Event:
        try:
            event, unknown = read_widely(self._kinds[kind].struct, body)
        except TooMuchUnknown as error:
            raise UndecodableEvent(kind, version, str(error)) from error
        if unknown.words:
            raise UnknownWords(kind, version, unknown.words, event)
        return event

    def event_id(self, event: Event) -> str:
        """The event's name: what it is about, its place and its content, but not when it was said.

        Said twice, or read and written again, it has the same id, so that a repeat is recognised (law 8).
        """
        return self.named(event)[0]

    def named(self, event: Event) -> tuple[str, bytes]:
        """(`event_id`, `encode`) of the event: one needs the other, so both cost less together."""
        name = str(type(event).__struct_config__.tag)
        kind = self._kinds[name]
        body = self.encode(event)
        if kind.named_by:
            return quick_digest(name, *(str(getattr(event, member)) for member in kind.named_by)), body
        said = self.encode(timeless(event, kind.times)) if kind.times else body
        return quick_digest(name, said), body


_CODEC: Final = Codec(KINDS, UPCASTS)


def decode_row(kind: str, version: int, body: bytes) -> Event | None:
    """A stored row as the event it is; None where a newer release wrote what is not known here. It stays stored, and
    nothing is decided by it until that release reads it.

    :raises UndecodableEvent: nobody can have written it so
    """
    try:
        return _CODEC.decode(kind, version, body)
    except (UnknownKind, UnknownWords):
        return None


encode = _CODEC.encode
decode = _CODEC.decode
event_id = _CODEC.event_id
named = _CODEC.named


def version_of(event: Event) -> int:
    """The version in which the event is written."""
    return KINDS[kind_of(event)].version
