"""DataCite's records (JSON:API of api.datacite.org/dois): every attribute may be missing or null."""

from typing import Final

import msgspec

from pubweave.core.reading.dates import UNKNOWN, date_parts_ms
from pubweave.core.reading.layout import without_markup


class MalformedDataCiteReply(Exception):
    """The reply holds no record; the text says what is wrong."""


class DataCiteTitle(msgspec.Struct, frozen=True, rename="camel"):
    title: str | None = None
    title_type: str | None = None
    """Of subtitles, translations and the like; the record's own title has none."""


class DataCiteDescription(msgspec.Struct, frozen=True, rename="camel"):
    description: object = None
    """A text; sometimes a list of texts, or a number."""
    description_type: str | None = None


class DataCiteSubject(msgspec.Struct, frozen=True):
    subject: str | None = None


class DataCiteDated(msgspec.Struct, frozen=True, rename="camel"):
    date: str | None = None
    date_type: str | None = None


class DataCiteContainer(msgspec.Struct, frozen=True):
    title: str | None = None
    type: str | None = None


class DataCiteTypes(msgspec.Struct, frozen=True, rename="camel"):
    resource_type_general: str | None = None


class DataCiteRecord(msgspec.Struct, frozen=True, rename="camel"):
    """A record as its repository deposited it."""

    doi: str
    titles: tuple[DataCiteTitle, ...] | None = None
    descriptions: tuple[DataCiteDescription, ...] | None = None
    subjects: tuple[DataCiteSubject, ...] | None = None
    dates: tuple[DataCiteDated, ...] | None = None
    publication_year: int | None = None
    container: DataCiteContainer | None = None
    types: DataCiteTypes | None = None
    citation_count: int | None = None

    @property
    def title(self) -> str:
        own = (one.title for one in self.titles or () if one.title and not one.title_type)
        return next((plain for text in own if (plain := without_markup(text))), "")

    @property
    def abstract(self) -> str:
        """All that is called so, each once; repositories write HTML into it."""
        own = (
            without_markup(text)
            for one in self.descriptions or ()
            if one.description_type == "Abstract"
            for text in (one.description if isinstance(one.description, list) else [one.description])
            if isinstance(text, str)
        )
        return "\n\n".join(dict.fromkeys(filter(None, own)))

    @property
    def keywords(self) -> tuple[str, ...]:
        return tuple(without_markup(one.subject) for one in self.subjects or () if one.subject)

    @property
    def journal(self) -> str:
        there = self.container
        return without_markup(there.title) if there and there.title and there.type == "Journal" else ""

    @property
    def issued_ms(self) -> int:
        """Date of issue as UNIX ms of 00:00 UTC, else the year of publication; `UNKNOWN` where neither is said."""
        issued = (one.date for one in self.dates or () if one.date and one.date_type == "Issued")
        for text in (*issued, str(self.publication_year or "")):
            year, month, day = (*text[:10].split("-"), "", "")[:3]
            if (ms := date_parts_ms(year, month, day)) != UNKNOWN:
                return ms
        return UNKNOWN

    @property
    def kind(self) -> str:
        return (self.types and self.types.resource_type_general) or ""

    @property
    def citations(self) -> int:
        """0 is said of everything that nobody counted."""
        return self.citation_count or 0

    @property
    def is_bare(self) -> bool:
        """Nothing but the DOI is there."""
        return not (self.title or self.abstract or self.keywords or self.journal)


class _DataCiteData(msgspec.Struct, frozen=True):
    attributes: DataCiteRecord


class _DataCiteReply(msgspec.Struct, frozen=True):
    data: _DataCiteData


_DECODER: Final = msgspec.json.Decoder(_DataCiteReply)


def read(body: bytes) -> DataCiteRecord:
    """:raises MalformedDataCiteReply: no record"""
    try:
        return _DECODER.decode(body).data.attributes
    except msgspec.MsgspecError as problem:
        raise MalformedDataCiteReply(str(problem)) from problem
