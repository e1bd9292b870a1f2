"""Replaying: recorded WARC files answer instead of the network, our own recordings and other people's."""

import hashlib
import logging
import zlib
from base64 import b32encode
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, get_args
from urllib.parse import urlsplit

import msgspec
from warcio.bufferedreaders import ChunkedDataReader
from warcio.exceptions import ArchiveLoadFailed

from pubweave.adapters.warc import Damage, record_at, records
from pubweave.contract.exchange import Work
from pubweave.doors.fetcher.exchange_keys import Secrets
from pubweave.doors.fetcher.outcomes import Sight
from pubweave.doors.fetcher.recorder import EVIDENCE, HELD_BACK, KEY, NEEDS, SIGHT, STATUS
from pubweave.doors.fetcher.regather import Companies, RecordedBatch, batches
from pubweave.doors.fetcher.settings import FetcherProblem
from pubweave.doors.fetcher.wire import Exchange

_log = logging.getLogger(__name__)

_SIGHTS: dict[str, Sight] = {sight: sight for sight in get_args(Sight)}
_ORIGINAL_NAME = {name.lower(): original for original, name in HELD_BACK.items()}
_UNREADABLE = (ArchiveLoadFailed, EOFError, zlib.error, ValueError)
_PATTERNS = ("*.warc.gz", "*.warc")


class Replay:
    """All exchanges of the WARC files of a folder, by method, address and form.

    Exchanges of one key are given in the order of their recording, the last one again and again: an answer
    that came at the second attempt comes at the second attempt again. In memory there is only where they lie.
    """

    def __init__(self, folder: Path, secrets: Secrets) -> None:
        """Reads all files once, to see what is where.

        :raises FetcherProblem: no such folder, or no WARC file in it
        """
        self._secrets = secrets
        self._places: dict[str, list[tuple[Path, int]]] = {}
        self._cut: set[tuple[Path, int]] = set()
        self._hosts: set[str] = set()
        self._notes: list[str] = []
        self._companies = Companies()
        self._given: dict[str, int] = {}
        self._open: tuple[Path, BinaryIO] | None = None
        if not folder.is_dir():
            raise FetcherProblem(f"Cannot replay from {folder}: there is no such folder.")
        files = sorted({path for pattern in _PATTERNS for path in folder.rglob(pattern)})
        if not files:
            raise FetcherProblem(f"Cannot replay from {folder}: it holds no WARC file.")
        for path in files:
            self._index(path)
        self.batches: list[RecordedBatch] = batches(self._notes)
        self._notes.clear()

    def __len__(self) -> int:
        return sum(len(places) for places in self._places.values())

    def find(self, method: str, url: str, form: bytes | None, work: Work | None = None) -> Exchange | None:
        """The next recorded exchange of this ask; else, if `work` is given, that of a recorded ask at the same
        place for at least its needs; None if the recording has neither.

        A record that is damaged counts as not there.
        """
        key = self._secrets.key(method, url, form)
        if key not in self._places and work is not None:
            key = self._companies.key(_place(url), work)
        places = self._places.get(key, [])
        number = self._given.get(key, 0)
        self._given[key] = number + 1
        # After a damaged record the next one, and at the end the last that is whole.
        order = [*places[number:], *reversed(places[:number])]
        return next((found for place in order if (found := self._read(*place)) is not None), None)

    def knows(self, url: str) -> bool:
        """Something was recorded of this host and port."""
        return _netloc(url) in self._hosts

    def close(self) -> None:
        if self._open is not None:
            self._open[1].close()
            self._open = None

    def _index(self, path: Path) -> None:
        answers: list[tuple[str, str, str, int]] = []
        requests: dict[str, tuple[str, bytes]] = {}
        with path.open("rb") as file:
            for record, offset, cut in _records(file, path):
                if cut:
                    self._cut.add((path, offset))
                headers = record.rec_headers
                key = headers.get_header(KEY)
                url = headers.get_header("WARC-Target-URI") or ""
                self._hosts.add(_netloc(url))
                if key:
                    if record.rec_type != "request":
                        self._places.setdefault(key, []).append((path, offset))
                        if note := headers.get_header(NEEDS):
                            self._notes.append(note)
                            self._companies.add(
                                key, _place(headers.get_header("WARC-Target-URI") or ""), note
                            )
                elif record.rec_type == "response" and record.http_headers is not None:
                    answers.append(
                        (
                            headers.get_header("WARC-Record-ID") or "",
                            headers.get_header("WARC-Concurrent-To") or "",
                            url,
                            offset,
                        )
                    )
                elif record.rec_type == "request" and record.http_headers is not None:
                    asked = (record.http_headers.protocol, _content(record) or b"")
                    for name in ("WARC-Record-ID", "WARC-Concurrent-To"):
                        if value := headers.get_header(name):
                            requests[value] = asked
        for own_id, concurrent, url, offset in answers:
            method, form = requests.get(own_id) or requests.get(concurrent) or ("GET", b"")
            self._places.setdefault(self._secrets.key(method, url, form), []).append((path, offset))

    def _read(self, path: Path, offset: int) -> Exchange | None:
        if self._open is None or self._open[0] != path:
            self.close()
            self._open = (path, path.open("rb"))
        try:
            exchange = _exchange(record_at(self._open[1], offset))
        except _UNREADABLE:
            return None
        if exchange is not None and (path, offset) in self._cut:
            return msgspec.structs.replace(exchange, sight="cut")
        return exchange


def _netloc(url: str) -> str:
    try:
        return urlsplit(url).netloc
    except ValueError:
        return ""


def _place(url: str) -> str:
    return url.partition("?")[0]


def _records(file: BinaryIO, path: Path) -> Iterator[tuple[Any, int, bool]]:
    """The whole records and the readable beginnings of others (`True`), each with its offset; each damage is told."""
    for each in records(file):
        if isinstance(each, Damage):
            _log.warning(
                "%s is damaged: what begins at byte %d %s. The rest is read.", path, each.offset, each.reason
            )
            if each.readable:
                with suppress(*_UNREADABLE):
                    yield record_at(file, each.offset), each.offset, True
        else:
            yield each.record, each.offset, False


def _content(record: Any, *, chunked: bool = False) -> bytes | None:
    """The payload as stored, without chunks; None if it cannot be read to its end."""
    stream = ChunkedDataReader(record.raw_stream, decomp_type=None) if chunked else record.raw_stream
    try:
        content = bytes(stream.read())
        # What is left of the announced length after the last byte was read has been cut off.
        whole = getattr(record.raw_stream, "limit", 0) <= 0 or bool(record.raw_stream.read(1))
    except (EOFError, OSError, zlib.error, ValueError):
        return None
    return content if whole or chunked else None


def _exchange(record: Any) -> Exchange | None:
    headers = record.rec_headers
    own = headers.get_header(KEY) is not None
    sight = _SIGHTS.get(headers.get_header(SIGHT) or "answered")
    if sight is None:
        return None
    at_ms = _milliseconds(headers.get_header("WARC-Date") or "")
    evidence = headers.get_header(EVIDENCE) or ""
    if record.rec_type == "metadata":
        return Exchange(sight, evidence=evidence, at_ms=at_ms)
    http = record.http_headers
    chunked = http is not None and (http.get_header("Transfer-Encoding") or "").lower() == "chunked"
    body = _content(record, chunked=chunked)
    if body is None:
        return None
    digest = headers.get_header("WARC-Payload-Digest") or ""
    if own and digest != f"sha1:{b32encode(hashlib.sha1(body, usedforsecurity=False).digest()).decode()}":
        return None
    if http is None:
        status = headers.get_header(STATUS) or "0"
        content_type = (("Content-Type", headers.get_header("Content-Type") or ""),) if body else ()
        return Exchange(sight, int(status), content_type, body, evidence, at_ms)
    if not own and (
        headers.get_header("WARC-Truncated") or _shorter(body, http.get_header("Content-Length"))
    ):
        sight = "cut"
    return Exchange(
        sight,
        int(http.get_statuscode() or 0),
        tuple((_ORIGINAL_NAME.get(name.lower(), name), value) for name, value in http.headers),
        body,
        evidence,
        at_ms,
    )


def _shorter(body: bytes, announced: str | None) -> bool:
    return announced is not None and announced.isdigit() and len(body) < int(announced)


def _milliseconds(date: str) -> int:
    try:
        moment = datetime.fromisoformat(date.replace("Z", "+00:00"))
    except ValueError:
        return 0
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return round(moment.timestamp() * 1000)
