"""Who uses a server: one file per process that does. The last one to let go stops it and removes its data."""

import json
import os
import shutil
import signal
from pathlib import Path
from typing import Final

from stack.jars import locked, stack_folder
from stack.processes import Process, answers, me
from stack.servers import missing_programs, start_server

BY_HAND: Final = "by-hand"
"""The lease of `up`, which ends with `down` and not with a process."""


def _given(name: str) -> str:
    return os.environ.get(f"PUBWEAVE_{name.upper()}", "")


def obstacle(name: str) -> str:
    """Why this server can be neither used nor started; "" if it can."""
    missing = missing_programs()
    if _given(name) or not missing:
        return ""
    return (
        f"the tests on the real {name.capitalize()} were not run: install {' and '.join(missing)} "
        f"(Debian: openjdk-17-jre-headless, maven), or set PUBWEAVE_{name.upper()} to the address of one"
    )


class Lease:
    """The use of one server, from `take` to `release`.

    :param name: `kafka` or `cassandra`
    :param holder: who uses it; this process unless said otherwise
    """

    def __init__(self, name: str, holder: str = "") -> None:
        self.name = name
        self._here = stack_folder() / "run" / name
        self._server = self._here / "server"
        process = me()
        self._mine = self._here / "leases" / (holder or f"{process.pid}.{process.started}")

    def take(self) -> str:
        """Use it; start it if need be.

        :returns: `host:port`
        :raises RuntimeError: it could not be started
        """
        if given := _given(self.name):
            return given
        with locked(self._here / "lock"):
            self._mine.parent.mkdir(parents=True, exist_ok=True)
            self._mine.touch()
            process, port = self._state()
            if not process.runs() or not answers(port):
                process.stop()
                try:
                    self._start(0)
                except BaseException:
                    self._mine.unlink()
                    raise
            return self._address()

    def release(self) -> bool:
        """Use it no longer. Safe to repeat.

        :returns: whether it was stopped, as nobody else uses it
        """
        if _given(self.name) or not self._here.exists():
            return False
        with locked(self._here / "lock"):
            self._mine.unlink(missing_ok=True)
            if self.holders():
                return False
            process, _ = self._state()
            ran = process.runs()
            process.stop()
            shutil.rmtree(self._server, ignore_errors=True)
            return ran

    def holders(self) -> list[str]:
        """Who uses it. Leases of processes that have died are taken away."""
        found = []
        for lease in sorted((self._here / "leases").glob("*")):
            pid, _, started = lease.name.partition(".")
            if lease.name == BY_HAND or Process(int(pid), int(started)).runs():
                found.append(lease.name.partition(".")[0])
            else:
                lease.unlink(missing_ok=True)
        return found

    def address(self) -> str:
        """`host:port` of the server, if it runs; else ""."""
        if given := _given(self.name):
            return given
        process, port = self._state()
        return self._address() if process.runs() and answers(port) else ""

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Send the server a signal; for tests of what happens then."""
        self._state()[0].send(number)

    def restart(self) -> str:
        """Stop it and start it again with its data, at the same address."""
        with locked(self._here / "lock"):
            process, port = self._state()
            process.stop()
            self._start(port)
            return self._address()

    def _start(self, port: int) -> None:
        if not port:
            shutil.rmtree(self._server, ignore_errors=True)
        process, port = start_server(self.name, self._server, port)
        state = {"pid": process.pid, "started": process.started, "port": port}
        self._path().write_text(json.dumps(state), encoding="ascii")

    def _path(self) -> Path:
        return self._here / "state.json"

    def _state(self) -> tuple[Process, int]:
        try:
            state = json.loads(self._path().read_text(encoding="ascii"))
        except FileNotFoundError:
            return Process(0, 0), 0
        return Process(state["pid"], state["started"]), state["port"]

    def _address(self) -> str:
        return f"127.0.0.1:{self._state()[1]}"
