"""What was asked: every request, and the highest concurrency and rate seen of each host."""

from bisect import bisect_left
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass, field
from typing import Any

FAMILIES = {
    "europepmc": "europepmc",
    "europepmc_fulltext": "europepmc",
    "text_mined_terms": "europepmc",
    "annotations": "annotations",
    "pubmed_xml": "eutils",
    "pmc": "eutils",
    "pubmed_html": "pubmed_html",
    "doi": "doi",
    "doi_alias": "doi",
    "unpaywall": "unpaywall",
}
"""Resource → API family, which is what rate budgets are for; a resource that is not listed is a family alone."""


@dataclass(slots=True)
class Entry:
    """One request. Times are seconds of the server's monotonic clock.

    `start` is when the server took it up; a busy server takes up late what came early, so `earliest` says since when it
    may have been waiting (the same as `start` when the server was idle).
    """

    number: int
    start: float
    end: float
    host: str
    connection: int
    method: str
    path: str
    resource: str
    ids: tuple[str, ...]
    status: int = 0
    """0 until the reply is sent, and for good when the connection broke instead"""
    bytes: int = 0
    fault: str = ""
    earliest: float = -1.0

    @property
    def family(self) -> str:
        return FAMILIES.get(self.resource, self.resource)


def unit(host: str) -> str:
    """A host as politeness counts it: lower case, no leading `www.`."""
    return host.lower().removeprefix("www.")


@dataclass
class Log:
    """All entries in the order of arrival, and counters kept as they come and go."""

    entries: list[Entry] = field(default_factory=list)
    connections_now: Counter[str] = field(default_factory=Counter)
    connections_most: Counter[str] = field(default_factory=Counter)
    connections_made: Counter[str] = field(default_factory=Counter)
    requests_now: Counter[str] = field(default_factory=Counter)
    requests_most: Counter[str] = field(default_factory=Counter)

    def opened(self, host: str) -> None:
        """A connection to this host was opened."""
        key = unit(host)
        self.connections_made[key] += 1
        self.connections_now[key] += 1
        self.connections_most[key] = max(self.connections_most[key], self.connections_now[key])

    def closed(self, host: str) -> None:
        """It was closed."""
        self.connections_now[unit(host)] -= 1

    def arrived(self, entry: Entry) -> None:
        """A request is there, whole."""
        key = unit(entry.host)
        self.entries.append(entry)
        self.requests_now[key] += 1
        self.requests_most[key] = max(self.requests_most[key], self.requests_now[key])

    def answered(self, entry: Entry, end: float, status: int, size: int) -> None:
        """Its reply has been handed to the network, or its connection has broken (status 0)."""
        entry.end, entry.status, entry.bytes = end, status, size
        self.requests_now[unit(entry.host)] -= 1

    def reset(self) -> None:
        """Forget what is over; what is going on goes on being counted."""
        self.entries.clear()
        self.connections_made.clear()
        self.connections_most = Counter(self.connections_now)
        self.requests_most = Counter(self.requests_now)

    # -- questions ------------------------------------------------------------------------------------------------

    def requests(self, resource: str | None = None, host: str | None = None) -> list[Entry]:
        """The entries of a resource, of a host, or all."""
        return [
            entry
            for entry in self.entries
            if (resource is None or entry.resource == resource)
            and (host is None or unit(entry.host) == unit(host))
        ]

    def asks(self) -> set[tuple[str, str]]:
        """Every (resource, identifier) asked for, batches and repeats folded together; DOIs in lower case."""
        return {
            (entry.resource, one.lower() if one.startswith("10.") else one)
            for entry in self.entries
            for one in entry.ids
        }

    def busiest_window(self, family: str, window_s: float = 1.0) -> int:
        """The most requests of an API family (or resource, or host) that were certainly in one half-open window.

        Only what is certain counts: of the first request of a window the earliest time is taken, of the others when
        they were taken up, so that a pause of the server does not make a patient client look hasty.
        """
        entries = [e for e in self.entries if family in (e.family, e.resource, e.host, unit(e.host))]
        times = [entry.start for entry in entries]
        firsts = [entry.earliest if entry.earliest >= 0 else entry.start for entry in entries]
        return max((bisect_left(times, first + window_s) - i for i, first in enumerate(firsts)), default=0)

    def summary(self) -> dict[str, Any]:
        """Everything that can be counted, as JSON can say it."""
        by_host: dict[str, Counter[str]] = defaultdict(Counter)
        by_resource: dict[str, Counter[str]] = defaultdict(Counter)
        for entry in self.entries:
            for table, key in ((by_host, unit(entry.host)), (by_resource, entry.resource)):
                table[key]["requests"] += 1
                table[key]["ids"] += len(entry.ids)
                table[key]["bytes"] += entry.bytes
                table[key][f"status {entry.status}"] += 1
                if entry.fault:
                    table[key][f"fault {entry.fault}"] += 1
        families = {entry.family for entry in self.entries}
        return {
            "requests": len(self.entries),
            "wall_s": self.entries[-1].end - self.entries[0].start if self.entries else 0.0,
            "hosts": {host: dict(counts) for host, counts in sorted(by_host.items())},
            "resources": {name: dict(counts) for name, counts in sorted(by_resource.items())},
            "connections_most": dict(self.connections_most),
            "connections_made": dict(self.connections_made),
            "requests_most": dict(self.requests_most),
            "busiest_second": {family: self.busiest_window(family) for family in sorted(families)},
        }

    def as_json(self, since: int = 0) -> list[dict[str, Any]]:
        """The entries from this number on."""
        return [asdict(entry) for entry in self.entries if entry.number >= since]

    @classmethod
    def from_json(cls, entries: list[dict[str, Any]]) -> "Log":
        """A log to ask questions of, from another process's entries (without its concurrency counters)."""
        return cls([Entry(**{**entry, "ids": tuple(entry["ids"])}) for entry in entries])
