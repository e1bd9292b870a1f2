"""Rules for pages that change while services run on the real Kafka and Cassandra."""

import secrets
from pathlib import Path
from typing import Final

import pytest

from flow.tables import NO_BROWSER
from pubweave.adapters.cassandra import CassandraPlace
from pubweave.adapters.clock import SystemClock
from pubweave.adapters.kafka.admin import apply
from pubweave.adapters.kafka.place import KafkaPlace
from pubweave.adapters.rule_files import WatchedRules
from pubweave.core.toolkit.service import Context
from pubweave.doors.fetcher import FetcherSettings
from pubweave.runtimes.bus.system import BusConfig, open_bus
from pubweave.runtimes.wiring import take_changed
from stack.fixtures import cassandra, kafka, needs_stack
from stack.storages import place
from stack_flow.alone import alone
from stack_flow.test_bus import SESSION_TIMEOUT_S, storage_at
from stack_flow.test_pages import records, submitted
from webpages.site import LOOPBACK, html, running_site

__all__ = ["alone", "cassandra", "kafka", "place"]

pytestmark = [needs_stack, pytest.mark.usefixtures("alone"), pytest.mark.network, pytest.mark.timeout(400)]

SERVICES: Final = ("merger", "fetcher", "renderer", "webpages")


def rules_file(title: str) -> str:
    return f"^http://127\\.0\\.0\\.1:\n  title: {title}\n  content: p\n"


async def test_changed_rules_hold_without_a_restart(
    kafka: str, place: CassandraPlace, tmp_path: Path
) -> None:
    """The user's file is written anew between two pages; each page says which rules read it. A file that cannot be
    used leaves the rules as they were."""
    path = tmp_path / "webpages.yaml"
    path.write_text(rules_file("h1"))
    watched = WatchedRules(webpages=path)
    brokers = KafkaPlace.at(kafka, prefix=f"t{secrets.token_hex(4)}.")
    await apply(brokers)
    before = watched.load()
    config = BusConfig(
        kafka=brokers,
        services=SERVICES,
        context=Context(rules=before),
        fetcher=FetcherSettings(allow_addresses=LOOPBACK, no_budgets=True, first_window="skip"),
        renderer=NO_BROWSER,
        session_timeout_s=SESSION_TIMEOUT_S,
    )
    with running_site() as site:
        for name in ("/1", "/2", "/3"):
            site.pages[name] = html(more="<h1>First</h1><h2>Second</h2>")
        async with storage_at(place) as storage:
            async with open_bus(config, storage) as bus:
                for name, rules in (("/1", ""), ("/2", rules_file("h2")), ("/3", "no rules")):
                    if rules:
                        path.write_text(rules)
                        await take_changed(watched, bus)
                    urls = tmp_path / "urls.txt"
                    urls.write_text(f"{site.url}{name}\n")
                    await submitted(tmp_path, "--urls", urls, "--kafka", kafka, "--prefix", brokers.prefix)
                await bus.drained(SystemClock())
            found = await records(storage.store, storage.blobs)
    pages = [found["webpage", f"{site.url}/{number}"] for number in (1, 2, 3)]

    assert [page.title for page in pages] == ["First", "Second", "Second"]
    assert pages[0].rules_version == before.version
    assert len({page.rules_version for page in pages}) == 2
