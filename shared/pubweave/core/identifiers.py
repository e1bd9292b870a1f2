"""Publication identifiers: what is valid, how they are normalised, compared and ordered (chapter 2)."""

import re
from typing import Final

from pubweave.contract.values import Identifiers, Note
from pubweave.contract.vocabulary import IDENTIFIER_KINDS, IdentifierKind, NoteLevel

_PMID: Final = re.compile(r"[1-9][0-9]*")
_PMCID: Final = re.compile(r"PMC[1-9][0-9]*")
_DOI_PREFIXES: Final = (
    "http://doi.org/",
    "https://doi.org/",
    "http://dx.doi.org/",
    "https://dx.doi.org/",
    "doi:",
)
_LABELS: Final[dict[IdentifierKind, re.Pattern[str]]] = {
    kind: re.compile(rf"(?:(?<!\s)\s++)?(?:{kind})[\s:]*(?=\S)", re.IGNORECASE) for kind in IDENTIFIER_KINDS
}
_INSIDE: Final[dict[IdentifierKind, re.Pattern[str]]] = {
    "pmid": re.compile(r"(?i:pmid)[\s:]*+([1-9][0-9]*+)"),
    "pmcid": re.compile(r"((?i:pmc)[1-9][0-9]*+)"),
    "doi": re.compile(r"(?<![^\s/])(?>[^\s/]*?(?=10\.))(10\.[^\s/]++/\S+)"),
}
_ASCII_UPPER: Final = {lower: lower - 32 for lower in range(ord("a"), ord("z") + 1)}
_LONGEST_SHOWN: Final = 100
_VERSION_SUFFIX: Final = re.compile(r"[._-][0-9]+")


def is_pmid(text: str) -> bool:
    """ASCII digits, the first not 0 (F-ID-02)."""
    return _PMID.fullmatch(text) is not None


def is_pmcid(text: str) -> bool:
    """`PMC` in upper case and digits, the first not 0 (F-ID-03)."""
    return _PMCID.fullmatch(text) is not None


def _without_prefix(text: str) -> str:
    for prefix in _DOI_PREFIXES:
        if text.startswith(prefix):
            return text[len(prefix) :]
    return text


def is_doi(text: str) -> bool:
    """One of five prefixes or none, `10.`, something printable, `/`, anything printable (F-ID-04)."""
    bare = _without_prefix(text)
    registrant, slash, _ = bare[3:].partition("/")
    return bare.startswith("10.") and bool(registrant) and bool(slash) and bare.isprintable()


def normalise_doi(text: str) -> str:
    """Without its prefix, a to z in upper case, everything else as it is; validity is not checked (F-ID-10)."""
    return _without_prefix(text).translate(_ASCII_UPPER)


def is_found_doi(text: str) -> bool:
    """A DOI as pages and API replies must give it: valid and without a space (F-ID-05)."""
    return is_doi(text) and " " not in text


_VALID: Final = {"pmid": is_pmid, "pmcid": is_pmcid, "doi": is_found_doi}


def askable(kind: IdentifierKind, value: str) -> bool:
    """A source may be asked with it: valid, and written as it is kept. Whatever else got this far is no identifier."""
    if kind == "doi":
        return is_doi(value) and normalise_doi(value) == value
    return _VALID[kind](value)


def identifier_in_text(kind: IdentifierKind, text: str) -> str:
    """The first valid identifier of this kind that a found text holds, as it is stored; "" if none (F-ID-15).

    A leading label (`pmid:`, `DOI`, …) is cut off; a PMCID is upper-cased, a DOI normalised.
    """
    label = _LABELS[kind].match(text)
    bare = (text[label.end() :] if label else text).strip()
    if kind == "pmcid" and bare[:3].lower() == "pmc":
        bare = "PMC" + bare[3:]
    if not _VALID[kind](bare):
        inside = _INSIDE[kind].search(text)
        bare = inside.group(1) if inside else ""
        if kind == "pmcid":
            bare = bare.upper()
    if not bare or not _VALID[kind](bare):
        return ""
    return normalise_doi(bare) if kind == "doi" else bare


def taken(
    kind: IdentifierKind, found: str, level: NoteLevel, *, whole: bool = False
) -> tuple[str, Note | None]:
    """What `identifier_in_text` takes of a found text, and the line for the log if that is less than all (F-ID-16).

    :param level: of the line where nothing is taken: an error of an API, a warning of a page
    :param whole: nothing is cut out of a text with a blank inside (F-ID-05)
    """
    found = found.strip()
    value = "" if whole and " " in found else identifier_in_text(kind, found)
    if found and not value:
        return "", Note(level, f"{_shown(found)} is no {kind.upper()} and is not taken")
    if value in (found.upper(), normalise_doi(found)):
        return value, None
    return value, Note("info", f"the {kind.upper()} {value} was cut out of {_shown(found)}")


def _shown(text: str) -> str:
    text = " ".join(text.split())
    return repr(text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…")


def kind_of(text: str) -> IdentifierKind | None:
    """Which identifier a string is, testing PMID, PMCID, DOI in this order (F-ID-14)."""
    if is_pmid(text):
        return "pmid"
    if is_pmcid(text):
        return "pmcid"
    if is_doi(text):
        return "doi"
    return None


def pmcid_digits(text: str) -> str:
    """The PMCID without `PMC`; "" if it is not one (F-ID-12)."""
    return text[3:] if is_pmcid(text) else ""


def doi_registrant(text: str) -> str:
    """Between `10.` and the next `/`; "" if the text is not a DOI (F-ID-13)."""
    return _without_prefix(text)[3:].partition("/")[0] if is_doi(text) else ""


def is_f1000_doi(doi: str) -> bool:
    """A DOI of F1000Research, normalised (F-ID-41)."""
    return doi.startswith("10.12688/F1000RESEARCH.")


def is_variant(old: str, new: str, kind: IdentifierKind = "doi") -> bool:
    """Two spellings of one identifier that do not make a change (F-ID-41).

    One is the other plus a version suffix (`.`, `_`, `-` and digits), or both are F1000Research DOIs.
    Equal values are variants too. The third case, found at zenodo.org, is a mark on the candidate.
    """
    if old == new:
        return True
    if not old or not new:
        return False
    short, long = sorted((old, new), key=len)
    if long.startswith(short) and _VERSION_SUFFIX.fullmatch(long, len(short)):
        return True
    return kind == "doi" and is_f1000_doi(old) and is_f1000_doi(new)


def link_to(kind: IdentifierKind, value: str) -> str:
    """The address a person can open (F-ID-17)."""
    match kind:
        case "pmid":
            return f"https://www.ncbi.nlm.nih.gov/pubmed/?term={value}"
        case "pmcid":
            return f"https://www.ncbi.nlm.nih.gov/pmc/articles/{value}/"
        case "doi":
            return f"https://doi.org/{value}"


def _number(text: str) -> tuple[int, int | str]:
    return (0, int(text)) if text.isascii() and text.isdigit() else (1, text)


def sort_key(identifiers: Identifiers) -> tuple[object, ...]:
    """PMIDs first, by number; then PMCIDs by number; then DOIs by registrant, then alphabetically (F-ID-30, 31).

    A registrant that is no number (`1000.10`) sorts after the numbers, as text.
    """
    if identifiers.pmid:
        return (0, _number(identifiers.pmid))
    if identifiers.pmcid:
        return (1, _number(identifiers.pmcid[3:]))
    return (2, _number(doi_registrant(identifiers.doi)), identifiers.doi)


def check_one(text: str) -> Identifiers | None:
    """The triplet of one identifier given as text; None if it is none (F-CLI-44)."""
    kind = kind_of(text)
    match kind:
        case None:
            return None
        case "pmid":
            return Identifiers(pmid=text)
        case "pmcid":
            return Identifiers(pmcid=text)
        case "doi":
            return Identifiers(doi=normalise_doi(text))
