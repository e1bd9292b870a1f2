"""For every test: no environment of the user's, no network but the loopback interface."""

import os
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


_skipped: list[str] = []
_MAY_BE_SKIPPED = "the recorded replies (../shared/data) are not here"


_PASSED = (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Remember what was skipped, and why."""
    if report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if _MAY_BE_SKIPPED not in reason:
            _skipped.append(f"{report.nodeid}: {reason}")


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """A module that is skipped as a whole is heard of here only."""
    if report.skipped:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if _MAY_BE_SKIPPED not in reason:
            _skipped.append(f"{report.nodeid}: {reason}")


def _in_ci() -> bool:
    return os.environ.get("CI", "").lower() in ("1", "true", "yes")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """In CI nothing is skipped, but for tests of the recorded replies where these are missing."""
    in_charge = not hasattr(session.config, "workerinput")
    if in_charge and _skipped and _in_ci() and session.exitstatus in _PASSED:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Name what was skipped where that is a failure."""
    if _skipped and _in_ci():
        terminalreporter.section("skipped, which CI does not allow")
        for line in _skipped:
            terminalreporter.write_line(line)
