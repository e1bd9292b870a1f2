"""What a request costs the fetcher, and how much of a budget it uses; each against a limit, in one run.

    python bench/fetcher.py            (asks the simulated internet, a process of its own; about 20 s)

* CPU per small HTTPS request through a proxy: at most 0.5 ms, and at most twice a bare aiohttp session that
  asks the same and does nothing else.
* Connections: one handshake per host, however many requests.
* Rate: at least 0.92 of a budget of 20 per second, and never above it in any window, read off the server's log.
"""

import asyncio
import logging
import os
import ssl
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import aiohttp

from pubweave.adapters.clock import SystemClock
from pubweave.contract.exchange import Request, Work
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.doors.fetcher import FetcherDoor, FetcherSettings
from pubweave.doors.fetcher.budgets import Budget, Budgets
from simnet.fixture import process

CPU_LIMIT_MS = 0.5
PEER_LIMIT = 2.0
RATE_FLOOR = 0.92
REQUESTS = 600
ROUNDS = 5

Ask = Callable[[str], Awaitable[int]]


def seen(url: str) -> ReplyWanted:
    """One hop: the redirect is the answer."""
    request = Request(url=url, follow_redirects=False, timeout_ms=60_000)
    return ReplyWanted(ask=url, unit="-", request=request, work=Work("doi", ()))


async def cpu_ms(ask: Ask, urls: list[str], at_a_time: int) -> float:
    """CPU milliseconds of this process per request."""
    left = iter(urls)

    async def worker() -> None:
        for url in left:
            status = await ask(url)
            assert status == 302, (url, status)

    began = time.process_time()
    await asyncio.gather(*(worker() for _ in range(at_a_time)))
    return (time.process_time() - began) * 1000 / len(urls)


async def cost(urls: list[str]) -> tuple[list[float], list[float], int]:
    """Rounds of fetcher and peer, taken in turns; and the connections that the fetcher opened."""
    mine: list[float] = []
    peers: list[float] = []
    proxy = os.environ["HTTPS_PROXY"]
    settings = FetcherSettings(exempt_hosts=(), connections_per_host=4, no_budgets=True)
    async with FetcherDoor(settings, SystemClock()) as fetcher, aiohttp.ClientSession() as session:
        tls = ssl.create_default_context()

        async def ask_fetcher(url: str) -> int:
            return (await fetcher.fetch(seen(url))).status

        async def ask_peer(url: str) -> int:
            async with session.get(url, proxy=proxy, ssl=tls, allow_redirects=False) as reply:
                await reply.read()
                return reply.status

        for _ in range(ROUNDS):
            mine.append(await cpu_ms(ask_fetcher, urls, 4))
            peers.append(await cpu_ms(ask_peer, urls, 4))
        return mine, peers, fetcher.counts.connections


async def rate(urls: list[str], budget: int) -> float:
    """Requests per second under a budget."""
    settings = FetcherSettings(connections_per_host=8, first_window="skip")
    async with FetcherDoor(settings, SystemClock()) as fetcher:
        fetcher.use_budgets(Budgets([Budget(family="resolver", at=("doi.org",), requests=budget)]))
        began = time.monotonic()
        await asyncio.gather(*(fetcher.fetch(seen(url)) for url in urls))
        # The first burst costs nothing, so the last window is not counted.
        return (len(urls) - budget) / (time.monotonic() - began)


async def redirecting(urls: list[str]) -> list[str]:
    """Those that the resolver knows."""
    async with FetcherDoor(FetcherSettings(exempt_hosts=(), no_budgets=True), SystemClock()) as fetcher:
        return [url for url in urls if (await fetcher.fetch(seen(url))).status == 302]


def main() -> int:
    logging.disable()
    failures: list[str] = []

    def check(what: str, value: float, limit: float, *, at_least: bool = False, unit: str = "") -> None:
        good = value >= limit if at_least else value <= limit
        print(
            f"{what:58} {value:8.3f} {unit:3} limit {'≥' if at_least else '≤'} {limit:g}  {'ok' if good else 'FAILED'}"
        )
        if not good:
            failures.append(what)

    with process("--seed", "1", "--size", "300", "--latency-ms", "0") as net:
        os.environ.update(net.environment)
        dois = [
            line.split("\t")[2]
            for line in Path(net.ids_file).read_text().splitlines()
            if line.count("\t") == 2
        ]
        known = [f"https://doi.org/{doi}" for doi in dois if doi.startswith("10.")]
        urls = asyncio.run(redirecting(known))[:REQUESTS]
        urls = (urls * (REQUESTS // len(urls) + 1))[:REQUESTS]
        mine, peers, connections = asyncio.run(cost(urls))
        check("CPU per HTTPS request through the proxy", median(mine), CPU_LIMIT_MS, unit="ms")
        check("  the same, bare aiohttp", median(peers), float("inf"), unit="ms")
        check("  ratio", median(a / b for a, b in zip(mine, peers, strict=True)), PEER_LIMIT, unit="×")
        check(f"connections for {REQUESTS * ROUNDS} requests, 4 at a time", connections, 4)
        net.reset()
        used = asyncio.run(rate(urls[:100], 20)) / 20
        check("share of a budget of 20/s that is used", used, RATE_FLOOR, at_least=True)
        check("highest count in any second at the server", net.log.busiest_window("doi", 1.0), 20)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
