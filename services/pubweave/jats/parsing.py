"""Files become JSON files, side by side in processes; a file that kills its reader costs one document."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path

from pubweave.jats.statistics import Statistics

SUFFIXES = (".xml", ".nxml")
TASKS_PER_WORKER = 500
"""Articles that one process reads before a fresh one takes its place: what leaks does not grow."""


def files_of(path: Path) -> Iterator[Path]:
    """The file itself, or all XML files below a folder, sorted."""
    if path.is_dir():
        yield from sorted(found for found in path.rglob("*") if found.suffix in SUFFIXES and found.is_file())
    else:
        yield path


def out_path(out: Path, pmcid: str, stem: str) -> Path:
    """`out/33/pmc3339582.json` (B-02); articles without PMCID go to `out/other/`, under the name of their file."""
    digits = pmcid.removeprefix("PMC")
    if digits:
        return out / digits[:2] / f"pmc{digits}.json"
    safe = "".join(letter if letter.isalnum() or letter in "._-" else "_" for letter in stem)[:120].lstrip(
        "."
    )
    return out / "other" / f"{safe or 'article'}.json"


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        beside.write_bytes(data)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def parse_bytes(
    data: bytes, name: str, out: Path, *, extras: bool = True, pretty: bool = False
) -> list[Statistics]:
    """Read the articles of one reply, write each, give their statistics; an error is told in them, not raised."""
    from pubweave.core.reading.jats.plain import MalformedJats, articles, parse_xml
    from pubweave.core.reading.jats.read import read_document
    from pubweave.jats.encoding import ascii_json
    from pubweave.jats.statistics import statistics

    try:
        found = articles(parse_xml(data))
    except MalformedJats as refused:
        return [Statistics(file=name, error=str(refused))]
    if not found:
        return [Statistics(file=name, error="there is no article in it")]
    made = []
    count = len(found)
    found.reverse()
    while found:
        article = found.pop()
        document = read_document(article, extras=extras)
        one = statistics(article, document)
        # the tree is the largest thing here: let it go before the JSON is made
        del article
        one.file = name
        path = out_path(
            out, document.pmcid, Path(name).stem + (f"-{count - len(found)}" if count > 1 else "")
        )
        try:
            _write(path, ascii_json(document, pretty=pretty))
            one.out = str(path)
        except OSError as problem:
            one.error = f"{path}: {problem.strerror}"
        made.append(one)
    return made


def parse_file(path: Path, out: Path, extras: bool = True, pretty: bool = False) -> list[Statistics]:
    """Like `parse_bytes`, from a file."""
    from pubweave.core.reading.jats.xml import MAX_BYTES

    try:
        if path.stat().st_size > MAX_BYTES:
            return [Statistics(file=str(path), error=f"the file is larger than {MAX_BYTES} bytes")]
        data = path.read_bytes()
    except OSError as problem:
        return [Statistics(file=str(path), error=f"{problem.strerror}")]
    return parse_bytes(data, str(path), out, extras=extras, pretty=pretty)


Read = Callable[[Path, Path, bool, bool], list[Statistics]]


def parse_files(
    paths: Iterable[Path],
    out: Path,
    *,
    workers: int = 1,
    extras: bool = True,
    pretty: bool = False,
    read: Read = parse_file,
) -> Iterator[list[Statistics]]:
    """Read many files; results come as they are ready. Memory: a few documents per worker, never the list of all.

    A worker that dies takes its pool down: the files in flight are read again one at a time, and the one that kills
    again is given up with its reason.
    """
    if workers <= 1:
        for path in paths:
            yield read(path, out, extras, pretty)
        return
    left = iter(paths)
    suspects: list[Path] = []
    while True:
        flying: dict[Future[list[Statistics]], Path] = {}
        try:
            with _pool(workers) as pool:
                for path in left:
                    # booked before it is sent: a pool that just broke refuses it, and it must not be forgotten
                    sent: Future[list[Statistics]] = Future()
                    flying[sent] = path
                    future = pool.submit(read, path, out, extras, pretty)
                    del flying[sent]
                    flying[future] = path
                    if len(flying) >= workers * 4:
                        yield from _landed(flying)
                while flying:
                    yield from _landed(flying)
            return
        except BrokenProcessPool:
            suspects = list(flying.values())
        for path in suspects:
            yield _alone(read, path, out, extras, pretty)


def _pool(workers: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"), max_tasks_per_child=TASKS_PER_WORKER)


def _landed(flying: "dict[Future[list[Statistics]], Path]") -> Iterator[list[Statistics]]:
    done, _ = wait(flying, return_when=FIRST_COMPLETED)
    for future in done:
        result = future.result()
        del flying[future]
        yield result


def _alone(read: Read, path: Path, out: Path, extras: bool, pretty: bool) -> list[Statistics]:
    try:
        with _pool(1) as pool:
            return pool.submit(read, path, out, extras, pretty).result()
    except BrokenProcessPool:
        return [Statistics(file=str(path), error="the process that read it died")]
