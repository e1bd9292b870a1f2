"""One service as a Faust app: takes messages, has them heard, lets offsets move when what follows is durable."""

import asyncio
import logging
import tempfile
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

import faust
from faust.exceptions import ConsumerNotStarted

from pubweave.adapters.kafka.place import KafkaLogin, KafkaPlace, partition_of
from pubweave.contract.catalogue import topic_of
from pubweave.contract.codec import UndecodableEvent, decode
from pubweave.contract.frames import is_frame, size_of
from pubweave.ports import Clock, Store, Write
from pubweave.runtimes.bus.counting import Counts
from pubweave.runtimes.bus.feeder import Feeder
from pubweave.runtimes.bus.health import Health
from pubweave.runtimes.bus.intake import HeardBatches, Intake, Message, SideBySide
from pubweave.runtimes.bus.order import MessagePart, Order, Ticket, parts
from pubweave.runtimes.bus.sending import Sender
from pubweave.runtimes.bus.together import Together
from pubweave.runtimes.messages.delays import delayed
from pubweave.runtimes.messages.delivered import delivered
from pubweave.runtimes.messages.driving import hear_batch
from pubweave.runtimes.messages.effects import Delivered, Effects, Hearer
from pubweave.runtimes.messages.frames import opened
from pubweave.runtimes.messages.groups import PACED, group_of, topics_shared_out

_log = logging.getLogger(__name__)

GRACE_S: Final = 5.0
"""How long what is at hand may take when partitions go to others; meanwhile they wait."""

COMMIT_S: Final = 3.0
"""How long saying so may take; else some messages are done again."""

WATCH_STEP_S: Final = 1.0

PUT_OFF_MS: Final = 60_000
"""How long questions of a site too large to be held are put off."""

Failed = Callable[[BaseException], None]


class FaustStopped(Exception):
    """Faust has given up, which it does without a word to those who use it."""


class Ownership(Protocol):
    """What a service does when its partitions come and go."""

    def taken_over(self) -> None:
        """Partitions are ours that were another's a moment ago."""

    async def letting_go(self) -> None:
        """They will be another's: begin nothing any more, and return when nothing is going on."""

    def let_go(self) -> None:
        """What was still going on has been cancelled."""


class Pace(Protocol):
    """How fast a service hears its paced topic."""

    def room(self) -> int:
        """How many of its messages may be heard now."""

    def keep_places(self, is_heard: Callable[[str], bool]) -> None:
        """Partitions have moved: messages of whose end (by key) others hear now take up no room here."""


class Worker:
    """One member of one group. `start` and `stop` it.

    :param side_by_side: messages are independent of each other and may take long (doors)
    :param linger_s: how long the first message of a batch waits for company
    :param pace: how fast it hears its paced topic, if it has such a topic (`groups.PACED`)
    :param failed: told when it cannot go on
    """

    def __init__(
        self,
        service: str,
        hearer: Hearer,
        place: KafkaPlace,
        sender: Sender,
        store: Store,
        clock: Clock,
        failed: Failed,
        *,
        side_by_side: bool = False,
        session_timeout_s: float = 30.0,
        linger_s: float = 0.0,
        pace: Pace | None = None,
        waiting: Callable[[], list[str]] = list,
        counts: Counts | None = None,
        ownership: Ownership | None = None,
    ) -> None:
        self.service = service
        self._hearer = hearer
        self._place = place
        self._sender = sender
        self._store = store
        self._clock = clock
        self._failed = failed
        self.counts = counts or Counts()
        self._ownership = ownership
        self._forget = True
        self._session_timeout_s = session_timeout_s
        self._looked_s = clock.monotonic_s()
        self._order: Order[Any] = Order()
        self._going_on: asyncio.Task[None] | None = None
        self._watching: asyncio.Task[None] | None = None
        self._applying = 0
        self._together = Together(self.apply)
        self._waiting = waiting
        self._pace = pace
        self.health = Health(service, clock, self._lag, self._reasons)
        self._feeder: Feeder | None = None
        if side_by_side:
            self._intake: Intake = SideBySide(self._hear, self._site, self._put_off)
        else:
            if pace is not None:
                self._feeder = Feeder(
                    place,
                    group_of(service, PACED[service].topic),
                    PACED[service].topic,
                    pace.room,
                    self._look,
                    clock,
                    failed,
                )
            self._intake = HeardBatches(
                self._hear, clock, linger_s=linger_s, size=_events_in, feed=self._feeder
            )
        # Faust makes its folder, though it keeps nothing in it.
        self._folder = tempfile.TemporaryDirectory(prefix="pubweave-")
        self.app: Any = faust.App(
            place.prefix + service,
            broker=[f"kafka://{host}" for host in place.hosts],
            broker_credentials=_credentials(place.login),
            store="memory://",
            datadir=self._folder.name,
            web_enabled=False,
            topic_disable_leader=True,
            topic_allow_declare=False,
            consumer_auto_offset_reset="earliest",
            broker_session_timeout=session_timeout_s,
            broker_heartbeat_interval=session_timeout_s / 10,
            broker_commit_interval=1.0,
            stream_wait_empty=False,
            consumer_max_fetch_size=4 * 1024 * 1024,
            producer_max_request_size=1200 * 1024,
        )
        channel = self.app.topic(
            *(place.prefix + topic for topic in topics_shared_out(service)),
            key_serializer="raw",
            value_serializer="raw",
            allow_empty=True,
        )
        self.app.agent(channel, name=service)(self._take)
        signals: Any = self.app
        signals.on_partitions_revoked.connect(self._revoked, weak=False)
        signals.on_partitions_assigned.connect(self._assigned, weak=False)

    async def start(self) -> None:
        """Join the group; messages come when the partitions are assigned."""
        self._going_on = asyncio.create_task(self._go_on())
        self.app.finalize()
        await self.app.maybe_start()
        self._watching = asyncio.create_task(self._watch())

    async def stop(self) -> None:
        """Finish the batch at hand, leave the group; what is queued or under way is heard again by another."""
        if self._ownership is not None:
            await self._ownership.letting_go()
        await self._intake.stop()
        if self._feeder is not None:
            await self._feeder.let_go()
        for task in (self._going_on, self._watching):
            if task is not None:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        if self._ownership is not None:
            self._ownership.let_go()
        await self.app.stop()
        self._folder.cleanup()

    def has_partitions(self) -> bool:
        """It has joined its group and some partitions are its own."""
        return bool(self._assignment())

    def owns(self, topic: str, partition: int) -> bool:
        """This partition is its own at the moment."""
        return any(
            one.topic == self._place.prefix + topic and one.partition == partition
            for one in self._assignment()
        )

    def _assignment(self) -> set[Any]:
        consumer = self.app.consumer
        if consumer is None:
            return set()
        try:
            found: set[Any] = consumer.assignment()
        except ConsumerNotStarted:  # its thread is just being made
            return set()
        return found

    def _lag(self) -> int:
        return self._shared_lag() + (self._feeder.lag() if self._feeder is not None else 0)

    def _reasons(self) -> list[str]:
        found = self._waiting()
        if self._feeder is not None and not self._shared_lag():
            found = [*found, *self._feeder.reasons()]
        return found

    def _shared_lag(self) -> int:
        """Of the topics that the group shares out."""
        consumer = self.app.consumer
        if consumer is None:
            return 0
        return sum(
            max(0, (consumer.highwater(partition) or 0) - (consumer._committed_offset.get(partition) or 0))
            for partition in self._assignment()
        )

    async def _watch(self) -> None:
        """Faust stops without telling anybody: when a commit fails, or its consumer crashes."""
        while True:
            await self._clock.sleep(WATCH_STEP_S)
            self._forget = self._stood_still() or self._forget
            for service in (self.app, self.app.consumer):
                if service is not None and service.crashed:
                    reason = service.crash_reason
                    self._failed(FaustStopped(f"{self.service}: Faust has stopped ({reason!r})"))
                    return

    # --- partitions come and go

    async def _revoked(self, app: Any, revoked: Any = None, **_: Any) -> None:
        """Others wait until this returns, so nothing is done twice that need not be."""
        if self._ownership is not None:
            await self._ownership.letting_go()
            await self._applied()
        if self._feeder is not None:
            self._feeder.hold()
        await self._intake.let_go(GRACE_S)
        if self._feeder is not None:
            await self._feeder.let_go()
        ends, order = self._order.ends(), self._order
        self._order = Order()
        order.end()
        if self._ownership is not None:
            self._ownership.let_go()
        if ends:
            # By hand: Faust has thrown away already what it would have committed.
            try:
                async with asyncio.timeout(COMMIT_S):
                    await self.app.consumer._commit(ends)
            except TimeoutError:
                _log.info("%s could not say how far it came; some messages are done again", self.service)

    async def _applied(self) -> None:
        for _ in range(100):
            if not self._applying:
                return
            await self._clock.sleep(GRACE_S / 100)

    async def _assigned(self, app: Any, assigned: Any = None, **_: Any) -> None:
        self._forget = True
        if self._ownership is not None:
            self._ownership.taken_over()
        if self._feeder is not None and self._pace is not None:
            beside = PACED[self.service].beside
            mine = {one.partition for one in assigned or () if one.topic == self._place.prefix + beside}
            count = topic_of(beside).partitions
            self._pace.keep_places(lambda key: partition_of(key, count) in mine)
            await self._feeder.take_over(mine)

    # --- how messages are taken

    def _look(self) -> None:
        if isinstance(self._intake, HeardBatches):
            self._intake.look()

    async def _take(self, stream: Any) -> None:
        # Not `stream.take`: cancelled at a stop or rebalance, it acknowledges what nobody has done yet.
        async for event in stream.noack().events():
            message = event.message
            ticket = self._order.take(message.tp, message.offset, event)
            for one in self._tickets(ticket):
                await self._intake.put(one)

    def _tickets(self, ticket: Ticket[Any]) -> Sequence[Message]:
        """Where messages are heard side by side, the events of a frame are."""
        if isinstance(self._intake, HeardBatches) or not is_frame(ticket.message.message.headers):
            return [ticket]
        return [*parts(ticket, opened(self._delivered(ticket)))] or [ticket]

    async def _go_on(self) -> None:
        try:
            await self._intake.run()
        except asyncio.CancelledError:
            raise
        except BaseException as problem:  # noqa: BLE001  # told; nothing is acknowledged any more
            self._failed(problem)

    async def _hear(self, messages: Sequence[Message]) -> None:
        # Between batches: in the middle of one, rows would be missing that are not durable yet.
        self.refresh()
        batch = [
            self._delivered(one)
            for one in messages
            if isinstance(one, MessagePart) or one.message.message.value is not None
        ]
        apply = self.apply if isinstance(self._intake, HeardBatches) else self._together.apply
        aside = await hear_batch(self._hearer, batch, apply, self.service, self._clock.now_ms)
        self._acknowledge(messages)
        self.health.moved(aside.events, aside.letters, aside.broken)

    def _acknowledge(self, messages: Sequence[Message]) -> None:
        for message in messages:
            for event in message.done():
                event.ack()

    def _delivered(self, message: Message) -> Delivered:
        if isinstance(message, MessagePart):
            return message.message
        found = message.message.message
        topic = found.topic.removeprefix(self._place.prefix)
        return delivered(topic, found.key, found.value, found.headers, found.offset)

    def refresh(self) -> None:
        """Others may have written while partitions were theirs: what is kept of before is loaded anew."""
        if self._stood_still() or self._forget:
            self._forget = False
            self._hearer.forget()

    def _stood_still(self) -> bool:
        """This process was stopped for so long that its partitions may be others', which it is told only later: messages that
        it has in hand would be heard with what it knew before."""
        now_s = self._clock.monotonic_s()
        stood_s, self._looked_s = now_s - self._looked_s, now_s
        return stood_s > self._session_timeout_s / 2

    async def apply(self, effects: Effects) -> None:
        """See `Effects`: what is referred to, then messages, then what stands for rows, then rows."""
        self._applying += 1
        try:
            await asyncio.gather(*(write() for write in effects.first))
            if effects.said:
                await self._sender.send(effects.said, self.service)
                for one in effects.said:
                    if one.event is not None:
                        self.counts.said(one.event)
            if effects.gone:
                await self._sender.bury(effects.gone)
            await asyncio.gather(*map(_one_by_one, effects.then_of.values()))
            await _one_by_one(effects.then)
            await asyncio.gather(
                *(self._store.add_rows(key, rows, new=True) for key, rows in effects.rows.items())
            )
            for write in effects.last:
                await write()
        finally:
            self._applying -= 1

    # --- what a door takes

    def _site(self, message: Message) -> str:
        if isinstance(message, MessagePart):
            return message.message.key.partition("/")[0]
        return (message.message.message.key or b"").decode("utf-8", "replace").partition("/")[0]

    async def _put_off(self, messages: Sequence[Message]) -> None:
        effects, due_at = Effects(), self._clock.now_ms() + PUT_OFF_MS
        put_off: list[Message] = []
        for message in messages:
            found = self._delivered(message)
            try:
                effects.say(delayed(decode(found.kind, found.version, found.body), due_at))
            except UndecodableEvent:
                await self._hear([message])  # puts it aside
            else:
                put_off.append(message)
        await self.apply(effects)
        self._acknowledge(put_off)


def _events_in(message: Message) -> int:
    return 1 if isinstance(message, MessagePart) else size_of(message.message.message.headers or ())


async def _one_by_one(writes: Sequence[Write]) -> None:
    for write in writes:
        await write()


def _credentials(login: KafkaLogin) -> Any:
    if login.user:
        return faust.SASLCredentials(
            username=login.user,
            password=login.password,
            ssl_context=login.context(),
            mechanism=login.mechanism,
        )
    return faust.SSLCredentials(context=login.context()) if login.tls else None
