"""What `/metrics` tells: by resource, door, family and word; never by identifier or by somebody's host."""

from typing import Any

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.registry import Collector

from pubweave.contract.examples import EXAMPLES
from pubweave.doors.fetcher.budgets import load_budgets
from pubweave.doors.fetcher.turns import UnitStatus
from pubweave.runtimes.bus.counting import OTHERS, Counts, turns_metrics


def shown(*metrics: Any) -> str:
    class Given(Collector):
        def collect(self) -> Any:
            return metrics

    registry = CollectorRegistry()
    registry.register(Given())
    return generate_latest(registry).decode()


def test_everything_said_is_counted_by_word() -> None:
    """Needs and outcomes by resource, replies by door, lines, versions, joins and conflicts."""
    counts = Counts()
    for told in EXAMPLES.values():
        for event in told.values():
            counts.said(event)
    text = shown(*counts.metrics())

    assert 'pubweave_needs_total{resource="europepmc"} 1.0' in text
    assert 'outcome="rate-limited"' in text
    assert 'pubweave_replies_total{door="fetcher",outcome="found"}' in text
    assert 'pubweave_lines_total{outcome="parked"} 1.0' in text
    for name in ("versions", "joins", "conflicts"):
        assert f"pubweave_{name}_total 1.0" in text
    assert "10.5555" not in text
    assert "10000001" not in text


def test_hosts_of_pages_are_one() -> None:
    """Families by name, with why they wait and what they allow; thousands of hosts under one word."""
    units = [
        UnitStatus("europepmc", queued=7, in_flight=1, waiting="budget"),
        UnitStatus("publisher.example", queued=2, in_flight=1),
        UnitStatus("another.example", queued=3, in_flight=0, waiting="connections"),
    ]
    text = shown(*turns_metrics(units, load_budgets()))

    assert 'pubweave_requests_queued{family="europepmc"} 7.0' in text
    assert f'pubweave_requests_queued{{family="{OTHERS}"}} 5.0' in text
    assert 'pubweave_units_waiting{family="europepmc",reason="budget"} 1.0' in text
    assert 'pubweave_budget{family="europepmc"} 5.0' in text
    assert "example" not in text
