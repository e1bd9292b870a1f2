"""The tables, and how a file of an older schema becomes one of today's.

A migration is a list of statements under the schema version that it leads to. They are run forwards only,
each in a transaction of its own; one that has been released is never edited.
"""

import sqlite3
from collections.abc import Mapping
from typing import Final

from pubweave.ports import StorageProblem

APPLICATION_ID: Final = 0x50574442
"""`PWDB` in the file's header: this SQLite file is Pubweave's."""

TOPIC_BITS: Final = 40
"""An entry's rowid is its topic's number above these bits and its offset in the topic below: entries of a
topic lie side by side and are read in order without an index."""

# Digests of 32 hexadecimal digits are kept as 16 bytes (`ids.py`).
_TABLES = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE topic (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
    # An erased entry keeps its key and id; its body is NULL.
    """CREATE TABLE entry (
        place INTEGER PRIMARY KEY, topic INTEGER NOT NULL, key TEXT NOT NULL, id NOT NULL,
        kind TEXT NOT NULL, version INTEGER NOT NULL, body BLOB)""",
    "CREATE UNIQUE INDEX entry_id ON entry (key, id, topic)",
    """CREATE TABLE committed (
        consumers TEXT NOT NULL, topic TEXT NOT NULL, place INTEGER NOT NULL,
        PRIMARY KEY (consumers, topic)) WITHOUT ROWID""",
    # Rows of thousands of publications come interleaved. Kept in order of arrival, with the small index
    # alone in order of publication, a batch rewrites a third of the pages that a clustered table would.
    """CREATE TABLE state (
        number INTEGER PRIMARY KEY, publication TEXT NOT NULL, id NOT NULL, body BLOB NOT NULL)""",
    "CREATE UNIQUE INDEX state_id ON state (publication, id)",
    """CREATE TABLE holder (
        kind TEXT NOT NULL, value TEXT NOT NULL, publication TEXT NOT NULL,
        PRIMARY KEY (kind, value)) WITHOUT ROWID""",
    "CREATE INDEX holder_publication ON holder (publication)",
    "CREATE TABLE redirect (publication TEXT PRIMARY KEY, survivor TEXT NOT NULL) WITHOUT ROWID",
    """CREATE TABLE record (
        kind TEXT NOT NULL, publication TEXT NOT NULL, version INTEGER NOT NULL, removed INTEGER NOT NULL,
        updated_at INTEGER NOT NULL, reason TEXT NOT NULL, body BLOB NOT NULL)""",
    "CREATE UNIQUE INDEX record_name ON record (kind, publication)",
    "CREATE INDEX record_removed ON record (kind) WHERE removed",
    """CREATE TABLE job (
        job TEXT PRIMARY KEY, idempotency_key TEXT NOT NULL, correlation_id TEXT NOT NULL,
        created_at INTEGER NOT NULL, body BLOB NOT NULL, lines INTEGER NOT NULL,
        finished_at INTEGER NOT NULL) WITHOUT ROWID""",
    """CREATE TABLE submission (
        job TEXT NOT NULL, line INTEGER NOT NULL, publication TEXT NOT NULL, outcome TEXT NOT NULL,
        settled BLOB NOT NULL, body BLOB NOT NULL, PRIMARY KEY (job, line)) WITHOUT ROWID""",
    "CREATE INDEX submission_unsettled ON submission (job, line) WHERE outcome = ''",
    "CREATE INDEX submission_waiting ON submission (publication) WHERE outcome = ''",
    "CREATE TABLE pending (ask TEXT PRIMARY KEY, body BLOB NOT NULL)",
    """CREATE TABLE attempt (
        ask TEXT NOT NULL, unit TEXT NOT NULL, host TEXT NOT NULL, outcome TEXT NOT NULL,
        status INTEGER NOT NULL, started_at INTEGER NOT NULL, ended_at INTEGER NOT NULL,
        bytes INTEGER NOT NULL, evidence TEXT NOT NULL)""",
    """CREATE TABLE need_count (
        resource TEXT NOT NULL, outcome TEXT NOT NULL, number INTEGER NOT NULL,
        PRIMARY KEY (resource, outcome)) WITHOUT ROWID""",
    """CREATE TABLE quota (
        family TEXT NOT NULL, day TEXT NOT NULL, booked INTEGER NOT NULL,
        PRIMARY KEY (family, day)) WITHOUT ROWID""",
    # `body` is NULL where the content lies in chunks.
    """CREATE TABLE blob (
        number INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, bytes INTEGER NOT NULL,
        coding INTEGER NOT NULL, body BLOB)""",
    """CREATE TABLE chunk (
        blob INTEGER NOT NULL, position INTEGER NOT NULL, body BLOB NOT NULL)""",
    "CREATE INDEX chunk_place ON chunk (blob, position)",
)

_ANSWERS = ("CREATE TABLE answer (ask TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID",)

MIGRATIONS: Final[Mapping[int, tuple[str, ...]]] = {1: _TABLES, 2: _ANSWERS}

VERSION_NAME: Final = "schema-version"

USABLE_FROM_NAME: Final = "usable-from-schema"
"""The oldest schema whose programs can still use the file: written by steps that only add. Without it, only those that
know the file's own schema can."""


def migrate(
    raw: sqlite3.Connection, name: str, migrations: Mapping[int, tuple[str, ...]] = MIGRATIONS
) -> None:
    """Bring the file to the newest schema.

    :param name: what the user calls the file
    :raises StorageProblem: the file is of a newer schema than this program knows; nothing was changed
    """
    current = schema_version(raw)
    newest = max(migrations)
    if current > newest and _usable_from(raw, current) > newest:
        raise StorageProblem(
            f"The database {name} was written by a newer Pubweave (schema {current}, this one knows {newest}): "
            "update Pubweave, nothing was changed."
        )
    for version in range(current + 1, newest + 1):
        raw.execute("BEGIN IMMEDIATE")
        try:
            for statement in migrations[version]:
                raw.execute(statement)
            raw.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (VERSION_NAME, str(version)))
            raw.execute("COMMIT")
        except BaseException:
            if raw.in_transaction:
                raw.execute("ROLLBACK")
            raise


def _usable_from(raw: sqlite3.Connection, current: int) -> int:
    row = raw.execute("SELECT value FROM meta WHERE name = ?", (USABLE_FROM_NAME,)).fetchone()
    return int(row[0]) if row else current


def schema_version(raw: sqlite3.Connection) -> int:
    """0 for a file without tables."""
    if not raw.execute("SELECT 1 FROM sqlite_schema WHERE name = 'meta'").fetchone():
        return 0
    row = raw.execute("SELECT value FROM meta WHERE name = ?", (VERSION_NAME,)).fetchone()
    return int(row[0]) if row else 0
