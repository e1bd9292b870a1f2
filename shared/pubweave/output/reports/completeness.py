"""What is there, what is not, and why not: by part, by source and by host.

Every missing part has one state, the one that says most about what can be done:

    pending     a source has not answered yet: the same fetch goes on
    blocked     a source has it behind a wall, or forbids us to ask: get access
    failed      a source could not answer: fetch again later
    rule-missed a page has it, but the site's rules did not select it; what a cleaner made of the page stands for it
    absent      every source that was asked says there is nothing
    not-asked   no source that could have it was asked: other settings, or another source
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal, NamedTuple, get_args

from pubweave.contract.values import Thresholds
from pubweave.contract.vocabulary import PART_NAMES, THERE_IS_NOTHING, PartName
from pubweave.core.record import Record, is_final, is_usable

State = Literal["found", "short", "pending", "blocked", "failed", "rule-missed", "absent", "not-asked"]
STATES: Final[tuple[State, ...]] = get_args(State)
LACKING: Final[tuple[State, ...]] = STATES[1:]
"""What a person may do something about; `short` is there, but too little of it to be usable."""

STATE_SENTENCES: Final[dict[State, str]] = {
    "found": "there, and long enough",
    "short": "there, but too short or from a page without rules",
    "pending": "not answered yet: the same fetch goes on",
    "blocked": "behind a wall, or not allowed to be asked for: get access",
    "failed": "the source could not answer: fetch again later",
    "rule-missed": "there, but cleaned from a page whose rules did not select it: the rules want mending",
    "absent": "every source that was asked says there is nothing",
    "not-asked": "no source that could have it was asked",
}

_BLOCKED: Final = frozenset({"blocked", "refused-by-robots", "refused-address"})
_ANSWERED: Final = THERE_IS_NOTHING | {"found", "abstract-only", "rule-missed"}
_NEVER_ASKED: Final = frozenset({"skipped", "superseded", "cancelled", "no-door"})
_RANK: Final[dict[State, int]] = {state: rank for rank, state in enumerate(LACKING)}


class SourceQuestion(NamedTuple):
    """One question to a source about one publication, and what became of it."""

    resource: str
    missing: tuple[PartName, ...]
    """Parts that were missing and that the source could have."""
    outcome: str
    """Empty: no answer yet."""
    evidence: str = ""
    host: str = ""
    """Whom it was put to, where that differs from publication to publication."""
    order: tuple[int, ...] = ()
    """Later questions to the same source replace earlier ones."""


class Lack(NamedTuple):
    """One part that a publication lacks, and the question that says most about it."""

    part: PartName
    state: State
    resource: str = ""
    outcome: str = ""
    host: str = ""
    evidence: str = ""


def _state(outcome: str, part: PartName) -> State:
    """What an outcome says about a part that is missing all the same."""
    if not outcome:
        return "pending"
    if outcome == "rule-missed" and part == "fulltext":
        return "rule-missed"
    if outcome in _BLOCKED:
        return "blocked"
    if outcome in _ANSWERED:
        return "absent"
    return "not-asked" if outcome in _NEVER_ASKED else "failed"


class Completeness:
    """Counts over publications."""

    def __init__(self, thresholds: Thresholds, parts: Iterable[PartName] = PART_NAMES) -> None:
        self._thresholds = thresholds
        self.parts: Final[tuple[PartName, ...]] = tuple(name for name in PART_NAMES if name in set(parts))
        self.publications = 0
        self.final: Counter[PartName] = Counter()
        self.states: dict[PartName, Counter[State]] = {name: Counter() for name in self.parts}
        self.sources: dict[PartName, dict[str, Counter[State]]] = {name: {} for name in self.parts}
        """For each part what the sources said about those that lack it."""
        self.hosts: dict[str, Counter[str]] = {}
        """Outcomes by host, of questions that did not bring what was missing."""
        self.requests: dict[str, Counter[str]] = {}
        """Outcomes of all requests by host, whoever they were for; whoever has them puts them here."""

    def add_requests(self, counts: Mapping[tuple[str, str], int]) -> None:
        """Requests by (host, outcome), as the store counts them."""
        for (host, outcome), count in counts.items():
            self.requests.setdefault(host, Counter())[outcome] += count

    def lacks(self, record: Record) -> list[PartName]:
        """Parts that are not usable; only for these the questions need to be known."""
        return [name for name in self.parts if not is_usable(name, record.part(name), self._thresholds)]

    def add(self, record: Record, asked: Iterable[SourceQuestion] = ()) -> list[Lack]:
        """Count a publication.

        :returns: what it lacks, in the order of the parts
        """
        self.publications += 1
        lacks = self.lacks(record)
        for name in self.parts:
            if name not in lacks:
                self.states[name]["found"] += 1
                self.final[name] += is_final(name, record.part(name), self._thresholds)
        latest = _latest(asked)
        for question in latest:
            if question.host and question.outcome not in _ANSWERED and set(question.missing) & set(lacks):
                self.hosts.setdefault(question.host, Counter())[question.outcome or "pending"] += 1
        return [self._lack(record, name, latest) for name in lacks]

    def _lack(self, record: Record, name: PartName, asked: list[SourceQuestion]) -> Lack:
        told = Lack(name, "not-asked")
        for question in asked:
            if name not in question.missing:
                continue
            state = _state(question.outcome, name)
            self.sources[name].setdefault(question.resource, Counter())[state] += 1
            if not told.resource or _RANK[state] < _RANK[told.state]:
                told = Lack(
                    name, state, question.resource, question.outcome, question.host, question.evidence
                )
        if not record.part(name).is_empty and told.state in ("absent", "not-asked"):
            told = told._replace(state="short")
        self.states[name][told.state] += 1
        return told

    def object(self) -> dict[str, Any]:
        """Everything that was counted, for JSON."""
        return {
            "publications": self.publications,
            "parts": [
                {
                    "part": name,
                    "final": self.final[name],
                    **{_member(state): self.states[name][state] for state in STATES},
                    "sources": [
                        {
                            "source": source,
                            **{_member(state): counts[state] for state in STATES if counts[state]},
                        }
                        for source, counts in sorted(self.sources[name].items())
                    ],
                }
                for name in self.parts
            ],
            "hosts": [{"host": host, "outcomes": dict(counts)} for host, counts in self.worst_hosts()],
            "requests": [
                {"host": host, "outcomes": dict(sorted(counts.items()))}
                for host, counts in sorted(self.requests.items())
            ],
        }

    def worst_hosts(self) -> list[tuple[str, Counter[str]]]:
        """Hosts whose answers would help most, first."""
        return sorted(self.hosts.items(), key=lambda row: (-row[1].total(), row[0]))


def _member(state: State) -> str:
    return {"not-asked": "notAsked", "rule-missed": "ruleMissed"}.get(state, state)


def _latest(asked: Iterable[SourceQuestion]) -> list[SourceQuestion]:
    """The last question to each source about each address, in their order."""
    last: dict[tuple[str, str], SourceQuestion] = {}
    for question in sorted(asked, key=lambda one: one.order):
        last[(question.resource, question.host)] = question
    return list(last.values())
