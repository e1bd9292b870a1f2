"""A web page or doc as JSON object (F-JSON-09, F-JSON-10) and as text (F-TXT-01, F-TXT-07).

What 18.2 does not know stands in one last member `pubweave`. The content must be in the record: one that lies among
the blobs comes out empty.
"""

from collections.abc import Iterator
from typing import Any, Final

from pubweave.contract.values import Thresholds
from pubweave.core.webpage_record import WebpageRecord
from pubweave.output.text import SEPARATOR
from pubweave.output.times import instant

_INDENT: Final = "    "


def webpage_object(record: WebpageRecord, thresholds: Thresholds, *, plain: bool = False) -> dict[str, Any]:
    """One element of `webpages` or `docs`, its members in the order of the specification."""
    if plain:
        return {"startUrl": record.start_url, "title": record.title, "content": record.content}
    minimum = thresholds.webpageMinLength
    return {
        "fetchTime": record.fetch_time,
        "fetchTimeHuman": instant(record.fetch_time),
        "retryCounter": record.retry_counter,
        "fetchException": record.fetch_exception,
        "startUrl": record.start_url,
        "finalUrl": record.final_url,
        "contentType": record.content_type,
        "statusCode": record.status_code,
        "contentTime": record.content_time,
        "contentTimeHuman": instant(record.content_time),
        "license": record.license,
        "language": record.language,
        "titleLength": len(record.title),
        "contentLength": record.content_size,
        "title": record.title,
        "empty": record.is_empty(),
        "usable": record.is_usable(minimum),
        "final": record.is_final(minimum),
        "broken": record.is_broken(),
        "content": record.content,
        "pubweave": {
            "outcome": record.outcome,
            "evidence": record.evidence,
            "rulesVersion": record.rules_version,
        },
    }


def webpage_text(record: WebpageRecord, *, plain: bool = False) -> str:
    """One web page or doc; ends with a line end."""
    if plain:
        return f"{record.start_url}\n\n{record.title}\n\n{record.content}\n"
    return "\n".join(_lines(record)) + "\n"


def between_webpages() -> str:
    """What stands between two of them (F-TXT-06)."""
    return f"\n{SEPARATOR}\n\n"


def _lines(record: WebpageRecord) -> Iterator[str]:
    yield f"START URL: {record.start_url}"
    yield f"FINAL URL: {record.final_url}".rstrip()
    yield f"CONTENT TYPE: {record.content_type}".rstrip()
    yield f"STATUS CODE: {record.status_code}"
    yield f"FETCH TIME: {_moment(record.fetch_time)}"
    yield f"RETRY COUNTER: {record.retry_counter}"
    yield f"FETCH EXCEPTION: {'yes' if record.fetch_exception else 'no'}"
    if record.outcome not in ("", "found") or record.evidence:
        yield f"OUTCOME: {': '.join(word for word in (record.outcome, record.evidence) if word)}"
    yield f"LICENSE: {record.license}".rstrip()
    yield f"LANGUAGE: {record.language}".rstrip()
    yield ""
    yield f"TITLE: {record.title}".rstrip()
    yield f"{_INDENT}size: {len(record.title)}"
    yield ""
    yield "CONTENT:"
    if record.content:
        yield record.content
    yield f"{_INDENT}timestamp: {_moment(record.content_time)}"
    yield f"{_INDENT}size: {record.content_size}"


def _moment(unix_ms: int) -> str:
    return f"{instant(unix_ms)} ({unix_ms})"
