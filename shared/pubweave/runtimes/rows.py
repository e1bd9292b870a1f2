"""Rows of publications as stores have them, read as the events they are."""

from typing import TypeVar

from pubweave.contract.codec import decode, decode_row
from pubweave.contract.kinds import KINDS
from pubweave.contract.values import Value
from pubweave.core.merging.state import ROW_KINDS, PublicationState, StateRow
from pubweave.ports import Row, Store

_E = TypeVar("_E", bound=Value)


async def load_state(store: Store, publication: str) -> PublicationState:
    """The state of a publication from its rows, among which others stand; empty for one that is new."""
    state = PublicationState(publication)
    for row in await store.rows(publication):
        if row.body.partition(b" ")[0].decode() in ROW_KINDS:
            read = read_state_row(row)
            if read is not None:
                state.add(read)
    return state


def read_state_row(row: Row) -> StateRow | None:
    """A row of a state as the event it is (`kind version body`); None for one that only a newer release knows."""
    kind, version, body = row.body.split(b" ", 2)
    event = decode_row(kind.decode(), int(version), body)
    assert event is None or isinstance(event, StateRow)
    return event


def read_as(struct: type[_E], body: bytes) -> _E:
    """An event that was stored in the version of today."""
    event = decode(str(struct.__struct_config__.tag), KINDS[str(struct.__struct_config__.tag)].version, body)
    assert isinstance(event, struct)
    return event
