"""Clean text of what lies on the disk or at an address: what it is, its content says."""

import asyncio
import re
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AsyncExitStack
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple
from urllib.parse import unquote, urlsplit

from pubweave.cli.addresses import problem_of
from pubweave.cli.options import in_effect
from pubweave.cli.problems import Refused
from pubweave.contract.vocabulary import AttemptOutcome
from pubweave.output.out_file import Out
from pubweave.output.terminal import echo, say

Kind = Literal["pdf", "jats", "page"]


MAX_BYTES: Final = 100 << 20
"""Of one file; a longer one is not looked at."""


_PDF_READER: Final = "pubweave.doors.pdf_reader"
"""Loaded when the first PDF is met, as commands are: by name."""


_TASKS_PER_WORKER: Final = 500


_LONGEST_NAME: Final = 120


_AHEAD: Final = 4
"""Files on their way for each worker."""


_SUFFIXES: Final = frozenset({".pdf", ".html", ".htm", ".xhtml", ".xml", ".nxml", ".jats"})


_HEAD_BYTES: Final = 1 << 16


_PROLOGUE: Final = re.compile(
    r"(?:[\s\ufeff]++|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*+(?:\[.*?\]\s*+)?>)*+", re.S | re.I
)


_DOCTYPE_HTML: Final = re.compile(r"<!DOCTYPE\s+html\b", re.I)


_ROOT: Final = re.compile(r"<(?:[\w.-]+:)?([A-Za-z_][\w.-]*)")


_OF_HTML: Final = re.compile(r"<(?:html|head|body|title|meta|div|p|table|h[1-6]|span|main)\b", re.I)


_OF_JATS: Final = frozenset({"article", "pmc-articleset", "book-part-wrapper", "book-part"})


_INSIDE_JATS: Final = re.compile(r"<(?:front|article-meta|body|back|article|book-part-meta)\b")
"""What an article of HTML, which has the same name, does not hold."""


_IS_ADDRESS: Final = re.compile(r"(?:https?|ftp)://", re.I)


class Text(NamedTuple):
    """What became of one file."""

    outcome: AttemptOutcome
    text: str = ""
    evidence: str = ""


class TextInput(NamedTuple):
    """One file or address, and where its text goes under the folder of `--out`."""

    source: Path | str
    """A `str` is an address."""
    name: Path


class GotText(NamedTuple):
    """What an address gave."""

    outcome: AttemptOutcome
    data: bytes = b""
    content_type: str = ""
    evidence: str = ""


Fetch = Callable[[str], Awaitable[GotText]]


def kind_of(data: bytes) -> Kind | None:
    """What a file is, by its content; None: nothing that is read here."""
    head = data[:_HEAD_BYTES]
    wide = head.startswith((b"\xff\xfe", b"\xfe\xff"))
    told = head.decode("utf-16", "ignore") if wide else head.removeprefix(b"\xef\xbb\xbf").decode("latin-1")
    prologue = _PROLOGUE.match(told)
    start = prologue.end() if prologue is not None else 0
    root = _ROOT.match(told, start)
    if root is None:
        if b"%PDF-" in data[:1024]:
            return "pdf"
        return "page" if "\x00" not in told and _OF_HTML.search(told) else None
    if root[1].lower() == "html" or _DOCTYPE_HTML.search(told, 0, start):
        return "page"
    declared = told.lstrip("\ufeff \t\r\n").startswith("<?xml")
    if root[1] in _OF_JATS and (declared or _INSIDE_JATS.search(told, root.end())):
        return "jats"
    if declared and b"<article" in data:
        return "jats"  # wrapped by a protocol
    if declared or root[1] in ("rss", "feed"):
        return "page"  # XML of another kind, a feed perhaps
    return "page" if not declared and _OF_HTML.search(told, start) else None


def inputs_of(given: Iterable[str]) -> list[TextInput]:
    """Addresses, files, and all files below folders (but hidden ones), in the order given, those of a folder sorted.

    :raises Refused: some are none of these; all of them are named
    """
    found: list[tuple[Path | str, Path]] = []
    bad: list[str] = []
    for one in given:
        path = Path(one)
        if _IS_ADDRESS.match(one):
            problem = problem_of(one)
            if problem:
                bad.append(problem)
            else:
                found.append((one, _name_of(one)))
        elif path.is_dir():
            below = sorted(file for file in path.rglob("*") if file.is_file())
            inner = [(file, file.relative_to(path)) for file in below]
            found += [(file, name) for file, name in inner if not any(part[0] == "." for part in name.parts)]
        elif path.exists():
            found.append((path, Path(path.name)))
        else:
            bad.append(f"{one}: there is no such file or folder")
    if bad:
        raise Refused("; ".join(bad))
    return list(_named(found))


def _name_of(url: str) -> Path:
    """`host_last-part-of-the-path` in letters that every file system takes; a query is part of it."""
    split = urlsplit(url)
    last = "?".join(filter(None, (split.path.rstrip("/").rpartition("/")[2], split.query)))
    told = "_".join(filter(None, (split.hostname, unquote(last))))
    return Path(re.sub(r"[^\w.-]+", "-", told).strip(".-")[:_LONGEST_NAME] or "page")


def _named(found: Sequence[tuple[Path | str, Path]]) -> Iterator[TextInput]:
    """`a.pdf` becomes `a.txt`; where that is ambiguous `a.pdf.txt`, and at last `a.pdf-2.txt`."""

    def short(name: Path) -> Path:
        base = name.stem if name.suffix.lower() in _SUFFIXES else name.name
        return name.with_name(f"{base}.txt")

    # Some file systems take A.txt and a.txt for the same.
    wanted = Counter(str(short(name)).casefold() for _, name in found)
    taken: set[str] = set()
    for source, name in found:
        target = short(name)
        if wanted[str(target).casefold()] > 1:
            target = name.with_name(f"{name.name}.txt")
        number = 2
        while str(target).casefold() in taken:
            target = name.with_name(f"{name.name}-{number}.txt")
            number += 1
        taken.add(str(target).casefold())
        yield TextInput(source, target)


def read_markup(data: bytes, kind: Kind, content_type: str = "", classic: bool = False) -> Text:
    """The text of a page or an article; runs in a process of its own, so that one that kills it costs one file."""
    return _read_jats(data) if kind == "jats" else _read_page(data, content_type, classic)


def _read_jats(data: bytes) -> Text:
    from pubweave.core.reading.jats.plain import MalformedJats, articles, parse_xml, read_plain

    try:
        found = [read_plain(article) for article in articles(parse_xml(data))]
    except MalformedJats as problem:
        return Text("malformed", evidence=str(problem))
    parts = [part for one in found for part in (one.title, one.abstract, one.body) if part]
    if not parts:
        withheld = any(one.restricted for one in found)
        return Text("empty", evidence="its publisher withholds the text" if withheld else "no text in it")
    return Text("found", "\n\n".join(parts))


def _read_page(data: bytes, content_type: str, classic: bool) -> Text:
    from pubweave.core.reading.cleaning import clean_page
    from pubweave.core.reading.pages.document import Page
    from pubweave.core.reading.pages.xml import is_xml, read_xml

    told = read_xml(data) if is_xml(data, content_type) else None
    if told is not None:
        text = "\n\n".join(filter(None, told))
        return Text("found", text) if text else Text("empty", evidence="no text in it")
    page = Page(data, "", content_type)
    text = clean_page(page.tree, "webpage", "classic" if classic else "default", page.meta)
    return Text("found", text) if text else Text("empty", evidence="no main text in it")


class Texts:
    """Reads files, as many side by side as there are workers; processes are started when first needed."""

    def __init__(self, workers: int, fetch: Fetch | None = None, *, classic: bool = False) -> None:
        self._workers = workers
        self._classic = classic
        self._fetch = fetch
        self._pool: ProcessPoolExecutor | None = None
        self._pdf_reader: Any = None
        self._open = AsyncExitStack()

    async def __aenter__(self) -> "Texts":
        return self

    async def __aexit__(self, *problem: Any) -> None:
        await self._open.aclose()
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    async def read(self, source: Path | str) -> Text:
        """The text of one file or address, or why there is none."""
        if isinstance(source, str):
            assert self._fetch is not None, "addresses need somebody who fetches them"
            fetched = await self._fetch(source)
            if fetched.outcome != "found":
                return Text(fetched.outcome, evidence=fetched.evidence)
            return await self._read_data(fetched.data, fetched.content_type)
        data = _bytes_of(source)
        return data if isinstance(data, Text) else await self._read_data(data)

    async def _read_data(self, data: bytes, content_type: str = "") -> Text:
        kind = kind_of(data)
        if not data:
            return Text("empty", evidence="the file is empty")
        if content_type.lower().startswith("text/plain") and kind in (None, "page"):
            return _plain(data, content_type)
        if kind is None:
            return Text("wrong-type", evidence="neither a page, a PDF nor a JATS article")
        return await (self._read_pdf(data) if kind == "pdf" else self._read_markup(data, kind, content_type))

    async def _read_pdf(self, data: bytes) -> Text:
        if self._pdf_reader is None:
            door = import_module(_PDF_READER)
            settings = door.PdfReaderSettings(workers=self._workers, max_pdf_bytes=MAX_BYTES)
            self._pdf_reader = await self._open.enter_async_context(door.PdfReader(settings))
        reading = await self._pdf_reader.read(data)
        return Text(reading.outcome, reading.text, reading.evidence)

    async def _read_markup(self, data: bytes, kind: Kind, content_type: str) -> Text:
        if self._pool is None:
            self._pool = _pool(self._workers)
        pool, loop = self._pool, asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(pool, read_markup, data, kind, content_type, self._classic)
        except BrokenProcessPool:
            if self._pool is pool:
                self._pool = None
        # The pool died of this file or of one beside it: alone it shows which.
        with _pool(1) as alone:
            try:
                return await loop.run_in_executor(alone, read_markup, data, kind, content_type, self._classic)
            except BrokenProcessPool:
                return Text("failed", evidence="the process that read it died")


def _plain(data: bytes, content_type: str) -> Text:
    from pubweave.core.reading.pages import decode_page

    told = decode_page(data, content_type).text.replace("\r\n", "\n").replace("\r", "\n").strip()
    return Text("found", told) if told else Text("empty", evidence="only white space in it")


def _bytes_of(path: Path) -> bytes | Text:
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            return Text("too-large", evidence=f"{size} bytes; {MAX_BYTES >> 20} MiB are allowed")
        return path.read_bytes()
    except OSError as problem:
        return Text("failed", evidence=f"it cannot be read: {(problem.strerror or str(problem)).lower()}")


def _pool(workers: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(
        workers, mp_context=get_context("spawn"), max_tasks_per_child=_TASKS_PER_WORKER
    )


async def read_all(
    inputs: Sequence[TextInput], out: Path | None, workers: int, options: dict[str, Any]
) -> int:
    """Read all, write each as its turn comes; how many failed."""
    settings = in_effect(options)
    classic = settings.switch("classic_cleaning")
    if not any(isinstance(one.source, str) for one in inputs):
        return await _read_each(inputs, out, Texts(workers, classic=classic), workers)
    from pubweave.cli.logs import listening
    from pubweave.runtimes.wiring import pages_running

    timeout_ms = settings.number("timeout")
    # What a fetch fails of is said below, with its outcome.
    with listening(say, warnings=False):
        async with pages_running(settings, create=False, in_memory=True) as pages:

            async def fetch(url: str) -> GotText:
                reply = await pages.document(url, timeout_ms=timeout_ms)
                outcome = "reset" if reply.outcome == "found" and reply.truncated else reply.outcome
                return GotText(outcome, reply.body, reply.content_type, reply.evidence)

            return await _read_each(inputs, out, Texts(workers, fetch, classic=classic), workers)


async def _read_each(inputs: Sequence[TextInput], out: Path | None, texts: Texts, workers: int) -> int:
    failed = 0
    async with texts:
        waiting = iter(inputs)
        flying: deque[tuple[TextInput, asyncio.Task[Text]]] = deque()

        def launch() -> None:
            for one in waiting:
                flying.append((one, asyncio.create_task(texts.read(one.source))))
                if len(flying) >= workers * _AHEAD:
                    return

        launch()
        try:
            while flying:
                one, task = flying.popleft()
                read = await task
                if read.outcome == "found":
                    _write(read.text, None if out is None else out / one.name)
                else:
                    failed += 1
                    echo(f"{one.source}: {read.outcome}: {read.evidence}", err=True)
                launch()
        finally:
            for _, task in flying:
                task.cancel()
            await asyncio.gather(*(task for _, task in flying), return_exceptions=True)
    return failed


def _write(text: str, target: Path | None) -> None:
    if target is not None:
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise Refused(
                f"{target.parent} cannot be made: {(problem.strerror or str(problem)).lower()}"
            ) from None
    with Out(target) as to:
        to.write(text + "\n")
