"""Start the simulated internet from a test: in a thread of this process, or as a process of its own."""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import threading
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simnet.faults import Fault
from simnet.log import Log
from simnet.server import Settings, Simnet, new_loop
from simnet.universe import Universe

START_TIMEOUT_S = 30.0


@dataclass
class Running:
    """A simulated internet that runs in a thread of this process.

    `environment` is what a client process (or `os.environ`) needs; `log` may be read at any time.
    """

    net: Simnet
    loop: asyncio.AbstractEventLoop
    ca_file: Path

    @property
    def universe(self) -> Universe:
        return self.net.universe

    @property
    def log(self) -> Log:
        return self.net.log

    @property
    def proxy_url(self) -> str:
        return self.net.proxy_url

    @property
    def control_url(self) -> str:
        return self.net.control_url

    @property
    def environment(self) -> dict[str, str]:
        return environment(self.proxy_url, self.ca_file)

    def set_faults(self, *faults: Fault) -> None:
        """Other faults from now on."""
        self.loop.call_soon_threadsafe(self.net.faults.replace, list(faults))

    def reset(self) -> None:
        """Forget the log."""
        done = threading.Event()

        def forget() -> None:
            self.net.log.reset()
            done.set()

        self.loop.call_soon_threadsafe(forget)
        done.wait(START_TIMEOUT_S)


@dataclass
class Process:
    """A simulated internet that runs in a process of its own; everything is asked over its control port."""

    pid: int
    proxy_url: str
    control_url: str
    ca_file: Path
    ids_file: Path

    @property
    def environment(self) -> dict[str, str]:
        return environment(self.proxy_url, self.ca_file)

    def summary(self) -> dict[str, Any]:
        """`Log.summary` of that process."""
        found = self._ask("/summary")
        assert isinstance(found, dict)
        return found

    @property
    def log(self) -> Log:
        """The entries so far (a copy)."""
        found = self._ask("/log")
        assert isinstance(found, list)
        return Log.from_json(found)

    def reset(self) -> None:
        self._ask("/reset", {})

    def set_faults(self, *faults: Fault) -> None:
        self._ask("/faults", [fault.as_json() for fault in faults])

    def _ask(self, path: str, order: object = None) -> Any:
        body = None if order is None else json.dumps(order).encode()
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(urllib.request.Request(self.control_url + path, data=body), timeout=60) as reply:
            return json.loads(reply.read())


def environment(proxy_url: str, ca_file: Path) -> dict[str, str]:
    """The variables that lead a client to the simulated internet."""
    proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), proxy_url)
    return {
        **proxies,
        "SSL_CERT_FILE": str(ca_file),
        "NO_PROXY": "127.0.0.1,localhost",
        "no_proxy": "127.0.0.1,localhost",
    }


@contextmanager
def running(
    universe: Universe | None = None,
    *,
    faults: Sequence[Fault] = (),
    faults_seed: int = 0,
    latency_s: float = 0.0,
    latency_of: dict[str, float] | None = None,
    jitter: float = 0.0,
    jitter_seed: int = 0,
    compress: bool = False,
) -> Iterator[Running]:
    """A simulated internet in a thread of this process while the block lasts."""
    settings = Settings(
        latency_s=latency_s,
        latency_of=latency_of or {},
        jitter=jitter,
        jitter_seed=jitter_seed,
        faults=list(faults),
        faults_seed=faults_seed,
        compress=compress,
    )
    net = Simnet(universe or Universe(), settings)
    loop = new_loop()
    started = threading.Event()
    failure: list[BaseException] = []

    def run() -> None:
        asyncio.set_event_loop(loop)
        try:
            loop.run_until_complete(net.start())
        except OSError as error:
            failure.append(error)
            started.set()
            return
        started.set()
        loop.run_forever()
        loop.run_until_complete(net.stop())
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()

    thread = threading.Thread(target=run, name="simnet", daemon=True)
    thread.start()
    if not started.wait(START_TIMEOUT_S) or failure:
        raise RuntimeError(f"the simulated internet did not start: {failure}")
    with tempfile.TemporaryDirectory(prefix="simnet-") as folder:
        ca_file = Path(folder) / "ca.pem"
        ca_file.write_bytes(net.authority.pem)
        try:
            yield Running(net, loop, ca_file)
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join(START_TIMEOUT_S)


@contextmanager
def process(*arguments: str) -> Iterator[Process]:
    """A simulated internet as a process of its own while the block lasts; arguments as for `python -m simnet`.

    :raises RuntimeError: it did not start
    """
    with tempfile.TemporaryDirectory(prefix="simnet-") as folder:
        ready = Path(folder) / "ready.json"
        tests = str(Path(__file__).resolve().parents[1])
        path = os.pathsep.join(filter(None, [tests, os.environ.get("PYTHONPATH", "")]))
        child = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "simnet",
                "--ready-file",
                str(ready),
                "--parent",
                str(os.getpid()),
                *arguments,
            ],
            env={**os.environ, "PYTHONPATH": path},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert child.stdout is not None
        try:
            for line in child.stdout:
                if line.startswith("ready"):
                    break
            if not ready.exists():
                raise RuntimeError(f"the simulated internet did not start (exit status {child.poll()})")
            told = json.loads(ready.read_text())
            yield Process(child.pid, told["proxy"], told["control"], Path(told["ca"]), Path(told["ids_file"]))
        finally:
            child.terminate()
            child.wait(START_TIMEOUT_S)
            child.stdout.close()
