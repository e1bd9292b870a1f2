"""A batch that goes wrong."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pubweave.ports import Store


class GoneWrong(Exception):
    """What is raised at the end of the batch."""


@asynccontextmanager
async def failing_batch(store: Store) -> AsyncIterator[None]:
    """A batch in which an exception is raised at the end; the batch must let it through."""
    try:
        async with store.batch():
            yield
            raise GoneWrong
    except GoneWrong:
        return
    raise AssertionError("the batch swallowed an exception")
