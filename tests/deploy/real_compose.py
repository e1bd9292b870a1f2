"""docker-compose.yml as a person starts it, on stand-ins of the images that others publish: `make test-deploy`."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from pubweave.deploy.services import services
from stack import containers, programs
from stack.composing import Composed, composed
from stack.containers import ROOT, build_everything, podman

pytestmark = pytest.mark.timeout(1800)

READ = """
import asyncio, json, sys
from pubweave.adapters.cassandra import CassandraPlace, CassandraStorage

async def read():
    storage = await CassandraStorage.open(CassandraPlace.at("cassandra:9042"))
    stored = await storage.store.record(await storage.store.resolve(sys.argv[1]))
    print(json.dumps([stored.publication, stored.version, len(stored.body)]))
    await storage.close()

asyncio.run(read())
"""
ASK = """
import cassandra.cluster as c
session = c.Cluster(["cassandra"]).connect()
print(session.execute("SELECT value FROM system_views.settings WHERE name = 'commitlog_sync'").one()[0])
"""
REACH = """
import socket
try:
    socket.create_connection(("192.0.2.1", 80), 3)
except OSError as problem:
    print(problem.strerror)
"""


RULES = """
from pubweave.adapters.rule_files import own_rule_files
print(len(list(own_rule_files())))
"""

BROWSE = """
import asyncio
from pubweave.doors.renderer.chromium import Browser
from pubweave.doors.renderer.settings import RendererSettings

async def browse():
    browser = await Browser.start(RendererSettings(start_s=120))
    print((await browser.whole.ask("Browser.getVersion"))["product"])
    await browser.kill()

asyncio.run(browse())
"""
DRAW = """
import pymupdf
drawn = pymupdf.open()
drawn.new_page().insert_text((72, 72), "Facts are woven in a container.")
drawn.save("/tmp/drawn.pdf")
"""


@pytest.fixture(scope="module")
def system() -> Iterator[Composed]:
    if obstacle := " and ".join(filter(None, (containers.missing(), programs.missing()))):
        pytest.fail(f"this needs {obstacle}", pytrace=False)
    engine = podman()
    build_everything(engine)
    with composed(engine) as found:
        yield found


@pytest.fixture(scope="module")
def settled(system: Composed) -> list[dict[str, Any]]:
    """Outcomes of twenty identifiers, submitted as the welcome says."""
    said = system.cli("submit", "--ids", "/told/ids.txt", "--wait")
    return [json.loads(line) for line in said.splitlines() if line.startswith("{")]


def test_everything_comes_up_and_says_what_to_type_next(system: Composed) -> None:
    """Topics and tables are made once, every service is alive, the last words are the first command."""
    assert "created" in system.said("topics")
    assert "ran 0001" in system.said("tables")
    assert {one.name: system.health(one.name) for one in services()} == {
        one.name: "healthy" for one in services()
    }
    assert "docker compose run --rm cli submit" in system.said("welcome")


def test_submitted_identifiers_get_their_outcomes(settled: list[dict[str, Any]]) -> None:
    assert sorted(one["line"] for one in settled) == list(range(1, 21))
    assert {one["outcome"] for one in settled} <= {"finished", "corrected", "joined"}


def record(system: Composed, publication: str) -> Any:
    return json.loads(system.inside("materialiser", "python", "-c", READ, publication).stdout)


def test_records_can_be_read_and_outlive_a_killed_cassandra(
    system: Composed, settled: list[dict[str, Any]]
) -> None:
    """What it has acknowledged is there after kill -9: it syncs before it answers."""
    names = [one["publication"] for one in settled]
    before = [record(system, name) for name in names[:5]]

    assert system.inside("merger", "python", "-c", ASK).stdout.strip() == "batch"

    system.podman("kill", "--signal", "KILL", system.container("cassandra"))
    system("up", "--detach", "--no-build", "cassandra")
    system.cli("tables", "apply")  # which waits until it answers

    assert [record(system, name) for name in names[:5]] == before
    assert len(before) == 5
    assert all(size > 100 for _, _, size in before)


@pytest.mark.parametrize("service", ["merger", "renderer", "pdf-reader", "europepmc"])
def test_services_can_do_nothing_that_they_need_not(system: Composed, service: str) -> None:
    """Not root, nothing written but /tmp, no way out, no tools to install more."""
    name = system.inside(service, "id", "-u").stdout.strip()
    written = system.inside(service, "touch", "/etc/pubweave/x", check=False)
    reached = system.inside(service, "python", "-c", REACH).stdout.strip()
    tools = system.inside(service, "python", "-m", "pip", check=False)

    assert name == "10001"
    assert "Read-only file system" in written.stderr
    assert reached == "Network is unreachable"
    assert "No module named pip" in tools.stderr


def test_the_rules_of_sites_are_in_the_image(system: Composed) -> None:
    shipped = sum(1 for folder in ("sites", "webpages") for _ in (ROOT / "rules" / folder).glob("*.yaml"))

    assert system.inside("doi", "python", "-c", RULES).stdout.strip() == str(shipped)


def test_records_can_be_exported(system: Composed, settled: list[dict[str, Any]]) -> None:
    """As the README says; one line for each publication."""
    said = system.cli("export", "--cluster", "--format", "jsonl")
    lines = [json.loads(line) for line in said.splitlines() if line.startswith("{")]

    assert len(lines) > 0
    assert len(lines) == len({one["publication"] for one in settled})


def test_the_browser_comes_up_in_its_container(system: Composed) -> None:
    assert system.inside("renderer", "python", "-c", BROWSE).stdout.startswith("Chrome/")


def test_pdfs_are_read_in_their_container(system: Composed) -> None:
    """In processes of their own, under the limits of the container."""
    system.inside("pdf-reader", "python", "-c", DRAW)

    assert "woven in a container" in system.inside("pdf-reader", "pubweave", "text", "/tmp/drawn.pdf").stdout


def test_a_polite_request_ends_a_service_in_order(system: Composed) -> None:
    system("stop", "scheduler")
    code = system.podman("inspect", "--format", "{{.State.ExitCode}}", system.container("scheduler")).stdout

    assert code.strip() == "0"
