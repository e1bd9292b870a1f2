"""Pages that scripts make, on the real Kafka and Cassandra and in a real browser: the records of one process."""

import asyncio
import secrets
import threading
from pathlib import Path
from typing import Final

import msgspec
import pytest

from pubweave.adapters.cassandra import CassandraPlace
from pubweave.adapters.clock import SystemClock
from pubweave.adapters.kafka.admin import apply
from pubweave.adapters.kafka.place import KafkaPlace
from pubweave.adapters.memory import MemoryStorage
from pubweave.contract.exchange import Reply
from pubweave.contract.reply_received import ReplyReceived
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.core.toolkit.service import Context
from pubweave.doors.fetcher import FetcherDoor, FetcherSettings
from pubweave.doors.pdf_reader import PdfReader
from pubweave.doors.renderer import Renderer
from pubweave.runtimes.bus.client import following
from pubweave.runtimes.bus.listening import listening
from pubweave.runtimes.bus.sending import Sender
from pubweave.runtimes.bus.system import BusConfig, open_bus
from pubweave.runtimes.doors import Doors
from pubweave.runtimes.embedded.webpages import PageLine, PageWishes, Webpages
from pubweave.runtimes.messages.asking import Asking
from pubweave.runtimes.messages.effects import message
from services.doors.fetcher.loopback import wanted
from services.doors.renderer.conftest import needs_browser
from stack.fixtures import cassandra, kafka, needs_stack
from stack.storages import place
from stack_flow.alone import alone
from stack_flow.test_bus import SESSION_TIMEOUT_S, storage_at
from stack_flow.test_pages import SERVICES, records, submitted
from stack_flow.troubles import members
from webpages.site import LOOPBACK, Got, Said, Site, running_site

__all__ = ["alone", "cassandra", "kafka", "place"]

pytestmark = [needs_stack, pytest.mark.usefixtures("alone"), pytest.mark.network, pytest.mark.timeout(400)]

PATHS: Final = ("/app", "/large", "/short", "/gone")

SCRIPT: Final = """
(async () => {
  const told = await (await fetch("/data.json")).json();
  const p = document.createElement("p");
  p.textContent = told.text;
  document.body.appendChild(p);
  document.title = "Made by " + window.who;
})();
"""


def fill(site: Site) -> None:
    """`/app` needs its script, and that what it asks for; the page `/large` and its script are too long to travel."""
    site.got.clear()
    text = " ".join(f"Sentence {number} that a script has brought." for number in range(20))
    large = b"<!-- " + b"x" * 100_000 + b" -->"
    script = b'window.who = "a script";' + SCRIPT.encode()

    def page(name: str) -> bytes:
        return f'<html><head><title>Empty</title></head><body><script src="{name}"></script>'.encode()

    site.pages = {
        "/app": Said(page("/app.js")),
        "/app.js": Said(script, content_type="text/javascript"),
        "/large": Said(page("/large.js") + large),
        "/large.js": Said(script + b"//" + b"x" * 100_000, content_type="text/javascript"),
        "/data.json": Said(msgspec.json.encode({"text": text}), content_type="application/json"),
        "/short": Said(b"<title>Short</title>little"),
    }


@needs_browser
async def test_pages_that_scripts_make_are_those_of_one_process(
    kafka: str, place: CassandraPlace, tmp_path: Path
) -> None:
    """Four addresses: one whose script asks for data, the same with contents that do not travel, one with little text, one
    that is not there. Every host is asked by the fetcher, and for nothing twice but what a page loads twice."""
    clock = SystemClock()
    settings = FetcherSettings(allow_addresses=LOOPBACK, no_budgets=True, first_window="skip")
    with running_site() as site:
        fill(site)
        memory = MemoryStorage()
        async with (
            FetcherDoor(settings, clock, memory.store) as fetcher,
            PdfReader() as reader,
            Renderer() as renderer,
            Webpages(memory, Doors(fetcher, reader, renderer), Context(), clock) as pages,
        ):
            lines = [PageLine(number, site.url + path) for number, path in enumerate(PATHS)]
            assert len([one async for one in pages.fetch(lines, PageWishes())]) == len(PATHS)
        one_process = await records(memory.store, memory.blobs)
        asked = sorted(got.path for got in site.got)
        fill(site)
        brokers = KafkaPlace.at(kafka, prefix=f"t{secrets.token_hex(4)}.")
        await apply(brokers)
        config = BusConfig(
            kafka=brokers, services=SERVICES, fetcher=settings, session_timeout_s=SESSION_TIMEOUT_S
        )
        async with storage_at(place) as storage:
            async with open_bus(config, storage) as bus:
                urls = tmp_path / "urls.txt"
                urls.write_text("".join(f"{site.url}{path}\n" for path in PATHS))
                told = await submitted(tmp_path, "--urls", urls, "--kafka", kafka, "--prefix", brokers.prefix)
                await bus.drained(clock)
            found = await records(storage.store, storage.blobs)

    assert [one["outcome"] for one in told] == ["finished"] * len(PATHS)
    assert found == one_process
    assert [found["webpage", site.url + path].title for path in PATHS] == [
        "Made by a script",
        "Made by a script",
        "Short",
        "",
    ]
    assert sorted(got.path for got in site.got) == asked


@needs_browser
async def test_a_page_is_rendered_anew_when_its_renderer_is_killed(
    kafka: str, place: CassandraPlace, tmp_path: Path
) -> None:
    """Killed (-9) while the page waits for its script: another process renders the page that was brought, and neither
    page nor script is asked for once more."""
    clock, hangs, killed = SystemClock(), threading.Event(), threading.Event()
    settings = FetcherSettings(allow_addresses=LOOPBACK, no_budgets=True, first_window="skip")
    with running_site() as site:
        fill(site)
        script = site.pages["/app.js"]
        assert isinstance(script, Said)

        def slowly(got: Got) -> Said:
            hangs.set()
            assert killed.wait(60)
            return script

        site.pages["/app.js"] = slowly
        brokers = KafkaPlace.at(kafka, prefix=f"t{secrets.token_hex(4)}.")
        await apply(brokers)
        config = BusConfig(
            kafka=brokers,
            services=tuple(name for name in SERVICES if name != "renderer"),
            fetcher=settings,
            session_timeout_s=SESSION_TIMEOUT_S,
        )
        told = [kafka, brokers.prefix, ",".join(place.hosts), place.keyspace, "", "browser"]
        async with storage_at(place) as storage:
            async with open_bus(config, storage) as bus:
                with members(told, {}, tmp_path, which=[("renderer",)]) as processes:
                    urls = tmp_path / "urls.txt"
                    urls.write_text(f"{site.url}/app\n")
                    submitting = asyncio.create_task(
                        submitted(tmp_path, "--urls", urls, "--kafka", kafka, "--prefix", brokers.prefix)
                    )
                    assert await asyncio.to_thread(hangs.wait, 120), processes.said()
                    processes.kill(0)
                    killed.set()
                    (outcome,) = await submitting
                    await bus.drained(clock)
            found = await records(storage.store, storage.blobs)

    assert outcome["outcome"] == "finished"
    assert found["webpage", f"{site.url}/app"].title == "Made by a script"
    assert (site.asked("/app"), site.asked("/app.js"), site.asked("/data.json")) == (2, 1, 1)


async def answers(brokers: KafkaPlace, sender: Sender, count: int) -> None:
    """A fetcher that says each reply twice, as after a crash."""
    async with following(brokers, ["reply-wanted.fetcher"], from_the_start=True) as follower:
        async for event, _, _ in follower.events():
            assert isinstance(event, ReplyWanted)
            reply = Reply("found", event.request.url, evidence=event.work.asker)
            received = ReplyReceived(ask=event.ask, reply=reply, work=event.work)
            await sender.send([message(received), message(received)], "fetcher")
            count -= 1
            if not count:
                return


async def test_each_process_hears_its_own_answers(kafka: str) -> None:
    """Also where two wait for the same question at once, as around a crash."""
    brokers = KafkaPlace.at(kafka, prefix=f"t{secrets.token_hex(4)}.")
    await apply(brokers)
    blobs = MemoryStorage().blobs
    failures: list[BaseException] = []
    async with Sender(brokers, SystemClock().now_ms) as sender:

        async def say(question: ReplyWanted) -> None:
            await sender.send([message(question)], "renderer")

        old, new = (Asking(name, say, blobs, SystemClock()) for name in ("old", "new"))
        question = wanted("http://tool.example/app.js")
        fetching = asyncio.create_task(answers(brokers, sender, 2))
        async with listening(brokers, old, failures.append), listening(brokers, new, failures.append):
            replies = await asyncio.gather(old.ask(question), new.ask(question))
        await fetching

    assert [reply.evidence for reply in replies] == ["old", "new"]
    assert (old.waiting, new.waiting, failures) == (0, 0, [])
