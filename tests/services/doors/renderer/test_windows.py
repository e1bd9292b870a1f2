"""Which pages share a window: those of one host, one after the other."""

import asyncio
from typing import Any

import pytest

from pubweave.doors.renderer.session import DevtoolsSession
from pubweave.doors.renderer.windows import KEPT, MOST_ORIGINS, Windows, same_host

pytestmark = pytest.mark.asyncio(loop_scope="module")


class Spoken:
    """What pyppeteer is to a `DevtoolsSession`: notes what is said, and says yes to all but what a test refuses."""

    def __init__(self) -> None:
        self.said: list[tuple[str, dict[str, Any]]] = []
        self.refused = ""
        self._sessionId = "1"

    def send(self, method: str, params: dict[str, Any]) -> "asyncio.Future[dict[str, Any]]":
        self.said.append((method, params))
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        if method == self.refused:
            future.set_exception(RuntimeError("no"))
        else:
            number = str(len(self.said))
            future.set_result({"browserContextId": f"context {number}", "targetId": f"page {number}"})
        return future

    async def attached(self, _: str) -> DevtoolsSession:
        return DevtoolsSession(self)

    def count(self, method: str) -> int:
        return sum(one == method for one, _ in self.said)


async def shown(windows: Windows, spoken: Spoken, *urls: str) -> str:
    """Show a page with its frames; gives the window that it was in."""
    window, session = await windows.take(urls[0])
    await windows.give_back(window, session, urls)
    return window.context


async def test_pages_of_one_host_share_a_window_and_others_do_not() -> None:
    spoken = Spoken()
    windows = Windows(DevtoolsSession(spoken), spoken.attached)
    mine = [await shown(windows, spoken, f"https://a.example/{number}") for number in range(3)]
    theirs = await shown(windows, spoken, "https://b.example/1")

    assert len(set(mine)) == 1
    assert theirs not in mine
    assert spoken.count("Target.createTarget") == 2


async def test_what_was_stored_is_forgotten_of_all_that_was_shown() -> None:
    spoken = Spoken()
    windows = Windows(DevtoolsSession(spoken), spoken.attached)
    await shown(windows, spoken, "https://a.example/1", "http://a.example/2", "https://frame.example/3")

    assert [params["origin"] for method, params in spoken.said if method == "Storage.clearDataForOrigin"] == [
        "https://a.example",
        "http://a.example",
        "https://frame.example",
    ]


@pytest.mark.parametrize(
    "refused",
    ["Page.resetNavigationHistory", "Runtime.evaluate", "Storage.clearDataForOrigin", "Storage.clearCookies"],
)
async def test_a_window_that_cannot_be_cleaned_is_closed(refused: str) -> None:
    spoken = Spoken()
    windows = Windows(DevtoolsSession(spoken), spoken.attached)
    spoken.refused = refused
    first = await shown(windows, spoken, "https://a.example/1")
    second = await shown(windows, spoken, "https://a.example/2")

    assert second != first
    assert ("Target.disposeBrowserContext", {"browserContextId": first}) in spoken.said


async def test_a_page_of_many_origins_has_its_window_closed() -> None:
    spoken = Spoken()
    windows = Windows(DevtoolsSession(spoken), spoken.attached)
    first = await shown(
        windows, spoken, *(f"https://{number}.example/" for number in range(MOST_ORIGINS + 1))
    )

    assert ("Target.disposeBrowserContext", {"browserContextId": first}) in spoken.said


async def test_no_more_windows_wait_than_are_allowed() -> None:
    spoken = Spoken()
    windows = Windows(DevtoolsSession(spoken), spoken.attached)
    used = [await shown(windows, spoken, f"https://{number}.example/") for number in range(KEPT + 1)]

    closed = [
        params["browserContextId"]
        for method, params in spoken.said
        if method == "Target.disposeBrowserContext"
    ]
    assert closed == used[:1]


async def test_scripts_that_lead_to_another_host_have_left_it() -> None:
    assert same_host(["https://a.example/1", "http://A.example/2"])
    assert not same_host(["https://a.example/1", "https://b.example/1"])
