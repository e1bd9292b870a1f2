"""The pipeline: its steps once, in the order of the table, whatever the order of options (F-CLI-11)."""

import logging
import sqlite3
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from pubweave.cli.operations.grammar import GivenCommand, conditions, count_of, part_of
from pubweave.cli.operations.model import Operation, Stage
from pubweave.cli.operations.table import BY_NAME, OPERATIONS
from pubweave.cli.problems import Failed, Refused
from pubweave.contract.vocabulary import PART_NAMES, PartName
from pubweave.output.publication import Selection
from pubweave.output.terminal import echo
from pubweave.settings import Settings, load

if TYPE_CHECKING:
    from pubweave.cli.operations.adding import Adding
    from pubweave.cli.operations.ending import Outputs
    from pubweave.cli.operations.getting import Getting
    from pubweave.cli.operations.selecting import Surroundings
    from pubweave.cli.operations.selecting.model import Entry
    from pubweave.cli.operations.worklist import Order, Worklist
    from pubweave.cli.progress import ProgressView
    from pubweave.core.reading.rules import RuleBook

_log = logging.getLogger(__name__)

_NEED_CONTENT: Final[frozenset[Stage]] = frozenset(
    ("filter", "filter-publications", "filter-parts", "filter-pages", "sort", "limit", "end")
)
_HOSTS: Final = frozenset(
    ("out-top-hosts", "txt-top-hosts-pub", "txt-top-hosts-web", "txt-top-hosts-doc", "count-top-hosts")
)
_ALONE: Final[frozenset[Stage]] = frozenset(("database", "document", "rules", "identifier", "escape", "test"))


class Pipeline:
    """One run.

    :param argv: the whole command line, without its secrets
    """

    def __init__(self, given: GivenCommand, argv: tuple[str, ...]) -> None:
        self._given = given
        self._argv = argv
        threads = given.one("threads")
        self._options = dict(given.settings)
        if threads is not None:
            if count_of(threads) == 0:
                raise Refused("--threads must be at least 1")
            self._options["in_flight"] = int(threads)
        self._settings = self._in_effect()
        self._rules: RuleBook | None = None
        """Loaded only where a filter asks for rules."""

    @property
    def settings(self) -> Settings:
        """What is in effect."""
        return self._settings

    def _in_effect(self, database: Path | None = None) -> Settings:
        options = self._options if database is None else {**self._options, "db": str(database)}
        settings, _ = load(options)
        return settings

    def _settings_for(self, database: Path) -> Settings:
        return self._in_effect(database)

    @staticmethod
    def is_wanted(given: GivenCommand) -> bool:
        """Whether anything but one-offs and tests was asked for."""
        return any(BY_NAME[name].stage not in (*_ALONE, "getting", "output") for name in given.values)

    async def run(self) -> tuple[int, int]:
        """Do it.

        :returns: how many lines were no identifiers, and how many entries could not be finished
        :raises Refused: something that was named cannot be used
        :raises StorageProblem: a database cannot be opened
        """
        from pubweave.cli.operations.adding import Adding
        from pubweave.cli.operations.ending import Outputs, remove_identifiers
        from pubweave.cli.operations.worklist import KINDS, Worklist
        from pubweave.runtimes.wiring import thresholds

        given = self._given
        if given.has("has-scrape") or given.has("not-has-scrape"):
            self._rules = self._book()
        worklist = Worklist()
        try:
            adding = Adding(given, worklist)
            if not adding.kinds:
                _log.warning(
                    "There is nothing to work on: no identifiers are given (--pub, --pub-file, --pub-db, …)"
                )
            outputs = Outputs(given, self._argv, thresholds(self._settings), adding.kinds, self._say)
            await self._check_targets()
            await adding.run()
            await self._in_databases(worklist)
            if given.has("asc-ids"):
                worklist.order(descending=False)
            if given.has("desc-ids"):
                worklist.order(descending=True)
            worklist.limit(head=self._number("head-ids"), tail=self._number("tail-ids"))
            if (path := given.one("remove-ids")) is not None:
                await remove_identifiers(path, worklist)
            outputs.begin()
            outputs.identifiers(worklist)
            if given.has("count-ids"):
                outputs.counts((kind, worklist.count(kind)) for kind in KINDS)
            unfinished = await self._content(worklist, outputs, adding) if self._needs_content() else 0
            adding.tell()
            outputs.end()
            return adding.bad, unfinished
        finally:
            worklist.close()

    async def _check_targets(self) -> None:
        """A database that will be changed at the end is opened once before anything is done.

        :raises StorageProblem: it cannot be opened
        """
        from pubweave.runtimes.places import is_cluster
        from pubweave.runtimes.wiring import reading, writing

        for name, values in self._given.values.items():
            if BY_NAME[name].argument == "database" and BY_NAME[name].stage in ("remove-ids", "end"):
                path = Path(values[0])
                told = is_cluster(path) and name != "update-citations-count"
                async with reading(path) if told else writing(path):
                    pass

    def _needs_content(self) -> bool:
        return any(BY_NAME[name].stage in ("get", *_NEED_CONTENT) for name in self._given.values)

    def _say(self, sentence: str) -> None:
        echo(sentence, err=True)

    def _number(self, name: str) -> int | None:
        text = self._given.one(name)
        return None if text is None else count_of(text)

    def _book(self) -> "RuleBook":
        from pubweave.adapters.rule_files import load_rule_book
        from pubweave.core.reading.rules import RuleError

        try:
            return load_rule_book(self._settings.path("journals_yaml"), self._settings.path("webpages_yaml"))
        except RuleError as problem:
            raise Refused(str(problem)) from problem

    async def _in_databases(self, worklist: "Worklist") -> None:
        """F-CLI-82."""
        from pubweave.cli.operations.sources import DatabaseSource
        from pubweave.cli.operations.worklist import KINDS

        for name, wanted in (("in-db", True), ("not-in-db", False)):
            path = self._given.one(name)
            if path is None:
                continue
            source = await DatabaseSource.open(path)
            try:
                for kind in KINDS:
                    for page in worklist.pages(kind):
                        known = await source.knows(kind, page)
                        worklist.drop(
                            one.number for one, there in zip(page, known, strict=True) if there is not wanted
                        )
            finally:
                await source.close()

    def _surroundings(self) -> "Surroundings":
        from pubweave.cli.operations.selecting import Surroundings
        from pubweave.runtimes.wiring import thresholds

        book = self._rules
        return Surroundings(
            thresholds(self._settings),
            plain_text,
            lambda url: book is not None and book.webpage_for(url).rule is not None,
        )

    def _parts(self) -> tuple[PartName, ...]:
        wanted = tuple(map(part_of, self._given.several("fetch-part")))
        unwanted = tuple(map(part_of, self._given.several("not-fetch-part")))
        return wanted or tuple(name for name in PART_NAMES if name not in unwanted)

    async def _content(self, worklist: "Worklist", outputs: "Outputs", adding: "Adding") -> int:
        from pubweave.cli.operations.adding import taken_whole
        from pubweave.cli.operations.getting import Getting, OperationOptions
        from pubweave.cli.operations.selecting import filter_of
        from pubweave.cli.operations.sieve import Sieve
        from pubweave.runtimes.wiring import run_settings

        given = self._given
        surroundings = self._surroundings()
        sieve = Sieve(filter_of(condition, surroundings) for condition in conditions(given))
        wishes = OperationOptions(
            run_settings=run_settings(self._settings, self._parts()),
            limit=self._number("limit") or 0,
            pre_filter=given.has("pre-filter"),
            sorted=given.has("asc") or given.has("desc"),
            counts_only=not any(
                BY_NAME[name].stage in ("sort", "limit", "end") for name in given.values if name != "count"
            ),
            whole=taken_whole(given),
            filters_lists=adding.filters,
            wants=adding.wants,
            settings_for=self._settings_for,
            view=self._view,
        )
        async with Getting(worklist, sieve, wishes) as getting:
            if (path := given.one("db")) is not None:
                await getting.load(path)
            if given.has("fetch"):
                await getting.fetch(None)
            if (path := given.one("fetch-put")) is not None:
                await getting.fetch(path)
            if (path := given.one("db-fetch")) is not None:
                await getting.fetch_missing(path, keeps=True)
            if (path := given.one("db-fetch-end")) is not None:
                await getting.fetch_missing(path, keeps=False)
            if not wishes.pre_filter:
                sieve.tell()
            orders = [name for name in ("asc", "desc", "asc-time", "desc-time") if given.has(name)]
            if orders:
                worklist.order_entries(cast("list[Order]", orders))
            await self._end(worklist, outputs, getting)
            return getting.unfinished

    async def _end(self, worklist: "Worklist", outputs: "Outputs", getting: "Getting") -> None:
        from pubweave.cli.operations import ending
        from pubweave.cli.operations.worklist import KINDS
        from pubweave.core.record import Record
        from pubweave.output.reports.part_table import PartTable
        from pubweave.runtimes.wiring import run_settings

        given = self._given
        head, tail = self._number("head"), self._number("tail")
        hosts = None
        if _HOSTS & given.values.keys():
            # Of the entries before they are limited; the lists of hosts are limited themselves.
            hosts = ending.counted_hosts(given, self._rules)
            for kind in KINDS:
                async for _, entry in getting.entries(kind, texts=False):
                    if isinstance(entry, Record):
                        hosts[kind].add_publication(entry)
                    else:
                        hosts[kind].add_webpage(entry)
        worklist.limit_entries(head=head, tail=tail)
        if (path := given.one("update-citations-count")) is not None:
            with ExitStack() as stack:
                folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="pubweave-"))
                counted, asked = await ending.update_citations(
                    path,
                    getting,
                    worklist,
                    run_settings(self._settings),
                    self._settings_for(Path(folder) / "citations.db"),
                )
            _log.info("citations of %d of %d publications were counted", counted, asked)
        if (path := given.one("put")) is not None:
            await ending.put(path, getting)
        if (path := given.one("remove")) is not None:
            await ending.remove(path, getting)
        await outputs.content(getting)
        if given.has("count"):
            outputs.counts((kind, worklist.count_entries(kind)) for kind in KINDS)
        if hosts is not None:
            outputs.hosts(hosts, head=head, tail=tail)
        if given.has("part-table"):
            table = PartTable()
            async for _, entry in getting.entries("publication", texts=False):
                if isinstance(entry, Record):
                    table.add(entry)
            outputs.part_table(table)

    def _view(self, total: int | None) -> "ProgressView":
        from pubweave.cli.progress import view_for

        return view_for(total, quiet=self._given.has("quiet"), results_on_screen=sys.stdout.isatty())


_PLAIN: Final = Selection(plain=True)


def plain_text(entry: "Entry") -> str:
    """The whole of an entry as `--plain` prints it (F-CLI-139)."""
    from pubweave.core.record import Record
    from pubweave.output.text import publication_text
    from pubweave.output.webpage import webpage_text

    if isinstance(entry, Record):
        return publication_text(entry, _PLAIN)
    return webpage_text(entry, plain=True)


def carry_out(given: GivenCommand, argv: tuple[str, ...]) -> tuple[int, int]:
    """Run the pipeline of a command line, with its log.

    :returns: how many lines were no identifiers, and how many entries could not be finished
    :raises UserError: see `Pipeline.run`; also: a setting is wrong, the log cannot be written
    """
    from pubweave.cli.interrupting import run_until_told
    from pubweave.cli.logs import listening_as_set
    from pubweave.output.terminal import say

    pipeline = Pipeline(given, argv)
    try:
        with listening_as_set(pipeline.settings, say, argv, warnings=not given.has("quiet")):
            return run_until_told(
                pipeline.run(),
                "what was fetched into a database is there, the same command goes on from it",
            )
    except sqlite3.Error as problem:  # of the lists; databases have sentences of their own
        raise Failed(
            f"the lists cannot be kept in temporary files ({problem}); the variable TMPDIR names another folder"
        ) from problem


def one_offs(given: GivenCommand) -> list[list[str]]:
    """The one-offs that were given, as modern command lines, in the order of the table (F-CLI-10)."""
    return [
        _modern(operation, given)
        for operation in OPERATIONS
        if operation.command and operation.name in given.values
    ]


def _modern(operation: Operation, given: GivenCommand) -> list[str]:
    values = given.values[operation.name]
    match operation.name:
        case "post-document":
            url, *words = values
            words += [""] * (len(words) % 2)
            pairs = [f"{name}={value}" for name, value in zip(words[::2], words[1::2], strict=True)]
            return [*operation.command, "--", url, *pairs]
        case "fetch-webpage-selector":
            url, title, content, javascript = values
            return [
                *operation.command,
                *(("--title", title) if title else ()),
                *(("--content", content) if content else ()),
                *(("--javascript", javascript) if javascript else ()),
                "--",
                url,
            ]
        case _:
            return [*operation.command, "--", *values]


def tests(given: GivenCommand) -> list[list[str]]:
    """The test operations that were given, as modern command lines, in the order of the table."""
    found: list[list[str]] = []
    for operation in OPERATIONS:
        if operation.stage != "test" or operation.name not in given.values:
            continue
        verb, _, name = operation.name.partition("-")
        values = given.values[operation.name]
        if verb == "print":
            found.append(["test", "print", *_parts_options(given), "--", name, *values])
        elif operation.argument == "regex":
            name = name.removesuffix("-regex")
            found.append(["test", "run", "--regex", *values, *_parts_options(given), "--", name])
        elif f"{operation.name}-regex" not in given.values:
            found.append(["test", "run", *_parts_options(given), "--", name])
    return found


def _parts_options(given: GivenCommand) -> list[str]:
    words: list[str] = []
    for name in ("fetch-part", "not-fetch-part"):
        for part in given.several(name):
            words += [f"--{name}", part]
    return words
