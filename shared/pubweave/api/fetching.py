"""Fetching from a program: what is stored is used while it is good enough, what is fetched is stored (F-LIB-04, F-LIB-09)."""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from pubweave.api.beginning import init_publication, init_webpage
from pubweave.api.checking import check_url, identifiers_of
from pubweave.api.database import Database
from pubweave.contract.values import Cooldowns, Identifiers, Link, RunSettings
from pubweave.contract.vocabulary import PART_NAMES, PageKind, PartName, SettledOutcome
from pubweave.core.record import Record
from pubweave.core.webpage_record import WebpageRecord
from pubweave.problems import UserError
from pubweave.settings import BY_NAME, Settings, SettingValue, canonical, load, nearest
from pubweave.version import IDENTIFICATION

if TYPE_CHECKING:
    from pubweave.runtimes.embedded.jobs import JobSettings, Line
    from pubweave.runtimes.embedded.system import EmbeddedSystem
    from pubweave.runtimes.embedded.webpages import Webpages


class Fetched(msgspec.Struct, frozen=True):
    """What became of one publication that was asked for."""

    number: int
    """Which one, in the order of asking, from 1."""
    asked: Identifiers
    """As it was asked for."""
    outcome: SettledOutcome
    record: Record | None
    """With its texts; None only if nothing came before the deadline."""
    fetched: bool
    """False where what is stored was good enough (chapter 14)."""
    reason: str = ""
    """Why it is parked, or what was corrected."""


class FetchedPage(msgspec.Struct, frozen=True):
    """What became of one web page or doc that was asked for."""

    number: int
    """Which one, in the order of asking, from 1."""
    url: str
    page: WebpageRecord
    """As it is stored; just its address if it was never fetched."""
    fetched: bool
    """False where what is stored was good enough."""
    outcome: str = ""
    """Of this fetch; empty where nothing was asked."""
    evidence: str = ""
    """What the outcome was seen by."""


class Answer(msgspec.Struct, frozen=True):
    """What an address answered."""

    url: str
    """Where it came from in the end; empty if nothing answered."""
    outcome: str
    """`found` if there is a body."""
    status: int
    """HTTP; 0 if nothing answered."""
    content_type: str
    body: bytes
    """As it came, unpacked."""
    evidence: str = ""
    """What the outcome was seen by."""


class _CallerLines:
    """Lines of a job up to the first that is none: what a caller's iterator raises must not end the whole system."""

    def __init__(self, identifiers: Iterable[str | Identifiers | Record]) -> None:
        self._identifiers = identifiers
        self.problem: Exception | None = None

    def __iter__(self) -> Iterator["Line"]:
        try:
            for number, one in enumerate(self._identifiers, start=1):
                yield _line(number, one)
        except Exception as problem:  # noqa: BLE001  # whoever asked gets it
            self.problem = problem


def _line(number: int, given: str | Identifiers | Record, links: tuple[Link, ...] = ()) -> "Line":
    """:raises UserError: it is no identifier, or the record has none"""
    from pubweave.runtimes.embedded.jobs import Line

    if isinstance(given, Record):
        return Line(number, identifiers_of(given.identifiers), links=links, provenance=given.provenance)
    return Line(number, identifiers_of(given), given if isinstance(given, str) else "", links)


class Fetcher:
    """Fetches publications, web pages and docs, politely and in batches, many at a time.

    Made by `open_fetcher`. All methods may be called at the same time from tasks of one event loop; one publication or
    page is never asked for twice at a time (F-HOST-05). From threads use `pubweave.api.sync`. `StorageProblem` is
    raised when the database fails; what sources do is never raised but told in outcomes.
    """

    def __init__(self, system: "EmbeddedSystem", pages: "Webpages", settings: Settings) -> None:
        from pubweave.adapters.sqlite import SqliteStorage
        from pubweave.runtimes.wiring import cooldowns, run_settings

        self._system = system
        self._pages = pages
        self._run = run_settings(settings)
        self._cooldowns = cooldowns(settings)
        assert isinstance(system.storage, SqliteStorage)
        self.database = Database(system.storage)
        """Where it reads and stores; put and remove only what is not being fetched."""

    @staticmethod
    def init_publication(identifiers: str | Identifiers) -> Record:
        """See `pubweave.api.init_publication`."""
        return init_publication(identifiers)

    @staticmethod
    def init_webpage(url: str) -> WebpageRecord:
        """See `pubweave.api.init_webpage`."""
        return init_webpage(url)

    async def publications(
        self,
        identifiers: Iterable[str | Identifiers | Record],
        *,
        parts: Sequence[PartName] = PART_NAMES,
        cooldowns: Cooldowns | None = None,
    ) -> AsyncIterator[Fetched]:
        """Fetch publications, each given as it is finished, in any order; memory does not grow with their number.

        :param identifiers: each one identifier as text, a triplet, or a record, whose identifiers keep where they are
            from; more than one of them may be one publication
        :param parts: what is wanted; identifiers are filled whenever they are found (F-FILL-09)
        :param cooldowns: when what is stored is fetched again, in minutes; those of the settings unless given
        :raises UserError: one is no identifier; raised when those before it have been given
        """
        lines = _CallerLines(identifiers)
        async for finished in self._system.run_job(lines, self._job(parts, cooldowns)):
            event = finished.settled
            yield Fetched(
                finished.line, event.identifiers, event.outcome, finished.record, event.fetched, event.reason
            )
        if lines.problem is not None:
            raise lines.problem

    async def get_publication(
        self,
        identifiers: str | Identifiers | Record,
        *,
        parts: Sequence[PartName] = PART_NAMES,
        links: Sequence[Link] = (),
        cooldowns: Cooldowns | None = None,
    ) -> Record:
        """One publication: from the database if that is good enough, else fetched and stored.

        :param identifiers: one as text, a triplet, or a record, whose identifiers keep where they are from (F-ID-21)
        :param parts: what is wanted
        :param links: further addresses to look at, of type `link` or `pdf_link` (F-LIB-13)
        :param cooldowns: when what is stored is fetched again, in minutes; those of the settings unless given
        :raises UserError: it is no identifier
        """
        line = _line(1, identifiers, tuple(links))
        record: Record | None = None
        async for finished in self._system.run_job([line], self._job(parts, cooldowns)):
            record = finished.record
        assert record is not None, "without a deadline every line ends with a record"
        return record

    async def update_citations_count(self, identifiers: str | Identifiers | Record) -> Record:
        """Ask how often a publication is cited now, and nothing else (F-EPMC-12).

        :raises UserError: it is no identifier
        """
        job = self._job(PART_NAMES, None)
        job = msgspec.structs.replace(
            job, settings=msgspec.structs.replace(job.settings, citations_only=True)
        )
        record: Record | None = None
        async for finished in self._system.run_job([_line(1, identifiers)], job):
            record = finished.record
        assert record is not None, "without a deadline every line ends with a record"
        return record

    async def webpages(
        self, urls: Iterable[str], *, fresh: bool = False, cooldowns: Cooldowns | None = None
    ) -> AsyncIterator[FetchedPage]:
        """Fetch web pages, each given as it is finished, in any order.

        :param urls: start addresses
        :param fresh: fetch anew whatever is stored
        :param cooldowns: when what is stored is fetched again, in minutes; those of the settings unless given
        :raises UserError: one is no web address; nothing was fetched
        """
        async for one in self._fetch_pages("webpage", urls, fresh, cooldowns):
            yield one

    async def docs(
        self, urls: Iterable[str], *, fresh: bool = False, cooldowns: Cooldowns | None = None
    ) -> AsyncIterator[FetchedPage]:
        """Fetch docs; parameters and errors are those of `webpages`."""
        async for one in self._fetch_pages("doc", urls, fresh, cooldowns):
            yield one

    async def get_webpage(self, url: str | WebpageRecord, *, fresh: bool = False) -> WebpageRecord:
        """One web page: from the database if that is good enough, else fetched and stored.

        :param url: its start address, or a page that has one
        :param fresh: fetch it anew whatever is stored
        :raises UserError: it is no web address
        """
        return await self._one_page("webpage", url, fresh)

    async def get_doc(self, url: str | WebpageRecord, *, fresh: bool = False) -> WebpageRecord:
        """One doc; parameters and errors are those of `get_webpage`."""
        return await self._one_page("doc", url, fresh)

    async def get_document(
        self, url: str, *, javascript: bool = False, form: Mapping[str, str] | None = None
    ) -> Answer:
        """What an address answers, as it comes: nothing is read, kept or tried again (F-CLI-28…30).

        :param javascript: after its scripts have run, by a browser
        :param form: what is sent by POST; None: a GET
        :raises UserError: it is no web address
        """
        reply = await self._pages.document(
            check_url(url),
            form=None if form is None else tuple(form.items()),
            javascript=javascript,
            timeout_ms=self._run.timeout_ms,
        )
        return Answer(
            reply.final_url, reply.outcome, reply.status, reply.content_type, reply.body, reply.evidence
        )

    async def _one_page(self, kind: PageKind, url: str | WebpageRecord, fresh: bool) -> WebpageRecord:
        page = WebpageRecord(url) if isinstance(url, str) else url
        async for one in self._fetch_pages(kind, [page.start_url], fresh, None):
            page = one.page
        return page

    async def _fetch_pages(
        self, kind: PageKind, urls: Iterable[str], fresh: bool, cooldowns: Cooldowns | None
    ) -> AsyncIterator[FetchedPage]:
        from pubweave.runtimes.embedded.webpages import PageLine, PageWishes

        lines = [PageLine(number, check_url(url)) for number, url in enumerate(urls, start=1)]
        wishes = PageWishes(
            entry=kind, settings=self._run, cooldowns=cooldowns or self._cooldowns, fresh=fresh
        )
        async for one in self._pages.fetch(lines, wishes):
            yield FetchedPage(one.line, one.url, one.record, one.fetched, one.outcome, one.evidence)

    def _job(self, parts: Sequence[PartName], cooldowns: Cooldowns | None) -> "JobSettings":
        from pubweave.runtimes.embedded.jobs import JobSettings

        unknown = [part for part in parts if part not in PART_NAMES]
        if unknown:
            raise UserError(f"there is no part {unknown[0]!r}; there are: {', '.join(PART_NAMES)}")
        wanted: RunSettings = msgspec.structs.replace(self._run, parts=tuple(parts))
        return JobSettings(settings=wanted, cooldowns=cooldowns or self._cooldowns, provenance=IDENTIFICATION)


def effective_settings(settings: Mapping[str, SettingValue]) -> Settings:
    """Given settings over those of the environment (`PUBWEAVE_…`) and of `pubweave.toml`, as for the command line.

    :raises UserError: there is no such setting, or a value is not what it should be
    """
    given: dict[str, object] = {}
    for name, value in settings.items():
        known = canonical(name)
        if known not in BY_NAME:
            near = nearest(known, BY_NAME)
            raise UserError(f"there is no setting {name!r}" + (f"; did you mean {near}?" if near else ""))
        given[known] = value
    return load(given)[0]


@asynccontextmanager
async def open_fetcher(
    database: str | Path | None = None,
    *,
    create: bool = False,
    settings: Mapping[str, SettingValue] | None = None,
) -> AsyncIterator[Fetcher]:
    """A fetcher over a database of its own, closed at the end; what is fetched until then is stored.

    :param database: where what is fetched is kept; None: in memory, gone at the end
    :param create: make the database if it is not there (else that is an error, F-DB-16)
    :param settings: by name (`pubweave settings` lists them, docs/settings.md tells them): `{"email": …, "timeout": 30000}`;
        they go before those of the environment and of `pubweave.toml`
    :raises UserError: a setting cannot be used
    :raises StorageProblem: the database cannot be opened
    """
    from pubweave.runtimes.embedded.opening import open_system
    from pubweave.runtimes.wiring import system_config

    chosen = effective_settings(settings or {})
    config = system_config(chosen, create=create)
    config = msgspec.structs.replace(config, database=None if database is None else Path(database))
    async with open_system(config) as system, system.webpages() as pages:
        yield Fetcher(system, pages, chosen)
