"""The Store on Cassandra."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from pubweave.adapters.cassandra.counting import Counting
from pubweave.adapters.cassandra.publications import Publications
from pubweave.adapters.cassandra.session import Session
from pubweave.adapters.cassandra.stamps import Stamps
from pubweave.adapters.cassandra.submissions import Submissions


class CassandraStore(Publications, Submissions, Counting):
    """Everything that is looked up.

    A batch is not undone: each write in it is durable when its call returns, in the order of writing. Each
    is safe to repeat, so whoever was cut off handles the same facts again.
    """

    def __init__(self, session: Session, writer: str) -> None:
        stamps = Stamps(session.clock)
        Publications.__init__(self, session, stamps)
        Submissions.__init__(self, session, stamps)
        Counting.__init__(self, session, writer)

    def batch(self) -> AbstractAsyncContextManager[None]:
        return _nothing()

    async def close(self) -> None:
        """The session goes with it. Safe to repeat."""
        await self._db.close()


@asynccontextmanager
async def _nothing() -> AsyncIterator[None]:
    yield
