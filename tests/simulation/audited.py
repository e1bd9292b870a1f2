"""The simulated bus as an auditor reads it, and one that loses a message."""

import random
from collections.abc import Callable, Iterator
from typing import Any

from pubweave.contract.codec import decode
from pubweave.contract.kinds import Event
from pubweave.core.toolkit.service import Service
from pubweave.ports import Fetching
from pubweave.runtimes.bus.audit import Audit, HeardUpTo, Said, Stage, Table
from pubweave.runtimes.messages.effects import Message
from pubweave.runtimes.messages.frames import Frame, opened
from pubweave.runtimes.messages.groups import topics_heard_by
from simulation.system import SimulatedSystem

DAY_MS = 86_400_000
"""Nothing is on its way any more."""


class AuditedSystem(SimulatedSystem):
    """Knows when each message was sent, as Kafka does.

    :param loses: which message is passed by its group without being heard, the first that this says True of
    :param drops: which message is lost when it is said
    """

    def __init__(
        self,
        seed: int,
        services: list[Service],
        door: Fetching,
        *,
        loses: Callable[[str, Event], bool] = lambda _topic, _event: False,
        drops: Callable[[str, Event], bool] = lambda _topic, _event: False,
        **others: Any,
    ) -> None:
        super().__init__(seed, services, door, **others)
        self.lost: tuple[str, int, int, Event] | None = None
        self._times: dict[tuple[str, int, int], int] = {}
        self._loses = loses
        self._drops = drops

    def _send(self, sent: Message | Frame) -> None:
        messages = sent.messages if isinstance(sent, Frame) else (sent,)
        for one in messages:
            if self.lost is None and one.event is not None and self._drops(one.topic, one.event):
                self.lost = (one.topic, -1, -1, one.event)
                for other in messages:
                    if other is not one:
                        self._send(other)
                return
        before = [len(partition) for partition in self.log.get(sent.topic, [])]
        super()._send(sent)
        for number, partition in enumerate(self.log[sent.topic]):
            if len(partition) > (before[number] if before else 0):
                self._times[sent.topic, number, len(partition) - 1] = self.clock.now_ms()

    async def _batch(self, place: Any) -> None:
        hand = self._hands[place]
        offset = hand.position - len(hand.messages)
        one = self.log[place.topic][place.partition][offset]
        events = [decode(each.kind, each.version, each.body) for each in opened(one)]
        lost = next((event for event in events if self._loses(place.topic, event)), None)
        if self.lost is None and lost is not None:
            self.lost = (place.topic, place.partition, offset, lost)
            self._read_ahead(place, hand, 1)
            hand.messages.popleft()
            self._committed[place] = offset + 1
            return
        await super()._batch(place)

    def said(self, stage: Stage) -> Iterator[Said]:
        for topic in stage.topics:
            for number, partition in enumerate(self.log.get(topic, [])):
                for one in (each for message in partition for each in opened(message)):
                    at_ms = self._times[topic, number, one.offset]
                    if at_ms < stage.since_ms or (stage.kinds and one.kind not in stage.kinds):
                        continue
                    if stage.of is not None and one.key.rpartition("/")[0] not in stage.of:
                        continue
                    event = decode(one.kind, one.version, one.body)
                    yield Said(topic, number, one.offset, at_ms, one.key, event)

    def audit(self, later_ms: int = 0, job: str = "") -> Table:
        """As it stands, looked at so much later."""
        heard = {
            (place.topic, place.partition): HeardUpTo(offset) for place, offset in self._committed.items()
        }
        services = {topic: name for name in self._hearers for topic in topics_heard_by(name)}
        audit = Audit(heard, services, self.clock.now_ms() + later_ms, job)
        for stage in audit.stages():
            for said in self.said(stage):
                audit.take(said)
        return audit.table()


def picked(seed: int, chance: float) -> Callable[[str, Event], bool]:
    """One message or other, never what nothing follows from."""
    rng = random.Random(seed)
    return lambda topic, event: topic not in ("publications", "submissions-settled") and rng.random() < chance
