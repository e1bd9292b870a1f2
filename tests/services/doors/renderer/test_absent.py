"""Without a browser, or nothing to speak with it (F-JS-06)."""

import logging
import sys
from pathlib import Path

import pytest

from pubweave.doors.renderer import Renderer, RendererSettings
from pubweave.doors.renderer.settings import hard_stop_s
from services.doors.fetcher.loopback import reply_bytes
from services.doors.renderer.conftest import Render, Site

pytestmark = [pytest.mark.network, pytest.mark.asyncio(loop_scope="module")]


async def test_without_a_browser_the_outcome_says_what_to_install(
    site: Site, render: Render, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One clear line in the log, once; the page is not asked for in vain."""
    monkeypatch.setenv("PATH", "/nowhere")
    async with Renderer() as bare:
        replies = [await render(site.page("/a", "x"), by=bare) for _ in range(3)]

    assert {reply.outcome for reply in replies} == {"no-door"}
    assert "install Chromium" in replies[0].evidence
    assert not replies[0].fetch_exception
    assert [record.levelno for record in caplog.records if record.name.endswith("renderer.door")] == [
        logging.WARNING
    ]
    assert site.asked == []


async def test_a_browser_that_is_named_but_not_there_is_told(site: Site, render: Render) -> None:
    """The setting is named by its value."""
    async with Renderer(RendererSettings(executable=Path("/nowhere/browser"))) as bare:
        reply = await render(site.page("/a", "x"), by=bare)

    assert (reply.outcome, reply.evidence) == ("no-door", "/nowhere/browser is no program that can be run")


async def test_without_pyppeteer_the_outcome_says_so(
    site: Site, render: Render, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is an extra of its own."""
    monkeypatch.setitem(sys.modules, "pyppeteer.connection", None)
    async with Renderer(RendererSettings(executable=Path(sys.executable))) as bare:
        reply = await render(site.page("/a", "x"), by=bare)

    assert reply.outcome == "no-door"
    assert "pubweave[renderer]" in reply.evidence


async def test_a_program_that_is_no_browser_is_a_failure(
    site: Site, render: Render, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """With its last words; every page tries anew."""
    program = tmp_path / "browser"
    program.write_text("#!/bin/sh\necho no display here >&2\nexit 3\n")
    program.chmod(0o755)
    pytest.importorskip("pyppeteer")
    async with Renderer(RendererSettings(executable=program)) as bare:
        reply = await render(site.page("/a", "x"), by=bare)

    assert (reply.outcome, reply.fetch_exception) == ("failed", True)
    assert "no display here" in reply.evidence


async def test_what_does_not_come_needs_no_browser(site: Site, render: Render) -> None:
    """A page that is not there starts none."""
    site.say("/gone", reply_bytes(b"", "410 Gone"))
    async with Renderer(RendererSettings(executable=Path(sys.executable))) as lazy:
        reply = await render(site.url + "/gone", by=lazy)

    assert (reply.outcome, lazy.started) == ("gone", 0)


async def test_the_hard_stop_is_that_of_the_specification() -> None:
    """F-CFG-23: the smaller of four timeouts and a second, and two minutes."""
    assert [hard_stop_s(timeout_ms) for timeout_ms in (500, 15_000, 30_000, 0)] == [3.0, 61.0, 120.0, 120.0]
