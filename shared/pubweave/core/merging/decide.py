"""`decide(state) -> what to ask, or finished`: the sequential chain walked over what is known so far.

The walk starts at the beginning of the run every time, puts each question in its place, applies the answers
that are there, and goes on past pending ones as far as `chain.consider` allows. So the order of arrival
cannot matter: an answer is only ever applied at its place.
"""

from collections.abc import Callable, Collection, Iterator
from typing import Final, NamedTuple

import msgspec

from pubweave.contract.declaration import ChainRow
from pubweave.contract.field_candidate import FieldCandidate
from pubweave.contract.gate_flag import GateFlag
from pubweave.contract.link_found import LinkFound
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.part_candidate import PartCandidate
from pubweave.contract.resource_done import ResourceDone
from pubweave.contract.restarted import Restarted
from pubweave.contract.run_accepted import RunAccepted
from pubweave.contract.values import Identifiers, Link, Place, RunSettings
from pubweave.contract.vocabulary import (
    IDENTIFIER_KINDS,
    PART_NAMES,
    THERE_IS_NOTHING,
    IdentifierKind,
    ResourceName,
)
from pubweave.core.merging.canfetch import Decision as FetchDecision
from pubweave.core.merging.canfetch import counters
from pubweave.core.merging.chain import (
    CHAIN,
    LINK_RANK,
    SUPPLIED_RANK,
    ChainProgress,
    consider,
    could_still_set,
    missing_parts,
)
from pubweave.core.merging.fold import Draft, Verdict
from pubweave.core.merging.links import LinkList
from pubweave.core.merging.state import Found, PublicationState
from pubweave.core.politeness import host_of
from pubweave.core.record import Part, Record
from pubweave.core.types import FINAL, PDF

MAX_GENERATIONS_PER_RUN: Final = 10
"""F-CHG-02: two sources that keep contradicting each other cannot restart a run for ever."""


_EVERYBODY: Final[frozenset[ResourceName]] = frozenset((*(row.resource for row in CHAIN), "links"))


class Abilities(NamedTuple):
    """Which resources there are to ask, and how many links a run follows."""

    resources: frozenset[ResourceName]
    max_links: int = 10


class Traced(NamedTuple):
    """One step of the fold, for `explain`."""

    finding: Found
    verdict: Verdict | None
    """None for gates and links."""


class Walked(NamedTuple):
    """Where the publication stands."""

    draft: Draft
    asks: tuple[NeedsPart, ...]
    """Needs that are to be sent, and have not been, once all claims are granted."""
    claims: tuple[tuple[IdentifierKind, str], ...]
    """Identifiers to be claimed before anything else is asked."""
    finished: bool
    """The run is over: every need has its outcome and nothing is left to ask."""
    pass_: int
    """The pass under way, or the last one."""
    generation: int
    settings: RunSettings
    restarts: tuple[Restarted, ...]
    conflicts: tuple[tuple[IdentifierKind, str, str], ...]
    """(kind, known value, other value): an identifier was found that differs from the known one (F-ID-40)."""
    fetch_exception: bool
    known: bool
    unsettled_needs: int
    """Needs that were asked and have no outcome yet."""
    unreached: bool
    """The last run is over, and no request of it reached a host: what was known before stands as it was."""


def need_id(publication: str, place: Place) -> str:
    """Names a need by its place; the same question has the same name."""
    return f"{publication}/{place.epoch}.{place.run}.{place.generation}.{place.pass_}.{place.resource}.{place.link}"


class _Walk:
    def __init__(
        self, state: PublicationState, abilities: Abilities, trace: Callable[[Traced], None] | None
    ) -> None:
        self.state = state
        self.abilities = abilities
        self.trace = trace
        self.epoch = state.epoch
        self.contested = state.contested()
        first = next((run for run in state.runs if run.epoch == self.epoch), None)
        self.draft = Draft(first.accepted_at if first else 0)
        put = state.puts.get(self.epoch)
        if put is not None:
            self.draft.begin_with(put)
        self.generation = 1
        self.pass_ = 0
        self.settings = RunSettings()
        self.asks: list[NeedsPart] = []
        self.restarts: list[Restarted] = []
        self.conflicts: list[tuple[IdentifierKind, str, str]] = []
        self.outcomes: list[ResourceDone] = []
        self.ever_succeeded = put is not None and put.known
        self.fetch_exception = put is not None and put.fetch_exception
        self.waiting = 0
        self.unsettled: set[str] = set()

    # --- runs

    def walk(self) -> Walked:
        runs = [run for run in self.state.runs if run.epoch == self.epoch and run.fetches]
        runs_of_their_own = [run for run in runs if not run.joins]
        finished = True
        for run in runs_of_their_own:
            joins = [join for join in runs if join.joins and join.run == run.run]
            self._open(run, over=run is not runs_of_their_own[-1])
            finished = self._run(run, joins)
        return Walked(
            draft=self.draft,
            asks=tuple(self.asks),
            claims=tuple(self._claims()),
            finished=finished,
            pass_=self.pass_,
            generation=self.generation,
            settings=self.settings,
            restarts=tuple(self.restarts),
            conflicts=tuple(self.conflicts),
            fetch_exception=self.fetch_exception,
            known=self._known(),
            unsettled_needs=self.waiting,
            unreached=bool(runs_of_their_own)
            and finished
            and self.state.reached_nobody(runs_of_their_own[-1]),
        )

    def _open(self, run: RunAccepted, *, over: bool) -> None:
        """What this run asks, and what it has asked: an answer counts, whoever may be asked today.

        :param over: another run follows, so nothing new is asked in this one
        """
        self.run = run
        self.closed = over or (run.epoch, run.run) in self.state.cut_short
        """Over, or parked: what is not asked yet is not asked in this run."""
        can = self.abilities.resources
        if not self.closed and can >= _EVERYBODY:
            self.rows, self.max_links = CHAIN, self.abilities.max_links
            return
        places = [
            need.place
            for need in self.state.sent.values()
            if need.place.run == run.run and need.place.epoch == run.epoch
        ]
        asked = {place.resource for place in places}
        self.rows = tuple(
            row for row in CHAIN if row.rank in asked or (not self.closed and row.resource in can)
        )
        self.max_links = max((place.link for place in places if place.resource == LINK_RANK), default=0)
        if not self.closed and "links" in can:
            self.max_links = max(self.max_links, self.abilities.max_links)

    def _run(self, run: RunAccepted, joins: list[RunAccepted]) -> bool:
        self.settings = run.settings
        self.pass_ = 1
        if run.settings.citations_only:
            return self._citations()
        self.fetch_exception = False
        self.outcomes = []
        self.draft.lose(run.gone)
        self._supply(run)
        self.entered = 0
        last_generation = self.generation + MAX_GENERATIONS_PER_RUN
        while True:
            self.progress = ChainProgress()
            self.links = LinkList()
            for one in (run, *joins[: self.entered]):
                for link in one.links:
                    self.links.add(link)
            self._join(joins, self.pass_)
            if self.generation < last_generation and (changed := self._generation(joins)):
                before, after = changed
                self._restart(before, after)
                continue
            return not self.waiting

    def _supply(self, run: RunAccepted) -> None:
        place = Place(self.epoch, run.run, self.generation, self.pass_, SUPPLIED_RANK, 0)
        self.draft.supply(run.identifiers, run.provenance, place, run.accepted_at)

    def _restart(self, before: Identifiers, after: Identifiers) -> None:
        self.generation += 1
        self.pass_ += 1
        self.draft.begin_generation()
        self.restarts.append(
            Restarted(
                publication=self.state.publication,
                place=Place(self.epoch, self.run.run, self.generation, self.pass_, SUPPLIED_RANK, 0),
                before=before,
                after=after,
            )
        )

    def _generation(self, joins: list[RunAccepted]) -> tuple[Identifiers, Identifiers] | None:
        """Passes and links until nothing is left; the change that ended the generation, if one did."""
        before = self.draft.identifiers()
        chain_pass = True
        while True:
            if chain_pass:
                self._chain_pass()
            if self.waiting:
                return None
            after = self.draft.identifiers()
            if any(after.get(kind) != value for kind, value in before.known()):
                return before, after
            joined = self._join(joins, self.pass_ + 1)
            grown = len(after.known()) > len(before.known())
            before = self.draft.identifiers()
            if grown or joined:
                self.pass_ += 1
                chain_pass = True
                continue
            link = self._next_link()
            if link is None:
                return None
            self.pass_ += 1
            chain_pass = False
            self._ask_link(link)

    def _join(self, joins: list[RunAccepted], pass_: int) -> bool:
        """Let what others were asked for in before this pass; True if it starts one (law 4).

        Joins come in order of their first pass. One whose pass begins a generation enters with it.
        """
        starts = False
        for join in joins[self.entered :]:
            if join.first_pass > pass_:
                break
            self.entered += 1
            count = len(self.draft.identifiers().known())
            place = Place(self.epoch, join.run, self.generation, pass_, SUPPLIED_RANK, 0)
            self.draft.supply(join.identifiers, join.provenance, place, join.accepted_at)
            for link in join.links:
                self.links.add(link)
            wider = RunSettings(
                parts=tuple(
                    part for part in PART_NAMES if self.settings.wants(part) or join.settings.wants(part)
                ),
                thresholds=self.settings.thresholds.larger(join.settings.thresholds),
                timeout_ms=max(self.settings.timeout_ms, join.settings.timeout_ms),
            )
            widens = wider.parts != self.settings.parts or wider.thresholds != self.settings.thresholds
            if widens:
                # What was answered before was taken by the narrower wish: the same sources may say more now.
                self.progress.ask_again()
            starts = starts or widens or len(self.draft.identifiers().known()) > count or bool(join.links)
            self.settings = wider
        return starts

    # --- one pass over the table

    def _chain_pass(self) -> None:
        self.unsettled.clear()
        for row in self.rows:
            self._row(row)

    def _row(self, row: ChainRow) -> None:
        asked = 0
        while True:
            verdict, kind = consider(row, self.draft, self.settings, self.progress, self.unsettled)
            if verdict == "skip":
                return
            if verdict == "wait" or kind is None:
                self.unsettled |= could_still_set(row, self.draft, self.settings)
                self.waiting += not self.closed
                return
            value = self.draft.parts[kind].text
            place = Place(self.epoch, self.run.run, self.generation, self.pass_, row.rank, asked)
            done = self._answer(place, row, kind)
            if done is None:
                self.unsettled |= could_still_set(row, self.draft, self.settings)
                return
            self.progress.tried.add((row.rank, kind, value))
            if done.success:
                self.progress.succeeded.add(row.rank)
                return
            asked += 1

    def _answer(self, place: Place, row: ChainRow, kind: IdentifierKind) -> ResourceDone | None:
        need = need_id(self.state.publication, place)
        done = self._settled(need)
        if done is None and need in self.state.sent:
            self.waiting += 1
        elif done is None:
            visited = row.resource == "doi" and (
                not self.settings.wants("fulltext")
                or self.draft.is_final("fulltext", self.settings.thresholds)
            )
            self._ask(need, place, row.resource, kind, missing_parts(row, self.draft, self.settings), visited)
        return done

    def _ask_link(self, link: Link) -> None:
        is_pdf = link.type in PDF
        place = Place(self.epoch, self.run.run, self.generation, self.pass_, LINK_RANK, self.links.followed)
        need = need_id(self.state.publication, place)
        self.unsettled.clear()
        if self._settled(need) is None:
            missing = tuple(
                part
                for part in PART_NAMES
                if part not in ("mesh", "efo", "go")
                and self.settings.wants(part)
                and not self.draft.is_final(part, self.settings.thresholds)
            )
            self._ask(need, place, "pdf" if is_pdf else "links", None, missing, False, link)

    def _ask(
        self,
        need: str,
        place: Place,
        resource: ResourceName,
        kind: IdentifierKind | None,
        missing: Collection[str],
        visited: bool,
        link: Link | None = None,
    ) -> None:
        if self.closed:
            return
        self.waiting += 1
        if need in self.state.sent:
            return
        run = self.run
        self.asks.append(
            NeedsPart(
                publication=self.state.publication,
                need=need,
                place=place,
                resource=resource,
                identifiers=self._settled_identifiers(),
                ask=kind,
                missing=tuple(part for part in PART_NAMES if part in missing),
                settings=self.settings,
                link=link,
                visited_hosts=tuple(dict.fromkeys(host_of(site.url) for site in self.draft.visited.values()))
                if visited
                else (),
                title=self._known_title() if resource in ("doi", "links", "pdf") else "",
                external=self.draft.external(),
                lane=run.lane,
                correlation_id=run.correlation_id,
                deadline_at=run.deadline_at,
            )
        )

    def _known_title(self) -> str:
        """Nothing is pending when a page is asked for, so it is the same in every order of arrival. Titles of web
        pages and PDFs are not trusted: they often are the site's or the typesetter's."""
        title = self.draft.parts["title"]
        return title.text if title.type in FINAL or title.type in ("citation", "oadoi") else ""

    def _settled_identifiers(self) -> Identifiers:
        """What is known at this place whatever pending answers will say, so that a need is the same
        in every order of arrival."""
        known = self.draft.identifiers().known()
        return Identifiers(**{kind: value for kind, value in known if kind not in self.unsettled})

    def _settled(self, need: str) -> ResourceDone | None:
        """Apply the accepted answer of a need, if it is complete."""
        answers = self.state.answers.get(need)
        done = answers.complete() if answers is not None else None
        if answers is None or done is None:
            return None
        self.outcomes.append(done)
        self.ever_succeeded = self.ever_succeeded or done.success
        self.fetch_exception = self.fetch_exception or done.fetch_exception
        for url in done.tried:
            self.links.mark_tried(url)
        for finding in answers.findings():
            self._apply(finding)
        return done

    def _apply(self, finding: Found) -> None:
        verdict: Verdict | None = None
        if isinstance(finding, PartCandidate):
            if finding.part in ("pmid", "pmcid", "doi"):
                known = self.draft.parts[finding.part].text
                if known and known != finding.text:
                    self.conflicts.append((finding.part, known, finding.text))
            verdict = self.draft.take(finding, self.settings, self.contested)
        elif isinstance(finding, FieldCandidate):
            if not self.settings.citations_only or finding.field == "citationsCount":
                verdict = self.draft.take(finding, self.settings)
        elif isinstance(finding, GateFlag):
            self.progress.gates.setdefault(finding.gate, finding.open)
        elif isinstance(finding, LinkFound):
            self.links.add(finding.link)
        if self.trace is not None:
            self.trace(Traced(finding, verdict))

    # --- links, citations, claims

    def _next_link(self) -> Link | None:
        while (link := self.links.next(self.draft, self.settings, self.max_links)) is not None:
            if link.type not in PDF or "pdf" in self.abilities.resources or self._was_asked(link):
                return link
        return None

    def _was_asked(self, link: Link) -> bool:
        place = Place(
            self.epoch, self.run.run, self.generation, self.pass_ + 1, LINK_RANK, self.links.followed
        )
        sent = self.state.sent.get(need_id(self.state.publication, place))
        return sent is not None and sent.link == link

    def _citations(self) -> bool:
        """F-EPMC-12: only Europe PMC, by PMID, then PMCID, then DOI, until one answers."""
        self.progress = ChainProgress()
        self.links = LinkList()
        row = CHAIN[0]
        for asked, (kind, _) in enumerate(self.draft.identifiers().known()):
            place = Place(self.epoch, self.run.run, self.generation, 1, row.rank, asked)
            done = self._answer(place, row, kind)
            if done is None:
                return self.closed
            if done.success:
                break
        return True

    def _claims(self) -> Iterator[tuple[IdentifierKind, str]]:
        """Submitted identifiers and those of a final type that nobody was asked about yet (law 4)."""
        wanted: dict[tuple[IdentifierKind, str], None] = {}
        for run in self.state.runs:
            if run.epoch == self.epoch:
                wanted.update(dict.fromkeys(run.identifiers.known()))
        for kind in IDENTIFIER_KINDS:
            part = self.draft.parts[kind]
            if part.type in FINAL and part.text and kind not in self.unsettled:
                wanted[(kind, part.text)] = None
        return (claim for claim in wanted if claim not in self.state.claims)

    def _known(self) -> bool:
        """False if every source that could be asked says that there is no such publication.

        A DOI that leads to an address is registered, whatever is there.
        """
        return self.ever_succeeded or any(
            (done.resource == "doi" and bool(done.tried))
            or (done.outcome not in THERE_IS_NOTHING and done.outcome != "skipped")
            for done in self.outcomes
        )


def walk(
    state: PublicationState, abilities: Abilities, trace: Callable[[Traced], None] | None = None
) -> Walked:
    """Where a publication stands. Pure: the state is not changed; the same rows give the same result.

    While there are claims, `asks` must not be sent before these are answered; an answer other than
    `granted` means a new walk.
    """
    walked = _Walk(state, abilities, trace).walk()
    if state.awaits_claims() or state.survivor:
        return walked._replace(asks=())
    return walked


def counted(state: PublicationState) -> tuple[int, int]:
    """(fetchTime, retryCounter): a fold over the accepted runs (F-CAN-02, F-CAN-03) that reached somebody."""
    epoch = state.epoch
    put = state.puts.get(epoch)
    fetch_time, retry_counter = (put.fetch_time, put.retry_counter) if put is not None else (0, 0)
    for run in state.runs:
        counts = run.epoch == epoch and run.fetches and not run.joins and not run.settings.citations_only
        if counts and not state.reached_nobody(run):
            fetch_time, retry_counter = counters(
                fetch_time, retry_counter, FetchDecision(True, run.resets), run.accepted_at
            )
    return fetch_time, retry_counter


def record_of(state: PublicationState, walked: Walked) -> Record:
    """The record as it stands after a walk.

    An identifier that belongs to an earlier submitted publication is not this record's, also where it was
    submitted with it: it may be asked with, but it stands in one record only (design law 4).
    """
    fetch_time, retry_counter = counted(state)
    record = walked.draft.record(
        state.publication,
        fetch_time=fetch_time,
        retry_counter=retry_counter,
        fetch_exception=walked.fetch_exception,
        known=walked.known,
    )
    contested = state.contested()
    others = {kind: Part() for kind, value in record.identifiers.known() if (kind, value) in contested}
    return msgspec.structs.replace(record, **others) if others else record
