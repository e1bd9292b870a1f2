"""Programs that are built from Go modules once, into the stack's folder: what no package of Debian or PyPI brings."""

import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

from stack.jars import locked, stack_folder

_HERE: Final = Path(__file__).parent
_COMPOSE: Final = "github.com/docker/compose/v2"
_COMPOSE_VERSION: Final = "v2.40.3"
_KUSTOMIZE: Final = "v5.8.0"


def missing() -> str:
    """What would have to be installed to build them; "" if nothing."""
    return "" if shutil.which("go") else "go (https://go.dev, 1.24 or newer)"


def api_server() -> Path:
    """kube-apiserver with its etcd; takes some minutes the first time."""
    return _built("apiserver", _HERE / "apiserver", ".")


def kubectl() -> Path:
    """The one of this machine, else the one that belongs to the API server."""
    if found := shutil.which("kubectl"):
        return Path(found)
    return _built("kubectl", _HERE / "apiserver", "k8s.io/kubernetes/cmd/kubectl")


def kustomize() -> Path:
    """What `kubectl kustomize` does, alone."""
    place = stack_folder() / "go" / _KUSTOMIZE
    with locked(place.with_suffix(".lock")):
        if not (place / "kustomize").exists():
            place.mkdir(parents=True, exist_ok=True)
            _go(place, "install", f"sigs.k8s.io/kustomize/kustomize/v5@{_KUSTOMIZE}", GOBIN=str(place))
    return place / "kustomize"


def docker_compose() -> Path:
    """The one of this machine, else built."""
    if found := shutil.which("docker-compose"):
        return Path(found)
    folder = stack_folder() / "go" / f"compose-{_COMPOSE_VERSION}"
    with locked(folder.with_suffix(".lock")):
        if not folder.exists():
            # Its own go.mod excludes versions, so `go install` refuses it; a module that needs it does not.
            half = folder.with_suffix(".half")
            shutil.rmtree(half, ignore_errors=True)
            half.mkdir(parents=True)
            (half / "go.mod").write_text("module compose\n\ngo 1.24.0\n", encoding="ascii")
            _go(half, "get", f"{_COMPOSE}@{_COMPOSE_VERSION}")
            _go(half, "get", f"{_COMPOSE}/cmd@{_COMPOSE_VERSION}")
            half.rename(folder)
    return _built("docker-compose", folder, f"{_COMPOSE}/cmd")


def module(name: str, version: str) -> Path:
    """The folder of a Go module, downloaded if need be; for what lies in it beside the code.

    :raises RuntimeError: it cannot be had
    """
    told: dict[str, str] = json.loads(
        _go(_HERE / "apiserver", "mod", "download", "-json", f"{name}@{version}")
    )
    return Path(told["Dir"])


def _built(name: str, folder: Path, package: str) -> Path:
    sums = (folder / "go.sum").read_bytes() + package.encode()
    sums += b"".join(path.read_bytes() for path in sorted(folder.glob("*.go")))
    built = stack_folder() / "go" / f"{name}-{hashlib.sha256(sums).hexdigest()[:12]}"
    with locked(built.with_suffix(".lock")):
        if not built.exists():
            half = built.with_suffix(".half")
            _go(folder, "build", "-o", str(half), package)
            half.rename(built)
    return built


def _go(folder: Path, *words: str, **environment: str) -> str:
    surroundings = {**os.environ, "GOWORK": "off", **environment}
    ran = subprocess.run(
        ["go", *words], cwd=folder, capture_output=True, text=True, check=False, env=surroundings
    )
    if ran.returncode:
        raise RuntimeError(f"go {' '.join(words)} failed:\n{ran.stderr.strip()[-2000:]}")
    return ran.stdout
