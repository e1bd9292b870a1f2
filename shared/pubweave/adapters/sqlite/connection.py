"""The one connection: transactions as batches, and SQLite's errors as sentences."""

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Final

from pubweave.adapters.batches import Batches
from pubweave.ports import StorageProblem

Values = Sequence[Any]

_CACHE_KIB: Final = 8192
_AUTOCHECKPOINT_PAGES: Final = 8000
"""Pages that many batches rewrite are then copied into the file once; the WAL grows to 32 MiB or so."""


class Connection:
    """Runs statements; begins a transaction with the first write of a batch and ends it with the batch."""

    def __init__(self, raw: sqlite3.Connection, name: str) -> None:
        self._raw = raw
        self._name = name
        self._batches = Batches(keep=self._keep, undo=self._undo)
        self._on_undo: list[Callable[[], None]] = []
        self._wipe = False

    def batch(self) -> AbstractAsyncContextManager[None]:
        return self._batches.batch()

    async def turn(self) -> None:
        """Wait until this task may write; what runs from here to its next wait is not interrupted."""
        if self._batches.open:
            await self._batches.turn()

    def on_undo(self, forget: Callable[[], None]) -> None:
        """Call this whenever a transaction was undone: what was remembered of the file may be wrong."""
        self._on_undo.append(forget)

    async def write_all(self, statement: str, rows: Iterable[Values]) -> int:
        """Run a writing statement for each of the rows, all or none; gives how many rows were changed."""
        await self.turn()
        try:
            if not self._raw.in_transaction:
                self._raw.execute("BEGIN IMMEDIATE")
            changed = self._raw.executemany(statement, rows).rowcount
        except sqlite3.Error as error:
            raise self._failed(error) from error
        except BaseException:
            self._broken()
            raise
        if not self._batches.open:
            self._keep()
        return changed

    async def write(self, statement: str, values: Values = ()) -> int:
        """Run one writing statement; gives how many rows were changed."""
        return await self.write_all(statement, (values,))

    def all(self, statement: str, values: Values = ()) -> list[Any]:
        """All rows that a reading statement gives."""
        try:
            return self._raw.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise self._problem(error) from error

    def one(self, statement: str, values: Values = ()) -> Any:
        """The first row that a reading statement gives, or None."""
        try:
            return self._raw.execute(statement, values).fetchone()
        except sqlite3.Error as error:
            raise self._problem(error) from error

    async def wiping(self) -> None:
        """What this transaction deletes must not stay readable in the file: overwrite it."""
        await self.turn()
        if not self._wipe:
            self._wipe = True
            self.one("PRAGMA secure_delete = ON")

    def _keep(self) -> None:
        if self._raw.in_transaction:
            try:
                self._raw.execute("COMMIT")
            except sqlite3.Error as error:
                raise self._failed(error) from error
        if self._wipe:
            self._wipe = False
            self.checkpoint()
            self.one("PRAGMA secure_delete = FAST")

    def _undo(self) -> None:
        self._wipe = False
        if self._raw.in_transaction:
            self._raw.execute("ROLLBACK")
        for forget in self._on_undo:
            forget()

    def _broken(self) -> None:
        """Undo now: SQLite may have done so already, and what follows must not become a batch of its own."""
        self._undo()
        self._batches.doom()

    def _failed(self, error: sqlite3.Error) -> StorageProblem:
        self._broken()
        return self._problem(error)

    def _problem(self, error: sqlite3.Error) -> StorageProblem:
        return StorageProblem(sentence(error, self._name))

    def checkpoint(self) -> None:
        """Move everything from the write-ahead log into the file, as far as readers allow."""
        self.one("PRAGMA wal_checkpoint(TRUNCATE)")

    def compact(self) -> None:
        """Give back the space of what was deleted. Needs as much free space as the file has bytes."""
        if self._batches.open:
            raise StorageProblem(f"The database {self._name} cannot be compacted inside a batch.")
        try:
            # The copy that it makes is as large as the database: not in memory.
            self._raw.execute("PRAGMA temp_store = FILE")
            self._raw.execute("VACUUM")
        except sqlite3.Error as error:
            raise self._problem(error) from error
        finally:
            self._raw.execute("PRAGMA temp_store = MEMORY")
        self.checkpoint()

    def close(self) -> None:
        """Close; an open batch is undone. Safe to repeat."""
        try:
            if self._raw.in_transaction:
                self._raw.execute("ROLLBACK")
            self._raw.close()
        except sqlite3.ProgrammingError:
            pass  # closed already


def settle(raw: sqlite3.Connection) -> None:
    """The settings of every connection."""
    raw.execute("PRAGMA busy_timeout = 5000")
    raw.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    raw.execute("PRAGMA synchronous = NORMAL")
    raw.execute("PRAGMA temp_store = MEMORY")
    raw.execute("PRAGMA secure_delete = FAST").fetchone()
    raw.execute(f"PRAGMA wal_autocheckpoint = {_AUTOCHECKPOINT_PAGES}").fetchone()


def sentence(error: sqlite3.Error, name: str) -> str:
    """What happened to the database of this name, and what the user can do."""
    text = str(error)
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_FULL:
        return (
            f"The disk of the database {name} is full: make room and start again, nothing was half-written."
        )
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return f"The database {name} is locked by another program: wait until it has ended and start again."
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH):
        return f"The database {name} is read-only: make the file and its folder writable, or use another."
    if code == sqlite3.SQLITE_IOERR:
        return (
            f"The database {name} cannot be read or written ({text}): "
            "look whether its disk is full, gone or damaged."
        )
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return f"The database {name} is damaged ({text}): take a backup of it, or start a new one."
    if code == sqlite3.SQLITE_CANTOPEN:
        return f"The database {name} cannot be opened: look whether its folder is there and writable."
    return f"The database {name} refused a statement ({text}): this is a fault of Pubweave, please report it."
