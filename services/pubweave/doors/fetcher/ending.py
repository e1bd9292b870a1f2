"""Which row of the table of outcomes a reply is, and what is handed on of it."""

import asyncio
from typing import Final

from pubweave.contract.exchange import Reply, Request
from pubweave.doors.fetcher.bodies import BadEncoding, BodyTooLarge, decoded, judged
from pubweave.doors.fetcher.outcomes import CASE_OF_SIGHT, CASES, Case, case_of_status, flags
from pubweave.doors.fetcher.settings import FetcherSettings
from pubweave.doors.fetcher.trail import AttemptEnd, Trail
from pubweave.doors.fetcher.wire import Exchange

_KEPT_HEADERS: Final = frozenset(
    {
        "content-disposition",
        "content-language",
        "content-location",
        "date",
        "etag",
        "last-modified",
        "link",
        "location",
        "retry-after",
        "x-robots-tag",
    }
)
_DECODE_IN_THREAD_BYTES: Final = 512 * 1024


def longest_body(request: Request, settings: FetcherSettings) -> int:
    """Bytes that a reply to this request may have."""
    if request.max_bytes:
        return request.max_bytes
    if request.expect in ("pdf", "any"):
        return settings.max_pdf_bytes
    return settings.max_body_bytes


async def ended_by(trail: Trail, exchange: Exchange, settings: FetcherSettings) -> AttemptEnd:
    """Which row of the table a reply is that leads no further."""
    request = trail.request
    fields = exchange.fields()
    if exchange.sight not in ("answered", "cut", "too-large"):
        return trail.end(CASES[CASE_OF_SIGHT[exchange.sight]], exchange.evidence, exchange)
    case = case_of_status(exchange.status, fields, trail.url, follow=request.follow_redirects)
    if exchange.sight == "too-large":
        return trail.end(case or CASES["too-large"], exchange.evidence, exchange)
    ended = trail.end(case or CASES["found"], exchange.evidence, exchange)
    ended.truncated = exchange.sight == "cut"
    problem: Case | None = None
    try:
        ended.body = await _decoded(request, exchange.body, fields.get("content-encoding", ""), settings)
    except BodyTooLarge as much:
        problem, ended.evidence = CASES["too-large"], str(much)
    except BadEncoding as bad:
        ended.body = bad.salvaged
        ended.truncated = True
        if exchange.sight == "answered":
            problem, ended.evidence = CASES["bad-encoding"], str(bad)
    if case is not None:
        # The status says enough; the body is evidence that may be missing.
        if not ended.url.startswith("ftp:"):
            ended.evidence = f"HTTP {exchange.status}"
        return ended
    if problem is not None:
        ended.case = problem
        return ended
    kind, evidence = judged(request.expect, fields.get("content-type", ""), ended.body)
    if exchange.sight == "cut":
        salvageable = request.expect == "xml" and kind.name == "found"
        ended.case = CASES["cut-xml" if salvageable else "cut"]
    else:
        ended.case, ended.evidence = kind, evidence
    return ended


async def _decoded(request: Request, raw: bytes, encoding: str, settings: FetcherSettings) -> bytes:
    if not encoding or encoding == "identity":
        return raw
    arguments = (raw, encoding, longest_body(request, settings), settings.max_compression_ratio)
    if len(raw) > _DECODE_IN_THREAD_BYTES:
        return await asyncio.to_thread(decoded, *arguments)
    return decoded(*arguments)


def reply_of(request: Request, ended: AttemptEnd, attempts: int, now_ms: int) -> Reply:
    """What the asker gets."""
    exchange = ended.exchange
    fields = exchange.fields() if exchange else {}
    publication, web = flags(ended.case, ended.url)
    status = exchange.status if exchange else 0
    answered = bool(status)
    if ended.url.startswith("ftp:"):
        # FTP has no such status (F-WEB-04: an address without one is a file that was read).
        answered, status = status == 200, 0
    return Reply(
        outcome=ended.case.outcome,
        url=request.url,
        final_url=ended.url if answered else "",
        status=status,
        content_type=fields.get("content-type", ""),
        headers=tuple((name, value) for name, value in fields.items() if name in _KEPT_HEADERS),
        body=ended.body,
        truncated=ended.truncated,
        fetched_at=ended.at_ms or now_ms,
        attempts=attempts,
        fetch_exception=publication,
        web_fetch_exception=web,
        retry_after_ms=ended.retry_after_ms,
        evidence=ended.evidence,
        unreached=ended.unreached,
    )
