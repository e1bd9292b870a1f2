"""The house rules: the core is pure, layers see only what is below them, services do not see each other."""

import subprocess
import sys
from pathlib import Path

import pytest

import pubweave.contract
from contract.imports import WAIVERS, circles, complaints, layer_of

CHECKOUT = Path(pubweave.contract.__path__[0]).parents[2]
ROOTS = (CHECKOUT / "shared" / "pubweave", CHECKOUT / "services" / "pubweave")


def modules() -> dict[str, str]:
    """Every module of the product by name, without the leading `pubweave.`, with its source."""
    found = {}
    for root in ROOTS:
        for path in root.rglob("*.py"):
            parts = path.relative_to(root).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            found[name] = path.read_text(encoding="utf-8")
    return found


def test_every_module_keeps_to_its_layer() -> None:
    """And the pure ones to computing. Each line names the module, what it does, and why it must not."""
    found = [
        complaint for module, source in sorted(modules().items()) for complaint in complaints(module, source)
    ]

    assert found == [], "\n" + "\n".join(f"{one.module}: {one.what}: {one.why}" for one in found)


READING = CHECKOUT / "shared" / "pubweave" / "core" / "reading"


@pytest.mark.parametrize(
    "package",
    [
        "pubweave.api",
        *(f"pubweave.core.reading.{one.parent.name}" for one in sorted(READING.glob("*/__init__.py"))),
    ],
)
def test_a_package_can_be_the_first_that_is_imported(package: str) -> None:
    """Whatever the tests have imported before: packages that import each other work in one order only."""
    ended = subprocess.run(
        [sys.executable, "-c", f"import {package}"], capture_output=True, text=True, check=False
    )

    assert ended.stderr == ""


def test_every_module_has_a_layer() -> None:
    """A new folder has to say what it may see."""
    assert [module for module in modules() if layer_of(module) is None] == []


def test_all_modules_are_looked_at() -> None:
    """Both roots are there, and the core among them."""
    found = modules()

    assert {"core.merging.fold", "contract.codec", "merger.handler", "resources.europepmc.handler"} <= set(
        found
    )


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_no_two_packages_see_each_other(depth: int) -> None:
    """Not by way of others either: each package can be understood with those below it alone."""
    assert circles(modules(), depth) == []


def test_waivers_are_still_needed() -> None:
    """Who no longer offends loses the waiver."""
    sources = modules()
    held = dict(WAIVERS)
    WAIVERS.clear()
    try:
        offences = {
            (one.module, one.what) for module, source in sources.items() for one in complaints(module, source)
        }
    finally:
        WAIVERS.update(held)

    assert set(WAIVERS) <= offences
    assert all(WAIVERS.values())


@pytest.mark.parametrize("root", ROOTS, ids=lambda root: root.parent.name)
def test_one_name_has_two_roots(root: Path) -> None:
    """`pubweave` is a namespace package: an __init__.py directly in either root would hide the other."""
    assert not (root / "__init__.py").exists()


@pytest.mark.parametrize("root", ROOTS, ids=lambda root: root.parent.name)
def test_subpackages_carry_py_typed(root: Path) -> None:
    """Users of the library get its types (PEP 561); a namespace package needs the mark in each part."""
    packages = [path.parent for path in root.glob("*/__init__.py")]

    assert packages
    assert [package.name for package in packages if not (package / "py.typed").is_file()] == []


OFFENCES = [
    ("core.merging.fold", "import os", "os"),
    ("core.merging.fold", "import random", "random"),
    ("core.merging.fold", "import time", "time"),
    ("core.merging.fold", "import socket", "socket"),
    ("core.merging.fold", "import asyncio", "asyncio"),
    ("core.merging.fold", "from pathlib import Path", "pathlib"),
    ("core.merging.fold", "import uuid", "uuid"),
    ("core.merging.fold", "import secrets", "secrets"),
    ("core.merging.fold", "import aiohttp", "aiohttp"),
    ("core.merging.fold", "import sqlite3", "sqlite3"),
    ("core.merging.fold", "from urllib.request import urlopen", "urllib.request"),
    ("core.merging.fold", "import importlib.resources", "importlib.resources"),
    ("core.merging.fold", "def f():\n    import os", "os"),
    ("core.merging.fold", "open('x')", "open()"),
    ("core.merging.fold", "def f(x):\n    return hash(x)", "hash()"),
    ("core.merging.fold", "from datetime import datetime\ndatetime.now()", ".now()"),
    ("core.merging.fold", "from datetime import date\ndate.today()", ".today()"),
    ("core.merging.fold", "from pubweave.ports import Log", "pubweave.ports.Log"),
    ("core.merging.fold", "from pubweave.adapters import memory", "pubweave.adapters.memory"),
    ("core.merging.fold", "from pubweave import adapters", "pubweave.adapters"),
    ("core.merging.fold", "import pubweave.runtimes.embedded", "pubweave.runtimes.embedded"),
    (
        "core.merging.fold",
        "from pubweave.contract.catalogue import topics",
        "pubweave.contract.catalogue.topics",
    ),
    ("core.merging.fold", "from . import other", "."),
    (
        "core.merging.decide",
        "from pubweave.core.toolkit.answering import Answer",
        "pubweave.core.toolkit.answering.Answer",
    ),
    (
        "core.merging.fold",
        "from pubweave.core.reading.jats.plain import read",
        "pubweave.core.reading.jats.plain.read",
    ),
    (
        "core.toolkit.page_asking",
        "from pubweave.core.merging.links import LinkList",
        "pubweave.core.merging.links.LinkList",
    ),
    ("core.reading.pages", "from pubweave.core.toolkit import answering", "pubweave.core.toolkit.answering"),
    ("core.reading.pages", "from pubweave.core.merging import fold", "pubweave.core.merging.fold"),
    ("core.record", "from pubweave.core.merging.fold import Draft", "pubweave.core.merging.fold.Draft"),
    ("articles.iterator.walk", "from pubweave.articles.disk import read", "pubweave.articles.disk.read"),
    ("articles.iterator.walk", "import os", "os"),
    ("cli.operations.selecting.filters", "from pubweave.ports import Store", "pubweave.ports.Store"),
    ("runtimes.bus.audit", "import time", "time"),
    ("contract.codec", "from pubweave.core.merging.fold import Draft", "pubweave.core.merging.fold.Draft"),
    ("contract.codec", "import os", "os"),
    ("ports", "from pubweave.adapters import sqlite", "pubweave.adapters.sqlite"),
    ("adapters.sqlite.store", "from pubweave.runtimes import embedded", "pubweave.runtimes.embedded"),
    ("adapters.sqlite.store", "import faust", "faust"),
    (
        "resources.pmc.handler",
        "from pubweave.resources.doi.handler import step",
        "pubweave.resources.doi.handler.step",
    ),
    ("resources.pmc.handler", "from pubweave.ports import Clock", "pubweave.ports.Clock"),
    ("resources.pmc.handler", "from pubweave.merger import handler", "pubweave.merger.handler"),
    ("resources.pmc.handler", "import time", "time"),
    ("merger.handler", "from pubweave.resources.pmc import SERVICE", "pubweave.resources.pmc.SERVICE"),
    ("merger.handler", "import random", "random"),
    ("doors.fetcher.door", "from pubweave.doors.renderer import page", "pubweave.doors.renderer.page"),
    ("doors.fetcher.door", "from pubweave.resources.pmc import SERVICE", "pubweave.resources.pmc.SERVICE"),
    ("doors.fetcher.door", "import faust", "faust"),
    ("gateway.app", "from pubweave.materialiser import write", "pubweave.materialiser.write"),
    ("cli.main", "from pubweave.gateway import app", "pubweave.gateway.app"),
    ("new_service.main", "from pubweave.core.merging import fold", "pubweave.core.merging.fold"),
    ("cli.options", "from pubweave.cli.commands.page import job", "pubweave.cli.commands.page.job"),
    (
        "cli.commands.doc.command",
        "from pubweave.cli.commands.page.job import PagesJob",
        "pubweave.cli.commands.page.job.PagesJob",
    ),
    ("api.lists", "from pubweave.cli.problems import Refused", "pubweave.cli.problems.Refused"),
    ("api.running", "def f():\n    from pubweave.cli.main import run", "pubweave.cli.main.run"),
    ("runtimes.wiring", "from pubweave.api import UserError", "pubweave.api.UserError"),
    ("input.identifier_lists", "from pubweave.runtimes import wiring", "pubweave.runtimes.wiring"),
    ("cli.main", "from pubweave.core import x\nx.sink = 1", "x.sink ="),
    ("cli.main", "from pubweave.core import x\nif True:\n    x.sinks['a'] = 1", "x.sinks['a'] ="),
]


def test_circles_are_found() -> None:
    """Also those that lead over a third package, and those of imports inside functions."""
    sources = {
        "runtimes.bus": "from pubweave.scheduler.handler import Scheduler",
        "scheduler.handler": "def f():\n    from pubweave.doors import fetcher",
        "doors.fetcher": "import pubweave.runtimes.bus",
        "core.fold": "from pubweave.contract import values",
    }

    assert circles(sources) == [["doors", "runtimes", "scheduler"]]
    assert circles({name: source for name, source in sources.items() if name != "doors.fetcher"}) == []


def test_circles_within_a_package_are_found() -> None:
    """At whatever depth: what is imported from a module is seen in the folder of that module."""
    sources = {
        "core.reading.jats.xml": "from pubweave.core.reading.pages.charset import name_of",
        "core.reading.pages.charset": "",
        "core.reading.pages.xml": "from pubweave.core.reading.jats import xml",
        "core.record": "from pubweave.core.types import FINAL",
        "core.types": "",
    }

    assert circles(sources, 1) == circles(sources, 2) == []
    assert circles(sources, 3) == [["core.reading.jats", "core.reading.pages"]]


@pytest.mark.parametrize(("module", "source", "what"), OFFENCES)
def test_offences_are_found(module: str, source: str, what: str) -> None:
    """Each rule can be broken, and then says what broke it."""
    assert what in [one.what for one in complaints(module, source)]


@pytest.mark.parametrize(
    ("module", "source"),
    [
        (
            "core.merging.fold",
            "from pubweave.contract.values import Place\nfrom pubweave.core.types import FINAL",
        ),
        (
            "core.merging.fold",
            "import functools, hashlib, msgspec, xxhash\nfrom urllib.parse import urlsplit",
        ),
        ("core.toolkit.page_answers", "from pubweave.core.reading.pages import judge_page"),
        ("core.reading.jats.read", "from lxml import etree"),
        ("contract.codec", "from pubweave.contract.digests import quick_digest"),
        ("resources.pmc.handler", "from pubweave.resources.pmc.query import ask"),
        ("doors.fetcher.door", "import aiohttp, time\nfrom pubweave.doors.fetcher.wire import send"),
        ("runtimes.bus.app", "import faust\nfrom pubweave.merger import handler"),
        ("adapters.sqlite.store", "from pubweave.ports import Store\nopen('x')"),
        ("cli.main", "from pubweave.core import x\ndef f(x):\n    x.y = 1"),
        ("cli.commands.fetch.command", "from pubweave.api import Fetcher"),
        ("cli.commands.fetch.command", "from pubweave.cli.commands.fetch.job import FetchJob"),
    ],
)
def test_what_is_allowed_is_not_found(module: str, source: str) -> None:
    """The rules do not forbid what the design allows."""
    assert complaints(module, source) == []
