"""The merger as a hearer of messages. Four owners in one, told apart by topic:

    fetch-requested   the submission: which publication a line leads to
    submissions-settled   the same: whether one more of a large job may be under way
    part-candidates   the publication: its runs, needs, findings, record; who it is
    new-ids           the identifier: which publication holds it
    jobs              the job: when its withheld lines get their second chance
    webpages          the web page or doc: its runs, what they gave, its record

Nobody looks into what another owns. Claims go from the publication to the identifier; where that is held, on to
the holder, which alone knows its final identifiers; the answer comes back among the claimant's facts.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from pubweave.contract.codec import encode
from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.identifier_asked import IdentifierAsked
from pubweave.contract.job_closed import JobClosed
from pubweave.contract.kinds import Event
from pubweave.contract.line_standing import LineStanding
from pubweave.contract.new_id import NewId
from pubweave.contract.submission_settled import SubmissionSettled
from pubweave.contract.submissions_entered import SubmissionsEntered
from pubweave.contract.vocabulary import IdentifierKind
from pubweave.core.judging import Refusal
from pubweave.core.merging.decide import Abilities
from pubweave.merger.handler import answer_claim
from pubweave.ports import Blobs, Clock, Store, StoredSubmission
from pubweave.runtimes.lost import gone_of_page, gone_of_publication
from pubweave.runtimes.messages.delays import delayed
from pubweave.runtimes.messages.effects import AT_DEADLINE, Effects
from pubweave.runtimes.messages.jobs import Jobs
from pubweave.runtimes.messages.owner import Loading, Owner
from pubweave.runtimes.messages.webpages import LoadingPages, WebpageOwner, key_of

KEPT: Final = 20_000
"""Publications in memory; the others are loaded from the Store when something is heard of them."""

IN_FLIGHT: Final = 1_000
"""Lines of large jobs under way in one process."""

SLOT_MS: Final = 300_000
"""After this time a line holds up nobody any more: it waits for hours, or for its second chance."""


class Merger:
    """One member of the group `merger`."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        abilities: Abilities,
        *,
        second_chance: bool = True,
        kept: int = KEPT,
        in_flight: int = IN_FLIGHT,
        blobs: Blobs | None = None,
        load: Loading | None = None,
        load_page: LoadingPages | None = None,
    ) -> None:
        """
        :param blobs: where long contents lie: erasing takes them away, and what is gone is fetched anew
        :param load: see `Owner`
        :param load_page: see `WebpageOwner`
        """
        self._store = store
        self._blobs = blobs
        self._clock = clock
        self.owner = Owner(
            store, clock, abilities, second_chance=second_chance, kept=kept, blobs=blobs, load=load
        )
        self.pages = WebpageOwner(
            store, clock, second_chance=second_chance, kept=kept, blobs=blobs, load=load_page
        )
        self._jobs = Jobs(store, clock)
        self._holders: dict[tuple[IdentifierKind, str], str] = {}
        self._foreseen: dict[tuple[str, int], StoredSubmission | None] = {}
        """Lines of this batch."""
        self._others_hold: dict[tuple[IdentifierKind, str], str] = {}
        """Who holds the identifiers of these lines, which others own."""
        self._kept = kept
        self._in_flight = in_flight
        self._under_way: dict[str, int] = {}
        """Lines of large jobs that were entered here, and when."""

    def room(self) -> int:
        """How many more lines of large jobs may be under way. More wait on the bus, so that neither memory nor those
        who ask for one publication have to bear a million."""
        now_ms = self._clock.now_ms()
        while self._under_way:
            submission, entered_ms = next(iter(self._under_way.items()))
            if now_ms - entered_ms < SLOT_MS:
                break
            del self._under_way[submission]
        return max(0, self._in_flight - len(self._under_way))

    def keep_places(self, is_heard: Callable[[str], bool]) -> None:
        """Partitions have moved: lines whose end is told to others hold no place here any more.

        :param is_heard: whether the end of this submission is told to this process
        """
        self._under_way = {one: at for one, at in self._under_way.items() if is_heard(one)}

    async def hear(self, topic: str, event: Event, effects: Effects) -> None:
        """See `Hearer`."""
        if isinstance(event, SubmissionSettled):
            self._under_way.pop(f"{event.job}.{event.line:09d}", None)
        elif isinstance(event, FetchRequested):
            await self._enter(event, effects)
        elif topic == "new-ids":
            assert isinstance(event, NewId)
            await self._identify(event, effects)
        elif topic == "webpages":
            await self.pages.hear(event, effects)
        elif isinstance(event, LineStanding | JobClosed):
            await self._jobs.hear(event, effects)
        else:
            await self.owner.hear(event, effects)

    async def refuse(self, refusal: Refusal, effects: Effects) -> bool:
        """See `Refusing`: `refused` is the outcome of the line, unless another message was taken for it before."""
        line = refusal.line
        assert line is not None
        place = (line.job, line.line)
        stored = self._foreseen.get(place) or await self._store.submission(*place)
        if stored is not None:
            return stored.outcome == "refused"
        settled = SubmissionSettled(
            job=line.job,
            line=line.line,
            identifiers=line.identifiers,
            outcome="refused",
            reason=refusal.reason,
            fetched=False,
            correlation_id=line.correlation_id,
            idempotency_key=line.idempotency_key,
            settled_at=self._clock.now_ms(),
        )
        entry = StoredSubmission(line.job, line.line, encode(line), "", encode(settled), settled.outcome)
        self._foreseen[place] = entry
        effects.settle(settled, None)
        effects.say(settled)
        effects.say(LineStanding(job=line.job, line=line.line, publication="", said="settled"))
        effects.follow(line.submission, lambda: self._store.put_submission(entry))
        return True

    async def foresee(self, messages: Sequence[tuple[str, Event]]) -> None:
        """See `Foreseeing`. Nothing else is known by it than what `hear` would find itself."""
        lines = [event for _, event in messages if isinstance(event, FetchRequested)]
        claims: list[tuple[IdentifierKind, str]] = [
            (event.id_kind, event.value)
            for topic, event in messages
            if topic == "new-ids" and isinstance(event, NewId)
        ]
        wanted = list(dict.fromkeys(one for line in lines for one in line.identifiers.known()))
        new = list(dict.fromkeys(one for one in claims if one not in self._holders))
        places = list(dict.fromkeys((line.job, line.line) for line in lines))
        held, stored, _ = await asyncio.gather(
            self._store.holders([*wanted, *new]),
            asyncio.gather(*(self._store.submission(*place) for place in places)),
            self.owner.foresee([event for topic, event in messages if topic == "part-candidates"]),
        )
        self._holders |= {one: held.get(one, "") for one in new}
        self._others_hold = {one: held.get(one, "") for one in wanted}
        self._foreseen = dict(zip(places, stored, strict=True))

    async def end_of_batch(self, effects: Effects) -> None:
        """Nothing is put off: what follows from a message does not depend on its batch."""
        self._foreseen.clear()
        self._others_hold.clear()

    def rest(self) -> None:
        """Keep in memory only what is waited for; all effects must be durable."""
        self.owner.rest()
        self.pages.rest()
        self._holders.clear()
        self._foreseen.clear()

    def durable(self) -> None:
        self.owner.trim()
        self.pages.trim()
        if len(self._holders) > 4 * self._kept:
            self._holders.clear()

    def forget(self) -> None:
        self.owner.forget()
        self.pages.forget()
        self._jobs.forget()
        self._holders.clear()
        self._foreseen.clear()
        self._others_hold.clear()

    # --- the submission

    async def _enter(self, requested: FetchRequested, effects: Effects) -> None:
        """Which publication or page the line leads to is written before it is said: heard again, it is the same."""
        place = (requested.job, requested.line)
        known = place in self._foreseen
        stored = self._foreseen[place] if known else await self._store.submission(*place)
        if stored is not None and stored.settled:
            return
        if requested.lane == "bulk" and self._in_flight:
            self._under_way[requested.submission] = self._clock.now_ms()
        key = stored.publication if stored is not None else ""
        if not key:
            key = key_of(requested) or await self._publication_of(requested)
            entry = StoredSubmission(requested.job, requested.line, encode(requested), key)
            self._foreseen[place] = entry
            effects.first.append(lambda: self._store.put_submission(entry))
        now_ms = self._clock.now_ms()
        entered = SubmissionsEntered(
            publication=key,
            lines=(requested,),
            entered_at=now_ms,
            gone=await self._gone(requested, key),
        )
        effects.say(entered)
        if requested.deadline_at > now_ms:
            parked = msgspec.structs.replace(entered, park=AT_DEADLINE, entered_at=0, gone=())
            effects.say(delayed(parked, requested.deadline_at))

    async def _gone(self, requested: FetchRequested, key: str) -> tuple[str, ...]:
        """What the record names and is stored no more; looked up here, so that whoever decides does so by what he is
        told, as with the time."""
        if self._blobs is None or key == requested.submission:
            return ()
        if requested.entry == "publication":
            return await gone_of_publication(self._store, self._blobs, key)
        return await gone_of_page(self._store, self._blobs, requested.entry, requested.url)

    async def _publication_of(self, requested: FetchRequested) -> str:
        names = requested.identifiers.known()
        lacking = [name for name in names if name not in self._others_hold]
        found = dict(await self._store.holders(lacking)) if lacking else {}
        holders = [self._others_hold.get(name) or found.get(name, "") for name in names]
        keys = [await self._store.resolve(holder) for holder in dict.fromkeys(holders) if holder]
        return min(keys) if keys else requested.submission

    # --- the identifier

    async def _identify(self, claim: NewId, effects: Effects) -> None:
        identifier = (claim.id_kind, claim.value)
        holder = await self._holder(identifier)
        if claim.said == "released":
            await self._release(identifier, holder, claim, effects)
        elif holder and holder != claim.publication:
            effects.say(IdentifierAsked(publication=holder, claim=claim))
        else:
            if not holder:
                self._hold(identifier, claim.publication, effects)
            effects.say(answer_claim(claim, "granted"))

    async def _release(
        self, identifier: tuple[IdentifierKind, str], holder: str, released: NewId, effects: Effects
    ) -> None:
        if released.holder:
            self._hold(identifier, released.holder, effects)
            return
        if holder and released.publication in (holder, await self._store.resolve(holder)):
            self._holders[identifier] = ""
            effects.follow(_told(identifier), lambda: self._store.release(holder, [identifier]))
            return
        stored = (await self._store.holders([identifier])).get(identifier, "")
        if stored != released.publication:
            return
        # Whoever owned the identifier before and stood still has written since; what is known here holds.
        if holder:
            self._hold(identifier, holder, effects)
        else:
            effects.follow(_told(identifier), lambda: self._store.release(stored, [identifier]))

    async def _holder(self, identifier: tuple[IdentifierKind, str]) -> str:
        """Whom it leads to, as this owner has written it; whether that one has joined another, it knows itself."""
        known = self._holders.get(identifier)
        if known is None:
            known = (await self._store.holders([identifier])).get(identifier, "")
            self._holders[identifier] = known
        return known

    def _hold(self, identifier: tuple[IdentifierKind, str], publication: str, effects: Effects) -> None:
        self._holders[identifier] = publication
        effects.follow(_told(identifier), lambda: self._store.hold(publication, [identifier]))


def _told(identifier: tuple[str, str]) -> str:
    return ":".join(identifier)
