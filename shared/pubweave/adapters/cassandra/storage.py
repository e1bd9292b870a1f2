"""Opening and closing."""

import uuid
from collections.abc import Sequence

from pubweave.adapters.cassandra.blobs import CassandraBlobs
from pubweave.adapters.cassandra.migrations import check
from pubweave.adapters.cassandra.session import CassandraPlace, Session
from pubweave.adapters.cassandra.store import CassandraStore
from pubweave.adapters.cassandra.views import CassandraViews
from pubweave.ports import Clock, Entry, Logged, StorageProblem


class NoLog:
    """Facts of a cluster are said on Kafka; whoever writes a log beside is told so."""

    async def append(self, topic: str, entries: Sequence[Entry]) -> None:
        """:raises StorageProblem: always"""
        raise _no_log()

    async def read(self, topic: str, after: int = 0, limit: int = 1000) -> list[Logged]:
        """:raises StorageProblem: always"""
        raise _no_log()

    async def of_key(self, topic: str, key: str) -> list[Logged]:
        """:raises StorageProblem: always"""
        raise _no_log()

    async def commit(self, group: str, topic: str, offset: int) -> None:
        """:raises StorageProblem: always"""
        raise _no_log()

    async def committed(self, group: str, topic: str) -> int:
        """:raises StorageProblem: always"""
        raise _no_log()

    async def erase(self, topic: str, key: str) -> int:
        """:raises StorageProblem: always"""
        raise _no_log()


def _no_log() -> StorageProblem:
    return StorageProblem("A Cassandra has no log: what is to change in it is said on Kafka.")


class CassandraStorage:
    """Store, blobs and views of one keyspace, over one session. Made by `open`."""

    def __init__(self, session: Session, writer: str) -> None:
        self.session = session
        self.log = NoLog()
        self.store = CassandraStore(session, writer)
        self.blobs = CassandraBlobs(session)
        self.views = CassandraViews(session, self.store)

    @classmethod
    async def open(
        cls, place: CassandraPlace, *, clock: Clock | None = None, writer: str = ""
    ) -> "CassandraStorage":
        """Connect to a keyspace that `migrate` has made.

        :param writer: a name that no other process has at any time; made up unless given
        :raises StorageProblem: no cluster, or a keyspace that this program cannot use
        """
        session = await Session.connect(place, clock)
        try:
            await check(session)
        except BaseException:
            await session.close()
            raise
        return cls(session, writer or uuid.uuid4().hex)

    async def close(self) -> None:
        """Safe to repeat."""
        await self.session.close()
