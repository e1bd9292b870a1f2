"""What a fetch needs, looked at one by one."""

import asyncio
import logging
import os
import shutil
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from pubweave.problems import UserError

if TYPE_CHECKING:
    from pubweave.contract.declaration import SourceAddress
    from pubweave.doors.fetcher.door import FetcherDoor
    from pubweave.settings import Settings


State = Literal["ok", "warning", "problem"]


LITTLE_ROOM_BYTES: Final = 1 << 30
"""A million records take many GiB; with less than this a job of thousands may not end."""


CLOCK_OFF_S: Final = 120
"""Cooldowns are minutes, and daily quotas end at midnight: a clock may be that wrong."""


class CheckResult(NamedTuple):
    """One thing that was looked at."""

    what: str
    state: State
    said: str
    advice: str = ""
    """What to do about it; empty where all is well."""


async def look(settings: "Settings", *, offline: bool, bus: bool) -> AsyncIterator[CheckResult]:
    """Everything in its order, each as soon as it is known."""
    for finding in (
        *addresses_for_contact(settings),
        rules(settings),
        await database_file(settings),
        room(settings),
        pdf_reader(),
        browser(settings),
        certificates(),
        proxies(),
    ):
        yield finding
    if not offline:
        async for finding in sources(settings):
            yield finding
    if bus:
        async for finding in servers(settings):
            yield finding


def addresses_for_contact(settings: "Settings") -> list[CheckResult]:
    """Who is asked for an e-mail address, and who gives more to those who log in."""
    email = settings.text("email")
    found = []
    if settings.text("unpaywall_email") or email:
        found.append(CheckResult("Unpaywall", "ok", "has an e-mail address and will be asked"))
    else:
        found.append(
            CheckResult(
                "Unpaywall",
                "warning",
                "has no e-mail address and is not asked: open copies outside Europe PMC are not found",
                "set yours: --email you@example.org, PUBWEAVE_EMAIL, or `email` in pubweave.toml",
            )
        )
    if settings.text("ncbi_api_key"):
        found.append(CheckResult("NCBI", "ok", "is asked with an API key, 10 times a second"))
    else:
        found.append(
            CheckResult(
                "NCBI",
                "ok",
                "is asked without an API key, 3 times a second",
                "a key allows 10: https://www.ncbi.nlm.nih.gov/account/settings/, then --ncbi-api-key",
            )
        )
    return found


def rules(settings: "Settings") -> CheckResult:
    """Whether our rules and the user's load."""
    from pubweave.runtimes.wiring import rule_book, rules_of

    try:
        book = rule_book(rules_of(settings))
    except UserError as problem:
        return CheckResult("rules", "problem", str(problem), "correct the file: pubweave rules check FILE")
    return CheckResult("rules", "ok", f"{len(book.sites)} sites and {len(book.webpages)} web pages are known")


async def database_file(settings: "Settings") -> CheckResult:
    """Whether the database can be opened and written, or made."""
    from pubweave.ports import StorageProblem
    from pubweave.runtimes.places import is_cluster, told
    from pubweave.runtimes.wiring import reading

    path = settings.path("db") or Path("pubweave.db")
    if is_cluster(path):
        try:
            async with reading(path) as storage:
                count = await storage.store.count()
        except (UserError, StorageProblem) as problem:
            return CheckResult(
                "database", "problem", str(problem), "look at the name and at Cassandra, or name a file: --db"
            )
        return CheckResult(
            "database", "ok", f"{told(path)} has {count:,} publications; its services write it"
        )
    if not path.exists():
        folder = path.absolute().parent
        if folder.is_dir() and os.access(folder, os.W_OK):
            return CheckResult("database", "ok", f"{path} is not there yet; the first fetch makes it")
        return CheckResult(
            "database",
            "problem",
            f"{path} cannot be made there",
            f"make the folder {folder}, or name another: --db",
        )
    try:
        async with reading(path):
            pass
    except StorageProblem as problem:
        return CheckResult("database", "problem", str(problem), "name another database: --db")
    if not os.access(path, os.W_OK):
        return CheckResult(
            "database", "problem", f"{path} cannot be written", "make it writable, or name another: --db"
        )
    return CheckResult("database", "ok", f"{path} opens, {path.stat().st_size / 1e6:,.1f} MB")


def room(settings: "Settings") -> CheckResult:
    """How much the disk of the database can still take."""
    folder = (settings.path("db") or Path("pubweave.db")).absolute().parent
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    said = f"{free / (1 << 30):,.1f} GiB are free at {folder}"
    if free < LITTLE_ROOM_BYTES:
        return CheckResult(
            "disk", "warning", said, "a thousand publications take about 60 MB: make room, or use --db"
        )
    return CheckResult("disk", "ok", said)


def pdf_reader() -> CheckResult:
    """Whether PDFs can be read."""
    if find_spec("pymupdf") is None:
        return CheckResult(
            "PDF reader", "warning", "is not installed: texts of PDFs stay out", "pip install 'pubweave[pdf]'"
        )
    return CheckResult("PDF reader", "ok", "PyMuPDF is here")


def browser(settings: "Settings") -> CheckResult:
    """Whether pages that scripts make can be rendered."""
    from pubweave.doors.renderer import RendererSettings
    from pubweave.doors.renderer.chromium import NoBrowser, executable

    advice = "only pages made by scripts need it; `browser` in the settings names one"
    if find_spec("pyppeteer") is None:
        return CheckResult(
            "browser", "warning", "pyppeteer is not installed", "pip install 'pubweave[renderer]'"
        )
    try:
        found = executable(RendererSettings(executable=settings.path("browser")))
    except NoBrowser as problem:
        return CheckResult("browser", "warning", str(problem), advice)
    return CheckResult("browser", "ok", str(found))


def certificates() -> CheckResult:
    """Whether the file of certificates that the environment names can be read."""
    import ssl

    named = os.environ.get("SSL_CERT_FILE", "")
    if not named:
        return CheckResult("certificates", "ok", "those of the system")
    try:
        ssl.create_default_context(cafile=named)
    except (OSError, ssl.SSLError) as problem:
        return CheckResult(
            "certificates",
            "problem",
            f"SSL_CERT_FILE={named} cannot be used: {problem}",
            "name a file of PEM certificates, or unset SSL_CERT_FILE",
        )
    return CheckResult("certificates", "ok", f"SSL_CERT_FILE={named}")


def proxies() -> CheckResult:
    """Which proxies the environment names, without what they are logged in with."""
    from pubweave.doors.fetcher.proxies import Proxies

    named = [
        f"{name}={os.environ[name].rpartition('@')[2]}"
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "NO_PROXY", "no_proxy")
        if os.environ.get(name)
    ]
    try:
        Proxies(os.environ)
    except ValueError as problem:
        return CheckResult("proxies", "problem", str(problem), "write http://host:port")
    return CheckResult("proxies", "ok", ", ".join(named) or "none")


async def sources(settings: "Settings") -> AsyncIterator[CheckResult]:
    """Every source answers something, and the clock agrees with theirs."""
    from pubweave import registry
    from pubweave.adapters.clock import SystemClock
    from pubweave.doors.fetcher.door import FetcherDoor
    from pubweave.runtimes.wiring import system_config

    try:
        config = system_config(settings, create=True)
        door = FetcherDoor(config.fetcher, SystemClock())
    except UserError as problem:
        yield CheckResult("fetcher", "problem", str(problem), "pubweave settings shows who set it")
        return
    off_s: list[float] = []
    with _silent("pubweave.doors.fetcher"):  # what it says of each reply is said here
        async with door as fetcher:
            told = [
                _source(fetcher, settings, address)
                for name in (registry.ON if config.resources is None else config.resources)
                for address in registry.declaration(name).addresses
                if address.probe
            ]
            for answer in asyncio.as_completed(told):
                finding, off = await answer
                if off is not None:
                    off_s.append(off)
                yield finding
    if off_s:
        off = sorted(off_s)[len(off_s) // 2]
        if abs(off) > CLOCK_OFF_S:
            way = "fast" if off > 0 else "slow"
            yield CheckResult(
                "clock",
                "warning",
                f"is {abs(off):.0f} s {way} by the clocks of the sources",
                "set it (NTP): cooldowns and daily quotas follow it",
            )
        else:
            yield CheckResult("clock", "ok", "agrees with the sources")


@contextmanager
def _silent(name: str) -> Iterator[None]:
    """Nothing is heard of a logger, and afterwards as much as before."""
    logger = logging.getLogger(name)
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)


async def _source(
    fetcher: "FetcherDoor", settings: "Settings", address: "SourceAddress"
) -> tuple[CheckResult, float | None]:
    from pubweave.contract.exchange import Request, Work
    from pubweave.contract.reply_wanted import ReplyWanted
    from pubweave.core.politeness import host_of

    """One question: small, and any answer will do."""
    base = settings.text(f"address_{address.name}")
    url = base + address.probe
    reply = await fetcher.fetch(
        ReplyWanted(
            ask=f"doctor {address.name}",
            unit=host_of(base),
            request=Request(url, expect="any", timeout_ms=settings.number("timeout"), follow_redirects=False),
            work=Work("webpages", ()),
        )
    )
    if not reply.status:
        return (
            CheckResult(
                host_of(base),
                "problem",
                f"does not answer: {reply.outcome}, {reply.evidence or 'no more is known'}",
                f"is {base} right (address_{address.name}), and does this machine reach it, perhaps by a proxy (HTTPS_PROXY)?",
            ),
            None,
        )
    state: State = "warning" if reply.status == 429 or reply.status >= 500 else "ok"
    advice = "try again later" if state == "warning" else ""
    return CheckResult(host_of(base), state, f"answers (HTTP {reply.status})", advice), _off_s(
        reply.header("date")
    )


def _off_s(date: str) -> float | None:
    """By how much our clock is ahead of a `Date` header."""
    try:
        return time.time() - parsedate_to_datetime(date).timestamp()
    except (ValueError, TypeError):
        return None


async def servers(settings: "Settings") -> AsyncIterator[CheckResult]:
    """Kafka and Cassandra answer."""
    from pubweave.cli.places import cassandra_answers, kafka_answers
    from pubweave.runtimes.places import cassandra_place, kafka_place

    async def kafka() -> None:
        await kafka_answers(kafka_place(settings), 0)

    async def cassandra() -> None:
        await cassandra_answers(cassandra_place(settings), 0)

    looks: list[tuple[str, str, Callable[[], Awaitable[None]]]] = [
        ("Kafka", "kafka", kafka),
        ("Cassandra", "cassandra", cassandra),
    ]
    from pubweave.ports import StorageProblem

    for name, setting, attempt in looks:
        place = settings.text(setting)
        try:
            await attempt()
        except (UserError, StorageProblem) as problem:
            yield CheckResult(
                name, "problem", str(problem), f"start it, or say where it is: --{setting} HOST:PORT"
            )
        else:
            yield CheckResult(name, "ok", f"{place} answers")
