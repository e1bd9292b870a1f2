"""How NCBI's efetch is asked, for PubMed and for PMC (F-EFT-02, F-PMX-01, F-PMX-05, NBK25500)."""

from collections.abc import Sequence
from typing import Final, Literal
from urllib.parse import quote

from pubweave.contract.exchange import Request
from pubweave.core.toolkit.service import Context

FAMILY: Final = "ncbi"


def address(db: Literal["pubmed", "pmc"], id_: str, context: Context) -> str:
    """The single question as the specification has it, without what tells who asks: the provenance."""
    return f"{context.addresses.eutils}/efetch.fcgi?retmode=xml&db={db}&id={id_}"


def _who(context: Context) -> list[tuple[str, str]]:
    return [
        (name, value)
        for name, value in (
            ("tool", context.tool),
            ("email", context.ncbi_email),
            ("api_key", context.ncbi_api_key),
        )
        if value
    ]


def single(db: Literal["pubmed", "pmc"], id_: str, context: Context, timeout_ms: int) -> Request:
    """GET for one record."""
    url = address(db, id_, context) + "".join(f"&{name}={quote(value)}" for name, value in _who(context))
    return Request(url=url, expect="xml", family=FAMILY, timeout_ms=timeout_ms)


def many(db: Literal["pubmed", "pmc"], ids: Sequence[str], context: Context, timeout_ms: int) -> Request:
    """POST for several records; each is asked for once."""
    form = [("retmode", "xml"), ("db", db), ("id", ",".join(dict.fromkeys(ids))), *_who(context)]
    return Request(
        url=f"{context.addresses.eutils}/efetch.fcgi",
        method="POST",
        form=tuple(form),
        expect="xml",
        family=FAMILY,
        timeout_ms=timeout_ms,
    )
