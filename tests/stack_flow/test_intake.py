"""What a worker may acknowledge, and whose message a door takes next: no Kafka is needed to know."""

import asyncio
import random
from collections.abc import Sequence

from pubweave.runtimes.bus.fairness import Fair
from pubweave.runtimes.bus.intake import SHARE, TAKE, HeardBatches, Message, SideBySide
from pubweave.runtimes.bus.order import Order
from simulation.clock import SimulatedClock


def test_offsets_never_move_beyond_a_message_that_is_not_done() -> None:
    """Whatever the order in which messages end: those acknowledged are always the first ones, each once."""
    for seed in range(50):
        rng = random.Random(seed)
        order: Order[int] = Order()
        tickets = [order.take("p", offset, offset) for offset in range(7, 40, rng.randint(1, 3))]
        offsets = [ticket.message for ticket in tickets]
        rng.shuffle(tickets)
        acknowledged: list[int] = []
        done: set[int] = set()
        for ticket in tickets:
            done.add(ticket.message)
            acknowledged += ticket.done()

            assert acknowledged == offsets[: len(acknowledged)]
            assert set(acknowledged) <= done
        assert acknowledged == offsets
        assert order.ends() == {"p": offsets[-1] + 1}


def test_what_was_taken_before_a_rebalance_is_never_acknowledged() -> None:
    """It is delivered again, to whoever owns the partition then."""
    order: Order[str] = Order()
    first, second = order.take("p", 1, "a"), order.take("p", 2, "b")
    assert first.done() == ["a"]
    order.end()

    assert second.is_void
    assert second.done() == []
    assert order.ends() == {"p": 2}


def test_what_is_delivered_again_takes_the_place_of_what_was_there() -> None:
    """Partitions are read from their committed offset after they moved."""
    order: Order[str] = Order()
    stray = order.take("p", 9, "stray")
    again = order.take("p", 5, "again")

    assert stray.done() == []
    assert again.done() == ["again"]


def test_a_huge_site_does_not_starve_those_behind_it() -> None:
    """Thousands of questions of one site came first: every other site is asked at once."""
    fair: Fair[int] = Fair(share=3)
    for number in range(10_000):
        fair.add("huge", number)
    for number in range(20):
        fair.add(f"site-{number}", number)
    taken = []
    while (found := fair.next()) is not None:
        taken.append(found)

    assert [site for site, _ in taken].count("huge") == 3
    assert {f"site-{number}" for number in range(20)} <= {site for site, _ in taken}

    fair.finished("huge")

    assert fair.next() == ("huge", 3)
    assert fair.next() is None


def test_the_surplus_is_that_of_the_largest_site() -> None:
    """Its later half is put off; nobody else's, and nothing twice."""
    fair: Fair[int] = Fair(share=1)
    for number in range(10):
        fair.add("huge", number)
        if number < 3:
            fair.add("small", number)
    site, items = fair.surplus()

    assert (site, items) == ("huge", [5, 6, 7, 8, 9])
    assert len(fair) == 8


class _Event:
    def __init__(self, topic: str) -> None:
        self.topic = topic


class _Feed:
    """A large job, of which `free` lines may be heard."""

    def __init__(self, free: int) -> None:
        self.free = free
        self._order = Order[_Event]()
        self._offset = 0

    def take(self, most: int) -> list[Message]:
        found: list[Message] = []
        while self.free and len(found) < most:
            self.free -= 1
            self._offset += 1
            found.append(self._order.take("b", self._offset, _Event("bulk")))
        return found


class _Heard:
    """What was heard, batch by batch."""

    def __init__(self, enough: int) -> None:
        self.batches: list[list[str]] = []
        self.full = asyncio.Event()
        self._enough = enough

    async def hear(self, messages: Sequence[Message]) -> None:
        self.batches.append([one.message.topic for one in messages])
        if sum(map(len, self.batches)) >= self._enough:
            self.full.set()


async def _heard(feed: _Feed, interactive: int, enough: int) -> list[list[str]]:
    heard = _Heard(enough)
    intake, order = HeardBatches(heard.hear, SimulatedClock(), feed=feed), Order[_Event]()
    for offset in range(interactive):
        await intake.put(order.take("i", offset, _Event("interactive")))
    running = asyncio.create_task(intake.run())
    intake.look()
    await heard.full.wait()
    await intake.stop()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    return heard.batches


async def test_bulk_waits_for_the_others_and_for_room() -> None:
    """A batch holds what is interactive first; of the bulk only as many as may be under way."""
    assert await _heard(_Feed(free=2), 1, 3) == [["interactive", "bulk", "bulk"]]


async def test_bulk_has_no_part_in_a_batch_that_others_fill() -> None:
    """A batch has a limit, however much room there is for large jobs."""
    first, second = await _heard(_Feed(free=TAKE), TAKE, 2 * TAKE)

    assert first == ["interactive"] * TAKE
    assert second == ["bulk"] * TAKE


async def test_bulk_is_looked_for_when_nothing_else_comes() -> None:
    """Room that comes with time is noticed: whoever has the feed says so."""
    assert await _heard(_Feed(free=3), 0, 3) == [["bulk"] * 3]


async def test_side_by_side_each_site_has_its_share() -> None:
    """Of a site with many questions `SHARE` are under way; another site's is heard at once."""
    started: list[str] = []
    go_on, other = asyncio.Event(), asyncio.Event()

    async def hear(messages: Sequence[Message]) -> None:
        started.append(messages[0].message.topic)
        if messages[0].message.topic == "other":
            other.set()
        await go_on.wait()

    intake, order = SideBySide(hear, lambda one: str(one.message.topic), hear), Order[_Event]()
    for offset in range(10 * SHARE):
        await intake.put(order.take("p", offset, _Event("huge")))
    await intake.put(order.take("p", 10 * SHARE, _Event("other")))
    running = asyncio.create_task(intake.run())
    await other.wait()

    assert started.count("huge") <= SHARE

    go_on.set()
    await intake.stop()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
