"""The log: entries of all topics in one table, those of a topic side by side."""

from collections.abc import Sequence
from typing import Any

from pubweave.adapters.sqlite.connection import Connection
from pubweave.adapters.sqlite.ids import packed, unpacked
from pubweave.adapters.sqlite.schema import TOPIC_BITS
from pubweave.ports import Entry, Logged

_MASK = (1 << TOPIC_BITS) - 1

_APPEND = """INSERT INTO entry (place, topic, key, id, kind, version, body) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (key, id, topic) DO NOTHING"""


class SqliteLog:
    def __init__(self, connection: Connection) -> None:
        self._db = connection
        self._topics: dict[str, int] = {}
        self._last: dict[str, int] = {}
        """The last place given in each topic; given again to nobody, also where the entry was a repeat."""
        connection.on_undo(self._forget)

    def _forget(self) -> None:
        self._topics.clear()
        self._last.clear()

    def _number(self, topic: str) -> int:
        """The topic's number; 0 if nothing was ever appended to it."""
        number = self._topics.get(topic, 0)
        if not number and (row := self._db.one("SELECT number FROM topic WHERE name = ?", (topic,))):
            number = self._topics[topic] = row[0]
        return number

    async def _start(self, topic: str) -> int:
        await self._db.write("INSERT INTO topic (name) VALUES (?) ON CONFLICT DO NOTHING", (topic,))
        number = self._number(topic)
        row = self._db.one(
            "SELECT place FROM entry WHERE place BETWEEN ? AND ? ORDER BY place DESC LIMIT 1",
            (number << TOPIC_BITS, (number << TOPIC_BITS) | _MASK),
        )
        self._last[topic] = row[0] if row else number << TOPIC_BITS
        return number

    async def append(self, topic: str, entries: Sequence[Entry]) -> None:
        if not entries:
            return
        await self._db.turn()
        if topic not in self._last:
            await self._start(topic)
        first = self._last[topic] + 1
        number = first >> TOPIC_BITS
        self._last[topic] += len(entries)
        await self._db.write_all(
            _APPEND,
            [
                (place, number, entry.key, packed(entry.id), entry.kind, entry.version, entry.body)
                for place, entry in enumerate(entries, first)
            ],
        )

    async def read(self, topic: str, after: int = 0, limit: int = 1000) -> list[Logged]:
        number = self._number(topic)
        if not number:
            return []
        rows = self._db.all(
            """SELECT place, key, id, kind, version, body FROM entry
                WHERE place > ? AND place <= ? AND body IS NOT NULL ORDER BY place LIMIT ?""",
            ((number << TOPIC_BITS) + max(after, 0), (number << TOPIC_BITS) | _MASK, limit),
        )
        return [_logged(row) for row in rows]

    async def of_key(self, topic: str, key: str) -> list[Logged]:
        number = self._number(topic)
        if not number:
            return []
        rows = self._db.all(
            """SELECT place, key, id, kind, version, body FROM entry
                WHERE key = ? AND topic = ? AND body IS NOT NULL ORDER BY place""",
            (key, number),
        )
        return [_logged(row) for row in rows]

    async def commit(self, group: str, topic: str, offset: int) -> None:
        await self._db.write(
            """INSERT INTO committed VALUES (?, ?, ?)
                ON CONFLICT DO UPDATE SET place = max(place, excluded.place)""",
            (group, topic, offset),
        )

    async def committed(self, group: str, topic: str) -> int:
        row = self._db.one("SELECT place FROM committed WHERE consumers = ? AND topic = ?", (group, topic))
        return row[0] if row else 0

    async def erase(self, topic: str, key: str) -> int:
        async with self._db.batch():
            await self._db.wiping()
            return await self._db.write(
                """UPDATE entry SET body = NULL, kind = '' WHERE key = ? AND topic = ? AND body IS NOT NULL""",
                (key, self._number(topic)),
            )


def _logged(row: tuple[Any, ...]) -> Logged:
    place, key, id_, kind, version, body = row
    return Logged(place & _MASK, Entry(key, unpacked(id_), kind, version, body))
