"""The certificate authority of the simulated internet: made anew for each run, leaves on demand."""

import importlib.util
import shutil
import ssl
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trustme import CA


class Authority:
    """A CA whose certificate clients are told to trust (SSL_CERT_FILE), and a server context for each host.

    Uses trustme; where that is not installed (or with `openssl`), the command openssl and one leaf for all hosts.

    :raises RuntimeError: neither is there
    """

    def __init__(self, hosts: list[str], *, openssl: bool = False) -> None:
        self._contexts: dict[str, ssl.SSLContext] = {}
        self._authority = None if openssl else _trustme()
        if self._authority is None:
            self.pem, self._shared = _with_openssl(hosts)
        else:
            self.pem = self._authority.cert_pem.bytes()

    def context(self, host: str) -> ssl.SSLContext:
        """What a server of this host shows; made at the first ask, then kept."""
        context = self._contexts.get(host)
        if context is None:
            if self._authority is None:
                context = self._shared
            else:
                context = _server_context()
                self._authority.issue_cert(host).configure_cert(context)
            self._contexts[host] = context
        return context


def _trustme() -> "CA | None":
    """An authority of trustme, if that is installed."""
    if importlib.util.find_spec("trustme") is None:
        return None
    from trustme import CA

    return CA()


def _server_context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_alpn_protocols(["http/1.1"])
    return context


def _with_openssl(hosts: list[str]) -> tuple[bytes, ssl.SSLContext]:
    command = shutil.which("openssl")
    if command is None:
        raise RuntimeError("the simulated internet needs the Python package trustme or the command openssl")
    names = ",".join(f"DNS:{host}" for host in hosts)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)

        def openssl(*arguments: str) -> None:
            subprocess.run([command, *arguments], cwd=place, check=True, capture_output=True)

        key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
        openssl(
            "req",
            "-x509",
            *key,
            "-keyout",
            "ca.key",
            "-out",
            "ca.pem",
            "-days",
            "30",
            "-subj",
            "/CN=simnet CA",
        )
        openssl("req", *key, "-keyout", "leaf.key", "-out", "leaf.csr", "-subj", "/CN=simnet")
        (place / "names").write_text(f"subjectAltName={names}\n")
        openssl(
            "x509", "-req", "-in", "leaf.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
            "-days", "30", "-extfile", "names", "-out", "leaf.pem",
        )  # fmt: skip
        context = _server_context()
        context.load_cert_chain(place / "leaf.pem", place / "leaf.key")
        return (place / "ca.pem").read_bytes(), context
