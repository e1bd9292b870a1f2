"""An archival unit on disk: millions of URLs in the order of the walk, in bounded memory.

Rows are sorted in runs, merged once into one file, and a table of 64-bit fingerprints answers what exists.
With 10 million URLs a false "exists" is expected once in about 10¹² questions. Everything lies in one work
folder and can be opened again after a crash.
"""

from __future__ import annotations

import mmap
import os
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec
from xxhash import xxh3_64_intdigest

from pubweave.articles.iterator.order import SLASH, root_node, walk_key

SEPARATOR = "\x01"
"""Between the columns of a row: walk key, media type, rank, locator. A row without columns is the bare key."""

RUN_ROWS = 400_000
_BLOCK_BYTES = 1 << 20
_BLOCK_ROWS = 4096
_AFTER_SLASH = "\x03"

Progress = Callable[[str, int], None]
"""Told the phase ("reading", "sorting") and how many rows are through."""


class _Manifest(msgspec.Struct):
    identity: str
    runs: list[str] = []
    rows: int = 0
    all_read: bool = False
    finished: bool = False
    urls: int = 0
    damaged: list[str] = []


class UnitOnDisk:
    """A finished unit in its folder; satisfies `ArchivalUnit`. Close it, or use it as a context."""

    def __init__(self, folder: Path, params: dict[str, str] | None = None) -> None:
        self.params = dict(params or {})
        manifest = _read_manifest(folder)
        assert manifest is not None
        assert manifest.finished
        self.count = manifest.urls
        self._file = (folder / "urls").open("rb")
        index = msgspec.json.decode((folder / "index.json").read_bytes(), type=tuple[list[str], list[int]])
        self._first_keys, self._offsets = index
        self._table_file = (folder / "exists").open("rb")
        self._map = mmap.mmap(self._table_file.fileno(), 0, access=mmap.ACCESS_READ)
        self._table = memoryview(self._map).cast("Q")
        self.has = _asker(self._table)

    has: Callable[[str], bool]

    def __enter__(self) -> UnitOnDisk:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.has = _closed
        self._table.release()
        self._map.close()
        self._table_file.close()
        self._file.close()

    # -- blocks: the unit of work, of progress and of resuming

    def blocks_below(self, root: str | None) -> range:
        """The numbers of the blocks that may hold rows below the root."""
        if root is None:
            return range(len(self._offsets) - 1)
        node = walk_key(root_node(root))
        first = max(bisect_left(self._first_keys, node) - 1, 0)
        end = bisect_left(self._first_keys, node + _AFTER_SLASH)

        return range(first, end)

    def rows_of(self, block: int, root: str | None) -> list[str]:
        """The rows of a block that are below the root."""
        offset = self._offsets[block]
        text = os.pread(self._file.fileno(), self._offsets[block + 1] - offset, offset).decode()
        rows = text.split("\n")
        rows.pop()
        if root is not None:
            node = walk_key(root_node(root))
            rows = rows[bisect_left(rows, node) : bisect_left(rows, node + _AFTER_SLASH)]

        return rows

    def urls_of(self, block: int, root: str | None) -> list[str]:
        """The URLs of a block that are below the root."""
        rows = self.rows_of(block, root)
        text = "\n".join(rows).replace(SLASH, "/")
        if SEPARATOR not in text:
            return text.split("\n") if rows else []

        return [row.partition(SEPARATOR)[0] for row in text.split("\n")]

    def items_of(self, block: int, root: str | None) -> list[tuple[str, str]]:
        """The (URL, media type) pairs of a block that are below the root."""
        return [_item(row) for row in self.rows_of(block, root)]

    def below(self, root: str | None) -> Iterator[tuple[str, str]]:
        for block in self.blocks_below(root):
            yield from self.items_of(block, root)

    def locator(self, url: str) -> str:
        """Where the content of a stored URL is, in the words of its source; empty if not known."""
        key = walk_key(url)
        block = bisect_right(self._first_keys, key) - 1
        if block < 0 or block >= len(self._offsets) - 1:
            return ""
        rows = self.rows_of(block, None)
        found = bisect_left(rows, key)
        columns = rows[found].split(SEPARATOR) if found < len(rows) else [""]

        return columns[3] if columns[0] == key and len(columns) > 3 else ""


def _item(row: str) -> tuple[str, str]:
    key, _, rest = row.partition(SEPARATOR)

    return key.replace(SLASH, "/"), rest.partition(SEPARATOR)[0]


def _closed(url: str) -> bool:
    raise ValueError(f"the unit is closed; it cannot say whether {url} exists")


def _asker(table: memoryview) -> Callable[[str], bool]:
    mask = len(table) - 1

    def has(url: str) -> bool:
        digest = xxh3_64_intdigest(url) or 1
        place = digest & mask
        while found := table[place]:
            if found == digest:
                return True
            place = (place + 1) & mask
        return False

    return has


class UnitBuilder:
    """Makes a unit on disk out of rows in any order; `rows_done` says how many a former process has kept.

    Rows for one URL become one: the highest (rank, media type, locator) wins, whatever came first.
    """

    def __init__(self, folder: Path, identity: str, *, run_rows: int = RUN_ROWS) -> None:
        self.folder = folder
        self._run_rows = run_rows
        folder.mkdir(parents=True, exist_ok=True)
        manifest = _read_manifest(folder)
        if manifest is None or manifest.identity != identity:
            _clear(folder)
            manifest = _Manifest(identity)
        self._manifest = manifest
        self._waiting: list[str] = []

    @property
    def rows_done(self) -> int:
        return self._manifest.rows

    @property
    def all_read(self) -> bool:
        return self._manifest.all_read

    @property
    def finished(self) -> bool:
        return self._manifest.finished

    def add(self, rows: list[str]) -> None:
        """Take more rows; what is full is sorted and kept on disk."""
        self._waiting.extend(rows)
        while len(self._waiting) >= self._run_rows:
            full, self._waiting = self._waiting[: self._run_rows], self._waiting[self._run_rows :]
            self._keep_run(full)

    @property
    def damaged(self) -> list[str]:
        """What was damaged of the sources, known when all is read."""
        return self._manifest.damaged

    def finish(self, progress: Progress | None = None, damaged: list[str] | None = None) -> None:
        """All rows are in: merge them. `damaged` is kept for a later process, which will not read the sources again."""
        if not self._manifest.all_read:
            self._manifest.damaged = damaged or []
            if self._waiting:
                self._keep_run(self._waiting)
                self._waiting = []
            self._manifest.all_read = True
            self._save()
        if not self._manifest.finished:
            self._merge_all(progress)

    def _keep_run(self, rows: list[str]) -> None:
        count = len(rows)
        name = f"run-{len(self._manifest.runs):05d}"
        rows.sort()
        with (self.folder / name).open("wb") as file:
            for start in range(0, count, 1 << 16):
                part = "\n".join(dict.fromkeys(rows[start : start + (1 << 16)]))
                file.write((part + "\n").encode())
        self._manifest.runs.append(name)
        self._manifest.rows += count
        self._save()

    def _save(self) -> None:
        part = self.folder / "manifest.part"
        part.write_bytes(msgspec.json.encode(self._manifest))
        part.replace(self.folder / "manifest.json")

    def _merge_all(self, progress: Progress | None) -> None:
        runs = [self.folder / name for name in self._manifest.runs]
        first_keys: list[str] = []
        offsets = [0]
        urls = 0
        table = UrlSet(self.folder / "exists", self._manifest.rows)
        try:
            with (self.folder / "urls").open("wb") as out:
                for rows in _blocks(_one_row_a_key(_merged(runs))):
                    data = ("\n".join(rows) + "\n").encode()
                    out.write(data)
                    first_keys.append(rows[0].partition(SEPARATOR)[0])
                    offsets.append(offsets[-1] + len(data))
                    table.add("\n".join(rows).replace(SLASH, "/").split("\n"))
                    urls += len(rows)
                    if progress is not None:
                        progress("sorting", urls)
        finally:
            table.close()
        (self.folder / "index.json").write_bytes(msgspec.json.encode((first_keys, offsets)))
        self._manifest.urls, self._manifest.finished = urls, True
        self._save()
        for run in runs:
            run.unlink()


_OURS = re.compile(r"manifest\.(json|part)|position\.(json|part)|index\.json|urls|exists|run-[0-9]{5,}")


def _clear(folder: Path) -> None:
    """Take away what a builder has left in its folder; what is not of a builder stays, and is an error."""
    strangers = [item.name for item in folder.iterdir() if not _OURS.fullmatch(item.name)]
    if strangers:
        raise FileExistsError(17, f"it holds other files, such as {min(strangers)}", str(folder))
    for leftover in folder.iterdir():
        leftover.unlink()


def _read_manifest(folder: Path) -> _Manifest | None:
    try:
        return msgspec.json.decode((folder / "manifest.json").read_bytes(), type=_Manifest)
    except (FileNotFoundError, msgspec.DecodeError):
        return None


def _insert(table: memoryview, rows: Iterable[str]) -> None:
    mask = len(table) - 1
    for row in rows:
        digest = xxh3_64_intdigest(row if SEPARATOR not in row else row.partition(SEPARATOR)[0]) or 1
        place = digest & mask
        while found := table[place]:
            if found == digest:
                break
            place = (place + 1) & mask
        else:
            table[place] = digest


class UrlSet:
    """URLs by fingerprint in a file: room for `most` URLs, added and asked, never listed."""

    def __init__(self, path: Path, most: int) -> None:
        # At least half as many places again as URLs: fuller costs questions, emptier costs memory.
        bits = max((3 * most // 2).bit_length(), 4)
        self._file = path.open("w+b")
        self._file.truncate(8 << bits)
        self._map = mmap.mmap(self._file.fileno(), 0)
        self._table = memoryview(self._map).cast("Q")
        self.has = _asker(self._table)

    has: Callable[[str], bool]

    def add(self, urls: Iterable[str]) -> None:
        _insert(self._table, urls)

    def close(self) -> None:
        self.has = _closed
        self._table.release()
        self._map.close()
        self._file.close()


class _SortedRun:
    """One sorted run, read in pieces."""

    def __init__(self, path: Path, block_bytes: int) -> None:
        self._file = path.open("rb")
        self._block_bytes = block_bytes
        self.rows: list[str] = []
        self.ended = False
        self.fill()

    def fill(self) -> None:
        data = self._file.read(self._block_bytes)
        if not data:
            self.ended = True
            self.close()
            return
        data += self._file.readline()
        self.rows = data.decode().split("\n")
        self.rows.pop()

    def close(self) -> None:
        self._file.close()

    def up_to(self, pivot: str) -> list[str]:
        end = bisect_right(self.rows, pivot)
        taken = self.rows[:end]
        del self.rows[:end]

        return taken


def _merged(paths: list[Path]) -> Iterator[list[str]]:
    """The rows of all sorted runs in order, in pieces; equal rows may come more than once.

    Each piece is everything up to the smallest last row at hand: one call of sort on runs that are sorted
    already costs far less than taking row by row from a heap.
    """
    # All buffers together stay near 32 MiB of text, however many runs there are.
    block_bytes = max(min(_BLOCK_BYTES, (32 << 20) // max(len(paths), 1)), 1 << 14)
    every = [_SortedRun(path, block_bytes) for path in paths]
    runs = every
    try:
        while runs := [run for run in runs if run.rows or not run.ended]:
            for run in runs:
                if not run.rows and not run.ended:
                    run.fill()
            lasts = [run.rows[-1] for run in runs if run.rows]
            if not lasts:
                continue
            pivot = min(lasts)
            piece: list[str] = []
            for run in runs:
                piece += run.up_to(pivot)
            piece.sort()
            yield piece
    finally:
        for run in every:
            run.close()


def _one_row_a_key(pieces: Iterable[list[str]]) -> Iterator[list[str]]:
    """The best row of each key; `pieces` are sorted, a key may go over their bounds."""
    last: str = ""
    for piece in pieces:
        rows = list(dict.fromkeys(piece))
        if not rows:
            continue
        if SEPARATOR not in last and SEPARATOR not in "".join(rows):
            # Bare keys all: whatever is equal is the same row.
            if rows[0] == last:
                rows = rows[1:]
            if last:
                yield [last]
            last = rows.pop() if rows else last
            if rows:
                yield rows
            continue
        best: list[str] = []
        for row in rows:
            if not last:
                last = row
            elif row.partition(SEPARATOR)[0] == last.partition(SEPARATOR)[0]:
                last = max(last, row, key=_rank)
            else:
                best.append(last)
                last = row
        if best:
            yield best
    if last:
        yield [last]


def _rank(row: str) -> tuple[str, str, str]:
    columns = row.split(SEPARATOR)
    columns += [""] * (4 - len(columns))

    return columns[2], columns[1], columns[3]


def _blocks(pieces: Iterable[list[str]]) -> Iterator[list[str]]:
    waiting: list[str] = []
    for piece in pieces:
        waiting += piece
        if len(waiting) >= _BLOCK_ROWS:
            full = len(waiting) - len(waiting) % _BLOCK_ROWS
            for start in range(0, full, _BLOCK_ROWS):
                yield waiting[start : start + _BLOCK_ROWS]
            del waiting[:full]
    if waiting:
        yield waiting
