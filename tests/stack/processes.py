"""Processes that outlive the one that started them, and are known by id and start time."""

import os
import signal
import socket
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_POLL_S = 0.05


class Process(NamedTuple):
    """A process of this machine. The start time tells it from a later one that got the same id."""

    pid: int
    started: int
    """Clock ticks since the machine started (proc(5), field 22)."""

    def runs(self) -> bool:
        return self.pid > 0 and _started(self.pid) == self.started

    def send(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.runs():
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def stop(self, patience_s: float = 20.0) -> None:
        """Ask it to end, insist after a while, return when it has ended."""
        for number, wait_s in ((signal.SIGTERM, patience_s), (signal.SIGKILL, patience_s)):
            self.send(number)
            if self.wait(wait_s):
                return
        raise TimeoutError(f"process {self.pid} does not end")

    def wait(self, patience_s: float) -> bool:
        """Wait for its end; false if it has not come."""
        until = time.monotonic() + patience_s
        while self.runs():
            if time.monotonic() > until:
                return False
            time.sleep(_POLL_S)
        with suppress(ChildProcessError):
            os.waitpid(self.pid, os.WNOHANG)
        return True


def me() -> Process:
    return Process(os.getpid(), _started(os.getpid()))


def _started(pid: int) -> int:
    """0 if there is no such process, or only what is left of it until its parent has looked (a zombie)."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return 0
    fields = text.rpartition(")")[2].split()
    return 0 if fields[0] in "ZX" else int(fields[19])


def start(command: Sequence[str], output: Path) -> Process:
    """Start a process in a session of its own, so that a Ctrl-C meant for us does not reach it; what it says is
    appended to `output`."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    pid = os.posix_spawn(
        command[0],
        list(command),
        dict(os.environ),
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(output), flags, 0o644),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
        setsid=True,
    )
    return Process(pid, _started(pid))


def free_ports(number: int) -> list[int]:
    """Ports that nobody uses at this moment."""
    held = [socket.socket() for _ in range(number)]
    try:
        for one in held:
            one.bind(("127.0.0.1", 0))
        return [int(one.getsockname()[1]) for one in held]
    finally:
        for one in held:
            one.close()


def answers(port: int) -> bool:
    """Somebody listens at this port of the loopback interface."""
    with socket.socket() as one:
        one.settimeout(1.0)
        return one.connect_ex(("127.0.0.1", port)) == 0
