"""What the health check of a container asks."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from pubweave.deploy.healthy import problem
from stack.processes import free_ports

pytestmark = pytest.mark.network


@contextmanager
def answering(status: int, words: str) -> Iterator[str]:
    """A service that says how it is; its address."""

    class Service(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path == "/healthz" else 404)
            self.end_headers()
            self.wfile.write(words.encode())

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Service) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"0.0.0.0:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def test_who_is_alive_has_no_problem() -> None:
    with answering(200, "alive") as address:
        assert problem(address) == ""


def test_who_stands_still_says_why() -> None:
    with answering(503, "merger: 3 messages wait") as address:
        assert problem(address) == "merger: 3 messages wait"


def test_a_proxy_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fetcher's environment has one, and it would answer for itself."""
    (nobody,) = free_ports(1)
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{nobody}")
    with answering(200, "alive") as address:
        assert problem(address) == ""


@pytest.mark.parametrize("address", ["", "no address"])
def test_without_an_address_nobody_is_alive(address: str) -> None:
    assert problem(address).startswith("nobody answers")


def test_who_does_not_listen_is_not_alive() -> None:
    (port,) = free_ports(1)

    assert problem(f"127.0.0.1:{port}").startswith("nobody answers")
