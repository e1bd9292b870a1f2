"""The audit of a bus: what was submitted against what was entered, asked, answered and settled, by offsets.

A service lets its offset move past a message only when all that follows from it is said (design law 8). So a
message that was passed, and from which nothing follows where something must, is a gap: what waits for it waits for ever.
A message that was not passed is still to be heard, and what waits for it is on its way. Only lines without an outcome are
traced, so memory goes with what is under way and not with what the topics hold.

Use: note how far each service has come, then where the topics end, then hand every message of each of `Audit.stages()`, in the
order of its partition, to `take`; `table()` says the rest. In this order a running system gives no false gap.
"""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple, get_args

import msgspec

from pubweave.contract.codec import UndecodableEvent, decode
from pubweave.contract.dead_letter import DeadLetter
from pubweave.contract.delayed import Delayed
from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.field_candidate import FieldCandidate
from pubweave.contract.gate_flag import GateFlag
from pubweave.contract.identifier_asked import IdentifierAsked
from pubweave.contract.job_closed import JobClosed
from pubweave.contract.kinds import Event, subject_of
from pubweave.contract.line_standing import LineStanding
from pubweave.contract.link_found import LinkFound
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.new_id import NewId
from pubweave.contract.part_candidate import PartCandidate
from pubweave.contract.reply_received import ReplyReceived
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.resource_done import ResourceDone
from pubweave.contract.submission_settled import SubmissionSettled
from pubweave.contract.submissions_entered import SubmissionsEntered
from pubweave.contract.vocabulary import RESOURCE_NAMES, DoorName
from pubweave.contract.webpage_read import WebpageRead

FACTS: Final = ("part-candidates", "webpages")
REQUESTS: Final = ("fetch-requested.interactive", "fetch-requested.bulk")
NEEDS: Final = tuple(f"needs-part.{name}" for name in RESOURCE_NAMES)
WANTED: Final = tuple(f"reply-wanted.{name}" for name in get_args(DoorName))
RECEIVED: Final = tuple(f"reply-received.{name}" for name in RESOURCE_NAMES)

SKEW_MS: Final = 600_000
"""Clocks of machines differ by less than this."""
OVERDUE_MS: Final = 600_000
"""What is due this long should have been said: a scheduler says a thousand a second."""
STILL_MS: Final = 60_000
"""What is sent together has arrived after this time."""


class Said(NamedTuple):
    """One message of a topic."""

    topic: str
    partition: int
    offset: int
    at_ms: int
    """When it was sent."""
    key: str
    """Of the record."""
    event: Event


class HeardUpTo(msgspec.Struct, frozen=True):
    """How far the service that hears a partition has come."""

    offset: int
    """All before it are done."""
    members: bool = True
    """Somebody is there who hears it."""


class Stage(msgspec.Struct, frozen=True):
    """What is to be read next, each partition in its order."""

    topics: tuple[str, ...]
    since_ms: int = 0
    """Nothing that was sent before this matters."""
    kinds: frozenset[str] = frozenset()
    """Only events of these kinds matter; empty: of all."""
    of: frozenset[str] | None = None
    """Only records whose key begins with one of these, up to its last slash; None: all."""


class Gap(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something was done with, and what must follow from it is not there."""

    kind: str
    """`not-there`, `not-entered`, `not-begun`, `not-finished`, `not-asked`, `not-answered`, `not-read`, `not-found`,
    `not-claimed`, `not-said-again`, `no-second-chance` or `not-closed`."""
    sentence: str
    """What is there and what is not, for people."""
    lines: tuple[str, ...] = ()
    """Submissions that wait for it, as job.line."""
    publication: str = ""
    resource: str = ""
    service: str = ""
    """Who passed the message."""
    topic: str = ""
    partition: int = -1
    offset: int = -1
    dead_letter: int = -1
    """Its number, where the message was put aside."""


class Waiting(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is on its way."""

    service: str
    """Whom it waits for."""
    topic: str
    lines: int
    """How many lines wait for something there, also for other things."""
    since_ms: int = 0
    """When the oldest of these messages was sent."""
    members: bool = True
    """False: nobody of that service is there, so it stands still until somebody is."""
    until_ms: int = 0
    """Of what is delayed: when the last of it is due."""


class JobAudit(msgspec.Struct, frozen=True, kw_only=True):
    """One job in numbers: `lines` = the sum of `settled` + `on_their_way` + `hanging`."""

    job: str
    lines: int
    settled: dict[str, int]
    on_their_way: int
    hanging: int
    missing: int
    """Lines beside these that were said to be submitted and are nowhere."""
    closed: bool
    """It was read to its end; no more lines will come."""


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """What an audit found."""

    jobs: tuple[JobAudit, ...]
    """Those that are not over, oldest first; with a job asked for, that one."""
    over: int
    """How many others are over: every line has its outcome."""
    asked: int
    """Questions about lines without an outcome."""
    answered: int
    """How many of them have theirs."""
    gaps: tuple[Gap, ...]
    waiting: tuple[Waiting, ...]
    dead_letters: int

    @property
    def hangs(self) -> bool:
        """Something will not end by itself."""
        return bool(self.gaps) or any(not one.members for one in self.waiting)


class _Numbers:
    """A set of line numbers: an eighth of a byte each where they are close to each other."""

    def __init__(self) -> None:
        self._pieces: dict[int, bytearray] = {}
        self.count = 0

    def add(self, number: int) -> bool:
        """False if it was there."""
        if number in self:
            return False
        piece = self._pieces.setdefault(number >> 10, bytearray(128))
        piece[(number & 1023) >> 3] |= 1 << (number & 7)
        self.count += 1
        return True

    def __contains__(self, number: int) -> bool:
        piece = self._pieces.get(number >> 10)
        return piece is not None and bool(piece[(number & 1023) >> 3] >> (number & 7) & 1)


class _AuditedJob:
    def __init__(self) -> None:
        self.seen = _Numbers()
        """Lines that are in the topics, submitted or settled."""
        self.settled = _Numbers()
        self.outcomes: dict[str, int] = {}
        self.lines = -1
        self.closed_ms = 0
        self.newest_ms = 0
        """When its last line was submitted, as far as it is known."""
        self.settled_ms = 0
        self.unheard: _Where | None = None
        """A message about the job itself that its owner has not heard."""
        self.waits = 0
        """Lines that no merger has heard."""


class _Where(NamedTuple):
    topic: str
    partition: int
    offset: int
    at_ms: int
    key: str = ""


class _AuditedLine:
    """A line without an outcome that a merger has heard."""

    __slots__ = ("again", "chance", "entered", "heard", "withheld")

    def __init__(self, heard: _Where) -> None:
        self.heard = heard
        self.again = False
        """It is in the topic once more, to be heard."""
        self.entered: dict[str, _Where] = {}
        """The publications that it was led to."""
        self.withheld: _Where | None = None
        self.chance = False


class _Need:
    __slots__ = ("asks", "done", "found", "need", "where")

    def __init__(self, need: NeedsPart, where: _Where) -> None:
        self.need = need
        self.where = [where]
        self.asks: dict[str, None] = {}
        self.done: ResourceDone | WebpageRead | None = None
        self.found: set[tuple[str, str]] = set()
        """Findings by answer and record key."""


class _Ask:
    __slots__ = ("delays", "replies", "url", "where")

    def __init__(self) -> None:
        self.where: list[_Where] = []
        self.replies: list[_Where] = []
        self.delays: list[tuple[_Where, int]] = []
        """Until when it was put off."""
        self.url = ""


class _Claim:
    __slots__ = ("answered", "asked", "where")

    def __init__(self) -> None:
        self.where: list[_Where] = []
        self.asked: dict[str, _Where] = {}
        """Publications that were asked about it."""
        self.answered = False


class _AuditedPublication:
    def __init__(self) -> None:
        self.needs: dict[str, _Need] = {}
        self.claims: dict[tuple[str, str, int], _Claim] = {}
        self.unheard: _Where | None = None
        self.facts = 0
        """What was said of it beside that lines were entered."""
        self.last: _Where | None = None


class _WaysOn(NamedTuple):
    """What one thing waits for: ways on, and gaps."""

    live: tuple["_Way", ...] = ()
    gaps: tuple[Gap, ...] = ()


class _Way(NamedTuple):
    where: _Where
    until_ms: int = 0


class Audit:
    """One audit.

    :param heard: how far each partition was heard, by topic and partition; one that nobody has heard anything of may be left
        out
    :param services: who hears a topic
    :param now_ms: the one clock reading, UNIX ms
    """

    def __init__(
        self,
        heard: Mapping[tuple[str, int], HeardUpTo],
        services: Mapping[str, str],
        now_ms: int,
        job: str = "",
    ) -> None:
        self._heard = heard
        self._services = services
        self._now_ms = now_ms
        self._job = job
        self._jobs: dict[str, _AuditedJob] = {}
        self._lines: dict[tuple[str, int], _AuditedLine] = {}
        self._withheld: dict[tuple[str, int], _Where] = {}
        self._publications: dict[str, _AuditedPublication] = {}
        self._needs: dict[str, _Need] = {}
        self._asks: dict[str, _Ask] = {}
        self._letters: dict[tuple[str, str, int], tuple[int, str]] = {}
        self._letters_of: dict[str, tuple[int, str]] = {}
        self._letters_count = 0
        self._unheard_lines: dict[str, list[int]] = {}
        """By topic of unheard submissions: how many lines, and when the oldest was sent."""

    # --- what is read

    def stages(self) -> Iterator[Stage]:
        """What to read, one after the other: what the next one needs follows from those before."""
        yield Stage(("submissions-settled",))
        yield Stage(("jobs",))
        yield Stage(REQUESTS)
        yield Stage(("dead-letters",))
        if not self._lines:
            return
        since_ms = min(line.heard.at_ms for line in self._lines.values()) - SKEW_MS
        yield Stage(FACTS, since_ms, frozenset({"submissions-entered"}))
        watched = frozenset(self._publications)
        yield Stage(NEEDS, of=watched)
        asked_ms = [need.where[0].at_ms for need in self._needs.values()]
        since_ms = min([since_ms + SKEW_MS, *asked_ms]) - SKEW_MS
        yield Stage(("new-ids",), since_ms)
        # Twice: who asks whom about a claim stands among the facts of the one who is asked.
        yield Stage(FACTS, since_ms, frozenset({"identifier-asked"}))
        yield Stage(FACTS, since_ms, of=watched)
        if not any(need.done is None for need in self._needs.values()):
            return
        yield Stage(("delayed",), since_ms)
        yield Stage(WANTED, since_ms)
        yield Stage(RECEIVED, since_ms)

    def take(self, said: Said) -> None:
        """One message."""
        where = _Where(said.topic, said.partition, said.offset, said.at_ms, said.key)
        match said.event:
            case SubmissionSettled():
                self._settled(said.event, where)
            case LineStanding() | JobClosed():
                self._standing(said.event, where)
            case FetchRequested():
                self._requested(said.event, where)
            case DeadLetter():
                self._put_aside(said.event, where)
            case NeedsPart():
                self._needed(said.event, where)
            case ReplyWanted():
                self._wanted(said.event, where)
            case ReplyReceived():
                if said.event.ask in self._asks:
                    self._asks[said.event.ask].replies.append(where)
            case Delayed():
                self._delayed(said.event, where)
            case NewId() if said.topic == "new-ids":
                if said.event.said == "claimed" and said.event.publication in self._publications:
                    self._claim(said.event).where.append(where)
            case _:
                self._fact(said.event, where)

    def _settled(self, event: SubmissionSettled, where: _Where) -> None:
        job = self._jobs.setdefault(event.job, _AuditedJob())
        job.seen.add(event.line)
        if job.settled.add(event.line):
            job.outcomes[event.outcome] = job.outcomes.get(event.outcome, 0) + 1
            job.settled_ms = max(job.settled_ms, where.at_ms)

    def _standing(self, event: LineStanding | JobClosed, where: _Where) -> None:
        job = self._jobs.setdefault(event.job, _AuditedJob())
        if not self._is_heard(where):
            job.unheard = job.unheard or where
        if isinstance(event, JobClosed):
            job.lines = event.lines
            job.closed_ms = where.at_ms
        elif event.said == "withheld" and event.line not in job.settled:
            self._withheld[event.job, event.line] = where

    def _requested(self, event: FetchRequested, where: _Where) -> None:
        job = self._jobs.setdefault(event.job, _AuditedJob())
        job.newest_ms = max(job.newest_ms, where.at_ms)
        if event.line in job.settled:
            return
        known = self._lines.get((event.job, event.line))
        if known is not None:
            known.again = known.again or not self._is_heard(where)
        elif self._is_heard(where):
            job.seen.add(event.line)
            line = self._lines[event.job, event.line] = _AuditedLine(where)
            line.withheld = self._withheld.get((event.job, event.line))
        elif job.seen.add(event.line):
            job.waits += 1
            if self._is_asked(event.job):
                waiting = self._unheard_lines.setdefault(where.topic, [0, where.at_ms])
                waiting[0] += 1
                waiting[1] = min(waiting[1], where.at_ms)

    def _put_aside(self, event: DeadLetter, where: _Where) -> None:
        self._letters_count += 1
        told = (where.offset, event.reason)
        self._letters[event.topic, event.key, event.offset] = told
        if event.topic in FACTS:
            self._letters_of[event.key.rpartition("/")[0]] = told

    def _needed(self, event: NeedsPart, where: _Where) -> None:
        publication = self._publications.get(event.publication)
        if publication is None:
            return
        known = self._needs.get(event.need)
        if known is None:
            self._needs[event.need] = publication.needs[event.need] = _Need(event, where)
        else:
            known.where.append(where)

    def _ask(self, event: ReplyWanted) -> _Ask | None:
        """None where nobody waits for it; what a page loads is its renderer's affair."""
        needs = [found for need in event.work.needs if (found := self._needs.get(need.need)) is not None]
        if event.work.asker or all(need.done is not None for need in needs):
            return None
        ask = self._asks.setdefault(event.ask, _Ask())
        ask.url = event.request.url
        for need in needs:
            need.asks[event.ask] = None
        return ask

    def _wanted(self, event: ReplyWanted, where: _Where) -> None:
        if (ask := self._ask(event)) is not None:
            ask.where.append(where)

    def _delayed(self, event: Delayed, where: _Where) -> None:
        if event.event_kind != "reply-wanted":
            return
        try:
            inner = decode(event.event_kind, event.event_version, bytes(event.event))
        except UndecodableEvent:
            return
        if isinstance(inner, ReplyWanted) and (ask := self._ask(inner)) is not None:
            ask.delays.append((where, event.due_at))

    def _claim(self, event: NewId) -> _Claim:
        of = self._publications[event.publication].claims
        return of.setdefault((event.id_kind, event.value, event.round), _Claim())

    def _fact(self, event: Event, where: _Where) -> None:
        if isinstance(event, SubmissionsEntered):
            self._entered(event, where)
        if isinstance(event, IdentifierAsked) and event.claim.publication in self._publications:
            self._claim(event.claim).asked[event.publication] = where
        publication = self._publications.get(subject_of(event))
        if publication is None:
            return
        publication.last = where
        if not self._is_heard(where):
            publication.unheard = publication.unheard or where
        match event:
            case SubmissionsEntered() | IdentifierAsked():
                return
            case NewId(said="granted" | "held" | "contested" | "lost"):
                self._claim(event).answered = True
            case ResourceDone() | WebpageRead():
                if (need := publication.needs.get(event.need)) is not None:
                    need.done = event
            case PartCandidate() | FieldCandidate() | GateFlag() | LinkFound():
                if (need := publication.needs.get(event.need)) is not None:
                    need.found.add((event.answer, where.key))
            case _:
                pass
        publication.facts += 1

    def _entered(self, event: SubmissionsEntered, where: _Where) -> None:
        if event.park:
            return
        for requested in event.lines:
            line = self._lines.get((requested.job, requested.line))
            if line is None:
                continue
            line.entered[event.publication] = where
            line.chance = line.chance or requested.second_chance
            self._publications.setdefault(event.publication, _AuditedPublication())

    def _is_heard(self, where: _Where) -> bool:
        heard = self._heard.get((where.topic, where.partition))
        return heard is not None and where.offset < heard.offset

    def _is_asked(self, job: str) -> bool:
        return not self._job or job == self._job

    # --- what follows

    def table(self) -> Table:
        """What is there, what is on its way, and what is not to come."""
        found = {key: self._of_line(key, line) for key, line in self._lines.items()}
        held = {key for key, line in self._lines.items() if line.withheld is not None and not line.chance}
        of_jobs = {name: self._of_job(name, job) for name, job in self._jobs.items()}
        others: dict[str, dict[Gap, None]] = {}
        active: dict[str, int] = {name: job.waits for name, job in self._jobs.items()}
        for (name, number), of in found.items():
            if (name, number) not in held:
                active[name] += 1
                others.setdefault(name, {}).update(dict.fromkeys(of.gaps))
        for key in held:
            before = (*others.get(key[0], ()), *of_jobs[key[0]])
            found[key] = _WaysOn(gaps=before) if before else self._of_withheld(key, active[key[0]])
        found = {key: of for key, of in found.items() if self._is_asked(key[0])}
        jobs = [self._told_job(name, job) for name, job in sorted(self._jobs.items())]
        hanging: dict[str, int] = {}
        lines: dict[Gap, list[str]] = {}
        for (name, number), of in found.items():
            hanging[name] = hanging.get(name, 0) + bool(of.gaps)
            for gap in of.gaps:
                lines.setdefault(gap, []).append(f"{name}.{number:09d}")
        jobs = [
            msgspec.structs.replace(
                one, hanging=hanging.get(one.job, 0), on_their_way=one.on_their_way - hanging.get(one.job, 0)
            )
            for one in jobs
        ]
        going_on = [one for one in jobs if one.on_their_way or one.hanging or one.missing]
        for name, of_job in of_jobs.items():
            for gap in of_job if self._is_asked(name) else ():
                lines.setdefault(gap, [])
        return Table(
            jobs=tuple(one for one in jobs if one.job == self._job) if self._job else tuple(going_on),
            over=len(jobs) - len(going_on),
            asked=len(self._needs),
            answered=sum(need.done is not None for need in self._needs.values()),
            gaps=tuple(msgspec.structs.replace(gap, lines=tuple(sorted(of))) for gap, of in lines.items()),
            waiting=self._waiting(found),
            dead_letters=self._letters_count,
        )

    def _told_job(self, name: str, job: _AuditedJob) -> JobAudit:
        return JobAudit(
            job=name,
            lines=job.seen.count,
            settled=dict(sorted(job.outcomes.items())),
            on_their_way=job.seen.count - job.settled.count,
            hanging=0,
            missing=self._missing(job),
            closed=job.lines >= 0,
        )

    def _missing(self, job: _AuditedJob) -> int:
        """Lines that were said to be submitted and are nowhere."""
        if self._now_ms - job.closed_ms < STILL_MS:
            return 0
        return max(0, job.lines - job.seen.count)

    def _waiting(self, found: Mapping[tuple[str, int], _WaysOn]) -> tuple[Waiting, ...]:
        counted: dict[tuple[str, str], list[int]] = {}
        for topic, (count, since_ms) in self._unheard_lines.items():
            counted[self._services.get(topic, ""), topic] = [count, since_ms, 0]
        for of in found.values():
            ways: dict[str, _Way] = {}
            for way in () if of.gaps else of.live:
                ways.setdefault(way.where.topic, way)
            for topic, way in ways.items():
                one = counted.setdefault((self._services.get(topic, ""), topic), [0, way.where.at_ms, 0])
                one[0] += 1
                one[1] = min(one[1], way.where.at_ms)
                one[2] = max(one[2], way.until_ms)
        there = {topic for (topic, _), heard in self._heard.items() if heard.members}
        return tuple(
            Waiting(
                service=service,
                topic=topic,
                lines=count,
                since_ms=since_ms,
                until_ms=until_ms,
                members=topic in there,
            )
            for (service, topic), (count, since_ms, until_ms) in sorted(counted.items())
        )

    # --- jobs

    def _of_job(self, name: str, job: _AuditedJob) -> tuple[Gap, ...]:
        missing = self._missing(job)
        if not missing:
            return ()
        letters = sum(topic in REQUESTS for topic, _, _ in self._letters)
        aside = f"; {letters} messages of these topics are dead letters" if letters else ""
        return (
            Gap(
                kind="not-there",
                sentence=f"job {name} was closed with {job.lines} lines, of which {missing} are in no topic{aside}",
            ),
        )

    def _of_withheld(self, key: tuple[str, int], others: int) -> _WaysOn:
        """A line that has its second chance when all others of its job have outcomes."""
        job, where = self._jobs[key[0]], self._lines[key].withheld
        assert where is not None
        quiet_ms = self._now_ms - max(where.at_ms, job.settled_ms, job.closed_ms)
        if others or job.unheard is not None:
            return _WaysOn((_Way(job.unheard or where),))
        if job.lines < 0:
            if self._now_ms - job.newest_ms < OVERDUE_MS:
                return _WaysOn((_Way(where),))
            sentence = (
                f"job {key[0]} was never closed (whoever submitted it was interrupted), so lines that wait for its end "
                "to have their second chance do not get it"
            )
            return _WaysOn(gaps=(self._gap("not-closed", sentence, self._jobs_place(where)),))
        if quiet_ms < STILL_MS:
            return _WaysOn((_Way(where),))
        sentence = (
            f"all other lines of job {key[0]} have outcomes and its owner has heard so, but those that wait for "
            "that to have their second chance were not entered again"
        )
        return _WaysOn(gaps=(self._gap("no-second-chance", sentence, self._jobs_place(where)),))

    def _jobs_place(self, where: _Where) -> _Where:
        """The same for all lines of a job, so that they are one gap."""
        return where._replace(offset=-1, key="", at_ms=0)

    # --- lines

    def _of_line(self, key: tuple[str, int], line: _AuditedLine) -> _WaysOn:
        if line.again:
            return _WaysOn((_Way(line.heard),))
        if not line.entered:
            sentence = "the submission was heard, but the line was never entered"
            return _WaysOn(gaps=(self._gap("not-entered", sentence, line.heard),))
        latest = max(line.entered, key=lambda name: (line.entered[name].at_ms, name))
        live: list[_Way] = []
        hard: dict[Gap, None] = {}
        soft: dict[Gap, None] = {}
        for name in line.entered:
            seen: set[str] = set()
            self._gather(name, seen, live, hard if name == latest else soft, soft)
        gaps = tuple(hard) or (() if live else tuple(soft))
        if not gaps and not live:
            gaps = (self._stands_still(latest, line.entered[latest]),)
        return _WaysOn(tuple(live), gaps)

    def _gather(
        self, name: str, seen: set[str], live: list[_Way], hard: dict[Gap, None], soft: dict[Gap, None]
    ) -> None:
        """What a publication waits for, and those that it waits for."""
        if name in seen:
            return
        seen.add(name)
        publication = self._publications[name]
        if publication.unheard is not None:
            live.append(_Way(publication.unheard))
        for need in publication.needs.values():
            ways, gaps = self._of_need(need)
            live += ways
            hard.update(dict.fromkeys(gaps))
            soft.update(dict.fromkeys(self._of_findings(need)))
        for (kind, value, _), claim in publication.claims.items():
            if claim.answered:
                continue
            unheard = [where for where in (*claim.where, *claim.asked.values()) if not self._is_heard(where)]
            live += map(_Way, unheard)
            for other in claim.asked:
                if other in self._publications and other != name:
                    self._gather(other, seen, live, hard, soft)
            if not unheard:
                who = f"; publication {', '.join(claim.asked)} was asked" if claim.asked else ""
                sentence = f"the claim of {kind} {value} was heard, but not answered{who}"
                last = max((*claim.where, *claim.asked.values()), key=lambda where: where.at_ms)
                soft[self._gap("not-claimed", sentence, last, publication=name)] = None

    def _of_need(self, need: _Need) -> _WaysOn:
        if need.done is not None:
            return _WaysOn()
        live = [_Way(where) for where in need.where if not self._is_heard(where)]
        gaps: list[Gap] = []
        last: _Where | None = None
        for name in need.asks:
            ask = self._asks[name]
            found = self._of_ask(ask, need.need)
            live += found.live
            gaps += found.gaps
            for reply in ask.replies:
                last = reply if last is None or reply.at_ms >= last.at_ms else last
        if live or gaps:
            return _WaysOn(tuple(live), () if live else tuple(gaps))
        about = need.need
        if last is None:
            sentence = f"{about.resource} heard the question, but asked nobody and gave no outcome"
            return _WaysOn(gaps=(self._need_gap("not-asked", sentence, need.where[-1], about),))
        sentence = f"{about.resource} heard the reply, but asked nothing further and gave no outcome"
        return _WaysOn(gaps=(self._need_gap("not-read", sentence, last, about),))

    def _of_ask(self, ask: _Ask, need: NeedsPart) -> _WaysOn:
        if ask.replies:
            return _WaysOn(tuple(_Way(where) for where in ask.replies if not self._is_heard(where)))
        live = [_Way(where) for where in ask.where if not self._is_heard(where)]
        gaps: list[Gap] = []
        for where, due_at in ask.delays:
            if not self._is_heard(where):
                live.append(_Way(where, due_at))
            elif any(again.at_ms >= due_at for again in ask.where):
                continue
            elif self._now_ms < due_at + OVERDUE_MS:
                live.append(_Way(where, due_at))
            else:
                sentence = f"the question for {ask.url} was put off, and not said again when it was due"
                gaps.append(self._need_gap("not-said-again", sentence, where, need))
        if live or gaps:
            return _WaysOn(tuple(live), tuple(gaps))
        last = max(ask.where, key=lambda where: where.at_ms)
        sentence = f"the question for {ask.url} was heard, but not answered"
        return _WaysOn(gaps=(self._need_gap("not-answered", sentence, last, need),))

    def _of_findings(self, need: _Need) -> tuple[Gap, ...]:
        done = need.done
        if not isinstance(done, ResourceDone):
            return ()
        there = sum(answer == done.answer for answer, _ in need.found)
        if there >= done.found:
            return ()
        sentence = f"{done.resource} announced {done.found} findings, of which {there} are there"
        return (self._need_gap("not-found", sentence, need.where[-1], need.need),)

    def _stands_still(self, name: str, entered: _Where) -> Gap:
        """All is heard, nothing is on its way, and nothing is visibly missing: a message was passed unheard."""
        publication = self._publications[name]
        letter = self._letters_of.get(name)
        if not publication.facts and not publication.needs and not publication.claims:
            sentence = "the line was entered, but nothing follows from that"
            return self._gap("not-begun", sentence, entered, publication=name, letter=letter)
        asked = len(publication.needs)
        known = f"its {asked} questions have outcomes" if asked else "its claims are answered"
        sentence = f"{known} and everything said of it was heard, but it does not go on"
        return self._gap(
            "not-finished", sentence, publication.last or entered, publication=name, letter=letter
        )

    # --- gaps

    def _need_gap(self, kind: str, sentence: str, where: _Where, need: NeedsPart) -> Gap:
        return self._gap(kind, sentence, where, publication=need.publication, resource=need.resource)

    def _gap(
        self,
        kind: str,
        sentence: str,
        where: _Where,
        *,
        publication: str = "",
        resource: str = "",
        letter: tuple[int, str] | None = None,
    ) -> Gap:
        letter = self._letters.get((where.topic, where.key, where.offset), letter)
        if letter is not None:
            sentence += f": put aside as dead letter {letter[0]} ({letter[1]})"
        return Gap(
            kind=kind,
            sentence=sentence,
            publication=publication,
            resource=resource,
            service=self._services.get(where.topic, ""),
            topic=where.topic,
            partition=where.partition,
            offset=where.offset,
            dead_letter=letter[0] if letter is not None else -1,
        )
