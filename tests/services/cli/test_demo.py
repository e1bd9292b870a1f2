"""`make run` works for everybody."""

import http.server
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pubweave.cli.demo import can_ask, reachable

pytestmark = pytest.mark.network


@pytest.fixture
def portal() -> Iterator[str]:
    """A server that answers everything: JSON below /api, a login page elsewhere."""

    class Portal(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = b'{"version": "6.9"}' if self.path.startswith("/api/") else b"<html>Please log in</html>"
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Portal)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_only_an_answer_of_its_own_counts_as_reachable(portal: str) -> None:
    """A portal that says 200 to everything is not the source."""
    assert reachable(f"{portal}/api/x")
    assert not reachable(f"{portal}/login")
    assert not reachable("http://127.0.0.1:9/")
    assert can_ask([f"{portal}/api", f"{portal}/api"])
    assert not can_ask([f"{portal}/api", portal])


def test_without_sources_the_same_job_runs_in_the_simulated_internet() -> None:
    """One line says so; records on the screen; where they are stored; what to type next."""
    nowhere = {
        "PUBWEAVE_ADDRESS_EUROPEPMC": "http://127.0.0.1:9",
        "PUBWEAVE_ADDRESS_EUTILS": "http://127.0.0.1:9",
    }
    ran = subprocess.run(
        [sys.executable, "-m", "pubweave.cli.demo"],
        env={**os.environ, **nowhere},
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.returncode == 0, ran.stderr
    first, *rest = ran.stderr.splitlines()
    assert "cannot be reached from here" in first
    assert any(line.startswith("8 identifiers in ") for line in rest)
    assert any("Stored in out/simulated.db (8 publications)" in line for line in rest)
    assert "make run IDS=my.txt" in ran.stderr
    assert ran.stdout.count("PMID ") >= 3
    assert Path("out/simulated.db").is_file()
