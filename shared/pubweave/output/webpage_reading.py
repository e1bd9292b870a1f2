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


class _ReadWebpage(msgspec.Struct):
    """What is read of one element; what can be computed is passed over (F-DB-05). Texts may be null, as Java has them."""

    startUrl: str
    finalUrl: str | None
    contentType: str | None
    statusCode: int
    contentTime: int
    license: str | None
    language: str | None
    title: str | None
    content: str | None
    fetchTime: int
    retryCounter: int
    fetchException: bool
    pubweave: _Beyond = msgspec.field(default_factory=_Beyond)


class NotWebpages(ValueError):
    """The bytes are no JSON output with web pages or docs; the text is one sentence that says where."""


_DOCUMENTS: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_LISTS: Final = msgspec.json.Decoder(list[msgspec.Raw])
_PAGES: Final = msgspec.json.Decoder(_ReadWebpage)


def lists_in(body: bytes) -> tuple[str, ...]:
    """Which lists of entries a JSON document has; `startUrl` for JSON Lines of pages; () for anything else."""
    text = _bare(body)
    try:
        members = _DOCUMENTS.decode(text)
    except msgspec.DecodeError:
        try:
            members = _DOCUMENTS.decode(text.partition(b"\n")[0])
        except msgspec.DecodeError:
            return ()
    return tuple(name for name in ("publications", "webpages", "docs", "startUrl") if name in members)


def read_webpages(body: bytes, which: PageList) -> Iterator[WebpageRecord]:
    """The web pages or docs of one JSON document with metadata, or of JSON Lines (or one object), which do not
    say what they are.

    :raises NotWebpages: it has none of this list, or one that is incomplete (such as that of `--plain`)
    """
    for where, element in _elements(_bare(body), which):
        try:
            page = _PAGES.decode(element)
        except msgspec.DecodeError as problem:
            raise NotWebpages(f"{where}: {problem}") from problem
        if not page.startUrl.strip():
            raise NotWebpages(f"{where}: it has no startUrl")
        yield _record(page)


def read_webpage(value: dict[str, Any]) -> WebpageRecord:
    """One web page object (F-JSON-09) as a record.

    :raises msgspec.ValidationError: a member is missing or is not what it should be
    """
    return _record(msgspec.convert(value, _ReadWebpage))


def _bare(body: bytes) -> bytes:
    return body.removeprefix(b"\xef\xbb\xbf").strip()


def _is_one(text: bytes) -> bool:
    try:
        _DOCUMENTS.decode(text)
    except msgspec.DecodeError:
        return False
    return True


def _elements(text: bytes, which: PageList) -> Iterator[tuple[str, bytes | msgspec.Raw]]:
    if "startUrl" in lists_in(text):
        if _is_one(text):
            yield "the page", text
            return
        for number, line in enumerate(text.splitlines(), start=1):
            if line.strip():
                yield f"line {number}", line
        return
    try:
        document = _DOCUMENTS.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError) as problem:
        raise NotWebpages(f"this is no JSON document: {problem}") from problem
    if which not in document:
        raise NotWebpages(f"it has no member {which!r}")
    try:
        elements = _LISTS.decode(document[which])
    except msgspec.DecodeError as problem:
        raise NotWebpages(f"{which}: {problem}") from problem
    for number, element in enumerate(elements, start=1):
        yield f"{which}, number {number}", element


def _record(page: _ReadWebpage) -> WebpageRecord:
    given: dict[str, Any] = {
        "start_url": page.startUrl,
        "final_url": page.finalUrl or "",
        "content_type": page.contentType or "",
        "status_code": page.statusCode,
        "title": page.title or "",
        "content": page.content or "",
        "content_time": page.contentTime,
        "license": page.license or "",
        "language": page.language or "",
        "fetch_time": page.fetchTime,
        "retry_counter": page.retryCounter,
        "fetch_exception": page.fetchException,
        "outcome": page.pubweave.outcome,
        "evidence": page.pubweave.evidence,
        "rules_version": page.pubweave.rulesVersion,
    }
    return WebpageRecord(**given)
