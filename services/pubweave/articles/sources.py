"""Where URLs come from: lists, WARC files and their CDX indexes, folders, sitemaps, OAI-PMH replies.

Every source is a stream in constant memory. What cannot have a place in the walk (a URL with control
characters) is left out and counted in `refused`; what is damaged is left out and named in `damaged`.
"""

from __future__ import annotations

import gzip
import io
import mimetypes
import re
import sys
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import IO, NamedTuple, cast

import msgspec

from pubweave.articles.disk import SEPARATOR
from pubweave.articles.iterator.order import is_walkable, walk_key
from pubweave.articles.problems import BadInput

_BATCH = 10_000
_LONGEST_LINE = 1 << 16
MAX_PAGE_BYTES = 4 << 20
"""What is read of a page to look for identifiers."""

_WARC = re.compile(r"\.w?arc(\.gz)?$", re.I)
_CDX = re.compile(r"\.cdxj?(\.gz)?$", re.I)
_XML = re.compile(r"\.xml(\.gz)?$", re.I)

Fetch = Callable[[str], bytes]
"""Gets a child sitemap or the next OAI-PMH reply by its address; who gives it opens the sockets."""


class StoredUrl(NamedTuple):
    """A stored URL. `rank` orders captures of the same URL (a WARC date), `locator` says where its content is."""

    url: str
    media_type: str = ""
    rank: str = ""
    locator: str = ""


class UrlSource(ABC):
    """A stream of stored URLs."""

    def __init__(self, path: Path | None, name: str) -> None:
        self.path = path
        self.name = name
        self.refused = 0
        self.damaged: list[str] = []

    @abstractmethod
    def entries(self) -> Iterator[StoredUrl]:
        """All stored URLs, perhaps more than once, in any order."""

    def rows(self) -> Iterator[list[str]]:
        """The entries as rows for `disk`, in batches."""
        batch: list[str] = []
        for entry in self.entries():
            if not is_walkable(entry.url):
                self.refused += 1
                continue
            batch.append(row_of(entry))
            if len(batch) >= _BATCH:
                yield batch
                batch = []
        if batch:
            yield batch

    def read(self, locator: str) -> bytes | None:
        """The beginning of the content of an entry, if the source has contents."""
        return None

    def identity(self) -> str:
        """What tells whether the source is still the same: name, size and time of change."""
        if self.path is None or not self.path.exists():
            return self.name
        stat = self.path.stat()

        return f"{self.path.resolve()} {stat.st_size} {stat.st_mtime_ns}"


def row_of(entry: StoredUrl) -> str:
    """An entry as a row: bare key where nothing else is known."""
    key = walk_key(entry.url)
    columns = [_clean(entry.media_type), _clean(entry.rank), _clean(entry.locator)]
    while columns and not columns[-1]:
        columns.pop()

    return SEPARATOR.join([key, *columns])


def _clean(text: str) -> str:
    return re.sub(r"[\x00-\x1f]", " ", text)


def opened(path: Path) -> IO[bytes]:
    """A file for reading, unpacked if it is gzip (whatever its name).

    :raises Refused: it cannot be opened
    """
    try:
        file = path.open("rb")
    except OSError as error:
        raise BadInput(f"{path}: cannot be opened ({error.strerror})") from None
    if file.peek(2)[:2] != b"\x1f\x8b":
        return file
    file.close()

    return cast("IO[bytes]", gzip.open(path, "rb"))


class UrlList(UrlSource):
    """One URL a line, perhaps a tab and its media type behind it; blank lines and `#` lines are let pass."""

    def __init__(self, path: Path | None, name: str, stream: IO[bytes] | None = None) -> None:
        super().__init__(path, name)
        self._stream = stream

    def rows(self) -> Iterator[list[str]]:
        for text in self._texts():
            # Nearly always all lines are bare URLs; then nothing has to be done for each of them.
            lines = text.split("\n")
            if lines[-1] == "":
                lines.pop()
            joined = "".join(lines)
            commented = text.startswith("#") or "\n#" in text
            if "" not in lines and not commented and " " not in joined and joined.isprintable():
                yield "\n".join(lines).replace("/", "\x02").split("\n") if lines else []
            else:
                rows = []
                for line in lines:
                    entry = self._entry(line)
                    if entry is not None:
                        rows.append(row_of(entry))
                yield rows

    def entries(self) -> Iterator[StoredUrl]:
        for text in self._texts():
            for line in text.split("\n"):
                entry = self._entry(line)
                if entry is not None:
                    yield entry

    def _entry(self, line: str) -> StoredUrl | None:
        url, _, media_type = line.strip().partition("\t")
        url = url.strip()
        if not url or url.startswith("#"):
            return None
        if not is_walkable(url):
            self.refused += 1
            return None

        return StoredUrl(url, media_type.strip())

    def _texts(self) -> Iterator[str]:
        file = self._stream if self._stream is not None else opened(_path(self))
        try:
            while data := file.read(1 << 20):
                rest = file.readline(_LONGEST_LINE)
                if len(rest) == _LONGEST_LINE and not rest.endswith(b"\n"):
                    raise BadInput(f"{self.name}: has a line of more than {_LONGEST_LINE:,} bytes")
                data += rest
                yield data.decode("utf-8", "surrogateescape")
        except (OSError, EOFError, zlib.error) as error:
            raise BadInput(f"{self.name}: cannot be read to its end ({error})") from None
        finally:
            if self._stream is None:
                file.close()


def _path(source: UrlSource) -> Path:
    assert source.path is not None

    return source.path


class Warc(UrlSource):
    """The pages of a WARC or ARC file: responses with a status of 200 to 299, and resources. What is damaged of it is
    named in `damaged`."""

    def entries(self) -> Iterator[StoredUrl]:
        from pubweave.adapters.warc import Damage, records

        self.damaged = []
        try:
            with _path(self).open("rb") as file:
                for each in records(file, arc_as_warc=True):
                    if isinstance(each, Damage):
                        self.damaged.append(f"{self.name}: what begins at byte {each.offset} {each.reason}")
                        continue
                    entry = _warc_entry(each.record, f"{self.name}\x1f{each.offset}")
                    if entry is not None:
                        yield entry
        except OSError as error:
            raise BadInput(f"{self.name}: cannot be read ({error.strerror})") from None

    def read(self, locator: str) -> bytes | None:
        name, _, offset = locator.rpartition(" ")
        if name != self.name or not offset.isdigit():
            return None

        return read_record(_path(self), int(offset))


def read_record(path: Path, offset: int) -> bytes | None:
    """The beginning of the content of the WARC record at this byte."""
    from warcio.exceptions import ArchiveLoadFailed

    from pubweave.adapters.warc import record_at

    try:
        with path.open("rb") as file:
            record = record_at(file, offset, arc_as_warc=True)
            return bytes(record.content_stream().read(MAX_PAGE_BYTES))
    except (ArchiveLoadFailed, OSError, EOFError, zlib.error, ValueError):
        return None


def _warc_entry(record: object, locator: str) -> StoredUrl | None:
    kind = getattr(record, "rec_type", "")
    headers = getattr(record, "rec_headers", None)
    http = getattr(record, "http_headers", None)
    if headers is None or kind not in ("response", "revisit", "resource"):
        return None
    if kind == "resource":
        media_type = headers.get_header("Content-Type") or ""
    elif http is None:
        return None
    else:
        status = str(http.get_statuscode() or "")
        if not (len(status) == 3 and status.startswith("2")):
            return None
        media_type = http.get_header("Content-Type") or ""
    url = (headers.get_header("WARC-Target-URI") or "").strip("<> ")
    if kind == "revisit":
        # Its body is elsewhere: known to exist, not to be read here.
        locator = ""

    return StoredUrl(url, media_type, headers.get_header("WARC-Date") or "", locator)


class Cdx(UrlSource):
    """A CDX or CDXJ index: what a collection of WARC files holds, without opening them."""

    def entries(self) -> Iterator[StoredUrl]:
        fields = [
            "N",
            "b",
            "a",
            "m",
            "s",
            "k",
            "r",
            "M",
            "S",
            "V",
            "g",
        ]  # the order that nearly all tools write
        number = 0
        with opened(_path(self)) as file:
            for raw in file:
                number += 1
                line = raw.decode("utf-8", "replace").rstrip("\r\n")
                if not line.strip():
                    continue
                if line.lstrip().startswith("CDX "):
                    fields = line.split()[1:]
                    continue
                entry = (
                    self._json_entry(line, number) if "{" in line else self._plain_entry(line, fields, number)
                )
                if entry is not None:
                    yield entry

    def _plain_entry(self, line: str, fields: list[str], number: int) -> StoredUrl | None:
        values = line.split(" ")
        if len(values) != len(fields):
            raise BadInput(f"{self.name}: line {number} has {len(values)} fields, not {len(fields)}")
        known = dict(zip(fields, values, strict=True))
        if "a" not in known:
            raise BadInput(f"{self.name}: its header has no field a (original URL)")

        return self._entry(
            known["a"],
            known.get("m", ""),
            known.get("s", ""),
            known.get("b", ""),
            known.get("g", ""),
            known.get("V", ""),
        )

    def _json_entry(self, line: str, number: int) -> StoredUrl | None:
        head, _, rest = line.partition("{")
        try:
            known = msgspec.json.decode("{" + rest, type=dict[str, object])
        except msgspec.DecodeError:
            raise BadInput(f"{self.name}: line {number} is not a CDXJ line") from None
        words = head.split()
        stamp = words[1] if len(words) > 1 else ""
        given = [str(known.get(key, "")) for key in ("url", "mime", "status", "filename", "offset")]

        return self._entry(given[0], given[1], given[2], stamp, given[3], given[4])

    def _entry(
        self, url: str, media_type: str, status: str, stamp: str, filename: str, offset: str
    ) -> StoredUrl | None:
        if status not in ("", "-") and not status.startswith("2"):
            return None
        if media_type in ("-", "warc/revisit", "unk"):
            media_type = ""
        locator = f"{filename}\x1f{offset}" if filename and offset.isdigit() else ""

        return StoredUrl(url, media_type, stamp, locator)

    def read(self, locator: str) -> bytes | None:
        name, _, offset = locator.rpartition(" ")
        path = _path(self).parent / Path(name).name
        if not offset.isdigit() or not path.is_file():
            return None

        return read_record(path, int(offset))


class Folder(UrlSource):
    """The files of a folder as URLs: below `base_url`, or, as wget mirrors, named by host and path."""

    def __init__(self, path: Path, name: str, base_url: str | None) -> None:
        super().__init__(path, name)
        self._base_url = base_url

    def entries(self) -> Iterator[StoredUrl]:
        for file in _files_below(_path(self)):
            relative = file.relative_to(_path(self)).as_posix()
            url = (self._base_url or "http://") + relative
            yield StoredUrl(url, mimetypes.guess_type(file.name)[0] or "", "", relative)

    def read(self, locator: str) -> bytes | None:
        try:
            with (_path(self) / locator).open("rb") as file:
                return file.read(MAX_PAGE_BYTES)
        except OSError:
            return None


def _files_below(folder: Path) -> Iterator[Path]:
    for item in sorted(folder.iterdir()):
        if item.is_dir() and not item.is_symlink():
            yield from _files_below(item)
        elif item.is_file():
            yield item


class Sitemap(UrlSource):
    """A sitemap, or an index of sitemaps: children from the same folder, else by `fetch`."""

    def __init__(self, path: Path, name: str, fetch: Fetch | None) -> None:
        super().__init__(path, name)
        self._fetch = fetch
        self._seen: set[str] = set()

    def entries(self) -> Iterator[StoredUrl]:
        with opened(_path(self)) as file:
            yield from self._urls_of(file, self.name)

    def _urls_of(self, file: IO[bytes], name: str) -> Iterator[StoredUrl]:
        for tag, text in _xml_texts(file, name, ("loc",), parents=("url", "sitemap")):
            if tag == "url":
                yield StoredUrl(text)
            elif text not in self._seen:
                self._seen.add(text)
                yield from self._child(text)

    def _child(self, address: str) -> Iterator[StoredUrl]:
        beside = _path(self).parent / address.rstrip("/").rpartition("/")[2]
        if beside.is_file():
            with opened(beside) as file:
                yield from self._urls_of(file, str(beside))
        elif self._fetch is not None:
            data = io.BytesIO(self._fetch(address))
            packed = data.read(2) == b"\x1f\x8b"
            data.seek(0)
            yield from self._urls_of(
                cast("IO[bytes]", gzip.GzipFile(fileobj=data)) if packed else data, address
            )
        else:
            raise BadInput(f"{self.name}: names the sitemap {address}, which is not in the same folder")


class OaiRecords(UrlSource):
    """Saved OAI-PMH ListRecords replies: each `dc:identifier` that is a web address."""

    def __init__(self, path: Path, name: str, fetch: Fetch | None) -> None:
        super().__init__(path, name)
        self._fetch = fetch

    def entries(self) -> Iterator[StoredUrl]:
        with opened(_path(self)) as file:
            more = yield from self._urls_of(file, self.name)
        seen: set[str] = set()
        while more and self._fetch is not None and more not in seen:
            seen.add(more)
            more = yield from self._urls_of(io.BytesIO(self._fetch(more)), more)

    def _urls_of(self, file: IO[bytes], name: str) -> Generator[StoredUrl, None, str]:
        """Yields entries; returns the token of the next reply, or an empty text."""
        token = ""
        wanted = ("identifier", "relation", "resumptionToken")
        for tag, text in _xml_texts(file, name, wanted, parents=None):
            if tag == "resumptionToken":
                token = text
            elif re.match(r"https?://", text):
                yield StoredUrl(text)

        return token


def _xml_texts(
    file: IO[bytes], name: str, tags: tuple[str, ...], parents: tuple[str, ...] | None
) -> Iterator[tuple[str, str]]:
    """(tag of the parent or of the element itself, text) of the wanted elements, read as a stream.

    No entity is resolved, nothing is loaded from outside.
    """
    from lxml import etree

    try:
        events = etree.iterparse(
            file, events=("end",), resolve_entities=False, no_network=True, load_dtd=False
        )
        for _, element in events:
            if not isinstance(element.tag, str):
                continue
            tag = element.tag.rpartition("}")[2]
            parent = element.getparent()
            if tag in tags and element.text and element.text.strip():
                above = "" if parent is None else str(parent.tag).rpartition("}")[2]
                if parents is None:
                    yield tag, element.text.strip()
                elif above in parents:
                    yield above, element.text.strip()
            if tag in ("url", "sitemap", "record"):
                element.clear()
                while parent is not None and element.getprevious() is not None:
                    del parent[0]
    except etree.XMLSyntaxError as error:
        raise BadInput(f"{name}: line {error.lineno or '?'} is not XML ({error.msg})") from None


def open_source(given: str, *, base_url: str | None = None, fetch: Fetch | None = None) -> list[UrlSource]:
    """The sources a name stands for; a folder of WARC or CDX files is those files.

    :raises Refused: there is no such file, or it is none of the kinds known
    """
    if given == "-":
        return [UrlList(None, "standard input", sys.stdin.buffer)]
    path = Path(given)
    if path.is_dir():
        return _folder_sources(path, base_url)
    if not path.is_file():
        raise BadInput(f"{given}: no such file or folder")

    return [_file_source(path, fetch)]


def _folder_sources(path: Path, base_url: str | None) -> list[UrlSource]:
    files = [item for item in sorted(path.iterdir()) if item.is_file()]
    indexes = [item for item in files if _CDX.search(item.name)]
    warcs = [item for item in files if _WARC.search(item.name)]
    if indexes:
        return [Cdx(item, str(item)) for item in indexes]
    if warcs:
        return [Warc(item, str(item)) for item in warcs]

    return [Folder(path, str(path), base_url)]


def _file_source(path: Path, fetch: Fetch | None) -> UrlSource:
    name = str(path)
    if _WARC.search(path.name):
        return Warc(path, name)
    if _CDX.search(path.name):
        return Cdx(path, name)
    with opened(path) as file:
        try:
            start = file.read(2048)
        except (OSError, EOFError, zlib.error) as error:
            raise BadInput(f"{name}: cannot be read ({error})") from None
    if start.startswith((b"WARC/", b"filedesc:")):
        return Warc(path, name)
    if start.lstrip().startswith(b" CDX ") or start.startswith(b"CDX "):
        return Cdx(path, name)
    if _XML.search(path.name) or start.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"<"):
        if b"OAI-PMH" in start:
            return OaiRecords(path, name, fetch)
        if b"<urlset" in start or b"<sitemapindex" in start or b":urlset" in start:
            return Sitemap(path, name, fetch)
        raise BadInput(f"{name}: is neither a sitemap nor an OAI-PMH reply")

    return UrlList(path, name)
