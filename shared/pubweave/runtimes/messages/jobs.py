"""The owner of a job: lines that ended with an exception get their second chance at its end (F-CAN-09)."""

from functools import partial

import msgspec

from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.job_closed import JobClosed
from pubweave.contract.line_standing import LineStanding
from pubweave.contract.submissions_entered import SubmissionsEntered
from pubweave.ports import Clock, Store
from pubweave.runtimes.messages.effects import Effects
from pubweave.runtimes.messages.publication import read_row


class _Job:
    __slots__ = ("lines", "settled", "withheld")

    def __init__(self) -> None:
        self.lines = -1
        """How many it has; -1 while it is open."""
        self.settled: set[int] = set()
        self.withheld: dict[int, LineStanding] = {}

    def add(self, event: LineStanding | JobClosed) -> bool:
        match event:
            case JobClosed():
                new = self.lines < 0
                self.lines = event.lines if new else self.lines
                return new
            case LineStanding(said="settled"):
                new = event.line not in self.settled
                self.settled.add(event.line)
                return new
            case _:
                new = event.line not in self.withheld
                self.withheld.setdefault(event.line, event)
                return new

    def is_over(self) -> bool:
        """All lines have outcomes."""
        return self.lines >= 0 and len(self.settled) >= self.lines

    def is_at_its_end(self) -> bool:
        """All lines but the withheld ones have outcomes."""
        return self.lines >= 0 and len(self.settled | self.withheld.keys()) >= self.lines


class Jobs:
    """Jobs under way. Rows stand under `job:` and the job's name, where no publication can stand."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._jobs: dict[str, _Job] = {}

    def forget(self) -> None:
        self._jobs.clear()

    async def hear(self, event: LineStanding | JobClosed, effects: Effects) -> None:
        """At the last word that was lacking, withheld lines enter their publications once more."""
        job = await self._load(event.job)
        before = job.is_at_its_end()
        if not job.add(event):
            return
        effects.keep(f"job:{event.job}", event)
        if job.is_over():
            # Nothing that comes again can begin anything: its lines are settled where they lead to.
            effects.last.append(partial(self._store.drop_rows, f"job:{event.job}"))
            self._jobs.pop(event.job, None)
            return
        if not job.is_at_its_end() or before:
            return
        for line, standing in sorted(job.withheld.items()):
            if line not in job.settled and standing.requested is not None:
                chance: FetchRequested = msgspec.structs.replace(standing.requested, second_chance=True)
                effects.say(
                    SubmissionsEntered(
                        publication=standing.publication, lines=(chance,), entered_at=self._clock.now_ms()
                    )
                )

    async def _load(self, name: str) -> _Job:
        job = self._jobs.get(name)
        if job is None:
            job = self._jobs[name] = _Job()
            for row in await self._store.rows(f"job:{name}"):
                event = read_row(row)
                if isinstance(event, LineStanding | JobClosed):  # not one that only a newer release knows
                    job.add(event)
        return job
