"""What people want changed in the publications of a running bus: told to their owners, who do it.

Cassandra says which publication identifiers lead to; a message to its owner says what is to be done. What was said is
done whatever crashes, also when whoever said it is gone.
"""

import secrets
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from typing import Final, NamedTuple

import msgspec

from pubweave.adapters.cassandra import CassandraStorage
from pubweave.adapters.cassandra.erasing import CassandraErasing
from pubweave.adapters.kafka.place import KafkaPlace
from pubweave.contract.catalogue import topics
from pubweave.contract.erasure_requested import ErasureRequested
from pubweave.contract.identifiers_conflicted import IdentifiersConflicted
from pubweave.contract.kinds import Event
from pubweave.contract.publication_updated import PublicationUpdated
from pubweave.contract.publications_joined import PublicationsJoined
from pubweave.contract.put_requested import PutRequested
from pubweave.contract.removal_requested import RemovalRequested
from pubweave.contract.reply_received import ReplyReceived
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.submissions_entered import SubmissionsEntered
from pubweave.contract.values import Identifiers
from pubweave.contract.vocabulary import EntryKind, PageKind
from pubweave.contract.webpage_put import WebpagePut
from pubweave.contract.webpage_removed import WebpageRemoved
from pubweave.core.merging.webpage_fold import page_key
from pubweave.core.record import Record, decode_record, encode_record
from pubweave.core.webpage_record import WebpageRecord
from pubweave.ports import Clock, StorageProblem
from pubweave.runtimes.bus.client import following, new_job
from pubweave.runtimes.bus.sending import Sender
from pubweave.runtimes.contents import without_long_texts
from pubweave.runtimes.embedded.webpage_store import WebpageStore
from pubweave.runtimes.messages.effects import message, tombstone
from pubweave.runtimes.messages.publication import Erased, Taken, read_row
from pubweave.runtimes.messages.putting import planned
from pubweave.runtimes.rows import load_state

DONE_WITHIN_S: Final = 60.0
"""How long it is waited for what must be done before something else can be said."""

LOOK_S: Final = 0.25
"""How often it is looked whether what was said is done."""

_SERVICE: Final = "cli"
_RAW: Final = ("reply-received", "reply-wanted")


class Wiped(NamedTuple):
    """What an erasure takes away."""

    key: str
    contents: int
    """Long texts and documents."""
    shared: int
    """Contents that stay, for other entries have the very same."""


class NotDone(StorageProblem):
    """The services have not done in time what must be done before."""


class ClusterPages(WebpageStore):
    """Web pages and docs of a cluster: what is put and removed is said to their owners."""

    def __init__(self, storage: CassandraStorage, sender: Sender, clock: Clock) -> None:
        super().__init__(storage, clock)
        self._sender = sender
        self.waited_for: dict[tuple[PageKind, str], int] = {}
        """Versions that will be there."""
        self.going: dict[tuple[PageKind, str], str] = {}
        """The keys of those that are erased."""

    async def keep(self, facts: Sequence[WebpagePut | WebpageRemoved]) -> None:
        """Say the facts; their owner keeps them.

        :raises StorageProblem: the brokers do not take them
        """
        await self._sender.send([message(fact) for fact in facts], _SERVICE)
        for fact in facts:
            entry, url = fact.entry, fact.publication.partition(" ")[2]
            folded = await self.folded(entry, url)
            self.waited_for[entry, url] = max(folded.version, self.waited_for.get((entry, url), 0)) + 1

    async def put(self, entry: PageKind, record: WebpageRecord) -> None:
        """See `WebpageStore.put`. A page that was said before is waited for: what comes next has a number of its own.

        :raises NotDone: the services have not kept what was said before
        """

        async def is_kept() -> bool:
            return (entry, record.start_url) not in self.waited_for or await self.are_there()

        if not await _until(is_kept, DONE_WITHIN_S, self._clock):
            raise NotDone(
                f"The services have not kept {record.start_url}, which is to be put once more: look whether the "
                "mergers run, then do the same again."
            )
        await super().put(entry, record)

    async def are_there(self) -> bool:
        """What was said last of each page is done."""
        for (entry, url), version in list(self.waited_for.items()):
            stored = await self._storage.store.record(url, entry)
            if stored is None or stored.version < version:
                return False
            del self.waited_for[entry, url]
        for (entry, url), key in list(self.going.items()):
            if await self._storage.store.record(url, entry) is not None or await self._storage.store.rows(
                key
            ):
                return False
            del self.going[entry, url]
        return True


class Changing:
    """Says what is to be put, removed and erased, and waits until it is. Puts and removes one by one as a `Database`
    does, for whoever works through a list."""

    def __init__(self, storage: CassandraStorage, place: KafkaPlace, sender: Sender, clock: Clock) -> None:
        self.storage = storage
        self._storage = storage
        self._place = place
        self._sender = sender
        self._clock = clock
        self._erasing = CassandraErasing(storage.session, storage.store)
        self.pages = ClusterPages(storage, sender, clock)
        self.missing: list[str] = []
        """Sentences about what was asked for and is not there."""
        self.said: list[str] = []
        """What the last change of one publication had to tell a person."""
        self._job = new_job(clock)
        self._new = 0
        self._puts: dict[str, str] = {}
        """By key the request that was said last."""
        self._removed: dict[str, None] = {}

    async def put(self, record: Record) -> str:
        """Have a record put in place, overwriting what its identifiers lead to (F-DB-11…13).

        What turns out to be the same publication is removed before, and that is waited for.

        :returns: the key that it will be stored under
        :raises ValueError: it has no identifier
        :raises NotDone: the services have not removed the others
        """
        if not record.identifiers.known():
            raise ValueError("a publication needs a PMID, a PMCID or a DOI to be stored")
        putting, known = await planned(self._storage.store, record)
        self.said = list(putting.sentences)
        if putting.ended:
            await self._remove(putting.ended, f"is the same publication as {putting.key}")
            if not await self.done(putting.ended, DONE_WITHIN_S):
                raise NotDone(
                    "The services have not removed what a record to be put is the same as: look whether the mergers "
                    "run, then do the same again."
                )
        key = known or self._new_key()
        kept = await without_long_texts(
            msgspec.structs.replace(putting.record, publication=key), self._storage.blobs
        )
        request = secrets.token_hex(8)
        await self._say(
            [
                PutRequested(
                    publication=key,
                    request=request,
                    record=msgspec.Raw(encode_record(kept)),
                    requested_at=self._clock.now_ms(),
                )
            ]
        )
        self._puts[key] = request
        return key

    def _new_key(self) -> str:
        self._new += 1
        return f"{self._job}.{self._new:09d}"

    async def find(self, identifiers: Identifiers) -> Record | None:
        """The record that the PMID leads to, else the PMCID, else the DOI (F-DB-10), without its long texts."""
        (stored,) = await self._storage.store.find_publications([identifiers])
        return decode_record(stored.body) if stored is not None else None

    async def remove(self, identifiers: Identifiers) -> int:
        """Have the publications removed that these lead to; `said` names those that lead nowhere (F-DB-14).

        :returns: how many
        """
        before = len(self.missing)
        keys = await self.remove_all([identifiers])
        self.said = [] if keys else self.missing[before:]
        return len(keys)

    async def all_done(self, wait_s: float) -> bool:
        """Wait until everything that was said is done.

        :returns: False if it is not in this time; it is done when the services come to it
        """

        async def is_done() -> bool:
            for key, request in list(self._puts.items()):
                if await self._is_put(key, request):
                    del self._puts[key]
            for key in list(self._removed):
                if await self._is_gone(key):
                    del self._removed[key]
            return not self._puts and not self._removed and await self.pages.are_there()

        return await _until(is_done, wait_s, self._clock)

    async def _is_put(self, key: str, request: str) -> bool:
        rows = [read_row(row) for row in await self._storage.store.rows(key)]
        if any(isinstance(row, RemovalRequested | Erased | PublicationsJoined) for row in rows):
            return True  # meanwhile: it goes on elsewhere
        if Taken(request) not in rows or (await load_state(self._storage.store, key)).awaits_claims():
            return False
        newest = max((row.version for row in rows if isinstance(row, PublicationUpdated)), default=0)
        stored = await self._storage.store.record(key)
        return stored is not None and 0 < newest <= stored.version

    async def remove_all(self, wanted: Iterable[Identifiers], reason: str = "removed") -> list[str]:
        """Have the publications removed that the identifiers lead to.

        :returns: their keys
        :raises StorageProblem: the brokers or the cluster do not answer
        """
        keys: dict[str, None] = {}
        for identifiers in wanted:
            led = [key for key in await self._led_to(identifiers) if await self._has_record(key)]
            keys |= dict.fromkeys(led)
            if not led:
                self.missing += [
                    f"{kind} {value} is not in the database" for kind, value in identifiers.known()
                ]
        await self._remove(keys, reason)
        self._removed |= keys
        return list(keys)

    async def _remove(self, keys: Iterable[str], reason: str) -> None:
        request, now_ms = secrets.token_hex(8), self._clock.now_ms()
        await self._say(
            RemovalRequested(publication=key, request=request, reason=reason, requested_at=now_ms)
            for key in keys
        )

    async def erase(self, identifiers: Identifiers) -> list[Wiped]:
        """Have everything erased that is known of the publications that these lead to, or led to before they were
        removed.

        :returns: what that is; empty if nothing is known
        :raises StorageProblem: the brokers or the cluster do not answer
        """
        keys = set(await self._led_to(identifiers)) | await self._erasing.removed_with(identifiers.known())
        return [await self._erase(key) for key in sorted(keys)]

    async def _erase(self, key: str) -> Wiped:
        became = await self._with_those_that_became(key)
        words = await self._words_of(became)
        await self._bury_conflicts(became)
        return await self._wipe(key, became, became, words, "publication")

    async def erase_page(self, kind: PageKind, url: str) -> Wiped | None:
        """Have everything erased that is known of a web page or doc, by its start address.

        :returns: what that is; None if nothing is known
        """
        key = page_key(kind, url)
        stored = await self._storage.store.record(url, kind)
        if stored is None and not await self._storage.store.rows(key):
            return None
        wiped = await self._wipe(key, [key], [url], [url], kind)
        self.pages.going[kind, url] = key
        return wiped

    async def _wipe(
        self,
        key: str,
        keys: Collection[str],
        names: Collection[str],
        words: Collection[str],
        kind: EntryKind,
    ) -> Wiped:
        """Have the owner of `key` erase it with the contents that nothing else refers to, and what was asked and
        answered about it forgotten.

        :param keys: what its facts are kept under
        :param names: what its records are kept under
        :param words: what questions about it say
        """
        contents = await self._erasing.contents_of(keys, names, kind)
        shared = await self._erasing.wanted_elsewhere(contents, keys, names, kind)
        raw = await self._raw_replies(keys)
        await self._erasing.forget_words(words)
        alone = contents - shared
        everything = (*sorted(alone), *sorted(raw - contents))
        await self._say(
            [ErasureRequested(publication=key, request=secrets.token_hex(8), contents=everything)]
        )
        return Wiped(key, len(alone), len(shared))

    async def done(self, keys: Iterable[str], wait_s: float) -> bool:
        """Wait until these are gone from where they are looked up.

        :returns: False if they are not in this time; they go when the services come to it
        """
        left = list(keys)

        async def is_done() -> bool:
            left[:] = [key for key in left if not await self._is_gone(key)]
            return not left

        return await _until(is_done, wait_s, self._clock)

    async def _is_gone(self, key: str) -> bool:
        store = self._storage.store
        stored = await store.record(key)
        if stored is not None and not stored.removed:
            return False
        rows = [read_row(row) for row in await store.rows(key)]
        if not any(isinstance(row, Erased | RemovalRequested) for row in rows):
            return False
        return not [row async for row in self._storage.store.held_by(key)]

    async def _led_to(self, identifiers: Identifiers) -> list[str]:
        store = self._storage.store
        holders = await store.holders(identifiers.known())
        return list(dict.fromkeys([await store.resolve(holder) for holder in holders.values()]))

    async def _has_record(self, key: str) -> bool:
        stored = await self._storage.store.record(key)
        return stored is not None and not stored.removed

    async def _with_those_that_became(self, key: str) -> set[str]:
        found, waiting = {key}, [key]
        while waiting:
            for row in await self._storage.store.rows(waiting.pop()):
                event = read_row(row)
                if isinstance(event, SubmissionsEntered) and event.origin and event.origin not in found:
                    found.add(event.origin)
                    waiting.append(event.origin)
        return found

    async def _words_of(self, keys: Collection[str]) -> set[str]:
        words: set[str] = set()
        for key in keys:
            stored = await self._storage.store.record(key)
            if stored is not None and not stored.removed:
                words |= {value for _, value in decode_record(stored.body).identifiers.known()}
            for row in await self._storage.store.rows(key):
                event = read_row(row)
                if isinstance(event, SubmissionsEntered):
                    words |= {value for line in event.lines for _, value in line.identifiers.known()}
        return words

    async def _bury_conflicts(self, keys: Collection[str]) -> None:
        async with following(self._place, ["identifiers-conflicted"], from_the_start=True) as follower:
            found = [
                event
                async for event, _, _ in follower.events(to_the_end=True)
                if isinstance(event, IdentifiersConflicted) and {event.holder, event.claimant} & set(keys)
            ]
        await self._sender.bury([gone for event in found if (gone := tombstone(event)) is not None])

    async def _raw_replies(self, keys: Collection[str]) -> set[str]:
        """Digests of long raw replies to questions about these alone, as far as Kafka still knows of them."""
        names = [name for topic in topics() for name in topic.names() if name.partition(".")[0] in _RAW]
        mine: set[str] = set()
        others: set[str] = set()
        async with following(self._place, names, from_the_start=True) as follower:
            async for event, _, _ in follower.events(to_the_end=True):
                if not isinstance(event, ReplyReceived | ReplyWanted):
                    continue
                reply = event.reply if isinstance(event, ReplyReceived) else event.fetched
                if reply is not None and reply.blob is not None:
                    alone = {need.publication for need in event.work.needs} <= set(keys)
                    (mine if alone else others).add(reply.blob.digest)
        return mine - others

    async def _say(self, events: Iterable[Event]) -> None:
        await self._sender.send([message(event) for event in events], _SERVICE)


async def _until(is_done: Callable[[], Awaitable[bool]], wait_s: float, clock: Clock) -> bool:
    """Look again and again whether it is done; False if it is not in this time."""
    until_s = clock.monotonic_s() + wait_s
    while not await is_done():
        if clock.monotonic_s() >= until_s:
            return False
        await clock.sleep(LOOK_S)
    return True
