"""May an entry be fetched (again), and what that does to its counters (F-LIB-07, chapter 14)."""

import time
from typing import TypeVar

import msgspec

from pubweave.contract.values import Cooldowns, Thresholds
from pubweave.core.merging.canfetch import Decision, Standing, counters
from pubweave.core.merging.canfetch import can_fetch as decide
from pubweave.core.record import Record
from pubweave.core.webpage_record import WebpageRecord

_E = TypeVar("_E", Record, WebpageRecord)


def can_fetch(
    entry: Record | WebpageRecord | None,
    cooldowns: Cooldowns | None = None,
    thresholds: Thresholds | None = None,
    now_ms: int | None = None,
) -> Decision:
    """Whether a fetch would be let (F-CAN-01).

    :param entry: None was never fetched
    :param cooldowns: in minutes, negative = never; the defaults unless given
    :param thresholds: from which sizes an entry is final; the defaults unless given
    :param now_ms: UNIX milliseconds; the clock of the machine unless given
    :returns: `fetches`, and `resets`: the fetch begins a new count of retries
    """
    sizes = thresholds or Thresholds()
    if entry is None:
        standing = Standing(0, 0, fetch_exception=False, is_empty=True, is_final=False)
    else:
        final = entry.is_final(sizes) if isinstance(entry, Record) else entry.is_final(sizes.webpageMinLength)
        standing = Standing(
            entry.fetch_time, entry.retry_counter, entry.fetch_exception, entry.is_empty(), final
        )
    return decide(standing, cooldowns or Cooldowns(), _now(now_ms))


def update_counters(entry: _E, decision: Decision, now_ms: int | None = None) -> _E:
    """The entry with `fetch_time` (UNIX ms) and `retry_counter` as they are after a fetch that was let (F-CAN-02, 03).

    :param now_ms: UNIX milliseconds; the clock of the machine unless given
    """
    fetch_time, retry_counter = counters(entry.fetch_time, entry.retry_counter, decision, _now(now_ms))
    return msgspec.structs.replace(entry, fetch_time=fetch_time, retry_counter=retry_counter)


def _now(now_ms: int | None) -> int:
    return time.time_ns() // 1_000_000 if now_ms is None else now_ms
