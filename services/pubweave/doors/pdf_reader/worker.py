"""The process that reads PDFs: `python -m pubweave.doors.pdf_reader.worker`, started by the door only.

Reads frames from its standard input (`Bounds`, then one PDF each) and answers each with a `PdfReading`. It ends when its
input does. What it may use is bounded by the operating system, so that nothing in a PDF can talk it out of that.
"""

import os
import resource
from typing import Any, BinaryIO, Final

import msgspec

from pubweave.doors.pdf_reader.messages import LENGTH, NOT_INSTALLED, READY, Bounds, frame

_FILES: Final = 32


def _received(stream: BinaryIO) -> bytes | None:
    """The next frame; None when the door has closed its end."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(head)
    body = stream.read(length)
    return body if len(body) == length else None


def _bound(bounds: Bounds) -> None:
    """From now on: so much memory, no file written, no further process, no core."""
    for what, value in (
        (resource.RLIMIT_AS, bounds.memory_mb << 20),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, _FILES),
        (resource.RLIMIT_NPROC, 0),
    ):
        _lower(what, value, hard=True)


def _lower(what: int, value: int, *, hard: bool) -> None:
    _, allowed = resource.getrlimit(what)
    if allowed != resource.RLIM_INFINITY:
        value = min(value, allowed)
    resource.setrlimit(what, (value, value if hard else allowed))


def _bound_cpu(seconds: int) -> None:
    """So many seconds from now; the operating system then ends the process with SIGXCPU."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _lower(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime) + seconds + 1, hard=False)


def main() -> None:
    """Answer until there is no more to answer."""
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    # Whatever a library prints must not get between the frames.
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    told = _received(requests)
    if told is None:
        return
    bounds = msgspec.msgpack.decode(told, type=Bounds)
    try:
        import pymupdf
    except ImportError:
        answers.write(frame(NOT_INSTALLED))
        answers.flush()
        return
    from pubweave.doors.pdf_reader.opening import read_pdf

    tools: Any = pymupdf.TOOLS
    tools.mupdf_display_errors(False)
    tools.mupdf_display_warnings(False)
    _bound(bounds)
    answers.write(frame(READY))
    answers.flush()
    encode = msgspec.msgpack.Encoder().encode
    while (data := _received(requests)) is not None:
        _bound_cpu(bounds.cpu_s)
        answer = encode(read_pdf(data, bounds))
        del data
        answers.write(frame(answer))
        answers.flush()


if __name__ == "__main__":
    main()
