"""Taking everything known of some entries out of the file, for good.

Deleting alone leaves bytes in the file's free pages and in the write-ahead log: `connection.wiping` has what is deleted
overwritten, and a compaction afterwards leaves nothing of what was replaced before.
"""

import json
import re
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from pubweave.adapters.sqlite.blobs import SqliteBlobs
from pubweave.adapters.sqlite.connection import Connection
from pubweave.contract.vocabulary import EntryKind
from pubweave.ports import StoredSubmission

_DIGEST: Final = re.compile(rb'"digest":"([0-9a-f]{32})"')
_DIGEST_OF_ANSWER: Final = re.compile(rb"\xa6digest\xd9 ([0-9a-f]{32})")
"""In the MessagePack of a reply."""
_AT_A_TIME: Final = 100
"""So many digests are looked for in one statement."""

_BODIES: Final = (
    ("entry", "place", "key NOT IN (SELECT value FROM json_each(?2)) AND body IS NOT NULL"),
    ("state", "number", "publication NOT IN (SELECT value FROM json_each(?2))"),
    ("record", "rowid", "publication NOT IN (SELECT value FROM json_each(?2))"),
    ("pending", "rowid", "?2 IS NOT NULL"),
)
"""Table, its row's number and which of its rows belong to somebody else: wherever contents are referred to."""


class SqliteErasing:
    """Look-ups and deletions that only erasing needs; every look-up may read the whole file."""

    def __init__(self, connection: Connection, blobs: SqliteBlobs) -> None:
        self._db = connection
        self._blobs = blobs

    def became(self, keys: Iterable[str]) -> set[str]:
        """The keys of publications that turned out to be one of these, over any number of steps."""
        found: set[str] = set()
        waiting = list(keys)
        while waiting:
            key = waiting.pop()
            for (source,) in self._db.all("SELECT publication FROM redirect WHERE survivor = ?", (key,)):
                if source not in found:
                    found.add(source)
                    waiting.append(source)
        return found

    def removed_with(self, kind: str, value: str) -> set[str]:
        """The keys of publications that had this identifier when they were removed."""
        named = f"{json.dumps(kind)}:{json.dumps(value, ensure_ascii=False)}".encode()
        rows = self._db.all(
            "SELECT DISTINCT key FROM entry WHERE kind = 'publication-removed' AND instr(body, ?)", (named,)
        )
        return {row[0] for row in rows}

    def knows(self, key: str) -> bool:
        """Anything in the log is kept under this key."""
        return self._db.one("SELECT 1 FROM entry WHERE key = ? LIMIT 1", (key,)) is not None

    def lines_of(self, keys: Collection[str]) -> list[StoredSubmission]:
        """The lines of jobs that led to these."""
        rows = self._db.all(
            """SELECT job, line, body, publication, settled, outcome FROM submission
                WHERE publication IN (SELECT value FROM json_each(?)) ORDER BY job, line""",
            (_list(keys),),
        )
        return [StoredSubmission(*row) for row in rows]

    def contents_of(self, keys: Collection[str], names: Collection[str]) -> set[str]:
        """Digests of the contents that facts, rows and records of these refer to, and of those of kept answers."""
        found: set[str] = set()
        for statement, which in (
            ("SELECT body FROM entry WHERE key = ? AND body IS NOT NULL", keys),
            ("SELECT body FROM state WHERE publication = ?", keys),
            ("SELECT body FROM record WHERE publication = ?", names),
        ):
            for one in which:
                for (body,) in self._db.all(statement, (one,)):
                    found |= _digests(body)
        for (body,) in self._db.all("SELECT body FROM answer"):
            found |= {digest.decode() for digest in _DIGEST_OF_ANSWER.findall(bytes(body))}
        return found

    def wanted_elsewhere(
        self, digests: Collection[str], keys: Collection[str], names: Collection[str]
    ) -> set[str]:
        """Those of the contents that anything else refers to, too."""
        found: set[str] = set()
        ordered = sorted(digests)
        for start in range(0, len(ordered), _AT_A_TIME):
            for table, number, others in _BODIES:
                left = set(ordered[start : start + _AT_A_TIME]) - found
                last = -1
                while left:
                    mentions = " OR ".join(f"instr(body, CAST('{digest}' AS BLOB))" for digest in left)
                    row = self._db.one(
                        f"SELECT {number}, body FROM {table} WHERE {number} > ?1 AND {others} AND ({mentions})"
                        f" ORDER BY {number} LIMIT 1",
                        (last, _list(names if table == "record" else keys)),
                    )
                    if row is None:
                        break
                    last = row[0]
                    hit = {digest for digest in left if digest.encode() in bytes(row[1])}
                    found |= hit
                    left -= hit
        return found

    async def erase(
        self,
        kind: EntryKind,
        keys: Collection[str],
        names: Collection[str],
        words: Sequence[str],
        lines: Sequence[StoredSubmission],
        contents: Collection[str],
    ) -> None:
        """Take it all out, in one batch with what the caller does.

        :param keys: what facts, rows and identifiers are kept under
        :param names: what records are kept under
        :param words: identifiers and addresses, which keys of facts and evidence may be
        :param lines: lines of jobs in the form in which they stay; their facts go, too
        :param contents: digests of contents that nothing else refers to
        """
        async with self._db.batch():
            await self._db.wiping()
            submissions = [f"{line.job}.{line.line:09d}" for line in lines]
            every = _list([*keys, *submissions])
            # The row stays, so that its offset is not given again; what it was kept under may be an identifier.
            await self._db.write(
                """UPDATE entry SET body = NULL, kind = '', key = 'erased ' || place
                    WHERE key IN (SELECT value FROM json_each(?))""",
                (every,),
            )
            conflicts = " OR ".join("instr(body, ?)" for _ in keys)
            await self._db.write(
                f"""UPDATE entry SET body = NULL, kind = '', key = 'erased ' || place
                    WHERE kind = 'identifiers-conflicted'
                    AND (key IN (SELECT value FROM json_each(?)) OR {conflicts})""",
                (_list(words), *(key.encode() for key in keys)),
            )
            for key in keys:
                await self._db.write("DELETE FROM state WHERE publication = ?", (key,))
                await self._db.write("DELETE FROM holder WHERE publication = ?", (key,))
                await self._db.write("DELETE FROM redirect WHERE publication = ?1 OR survivor = ?1", (key,))
                await self._db.write("DELETE FROM pending WHERE instr(body, ?)", (key.encode(),))
            for name in names:
                await self._db.write("DELETE FROM record WHERE kind = ? AND publication = ?", (kind, name))
            for line in lines:
                await self._db.write(
                    """UPDATE submission SET publication = '', outcome = ?, settled = ?, body = ?
                        WHERE job = ? AND line = ?""",
                    (line.outcome, line.settled, line.body, line.job, line.line),
                )
            # Nobody knows whose they are, and without them a question is asked once more at most.
            await self._db.write("DELETE FROM answer")
            for word in words:
                await self._db.write("UPDATE attempt SET evidence = '' WHERE instr(evidence, ?)", (word,))
            for digest in contents:
                await self._blobs.delete(digest)


def _digests(body: bytes) -> set[str]:
    return {digest.decode() for digest in _DIGEST.findall(bytes(body))}


def _list(texts: Iterable[str]) -> str:
    return json.dumps(list(texts), ensure_ascii=False)
