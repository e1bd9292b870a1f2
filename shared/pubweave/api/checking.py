"""Identifiers and addresses: what is valid, what is meant, where they lead."""

from urllib.parse import urlsplit

from pubweave.contract.values import Identifiers
from pubweave.contract.vocabulary import IDENTIFIER_KINDS, IdentifierKind
from pubweave.core.identifiers import check_one, is_doi, is_pmcid, is_pmid, kind_of, link_to, normalise_doi
from pubweave.problems import UserError

_SHOWN = 80


def check_publication_id(text: str) -> Identifiers:
    """One PMID, PMCID or DOI as a triplet in which only it stands; a DOI without prefix, in upper case (F-ID-01…05).

    >>> check_publication_id("doi:10.1093/nar/gkz369")
    Identifiers(pmid='', pmcid='', doi='10.1093/NAR/GKZ369')

    :param text: white space around it is passed over
    :raises UserError: it is none
    """
    found = check_one(text.strip())
    if found is None:
        raise UserError(f"{_quoted(text)} is no PMID, PMCID or DOI")
    return found


def check_publication_ids(pmid: str = "", pmcid: str = "", doi: str = "") -> Identifiers:
    """The identifiers of one publication as a triplet; empty ones are not known.

    >>> check_publication_ids(pmid="31092905", pmcid="PMC6519000").pmcid
    'PMC6519000'

    :raises UserError: one is not what it should be, or all are empty
    """
    given = {"pmid": pmid.strip(), "pmcid": pmcid.strip(), "doi": doi.strip()}
    if not any(given.values()):
        raise UserError("a publication needs a PMID, a PMCID or a DOI")
    checks = {"pmid": is_pmid, "pmcid": is_pmcid, "doi": is_doi}
    for kind in IDENTIFIER_KINDS:
        if given[kind] and not checks[kind](given[kind]):
            raise UserError(f"{_quoted(given[kind])} is no {kind.upper()}")
    given["doi"] = normalise_doi(given["doi"])
    return Identifiers(**given)


def check_url(text: str) -> str:
    """A web address as it is understood.

    >>> check_url(" https://bio.tools/bowtie2 ")
    'https://bio.tools/bowtie2'

    :raises UserError: it is none: not http, https or ftp, no host, or white space inside
    """
    address = text.strip()
    try:
        split = urlsplit(address)
        usable = split.scheme in ("http", "https", "ftp") and bool(split.hostname) and split.port != 0
    except ValueError:
        usable = False
    if not usable or any(letter.isspace() for letter in address):
        raise UserError(f"{_quoted(text)} is no web address: they begin with https://, http:// or ftp://")
    return address


def links_of(identifiers: Identifiers) -> dict[IdentifierKind, str]:
    """Where a person finds out more: for each identifier that is known the address of its page (F-ID-15).

    >>> links_of(check_publication_id("31092905"))
    {'pmid': 'https://www.ncbi.nlm.nih.gov/pubmed/?term=31092905'}
    """
    return {kind: link_to(kind, value) for kind, value in identifiers.known()}


def identifiers_of(given: str | Identifiers) -> Identifiers:
    """What functions of this library take for a publication: a triplet, or one identifier as text.

    :raises UserError: the text is no identifier, or the triplet is empty
    """
    if isinstance(given, str):
        return check_publication_id(given)
    if not given.known():
        raise UserError("a publication needs a PMID, a PMCID or a DOI")
    return given


def kind_of_id(text: str) -> IdentifierKind | None:
    """Which kind of identifier a text is; None if it is none.

    >>> kind_of_id("PMC6519000")
    'pmcid'
    """
    return kind_of(text.strip())


def _quoted(text: str) -> str:
    cut = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
    return "'" + "".join(letter if letter.isprintable() else "�" for letter in cut) + "'"
