"""Nothing of the machine reaches these tests: no settings, no proxies, no database of the user."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from pubweave.cli.main import run
from simnet.fixture import Running, running
from simnet.universe import Universe

SIZE = 60


class Ran(NamedTuple):
    """A command line that has run."""

    status: int
    out: str
    err: str


Cli = Callable[..., Ran]


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("PUBWEAVE_") or name.upper().endswith("_PROXY"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")


@pytest.fixture
def cli(capfdbinary: pytest.CaptureFixture[bytes]) -> Cli:
    """Run a command line in this process; what it prints comes back."""

    def call(*arguments: object) -> Ran:
        capfdbinary.readouterr()
        status = run([str(argument) for argument in arguments])
        captured = capfdbinary.readouterr()
        return Ran(status, captured.out.decode(), captured.err.decode())

    return call


@pytest.fixture(scope="session")
def internet() -> Iterator[Running]:
    """One simulated internet for all tests that want one; small, quick, without faults."""
    with running(Universe(seed=7, size=SIZE)) as net:
        yield net


@pytest.fixture
def net(internet: Running, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Running:
    """The simulated internet, its log empty, and this process told to use it, without budgets."""
    internet.reset()
    for name, value in internet.environment.items():
        monkeypatch.setenv(name, value)
    families = ["europepmc", "annotations", "ncbi", "ncbi_pages", "unpaywall"]
    budgets = tmp_path / "budgets.yaml"
    budgets.write_text("".join(f"{family}: {{requests: unlimited}}\n" for family in families))
    monkeypatch.setenv("PUBWEAVE_BUDGETS", str(budgets))
    monkeypatch.setenv("PUBWEAVE_CONNECTIONS_PER_HOST", "8")
    return internet


@pytest.fixture
def some_ids(net: Running, tmp_path: Path) -> Path:
    """A file of twelve submissions, in three columns."""
    file = tmp_path / "twelve.tsv"
    lines = ["\t".join((ids.pmid, ids.pmcid, ids.doi)) for ids in net.universe.submissions(12)]
    file.write_text("# pmid\tpmcid\tdoi\n" + "\n".join(lines) + "\n")
    return file
