"""`kill -9` at any moment: the system is started again, goes on, and the records are the same."""

import json
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from simnet.fixture import Running, running
from simnet.universe import Universe

pytestmark = [pytest.mark.network, pytest.mark.timeout(600)]

SIZE, SEED, KILLS = 500, 7, 20


def start(net: Running, database: Path, kill_at: int = 0) -> tuple[int, dict[str, Any]]:
    """Run the victim to its end or its death; its exit status and the last thing it said."""
    tests = str(Path(__file__).resolve().parents[1])
    told = subprocess.run(
        [
            sys.executable,
            "-W",
            "ignore",
            "-m",
            "flow.victim",
            str(database),
            str(SIZE),
            str(SEED),
            str(kill_at),
        ],
        env={**os.environ, **net.environment, "PYTHONPATH": tests},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    said = [line for line in told.stdout.splitlines() if line.startswith("{")]
    assert said, told.stderr[-2000:]
    return told.returncode, json.loads(said[-1])


def asked(net: Running) -> Counter[tuple[str, str]]:
    """How often the server was asked for each (resource, identifier)."""
    return Counter((entry.resource, one) for entry in net.log.requests() for one in entry.ids)


def differences(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """The members that differ, with both values."""
    return {
        name: (before.get(name), after.get(name))
        for name in {**before, **after}
        if before.get(name) != after.get(name)
    }


def test_killed_twenty_times_the_table_is_the_same(tmp_path: Path) -> None:
    """Twenty kills drawn by event count over all phases of a run of 500: the final table is identical, and
    no more is asked again than was on its way when the process died (issue 4, laws)."""
    universe = Universe(seed=SEED, size=SIZE)
    with running(universe, latency_s=0.01) as net:
        code, calm = start(net, tmp_path / "calm.db")
        assert code == 0
        calm_asks = asked(net)
        rng = random.Random(20)
        # A restart begins its count anew, so the moments are gaps that together span the whole run.
        moments = sorted(rng.sample(range(50, int(calm["events"] * 0.95)), KILLS))
        gaps = [after - before for before, after in zip([0, *moments], moments, strict=False)]
        asked_at_kills = 0
        kills = 0
        asks: Counter[tuple[str, str]] = Counter()
        for gap in gaps:
            net.reset()
            code, said = start(net, tmp_path / "killed.db", max(10, gap))
            if code == 0:
                break
            assert code == -signal.SIGKILL
            asked_at_kills += said["on_the_wire"]
            kills += 1
            asks += asked(net)
        net.reset()
        code, survived = start(net, tmp_path / "killed.db")
        asks += asked(net)

    assert code == 0
    assert kills == KILLS
    different = {
        before[0]: differences(before[1][1], after[1][1])
        for before, after in zip(calm["table"], survived["table"], strict=True)
        if before != after
    }
    assert different == {}
    # What a batch did not find is confirmed in further questions, how many depends on its company: batches and
    # their re-asks are one ask, so only identifiers that were asked for once in the calm run are counted.
    surplus = sum(asks[ask] - 1 for ask, count in calm_asks.items() if count == 1)
    print(f"{kills} kills, {asked_at_kills} identifiers on their way at them, {surplus} asked once more")
    assert surplus <= asked_at_kills
