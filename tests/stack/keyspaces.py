"""A keyspace of its own for the tests of one process, emptied before each test.

Making all tables takes seconds, so keyspaces stay: a process takes the first one that nobody uses.
"""

import asyncio
import fcntl
import itertools
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from pubweave.adapters.cassandra import CassandraPlace, CassandraStorage, migrate
from pubweave.adapters.cassandra.session import Session
from pubweave.ports import StorageProblem
from stack.jars import stack_folder

_TABLES_OF_TOMBSTONES = {"submission_open": "submission", "submission_waiting": "submission"}
"""A table that may hold nothing but tombstones with a time of their own, which would hide later rows: it is
emptied when the other one is."""


@contextmanager
def keyspace(address: str) -> Iterator[CassandraPlace]:
    """A keyspace that no other process uses, with all tables; what was in it may still be there."""
    folder = stack_folder() / "run" / "keyspaces"
    folder.mkdir(parents=True, exist_ok=True)
    for number in itertools.count():
        with (folder / str(number)).open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            place = CassandraPlace.at(address, keyspace=f"pubweave_test_{number}", patience_s=20.0)
            asyncio.run(_made(place))
            yield place
            return


async def _made(place: CassandraPlace) -> None:
    try:
        await migrate(place)
    except StorageProblem:  # of another state of the code
        await drop(place)
        await migrate(place)


async def drop(place: CassandraPlace) -> None:
    """Take a keyspace away, if it is there."""
    session = await Session.connect(place)
    try:
        await session.change_schema(f"DROP KEYSPACE IF EXISTS {place.keyspace}")
    finally:
        await session.close()


class Emptied:
    """One connection for many tests of one event loop; `storage` gives an empty one each time."""

    def __init__(self, place: CassandraPlace) -> None:
        self.place = place
        self._session: Session | None = None
        self._tables: list[str] = []

    async def storage(self) -> CassandraStorage:
        session = self._session
        if session is None or session.closed:
            session = self._session = (await CassandraStorage.open(self.place)).session
            rows = await session.direct(
                f"SELECT table_name FROM system_schema.tables WHERE keyspace_name = '{self.place.keyspace}'"
            )
            self._tables = [name for (name,) in rows if name != "migration"]
        filled = dict(
            zip(
                self._tables,
                await session.together(self._filled(session, table) for table in self._tables),
                strict=True,
            )
        )
        await session.together(
            session.change_schema(f"TRUNCATE {self.place.keyspace}.{table}")
            for table in self._tables
            if filled[_TABLES_OF_TOMBSTONES.get(table, table)]
        )
        return CassandraStorage(session, uuid.uuid4().hex)

    async def _filled(self, session: Session, table: str) -> bool:
        return bool(await session.direct(f"SELECT * FROM {self.place.keyspace}.{table} LIMIT 1"))

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
