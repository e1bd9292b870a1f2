"""`GET /healthz`, `/readyz` and `/metrics` of a process of services."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from aiohttp import web
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from pubweave.runtimes.bus.counting import turns_metrics
from pubweave.runtimes.bus.system import BusSystem


class _Collected(Collector):
    """What is known of the services, at the moment of asking. Never an identifier as a label."""

    def __init__(self, bus: BusSystem) -> None:
        self._bus = bus

    def collect(self) -> Iterable[Metric]:
        done = CounterMetricFamily("pubweave_messages", "Messages heard, by service.", labels=["service"])
        dead = CounterMetricFamily(
            "pubweave_dead_letters", "Messages put aside, by service.", labels=["service"]
        )
        lag = GaugeMetricFamily("pubweave_lag", "Messages that wait, by service.", labels=["service"])
        waits = GaugeMetricFamily(
            "pubweave_waiting_reasons", "Stated reasons for waiting, by service.", labels=["service"]
        )
        for worker in self._bus.workers:
            done.add_metric([worker.service], worker.health.done)
            dead.add_metric([worker.service], worker.health.dead)
            lag.add_metric([worker.service], worker.health.lag())
            waits.add_metric([worker.service], len(worker.health.waiting()))
        told = [done, dead, lag, waits, *self._bus.counts.metrics()]
        if self._bus.fetcher is not None:
            told += turns_metrics(self._bus.fetcher.status(), self._bus.fetcher.budgets)
        return told


@asynccontextmanager
async def serving(bus: BusSystem, address: str) -> AsyncIterator[int]:
    """Answer at `host:port` (port 0: any free one) while inside; nowhere if it is empty.

    :returns: the port; 0 if nowhere
    """
    if not address:
        yield 0
        return
    registry = CollectorRegistry()
    registry.register(_Collected(bus))

    async def healthz(request: web.Request) -> web.Response:
        problems = [*bus.problems(), *([str(bus.failure())] if bus.failure() else [])]
        return web.Response(status=503 if problems else 200, text="\n".join(problems) or "alive")

    async def readyz(request: web.Request) -> web.Response:
        unready = [worker.service for worker in bus.workers if not worker.has_partitions()]
        return web.Response(
            status=503 if unready else 200,
            text=f"without partitions yet: {', '.join(unready)}" if unready else "ready",
        )

    async def metrics(request: web.Request) -> web.Response:
        return web.Response(body=generate_latest(registry), content_type="text/plain", charset="utf-8")

    app = web.Application()
    app.add_routes([web.get("/healthz", healthz), web.get("/readyz", readyz), web.get("/metrics", metrics)])
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    host, _, port = address.rpartition(":")
    site = web.TCPSite(runner, host or "127.0.0.1", int(port))
    await site.start()
    try:
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()
