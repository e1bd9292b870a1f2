"""A web page or doc as a fold over its facts: when it may be fetched, and what a fetch leaves (chapters 13.4 and 14).

Facts are the events of the topic `webpages`. They are sorted by epoch and run, so their order of arrival and
repeats change nothing, and the record can be made anew from the log alone.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple, TypeAlias

import msgspec

from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.resources import DECLARATIONS
from pubweave.contract.values import Cooldowns, Identifiers, Link, Place, RunSettings
from pubweave.contract.vocabulary import PageKind, ResourceName
from pubweave.contract.webpage_accepted import WebpageAccepted
from pubweave.contract.webpage_put import WebpagePut
from pubweave.contract.webpage_read import WebpageRead
from pubweave.contract.webpage_removed import WebpageRemoved
from pubweave.core.merging.canfetch import Decision, Standing, can_fetch, counters
from pubweave.core.webpage_record import WebpageRecord, decode_webpage, replaces

WebpageFact: TypeAlias = WebpageAccepted | WebpageRead | WebpagePut | WebpageRemoved

RESOURCES: Final[dict[PageKind, ResourceName]] = {
    one.entry: one.name for one in DECLARATIONS if one.entry is not None
}
"""Who reads which kind of page."""


class Folded(NamedTuple):
    """Where a page stands after all its facts."""

    record: WebpageRecord | None = None
    """None: never fetched, or removed."""
    epoch: int = 1
    run: int = 0
    """The last run of this epoch; 0 = none yet."""
    version: int = 0
    """How often the record was written: once for each fetch, put and removal."""
    reason: str = ""
    """Why it was written last."""
    changed_at: int = 0
    """When; UNIX ms."""
    gone: str = ""
    """Digest of its content, where that was stored no more and no fetch has brought another one yet."""


def page_key(entry: PageKind, url: str) -> str:
    """What the facts of a page are kept under: the same address can be a web page and a doc."""
    return f"{entry} {url}"


def fold(facts: Iterable[WebpageFact]) -> Folded:
    """The page that these facts tell of; facts of one page, in any order."""
    accepted: dict[tuple[int, int], WebpageAccepted] = {}
    written: dict[tuple[int, int], WebpageRead | WebpagePut | WebpageRemoved] = {}
    for fact in facts:
        match fact:
            case WebpageAccepted():
                accepted.setdefault((fact.epoch, fact.run), fact)
            case WebpageRead():
                written.setdefault((fact.epoch, fact.run), fact)
            case WebpagePut() | WebpageRemoved():
                written.setdefault((fact.epoch, 0), fact)
    folded = Folded()
    for place in sorted({*accepted, *written}):
        folded = _after(folded, place, accepted.get(place), written.get(place))
    return folded


def _after(
    before: Folded,
    place: tuple[int, int],
    accepted: WebpageAccepted | None,
    written: WebpageRead | WebpagePut | WebpageRemoved | None,
) -> Folded:
    epoch, run = place
    old = before.record if epoch == before.epoch else None
    version = before.version + 1
    match written:
        case WebpagePut():
            return Folded(decode_webpage(written.record), epoch, run, version, "put in place", written.put_at)
        case WebpageRemoved():
            return Folded(None, epoch, run, version, written.reason, written.removed_at)
        case WebpageRead() if accepted is not None:
            record = after_fetch(old, accepted, written)
            kept = old is not None and record.content_time == old.content_time and not old.is_empty()
            reason = f"fetch {epoch}.{run}: {written.outcome}" + (
                ", the content before is kept" if kept else ""
            )
            found = bool(written.content) or written.blob is not None
            gone = "" if found or old is None or not is_gone(old, accepted.gone) else accepted.gone
            return Folded(record, epoch, run, version, reason, written.fetched_at, gone)
    # Accepted, and nothing heard of it (yet): only its number is taken.
    return before._replace(epoch=epoch, run=run)


def after_fetch(old: WebpageRecord | None, accepted: WebpageAccepted, read: WebpageRead) -> WebpageRecord:
    """What is stored after a fetch (F-WEB-30…32, A-49).

    Counters, the flag and the outcome are those of this fetch, whichever content stays. A fetch that reached no host
    counts for nothing.
    """
    before = (old.fetch_time, old.retry_counter) if old is not None else (0, 0)
    decision = Decision(fetches=True, resets=accepted.resets)
    fetch_time, retry_counter = (
        before if read.unreached else counters(*before, decision, accepted.accepted_at)
    )
    new = WebpageRecord(
        start_url=accepted.url,
        final_url=read.final_url,
        content_type=read.content_type,
        status_code=read.status_code,
        title=read.title,
        content=read.content,
        blob=read.blob,
        blob_size=read.blob_size,
        license=read.license,
        language=read.language,
        rules_version=read.rules_version,
    )
    new = msgspec.structs.replace(new, content_time=read.fetched_at if new.content_size else 0)
    if old is not None and is_gone(old, accepted.gone):
        kept = new if new.content_size else old
    else:
        kept = new if old is None or replaces(new, old, _minimum(accepted.settings)) else old
    return msgspec.structs.replace(
        kept,
        fetch_time=fetch_time,
        retry_counter=retry_counter,
        fetch_exception=read.fetch_exception,
        outcome=read.outcome,
        evidence=read.evidence,
    )


def is_gone(record: WebpageRecord, gone: str) -> bool:
    """This is the digest of its content."""
    return record.blob is not None and record.blob.digest == gone


def standing(record: WebpageRecord | None, settings: RunSettings) -> Standing:
    """What can-fetch looks at; a page that is not stored has never been fetched."""
    if record is None:
        return Standing(0, 0, fetch_exception=False, is_empty=True, is_final=False)
    return Standing(
        record.fetch_time,
        record.retry_counter,
        record.fetch_exception,
        record.is_empty(),
        record.is_final(_minimum(settings)),
    )


def accept(
    folded: Folded,
    entry: PageKind,
    url: str,
    settings: RunSettings,
    cooldowns: Cooldowns,
    now_ms: int,
    *,
    fresh: bool = False,
    correlation_id: str = "",
    gone: str = "",
) -> WebpageAccepted | None:
    """The next run of a page; None if what is stored is good enough (F-CAN-01…07).

    :param fresh: fetch whatever is stored, and let the answer take its place (F-CLI-111, F-CLI-112)
    :param gone: digest of a content that is stored no more; a page that has it is fetched without regard to cooldowns,
        once
    """
    epoch, run = folded.epoch, folded.run + 1
    resets = True
    if folded.record is None or not is_gone(folded.record, gone):
        gone = folded.gone
    if not fresh and gone == folded.gone:
        stands = standing(folded.record, settings)
        decision = can_fetch(stands._replace(is_final=stands.is_final and not gone), cooldowns, now_ms)
        if not decision.fetches:
            return None
        resets = decision.resets
    elif fresh and folded.record is not None:
        epoch, run = epoch + 1, 1
    return WebpageAccepted(
        publication=page_key(entry, url),
        entry=entry,
        url=url,
        epoch=epoch,
        run=run,
        accepted_at=now_ms,
        settings=settings,
        resets=resets,
        correlation_id=correlation_id,
        gone=gone,
    )


def need_of(accepted: WebpageAccepted, deadline_at: int = 0) -> NeedsPart:
    """What the resource is asked in this run."""
    return NeedsPart(
        publication=accepted.publication,
        need=f"{accepted.publication}/{accepted.epoch}.{accepted.run}",
        place=Place(accepted.epoch, accepted.run, 1, 1, 1, 0),
        resource=RESOURCES[accepted.entry],
        identifiers=Identifiers(),
        settings=accepted.settings,
        link=Link(url=accepted.url, type="webpage"),
        correlation_id=accepted.correlation_id,
        deadline_at=deadline_at,
    )


def why_refused(outcome: str, evidence: str) -> str:
    """Why nobody asked the page's address; "" if somebody did, whatever came of it."""
    if outcome not in ("refused-address", "bad-url"):
        return ""
    return f"its address was refused: {evidence}" if evidence else "its address was refused"


def _minimum(settings: RunSettings) -> int:
    return settings.thresholds.webpageMinLength
