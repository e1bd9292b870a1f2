"""Questions to many hosts through the real Kafka: who asks whom, who waits for whom, and how often a host is asked."""

import asyncio
import secrets
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

import pytest

from pubweave.adapters.clock import SystemClock
from pubweave.adapters.kafka.admin import apply
from pubweave.adapters.kafka.place import KafkaPlace, partition_of
from pubweave.adapters.memory import MemoryStorage
from pubweave.contract.catalogue import topic_of
from pubweave.contract.exchange import Reply, Request, Work
from pubweave.contract.reply_received import ReplyReceived
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.turn import turn_of
from pubweave.doors.fetcher import FetcherSettings
from pubweave.runtimes.bus.client import Follower, following
from pubweave.runtimes.bus.sending import Sender
from pubweave.runtimes.bus.system import BusConfig, BusSystem, open_bus
from pubweave.runtimes.messages.effects import message
from services.doors.fetcher.loopback import LOOPBACK, Asked, Server, reply_bytes
from stack.fixtures import kafka, needs_stack
from stack_flow.alone import alone

__all__ = ["alone", "kafka"]

pytestmark = [needs_stack, pytest.mark.usefixtures("alone"), pytest.mark.network, pytest.mark.timeout(300)]

PARTITIONS: Final = topic_of("reply-wanted.fetcher").partitions


def question(url: str, name: str) -> ReplyWanted:
    return ReplyWanted(
        ask=name, unit="-", request=Request(url, timeout_ms=100_000), work=Work("europepmc", ())
    )


async def say(brokers: KafkaPlace, questions: Iterable[ReplyWanted]) -> None:
    async with Sender(brokers, SystemClock().now_ms) as sender:
        await sender.send([message(one) for one in questions], "europepmc")


async def replies(follower: Follower, *buses: BusSystem) -> AsyncIterator[tuple[str, Reply]]:
    """By question, each once, in the order in which they are said."""
    seen: set[str] = set()
    async for events in follower.batches():
        for bus in buses:
            assert not bus.failure(), bus.failure()
        for event in events:
            assert isinstance(event, ReplyReceived)
            if event.ask not in seen:
                seen.add(event.ask)
                yield event.ask, event.reply


async def new_brokers(kafka: str) -> KafkaPlace:
    brokers = KafkaPlace.at(kafka, prefix=f"t{secrets.token_hex(4)}.")
    await apply(brokers)
    return brokers


def fetchers(brokers: KafkaPlace, **settings: object) -> BusConfig:
    given = {"allow_addresses": LOOPBACK, "first_window": "skip", **settings}
    return BusConfig(
        kafka=brokers,
        services=("fetcher",),
        fetcher=FetcherSettings(**given),  # type: ignore[arg-type]
        session_timeout_s=10.0,
    )


def test_thousands_of_hosts_spread_over_the_partitions() -> None:
    """3,000 hosts of publishers: each in one partition, whatever is asked there; none has much more than its share."""
    hosts = [
        f"{word}{number}.example.{end}" for number in range(500) for word in "abc" for end in ("org", "com")
    ]
    hosts = [host.replace(".example.", "-press.") for host in hosts]
    of_hosts = {host: partition_of(turn_of(f"https://{host}/"), PARTITIONS) for host in hosts}
    share = Counter(of_hosts.values())

    assert len(of_hosts) == 3000
    assert sorted(share) == list(range(PARTITIONS))
    assert max(share.values()) < 1.4 * 3000 / PARTITIONS
    for host in hosts[:50]:
        for url in (f"http://www.{host}/a?b=c", f"https://{host}:8443/x"):
            assert partition_of(turn_of(url), PARTITIONS) == of_hosts[host]


def is_shared(buses: Iterable[BusSystem]) -> bool:
    """Each partition has its owner, and not all the same."""
    owned = [
        [bus.workers[0].owns("reply-wanted.fetcher", partition) for bus in buses]
        for partition in range(PARTITIONS)
    ]
    return all(sum(one) == 1 for one in owned) and all(any(of_bus) for of_bus in zip(*owned, strict=True))


HUGE: Final = "127.9.9.9"
OTHERS: Final = 300
WAITING: Final = 500


async def test_a_huge_host_does_not_keep_others_waiting(kafka: str) -> None:
    """500 questions to a host that does not answer at all until 300 other hosts, asked after it and some of them in its
    very partition, have answered twice each. Two processes share the hosts; each host is asked by one of them."""
    others = [f"127.8.{number // 200}.{number % 200 + 1}" for number in range(OTHERS)]
    huge = partition_of(HUGE, PARTITIONS)
    served, done, waited = Counter[str](), asyncio.Event(), 0
    asked_by: defaultdict[str, set[str]] = defaultdict(set)

    async def answer(asked: Asked, writer: asyncio.StreamWriter) -> None:
        nonlocal waited
        host = asked.headers["host"].partition(":")[0]
        asked_by[host].add(asked.headers["user-agent"])
        if host == HUGE:
            waited += not done.is_set()
            await done.wait()
        else:
            served[host] += 1
            if sum(served.values()) == 2 * OTHERS:
                done.set()
        writer.write(reply_bytes(b"here", "200 OK", "Content-Type: text/plain"))
        await writer.drain()

    server = Server(answer, host="0.0.0.0")
    brokers = await new_brokers(kafka)
    async with AsyncExitStack() as opened:
        await opened.enter_async_context(server.running())
        buses = [
            await opened.enter_async_context(
                open_bus(fetchers(brokers, no_budgets=True, user_agent=f"member {number}"), MemoryStorage())
            )
            for number in range(2)
        ]
        while not is_shared(buses):
            await SystemClock().sleep(0.1)
        hosts = [HUGE] * WAITING + [*others, *others]
        await say(
            brokers,
            (
                question(f"http://{host}:{server.port}/", f"{host} {number}")
                for number, host in enumerate(hosts)
            ),
        )
        found = Counter[str]()
        async with following(brokers, ["reply-received.europepmc"], from_the_start=True) as follower:
            async for name, reply in replies(follower, *buses):
                assert reply.outcome == "found", (name, reply)
                found[name.partition(" ")[0]] += 1
                if found.total() == len(hosts):
                    break

    assert sum(partition_of(host, PARTITIONS) == huge for host in others) >= 5
    assert found == Counter(hosts)
    assert waited == 1
    assert {host: len(members) for host, members in asked_by.items()} == dict.fromkeys([HUGE, *others], 1)
    assert len(set.union(*asked_by.values())) == 2


def budget(quota: int) -> str:
    return f"here: {{at: [127.0.0.1], connections: 4, daily_quota: {quota}}}\n"


async def test_a_daily_quota_survives_restarts_and_budgets_change_without_one(
    kafka: str, tmp_path: Path
) -> None:
    """Of a quota of 5 the process that stops has used 3; the next one may use 2, and when the file says 7, two more."""
    path = tmp_path / "budgets.yaml"
    path.write_text(budget(5))
    brokers, storage, numbers = await new_brokers(kafka), MemoryStorage(), iter(range(100_000))

    async def answer(asked: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(reply_bytes(b"here", "200 OK", "Content-Type: text/plain"))
        await writer.drain()

    server = Server(answer)

    async def outcomes(bus: BusSystem, follower: Follower, count: int) -> list[str]:
        names = [f"{next(numbers)}" for _ in range(count)]
        await say(brokers, [question(f"{server.url}/", name) for name in names])
        found = {}
        async for name, reply in replies(follower, bus):
            found[name] = reply.outcome
            if len(found) == count:
                break
        return sorted(found[name] for name in names)

    config = fetchers(brokers, budgets_file=path)
    async with server.running(), following(brokers, ["reply-received.europepmc"]) as follower:
        async with open_bus(config, storage) as bus:
            first = await outcomes(bus, follower, 3)
        async with open_bus(config, storage) as bus:
            second = await outcomes(bus, follower, 4)
            path.write_text(budget(7))
            later: list[str] = []
            while later.count("found") < 2:
                # The file is looked at again when something is asked, once a second.
                later += await outcomes(bus, follower, 1)
            last = await outcomes(bus, follower, 2)

    assert first == ["found"] * 3
    assert second == ["found"] * 2 + ["over-quota"] * 2
    assert last == ["over-quota"] * 2
    assert len(server.asked) == 7
