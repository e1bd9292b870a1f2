"""What is asked of the outside: needs gathered into works, the steps of resources, questions on their way.

What a resource says goes to the merger, what it wants is asked. After a crash, questions that were on their way are
asked on.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Final

from pubweave.contract.codec import encode
from pubweave.contract.exchange import Reply, Work
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.resource_done import ResourceDone
from pubweave.contract.vocabulary import ResourceName
from pubweave.core.merging.reach import Reach
from pubweave.core.merging.state import Found
from pubweave.core.toolkit.service import Context, Said, Service
from pubweave.doors.fetcher.regather import RecordedBatch, Regatherer
from pubweave.ports import Clock, Fetching, Store
from pubweave.runtimes.breaking import broken_door
from pubweave.runtimes.embedded.batcher import Gatherer
from pubweave.runtimes.embedded.delivery import Delivery
from pubweave.runtimes.embedded.rounds import Rounds
from pubweave.runtimes.embedded.tasks import Tasks
from pubweave.runtimes.messages.resources import DOOR_WAITS_MS
from pubweave.runtimes.rows import read_as
from pubweave.runtimes.steps import Steps, said_by

LINGER_STEP_S: Final = 0.02
"""How often part-full batches are looked at."""

PATIENCE_MS: Final = 20
"""For each question under way a part-full batch waits so long, if that is longer than its `linger_ms`: answers that
may fill it are still to come, and the job takes longer than that anyway. A small job is not kept waiting."""

LONGEST_PATIENCE_MS: Final = 10_000


class Questions:
    """Asks a door what resources want to know."""

    def __init__(
        self,
        services: Mapping[ResourceName, Service],
        context: Context,
        door: Fetching,
        steps: Steps,
        store: Store,
        delivery: Delivery,
        clock: Clock,
        tasks: Tasks,
        rounds: Rounds,
        recorded: Sequence[RecordedBatch],
        nobody_reached: Callable[[], Coroutine[None, None, None]],
    ) -> None:
        """
        :param recorded: when the door replays: which needs were asked for together
        :param nobody_reached: ends what is left of all jobs
        """
        self._services = services
        self.context = context
        self._door = door
        self._steps = steps
        self.reach = Reach()
        """Whether there is a network, as far as the jobs under way tell."""
        self._store = store
        self._delivery = delivery
        self._clock = clock
        self._tasks = tasks
        self._rounds = rounds
        self._nobody_reached = nobody_reached
        self._gatherers: dict[ResourceName, Gatherer | Regatherer] = {
            name: Regatherer(name, recorded) if recorded else Gatherer(service, clock, alone=context.no_batch)
            for name, service in self._services.items()
        }
        self._outstanding: dict[ResourceName, int] = dict.fromkeys(self._services, 0)
        self._timer: asyncio.TimerHandle | None = None
        self._asked_for: dict[str, set[str]] = {}
        self._asked_for_resource: dict[str, ResourceName] = {}
        """Questions on their way, the needs that wait for each, and whose it is."""
        self._on_their_way: dict[str, ReplyWanted] = {}
        """Questions of before a crash, by the needs they are asked for."""
        self._taken_up: set[str] = set()
        """Those of them that are asked again already: each need comes by itself, the question is one."""
        self._later: dict[str, tuple[str, int]] = {}
        """Questions that wait before they are asked (again): by ask, whose turn it is then and when (UNIX ms)."""
        self._closing = False
        """Nothing is asked any more; what is heard is written still."""

    def close(self) -> None:
        """Ask nothing any more."""
        self._closing = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    @property
    def under_way(self) -> int:
        """How many works have no end yet."""
        return sum(self._outstanding.values())

    @property
    def idle(self) -> bool:
        """Nothing is under way, nor waits to be asked."""
        return not self.under_way and not any(map(len, self._gatherers.values()))

    def asked_later(self) -> list[str]:
        """Who will be asked again, and when: nobody else knows of these questions meanwhile."""
        units: dict[str, list[int]] = {}
        for unit, at_ms in self._later.values():
            units.setdefault(unit, []).append(at_ms)
        return [
            f"{unit}: asked again at {datetime.fromtimestamp(min(times) / 1000, UTC):%H:%M:%S} UTC, "
            + ("1 question" if len(times) == 1 else f"{len(times)} questions")
            for unit, times in units.items()
        ]

    # --- needs

    async def take_up(self) -> None:
        """After a crash: what was on its way is asked again when its needs come."""
        for _, body in await self._store.pending():
            wanted = read_as(ReplyWanted, body)
            for need in wanted.work.needs:
                self._on_their_way[need.need] = wanted

    def take(self, needs: Iterable[NeedsPart], superseded: set[str]) -> None:
        """Something is to be asked, and something not any more."""
        if superseded:
            self._let_go(superseded)
        for need in needs:
            wanted = self._on_their_way.pop(need.need, None)
            if wanted is None:
                if need.need not in superseded:
                    self._gatherers[need.resource].add(need)
            elif wanted.ask not in self._taken_up:
                self._taken_up.add(wanted.ask)
                self._outstanding[need.resource] += 1
                self._tasks.spawn(self._ask(wanted))
        self._hand_over()

    def _let_go(self, needs: set[str]) -> None:
        """Needs that nobody waits for: not asked if they have not been; a question on its way for nothing
        else runs to its end (its attempt has an outcome too), but nothing waits for it."""
        for gatherer in self._gatherers.values():
            gatherer.drop(needs)
        for ask, left in list(self._asked_for.items()):
            if left & needs:
                left -= needs
                if not left:
                    resource = self._asked_for_resource.pop(ask)
                    del self._asked_for[ask]
                    self._outstanding[resource] -= 1

    def _hand_over(self) -> None:
        """Full batches at once; part-full ones when nothing under way could fill them, or after a while."""
        if self._closing:
            return
        quiet = self._rounds.idle and not self.under_way
        now = self._clock.monotonic_s()
        patience_ms = min(PATIENCE_MS * self.under_way, LONGEST_PATIENCE_MS)
        later = False
        for name, gatherer in self._gatherers.items():
            while (needs := gatherer.full()) is not None:
                self._begin(name, needs)
                quiet = False
            waited_ms = 1000 * (now - gatherer.oldest_s) if len(gatherer) else 0.0
            if len(gatherer) and (quiet or waited_ms >= max(patience_ms, gatherer.linger_ms)):
                needs = gatherer.rest()
                if needs is not None:
                    self._begin(name, needs)
                    quiet = False
            later = later or bool(len(gatherer))
        if later and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(LINGER_STEP_S, self._tick)

    def _tick(self) -> None:
        self._timer = None
        self._hand_over()

    def _begin(self, name: ResourceName, needs: tuple[NeedsPart, ...]) -> None:
        work = Work(resource=name, needs=needs)
        self._outstanding[name] += 1
        self._step(work, None, "")

    def _step(self, work: Work, reply: Reply | None, asked: str) -> None:
        """One pure step of a resource; what it says goes to the merger, what it wants is asked."""
        self._take(work, said_by(self._services[work.resource], work, reply, self.context), asked)

    def _take(self, work: Work, said: list[Said], asked: str) -> None:
        wanted = [one for one in said if isinstance(one, ReplyWanted)]
        found = [one for one in said if not isinstance(one, ReplyWanted)]
        self._outstanding[work.resource] += len(wanted) - 1
        self._rounds.put(partial(self._note, asked, wanted if asked else [], found))
        for one in wanted:
            self._tasks.spawn(self._ask(one))

    async def _note(self, asked: str, wanted: list[ReplyWanted], found: list[Found | ResourceDone]) -> None:
        if asked:
            await self._store.drop_pending([asked])
        for one in wanted:
            await self._store.put_pending(one.ask, encode(one))
        if found:
            await self._delivery.hear(found)

    async def _ask(self, wanted: ReplyWanted) -> None:
        if self._closing:
            return
        if self.reach.nobody:  # its lines are being parked
            self._outstanding[wanted.work.resource] -= 1
            self._rounds.put(partial(self._note, wanted.ask, [], []))
            return
        if wanted.ask in self._asked_for:  # the same question is on its way: its reply answers both
            self._outstanding[wanted.work.resource] -= 1
            self._tasks.moved()
            return
        self._asked_for[wanted.ask] = {need.need for need in wanted.work.needs}
        self._asked_for_resource[wanted.ask] = wanted.work.resource
        if wanted.delay_ms > DOOR_WAITS_MS:
            self._later[wanted.ask] = (wanted.unit, self._clock.now_ms() + wanted.delay_ms)
            try:
                await self._clock.sleep(wanted.delay_ms / 1000)
            finally:
                del self._later[wanted.ask]
        try:
            reply = await self._door.fetch(wanted)
        except Exception as bug:  # noqa: BLE001  # a door that breaks costs one question, not the run
            reply = broken_door(wanted, bug, self._clock.now_ms())
        if self.reach.heard(wanted.unit, reply):
            self._tasks.spawn(self._nobody_reached())
        said: list[Said] = []
        if wanted.ask in self._asked_for:
            service = self._services[wanted.work.resource]
            said = await self._steps.said(service, wanted.work, reply, self.context)
        if wanted.ask in self._asked_for:  # still: meanwhile its needs may have been let go
            del self._asked_for[wanted.ask], self._asked_for_resource[wanted.ask]
            self._take(wanted.work, said, wanted.ask)
        else:
            self._rounds.put(partial(self._note, wanted.ask, [], []))
