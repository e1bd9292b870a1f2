"""The floor: the fewest requests and the least time that a universe allows for a job.

Computed from the universe (by `simnet.chain`), never from a run. It is a lower bound: every batch is full, no
request is repeated, every host works without a pause from the moment its first question can be known.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import ceil
from urllib.parse import urlsplit

from simnet.chain import ALL, EVERYTHING, Asked, Part, Walk, walk
from simnet.facts import Ids
from simnet.log import FAMILIES, unit
from simnet.universe import Universe

BATCHES: dict[str, int] = {"europepmc": 100, "pubmed_xml": 200, "pmc": 20, "annotations": 8}
"""Most identifiers in one request; resources not listed take one."""
CONFIRMED = ("europepmc", "pubmed_xml", "pmc")
"""Resources where an identifier that a batch did not answer is asked again before it is called absent."""
HOSTS: dict[str, str] = {
    "europepmc": "ebi.ac.uk",
    "europepmc_fulltext": "ebi.ac.uk",
    "annotations": "ebi.ac.uk",
    "pubmed_xml": "eutils.ncbi.nlm.nih.gov",
    "pmc": "eutils.ncbi.nlm.nih.gov",
    "pubmed_html": "ncbi.nlm.nih.gov",
    "doi": "doi.org",
    "doi_alias": "doi.org",
    "unpaywall": "api.unpaywall.org",
}
"""Resource → host as `simnet.log.unit` spells it."""
EXEMPT = ("doi.org",)
"""Hosts that any number of connections may be open to (F-HOST-04)."""


@dataclass
class HostFloor:
    """What one host must bear.

    `requests`: with full batches. `confirmations`: re-asks of what a batch did not find (halves in the other query
    form, then alone), which are not in `requests`. `head_s`: before its first question can be known.
    """

    requests: int = 0
    confirmations: int = 0
    by_resource: dict[str, int] = field(default_factory=dict)
    head_s: float = 0.0
    wall_s: float = 0.0


@dataclass
class Floor:
    """The floor of a job; `wall_s` includes the confirmations when they were wanted."""

    hosts: dict[str, HostFloor]
    requests: int
    confirmations: int
    wall_s: float
    longest_chain: int
    """replies that must come one after the other for the slowest publication"""


def floor(
    universe: Universe,
    ids: Iterable[Ids],
    parts: Iterable[Part] = ALL,
    *,
    latency_s: float | Mapping[str, float] = 0.0,
    connections_per_host: int = 1,
    budgets: Mapping[str, float] | None = None,
    batch_sizes: Mapping[str, int] = BATCHES,
    resources: frozenset[str] = EVERYTHING,
    confirm_absent: bool = True,
) -> Floor:
    """The fewest requests of each host and the least wall time for these submissions.

    :param latency_s: seconds of a reply, for all hosts or by host (0 where not named)
    :param budgets: API family (`simnet.log.FAMILIES`) → requests in any one-second window
    :param confirm_absent: whether an identifier that a batch lacks is asked again in halves, then alone
    """
    wanted = frozenset(parts)
    walks = [found for one in ids if (found := walk(universe, one, wanted, resources))]
    by_place: dict[tuple[str, str], list[tuple[int, Asked]]] = defaultdict(list)
    for number, one in enumerate(walks):
        for ask in one.asked:
            by_place[_host(ask), ask.resource].append((number, ask))
    hosts: dict[str, HostFloor] = defaultdict(HostFloor)
    per_family: Counter[tuple[str, str]] = Counter()
    for (host, resource), asks in sorted(by_place.items()):
        there = hosts[host]
        size = batch_sizes.get(resource, 1)
        one_after_the_other = max(Counter(number for number, _ in asks).values())
        count = max(ceil(len(asks) / size), one_after_the_other)
        there.by_resource[resource] = there.by_resource.get(resource, 0) + count
        there.requests += count
        lost = sum(1 for _, ask in asks if not ask.found) if resource in CONFIRMED and size > 1 else 0
        again = lost + ceil(lost / max(1, size // 2)) if confirm_absent else 0
        there.confirmations += again
        per_family[host, FAMILIES.get(resource, resource)] += count + again
    for host, there in hosts.items():
        latency = _latency(latency_s, host)
        here = [ask for (place, _), found in by_place.items() if place == host for _, ask in found]
        there.head_s = min(ask.depth for ask in here) * _least_latency(latency_s, by_place)
        if {ask.resource for ask in here} & {"publisher", "publisher_pdf"}:
            there.by_resource["robots"] = 1
            there.requests += 1
        abreast = connections_per_host if host not in EXEMPT else there.requests
        work = ceil((there.requests + there.confirmations) / abreast) * latency
        for (place, family), count in per_family.items():
            if place == host and budgets and family in budgets:
                work = max(work, (ceil(count / budgets[family]) - 1) * 1.0 + latency)
        there.wall_s = there.head_s + work
    longest = max((ask.depth + 1 for one in walks for ask in one.asked), default=0)
    wall = max(
        [there.wall_s for there in hosts.values()] + [longest * _least_latency(latency_s, by_place)],
        default=0.0,
    )
    return Floor(
        dict(hosts),
        sum(there.requests for there in hosts.values()),
        sum(there.confirmations for there in hosts.values()),
        wall,
        longest,
    )


def needed_asks(walks: Iterable[Walk]) -> set[tuple[str, str]]:
    """Every (resource, identifier) that the chain needs, spelt as `simnet.log.Log.asks` spells it."""
    found = set()
    for one in walks:
        for ask in one.asked:
            spelt = ask.id.lower() if ask.kind == "doi" else ask.id
            if ask.resource == "annotations":
                spelt = f"{'PMC' if ask.kind == 'pmcid' else 'MED'}:{ask.id}"
            if ask.resource == "pmc":
                spelt = ask.id.removeprefix("PMC")
            found.add((ask.resource, spelt))
    return found


def _host(ask: Asked) -> str:
    if ask.resource in HOSTS:
        return HOSTS[ask.resource]
    return unit(urlsplit(ask.id).hostname or "")


def _latency(latency_s: float | Mapping[str, float], host: str) -> float:
    return latency_s.get(host, 0.0) if isinstance(latency_s, Mapping) else latency_s


def _least_latency(latency_s: float | Mapping[str, float], places: Iterable[tuple[str, str]]) -> float:
    """Of the hosts of this job: what one step of a chain takes at least."""
    return min((_latency(latency_s, host) for host, _ in places), default=0.0)
