"""Is this file a database of ours? Each thing that it can be instead has its sentence."""

import os
import sqlite3
from pathlib import Path
from typing import Final

from pubweave.adapters.sqlite.connection import sentence, settle
from pubweave.adapters.sqlite.schema import APPLICATION_ID, MIGRATIONS, migrate, schema_version
from pubweave.ports import StorageProblem

_SQLITE_HEADER: Final = b"SQLite format 3\x00"
_MAPDB_HEADER: Final = 0x4A
"""First byte of every MapDB 3 file; the second says which of its stores it is (1 to 3)."""


def look(path: Path, *, create: bool) -> bool:
    """See what is there; True if a new file is to be made.

    :raises StorageProblem: it cannot be opened; the sentence says what it is and what to do
    """
    if path.is_dir():
        raise StorageProblem(f"{path} is a directory: name a database file in it.")
    if not path.exists():
        if not create:
            raise StorageProblem(
                f"There is no database {path}: name another, or let `pubweave fetch --db {path}` make it."
            )
        if not path.parent.is_dir():
            raise StorageProblem(f"There is no folder {path.parent} for the database: make it first.")
        if not os.access(path.parent, os.W_OK | os.X_OK):
            raise StorageProblem(
                f"The folder {path.parent} is read-only, so no database can be made in it: choose another."
            )
        return True
    try:
        with path.open("rb") as file:
            head = file.read(16)
    except OSError as error:
        raise StorageProblem(f"The database {path} cannot be read ({error.strerror}).") from error
    if not head:
        if not create:
            raise StorageProblem(f"{path} is empty, not a database: delete it, or name another.")
        return True
    if head != _SQLITE_HEADER:
        raise StorageProblem(_what_else(path, head))
    return False


def _what_else(path: Path, head: bytes) -> str:
    if len(head) == 16 and head[0] == _MAPDB_HEADER and head[1] in (1, 2, 3):
        return (
            f"{path} is a database of PubFetcher (MapDB), which only PubFetcher can read: "
            "let it write its JSON export (`--format json`), and bring that over with `pubweave db import`."
        )
    return f"{path} is not a Pubweave database: name another file, it was left alone."


def connect(path: Path, *, new: bool) -> sqlite3.Connection:
    """Open for writing: WAL, schema of today.

    :raises StorageProblem: see `look`; also: of another program, of a newer schema, read-only, locked
    """
    if not new and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK | os.X_OK)):
        raise StorageProblem(
            f"The database {path} is read-only: make the file and its folder writable, or use another."
        )
    raw = _connect(path, "rwc" if new else "rw")
    try:
        if new:
            raw.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        _check_owner(raw, path, new=new)
        raw.execute("PRAGMA journal_mode = WAL").fetchone()
        settle(raw)
        migrate(raw, str(path))
    except sqlite3.Error as error:
        raw.close()
        raise StorageProblem(sentence(error, str(path))) from error
    except BaseException:
        raw.close()
        raise
    return raw


def connect_reading(path: Path) -> sqlite3.Connection:
    """Open beside a writer, for looking only.

    :raises StorageProblem: see `look`; also: of another program, of another schema
    """
    raw = _connect(path, _reading_mode(path))
    try:
        _check_owner(raw, path, new=False)
        settle(raw)
        raw.execute("PRAGMA query_only = ON")
        if schema_version(raw) < max(MIGRATIONS):
            raise StorageProblem(
                f"The database {path} was written by an older Pubweave: "
                f"`pubweave db commit {path}` brings it up to date, and so does whatever changes it."
            )
        migrate(raw, str(path))
    except sqlite3.Error as error:
        raw.close()
        raise StorageProblem(sentence(error, str(path))) from error
    except BaseException:
        raw.close()
        raise
    return raw


def connect_memory() -> sqlite3.Connection:
    """A database that nobody else sees and that ends with its connection."""
    raw = sqlite3.connect(":memory:", isolation_level=None, cached_statements=256)
    settle(raw)
    migrate(raw, ":memory:")
    return raw


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    try:
        return sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={mode}", uri=True, isolation_level=None, cached_statements=256
        )
    except sqlite3.Error as error:
        raise StorageProblem(sentence(error, str(path))) from error


def _reading_mode(path: Path) -> str:
    """A reader of a WAL file writes beside it, into its index; where it cannot, nobody else can either."""
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK | os.X_OK):
        return "rw"
    written_to = path.with_name(path.name + "-wal").exists()
    return "ro" if written_to else "ro&immutable=1"


def _check_owner(raw: sqlite3.Connection, path: Path, *, new: bool) -> None:
    owner = raw.execute("PRAGMA application_id").fetchone()[0]
    if owner != APPLICATION_ID or (not new and schema_version(raw) == 0):
        raise StorageProblem(f"{path} is not a Pubweave database: name another file, it was left alone.")
