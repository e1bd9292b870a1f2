"""The embedded system: lines in, finished records out, in one process.

    jobs (lines) ─► rounds (merger) ─► questions (gatherers ─► resource services ⇄ doors)
                        ▲                   │
                        └───── findings ◄───┘

`jobs` admits lines and tells their outcomes, `rounds` hears and writes, `delivery` passes on what the services of the
merger say to each other, `questions` asks. Here they are put together.
"""

import logging
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from pubweave import registry
from pubweave.adapters.clock import SystemClock
from pubweave.contract.vocabulary import ResourceName
from pubweave.core.merging.decide import Abilities
from pubweave.core.reading.rules import RuleBook
from pubweave.core.toolkit.service import Context, Service
from pubweave.doors.fetcher.regather import RecordedBatch
from pubweave.ports import Clock, Fetching
from pubweave.runtimes.embedded.delivery import Delivery, RoundOutputs
from pubweave.runtimes.embedded.jobs import IN_FLIGHT, EmbeddedJobs, Finished, JobSettings, Line, Progress
from pubweave.runtimes.embedded.questions import Questions
from pubweave.runtimes.embedded.rounds import Rounds
from pubweave.runtimes.embedded.storage import Storage
from pubweave.runtimes.embedded.tasks import Tasks
from pubweave.runtimes.steps import Here, Steps
from pubweave.runtimes.told import log_notes

if TYPE_CHECKING:
    from pubweave.runtimes.embedded.webpages import Webpages

_log = logging.getLogger(__name__)


class EmbeddedSystem:
    """Made by `over`, or by `opening.open_system`; `close` it, or use `async with`."""

    def __init__(
        self,
        storage: Storage,
        door: Fetching,
        services: Iterable[Service],
        context: Context,
        clock: Clock,
        *,
        in_flight: int = IN_FLIGHT,
        second_chance: bool = True,
        describe_waiting: Callable[[], list[str]] | None = None,
        recorded: Sequence[RecordedBatch] = (),
        steps: Steps | None = None,
    ) -> None:
        self.storage = storage
        self.door = door
        self.steps = steps or Here()
        self._clock = clock
        self._in_flight = max(1, in_flight)
        self.services: dict[ResourceName, Service] = {service.name: service for service in services}
        self.abilities = Abilities(frozenset(self.services), context.max_links)
        self.delivery = Delivery(
            storage.store, storage.log, storage.blobs, clock, self.abilities, second_chance=second_chance
        )
        self._tasks = Tasks()
        self.rounds = Rounds(
            storage.store,
            self.delivery,
            clock,
            self._tasks,
            self._follow,
            lambda: self.questions.under_way,
        )
        self.questions = Questions(
            self.services,
            context,
            door,
            self.steps,
            storage.store,
            self.delivery,
            clock,
            self._tasks,
            self.rounds,
            recorded,
            lambda: self._jobs.end_early(),
        )
        self._jobs = EmbeddedJobs(
            storage,
            self.delivery,
            clock,
            self._tasks,
            self.rounds,
            self.questions,
            self._in_flight,
            describe_waiting or list,
        )

    @classmethod
    def over(
        cls,
        storage: Storage,
        door: Fetching,
        context: Context | None = None,
        *,
        clock: Clock | None = None,
        in_flight: int = IN_FLIGHT,
        resources: Iterable[ResourceName] | None = None,
        second_chance: bool = True,
        describe_waiting: Callable[[], list[str]] | None = None,
        recorded: Sequence[RecordedBatch] = (),
        steps: Steps | None = None,
    ) -> "EmbeddedSystem":
        """A system over a storage and a door that somebody else opened and will close.

        :param recorded: when the door replays: which needs were asked for together
        :param steps: where replies are read; None: here, at once
        """
        names = registry.ON if resources is None else resources
        return cls(
            storage,
            door,
            [registry.service(name) for name in names],
            context or Context(),
            clock or SystemClock(),
            in_flight=in_flight,
            second_chance=second_chance,
            describe_waiting=describe_waiting,
            recorded=recorded,
            steps=steps,
        )

    async def __aenter__(self) -> "EmbeddedSystem":
        self.rounds.begin()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Stop asking; everything heard so far is written, and what was to be asked is asked when the job goes on.
        Safe to repeat."""
        self.questions.close()
        await self._tasks.cancel()
        await self.rounds.end()

    @property
    def rules(self) -> RuleBook | None:
        """The rules for pages in force."""
        return self.questions.context.rules

    def use_rules(self, rules: RuleBook | None) -> None:
        """Other rules for pages from now on, without a restart; what is being read is read to its end."""
        self.questions.context = msgspec.structs.replace(self.questions.context, rules=rules)

    def webpages(self) -> "Webpages":
        """Web pages and docs over the same storage and doors; to be closed before the system."""
        from pubweave.runtimes.embedded.webpages import Webpages

        return Webpages(
            self.storage,
            self.door,
            self.questions.context,
            self._clock,
            in_flight=self._in_flight,
            steps=self.steps,
        )

    def run_job(
        self,
        lines: Iterable[Line],
        job_settings: JobSettings | None = None,
        *,
        job: str = "",
        total: int | None = None,
    ) -> AsyncIterator[Finished]:
        """See `EmbeddedJobs.run`."""
        return self._jobs.run(lines, job_settings, job=job, total=total)

    def progress(self, job: str = "") -> Progress:
        """Where a job stands (the only one, if none is named)."""
        return self._jobs.progress(job)

    def _follow(self, out: RoundOutputs) -> None:
        """Do what follows from a round that is durable."""
        log_notes(out.notes)
        for conflict in out.conflicts:
            _log.error(
                "Two publications claim the %s %s; a person should look: %s has it, %s wanted it",
                conflict.id_kind,
                conflict.value,
                conflict.holder,
                conflict.claimant,
            )
        for settled in out.settled:
            self._jobs.tell(settled)
        self.questions.take(out.needs, out.superseded)
