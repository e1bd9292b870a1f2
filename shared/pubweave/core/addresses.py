"""Web addresses: which ones can be asked, and the identifier that one names (chapter 12)."""

import re
from typing import Final, Literal
from urllib.parse import urlsplit

from pubweave.contract.exchange import Reply
from pubweave.contract.vocabulary import IdentifierKind
from pubweave.core.identifiers import is_pmcid, is_pmid
from pubweave.core.politeness import host_of

_PMC_HOSTS: Final = frozenset(
    {
        "europepmc.org",
        "ncbi.nlm.nih.gov",
        "pmc.ncbi.nlm.nih.gov",
        "pubmed.ncbi.nlm.nih.gov",
        "pubmedcentralcanada.ca",
    }
)
_PMCID_IN_PATH: Final = re.compile(r"/articles/(PMC[1-9][0-9]*)", re.IGNORECASE)
_PMID_IN_PATH: Final = re.compile(r"/(?:abstract/MED|articles/pmid|pubmed)/([1-9][0-9]*)", re.IGNORECASE)


def is_web_address(url: str) -> bool:
    """An absolute address with a host that a door can speak to (FTP: PDFs only, F-PDF-08)."""
    try:
        split = urlsplit(url)
        return split.scheme in ("http", "https", "ftp") and bool(split.hostname)
    except ValueError:
        return False


def scheme_of(url: str) -> Literal["http", "other", ""]:
    """`http`: HTTP(S) with a host; `other`: another scheme or none (F-EXC-01); empty: no address at all."""
    try:
        split = urlsplit(url)
        if split.scheme not in ("http", "https"):
            return "other"
        return "http" if split.hostname else ""
    except ValueError:
        return ""


def address_of(reply: Reply) -> str:
    """Where a reply comes from: the address after redirects, or the one asked if that one is none."""
    return reply.final_url if is_web_address(reply.final_url) else reply.url


def is_pmc_family(url: str) -> bool:
    """An article page of Europe PMC, PMC or PubMed: never followed (F-LNK-03)."""
    return host_of(url) in _PMC_HOSTS


def identifier_in_link(url: str) -> tuple[IdentifierKind, str] | None:
    """The PMCID or PMID that an address of the PMC family names (F-LNK-04)."""
    if not is_pmc_family(url):
        return None
    path = urlsplit(url).path
    if (found := _PMCID_IN_PATH.search(path)) and is_pmcid(value := found.group(1).upper()):
        return ("pmcid", value)
    if (found := _PMID_IN_PATH.search(path)) and is_pmid(value := found.group(1)):
        return ("pmid", value)
    return None
