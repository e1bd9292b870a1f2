"""From sources to articles: a unit in memory if it is small, on disk if it is not, resumable with `out`."""

from __future__ import annotations

import hashlib
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from multiprocessing import get_context
from pathlib import Path
from typing import IO

import msgspec

from pubweave.articles.disk import SEPARATOR, UnitBuilder, UnitOnDisk, UrlSet
from pubweave.articles.iterator.compiled import CompiledWalk
from pubweave.articles.iterator.definition import Definition, DefinitionError
from pubweave.articles.iterator.families import Family, FamilyCounter
from pubweave.articles.iterator.files import ArticleFiles
from pubweave.articles.iterator.order import BadUrlError, UnitInMemory
from pubweave.articles.plugins import Plugin
from pubweave.articles.problems import BadInput, NotPossible
from pubweave.articles.sink import Sink, found_article
from pubweave.articles.sources import UrlSource
from pubweave.core.reading.java_regex import JavaRegexTimeout

MEMORY_ROWS = 500_000
"""Up to this many URLs a unit is held in memory."""

Progress = Callable[[str, int], None]
"""Told the phase (`reading`, `sorting`, `articles`) and how many URLs are through it."""

_MOST_ERRORS = 5
_LINES = 1000


class Totals(msgspec.Struct):
    """What came of a run."""

    urls: int = 0
    refused: int = 0
    articles: int = 0
    without_full_text: int = 0
    errors: int = 0
    submitted: int = 0
    without_identifiers: int = 0
    resumed_at: int = 0
    error_examples: list[str] = []


class _Position(msgspec.Struct):
    """How far the walk has come; `out_bytes` of the output belong to the `done` blocks."""

    definition: str
    done: int = 0
    out_bytes: int = 0
    totals: Totals = msgspec.field(default_factory=Totals)


Unit = UnitInMemory | UnitOnDisk


class Gathered:
    """The unit of a run, its sources for contents, and its work folder if it has one."""

    def __init__(
        self,
        unit: Unit,
        sources: list[UrlSource],
        folder: Path | None,
        locators: dict[str, str],
        damaged: list[str],
    ) -> None:
        self.unit = unit
        self.sources = sources
        self.folder = folder
        self.damaged = damaged
        self._locators = locators

    @property
    def count(self) -> int:
        return self.unit.count if isinstance(self.unit, UnitOnDisk) else len(self.unit.urls)

    def page(self, url: str) -> bytes | None:
        """The beginning of the stored content of a URL, if a source has it."""
        unit = self.unit
        locator = unit.locator(url) if isinstance(unit, UnitOnDisk) else self._locators.get(url, "")
        if not locator:
            return None

        return next((data for source in self.sources if (data := source.read(locator)) is not None), None)

    def media_type(self, url: str) -> str:
        if isinstance(self.unit, UnitOnDisk):
            return next((kind for each, kind in self.unit.below(url) if each == url), "")

        return self.unit.media_type(url)


def gather(
    sources: list[UrlSource],
    params: dict[str, str],
    stack: ExitStack,
    *,
    work: Path | None = None,
    memory_rows: int = MEMORY_ROWS,
    progress: Progress | None = None,
) -> Gathered:
    """Read all sources into a unit. `work` is where a large unit is built, kept if the work breaks off.

    :raises Refused: a source cannot be read
    :raises Failed: the work folder cannot be written
    """
    identity = hashlib.sha256("\n".join(source.identity() for source in sources).encode()).hexdigest()
    builder = None
    if work is not None and (work / "manifest.json").exists():
        builder = _new_builder(work, identity, stack)
        if builder.rows_done == 0:
            builder = None
    waiting: list[str] = []
    skip = builder.rows_done if builder is not None else 0
    read = 0
    if builder is None or not builder.all_read:
        for rows in _rows(sources):
            read += len(rows)
            if progress is not None:
                progress("reading", read)
            if skip >= len(rows):
                skip -= len(rows)
                continue
            kept = rows[skip:]
            skip = 0
            if builder is not None:
                builder.add(kept)
                continue
            waiting += kept
            if len(waiting) > memory_rows:
                builder = _new_builder(work, identity, stack)
                builder.add(waiting)
                waiting = []
    if builder is None:
        return _in_memory(waiting, sources, params)
    try:
        builder.finish(progress, _damaged(sources))
    except OSError as error:
        raise NotPossible(f"{builder.folder}: cannot be written ({error.strerror})") from None

    unit = stack.enter_context(UnitOnDisk(builder.folder, params))
    return Gathered(unit, sources, builder.folder, {}, builder.damaged)


def _damaged(sources: list[UrlSource]) -> list[str]:
    return [damage for source in sources for damage in source.damaged]


def _rows(sources: list[UrlSource]) -> Iterator[list[str]]:
    for source in sources:
        yield from source.rows()


def _new_builder(work: Path | None, identity: str, stack: ExitStack) -> UnitBuilder:
    if work is None:
        work = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pubweave-articles-")))
    try:
        return UnitBuilder(work, identity)
    except OSError as error:
        raise NotPossible(f"{work}: cannot be written ({error.strerror})") from None


def _in_memory(rows: list[str], sources: list[UrlSource], params: dict[str, str]) -> Gathered:
    if not any(SEPARATOR in row for row in rows):
        urls = "\n".join(rows).replace("\x02", "/").split("\n") if rows else []
        return Gathered(UnitInMemory.of_urls(urls, params), sources, None, {}, _damaged(sources))
    best: dict[str, tuple[str, str, str]] = {}
    for row in rows:
        columns = row.split(SEPARATOR)
        columns += [""] * (4 - len(columns))
        url = columns[0].replace("\x02", "/")
        ranked = (columns[2], columns[1], columns[3])
        if url not in best or ranked > best[url]:
            best[url] = ranked
    unit = UnitInMemory(((url, ranked[1]) for url, ranked in best.items()), params)

    locators = {url: ranked[2] for url, ranked in best.items() if ranked[2]}
    return Gathered(unit, sources, None, locators, _damaged(sources))


# ---------------------------------------------------------------------------------------------------------


class PluginRun:
    """One run of a plugin over a gathered unit."""

    def __init__(
        self,
        gathered: Gathered,
        definition: Definition | None,
        plugin: Plugin,
        *,
        target: str | None = "Any",
        sink: Sink | None = None,
        workers: int = 1,
        progress: Progress | None = None,
    ) -> None:
        self.gathered = gathered
        self.definition = definition
        self.plugin = plugin
        self.target = target
        self.sink = sink
        self.workers = workers
        self.progress = progress
        self.totals = Totals(urls=gathered.count)
        self.used: UrlSet | None = None
        self._encoder = msgspec.json.Encoder()

    def to_file(self, out: Path) -> Totals:
        """Write all articles to a file, which appears when it is whole; goes on where a former run broke off.

        :raises Failed: the file cannot be written
        """
        part = out.with_name(out.name + ".part")
        position = self._position() if part.exists() else self._start()
        try:
            with part.open("r+b" if position.done else "wb") as file:
                if position.done:
                    file.truncate(position.out_bytes)
                    file.seek(position.out_bytes)
                    self.totals = position.totals
                    self.totals.resumed_at = position.done
                self._write(file, position)
            part.replace(out)
        except OSError as error:
            raise NotPossible(f"{out}: cannot be written ({error.strerror or error})") from None

        return self.totals

    def to_stream(self, file: IO[bytes]) -> Totals:
        """Write all articles to a stream, one JSON object a line."""
        self._write(file, None)

        return self.totals

    def missed(self) -> list[Family]:
        """The URLs that no emitted article uses, by shape, largest family first. Walks once more."""
        with tempfile.TemporaryDirectory(prefix="pubweave-missed-") as folder:
            self.used = UrlSet(Path(folder) / "used", max(self.gathered.count, 1))
            try:
                for _ in self.articles():
                    pass
                counter = FamilyCounter()
                for url in self._all_urls():
                    if not self.used.has(url):
                        counter.add(url)
            finally:
                self.used.close()
                self.used = None

        return counter.families()

    def _all_urls(self) -> Iterator[str]:
        unit = self.gathered.unit
        if isinstance(unit, UnitInMemory):
            yield from unit.urls_below(None)
        else:
            for block in unit.blocks_below(None):
                yield from unit.urls_of(block, None)

    def articles(self) -> Iterator[ArticleFiles]:
        """The articles in the order of the walk."""
        for batch in self._batches():
            for line in batch.lines.splitlines():
                yield msgspec.json.decode(line, type=ArticleFiles)

    # -- batches: encoded articles of one block, in order

    def _write(self, file: IO[bytes], position: _Position | None) -> None:
        for batch in self._batches(position.done if position is not None else 0):
            file.write(batch.lines)
            if self.sink is not None:
                self._submit(batch.lines)
            if position is not None and batch.checkpoint:
                file.flush()
                position.done, position.out_bytes, position.totals = (
                    batch.number + 1,
                    file.tell(),
                    self.totals,
                )
                self._save(position)
        if self.sink is not None:
            self.sink.close()

    def _submit(self, lines: bytes) -> None:
        assert self.sink is not None
        for line in lines.splitlines():
            found = found_article(msgspec.json.decode(line, type=ArticleFiles), self.gathered.page)
            if found.identifiers:
                self.sink.submit(found.identifiers, found.links)
                self.totals.submitted += 1
            else:
                self.totals.without_identifiers += 1

    def _batches(self, done: int = 0) -> Iterator[_Batch]:
        unit = self.gathered.unit
        try:
            if self.definition is None or not isinstance(unit, UnitOnDisk):
                yield from self._streamed(unit)
            else:
                yield from self._by_blocks(unit, self.definition, done)
        except (DefinitionError, BadUrlError, JavaRegexTimeout) as error:
            raise BadInput(f"plugin {self.plugin.name}: {error}") from None

    def _streamed(self, unit: Unit) -> Iterator[_Batch]:
        if self.definition is None:
            assert self.plugin.factory is not None
            made: Iterable[ArticleFiles] = self.plugin.factory.create_article_iterator(unit, self.target)
        else:
            assert isinstance(unit, UnitInMemory)
            made = CompiledWalk(self.definition).in_memory(unit, self._note_error)
        waiting: list[ArticleFiles] = []
        number = 0
        for article in made:
            waiting.append(article)
            if len(waiting) == _LINES:
                yield self._counted(_Batch(number, self._encoder.encode_lines(waiting), *_counts(waiting)))
                waiting, number = [], number + 1
        yield self._counted(_Batch(number, self._encoder.encode_lines(waiting), *_counts(waiting)))

    def _by_blocks(self, unit: UnitOnDisk, definition: Definition, done: int) -> Iterator[_Batch]:
        assert self.gathered.folder is not None
        tasks = [
            (number, root, block)
            for number, (root, block) in enumerate(
                (root, block)
                for root in range(max(len(definition.roots), 1))
                for block in unit.blocks_below(definition.roots[root] if definition.roots else None)
            )
        ][done:]
        through = 0
        for batch in self._worked(unit, definition, tasks):
            batch.checkpoint = batch.number % 64 == 63 or batch.number == tasks[-1][0]
            through += batch.urls
            if self.progress is not None:
                self.progress("articles", through)
            yield self._counted(batch)

    def _worked(
        self, unit: UnitOnDisk, definition: Definition, tasks: list[tuple[int, int, int]]
    ) -> Iterator[_Batch]:
        if self.workers <= 1 or len(tasks) < 2 * self.workers:
            worker = _ArticleMaker(unit, definition)
            yield from map(worker.batch, tasks)
            return
        folder = self.gathered.folder
        with get_context("spawn").Pool(self.workers, _start_worker, (folder, definition)) as pool:
            yield from pool.imap(_work, tasks, chunksize=4)

    def _counted(self, batch: _Batch) -> _Batch:
        self.totals.articles += batch.articles
        self.totals.without_full_text += batch.without_full_text
        for url, reason in batch.errors:
            self._note_error(url, ValueError(reason))
        if self.used is not None:
            self.used.add(_urls_in(batch.lines))

        return batch

    def _note_error(self, url: str, error: Exception) -> None:
        self.totals.errors += 1
        if len(self.totals.error_examples) < _MOST_ERRORS:
            self.totals.error_examples.append(f"{url}: {error}")

    # -- where a broken run goes on

    def _start(self) -> _Position:
        what = (self.definition, self.gathered.count)

        return _Position(hashlib.sha256(msgspec.json.encode(what)).hexdigest(), totals=self.totals)

    def _position(self) -> _Position:
        start = self._start()
        if self.gathered.folder is not None:
            try:
                data = (self.gathered.folder / "position.json").read_bytes()
                position = msgspec.json.decode(data, type=_Position)
            except (FileNotFoundError, msgspec.DecodeError):
                return start
            if position.definition == start.definition:
                return position

        return start

    def _save(self, position: _Position) -> None:
        if self.gathered.folder is not None:
            part = self.gathered.folder / "position.part"
            part.write_bytes(msgspec.json.encode(position))
            part.replace(self.gathered.folder / "position.json")


class _Batch(msgspec.Struct):
    number: int
    lines: bytes
    articles: int
    without_full_text: int
    urls: int = 0
    errors: list[tuple[str, str]] = []
    checkpoint: bool = False


def _counts(articles: list[ArticleFiles]) -> tuple[int, int]:
    return len(articles), sum(article.full_text_url is None for article in articles)


def _urls_in(lines: bytes) -> Iterator[str]:
    for line in lines.splitlines():
        article = msgspec.json.decode(line, type=ArticleFiles)
        if article.full_text_url is not None:
            yield article.full_text_url
        for url in article.roles.values():
            yield str(url)


class _ArticleMaker:
    """Makes the articles of blocks; lives in this process or in one of its own."""

    def __init__(self, unit: UnitOnDisk, definition: Definition) -> None:
        self._unit = unit
        self._definition = definition
        self._walk = CompiledWalk(definition)
        self._encoder = msgspec.json.Encoder()

    def batch(self, task: tuple[int, int, int]) -> _Batch:
        number, root_number, block = task
        roots = self._definition.roots
        root = roots[root_number] if roots else None
        items: list[str] | list[tuple[str, str]]
        if self._walk.needs_media_types:
            items = self._unit.items_of(block, root)
        else:
            items = self._unit.urls_of(block, root)
        errors: list[tuple[str, str]] = []
        articles = list(
            self._walk.walk(
                self._walk.not_repeated(items, root_number),
                self._unit.has,
                lambda url, error: errors.append((url, str(error))),
            )
        )

        return _Batch(number, self._encoder.encode_lines(articles), *_counts(articles), len(items), errors)


_the_worker: _ArticleMaker | None = None


def _start_worker(folder: Path, definition: Definition) -> None:
    global _the_worker
    # Ctrl-C goes to the whole group; the parent ends its workers itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _the_worker = _ArticleMaker(UnitOnDisk(folder), definition)


def _work(task: tuple[int, int, int]) -> _Batch:
    assert _the_worker is not None

    return _the_worker.batch(task)


def remove_work(folder: Path | None) -> None:
    """Take a work folder away that this run made, its purpose being fulfilled."""
    if folder is not None and folder.exists():
        shutil.rmtree(folder)


__all__ = ["Gathered", "PluginRun", "Totals", "gather", "remove_work"]
