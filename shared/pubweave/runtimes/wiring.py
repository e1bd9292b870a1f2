"""Settings become a system; nothing else in the library and the applications knows how one is put together."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from pubweave.contract.values import Cooldowns, RunSettings, Thresholds
from pubweave.contract.vocabulary import PART_NAMES, PageKind, PartName, ResourceName
from pubweave.output.terminal import say
from pubweave.problems import UserError
from pubweave.settings import SETTINGS, Settings, load, nearest

if TYPE_CHECKING:
    from pubweave.adapters.cassandra import CassandraStorage
    from pubweave.adapters.rule_files import WatchedRules
    from pubweave.adapters.sqlite import SqliteStorage
    from pubweave.contract.exchange import Reply
    from pubweave.core.reading.rules import RuleBook
    from pubweave.ports import Fetching
    from pubweave.runtimes.embedded.opening import SystemConfig
    from pubweave.runtimes.embedded.system import EmbeddedSystem
    from pubweave.runtimes.embedded.webpages import PageWishes, Webpages

_log = logging.getLogger(__name__)

RULES_STEP_S: Final = 3.0
"""How often the user's files of rules are looked at for changes."""


def settings_in_effect() -> Settings:
    """Those of the environment and of `pubweave.toml`; what is to be said of them is said to the user.

    :raises SettingsProblem: one cannot be used
    """
    settings, notices = load()
    for notice in notices:
        say(notice)
    return settings


def thresholds(settings: Settings) -> Thresholds:
    """From which size parts are usable."""
    names = {setting.legacy: setting.name for setting in SETTINGS if setting.legacy}
    return Thresholds(**{field: settings.number(names[field]) for field in Thresholds.__struct_fields__})


def cooldowns(settings: Settings) -> Cooldowns:
    """When stored entries are fetched again."""
    names = {setting.legacy: setting.name for setting in SETTINGS if setting.legacy}
    return Cooldowns(**{field: settings.number(names[field]) for field in Cooldowns.__struct_fields__})


def run_settings(settings: Settings, parts: tuple[PartName, ...] = PART_NAMES) -> RunSettings:
    """What one run is asked to do."""
    return RunSettings(parts=parts, thresholds=thresholds(settings), timeout_ms=settings.number("timeout"))


def _existing(settings: Settings, name: str, *, folder: bool = False) -> Path | None:
    path = settings.path(name)
    if path is None or (path.is_dir() if folder else path.is_file()):
        return path
    origin = settings.effective(name).origin
    what = "folder" if folder else "file"
    problem = "is not there" if not path.exists() else f"is no {what}"
    raise UserError(f"{origin}: the {what} {path} {problem}")


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def rules_of(settings: Settings) -> "WatchedRules":
    """The rules for pages: our own, and the user's files.

    :raises UserError: a file that a setting names is not there
    """
    from pubweave.adapters.rule_files import WatchedRules

    return WatchedRules(_existing(settings, "journals_yaml"), _existing(settings, "webpages_yaml"))


def rule_book(rules: "WatchedRules") -> "RuleBook":
    """The rules as the files have them now.

    :raises UserError: something in a file is wrong; the text says where (F-YJ-04)
    """
    from pubweave.core.reading.rules import RuleError

    try:
        return rules.load()
    except RuleError as problem:
        raise UserError(str(problem)) from problem


def system_config(settings: Settings, *, create: bool, rules: "WatchedRules | None" = None) -> "SystemConfig":
    """What `open_system` needs to know.

    :raises UserError: a file or folder that a setting names is not there, rules cannot be used, or there is a resource that
        nobody asks
    """
    from pubweave import registry
    from pubweave.contract.resources import DECLARATIONS, Addresses
    from pubweave.core.toolkit.service import Context
    from pubweave.doors.fetcher.settings import FetcherSettings
    from pubweave.doors.pdf_reader import PdfReaderSettings
    from pubweave.doors.renderer import RendererSettings
    from pubweave.runtimes.embedded.opening import SystemConfig
    from pubweave.runtimes.readers.settings import ReadersSettings

    try:
        registry.check()
    except registry.RegistryProblem as problem:
        raise UserError(str(problem)) from problem
    book = rule_book(rules or rules_of(settings))
    email = settings.text("email")
    replay_from = _existing(settings, "replay", folder=True)
    record_to = settings.path("record")
    if record_to is not None and replay_from is not None:
        raise UserError("record and replay exclude each other: what is replayed is recorded already")
    if record_to is not None and record_to.exists() and not record_to.is_dir():
        raise UserError(f"{settings.effective('record').origin}: {record_to} is no folder")
    context = Context(
        addresses=Addresses(**{name: settings.text(f"address_{name}") for name in Addresses._fields}),
        email=email,
        europepmc_email=settings.text("europepmc_email") or email,
        unpaywall_email=settings.text("unpaywall_email") or email,
        ncbi_email=settings.text("ncbi_email") or email,
        ncbi_api_key=settings.text("ncbi_api_key"),
        tool=settings.text("tool"),
        no_batch=settings.switch("no_batch"),
        old_mined_terms=settings.switch("old_mined_terms"),
        affiliation_emails=settings.switch("affiliation_emails"),
        classic_cleaning=settings.switch("classic_cleaning"),
        max_links=settings.number("max_links"),
        browser_first=settings.switch("browser_first"),
        rules=book,
    )
    fetcher = FetcherSettings(
        user_agent=settings.text("user_agent"),
        contact_email=email,
        connections_per_host=settings.number("connections_per_host"),
        budgets_file=_existing(settings, "budgets"),
        keyed_families=tuple(
            budget.family
            for one in DECLARATIONS
            for budget in one.budgets
            if budget.key and settings.text(budget.key)
        ),
        allow_addresses=_words(settings.text("allow_addresses")),
        deny_hosts=_words(settings.text("deny_hosts")),
        deny_list=_existing(settings, "deny_list"),
        robots=settings.switch("robots"),
        record_to=record_to,
        replay_from=replay_from,
    )
    return SystemConfig(
        database=database(settings),
        create=create,
        context=context,
        fetcher=fetcher,
        in_flight=settings.number("in_flight"),
        resources=_resources(settings),
        pdf_reader=PdfReaderSettings(
            workers=settings.number("pdf_workers"), quarantine=settings.path("quarantine")
        ),
        readers=ReadersSettings(
            workers=settings.number("reading_workers"),
            cpu_s=settings.number("reading_timeout"),
            deadline_s=2.0 * settings.number("reading_timeout"),
            memory_mb=settings.number("reading_memory"),
            quarantine=settings.path("quarantine"),
        ),
        renderer=RendererSettings(
            executable=_existing(settings, "browser"),
            browsers=settings.number("browsers"),
            user_agent=settings.text("user_agent"),
        ),
    )


def _resources(settings: Settings) -> "tuple[ResourceName, ...] | None":
    """Those that the setting names; `+name` is one more than otherwise, `-name` one less.

    :raises UserError: there is no such source
    """
    from pubweave.registry import ON, RESOURCES

    words = _words(settings.text("resources"))
    names = [word.lstrip("+-") for word in words]
    unknown = [name for name in names if name not in RESOURCES]
    if unknown:
        near = nearest(unknown[0], RESOURCES)
        hint = f"did you mean {near}?" if near else f"there are: {', '.join(RESOURCES)}"
        raise UserError(
            f"{settings.effective('resources').origin}: there is no source '{unknown[0]}'; {hint}"
        )
    named = {word for word in words if word in RESOURCES}
    less = {word[1:] for word in words if word.startswith("-")}
    wanted = ((named or set(ON)) | {word[1:] for word in words if word.startswith("+")}) - less
    return tuple(name for name in RESOURCES if name in wanted) if words else None


def database(settings: Settings) -> Path:
    """:raises UserError: none is named"""
    path = settings.path("db")
    if path is None:
        raise UserError(f"{settings.effective('db').origin}: the database has no name")
    return path


@asynccontextmanager
async def running(settings: Settings, *, create: bool) -> AsyncIterator["EmbeddedSystem"]:
    """A system that can fetch.

    :raises UserError: what a setting names cannot be used
    :raises StorageProblem: the database cannot be opened
    """
    from pubweave.runtimes.embedded.opening import open_system

    no_cluster(database(settings))
    rules = rules_of(settings)
    config = system_config(settings, create=create, rules=rules)
    async with open_system(config) as system:
        if not config.context.unpaywall_email:
            _log.warning("Unpaywall is not asked: it wants an e-mail address; --email sets yours")
        async with rules_watched(rules, system):
            yield system


@asynccontextmanager
async def pages_running(
    settings: Settings, *, create: bool, in_memory: bool = False
) -> AsyncIterator["Webpages"]:
    """Web pages and docs, and the doors that fetch them.

    :param in_memory: without a database: nothing is kept
    :raises UserError: what a setting names cannot be used
    :raises StorageProblem: the database cannot be opened
    """
    import msgspec

    from pubweave.runtimes.embedded.opening import open_system

    if not in_memory:
        no_cluster(database(settings))
    config = system_config(settings, create=create)
    if in_memory:
        config = msgspec.structs.replace(config, database=None)
    async with open_system(config) as system, system.webpages() as pages:
        yield pages


@asynccontextmanager
async def fetching(settings: Settings) -> AsyncIterator["Fetching"]:
    """The fetcher alone, so budgets, one connection per host and all else hold; nothing is stored.

    :raises UserError: what a setting names cannot be used
    """
    from pubweave.adapters.clock import SystemClock
    from pubweave.doors.fetcher.door import FetcherDoor

    async with FetcherDoor(system_config(settings, create=False).fetcher, SystemClock()) as fetcher:
        yield fetcher


def page_wishes(settings: Settings, entry: PageKind, **more: Any) -> "PageWishes":
    """What holds for every page, by the settings in effect."""
    from pubweave.runtimes.embedded.webpages import PageWishes

    return PageWishes(entry=entry, settings=run_settings(settings), cooldowns=cooldowns(settings), **more)


async def document(
    settings: Settings,
    url: str,
    *,
    form: tuple[tuple[str, str], ...] | None = None,
    javascript: bool = False,
) -> "Reply":
    """What an address answers (F-CLI-28…30).

    :param form: pairs to POST; None: a GET
    """
    async with pages_running(settings, create=False, in_memory=True) as pages:
        return await pages.document(
            url, form=form, javascript=javascript, timeout_ms=settings.number("timeout")
        )


class Ruled(Protocol):
    """What reads pages by rules."""

    def use_rules(self, rules: "RuleBook | None") -> None: ...


@asynccontextmanager
async def rules_watched(rules: "WatchedRules", system: Ruled) -> AsyncIterator[None]:
    """While inside, rules that have changed hold from then on; those that cannot be used leave the old ones in force."""

    async def watch() -> None:
        while True:
            await asyncio.sleep(RULES_STEP_S)
            await take_changed(rules, system)

    watching = asyncio.create_task(watch(), name="rules")
    try:
        yield
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)


async def take_changed(rules: "WatchedRules", system: Ruled) -> None:
    """Look once whether the rules have changed."""
    from pubweave.core.reading.rules import RuleError

    try:
        book = await asyncio.to_thread(rules.reload)
    except RuleError as problem:
        _log.error("The rules stay as they were: %s", problem)
        return
    if book is not None:
        system.use_rules(book)
        _log.info("Rules %s are in force", book.version[:12])


@asynccontextmanager
async def reading(path: Path) -> AsyncIterator["SqliteStorage | CassandraStorage"]:
    """A database to look into, also while somebody else writes it (F-DB-16): a file, or a cluster
    (`places.is_cluster`).

    :raises StorageProblem: it cannot be opened
    """
    from pubweave.runtimes.places import cluster, is_cluster

    if is_cluster(path):
        async with cluster(path) as found:
            yield found
        return
    from pubweave.adapters.sqlite import SqliteStorage

    storage = SqliteStorage.open_reading(path)
    try:
        yield storage
    finally:
        await storage.close()


@asynccontextmanager
async def writing(path: Path, *, create: bool = False) -> AsyncIterator["SqliteStorage"]:
    """A database to change.

    :raises UserError: it is a cluster, whose services write
    :raises StorageProblem: it cannot be opened
    """
    from pubweave.adapters.sqlite import SqliteStorage

    no_cluster(path)
    storage = SqliteStorage.open(path, create=create)
    try:
        yield storage
    finally:
        await storage.close()


def no_cluster(path: Path) -> None:
    """:raises UserError: it is the Cassandra of a cluster"""
    from pubweave.runtimes.places import is_cluster, told

    if is_cluster(path):
        raise UserError(
            f"{told(path)} is written by the services of the cluster only: `pubweave submit` has them fetch, "
            "`pubweave db put`, `import`, `remove` and `erase` tell them what is to come and go"
        )
