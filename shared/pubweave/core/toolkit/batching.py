"""How a resource goes on when a reply cannot be read: ask again, ask in parts, or say so.

Resources that can ask for many identifiers at once ask in *steps*. A batch that fails is halved until each
need stands alone; what stands alone and fails ends its need with the word of the failure. Nothing here loops:
a question is repeated a bounded number of times (`RESETS`, `BROKEN`, `WAITS`), and every other way on has fewer
needs or a later step.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal, TypeAlias

import msgspec

from pubweave.contract.digests import quick_digest
from pubweave.contract.exchange import Reply, Request, Work
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.vocabulary import THERE_IS_NOTHING, AttemptOutcome, NoteLevel, ResourceName
from pubweave.core.toolkit.answering import NeedAnswer, failed, wanted
from pubweave.core.toolkit.service import Said

RESET_DELAY_MS: Final = 31_000
"""A broken connection is tried once more as a delayed event, which waits must exceed 30 s for (fault 55)."""
UNTOLD_WAIT_MS: Final = 60_000
"""How long to wait after "too many requests" when the source does not say."""
LONGEST_WAIT_MS: Final = 3_600_000
"""A source that wants to be left alone for longer than this is not waited for."""
LONGEST_QUOTA_WAIT_MS: Final = 25 * 3_600_000
"""Daily quotas open again within a day."""

RESETS: Final = 1
BROKEN: Final = 1
"""A single question whose reply is cut or garbled is asked once more; a batch is halved instead."""
WAITS: Final = 3

NextMove: TypeAlias = Literal["halve", "alone", "give-up"]

AFTER_A_BATCH_FAILED: Final[dict[AttemptOutcome, NextMove]] = {
    # One identifier of the batch, or its length, may be the reason.
    "unavailable": "halve",
    "http-error": "halve",
    "malformed": "halve",
    "timeout": "halve",
    "reset": "halve",
    "too-large": "halve",
    "wrong-type": "halve",
    "blocked": "halve",  # a firewall that takes one identifier for an attack
    "redirect-loop": "halve",
    "failed": "halve",
    # The address for batches is not there; the one for single questions may be.
    "absent": "alone",
    "gone": "alone",
    "not-replayed": "alone",  # recorded with other batches; single questions are the same in every run
    # Says nothing about what was asked: asking in parts would only ask more often.
    "rate-limited": "give-up",
    "over-quota": "give-up",
    "refused": "give-up",
    "unresolved": "give-up",
    "tls-failure": "give-up",
    "refused-by-robots": "give-up",
    "refused-address": "give-up",
    "bad-url": "give-up",
    "no-door": "give-up",
}


class Repeats(msgspec.Struct, frozen=True, omit_defaults=True):
    """How often the question at hand was asked again, by reason. Travels in `Work.memory`."""

    resets: int = 0
    broken: int = 0
    waits: int = 0


_no_repeats: Final = Repeats()
_decoder: Final = msgspec.json.Decoder(Repeats | None)
_encoder: Final = msgspec.json.Encoder()

RequestFor: TypeAlias = Callable[[str, tuple[NeedsPart, ...]], Request]
"""`(step, needs) -> Request`: what a resource asks with in one of its steps."""
GiveUp: TypeAlias = Callable[[Work, NeedsPart, Reply], list[Said]]
"""What becomes of a need that stands alone and whose question failed for good."""
Halve: TypeAlias = Callable[[Sequence[NeedsPart]], list[tuple[NeedsPart, ...]]]


def halves(needs: Sequence[NeedsPart]) -> list[tuple[NeedsPart, ...]]:
    """Two parts of equal size, the first larger by one if need be; a single need stays whole."""
    middle = (len(needs) + 1) // 2
    return [part for part in (tuple(needs[:middle]), tuple(needs[middle:])) if part]


def broken(reply: Reply, evidence: str) -> Reply:
    """A reply that came but is not what it should be; as if the door had seen it (F-EXC-11: no flag)."""
    return msgspec.structs.replace(reply, outcome="malformed", evidence=evidence)


def named(reply: Reply) -> Reply:
    """The reply with its body's digest in place of the body.

    Names the answers of many needs (`core.toolkit.answering.NeedAnswer`) without digesting a long body for each.
    """
    return msgspec.structs.replace(reply, body=quick_digest(reply.body).encode(), blob=None)


def failed_query(need: NeedsPart, reply: Reply, level: NoteLevel = "warning") -> list[Said]:
    """A need ends as its reply did, asked at an address that answers every query with 200, hits or not.

    Its 404 is no word about the publication and must not become one (design law 3).
    """
    if reply.outcome in THERE_IS_NOTHING:
        why = reply.evidence or f"status {reply.status} from a query address"
        return failed(need, reply, "http-error", why)
    return failed(need, reply, level=level)


def repetition(reply: Reply, repeats: Repeats, *, alone: bool = True) -> tuple[int, Repeats] | None:
    """(delay, repeats so far) if this very question is to be asked once more.

    :param alone: it was asked for one need; a batch whose reply is broken is asked in parts instead
    """
    match reply.outcome:
        case "reset" if repeats.resets < RESETS:
            return RESET_DELAY_MS, msgspec.structs.replace(repeats, resets=repeats.resets + 1)
        case "malformed" if alone and repeats.broken < BROKEN:
            return 0, msgspec.structs.replace(repeats, broken=repeats.broken + 1)
        case "rate-limited" | "over-quota" if repeats.waits < WAITS:
            delay_ms = reply.retry_after_ms or UNTOLD_WAIT_MS
            longest = LONGEST_WAIT_MS if reply.outcome == "rate-limited" else LONGEST_QUOTA_WAIT_MS
            if delay_ms <= longest:
                return delay_ms, msgspec.structs.replace(repeats, waits=repeats.waits + 1)
    return None


class ResourceAsking:
    """How one resource asks; one object for one `step`.

    :param request_for: what is sent in a step for these needs
    :param batches: steps that ask for many, each with the step that asks alone for what it could not get
    :param give_up: how a need ends whose single question failed
    :param halve: how needs are parted; parts must be smaller than the whole unless it is one single part
    """

    def __init__(
        self,
        resource: ResourceName,
        request_for: RequestFor,
        *,
        batches: Mapping[str, str] | None = None,
        give_up: GiveUp | None = None,
        halve: Halve = halves,
    ) -> None:
        self._resource = resource
        self._request_for = request_for
        self._batches = batches or {}
        self._give_up = give_up or (lambda work, need, reply: failed_query(need, reply))
        self._halve = halve

    def ask(self, step: str, needs: tuple[NeedsPart, ...]) -> ReplyWanted:
        """One question for these needs together."""
        return wanted(self._request_for(step, needs), self._resource, needs, step=step)

    def each(self, step: str, needs: Sequence[NeedsPart]) -> list[Said]:
        """One question for each need."""
        return [self.ask(step, (need,)) for need in needs]

    def in_parts(self, step: str, needs: Sequence[NeedsPart]) -> list[Said]:
        """Two questions in a batch step; a part of one need is asked alone."""
        parts = self._halve(needs)
        said: list[Said] = []
        for part in parts:
            if len(part) == 1 or len(parts) == 1:
                said += self.each(self._batches[step], part)
            else:
                said.append(self.ask(step, part))
        return said

    def begin(self, work: Work, alone: str, batch: str, at_most: int, kinds: str) -> list[Said]:
        """The first questions: one for all needs, or (only one need, or `at_most` is 1) one for each.

        :param at_most: needs in one question
        :param kinds: what the resource asks with, for the evidence of needs that have no such identifier
        """
        askable = tuple(need for need in work.needs if need.value)
        said: list[Said] = [
            event
            for need in work.needs
            if not need.value
            for event in NeedAnswer(need).done("skipped", f"no {kinds} to ask with")
        ]
        for start in range(0, len(askable), at_most):
            together = askable[start : start + at_most]
            said.append(self.ask(batch if len(together) > 1 else alone, together))
        return said

    def left_out(
        self, work: Work, needs: Sequence[NeedsPart], *, progress: bool, cut: bool = False
    ) -> list[Said]:
        """What a readable reply to a batch left out, where there is one form of query only.

        A cut reply that brought something: the rest together, once more. A whole one: single questions, unless
        so much is lacking that the source must have forgotten it; then in parts.

        :param progress: the reply brought something
        :param cut: it broke off
        """
        if progress and cut and len(needs) > 1:
            return [self.ask(work.step, tuple(needs))]
        if cut or (progress and 2 * len(needs) > len(work.needs)):
            return self.in_parts(work.step, needs)
        return self.each(self._batches[work.step], needs)

    def unanswered(self, work: Work, reply: Reply) -> list[Said]:
        """What follows a reply that cannot be read: a repetition, smaller questions, or outcomes."""
        if reply.outcome == "empty":
            reply = broken(reply, "a reply without a body")
        repeats = _decoder.decode(work.memory) or _no_repeats
        again = repetition(reply, repeats, alone=work.step not in self._batches)
        if again is not None:
            delay_ms, repeats = again
            return [
                wanted(
                    self._request_for(work.step, work.needs),
                    self._resource,
                    work.needs,
                    step=work.step,
                    tries=work.tries + 1,
                    memory=_encoder.encode(repeats),
                    delay_ms=delay_ms,
                )
            ]
        move: NextMove = "give-up"
        if (
            work.step in self._batches and not reply.unreached
        ):  # smaller questions find no other way to a host
            move = AFTER_A_BATCH_FAILED.get(reply.outcome, "give-up")
        if move == "halve":
            return self.in_parts(work.step, work.needs)
        if move == "alone":
            return self.each(self._batches[work.step], work.needs)
        seen = named(reply)
        return [said for need in work.needs for said in self._give_up(work, need, seen)]
