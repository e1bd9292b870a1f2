"""A real Kubernetes API server for as long as a test runs. It checks and keeps objects; nothing runs them."""

import os
import secrets
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import yaml

from stack.processes import answers, free_ports, start
from stack.programs import api_server, kubectl

_READY_S: Final = 90.0
_POLL_S: Final = 0.2


class Cluster(NamedTuple):
    """Where it is."""

    config: Path
    """A kubeconfig of an administrator."""

    def kubectl(self, *words: str, given: str = "", check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run kubectl.

        :raises RuntimeError: it says no, and that was not expected
        """
        ran = subprocess.run(
            [str(kubectl()), "--kubeconfig", str(self.config), *words],
            input=given,
            capture_output=True,
            text=True,
            check=False,
        )
        if check and ran.returncode:
            raise RuntimeError(f"kubectl {' '.join(words)} failed:\n{ran.stderr.strip()[-4000:]}")
        return ran


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    """Start it with its data in `folder`; end it.

    :raises RuntimeError: it does not get ready; the text ends with what it said
    """
    program = api_server()
    port, client, peer = free_ports(3)
    token = secrets.token_hex(16)
    (folder / "tokens.csv").write_text(f"{token},admin,admin,system:masters\n", encoding="ascii")
    key = folder / "accounts.key"
    subprocess.run(["openssl", "genrsa", "-out", str(key), "2048"], check=True, capture_output=True)
    config = folder / "kubeconfig"
    config.write_text(yaml.safe_dump(_kubeconfig(port, token)), encoding="utf-8")
    words = {
        "etcd-servers": f"http://127.0.0.1:{client}",
        "secure-port": port,
        "bind-address": "127.0.0.1",
        "advertise-address": "127.0.0.1",
        "cert-dir": folder / "certificates",
        "token-auth-file": folder / "tokens.csv",
        "authorization-mode": "RBAC",
        "service-account-issuer": "https://kubernetes.default.svc",
        "service-account-key-file": key,
        "service-account-signing-key-file": key,
        "service-cluster-ip-range": "10.0.0.0/24",
        # Nobody is there who would make a namespace's default account.
        "disable-admission-plugins": "ServiceAccount",
    }
    environment = {
        "ETCD_DATA": str(folder / "etcd"),
        "ETCD_CLIENT": f"http://127.0.0.1:{client}",
        "ETCD_PEER": f"http://127.0.0.1:{peer}",
    }
    with _environment(environment):
        process = start(
            [str(program), *(f"--{name}={value}" for name, value in words.items())], folder / "server.log"
        )
    try:
        found = Cluster(config)
        until = time.monotonic() + _READY_S
        while not answers(port) or found.kubectl("get", "--raw", "/readyz", check=False).returncode:
            if not process.runs() or time.monotonic() > until:
                said = (folder / "server.log").read_text(encoding="utf-8", errors="replace")
                raise RuntimeError(f"the API server did not get ready:\n{said[-2000:]}")
            time.sleep(_POLL_S)
        yield found
    finally:
        process.stop()


def _kubeconfig(port: int, token: str) -> dict[str, Any]:
    place = {"server": f"https://127.0.0.1:{port}", "insecure-skip-tls-verify": True}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "here", "cluster": place}],
        "users": [{"name": "admin", "user": {"token": token}}],
        "contexts": [{"name": "here", "context": {"cluster": "here", "user": "admin"}}],
        "current-context": "here",
    }


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
