"""`pubweave work` is told to end: politely once, at once the second time, whichever event loop it runs in."""

import signal
import subprocess
import sys

import pytest

from pubweave.runtimes.bus.loop import loop_factory

PROGRAM = """
import asyncio
from pubweave.cli.commands.work.command import _until_told
from pubweave.runtimes.bus.loop import loop_factory

class Bus:
    async def wait(self):
        print("running", flush=True)
        await asyncio.Event().wait()

async def main():
    await _until_told(Bus())
    print("told", flush=True)
    {after}

with asyncio.Runner(loop_factory={factory}) as runner:
    runner.run(main())
print("ended in order", flush=True)
"""


def running(factory: str, after: str) -> "subprocess.Popen[str]":
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(after=after, factory=factory)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "running\n"
    return process


@pytest.mark.parametrize("factory", ["loop_factory()", "None"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_ends_it_in_order(factory: str, number: signal.Signals) -> None:
    with running(factory, "pass") as process:
        process.send_signal(number)
        told, _ = process.communicate(timeout=30)

    assert told.splitlines() == ["told", "ended in order"]
    assert process.returncode == 0


@pytest.mark.parametrize("factory", ["loop_factory()", "None"])
@pytest.mark.parametrize("after", ["await asyncio.Event().wait()", "while True: pass"])
@pytest.mark.parametrize(
    ("first", "second"), [(signal.SIGTERM, signal.SIGTERM), (signal.SIGINT, signal.SIGTERM)]
)
def test_the_second_ends_it_at_once(
    factory: str, after: str, first: signal.Signals, second: signal.Signals
) -> None:
    """Also where nothing lets the event loop go on."""
    with running(factory, after) as process:
        assert process.stdout is not None
        process.send_signal(first)
        assert process.stdout.readline() == "told\n"
        process.send_signal(second)
        rest, _ = process.communicate(timeout=30)

    assert rest == ""
    assert process.returncode == 128 + second


def test_the_loop_is_in_c_where_there_is_one() -> None:
    uvloop = pytest.importorskip("uvloop")

    assert loop_factory() is uvloop.new_event_loop


def test_without_uvloop_it_is_that_of_asyncio(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvloop", None)

    assert loop_factory() is None
