"""A folder with what the manual's examples presuppose, fetched once from the simulated internet."""

import asyncio
import os
import shlex
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from pubweave.adapters.clock import SystemClock
from pubweave.adapters.sqlite import SqliteStorage
from pubweave.cli.main import run
from pubweave.core.record import Part, Record
from pubweave.runtimes.embedded.database import RecordStore
from simnet.fixture import Running, running
from simnet.universe import Universe

PUBLICATIONS = 16
UNIVERSE = 60
FAMILIES = ["europepmc", "annotations", "ncbi", "ncbi_pages", "unpaywall"]


class Ran(NamedTuple):
    status: int
    out: str
    err: str


Example = Callable[..., Ran]


def _environment(net: Running, folder: Path) -> dict[str, str]:
    budgets = folder / "budgets.yaml"
    budgets.write_text("".join(f"{family}: {{requests: unlimited}}\n" for family in FAMILIES))
    return {
        **net.environment,
        "PUBWEAVE_BUDGETS": str(budgets),
        "PUBWEAVE_CONNECTIONS_PER_HOST": "8",
        "XDG_CONFIG_HOME": str(folder / "config"),
        "PUBWEAVE_EMAIL": "tests@loom.example",
    }


@pytest.fixture(scope="session")
def internet() -> Iterator[Running]:
    with running(Universe(seed=7, size=UNIVERSE)) as net:
        yield net


def _lines(net: Running) -> list[str]:
    return ["\t".join((ids.pmid, ids.pmcid, ids.doi)) for ids in net.universe.submissions(PUBLICATIONS)]


def _addresses(net: Running) -> list[str]:
    """Pages that are there, in https and plain."""
    pages = (
        page
        for number in range(UNIVERSE)
        for page in net.universe.publication(number).pages.values()
        if page.face == "article" and page.way == "direct"
    )
    return list(dict.fromkeys(page.url for page in pages))


async def _put(path: Path, *records: Record) -> None:
    storage = SqliteStorage.open(path, create=True)
    try:
        for record in records:
            await RecordStore(storage, SystemClock()).put(record)
    finally:
        await storage.close()


def part(text: str, url: str = "https://www.ebi.ac.uk/europepmc/webservices/rest/search?x") -> Part:
    return Part(type="europepmc", url=url, timestamp=1_600_000_000_000, size=len(text), text=text)


METHODS = Record(
    "",
    fetch_time=1,
    pmid=part("12345678"),
    pmcid=part("PMC12345678"),
    doi=part("10.1038/NMETH.1234"),
    title=part("A method"),
)
"""What the manual's examples of identifiers look for."""


@pytest.fixture(scope="session")
def _prepared(internet: Running, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("prepared")
    lines = _lines(internet)
    (folder / "pub.txt").write_text("\n".join(lines) + "\n")
    (folder / "pub1.txt").write_text("# some\n\n" + "\n".join(lines[:4]) + "\n")
    (folder / "pub2.txt").write_text("\n".join(lines[2:6]) + "\n")
    addresses = _addresses(internet)
    (folder / "web.txt").write_text("\n".join(addresses[:5]) + "\n")
    (folder / "doc.txt").write_text("\n".join(addresses[5:8]) + "\n")
    asyncio.run(_put(folder / "new.db", METHODS))
    before, here = dict(os.environ), Path.cwd()
    os.environ.update(_environment(internet, folder))
    os.chdir(folder)
    try:
        assert run(["-db-init", "database.db"]) == 0
        given = "-pub-file pub.txt -web-file web.txt -doc-file doc.txt -db-fetch-end database.db"
        assert run(given.split()) == 0
    finally:
        os.chdir(here)
        os.environ.clear()
        os.environ.update(before)
    return folder


@pytest.fixture
def folder(_prepared: Path, internet: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, as working folder; the simulated internet without faults, its log empty."""
    for name in list(os.environ):
        if name.startswith("PUBWEAVE_") or name.upper().endswith("_PROXY"):
            monkeypatch.delenv(name)
    target = tmp_path / "work"
    shutil.copytree(_prepared, target)
    for name, value in _environment(internet, target).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(target)
    internet.reset()
    return target


@pytest.fixture
def example(folder: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> Example:
    """Run an example as it is written, with the program's name changed; a pager or a file after it is the shell's."""

    def call(text: str) -> Ran:
        words = shlex.split(text.replace("\\\n", " "))
        assert words[0] == "pubweave"
        capfdbinary.readouterr()
        status = run(words[1:])
        captured = capfdbinary.readouterr()
        return Ran(status, captured.out.decode(), captured.err.decode())

    return call
