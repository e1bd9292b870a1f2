"""What Europe PMC's search is asked with.

Three forms find the same record: the specification's (`ext_id:1 src:med`), for one identifier; terms in quotes
joined by OR, for many; and each term with its source in brackets, for those that the quoted form lost.
"""

import re
from typing import Final
from urllib.parse import quote

from pubweave.contract.exchange import Request
from pubweave.contract.needs_part import NeedsPart
from pubweave.core.toolkit.service import Context

ALONE: Final = "alone"
LAST: Final = "last"
"""Alone as well, after two questions for many were silent: now silence is believed."""
QUOTED: Final = "quoted"
SINGLE: Final = (ALONE, LAST, QUOTED)
BATCH: Final = "batch"
OTHER_FORM: Final = "other-form"

PAGE_SIZE: Final = 1000

_QUERY_SYNTAX: Final = re.compile(r"""[\s()\[\]{}<>"'\\;,!^~*?+&|=]|:""")
"""Characters of a DOI that mean something to the query language."""


def spec_query(need: NeedsPart) -> str:
    """The query of F-EPMC-02 for the identifier that the need asks with."""
    match need.ask:
        case "pmid":
            return f"ext_id:{need.value} src:med"
        case "pmcid":
            return f"pmcid:{need.value}"
        case _:
            return f"doi:{need.value}"


def _in_quotes(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _bare_or_quoted(text: str) -> str:
    return _in_quotes(text) if _QUERY_SYNTAX.search(text) else text


def needs_quotes(need: NeedsPart) -> bool:
    """Whether the specification's form may be misread because of the characters of a DOI."""
    return need.ask == "doi" and _QUERY_SYNTAX.search(need.value) is not None


def quoted_query(needs: tuple[NeedsPart, ...]) -> str:
    """All identifiers in quotes, joined by OR.

    Without source: other sources use the same numbers as PMIDs, but their records are told apart when they come,
    and a form that names the source is left for those that this one loses (`bracketed_query`).
    """
    fields = (("ext_id", "pmid"), ("pmcid", "pmcid"), ("doi", "doi"))
    return " OR ".join(
        f"{field}:{_in_quotes(value)}" for field, kind in fields for value in _values(needs, kind)
    )


def bracketed_query(needs: tuple[NeedsPart, ...]) -> str:
    """Each identifier in brackets of its own, PMIDs with their source."""
    terms = [f"(ext_id:{value} AND src:med)" for value in _values(needs, "pmid")]
    terms += [f"(pmcid:{value})" for value in _values(needs, "pmcid")]
    terms += [f"(doi:{_bare_or_quoted(value)})" for value in _values(needs, "doi")]
    return " OR ".join(terms)


def _values(needs: tuple[NeedsPart, ...], kind: str) -> list[str]:
    return list(dict.fromkeys(need.value for need in needs if need.ask == kind))


def address(need: NeedsPart, context: Context, query: str = "") -> str:
    """The address of the single question, which is also where its answer is said to be found.

    Without the e-mail address: provenance is public.
    """
    text = quote(query or spec_query(need), safe=":/")
    return f"{context.addresses.europepmc}/search?resulttype=core&format=xml&query={text}"


def request_for(step: str, needs: tuple[NeedsPart, ...], context: Context) -> Request:
    """The request of a step."""
    email = context.europepmc_email
    timeout_ms = max(need.settings.timeout_ms for need in needs)
    if step in SINGLE:
        url = address(needs[0], context, quoted_query(needs) if step == QUOTED else "")
        url += f"&email={quote(email)}" if email else ""
        return Request(url=url, expect="xml", family="europepmc", timeout_ms=timeout_ms)
    query = quoted_query(needs) if step == BATCH else bracketed_query(needs)
    form = [
        ("query", query),
        ("resultType", "core"),
        ("format", "json"),
        ("pageSize", str(PAGE_SIZE)),
    ]
    if email:
        form.append(("email", email))
    return Request(
        url=f"{context.addresses.europepmc}/searchPOST",
        method="POST",
        form=tuple(form),
        expect="json",
        family="europepmc",
        timeout_ms=timeout_ms,
    )
