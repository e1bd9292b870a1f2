"""The judge at work: the installed command against the simulated internet, asks and records compared with what the
universe alone says."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pubweave.registry import API_RESOURCES
from services.doors.renderer.conftest import BROWSER
from simnet.chain import API, walk
from simnet.expectation import expected
from simnet.facts import lines
from simnet.faults import Fault
from simnet.fixture import running
from simnet.floor import needed_asks
from simnet.log import Log
from simnet.universe import Universe
from simnet.verdict import Records, differences

pytestmark = pytest.mark.network
SIZE = 200
NO_BUDGETS = "".join(
    f"{family}: {{requests: unlimited}}\n" for family in ("europepmc", "annotations", "ncbi", "ncbi_pages")
)
REPEATED = 0.1


def fetched(
    universe: Universe, folder: Path, *faults: Fault, resources: Sequence[str] = API_RESOURCES
) -> tuple[list[dict[str, Any]], Log]:
    """The records that the command writes for all submissions, and what it asked. `resources` empty: all there are."""
    ids, out, budgets = folder / "ids.tsv", folder / "out.jsonl", folder / "budgets.yaml"
    ids.write_text(lines(universe.submissions()), encoding="utf-8")
    budgets.write_text(NO_BUDGETS)
    with running(universe, faults=faults) as net:
        done = subprocess.run(
            [
                sys.executable, "-m", "pubweave.cli.main", "fetch", "--ids", str(ids), "--db", str(folder / "x.db"),
                "--format", "jsonl", "--out", str(out), "--email", "judge@uni.example", "--budgets", str(budgets),
                *(("--resources", ",".join(resources)) if resources else ()),
            ],
            env={**os.environ, **net.environment},
            capture_output=True,
            text=True,
            check=False,
        )  # fmt: skip
        log = net.log
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()], log


@pytest.mark.parametrize(
    "faults",
    [(), (Fault("lose", "europepmc", 0.16), Fault("cut-batch", "pubmed_xml", 0.5), Fault("truncated", probability=REPEATED, heals_after=1))],
    ids=["fair weather", "identifiers lost, batches cut, bodies truncated"],
)  # fmt: skip
def test_every_final_part_is_the_expected_one(tmp_path: Path, faults: tuple[Fault, ...]) -> None:
    """Identifiers, final parts with type and content, what cannot be final, and fields: all as the universe says."""
    universe = Universe(5, SIZE)
    records, _ = fetched(universe, tmp_path, *faults)
    there = Records(records)
    wrong = [
        difference
        for one in expected(universe, universe.submissions(), resources=API)
        for difference in differences(one, there.of(one))
    ]

    assert wrong == []


def test_exactly_what_the_chain_needs_is_asked(tmp_path: Path) -> None:
    """As sets of (resource, identifier). What failed may be tried in a second run: a full text that is 404 has Europe PMC
    asked again, by the best identifier."""
    universe = Universe(6, SIZE)
    _, log = fetched(universe, tmp_path)
    walks = [found for ids in universe.submissions() if (found := walk(universe, ids, resources=API))]
    failed = {
        ("europepmc", value.lower() if kind == "doi" else value)
        for one in walks
        if any(ask.resource == "europepmc_fulltext" and not ask.found for ask in one.asked)
        for kind, (value, _) in one.ids.items()
    }
    needed, asked = needed_asks(walks), log.asks()

    assert needed - asked == set()
    assert asked - needed - failed == set()


def test_the_whole_chain_by_the_command(tmp_path: Path) -> None:
    """Without a choice of sources, publishers, Unpaywall, links and PDFs are asked, too, with the browser if there is one: records
    and questions as the universe says."""
    universe = Universe(8, SIZE)
    records, log = fetched(universe, tmp_path, resources=())
    there = Records(records)
    wrong = [
        difference
        for one in expected(universe, universe.submissions(), browser=bool(BROWSER))
        for difference in differences(one, there.of(one))
    ]
    walks = [found for ids in universe.submissions() if (found := walk(universe, ids, browser=bool(BROWSER)))]
    again = {("europepmc", value) for one in walks for value, _ in one.ids.values()}
    needed, asked = needed_asks(walks), log.asks()

    assert wrong == []
    assert needed - asked == set()
    assert asked - needed - again == set()
