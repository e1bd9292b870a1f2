"""The flow suite of the embedded system, unchanged, on the simulated bus.

Left out, with the reason: what looks into the one process (`system.engine`, its log by offset, its clock, `explain`);
recordings, which a fetcher replays in the order of one process; deadlines of a second, as the simulation has no time of
its own while a request is under way (`test_jobs.py` has them); and that an article under three names is asked for once:
where nobody sees another's state, two of its names may have asked before they are known to be one
(`test_identity.py` says what holds then).
"""

import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from flow import test_embedded, test_laws
from simnet.universe import Universe
from simulation.embedding import Simulations

pytestmark = [pytest.mark.network, pytest.mark.timeout(300)]

UNIVERSES = {
    test_embedded.__name__: Universe(seed=3, size=test_embedded.SIZE),
    test_laws.__name__: Universe(seed=5, size=test_laws.SIZE),
}

SUITE: list[tuple[Callable[..., Any], dict[str, Any]]] = [
    (test_embedded.test_everything_submitted_ends_and_the_numbers_reconcile, {}),
    (test_embedded.test_batches_find_what_single_asks_find, {}),
    (test_embedded.test_latencies_never_change_a_record, {"jitter": 0.9}),
    (test_embedded.test_faults_that_heal_change_nothing, {}),
    (test_embedded.test_a_failure_is_never_nothing, {}),
    (test_embedded.test_known_publications_are_not_fetched_again, {}),
    (test_embedded.test_only_requested_parts_cost_requests, {}),
    (test_embedded.test_the_structured_document_stands_beside_the_full_text, {}),
    (test_laws.test_an_exception_gets_one_second_chance_at_the_end, {}),
    (test_laws.test_an_empty_entry_is_tried_four_times, {}),
    (test_laws.test_final_entries_are_left_alone_and_updates_can_be_switched_off, {}),
]


async def run(
    test: Callable[..., Any], given: dict[str, Any], system_on: Any, fixtures: dict[str, Any]
) -> None:
    """The very test, with another `system_on`."""
    module = sys.modules[test.__module__]
    fixtures["monkeypatch"].setattr(module, "system_on", system_on)
    wanted = inspect.signature(test).parameters
    known = {"universe": UNIVERSES.get(module.__name__), **fixtures, **given}
    await test(**{name: known[name] for name in wanted})


@pytest.mark.parametrize(("test", "given"), SUITE, ids=[test.__name__ for test, _ in SUITE])
async def test_holds_on_the_simulated_bus(
    test: Callable[..., Any], given: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    await run(test, given, Simulations().system_on, {"monkeypatch": monkeypatch, "tmp_path": tmp_path})
