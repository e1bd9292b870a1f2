"""What every process that can be ended does about itself. Imported by such processes first: keep it light.

Nothing here trusts what the process will read later: bounds are the operating system's, and hard.
"""

import contextlib
import fcntl
import os
import resource
import signal
import struct
import sys
from typing import BinaryIO, Final

LENGTH: Final = struct.Struct(">Q")

_FILES: Final = 32
_PIPE_BYTES: Final = 1 << 20
_PR_SET_PDEATHSIG: Final = 1
_PAGE_KIB: Final = os.sysconf("SC_PAGE_SIZE") // 1024


def received(stream: BinaryIO) -> bytes | None:
    """The next frame; None when whoever asks has closed its end."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(head)
    body = stream.read(length)
    return body if len(body) == length else None


def say(stream: BinaryIO, body: bytes) -> None:
    """Send one frame."""
    stream.write(LENGTH.pack(len(body)) + body)  # at once: whoever asks wakes up once
    stream.flush()


def pipes() -> tuple[BinaryIO, BinaryIO]:
    """(questions, answers). Whatever a library prints from now on does not get between the frames."""
    if hasattr(fcntl, "F_SETPIPE_SZ"):  # Linux: a page or an answer goes in at once
        for pipe in (0, 1):
            with contextlib.suppress(OSError):
                fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
    questions, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    return questions, answers


def end_with(parent: int) -> None:
    """Die when the process that asks does, also in the middle of a step in which nobody looks at the pipe.

    :param parent: its process id. Where the system is not Linux, the closed pipe and the bound of processor time do it.
    """
    if sys.platform != "linux":
        return
    import ctypes

    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it was gone before we asked
        os._exit(0)


def bound(memory_mb: int) -> None:
    """From now on: so much memory, no file written, no further process, no core."""
    for what, value in (
        (resource.RLIMIT_AS, memory_mb << 20),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, _FILES),
        (resource.RLIMIT_NPROC, 0),
    ):
        _lower(what, value, hard=True)


def bound_cpu(seconds: int) -> None:
    """So many seconds from now; the operating system then ends the process with SIGXCPU."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _lower(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime) + seconds + 1, hard=False)


def resident_mb(pid: int | str) -> int | None:
    """What a process (`self`: this one) holds of the machine's memory; None where the system does not tell."""
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * _PAGE_KIB // 1024
    except OSError:
        return None


def _lower(what: int, value: int, *, hard: bool) -> None:
    _, allowed = resource.getrlimit(what)
    if allowed != resource.RLIM_INFINITY:
        value = min(value, allowed)
    resource.setrlimit(what, (value, value if hard else allowed))
