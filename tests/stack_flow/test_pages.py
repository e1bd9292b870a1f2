"""Web pages and docs on the real Kafka and Cassandra: the records of one process."""

import asyncio
import json
import secrets
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from flow.tables import NO_BROWSER
from pubweave.adapters.cassandra import CassandraPlace
from pubweave.adapters.clock import SystemClock
from pubweave.adapters.kafka.admin import apply
from pubweave.adapters.kafka.place import KafkaPlace
from pubweave.adapters.memory import MemoryStorage
from pubweave.contract.vocabulary import PageKind
from pubweave.core.toolkit.service import Context
from pubweave.core.webpage_record import WebpageRecord, decode_webpage
from pubweave.doors.fetcher import FetcherDoor, FetcherSettings
from pubweave.doors.pdf_reader import PdfReader
from pubweave.ports import Blobs, Store
from pubweave.runtimes.bus.rebuilding import rebuild
from pubweave.runtimes.bus.system import BusConfig, open_bus
from pubweave.runtimes.doors import Doors
from pubweave.runtimes.embedded.webpage_store import content_put_back
from pubweave.runtimes.embedded.webpages import PageLine, PageWishes, Webpages
from services.doors.pdf_reader.pdfs import pages_of
from stack.fixtures import cassandra, kafka, needs_stack
from stack.storages import place
from stack_flow.alone import alone
from stack_flow.test_bus import SESSION_TIMEOUT_S, storage_at
from stack_flow.test_commands import command
from webpages.site import LOOPBACK, Said, Site, html, running_site

__all__ = ["alone", "cassandra", "kafka", "place"]

pytestmark = [needs_stack, pytest.mark.usefixtures("alone"), pytest.mark.network, pytest.mark.timeout(400)]

SERVICES: Final = (
    "merger",
    "materialiser",
    "scheduler",
    "fetcher",
    "pdf_reader",
    "renderer",
    "webpages",
    "docs",
)
LINES: Final[tuple[tuple[str, PageKind], ...]] = (
    ("/tool", "webpage"),
    ("/tool", "doc"),
    ("/long", "webpage"),
    ("/gone", "webpage"),
    ("/busy", "webpage"),
    ("/manual.pdf", "doc"),
    ("/short", "webpage"),
)


def fill(site: Site) -> None:
    """The same site for both runs; `/busy` is busy when it is first asked."""
    site.got.clear()
    site.pages = {
        "/tool": html("Tool"),
        "/long": html("Long", "word " * 30_000),
        "/busy": [Said(b"", 503), html("Busy no more")],
        "/manual.pdf": Said(pages_of(["Of the manual."], title="Manual"), 200, "application/pdf"),
        "/short": Said(b"<title>Short</title>little"),
    }


async def records(store: Store, blobs: Blobs) -> dict[tuple[str, str], WebpageRecord]:
    """Without times."""
    found = {}
    for entry in ("webpage", "doc"):
        async for stored in store.records(entry):
            record = await content_put_back(decode_webpage(stored.body), blobs)
            found[entry, record.start_url] = msgspec.structs.replace(record, fetch_time=0, content_time=0)
    return found


async def submitted(folder: Path, *arguments: object) -> list[dict[str, Any]]:
    """What `pubweave submit --wait` prints: the job, then the outcome of each line."""
    ran = await asyncio.create_subprocess_exec(
        *command("submit", "--wait", *map(str, arguments)), cwd=folder, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await ran.communicate()
    assert ran.returncode == 0
    job, *outcomes = out.decode().splitlines()
    found = [json.loads(line) for line in outcomes]
    assert {one["job"] for one in found} == {job}
    return found


async def test_pages_of_the_bus_are_those_of_one_process(
    kafka: str, place: CassandraPlace, tmp_path: Path
) -> None:
    """Seven lines: a page, the same as doc, a long one, one that is gone, one with a second chance, a PDF, a short one."""
    clock = SystemClock()
    settings = FetcherSettings(allow_addresses=LOOPBACK, no_budgets=True, first_window="skip")
    with running_site() as site:
        fill(site)
        alone_ = MemoryStorage()
        async with (
            FetcherDoor(settings, clock, alone_.store) as fetcher,
            PdfReader() as reader,
            Webpages(alone_, Doors(fetcher, reader), Context(), clock) as pages,
        ):
            for entry in ("webpage", "doc"):
                lines = [
                    PageLine(n, site.url + path) for n, (path, kind) in enumerate(LINES) if kind == entry
                ]
                assert len([one async for one in pages.fetch(lines, PageWishes(entry=entry))]) == len(lines)
        wanted = await records(alone_.store, alone_.blobs)
        fill(site)
        brokers = KafkaPlace.at(kafka, prefix=f"t{secrets.token_hex(4)}.")
        await apply(brokers)
        config = BusConfig(
            kafka=brokers,
            services=SERVICES,
            fetcher=settings,
            renderer=NO_BROWSER,
            session_timeout_s=SESSION_TIMEOUT_S,
        )
        async with storage_at(place) as storage:
            async with open_bus(config, storage) as bus:
                told = []
                for entry, doc in (("webpage", ()), ("doc", ("--doc",))):
                    urls = tmp_path / f"{entry}.txt"
                    urls.write_text("".join(f"{site.url}{path}\n" for path, kind in LINES if kind == entry))
                    told += await submitted(
                        tmp_path, "--urls", urls, *doc, "--kafka", kafka, "--prefix", brokers.prefix
                    )
                await bus.drained(clock)
            found = await records(storage.store, storage.blobs)
            rebuilt = MemoryStorage()
            await rebuild(brokers, rebuilt.store)
            anew = await records(rebuilt.store, storage.blobs)

    assert [one["outcome"] for one in told] == ["finished"] * len(LINES)
    assert len(wanted) == len(LINES)
    assert found == wanted
    assert anew == wanted
    assert site.asked("/busy") == 2
    assert site.asked("/tool") == 2
