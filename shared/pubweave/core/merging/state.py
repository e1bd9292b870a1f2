"""The state of one publication: grow-only rows, each an event, under the event's id (design law 1).

Adding rows in any order, repeatedly, gives the same state, but for what the merger decided once and wrote
down as a row: which runs were accepted, and which answer a need accepted.
"""

from typing import Final, TypeAlias, get_args

from pubweave.contract.field_candidate import FieldCandidate
from pubweave.contract.gate_flag import GateFlag
from pubweave.contract.link_found import LinkFound
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.new_id import NewId
from pubweave.contract.part_candidate import PartCandidate
from pubweave.contract.publication_put import PublicationPut
from pubweave.contract.publications_joined import PublicationsJoined
from pubweave.contract.resource_done import ResourceDone
from pubweave.contract.run_accepted import RunAccepted
from pubweave.core.record import Record, decode_record

Found: TypeAlias = PartCandidate | FieldCandidate | GateFlag | LinkFound
StateRow: TypeAlias = (
    RunAccepted | NeedsPart | Found | ResourceDone | NewId | PublicationsJoined | PublicationPut
)
NOT_SENT: Final = frozenset({"skipped", "superseded", "cancelled", "no-door", "refused-address", "bad-url"})
"""Outcomes of needs for which nobody was to be reached."""

ROW_KINDS: Final[frozenset[str]] = frozenset(str(row.__struct_config__.tag) for row in get_args(StateRow))
"""The kinds of events that are rows of a state."""


class Answers:
    """What arrived for one need: findings by answer, and the outcome that was accepted."""

    __slots__ = ("done", "found")

    def __init__(self) -> None:
        self.done: ResourceDone | None = None
        self.found: dict[str, dict[int, Found]] = {}

    def complete(self) -> ResourceDone | None:
        """The outcome, once all findings of its answer are here."""
        done = self.done
        if done is None or len(self.found.get(done.answer, ())) < done.found:
            return None
        return done

    def findings(self) -> list[Found]:
        """Findings of the accepted answer in order of position."""
        assert self.done is not None
        by_position = self.found.get(self.done.answer, {})
        return [by_position[position] for position in sorted(by_position)]


class PublicationState:
    """The rows of one publication, indexed. Only `add` changes it."""

    __slots__ = ("answers", "claims", "cut_short", "publication", "puts", "runs", "sent", "survivor")

    def __init__(self, publication: str) -> None:
        self.publication = publication
        self.runs: list[RunAccepted] = []
        self.sent: dict[str, NeedsPart] = {}
        self.answers: dict[str, Answers] = {}
        self.claims: dict[tuple[str, str], NewId] = {}
        """The last word on each identifier claimed; `claimed` while there is no answer."""
        self.cut_short: set[tuple[int, int]] = set()
        """(epoch, run) of runs with a question that was cancelled: they go on no more."""
        self.puts: dict[int, Record] = {}
        """Records that were put, by the epoch that each opened."""
        self.survivor = ""
        """The publication that this one turned out to be."""

    def add(self, row: StateRow) -> bool:
        """Take a row in; False if it was there already or comes too late to count."""
        match row:
            case PartCandidate() | FieldCandidate() | GateFlag() | LinkFound():
                answers = self._answers(row.need)
                if answers.done is not None and answers.done.answer != row.answer:
                    return False
                by_position = answers.found.setdefault(row.answer, {})
                if row.place.position in by_position:
                    return False
                by_position[row.place.position] = row
                return True
            case ResourceDone():
                answers = self._answers(row.need)
                if answers.done is not None:
                    return False
                answers.done = row
                if row.outcome == "cancelled":
                    self.cut_short.add((row.place.epoch, row.place.run))
                return True
            case NeedsPart():
                if row.need in self.sent:
                    return False
                self.sent[row.need] = row
                return True
            case RunAccepted():
                if row in self.runs:
                    return False
                self.runs.append(row)
                self.runs.sort(key=lambda run: (run.epoch, run.run, run.first_pass, run.submission))
                return True
            case NewId():
                known = self.claims.get((row.id_kind, row.value))
                if known is not None and (known.round, known.said != "claimed") >= (
                    row.round,
                    row.said != "claimed",
                ):
                    return False
                self.claims[(row.id_kind, row.value)] = row
                return True
            case PublicationPut():
                if row.epoch in self.puts:
                    return False
                self.puts[row.epoch] = decode_record(bytes(row.record))
                return True
            case PublicationsJoined():
                if row.publication != self.publication or self.survivor:
                    return False
                self.survivor = row.survivor
                return True

    def _answers(self, need: str) -> Answers:
        answers = self.answers.get(need)
        if answers is None:
            answers = self.answers[need] = Answers()
        return answers

    def has_outcome(self, need: str) -> bool:
        """The need has its one outcome, though not all findings may be here yet."""
        answers = self.answers.get(need)
        return answers is not None and answers.done is not None

    @property
    def epoch(self) -> int:
        return max(self.runs[-1].epoch if self.runs else 1, *self.puts, 1)

    @property
    def last_run(self) -> RunAccepted | None:
        """The last accepted run of its own in this epoch (joins are not runs)."""
        epoch = self.epoch
        return next((run for run in reversed(self.runs) if not run.joins and run.epoch == epoch), None)

    def runs_of_job(self, job: str) -> list[RunAccepted]:
        """The runs of this epoch that lines of the job began."""
        epoch = self.epoch
        return [
            run
            for run in self.runs
            if not run.joins and run.epoch == epoch and run.submission.startswith(f"{job}.")
        ]

    def reached_nobody(self, run: RunAccepted) -> bool:
        """Everything that a run has asked ended before a request reached a host (no network, no proxy, no name):
        it is no fetch that counts."""
        unreached = False
        for answers in self.answers.values():
            done = answers.done
            if done is None or (done.place.epoch, done.place.run) != (run.epoch, run.run):
                continue
            if done.unreached:
                unreached = True
            elif done.outcome not in NOT_SENT:
                return False
        return unreached

    def contested(self) -> frozenset[tuple[str, str]]:
        return frozenset(key for key, claim in self.claims.items() if claim.said == "contested")

    def awaits_claims(self) -> bool:
        """A claim has no answer yet: no further need is sent until it has (design law 4)."""
        return any(claim.said == "claimed" for claim in self.claims.values())
