"""Messages of Kafka as the handlers hear them."""

from collections.abc import Iterable, Mapping

from pubweave.contract.cloudevents import NotACloudEvent, from_headers
from pubweave.contract.codec import UndecodableEvent
from pubweave.contract.frames import FRAME_KIND, is_frame, version_of_frame
from pubweave.runtimes.messages.effects import Delivered

GivenHeaders = Mapping[str, bytes] | Iterable[tuple[str, bytes]] | None


def delivered(topic: str, key: bytes | None, value: bytes, headers: GivenHeaders, offset: int) -> Delivered:
    """The message; what cannot be read of its headers stands in `problem`."""
    if isinstance(
        headers, list | tuple
    ):  # as Faust gives them; asking for a Mapping first takes longer than all the rest
        given = tuple(headers)
    else:
        given = tuple(headers.items() if isinstance(headers, Mapping) else headers or ())
    name = (key or b"").decode("utf-8", "replace")
    if is_frame(given):
        return Delivered(topic, FRAME_KIND, version_of_frame(given), value, name, offset, "", given)
    try:
        kind, version = from_headers(given).kind_and_version()
    except NotACloudEvent as problem:
        return Delivered(topic, "", 0, value, name, offset, str(problem), given)
    except UndecodableEvent as problem:
        return Delivered(topic, problem.kind, 0, value, name, offset, problem.reason, given)
    return Delivered(topic, kind, version, value, name, offset, "", given)
