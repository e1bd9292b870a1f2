"""Web pages and docs read back from our own JSON output (F-JSON-09), so that a database can be filled from an export."""

from collections.abc import Iterator
from typing import Any, Final, Literal

import msgspec

from pubweave.core.webpage_record import WebpageRecord

PageList = Literal["webpages", "docs"]


class _Beyond(msgspec.Struct):
    outcome: str = ""
    evidence: str = ""
    rulesVersion: str = ""


class _Page(msgspec.Struct):
    """What is read of one element; what can be computed is passed over (F-DB-05)."""

    startUrl: str
    finalUrl: str
    contentType: str
    statusCode: int
    contentTime: int
    license: str
    language: str
    title: str
    content: str
    fetchTime: int
    retryCounter: int
    fetchException: bool
    pubweave: _Beyond = msgspec.field(default_factory=_Beyond)


class NotWebpages(ValueError):
    """The bytes are no JSON output with web pages or docs; the text is one sentence that says where."""


_DOCUMENTS: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_LISTS: Final = msgspec.json.Decoder(list[msgspec.Raw])
_PAGES: Final = msgspec.json.Decoder(_Page)


def read_webpages(body: bytes, which: PageList) -> Iterator[WebpageRecord]:
    """The web pages or docs of one JSON document with metadata.

    :raises NotWebpages: it has none of this list, or one that is incomplete (such as that of `--plain`)
    """
    try:
        document = _DOCUMENTS.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as problem:
        raise NotWebpages(f"this is no JSON document: {problem}") from problem
    if which not in document:
        raise NotWebpages(f"it has no member {which!r}")
    try:
        elements = _LISTS.decode(document[which])
    except msgspec.DecodeError as problem:
        raise NotWebpages(f"{which}: {problem}") from problem
    for number, element in enumerate(elements, start=1):
        try:
            page = _PAGES.decode(element)
        except msgspec.DecodeError as problem:
            raise NotWebpages(f"{which}, number {number}: {problem}") from problem
        if not page.startUrl.strip():
            raise NotWebpages(f"{which}, number {number}: it has no startUrl")
        yield _record(page)


def _record(page: _Page) -> WebpageRecord:
    given: dict[str, Any] = {
        "start_url": page.startUrl,
        "final_url": page.finalUrl,
        "content_type": page.contentType,
        "status_code": page.statusCode,
        "title": page.title,
        "content": page.content,
        "content_time": page.contentTime,
        "license": page.license,
        "language": page.language,
        "fetch_time": page.fetchTime,
        "retry_counter": page.retryCounter,
        "fetch_exception": page.fetchException,
        "outcome": page.pubweave.outcome,
        "evidence": page.pubweave.evidence,
        "rules_version": page.pubweave.rulesVersion,
    }
    return WebpageRecord(**given)
