"""Opening and closing of a database file, and the care of it."""

from pathlib import Path

import msgspec

from pubweave.adapters.sqlite.blobs import SqliteBlobs
from pubweave.adapters.sqlite.connection import Connection
from pubweave.adapters.sqlite.erasing import SqliteErasing
from pubweave.adapters.sqlite.lock import WriterLock
from pubweave.adapters.sqlite.log import SqliteLog
from pubweave.adapters.sqlite.opening import connect, connect_memory, connect_reading, look
from pubweave.adapters.sqlite.store import SqliteStore


class FileSizes(msgspec.Struct, frozen=True):
    """How large a database is."""

    file_bytes: int
    log_bytes: int
    """Written, but not yet moved into the file (SQLite's write-ahead log)."""
    free_bytes: int
    """In the file, given back by `compact`."""
    rows: dict[str, int]
    """How many rows each table has."""


class SqliteStorage:
    """Log, store and blobs of one file. Made by `open`, `open_reading` or `in_memory`."""

    def __init__(self, connection: Connection, path: Path | None, lock: WriterLock | None) -> None:
        self._connection = connection
        self._lock = lock
        self.path = path
        """None: in memory."""
        self.log = SqliteLog(connection)
        self.store = SqliteStore(connection)
        self.blobs = SqliteBlobs(connection)
        self.erasing = SqliteErasing(connection, self.blobs)

    @classmethod
    def open(cls, path: str | Path, *, create: bool) -> "SqliteStorage":
        """Open for writing. One process at a time can.

        :param create: make the file if it is not there (else F-DB-16)
        :raises StorageProblem: it cannot be opened; nothing was changed
        """
        path = Path(path)
        look(path, create=create)
        lock = WriterLock(path)
        there = True
        try:
            # Once more: another process may have made it before it let go of the lock.
            new, there = look(path, create=create), path.exists()
            raw = connect(path, new=new)
        except BaseException:
            if not there:
                _remove(path)
            lock.release()
            raise
        return cls(Connection(raw, str(path)), path, lock)

    @classmethod
    def open_reading(cls, path: str | Path) -> "SqliteStorage":
        """Open for looking only, also beside a writer; writing raises StorageProblem."""
        path = Path(path)
        look(path, create=False)
        return cls(Connection(connect_reading(path), str(path)), path, None)

    @classmethod
    def in_memory(cls) -> "SqliteStorage":
        """Without a file: everything ends with the process."""
        return cls(Connection(connect_memory(), ":memory:"), None, None)

    def snapshot(self) -> None:
        """From now on this reader sees the database as it is now, whatever others write (WAL: they can).

        For storages that were opened for reading; ends with `close`.
        """
        self._connection.one("BEGIN")
        self._connection.one("SELECT 1 FROM meta")  # a transaction sees nothing before its first reading

    def checkpoint(self) -> None:
        """Move everything written into the file itself (what PubFetcher calls commit). Not needed for
        durability: what was committed outlives the process as it is."""
        self._connection.checkpoint()

    def compact(self) -> None:
        """Give back the space of what was deleted; takes seconds per GiB and as much free space again."""
        self._connection.compact()

    def sizes(self) -> FileSizes:
        """How large it is; counts every row, so it takes a moment."""
        one = self._connection.one
        tables = [
            row[0] for row in self._connection.all("SELECT name FROM sqlite_schema WHERE type = 'table'")
        ]
        page_bytes = one("PRAGMA page_size")[0]
        log = None if self.path is None else self.path.with_name(self.path.name + "-wal")
        return FileSizes(
            file_bytes=one("PRAGMA page_count")[0] * page_bytes,
            log_bytes=log.stat().st_size if log is not None and log.exists() else 0,
            free_bytes=one("PRAGMA freelist_count")[0] * page_bytes,
            rows={table: one(f'SELECT count(*) FROM "{table}"')[0] for table in sorted(tables)},
        )

    async def close(self) -> None:
        """Close; an open batch is undone. Safe to repeat."""
        await self.store.close()
        if self._lock is not None:
            self._lock.release()


def _remove(path: Path) -> None:
    """Take away a database that could not be made."""
    for ending in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
