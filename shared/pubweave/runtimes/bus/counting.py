"""What a process has said, counted for `/metrics`. Never an identifier as a label."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from pubweave.contract.identifiers_conflicted import IdentifiersConflicted
from pubweave.contract.kinds import Event
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.publication_updated import PublicationUpdated
from pubweave.contract.publications_joined import PublicationsJoined
from pubweave.contract.reply_received import ReplyReceived
from pubweave.contract.resource_done import ResourceDone
from pubweave.contract.submission_settled import SubmissionSettled
from pubweave.doors.fetcher.budgets import Budgets
from pubweave.doors.fetcher.turns import UnitStatus

OTHERS: Final = "other hosts"
"""All units that are no API family: there are thousands, and a page's host says who was asked for."""


class Counts:
    """Of one process since its start. What is said again after a crash counts again, as it was said."""

    def __init__(self) -> None:
        self.needs: Counter[str] = Counter()
        self.outcomes: Counter[tuple[str, str]] = Counter()
        self.attempts: Counter[tuple[str, str]] = Counter()
        self.missed: Counter[tuple[str, str]] = Counter()
        self.lines: Counter[str] = Counter()
        self.versions = 0
        self.joins = 0
        self.conflicts = 0

    def said(self, event: Event) -> None:
        match event:
            case NeedsPart():
                self.needs[event.resource] += 1
            case ResourceDone():
                self.outcomes[event.resource, event.outcome] += 1
                self.missed.update((missed.site, missed.part) for missed in event.missed)
            case ReplyReceived():
                self.attempts[event.door, event.reply.outcome] += 1
            case SubmissionSettled():
                self.lines[event.outcome] += 1
            case PublicationUpdated():
                self.versions += 1
            case PublicationsJoined():
                self.joins += 1
            case IdentifiersConflicted():
                self.conflicts += 1
            case _:
                pass

    def metrics(self) -> Iterator[Metric]:
        needs = CounterMetricFamily("pubweave_needs", "Needs sent, by resource.", labels=["resource"])
        for resource, count in sorted(self.needs.items()):
            needs.add_metric([resource], count)
        outcomes = CounterMetricFamily(
            "pubweave_outcomes", "Outcomes of needs, by resource and word.", labels=["resource", "outcome"]
        )
        for (resource, outcome), count in sorted(self.outcomes.items()):
            outcomes.add_metric([resource, outcome], count)
        replies = CounterMetricFamily(
            "pubweave_replies", "Replies of doors, by door and word.", labels=["door", "outcome"]
        )
        for (door, outcome), count in sorted(self.attempts.items()):
            replies.add_metric([door, outcome], count)
        lines = CounterMetricFamily("pubweave_lines", "Lines settled, by word.", labels=["outcome"])
        for outcome, count in sorted(self.lines.items()):
            lines.add_metric([outcome], count)
        missed = CounterMetricFamily(
            "pubweave_rules_missed",
            "Pages of which a site's rules gave less of a part than stands there.",
            labels=["site", "part"],
        )
        for (site, part), count in sorted(self.missed.items()):
            missed.add_metric([site, part], count)
        yield from (needs, outcomes, replies, lines, missed)
        yield CounterMetricFamily("pubweave_versions", "Versions of records.", value=self.versions)
        yield CounterMetricFamily(
            "pubweave_joins", "Publications that became part of another.", value=self.joins
        )
        yield CounterMetricFamily(
            "pubweave_conflicts", "Identifiers that two publications claim.", value=self.conflicts
        )


def turns_metrics(units: Iterable[UnitStatus], budgets: Budgets) -> Iterator[Metric]:
    """What the fetcher does and waits for, by API family; all other hosts are one."""
    queued: Counter[str] = Counter()
    in_flight: Counter[str] = Counter()
    waiting: Counter[tuple[str, str]] = Counter()
    for unit in units:
        family = unit.unit if budgets.get(unit.unit) is not None else OTHERS
        queued[family] += unit.queued
        in_flight[family] += unit.in_flight
        if unit.waiting:
            waiting[family, unit.waiting] += 1
    asked = GaugeMetricFamily("pubweave_requests_in_flight", "Requests on the wire.", labels=["family"])
    stand = GaugeMetricFamily(
        "pubweave_requests_queued", "Questions that wait for a turn.", labels=["family"]
    )
    why = GaugeMetricFamily(
        "pubweave_units_waiting", "Politeness units that wait, by reason.", labels=["family", "reason"]
    )
    allowed = GaugeMetricFamily("pubweave_budget", "Requests allowed per second.", labels=["family"])
    for family in sorted(queued.keys() | in_flight.keys()):
        asked.add_metric([family], in_flight[family])
        stand.add_metric([family], queued[family])
    for (family, reason), count in sorted(waiting.items()):
        why.add_metric([family, reason], count)
    for name, budget in sorted(budgets.families.items()):
        if budget.requests:
            allowed.add_metric([name], budget.requests / budget.seconds)
    yield from (asked, stand, why, allowed)
