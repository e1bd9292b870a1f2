"""Recording: every exchange as WARC records (ISO 28500), so that a run can be repeated without the network.

A request record and a response record that names it; an exchange without a whole answer has a metadata
record instead (no answer) or `WARC-Truncated` (cut). What came over FTP is a resource record. One gzip member a
record. Five headers are our own: `Pubweave-Key` (exchange_keys.py), `Pubweave-Sight` (outcomes.py),
`Pubweave-Evidence`, `Pubweave-Needs` (regather.py), and `Pubweave-Status` (ftp.py).
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from pubweave.doors.fetcher.exchange_keys import Secrets
from pubweave.doors.fetcher.settings import FetcherProblem
from pubweave.doors.fetcher.wire import Exchange
from pubweave.ports import Clock

KEY = "Pubweave-Key"
SIGHT = "Pubweave-Sight"
EVIDENCE = "Pubweave-Evidence"
NEEDS = "Pubweave-Needs"
STATUS = "Pubweave-Status"
# The body is stored without transfer coding; under its own name this header would say something untrue.
HELD_BACK = {"transfer-encoding": "X-Archive-Orig-Transfer-Encoding"}

_TRUNCATED = {"cut": "disconnect", "too-large": "length", "timeout": "time"}

# The User-Agent has the operator's address in it.
_SECRET_HEADERS = frozenset({"authorization", "cookie", "proxy-authorization", "user-agent"})


class Recorder:
    """Writes into files of its own, `pubweave-<time>-<number>.warc.gz`. Records are whole and on their way to
    the disk when `record` returns; a process that is killed leaves at most one cut record at the end."""

    def __init__(
        self, folder: Path, max_file_bytes: int, secrets: Secrets, clock: Clock, software: str
    ) -> None:
        """:raises FetcherProblem: the folder cannot be made or written to"""
        self._folder = folder
        self._max_file_bytes = max_file_bytes
        self._secrets = secrets
        self._clock = clock
        self._software = software
        self._file: BinaryIO | None = None
        self._number = 0
        self._thread = ThreadPoolExecutor(1, "recorder")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._next_file()
        except OSError as problem:
            raise FetcherProblem(f"Cannot record into {folder}: {problem.strerror}.") from problem

    async def record(
        self,
        method: str,
        url: str,
        headers: dict[str, str],
        form: bytes | None,
        exchange: Exchange,
        needs: str = "",
    ) -> None:
        """Write one exchange, and the note of what it was needed for (`regather.noted`).

        :raises OSError: it could not be written (disk full); what was written before stays readable
        """
        await asyncio.get_running_loop().run_in_executor(
            self._thread, self.write, method, url, headers, form, exchange, needs
        )

    def write(
        self,
        method: str,
        url: str,
        headers: dict[str, str],
        form: bytes | None,
        exchange: Exchange,
        needs: str = "",
    ) -> None:
        """`record` without a thread of its own."""
        if self._file is None or self._file.tell() >= self._max_file_bytes:
            self._next_file()
        assert self._file is not None
        writer = WARCWriter(self._file, gzip=True, warc_version="1.1")
        start = self._file.tell()
        try:
            self._write(writer, method, url, headers, form, exchange, needs)
            self._file.flush()
        except OSError:
            self._cut_back(start)
            raise

    async def close(self) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, self._close_file)
        self._thread.shutdown(wait=False)

    def _write(
        self,
        writer: WARCWriter,
        method: str,
        url: str,
        headers: dict[str, str],
        form: bytes | None,
        exchange: Exchange,
        needs: str,
    ) -> None:
        shown_url = self._secrets.url(url)
        shown_form = self._secrets.form(form) or b""
        date = _date(exchange.at_ms)
        key = self._secrets.key(method, url, form)
        parts = urlsplit(shown_url)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        sent = [("Host", parts.netloc)]
        sent += [(name, value) for name, value in headers.items() if name.lower() not in _SECRET_HEADERS]
        request = writer.create_warc_record(
            shown_url,
            "request",
            payload=BytesIO(shown_form),
            length=len(shown_form),
            warc_headers_dict={"WARC-Date": date, KEY: key},
            http_headers=StatusAndHeaders(f"{target} HTTP/1.1", sent, protocol=method),
        )
        about = {
            "WARC-Date": date,
            "WARC-Concurrent-To": request.rec_headers.get_header("WARC-Record-ID"),
            KEY: key,
            SIGHT: exchange.sight,
        }
        if needs:
            about[NEEDS] = needs
        if exchange.evidence:
            about[EVIDENCE] = exchange.evidence.encode("ascii", "backslashreplace").decode()
        if exchange.status and exchange.sight in _TRUNCATED:
            about["WARC-Truncated"] = _TRUNCATED[exchange.sight]
        writer.write_record(request)
        if exchange.status and parts.scheme == "ftp":
            # There are no headers of HTTP that a response record could have.
            answer = writer.create_warc_record(
                shown_url,
                "resource",
                payload=BytesIO(exchange.body),
                length=len(exchange.body),
                warc_content_type=exchange.fields().get("content-type", "application/octet-stream"),
                warc_headers_dict=about | {STATUS: str(exchange.status)},
            )
        elif exchange.status:
            shown = [(HELD_BACK.get(name.lower(), name), value) for name, value in exchange.headers]
            answer = writer.create_warc_record(
                shown_url,
                "response",
                payload=BytesIO(exchange.body),
                length=len(exchange.body),
                warc_headers_dict=about,
                http_headers=StatusAndHeaders(str(exchange.status), shown, protocol="HTTP/1.1"),
            )
        else:
            note = f"sight: {exchange.sight}\r\n".encode()
            answer = writer.create_warc_record(
                shown_url, "metadata", payload=BytesIO(note), length=len(note), warc_headers_dict=about
            )
        writer.write_record(answer)

    def _next_file(self) -> None:
        self._close_file()
        stamp = datetime.fromtimestamp(self._clock.now_ms() / 1000, UTC).strftime("%Y%m%d%H%M%S")
        while self._file is None:
            path = self._folder / f"pubweave-{stamp}-{self._number:05}.warc.gz"
            self._number += 1
            try:
                self._file = path.open("xb")
            except FileExistsError:
                continue
        writer = WARCWriter(self._file, gzip=True, warc_version="1.1")
        writer.write_record(
            writer.create_warcinfo_record(
                path.name, {"software": self._software, "format": "WARC File Format 1.1"}
            )
        )
        self._file.flush()

    def _close_file(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _cut_back(self, start: int) -> None:
        """Take back a record that was written half."""
        assert self._file is not None
        try:
            self._file.seek(start)
            self._file.truncate()
        except OSError:
            # The next record begins a file of its own; a reader stops at the half one.
            self._file = None


def _date(at_ms: int) -> str:
    moment = datetime.fromtimestamp(at_ms / 1000, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at_ms % 1000:03}Z"
