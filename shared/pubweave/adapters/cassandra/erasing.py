"""What erasing on the bus must look up and take away beside what the owner of a publication does.

Nothing else looks for these things, so they are found by reading whole tables, page by page: seconds for thousands of
publications, minutes for millions.
"""

import json
import re
from collections.abc import AsyncIterator, Collection
from typing import Final

from pubweave.adapters.cassandra.session import Session
from pubweave.adapters.cassandra.store import CassandraStore
from pubweave.contract.vocabulary import EntryKind

_DIGEST: Final = re.compile(rb'"digest":"([0-9a-f]{32})"')
_REMOVED: Final = b"publication-removed "
_KINDS: Final[tuple[EntryKind, ...]] = ("publication", "webpage", "doc")


class CassandraErasing:
    """Look-ups and deletions that only erasing needs."""

    def __init__(self, session: Session, store: CassandraStore) -> None:
        self._db = session
        self._store = store

    async def removed_with(self, names: Collection[tuple[str, str]]) -> set[str]:
        """The keys of publications that had one of these identifiers when they were removed."""
        wanted = [
            f"{json.dumps(kind)}:{json.dumps(value, ensure_ascii=False)}".encode() for kind, value in names
        ]
        return {
            key
            async for key, body in self._state()
            if body.startswith(_REMOVED) and any(name in body for name in wanted)
        }

    async def contents_of(
        self, keys: Collection[str], names: Collection[str], kind: EntryKind = "publication"
    ) -> set[str]:
        """Digests of the contents that facts and records of these refer to.

        :param keys: what facts are kept under
        :param names: what records are kept under
        """
        found: set[str] = set()
        for key in keys:
            for row in await self._store.rows(key):
                found |= _digests(row.body)
        for name in names:
            stored = await self._store.record(name, kind)
            found |= _digests(stored.body) if stored is not None else set()
        return found

    async def wanted_elsewhere(
        self,
        digests: Collection[str],
        keys: Collection[str],
        names: Collection[str],
        of_kind: EntryKind = "publication",
    ) -> set[str]:
        """Those of the contents that anything else refers to, too."""
        looked_for = set(digests)
        found: set[str] = set()
        if looked_for:
            async for key, body in self._state():
                if key not in keys:
                    found |= _digests(body) & looked_for
            for kind in _KINDS:
                async for stored in self._store.records(kind):
                    if kind != of_kind or stored.publication not in names:
                        found |= _digests(stored.body) & looked_for
        return found

    async def forget_words(self, words: Collection[str]) -> None:
        """Take answers of the outside away that name one of these, and the evidence of requests that does."""
        wanted = [word.encode() for word in words]
        asks = [
            ask
            async for ask, body in self._db.rows("SELECT ask, body FROM {keyspace}.answer", page=100)
            if any(word in body for word in wanted)
        ]
        await self._store.drop_answers(asks)
        rows = [
            tuple(place)
            async for *place, evidence in self._db.rows(
                "SELECT host, day, started_at, writer, number, evidence FROM {keyspace}.attempt"
            )
            if any(word in evidence for word in words)
        ]
        await self._db.write_each(
            """UPDATE {keyspace}.attempt SET evidence = ''
                WHERE host = ? AND day = ? AND started_at = ? AND writer = ? AND number = ?""",
            rows,
        )

    async def _state(self) -> AsyncIterator[tuple[str, bytes]]:
        async for key, body in self._db.rows("SELECT publication, body FROM {keyspace}.state"):
            yield key, bytes(body)


def _digests(body: bytes) -> set[str]:
    return {digest.decode() for digest in _DIGEST.findall(body)}
