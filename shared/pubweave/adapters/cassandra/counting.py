"""What is under way, how the outside behaves, and values of the store itself."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final

from pubweave.adapters.cassandra.session import SHELVES, Lookups, Session, Values, shelf_of
from pubweave.ports import Attempt

_Pair = tuple[str, str]

_ANSWERS_AT_ONCE: Final = 20


class _Sums:
    """Sums by two words, of all writers.

    Each writer keeps one absolute number of its own, written with itself as write timestamp, so the largest
    stays whatever is repeated or comes late; a sum is over the writers. Cassandra's own counters count twice
    what is repeated after a lost answer.
    """

    def __init__(self, session: Session, table: str, first: str, writer: str) -> None:
        self._db = session
        self._writer = writer
        self._mine: Counter[_Pair] = Counter()
        self._insert: Final = (
            f"INSERT INTO {{keyspace}}.{table} ({first}, outcome, writer, number) VALUES (?, ?, ?, ?) "
            "USING TIMESTAMP ?"
        )
        self._select: Final = f"SELECT {first}, outcome, number FROM {{keyspace}}.{table}"

    async def add(self, counts: Counter[_Pair], *others: tuple[str, Values]) -> None:
        """Count these.

        :param others: small rows that are written with the sums
        """
        self._mine.update(counts)
        try:
            sums = [(*pair, self._writer, self._mine[pair], self._mine[pair]) for pair in counts]
            await self._db.write_small(*others, *((self._insert, one) for one in sums))
        except BaseException:
            self._mine.subtract(counts)
            raise

    async def all(self) -> dict[_Pair, int]:
        found: Counter[_Pair] = Counter()
        async for first, outcome, number in self._db.rows(self._select):
            found[first, outcome] += number
        return dict(found)


class Counting:
    """The part of the Store that is not about publications or jobs."""

    def __init__(self, session: Session, writer: str) -> None:
        self._db = session
        self._writer = writer
        self._attempts = 0
        self._answers = Lookups(self._look_up_answers, _ANSWERS_AT_ONCE)
        self._attempt_sums = _Sums(session, "attempt_count", "host", writer)
        self._need_sums = _Sums(session, "need_count", "resource", writer)

    async def put_pending(self, ask: str, body: bytes) -> None:
        await self._db.write(
            "INSERT INTO {keyspace}.pending (shelf, ask, body) VALUES (?, ?, ?)", (shelf_of(ask), ask, body)
        )

    async def drop_pending(self, asks: Iterable[str]) -> None:
        await self._db.write_each(
            "DELETE FROM {keyspace}.pending WHERE shelf = ? AND ask = ?",
            [(shelf_of(ask), ask) for ask in asks],
        )

    async def pending(self) -> list[tuple[str, bytes]]:
        shelves = await self._db.together(
            self._db.all("SELECT ask, body FROM {keyspace}.pending WHERE shelf = ?", (shelf,))
            for shelf in SHELVES
        )
        return [(ask, body) for rows in shelves for ask, body in rows]

    async def put_answer(self, ask: str, body: bytes) -> None:
        await self._db.write_small(
            ("INSERT INTO {keyspace}.answer (ask, body) VALUES (?, ?)", (ask, body)),
        )

    async def answer(self, ask: str) -> bytes:
        return await self._answers.get(ask) or b""

    async def _look_up_answers(self, asks: list[str]) -> dict[str, bytes]:
        rows = await self._db.all("SELECT ask, body FROM {keyspace}.answer WHERE ask IN ?", (asks,))
        return {ask: bytes(body) for ask, body in rows}

    async def drop_answers(self, asks: Iterable[str]) -> None:
        await self._db.write_each("DELETE FROM {keyspace}.answer WHERE ask = ?", [(ask,) for ask in asks])

    async def add_attempts(self, attempts: Sequence[Attempt]) -> None:
        rows = []
        for attempt in attempts:
            self._attempts += 1
            day = datetime.fromtimestamp(attempt.started_at / 1000, UTC).date()
            rows.append(
                (
                    attempt.host,
                    day,
                    attempt.started_at,
                    self._writer,
                    self._attempts,
                    attempt.ask,
                    attempt.unit,
                    attempt.outcome,
                    attempt.status,
                    attempt.ended_at,
                    attempt.bytes,
                    attempt.evidence,
                )
            )
        insert = """INSERT INTO {keyspace}.attempt (host, day, started_at, writer, number, ask, unit, outcome, status,
                ended_at, bytes, evidence) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
        counts = Counter((attempt.host, attempt.outcome) for attempt in attempts)
        await self._attempt_sums.add(counts, *((insert, row) for row in rows))

    async def attempts(self) -> dict[tuple[str, str], int]:
        return await self._attempt_sums.all()

    async def count_needs(self, counts: dict[tuple[str, str], int]) -> None:
        await self._need_sums.add(Counter(counts))

    async def needs(self) -> dict[tuple[str, str], int]:
        return await self._need_sums.all()

    async def book_quota(self, family: str, day: str, booked: int) -> None:
        await self._db.write(
            "INSERT INTO {keyspace}.quota (family, day, booked) VALUES (?, ?, ?)", (family, day, booked)
        )

    async def quota(self, family: str, day: str) -> int:
        row = await self._db.one(
            "SELECT booked FROM {keyspace}.quota WHERE family = ? AND day = ?", (family, day)
        )
        return row[0] if row else 0

    async def meta(self, name: str) -> str:
        row = await self._db.one("SELECT value FROM {keyspace}.meta WHERE name = ?", (name,))
        return row[0] if row else ""

    async def set_meta(self, name: str, value: str) -> None:
        await self._db.write("INSERT INTO {keyspace}.meta (name, value) VALUES (?, ?)", (name, value))
