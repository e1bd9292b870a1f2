"""podman with storage of its own, and the images that docker-compose.yml names: ours built from the Dockerfile, the
others' stand-ins from Debian and the jars of the stack, so that no image registry is needed.

Needs root, podman and debootstrap (Debian: podman runc netavark aardvark-dns iptables fuse-overlayfs catatonit
debootstrap). Images stay in the stack's folder; only what has changed is built again.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from stack.jars import jars, locked, stack_folder
from stack.servers import JAVA_DOORS

ROOT: Final = Path(__file__).resolve().parents[2]
STANDINS: Final = Path(__file__).parent / "standins"
OURS: Final = {"base": "pubweave:dev", "pdf": "pubweave-pdf:dev", "renderer": "pubweave-renderer:dev"}

_PYTHON: Final = "standin/python:3.11"
_PYTHON_NAMES: Final = ("docker.io/library/python:3.11-slim-bookworm",)
_JAVA: Final = "standin/java:17"
_SERVERS: Final = {"kafka": "docker.io/apache/kafka:4.1.1", "cassandra": "docker.io/library/cassandra:5.0"}
_INTERNET: Final = "pubweave-internet:dev"
_NEEDED: Final = ("podman", "debootstrap", "runc", "tar")

_CONFIGURATION: Final = """\
[containers]
default_ulimits = ["nofile=20000:20000", "nproc=4096:4096"]
[engine]
runtime = "runc"
"""


def missing() -> str:
    """What would have to be there to run containers here; "" if nothing."""
    if os.geteuid():
        return "root"
    return " and ".join(program for program in _NEEDED if shutil.which(program) is None)


class Podman:
    """podman, with everything that it keeps under one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        settings = folder / "containers.conf"
        settings.write_text(_CONFIGURATION, encoding="ascii")
        self.environment = {**os.environ, "CONTAINERS_CONF": str(settings)}
        self.command: Final = [
            "podman",
            *("--root", str(folder / "root")),
            *("--runroot", str(folder / "run")),
            *("--network-config-dir", str(folder / "networks")),
        ]

    def __call__(self, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run one command.

        :raises RuntimeError: it failed, and that was not expected
        """
        ran = subprocess.run(
            [*self.command, *words],
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if check and ran.returncode:
            raise RuntimeError(f"podman {' '.join(words)} failed:\n{(ran.stdout + ran.stderr)[-4000:]}")
        return ran

    def has(self, image: str) -> bool:
        return self("image", "exists", image, check=False).returncode == 0


def podman() -> Podman:
    return Podman(stack_folder() / "podman")


def build_everything(podman: Podman) -> None:
    """All images of docker-compose.yml, and the simulated internet's.

    :raises RuntimeError: one cannot be built; the text ends with what was said
    """
    with locked(podman.folder / "images.lock"):
        _python(podman)
        _build(podman, STANDINS, _JAVA, "-f", str(STANDINS / "java.Dockerfile"))
        for server, name in _SERVERS.items():
            with _context(STANDINS / server) as folder:
                shutil.copytree(jars(server), folder / "jars")
                (folder / "jars" / "java.options").write_text(" ".join(JAVA_DOORS), encoding="ascii")
                _build(podman, folder, name)
        with _context(STANDINS / "internet") as folder:
            shutil.copy(ROOT / "requirements.lock", folder)
            shutil.copytree(ROOT / "tests" / "simnet", folder / "simnet")
            _build(podman, folder, _INTERNET, pip=True)
        for target, name in OURS.items():
            _build(podman, ROOT, name, "--target", target, pip=True)
        # Layers of last week's code; those of today are worth keeping.
        podman("image", "prune", "--force", "--filter", "until=24h")


def _python(podman: Podman) -> None:
    """Debian 12 with its Python 3.11, under the name of the image that the Dockerfile asks for."""
    if not podman.has(_PYTHON):
        with tempfile.TemporaryDirectory(dir=podman.folder) as folder:
            words = [
                "--variant=minbase",
                "--include=python3,python3-venv,ca-certificates",
                "bookworm",
                folder,
            ]
            made = subprocess.run(["debootstrap", *words], capture_output=True, text=True, check=False)
            if made.returncode:
                raise RuntimeError(f"debootstrap failed:\n{made.stdout[-3000:]}")
            (Path(folder) / "usr/bin/python").symlink_to("python3")
            with subprocess.Popen(["tar", "-C", folder, "-c", "."], stdout=subprocess.PIPE) as packed:
                subprocess.run(
                    [*podman.command, "import", "-", _PYTHON],
                    stdin=packed.stdout,
                    env=podman.environment,
                    check=True,
                    capture_output=True,
                )
    for name in _PYTHON_NAMES:
        podman("tag", _PYTHON, name)


def _build(podman: Podman, context: Path, name: str, *words: str, pip: bool = False) -> None:
    # Format: that of OCI has no health checks. Layers: what did not change is not built again.
    shared = ("--format", "docker", "--layers", "--network", "host")
    podman("build", *shared, *(_pip_as_here() if pip else ()), "--tag", name, *words, str(context))


def _pip_as_here() -> Sequence[str]:
    """What pip is told on this machine, and whom it trusts, it is told in the containers, too."""
    files = [path for path in ("/etc/pip.conf", "/etc/ssl/certs") if Path(path).exists()]
    return [word for path in files for word in ("--volume", f"{path}:{path}:ro")]


@contextmanager
def _context(template: Path) -> Iterator[Path]:
    """A copy of a folder, to put more into."""
    with tempfile.TemporaryDirectory() as folder:
        copied = Path(folder) / "context"
        shutil.copytree(template, copied)
        yield copied
