"""How a resource says what it found: numbered places, one answer digest, one outcome."""

from typing import Final, TypeAlias

import msgspec
from msgspec.structs import force_setattr

from pubweave.contract.digests import quick_digest
from pubweave.contract.exchange import Reply, Request, Work
from pubweave.contract.field_candidate import FieldCandidate
from pubweave.contract.findings import Mark
from pubweave.contract.gate_flag import GateFlag
from pubweave.contract.link_found import LinkFound
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.part_candidate import PartCandidate
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.resource_done import ResourceDone
from pubweave.contract.values import (
    CorrespAuthor,
    Link,
    MeshTerm,
    MinedTerm,
    Note,
    Notice,
    Place,
    Relation,
    RuleMissed,
    VisitedSite,
)
from pubweave.contract.vocabulary import (
    AttemptOutcome,
    DoorName,
    FieldName,
    GateName,
    IdentifierKind,
    NeedOutcome,
    NoteLevel,
    PartName,
    ResourceName,
    TypeName,
)
from pubweave.core.identifiers import taken
from pubweave.core.politeness import politeness_unit
from pubweave.core.toolkit.service import Said

MOST_KEYWORDS: Final = 1_000
LONGEST_KEYWORD: Final = 1_000
"""Characters. Both bound what a page made to do harm puts into an event."""


_Finding: TypeAlias = PartCandidate | FieldCandidate | GateFlag | LinkFound


class NeedAnswer:
    """Collects what one need's answer says; `done` ends it and gives the events.

    `replies` are the replies the answer rests on; `fetched_at` is that of the last. Their bytes and outcomes and all that was
    found in them name the answer. So the same replies read the same way give the same events, and a reply that is read once
    more by other rules, settings or releases gives another answer, of which all or nothing counts.
    """

    def __init__(self, need: NeedsPart, *replies: Reply) -> None:
        self._need = need
        self._asked_at = need.place[:-1]
        self._fetched_at = max((reply.fetched_at for reply in replies), default=0)
        self._digest = quick_digest(
            need.need, *(piece for reply in replies for piece in (reply.outcome, reply.url, reply.body))
        )
        self._unreached = bool(replies) and all(reply.unreached for reply in replies)
        self._said: list[_Finding] = []
        self._notes: list[Note] = []

    def _place(self) -> Place:
        return Place(*self._asked_at, len(self._said))

    def note(self, level: NoteLevel, text: str) -> None:
        """A line for the log, beside the outcome."""
        self._notes.append(Note(level, text))

    def lacks(self, *parts: PartName) -> None:
        """Note which of these parts are wanted and were not found in what was read (F-SEL-06).

        To be called when all is said. Nobody misses keywords.
        """
        said = {one.part for one in self._said if isinstance(one, PartCandidate)}
        lacking = [part for part in parts if part in self._need.missing and part not in said]
        if lacking:
            self.note("warning", f"nothing found for {', '.join(lacking)}")

    def identifier(
        self,
        kind: IdentifierKind,
        type_: TypeName,
        url: str,
        found: str,
        marks: tuple[Mark, ...] = (),
        rule: str = "",
        *,
        level: NoteLevel = "error",
        whole: bool = False,
    ) -> None:
        """An identifier as a source wrote it: cut out of what stands around it, not taken if it is none (F-ID-15, 16).

        :param level: of the note if it is none: an error of an API, a warning of a page
        :param whole: nothing is cut out of a text with a blank inside (F-ID-05)
        """
        value, note = taken(kind, found, level, whole=whole)
        if note is not None:
            self._notes.append(note)
        self.text(kind, type_, url, value, marks, rule)

    def text(
        self,
        part: PartName,
        type_: TypeName,
        url: str,
        text: str,
        marks: tuple[Mark, ...] = (),
        rule: str = "",
        *,
        document: bytes = b"",
    ) -> None:
        """A title, abstract, full text or identifier; an empty one is not said (F-FILL-02).

        :param document: the article that a full text was read from, as XML
        """
        text = text.strip()
        if text:
            self._part(part, type_, url, len(text), text=text, marks=marks, rule=rule, document=document)

    def keywords(
        self, type_: TypeName, url: str, words: tuple[str, ...], marks: tuple[Mark, ...] = (), rule: str = ""
    ) -> None:
        """Author keywords: trimmed, empty ones and repetitions removed, order kept (F-PT-05).

        What is longer or more than `LONGEST_KEYWORD`, `MOST_KEYWORDS` is left out: no article has such.
        """
        found = dict.fromkeys(word for raw in words if 0 < len(word := raw.strip()) <= LONGEST_KEYWORD)
        kept = tuple(found)[:MOST_KEYWORDS]
        if kept:
            self._part("keywords", type_, url, len(kept), words=kept, marks=marks, rule=rule)

    def mesh(self, type_: TypeName, url: str, terms: tuple[MeshTerm, ...]) -> None:
        """MeSH headings; those without a term are dropped (F-PT-06)."""
        kept = tuple(term for term in terms if term.term)
        if kept:
            self._part("mesh", type_, url, len(kept), mesh=kept)

    def terms(self, part: PartName, type_: TypeName, url: str, terms: tuple[MinedTerm, ...]) -> None:
        """Mined EFO or GO terms."""
        if terms:
            self._part(part, type_, url, len(terms), terms=terms)

    def _part(
        self,
        part: PartName,
        type_: TypeName,
        url: str,
        size: int,
        *,
        text: str = "",
        words: tuple[str, ...] = (),
        mesh: tuple[MeshTerm, ...] = (),
        terms: tuple[MinedTerm, ...] = (),
        marks: tuple[Mark, ...] = (),
        rule: str = "",
        document: bytes = b"",
    ) -> None:
        self._said.append(
            PartCandidate(
                publication=self._need.publication,
                need=self._need.need,
                answer="",
                place=self._place(),
                fetched_at=0,
                part=part,
                type=type_,
                url=url,
                size=size,
                text=text,
                words=words,
                mesh=mesh,
                terms=terms,
                marks=marks,
                rule=rule,
                document=document,
            )
        )

    def field(
        self,
        field: FieldName,
        url: str,
        *,
        flag: bool = False,
        number: int = -1,
        text: str = "",
        authors: tuple[CorrespAuthor, ...] = (),
        site: VisitedSite | None = None,
        relation: Relation | None = None,
        notice: Notice | None = None,
        marks: tuple[Mark, ...] = (),
    ) -> None:
        """A field; extracted whenever the resource is read, whatever parts were requested (F-PT-21)."""
        self._said.append(
            FieldCandidate(
                publication=self._need.publication,
                need=self._need.need,
                answer="",
                place=self._place(),
                fetched_at=0,
                field=field,
                url=url,
                flag=flag,
                number=number,
                text=text,
                authors=authors,
                site=site,
                relation=relation,
                notice=notice,
                marks=marks,
            )
        )

    def gate(self, gate: GateName, is_open: bool) -> None:
        """A Y/N flag of Europe PMC (F-EPMC-09)."""
        self._said.append(
            GateFlag(
                publication=self._need.publication,
                need=self._need.need,
                answer="",
                place=self._place(),
                fetched_at=0,
                gate=gate,
                open=is_open,
            )
        )

    def link(self, url: str, type_: TypeName, found_on: str) -> None:
        """A link for the link phase (F-LNK-02)."""
        self._said.append(
            LinkFound(
                publication=self._need.publication,
                need=self._need.need,
                answer="",
                place=self._place(),
                fetched_at=0,
                link=Link(url=url, type=type_, from_=found_on),
            )
        )

    def done(
        self,
        outcome: NeedOutcome,
        evidence: str = "",
        *,
        success: bool = False,
        fetch_exception: bool = False,
        tried: tuple[str, ...] = (),
        missed: tuple[RuleMissed, ...] = (),
    ) -> list[Said]:
        """End the answer: everything found, then the one outcome of the need."""
        answer = quick_digest(self._digest, *(piece for one in self._said for piece in _content(one)))
        for one in self._said:  # nobody has seen them yet
            force_setattr(one, "answer", answer)
            force_setattr(one, "fetched_at", self._fetched_at)
        end = ResourceDone(
            publication=self._need.publication,
            need=self._need.need,
            answer=answer,
            place=self._place(),
            fetched_at=self._fetched_at,
            resource=self._need.resource,
            outcome=outcome,
            found=len(self._said),
            success=success,
            fetch_exception=fetch_exception,
            evidence=evidence,
            tried=tried,
            unreached=self._unreached,
            missed=missed,
            notes=tuple(self._notes),
        )
        return [*self._said, end]


def _content(one: _Finding) -> tuple[str | bytes, ...]:
    """All that a finding says of itself, long texts as they are."""
    if not isinstance(one, PartCandidate):
        return (repr(one),)
    more = (one.part, one.type, one.url, one.words, one.mesh, one.terms, one.marks, one.rule)
    return (one.text, one.document, repr(more))


def failed(
    need: NeedsPart,
    reply: Reply,
    outcome: AttemptOutcome | None = None,
    evidence: str = "",
    level: NoteLevel = "warning",
) -> list[Said]:
    """A need ends as its reply did: the same word, nothing found.

    :param level: of the line in the log; a failure is a warning unless the specification names another
    """
    answer = NeedAnswer(need, reply)
    if level != "warning":
        answer.note(level, f"{outcome or reply.outcome}: {evidence or reply.evidence}".removesuffix(": "))
    return answer.done(
        outcome or reply.outcome, evidence or reply.evidence, fetch_exception=reply.fetch_exception
    )


def wanted(
    request: Request,
    resource: ResourceName,
    needs: tuple[NeedsPart, ...],
    *,
    step: str = "",
    tries: int = 0,
    memory: bytes = b"null",
    delay_ms: int = 0,
    door: DoorName = "fetcher",
) -> ReplyWanted:
    """Ask a door; the work travels with the question."""
    return ReplyWanted(
        ask=quick_digest(
            request.url,
            request.method,
            repr(request.form),
            door,
            step,
            str(tries),
            *(need.need for need in needs),
        ),
        unit=politeness_unit(request.url, request.family),
        request=request,
        work=Work(resource=resource, needs=needs, step=step, tries=tries, memory=msgspec.Raw(memory)),
        door=door,
        delay_ms=delay_ms,
        lane="interactive" if any(need.lane == "interactive" for need in needs) else "bulk",
    )


def wanted_page(
    need: NeedsPart,
    url: str,
    door: DoorName,
    *,
    step: str,
    memory: bytes,
    tries: int = 0,
    delay_ms: int = 0,
) -> ReplyWanted:
    """Ask for a page, or a PDF of the PDF reader; the renderer runs its scripts. robots.txt holds (6.1, 6.3)."""
    request = Request(
        url=url,
        expect="pdf" if door == "pdf_reader" else "html",
        robots=True,
        timeout_ms=need.settings.timeout_ms,
        javascript=door == "renderer",
    )
    return wanted(
        request, need.resource, (need,), step=step, tries=tries, memory=memory, delay_ms=delay_ms, door=door
    )
