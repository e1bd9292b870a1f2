"""The simulated bus: everything that Kafka allows happens here thousands of times a minute, in one thread and seeded; a seed
that fails, fails again (design law 8). One `step` is one thing that happens: a batch, a rebalance, a late effect, time.

What is kept of Kafka: order within a partition of what one producer sends; everything since the last committed
offset is delivered again after a crash or when a partition moves; members read ahead of what they hear, and what they
have in hand is read again by whoever has the partition next; who has lost a partition may still finish what it was at
and hear what it has in hand, but cannot commit, except on a paced topic (`groups.PACED`), which anybody may. What is kept of Cassandra: each write is whole; writes of different owners
interleave as they like.
"""

import asyncio
import random
import zlib
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterable
from typing import Final, NamedTuple

import msgspec

from pubweave.adapters.memory import MemoryStorage
from pubweave.contract.cloudevents import from_headers
from pubweave.contract.codec import decode, version_of
from pubweave.contract.exchange import Reply
from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.job_closed import JobClosed
from pubweave.contract.kinds import Event, kind_of
from pubweave.contract.reply_received import ReplyReceived
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.vocabulary import ResourceName
from pubweave.core.merging.decide import Abilities
from pubweave.core.reading.rules import RuleBook
from pubweave.core.toolkit.service import Context, Service
from pubweave.core.toolkit.webpage_asking import WebpageService
from pubweave.materialiser.handler import Materialiser
from pubweave.ports import Fetching
from pubweave.runtimes.messages.asking import Asking
from pubweave.runtimes.messages.delivered import delivered
from pubweave.runtimes.messages.doors import PageDoor, Showing
from pubweave.runtimes.messages.driving import PutAside, hear_batch
from pubweave.runtimes.messages.effects import Delivered, Effects, Hearer, Message, Tombstone, message
from pubweave.runtimes.messages.frames import Frame, body_of, framed, headers_of, opened
from pubweave.runtimes.messages.groups import PACED, topics_heard_by
from pubweave.runtimes.messages.merger import SLOT_MS, Merger
from pubweave.runtimes.messages.resources import Door, Resource
from pubweave.runtimes.messages.webpages import PageResource
from pubweave.scheduler.handler import Scheduler
from simulation.clock import SimulatedClock

MOST_STEPS: Final = 100_000


class NoDoor:
    """Stands where a door is not installed: every question has an answer."""

    def __init__(self, name: str) -> None:
        self._name = name

    async def fetch(self, wanted: ReplyWanted) -> Reply:
        return Reply(outcome="no-door", url=wanted.request.url, evidence=f"there is no {self._name} here")


class Faults(NamedTuple):
    """How often things go wrong: chances for each batch or step."""

    crash: float = 0.05
    """Before, after or between the effects of a batch."""
    pause: float = 0.03
    """A member loses its partition in the middle of a batch, and does its effects later all the same."""
    repeat: float = 0.05
    """A message is sent twice."""
    rebalance: float = 0.03
    still: float = 0.0
    """A member stands still for a while, often until others have its partitions, and then goes on with what it has in
    hand, knowing nothing of it."""


NO_FAULTS: Final = Faults(0.0, 0.0, 0.0, 0.0, 0.0)


class Stuck(Exception):
    """The system did not come to rest."""


class _Crash(Exception):
    pass


_REPLIES: Final = "page-replies"
_CRASHES: Final = 5
"""In the middle of one page. A machine that ended at every step for ever would never show it, and each try leaves
questions that others answer meanwhile."""
_TURNS: Final = 25
"""How far pages come between two steps, in turns of the event loop."""


class _Place(NamedTuple):
    group: str
    topic: str
    partition: int


class _Hand:
    """What the owner of a partition has read and not yet heard."""

    def __init__(self, position: int) -> None:
        self.position = position
        """Where it reads on."""
        self.messages: deque[Delivered] = deque()


class _Still(NamedTuple):
    """A member that stands still."""

    until: int
    """The step at which it goes on."""
    expires: int
    """The step at which its partitions go to others."""
    lost: dict[_Place, _Hand]
    """What it had in hand of those."""


_Effect = Callable[[], Awaitable[None]]


class _Mailbox:
    """The answers that one process reads: everything on the partition of its address since its start."""

    def __init__(self, asking: Asking, partition: int, read: int) -> None:
        self.asking = asking
        self.partition = partition
        self.read = read


class _UnderWay(NamedTuple):
    """A page that a member renders; meanwhile everything else goes on."""

    place: _Place
    member: int
    next: int
    task: "asyncio.Task[PutAside]"


class SimulatedSystem:
    """All services over one memory.

    :param seed: of everything that happens
    :param door: the outside
    :param members: of each group
    :param partitions: of each topic
    :param at_once: how many messages a batch has at most
    :param pages: the resources of web pages and docs, if there are any
    :param renderer: makes the renderer of each process; without it there is no browser anywhere
    """

    def __init__(
        self,
        seed: int,
        services: Iterable[Service],
        door: Fetching,
        *,
        context: Context | None = None,
        faults: Faults = NO_FAULTS,
        second_chance: bool = True,
        members: int = 2,
        partitions: int = 3,
        kept: int = 3,
        in_flight: int = 1_000,
        at_once: int = 8,
        pages: Iterable[WebpageService] = (),
        renderer: Callable[[], Showing] | None = None,
    ) -> None:
        self.storage = MemoryStorage()
        self.clock = SimulatedClock()
        self.log: dict[str, list[list[Delivered]]] = {}
        """All messages ever sent, by topic and partition."""
        self.gone: list[tuple[str, int, str, int]] = []
        """Records without value: topic, partition, key, and how many messages of the partition came before."""
        self.strangers = False
        """Others than this system have said something, so there may be dead letters."""
        self.crashes = 0
        self.late_effects = 0
        self.heard_late = 0
        """Messages that were heard by members who had lost their partitions without knowing."""
        self.history: list[str] = []
        """What happened, step by step; the same for the same seed."""
        self._rng = random.Random(seed)
        self._ahead = random.Random(seed)
        """Of how far members read ahead, which nobody notices who does not stand still."""
        self._services: dict[ResourceName, Service] = {service.name: service for service in services}
        self._pages: dict[ResourceName, WebpageService] = {service.name: service for service in pages}
        self._door = door
        self._context = context or Context()
        self._faults = faults
        self._second_chance = second_chance
        self._partitions = partitions
        self._kept = kept
        self._in_flight = in_flight
        self._at_once = at_once
        self._committed: dict[_Place, int] = {}
        self._owners: dict[_Place, int] = {}
        self._hands: dict[_Place, _Hand] = {}
        self._still: dict[tuple[str, int], _Still] = {}
        self._crashed: Counter[tuple[_Place, int]] = Counter()
        """How often a member crashed in the middle of a page, by where the page was asked for."""
        self._steps = 0
        self._late: list[list[_Effect]] = []
        self._hearers: dict[str, list[Hearer]] = {}
        self._renderer = renderer
        self._addresses = 0
        self._mailboxes: dict[int, _Mailbox] = {}
        """By member of the renderer's group."""
        self._under_way: dict[_Place, _UnderWay] = {}
        self._lost: list[_UnderWay] = []
        """Pages of members that do not know yet that they have lost them."""
        doors = ("renderer", "pdf_reader") if self._pages or renderer is not None else ()
        for group in (
            "merger",
            "fetcher",
            "materialiser",
            "scheduler",
            *self._services,
            *doors,
            *self._pages,
        ):
            self._hearers[group] = [self._make(group, member) for member in range(members)]
            for topic in topics_heard_by(group):
                for partition in range(partitions):
                    place = _Place(group, topic, partition)
                    self._committed[place] = 0
                    self._hands[place] = _Hand(0)
                    self._owners[place] = self._rng.randrange(members)

    def _make(self, group: str, member: int) -> Hearer:
        store, blobs = self.storage.store, self.storage.blobs
        match group:
            case "merger":
                return Merger(
                    store,
                    self.clock,
                    Abilities(frozenset(self._services), self._context.max_links),
                    second_chance=self._second_chance,
                    kept=self._kept,
                    in_flight=self._in_flight,
                    blobs=blobs,
                )
            case "fetcher":
                return Door(self._door, blobs, self.clock)
            case "materialiser":
                return Materialiser(store)
            case "scheduler":
                return Scheduler(store)
            case "renderer" if self._renderer is not None:
                self._addresses += 1
                asking = Asking(f"renderer {self._addresses}", self._ask, blobs, self.clock)
                partition = zlib.crc32(asking.address.encode()) % self._partitions
                read = self._end(_Place(group, _REPLIES, partition))
                self._mailboxes[member] = _Mailbox(asking, partition, read)
                return PageDoor(self._renderer(), asking, blobs, self.clock)
            case "renderer" | "pdf_reader":
                return Door(NoDoor(group), blobs, self.clock)
            case "webpages" | "docs":
                return PageResource(self._pages[group], self._context, blobs, self.clock)
            case _:
                service = next(one for one in self._services.values() if one.name == group)
                return Resource(service, self._context, blobs, self.clock)

    # --- what is put in and taken out

    def submit(self, *lines: FetchRequested) -> None:
        self.say(*lines)

    def say(self, *events: Event) -> None:
        """As somebody outside the system."""
        for event in events:
            self._send(message(event))

    def deliver(self, stranger: Delivered, partition: int = 0) -> None:
        """A message of any bytes, as somebody who knows nothing of events puts it into a topic."""
        self.strangers = True
        partitions = self.log.setdefault(stranger.topic, [[] for _ in range(self._partitions)])
        to = partitions[partition % self._partitions]
        to.append(stranger._replace(offset=len(to)))

    def _put_aside(self, place: _Place, aside: PutAside) -> None:
        if aside.broken or (aside.letters and not self.strangers):
            raise AssertionError(f"{aside} of {place.topic}: {self.events('dead-letters')[-1:]}")

    def use_rules(self, rules: RuleBook | None) -> None:
        """Other rules for pages from now on, in every process."""
        self._context = msgspec.structs.replace(self._context, rules=rules)
        for hearers in self._hearers.values():
            for hearer in hearers:
                if isinstance(hearer, Resource | PageResource):
                    hearer.use_rules(rules)

    def close_job(self, job: str, lines: int) -> None:
        """Say that no more lines will come."""
        self._send(message(JobClosed(job=job, lines=lines)))

    def events(self, topic: str) -> list[Event]:
        """Everything said on a topic, partition by partition."""
        return [
            decode(one.kind, one.version, one.body)
            for partition in self.log.get(topic, [])
            for message in partition
            for one in opened(message)
        ]

    def kept(self, topic: str) -> list[Event]:
        """What a compaction leaves of a topic: of each key the newest, and nothing that a record without value came
        after."""
        found: list[Event] = []
        for number, partition in enumerate(self.log.get(topic, [])):
            newest: dict[str, tuple[int, Delivered | None]] = {
                one.key: (offset, one) for offset, one in enumerate(partition)
            }
            for of_topic, of_partition, key, before in self.gone:
                if (of_topic, of_partition) == (topic, number) and newest.get(key, (-1, None))[0] < before:
                    newest[key] = (before, None)
            found += [
                decode(one.kind, one.version, one.body)
                for _, message in newest.values()
                if message is not None
                for one in opened(message)
            ]
        return found

    def _bury(self, one: Tombstone) -> None:
        partitions = self.log.setdefault(one.topic, [[] for _ in range(self._partitions)])
        number = self._partition(one.key)
        self.gone.append((one.topic, number, one.record_key, len(partitions[number])))

    def _partition(self, key: str) -> int:
        return zlib.crc32(key.encode()) % self._partitions

    def _send(self, sent: Message | Frame) -> None:
        partitions = self.log.setdefault(sent.topic, [[] for _ in range(self._partitions)])
        key = sent.key or str(self._rng.random())
        partition = partitions[self._partition(key)]
        if isinstance(sent, Frame):
            now_ms = self.clock.now_ms()
            told = headers_of(sent, "simulated", now_ms)
            body, name = body_of(sent, "simulated", now_ms), sent.record_key.encode()
            partition.append(delivered(sent.topic, name, body, told, len(partition)))
            return
        if sent.event is None:
            kind, version = from_headers(sent.headers).kind_and_version()
        else:
            kind, version = kind_of(sent.event), version_of(sent.event)
        partition.append(
            Delivered(
                sent.topic, kind, version, sent.body, sent.record_key, len(partition), headers=sent.headers
            )
        )

    # --- what happens

    async def run(self) -> None:
        """Until nothing is left to be heard, said or waited for.

        :raises Stuck: that does not come
        """
        try:
            for _ in range(MOST_STEPS):
                if not await self.step():
                    return
        finally:
            await _end([one.task for one in (*self._under_way.values(), *self._lost)])
        raise Stuck(f"not at rest after {MOST_STEPS} steps; the last: {self.history[-5:]}")

    async def step(self) -> bool:
        """One thing happens; False if nothing is left to happen."""
        rng = self._rng
        self.clock.advance(rng.randrange(20))
        self._steps += 1
        if rng.random() < self._faults.rebalance:
            self._rebalance()
        if self._faults.still and rng.random() < self._faults.still:
            self._stand_still()
        if await self._time_passes_for_those_who_stand_still():
            return True
        if self._late and rng.random() < 0.2:
            await self._do_late_effect()
            return True
        if self._renderer is not None and await self._pages_go_on():
            return True
        behind = [
            place
            for place in self._committed
            if self._waits(place)
            and place not in self._under_way
            and (place.group, self._owners[place]) not in self._still
        ]
        ready = [place for place in behind if self._room(place)]
        if behind and not ready and not self._late:
            self.clock.advance(SLOT_MS)
            return True
        behind = ready
        if behind:
            await self._batch(rng.choice(behind))
            return True
        if self._late:
            await self._do_late_effect()
            return True
        if self._still:
            self._steps = max(self._steps, min(one.until for one in self._still.values()))
            return True
        if self._under_way or self._lost:
            return await self._pass_time() or True
        return await self._pass_time()

    def _end(self, place: _Place) -> int:
        partitions = self.log.get(place.topic)
        return len(partitions[place.partition]) if partitions else 0

    def _waits(self, place: _Place) -> bool:
        """There is something for its owner to hear."""
        if self._is_page(place):
            return self._end(place) > self._committed[place]
        hand = self._hands[place]
        return bool(hand.messages) or self._end(place) > hand.position

    def _is_page(self, place: _Place) -> bool:
        return place.group == "renderer" and self._renderer is not None

    def _room(self, place: _Place) -> int:
        """How many messages of this partition its owner hears now."""
        return self._room_of(place, self._owners[place])

    def _room_of(self, place: _Place, member: int) -> int:
        paced = PACED.get(place.group)
        if paced is None or paced.topic != place.topic:
            return self._at_once
        hearer = self._hearers[place.group][member]
        return min(hearer.room(), self._at_once) if isinstance(hearer, Merger) else self._at_once

    async def _batch(self, place: _Place) -> None:
        if self._is_page(place):
            self._begin_page(place)
            return
        most = self._rng.randint(1, self._room(place))
        hand, member = self._hands[place], self._owners[place]
        self._read_ahead(place, hand, most + self._ahead.randrange(2 * self._at_once))
        batch = [hand.messages.popleft() for _ in range(min(most, len(hand.messages)))]
        self.history.append(f"{place.group}/{member} hears {len(batch)} of {place.topic}/{place.partition}")
        end = hand.position - len(hand.messages)
        if await self._hear(place, member, batch):
            self._committed[place] = end

    def _read_ahead(self, place: _Place, hand: _Hand, most: int) -> None:
        """Have so many messages in hand, if there are so many."""
        end = hand.position + max(0, most - len(hand.messages))
        read = self.log[place.topic][place.partition][hand.position : end]
        hand.messages += read
        hand.position += len(read)

    async def _hear(self, place: _Place, member: int, batch: list[Delivered]) -> bool:
        """Whether it was heard and everything that follows is done; else the member has ended."""
        try:
            aside = await hear_batch(
                self._hearers[place.group][member], batch, self._apply, place.group, self.clock.now_ms
            )
        except _Crash:
            self._lose(place.group, member)
            return False
        self._put_aside(place, aside)
        return True

    async def _apply(self, effects: Effects) -> None:
        todo = self._effects(effects)
        if self._rng.random() < self._faults.pause:
            self.history.append(f"it pauses before its {len(todo)} effects")
            if todo:
                self._late.append(todo)
            raise _Crash
        crash_at = self._rng.randint(0, len(todo)) if self._rng.random() < self._faults.crash else -1
        for number, effect in enumerate(todo):
            if number == crash_at:
                break
            await effect()
        if crash_at >= 0:
            self.history.append(f"it crashes after {crash_at} of {len(todo)} effects")
            raise _Crash

    def _effects(self, effects: Effects) -> list[_Effect]:
        def writing(write: Callable[[], Awaitable[object]]) -> _Effect:
            async def do() -> None:
                await write()

            return do

        def sending(sent: Message | Frame) -> _Effect:
            async def do() -> None:
                self._send(sent)
                if self._rng.random() < self._faults.repeat:
                    self._send(sent)

            return do

        def burying(one: Tombstone) -> _Effect:
            async def do() -> None:
                self._bury(one)

            return do

        return [
            *map(writing, effects.first),
            *map(sending, framed(effects.said)),
            *map(burying, effects.gone),
            *map(writing, effects.writes(self.storage.store)),
        ]

    async def _do_late_effect(self) -> None:
        paused = self._rng.choice(self._late)
        await paused.pop(0)()
        self.late_effects += 1
        self.history.append("a paused member does one more effect")
        if not paused:
            self._late.remove(paused)

    def _lose(self, group: str, member: int) -> None:
        """A member ends; another one in its place knows nothing, and others take its partitions."""
        self.crashes += 1
        for page in (*self._under_way.values(), *self._lost):
            if (page.place.group, page.member) == (group, member):
                page.task.cancel()
                if self._under_way.get(page.place) is page:
                    del self._under_way[page.place]
        self._hearers[group][member] = self._make(group, member)
        self._still.pop((group, member), None)
        for place, owner in self._owners.items():
            if place.group == group and owner == member:
                self._hands[place] = _Hand(self._committed[place])
                if self._rng.random() < 0.5:
                    self._owners[place] = self._rng.randrange(len(self._hearers[group]))

    def _rebalance(self) -> None:
        group = self._rng.choice(list(self._hearers))
        self.history.append(f"{group} rebalances")
        # Who stands still takes no part in it and keeps what it has in hand.
        there = [member for member in range(len(self._hearers[group])) if (group, member) not in self._still]
        for member in there:
            self._hearers[group][member].forget()
        for place, owner in self._owners.items():
            if place.group == group and owner in there:
                self._owners[place] = self._rng.choice(there)
                self._hands[place] = _Hand(self._committed[place])
                if (page := self._under_way.pop(place, None)) is not None:
                    self._lost.append(page)
                    if self._rng.random() < 0.5:
                        page.task.cancel()

    # --- members that stand still

    def _stand_still(self) -> None:
        group = self._rng.choice(list(self._hearers))
        member = self._rng.randrange(len(self._hearers[group]))
        if group == "renderer" or (group, member) in self._still:
            return
        until = self._steps + self._rng.randrange(2, 80)
        self._still[group, member] = _Still(until, self._steps + self._rng.randrange(1, 80), {})
        self.history.append(f"{group}/{member} stands still")

    async def _time_passes_for_those_who_stand_still(self) -> bool:
        """Whether one of them has gone on, which is a step of its own."""
        for (group, member), still in list(self._still.items()):
            if still.until <= self._steps:
                await self._go_on(group, member)
                return True
            if still.expires <= self._steps:
                self._expire(group, member, still)
                self._still[group, member] = still._replace(expires=still.until)  # once
        return False

    def _expire(self, group: str, member: int, still: _Still) -> None:
        others = [
            one
            for one in range(len(self._hearers[group]))
            if one != member and (group, one) not in self._still
        ]
        if not others:
            return
        self.history.append(f"others have what was {group}/{member}'s")
        for one in others:
            self._hearers[group][one].forget()
        for place, owner in self._owners.items():
            if place.group == group and owner == member:
                still.lost[place] = self._hands[place]
                self._hands[place] = _Hand(self._committed[place])
                self._owners[place] = self._rng.choice(others)

    async def _go_on(self, group: str, member: int) -> None:
        """It hears what it has in hand, and only then that others have the partitions."""
        still = self._still.pop((group, member))
        self.history.append(f"{group}/{member} goes on")
        for place, hand in still.lost.items():
            batch = list(hand.messages)[: min(self._room_of(place, member), self._at_once)]
            if not batch:
                continue
            self.heard_late += len(batch)
            if not await self._hear(place, member, batch):
                return
            paced = PACED.get(group)
            if paced is not None and place.topic == paced.topic:
                self._committed[place] = hand.position - len(hand.messages) + len(batch)
        if still.lost:
            self._hearers[group][member].forget()

    # --- pages: what a member does for long, while everything else goes on

    async def _ask(self, wanted: ReplyWanted) -> None:
        self._send(message(wanted))
        if self._rng.random() < self._faults.repeat:
            self._send(message(wanted))

    def _begin_page(self, place: _Place) -> None:
        start, member = self._committed[place], self._owners[place]
        batch = self.log[place.topic][place.partition][start : start + 1]
        hearer = self._hearers[place.group][member]
        hearing = self._side_by_side(hearer, batch, place.group)
        self._under_way[place] = _UnderWay(place, member, start + 1, asyncio.ensure_future(hearing))
        self.history.append(f"{place.group}/{member} begins with {place.topic}/{place.partition}")

    async def _side_by_side(self, hearer: Hearer, batch: list[Delivered], group: str) -> PutAside:
        """As doors hear the events of a frame."""
        hearing = [
            asyncio.ensure_future(hear_batch(hearer, [one], self._apply, group, self.clock.now_ms))
            for message in batch
            for one in opened(message)
        ]
        try:
            heard = await asyncio.gather(*hearing)
        finally:
            for one in hearing:
                one.cancel()
        return PutAside(sum(one.letters for one in heard), sum(one.broken for one in heard), len(heard))

    async def _pages_go_on(self) -> bool:
        """Whether something happened that is a step of its own."""
        if self._under_way or self._lost:
            for _ in range(_TURNS):
                await asyncio.sleep(0)
        self._lost = [page for page in self._lost if not _is_over(page.task)]
        for place, page in list(self._under_way.items()):
            if not page.task.done():
                continue
            del self._under_way[place]
            try:
                aside = page.task.result()
            except _Crash:
                self._lose(place.group, page.member)
                return True
            self._put_aside(place, aside)
            self._committed[place] = page.next
            self.history.append(
                f"{place.group}/{page.member} has done one of {place.topic}/{place.partition}"
            )
        crashing = [
            page for page in self._under_way.values() if self._crashed[page.place, page.next] < _CRASHES
        ]
        if crashing and self._rng.random() < self._faults.crash:
            page = self._rng.choice(crashing)
            self._crashed[page.place, page.next] += 1
            self.history.append(f"{page.place.group}/{page.member} crashes in the middle of a page")
            self._lose(page.place.group, page.member)
            return True
        full = [
            box
            for box in self._mailboxes.values()
            if self._end(_Place("renderer", _REPLIES, box.partition)) > box.read
        ]
        if not full or self._rng.random() < 0.5:
            return False
        box = self._rng.choice(full)
        delivered = self.log[_REPLIES][box.partition][box.read]
        box.read += 1
        event = decode(delivered.kind, delivered.version, delivered.body)
        assert isinstance(event, ReplyReceived)
        box.asking.heard(event)
        self.history.append(f"{box.asking.address} hears an answer")
        return True

    async def _pass_time(self) -> bool:
        """Nothing is left to be heard: the next delayed event is due."""
        found = False
        for member, hearer in enumerate(self._hearers["scheduler"]):
            assert isinstance(hearer, Scheduler)
            hearer.forget()
            due_at = await hearer.next_due()
            if due_at is None:
                continue
            found = True
            self.clock.advance(max(0, due_at - self.clock.now_ms()))
            effects = Effects()
            said = await hearer.due(self.clock.now_ms(), 10, effects)
            self.history.append(f"scheduler/{member} says {said} again")
            try:
                await self._apply(effects)
            except _Crash:
                self._lose("scheduler", member)
        return found


async def _end(tasks: "list[asyncio.Task[PutAside]]") -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _is_over(task: "asyncio.Task[PutAside]") -> bool:
    """A page that nobody waits for: how it ended matters to nobody, but a fault of ours is told."""
    if not task.done():
        return False
    problem = None if task.cancelled() else task.exception()
    if problem is not None and not isinstance(problem, _Crash):
        raise problem
    return True
