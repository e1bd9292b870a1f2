"""Web pages against every fault of the simulated internet: the outcome of the table, and nothing filled wrongly."""

from collections.abc import Iterator
from typing import Final, NamedTuple

import pytest

from flow.tables import system_on
from pubweave.adapters.clock import SystemClock
from pubweave.contract.values import RunSettings
from pubweave.runtimes.embedded.webpages import PageLine, PageWishes
from simnet.faults import KINDS, Fault
from simnet.fixture import Running, running
from simnet.universe import Universe

pytestmark = pytest.mark.network


class Hasty(SystemClock):
    """Waits are over at once."""

    async def sleep(self, seconds: float) -> None:
        await super().sleep(0)


class Expected(NamedTuple):
    """How a page ends that meets a fault each time it is asked for."""

    outcome: str
    fetch_exception: bool = False
    status: int = 0


ENDS: Final = {
    "500": Expected("unavailable", False, 500),
    "502": Expected("unavailable", False, 502),
    "503": Expected("unavailable", True, 503),
    "504": Expected("unavailable", False, 504),
    "cut": Expected("reset", False, 200),
    "reset": Expected("reset"),
    "empty": Expected("empty", False, 200),
    "bomb": Expected("too-large", False, 200),
    "redirects": Expected("redirect-loop"),
    "tarpit": Expected("timeout", True),
    "bad-gzip": Expected("malformed", False, 200),
    "wrong-type": Expected("wrong-type", False, 200),
}
"""Chapter 6.2 for web pages. The other kinds give a page at 200, or are about queries of many identifiers."""

WAITED_FOR: Final = ("429",)
"""The host is left alone in real time: tests/services/resources/test_webpages.py has it without."""

READ: Final = ("html", "truncated", "drip", "version-only", "lose", "cut-batch")
"""What comes with status 200 is what the site says now, and nobody can know better: these are read."""


@pytest.fixture(scope="module")
def net() -> Iterator[Running]:
    with running(Universe(seed=5, size=60)) as net:
        yield net


def address(net: Running) -> str:
    """An article page of a publisher, taken as a web page: it has a text of its own."""
    return next(
        page.url
        for publication in net.universe
        for page in publication.pages.values()
        if (page.face, page.way, page.full_url) == ("article", "direct", "")
    )


def test_the_table_is_about_every_fault_there_is() -> None:
    """A new kind of fault must be thought about here."""
    assert sorted([*ENDS, *READ, *WAITED_FOR]) == sorted(KINDS)


@pytest.mark.parametrize("kind", ENDS)
async def test_a_fault_ends_as_the_table_says_and_leaves_nothing_when_it_heals(
    net: Running, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """One outcome, its flag and status; not a word of what came becomes content. A failure is never recorded as "there
    is nothing": the next job fetches the page."""
    net.set_faults(Fault(kind, "publisher", megabytes=40))  # type: ignore[arg-type]
    net.reset()
    wishes = PageWishes(settings=RunSettings(timeout_ms=1000), second_chance=False)
    lines = [PageLine(1, address(net))]
    async with system_on(net, monkeypatch=monkeypatch, clock=Hasty()) as system, system.webpages() as pages:
        (broken,) = [one.record async for one in pages.fetch(lines, wishes)]
        net.set_faults()
        net.reset()
        (healed,) = [one async for one in pages.fetch(lines, wishes)]

    assert (broken.outcome, broken.fetch_exception, broken.status_code) == ENDS[kind]
    assert (broken.title, broken.content) == ("", "")
    assert (healed.fetched, healed.outcome, healed.record.fetch_exception) == (True, "found", False)
    assert healed.record.is_final(50)
