"""Taking everything known of a publication, web page or doc out of a database, for good.

Removing leaves a tombstone and the facts; erasing leaves nothing: neither record nor facts of the log, nor what it was
made of, nor contents that nothing else refers to, nor who asked for it.
"""

from collections import Counter
from collections.abc import Collection, Iterable
from typing import NamedTuple

from pubweave.adapters.sqlite.storage import SqliteStorage
from pubweave.contract.submission_settled import SubmissionSettled
from pubweave.contract.values import Identifiers
from pubweave.contract.vocabulary import EntryKind, PageKind, SettledOutcome
from pubweave.core.merging.webpage_fold import page_key
from pubweave.core.record import decode_record
from pubweave.merger.handler import unanswered
from pubweave.ports import Clock, StoredSubmission
from pubweave.runtimes.blanking import blank_stored
from pubweave.runtimes.rows import load_state, read_as


class TakenOut(NamedTuple):
    """What was taken out."""

    entries: int
    """Publications with what they had been before they turned out to be one; or pages."""
    contents: int
    """Long texts and documents."""
    shared: int
    """Contents that stay, for other entries have the very same."""
    lines: int
    """Lines of jobs that asked for it; they stay, without what they asked for."""


class Erasing:
    """Erases from one database; call `SqliteStorage.compact` afterwards, which takes care of what had been replaced
    before."""

    def __init__(self, storage: SqliteStorage, clock: Clock) -> None:
        self._storage = storage
        self._clock = clock

    async def publications(self, identifiers: Identifiers) -> TakenOut | None:
        """The publications that these lead to, or led to before they were removed.

        :returns: None if nothing is known of them
        """
        store, tables = self._storage.store, self._storage.erasing
        keys: set[str] = set()
        for pair in identifiers.known():
            keys |= {await store.resolve(holder) for holder in (await store.holders([pair])).values()}
            keys |= tables.removed_with(*pair)
        keys |= tables.became(keys)
        if not keys:
            return None
        words = set(_values(identifiers))
        for key in keys:
            words |= await self._words_of(key)
        async with store.batch():
            await self._count_unanswered(keys)
            return await self._erase("publication", keys, keys, words)

    async def page(self, kind: PageKind, url: str) -> TakenOut | None:
        """A web page or doc by its start address, also one that was removed.

        :returns: None if nothing is known of it
        """
        key = page_key(kind, url)
        if await self._storage.store.record(url, kind) is None and not self._storage.erasing.knows(key):
            return None
        return await self._erase(kind, [key], [url], [url])

    async def _erase(
        self, kind: EntryKind, keys: Collection[str], names: Collection[str], words: Iterable[str]
    ) -> TakenOut:
        tables = self._storage.erasing
        contents = tables.contents_of(keys, names)
        shared = tables.wanted_elsewhere(contents, keys, names)
        lines = [self._blank(line) for line in tables.lines_of(keys)]
        await tables.erase(kind, keys, names, sorted(words), lines, contents - shared)
        return TakenOut(len(keys), len(contents - shared), len(shared), len(lines))

    async def _words_of(self, key: str) -> set[str]:
        stored = await self._storage.store.record(key)
        words: set[str] = set()
        if stored is not None and not stored.removed:
            words |= set(_values(decode_record(stored.body).identifiers))
        state = await load_state(self._storage.store, key)
        return words | {claim.value for claim in state.claims.values()}

    async def _count_unanswered(self, keys: Iterable[str]) -> None:
        """What was asked for and not answered ends here, so that the numbers of the database still add up."""
        counts: Counter[tuple[str, str]] = Counter()
        for key in keys:
            state = await load_state(self._storage.store, key)
            counts.update((done.resource, done.outcome) for done in unanswered(state, "cancelled"))
        if counts:
            await self._storage.store.count_needs(counts)

    def _blank(self, line: StoredSubmission) -> StoredSubmission:
        """The line as it stays: that it was there, and its outcome."""
        outcome: SettledOutcome = "parked"
        settled_at = self._clock.now_ms()
        if line.settled:
            event = read_as(SubmissionSettled, line.settled)
            outcome, settled_at = event.outcome, event.settled_at
        return blank_stored(line.job, line.line, outcome, settled_at)


def _values(identifiers: Identifiers) -> list[str]:
    return [value for _, value in identifiers.known()]
