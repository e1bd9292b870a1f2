"""Entries as JSON, text and HTML, with or without metadata (F-LIB-08)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pubweave.contract.values import Thresholds
from pubweave.contract.vocabulary import PartName
from pubweave.core.record import Record
from pubweave.core.webpage_record import WebpageRecord

if TYPE_CHECKING:
    from pubweave.core.reading.jats.document import Document


def as_json(
    entry: Record | WebpageRecord,
    *,
    plain: bool = False,
    parts: Sequence[PartName] = (),
    thresholds: Thresholds | None = None,
) -> dict[str, Any]:
    """An entry as the object of chapter 18.2, its members in that order.

    :param plain: without metadata (F-JSON-07, F-JSON-10)
    :param parts: of a publication: only these; empty = all
    :param thresholds: from which sizes, in characters or elements, parts are usable; the defaults unless given
    """
    from pubweave.output.publication import Selection, publication_object
    from pubweave.output.webpage import webpage_object

    if isinstance(entry, Record):
        return publication_object(
            entry, thresholds or Thresholds(), Selection(plain=plain, parts=tuple(parts))
        )
    return webpage_object(entry, thresholds or Thresholds(), plain=plain)


def as_text(entry: Record | WebpageRecord, *, plain: bool = False, parts: Sequence[PartName] = ()) -> str:
    """An entry as the plain text of chapter 18.3; ends with a line end. The parameters are those of `as_json`."""
    from pubweave.output.publication import Selection
    from pubweave.output.text import publication_text
    from pubweave.output.webpage import webpage_text

    if isinstance(entry, Record):
        return publication_text(entry, Selection(plain=plain, parts=tuple(parts)))
    return webpage_text(entry, plain=plain)


def as_html(
    entry: Record | WebpageRecord,
    *,
    plain: bool = False,
    parts: Sequence[PartName] = (),
    document: "Document | None" = None,
) -> str:
    """An entry as one `<article>`, everything in it escaped (F-HTML-03). The other parameters are those of `as_json`.

    :param document: of a publication: its full text in sections (`structured_document`), shown unless `plain`
    """
    from pubweave.output.html_entries import publication_html, webpage_html
    from pubweave.output.publication import Envelope, Selection

    if isinstance(entry, Record):
        envelope = Envelope(document=document)
        return publication_html(entry, Selection(plain=plain, parts=tuple(parts)), 1, envelope)
    return webpage_html(entry, plain=plain, number=1)


def escape_html(text: str) -> str:
    """A text with `&`, `<` and `>` escaped (F-CLI-42).

    >>> escape_html("a<b")
    'a&lt;b'
    """
    from pubweave.output.html_escape import escape_text

    return escape_text(text)


def escape_html_attribute(text: str) -> str:
    """A text as an attribute needs it: all but letters and digits escaped (F-CLI-43)."""
    from pubweave.output.html_escape import escape_attribute

    return escape_attribute(text)
