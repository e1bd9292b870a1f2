"""docker-compose.yml brought up for real: the true docker-compose, talking to podman instead of a Docker engine."""

import os
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from stack.containers import ROOT, STANDINS, Podman
from stack.processes import start
from stack.programs import docker_compose

_FILES: Final = (ROOT / "docker-compose.yml", STANDINS / "compose.internet.yml")
_PROJECT: Final = "pubweave-test"
_LABEL: Final = f"com.docker.compose.project={_PROJECT}"
_READY_S: Final = 30.0
_HEALTH_STEP_S: Final = 3.0


class Composed:
    """The composed system with the simulated internet. Made by `composed`."""

    def __init__(self, podman: Podman, socket: Path) -> None:
        self.podman = podman
        self._environment = {
            **os.environ,
            "DOCKER_HOST": f"unix://{socket}",
            # Nothing of whoever runs the tests.
            **dict.fromkeys(("PUBWEAVE_EMAIL", "PUBWEAVE_NCBI_API_KEY", "PUBWEAVE_VERSION"), ""),
        }

    def __call__(self, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run `docker-compose …`.

        :raises RuntimeError: it failed, and that was not expected
        """
        files = [word for file in _FILES for word in ("--file", str(file))]
        ran = subprocess.run(
            [str(docker_compose()), "--project-name", _PROJECT, *files, *words],
            cwd=ROOT,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if check and ran.returncode:
            raise RuntimeError(
                f"docker-compose {' '.join(words)} failed:\n{(ran.stdout + ran.stderr)[-4000:]}"
            )
        return ran

    def cli(self, *words: str) -> str:
        """What `docker compose run --rm cli …` prints. What it says is read afterwards, not while it runs: a busy
        engine may begin to pass it on too late.

        :raises RuntimeError: it failed
        """
        container = self("run", "--detach", "-T", "cli", *words).stdout.strip()
        status = self.podman("wait", container).stdout.strip()
        said = self.podman("logs", container)
        self.podman("rm", container)
        if status != "0":
            raise RuntimeError(f"cli {' '.join(words)} ended with {status}:\n{said.stderr[-4000:]}")
        return said.stdout

    def inside(self, service: str, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run something in the container of a service."""
        return self.podman("exec", self.container(service), *words, check=check)

    def container(self, service: str) -> str:
        """Its id; also that of one that has ended."""
        label = f"com.docker.compose.service={service}"
        return self.podman(
            "ps", "-aq", "--filter", f"label={_LABEL}", "--filter", f"label={label}"
        ).stdout.strip()

    def said(self, service: str) -> str:
        ran = self.podman("logs", self.container(service))
        return ran.stdout + ran.stderr

    def health(self, service: str) -> str:
        """`healthy`, `starting` or `unhealthy`."""
        return self.podman(
            "inspect", "--format", "{{.State.Health.Status}}", self.container(service)
        ).stdout.strip()

    def running(self) -> Sequence[str]:
        return self.podman("ps", "-q", "--filter", f"label={_LABEL}").stdout.split()


@contextmanager
def composed(podman: Podman) -> Iterator[Composed]:
    """Everything up and healthy while inside; nothing of it left afterwards.

    :raises RuntimeError: it does not come up; the text ends with what was said
    """
    socket = podman.folder / "docker.sock"
    socket.unlink(missing_ok=True)
    os.environ["CONTAINERS_CONF"] = podman.environment["CONTAINERS_CONF"]
    engine = start(
        ["/usr/bin/podman", *podman.command[1:], "system", "service", "--time=0", f"unix://{socket}"],
        podman.folder / "engine.log",
    )
    system = Composed(podman, socket)
    ended = threading.Event()
    watcher = threading.Thread(target=_watch, args=(system, ended), daemon=True)
    try:
        until = time.monotonic() + _READY_S
        while not socket.exists():
            if not engine.runs() or time.monotonic() > until:
                raise RuntimeError("podman does not serve; see engine.log in the stack's folder")
            time.sleep(0.1)
        system("--profile", "cli", "down", "--volumes", "--remove-orphans")
        watcher.start()
        system("up", "--detach", "--no-build")
        yield system
    finally:
        ended.set()
        if watcher.is_alive():
            watcher.join()
        for container in podman("ps", "-aq", "--filter", f"label={_LABEL}").stdout.split():
            podman("rm", "--force", "--time", "5", container, check=False)
        try:
            system("--profile", "cli", "down", "--volumes", "--remove-orphans", check=False)
        finally:
            engine.stop()


def _watch(system: Composed, ended: threading.Event) -> None:
    """Run the health checks, as systemd's timers do where there is a systemd."""
    while not ended.wait(_HEALTH_STEP_S):
        for container in system.running():
            if ended.is_set():
                return
            system.podman("healthcheck", "run", container, check=False)
