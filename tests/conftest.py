"""For every test: no environment of the user's, no network but the loopback interface."""

import socket
from typing import Any

import pytest

_LOOPBACK = ("127.", "::1", "localhost", "0.0.0.0")


@pytest.fixture(autouse=True)
def nothing_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Proxies and settings of whoever runs the tests do not reach them; sockets only reach this machine."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if isinstance(address, tuple) and not str(address[0]).startswith(_LOOPBACK):
            raise OSError(f"a test wanted to leave this machine for {address[0]}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)
