"""A small web site on loopback that says what a test tells it, and remembers what it was asked."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

LOOPBACK = ("127.0.0.0/8", "::1/128")


class Said(NamedTuple):
    """One answer."""

    body: bytes = b""
    status: int = 200
    content_type: str = "text/html; charset=utf-8"
    headers: tuple[tuple[str, str], ...] = ()


class Got(NamedTuple):
    """One request as the site saw it."""

    method: str
    path: str
    body: bytes


Answer = Said | list[Said] | Callable[[Got], Said]
"""Always the same; one after the other, the last again and again; or what a function says."""


class Site:
    """`pages` by path; what is not there is 404. `robots.txt` allows everything unless a test says otherwise."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.pages: dict[str, Answer] = {}
        self.got: list[Got] = []

    def asked(self, path: str) -> int:
        """How often."""
        return sum(one.path == path for one in self.got)

    def answer(self, got: Got) -> Said:
        self.got.append(got)
        said = self.pages.get(got.path, Said(b"<title>Not here</title>", 404))
        if isinstance(said, list):
            return said.pop(0) if len(said) > 1 else said[0]
        return said if isinstance(said, Said) else said(got)


@contextmanager
def running_site() -> Iterator[Site]:
    """The site while it is up; its port is free by choice of the system."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _speak(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            said = site.answer(Got(self.command, self.path, self.rfile.read(length)))
            self.send_response(said.status)
            for name, value in (("Content-Type", said.content_type), *said.headers):
                if value:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(said.body)))
            self.end_headers()
            self.wfile.write(said.body)

        do_GET = do_POST = _speak

        def log_message(self, format: str, *args: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            pass  # a client that has gone

    server = Server(("127.0.0.1", 0), Handler)
    site = Site(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def html(title: str = "Tool", text: str = "", more: str = "") -> Said:
    """A page long enough not to want a browser, unless `text` is given."""
    text = text or " ".join(f"Sentence {number} about aligning sequences." for number in range(12))
    page = f"<html><head><title>{title}</title></head><body><main><p>{text}</p></main>{more}</body></html>"
    return Said(page.encode())
