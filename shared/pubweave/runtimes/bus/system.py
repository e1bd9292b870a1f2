"""Services of one process on Kafka, over one storage and one producer."""

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Final, Protocol

import msgspec

from pubweave import registry
from pubweave.adapters.clock import SystemClock
from pubweave.adapters.kafka.admin import ready
from pubweave.adapters.kafka.place import KafkaPlace, partition_of
from pubweave.adapters.kafka.topics import wanted
from pubweave.contract.catalogue import partition_key, topic_of
from pubweave.contract.delayed import Delayed
from pubweave.contract.job_closed import JobClosed
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.values import Cooldowns, RunSettings
from pubweave.contract.vocabulary import RESOURCE_NAMES, ResourceName
from pubweave.core.merging.decide import Abilities
from pubweave.core.reading.rules import RuleBook
from pubweave.core.toolkit.service import Context
from pubweave.doors.fetcher.answers import StoredAnswers
from pubweave.doors.fetcher.door import FetcherDoor
from pubweave.doors.fetcher.settings import FetcherSettings
from pubweave.doors.pdf_reader import PdfReader, PdfReaderSettings
from pubweave.doors.renderer import Renderer, RendererSettings
from pubweave.materialiser.handler import Materialiser
from pubweave.ports import Blobs, Clock, Store
from pubweave.runtimes.bus.absence import absence_told
from pubweave.runtimes.bus.counting import Counts
from pubweave.runtimes.bus.listening import listening
from pubweave.runtimes.bus.sending import Sender
from pubweave.runtimes.bus.turns import FetcherTurns, end
from pubweave.runtimes.bus.worker import Ownership, Worker
from pubweave.runtimes.messages.asking import Asking
from pubweave.runtimes.messages.doors import PageDoor, PdfDoor
from pubweave.runtimes.messages.effects import Effects, Hearer, message
from pubweave.runtimes.messages.merger import IN_FLIGHT, Merger
from pubweave.runtimes.messages.resources import Door, Resource
from pubweave.runtimes.messages.webpages import PageResource
from pubweave.runtimes.readers.pool import Readers
from pubweave.runtimes.readers.settings import ReadersSettings
from pubweave.runtimes.steps import Steps
from pubweave.runtimes.waited_for import waiting_sentences
from pubweave.scheduler.handler import Scheduler
from pubweave.scheduler.refetching import Due, Refetching

_log = logging.getLogger(__name__)

DUE_STEP_S: Final = 0.5
"""How often the scheduler looks whether something is due."""
GATHER_S: Final = 0.05
"""How long needs wait for company where a resource is asked for many at once."""
DUE_AT_ONCE: Final = 500
"""What is due is said again at no more than this many in a step."""

PAGES_READY: Final = 3
"""Pages that a process has in memory beside those in its browsers."""

REFETCH_STEP_S: Final = 60.0
LOOK_STEP_S: Final = 0.1
QUIET_LOOKS: Final = 3
"""How many looks in a row must find nothing."""

DOORS: Final = ("fetcher", "pdf_reader", "renderer")

PAGES: Final = tuple(registry.PAGES.values())

ALL: Final[tuple[str, ...]] = ("merger", "materialiser", "scheduler", *DOORS, *registry.RESOURCES, *PAGES)
"""The services that `pubweave work all` starts."""


class BusPorts(Protocol):
    """The ports that services on the bus share."""

    @property
    def store(self) -> Store: ...

    @property
    def blobs(self) -> Blobs: ...


class BusConfig(msgspec.Struct, frozen=True, kw_only=True):
    """What the services of a process need to know."""

    kafka: KafkaPlace = KafkaPlace()
    services: tuple[str, ...] = ALL
    context: Context = Context()
    fetcher: FetcherSettings = FetcherSettings()
    pdf_reader: PdfReaderSettings = PdfReaderSettings()
    renderer: RendererSettings = RendererSettings()
    """Its browsers are started when there is a page to be rendered."""
    readers: ReadersSettings = ReadersSettings()
    """Its processes are started when there is a long reply to be read; services of one process share them."""
    resources: tuple[ResourceName, ...] = registry.ON
    """Those that the merger asks; all processes of an installation say the same."""
    second_chance: bool = True
    in_flight: int = IN_FLIGHT
    """Lines of large jobs under way in one process of mergers."""
    refetch_per_minute: int = 0
    """How many publications at most are submitted again when their cooldown is over; 0: none."""
    refetch_settings: RunSettings = RunSettings()
    refetch_cooldowns: Cooldowns = Cooldowns()
    session_timeout_s: float = 30.0
    """After this long without a sign of life a member's partitions go to others."""


class BusSystem:
    """Running services. Made by `open_bus`."""

    def __init__(
        self,
        workers: list[Worker],
        failed: "asyncio.Future[None]",
        counts: Counts | None = None,
        fetcher: FetcherDoor | None = None,
        readers: Sequence[Resource | PageResource] = (),
    ) -> None:
        self.workers = workers
        self._readers = readers
        self.counts = counts or Counts()
        """What the services of this process have said."""
        self.fetcher = fetcher
        """The one of this process, if it has one."""
        self._failed = failed

    async def wait(self) -> None:
        """Until one of them cannot go on.

        :raises Exception: why
        """
        await asyncio.shield(self._failed)

    def failure(self) -> BaseException | None:
        """Why one of them cannot go on; None if all can."""
        return self._failed.exception() if self._failed.done() else None

    def use_rules(self, rules: RuleBook | None) -> None:
        """Other rules for pages from now on, without a restart; other processes look for themselves."""
        for reader in self._readers:
            reader.use_rules(rules)

    async def drained(self, clock: Clock) -> None:
        """Until there is nothing left to hear; what follows from others comes later.

        :raises Exception: one of them cannot go on
        """
        quiet = 0
        while quiet < QUIET_LOOKS:
            if self._failed.done():
                await self._failed
            quiet = 0 if any(worker.health.lag() for worker in self.workers) else quiet + 1
            await clock.sleep(LOOK_STEP_S)

    def problems(self) -> list[str]:
        """Why it is not alive, a sentence for each service that is not."""
        return [problem for worker in self.workers if (problem := worker.health.problem())]


@asynccontextmanager
async def open_bus(
    config: BusConfig, storage: BusPorts, clock: Clock | None = None
) -> AsyncIterator[BusSystem]:
    """Start the services; at the end they leave their groups.

    :raises StorageProblem: no Kafka there, or a topic is missing; the text has the command to run
    """
    clock = clock or SystemClock()
    await ready(config.kafka, wanted(prefix=config.kafka.prefix))
    failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def fail(problem: BaseException) -> None:
        _log.error("A service cannot go on: %s", problem, exc_info=problem)
        if not failed.done():
            failed.set_exception(problem)

    async with AsyncExitStack() as opened:
        await opened.enter_async_context(absence_told(config.kafka, clock))
        sender = await opened.enter_async_context(Sender(config.kafka, clock.now_ms))
        steps = await opened.enter_async_context(Readers(config.readers))
        workers: list[Worker] = []
        readers: list[Resource | PageResource] = []
        counts, asking = Counts(), None
        for service in config.services:
            waiting: Callable[[], list[str]] = list
            ownership: Ownership | None = None
            if service == "fetcher":
                answers = StoredAnswers(storage.store, storage.blobs, clock)
                fetcher = await opened.enter_async_context(
                    FetcherDoor(config.fetcher, clock, storage.store, answered=answers)
                )
                asking = fetcher
                turns = FetcherTurns(fetcher, clock, config.session_timeout_s)
                waiting, ownership = partial(_reasons, fetcher), turns
                opened.push_async_callback(end, asyncio.create_task(turns.watch()))
                hearer: Hearer = Door(turns, storage.blobs, clock)
            elif service == "pdf_reader":
                reader = await opened.enter_async_context(PdfReader(config.pdf_reader))
                hearer = Door(PdfDoor(reader), storage.blobs, clock)
            elif service == "renderer":
                pages = Asking(secrets.token_hex(8), partial(_ask, sender), storage.blobs, clock)
                await opened.enter_async_context(listening(config.kafka, pages, fail))
                renderer = await opened.enter_async_context(Renderer(config.renderer, clock))
                at_once = config.renderer.browsers + PAGES_READY
                page_door = PageDoor(renderer, pages, storage.blobs, clock, at_once=at_once)
                hearer, waiting = page_door, page_door.reasons
            else:
                hearer = _hearer(service, config, storage, clock, partial(_is_owned, workers), steps)
            if isinstance(hearer, Resource | PageResource):
                readers.append(hearer)
            worker = Worker(
                service,
                hearer,
                config.kafka,
                sender,
                storage.store,
                clock,
                fail,
                side_by_side=service in DOORS,
                session_timeout_s=config.session_timeout_s,
                linger_s=GATHER_S if isinstance(hearer, Resource) and hearer.gathers else 0.0,
                pace=hearer if isinstance(hearer, Merger) else None,
                waiting=waiting,
                counts=counts,
                ownership=ownership,
            )
            workers.append(worker)
            opened.push_async_callback(worker.stop)
            if isinstance(hearer, Scheduler):
                due = asyncio.create_task(_say_what_is_due(hearer, worker, clock, fail))
                opened.push_async_callback(end, due)
                views: Due | None = getattr(storage, "views", None)  # storage in memory has none
                if config.refetch_per_minute and views is not None:
                    again = asyncio.create_task(_refetch(config, storage.store, views, worker, clock, fail))
                    opened.push_async_callback(end, again)
        await asyncio.gather(*(worker.start() for worker in workers))
        yield BusSystem(workers, failed, counts, asking, readers)
        if failed.done():
            failed.exception()


async def _ask(sender: Sender, wanted: ReplyWanted) -> None:
    await sender.send([message(wanted)], "renderer")


def _reasons(fetcher: FetcherDoor) -> list[str]:
    """Why questions wait, for whoever asks whether it is alive."""
    return waiting_sentences([unit for unit in fetcher.status() if unit.queued or unit.in_flight])


def _is_owned(workers: Sequence[Worker], delayed: Delayed) -> bool:
    """It is for the scheduler of this process to say."""
    return any(
        worker.service == "scheduler" and worker.owns("delayed", _partition(delayed)) for worker in workers
    )


def _partition(delayed: Delayed) -> int:
    topic = topic_of("delayed")
    return partition_of(partition_key(topic, delayed), topic.partitions)


def _hearer(
    service: str,
    config: BusConfig,
    storage: BusPorts,
    clock: Clock,
    owned: Callable[[Delayed], bool],
    steps: Steps,
) -> Hearer:
    match service:
        case "merger":
            abilities = Abilities(frozenset(config.resources), config.context.max_links)
            return Merger(
                storage.store,
                clock,
                abilities,
                second_chance=config.second_chance,
                in_flight=config.in_flight,
                blobs=storage.blobs,
            )
        case "materialiser":
            views = getattr(storage, "views", None)
            return Materialiser(storage.store, views.note if views is not None else None)
        case "scheduler":
            return Scheduler(storage.store, owned)
        case "webpages" | "docs":
            page_service = registry.page_service("doc" if service == "docs" else "webpage")
            return PageResource(page_service, config.context, storage.blobs, clock, steps)
        case _:
            name = next(name for name in RESOURCE_NAMES if name == service)
            return Resource(registry.service(name), config.context, storage.blobs, clock, steps)


async def _say_what_is_due(
    scheduler: Scheduler, worker: Worker, clock: Clock, failed: Callable[[BaseException], None]
) -> None:
    try:
        while True:
            await clock.sleep(DUE_STEP_S)
            if not worker.has_partitions():
                continue
            worker.refresh()
            effects = Effects()
            if await scheduler.due(clock.now_ms(), DUE_AT_ONCE, effects):
                await worker.apply(effects)
    except Exception as problem:  # noqa: BLE001  # told to whoever runs the services
        failed(problem)


async def _refetch(
    config: BusConfig,
    store: Store,
    views: Due,
    worker: Worker,
    clock: Clock,
    failed: Callable[[BaseException], None],
) -> None:
    """Once a minute, by the one scheduler that owns the first partition."""
    refetching = Refetching(
        views, store, config.refetch_settings, config.refetch_cooldowns, config.refetch_per_minute
    )
    try:
        while True:
            await clock.sleep(REFETCH_STEP_S)
            if not worker.owns("delayed", 0):
                continue
            requests = await refetching.next(clock.now_ms())
            if requests:
                effects = Effects()
                for request in requests:
                    effects.say(request)
                effects.say(JobClosed(job=requests[0].job, lines=len(requests)))
                await worker.apply(effects)
    except Exception as problem:  # noqa: BLE001  # told to whoever runs the services
        failed(problem)


def known(services: Iterable[str], asked: Collection[str] = registry.ON) -> tuple[str, ...]:
    """The services that these words name; `all` names every one but resources that are not asked.

    :raises KeyError: a word that names none
    """
    found: dict[str, None] = {}
    for word in services:
        if word == "all":
            found.update(dict.fromkeys(one for one in ALL if one in asked or one not in registry.RESOURCES))
        elif word in ALL:
            found[word] = None
        else:
            raise KeyError(word)
    return tuple(found)
