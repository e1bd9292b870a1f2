"""One line of an identifier list, as people write them: what it means, or what is wrong with it.

A line holds one identifier, or PubFetcher's three columns PMID, PMCID, DOI divided by tabs, of which trailing
ones may be missing (F-CLI-53). `#` at the beginning or after white space starts a comment.
"""

import re
from typing import Final, NamedTuple

from pubweave.contract.values import Identifiers
from pubweave.contract.vocabulary import IDENTIFIER_KINDS, IdentifierKind
from pubweave.core.identifiers import identifier_in_text, kind_of, normalise_doi

_NAMES: Final[dict[IdentifierKind, str]] = {"pmid": "PMID", "pmcid": "PMCID", "doi": "DOI"}
_COMMENT: Final = re.compile(r"(?:^|\s)#.*")
_LABEL: Final = re.compile(r"(?:pmid|pmcid|doi)\s*+(?:[:=]\s*+)?(?=\S)", re.IGNORECASE)
_PAGES: Final = (
    re.compile(
        r"https?://(?:www\.)?(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pubmed)/(?P<pmid>\d+)/?"
    ),
    re.compile(
        r"https?://(?:www\.)?(?:pmc\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pmc)/articles/(?P<pmcid>PMC\d+)/?",
        re.IGNORECASE,
    ),
    re.compile(r"https?://europepmc\.org/(?:article|abstract)/med/(?P<pmid>\d+)/?", re.IGNORECASE),
    re.compile(r"https?://europepmc\.org/(?:articles?/)(?:pmc/)?(?P<pmcid>PMC\d+)/?", re.IGNORECASE),
    re.compile(r"https?://(?:www\.|dx\.)*doi\.org/(?P<doi>10\..+)", re.IGNORECASE),
)
_SHOWN: Final = 60
"""So many characters of a bad line are repeated in the message."""


class Understood(NamedTuple):
    """A line that can be fetched."""

    identifiers: Identifiers
    notice: str = ""
    """Said to the user when the line was not written as it should be."""


class Problem(NamedTuple):
    """A line that cannot."""

    sentence: str


Parsed = Understood | Problem | None
"""None: nothing on this line."""


def shown(text: str) -> str:
    """A text as messages repeat it: quoted, on one line, not too long, safe for a terminal."""
    cut = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
    return (
        "'" + "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in cut) + "'"
    )


def parse(text: str) -> Parsed:
    """What one line means; line ends are gone already."""
    if "#" in text:
        text = _COMMENT.sub("", text)
    columns = [column.strip() for column in text.split("\t")]
    while columns and not columns[-1]:
        columns.pop()
    if not columns:
        return None
    if [column.lower() for column in columns] in (["pmid"], ["pmid", "pmcid"], ["pmid", "pmcid", "doi"]):
        return None  # the headings of a table
    if len(columns) == 1:
        return _one(columns[0])
    return _triplet(columns)


def _identifiers(kind: IdentifierKind, value: str) -> Identifiers:
    return Identifiers(**{kind: normalise_doi(value) if kind == "doi" else value})


def _one(text: str) -> Understood | Problem:
    kind = kind_of(text)
    if kind is not None:
        odd = " " in text  # F-ID-05: valid when a user gives it, yet rarely meant
        return Understood(
            _identifiers(kind, text), f"{shown(text)} holds a space and is one DOI" if odd else ""
        )
    repaired = _repaired(text)
    if repaired is not None:
        kind, value = repaired
        return Understood(_identifiers(kind, value), f"{shown(text)} is taken as the {_NAMES[kind]} {value}")
    return Problem(_what_is_wrong(text))


def _repaired(text: str) -> tuple[IdentifierKind, str] | None:
    """What a text means beyond doubt although it is not written so (A-01): lower case, a label, a page."""
    for page in _PAGES:
        match = page.fullmatch(text)
        if match:
            return _valid(*next(iter(match.groupdict().items())))
    bare = _LABEL.sub("", text, count=1) if _LABEL.match(text) else text
    if bare[:3].lower() == "pmc":
        bare = "PMC" + bare[3:]
    kind = kind_of(bare)
    return (kind, normalise_doi(bare) if kind == "doi" else bare) if kind and bare != text else None


def _valid(expected: str, text: str) -> tuple[IdentifierKind, str] | None:
    value = text.upper() if expected == "pmcid" else normalise_doi(text)
    kind = kind_of(value)
    return (kind, value) if kind is not None and kind == expected else None


def _what_is_wrong(text: str) -> str:
    """One sentence about a text that is no identifier, with a guess where there is one."""
    quoted = shown(text)
    if re.fullmatch(r"0+[1-9]\d*", text):
        return f"{quoted} is not a PMID: it begins with 0; did you mean {text.lstrip('0')}?"
    if re.fullmatch(r"0+", text):
        return f"{quoted} is not a PMID"
    if re.fullmatch(r"pmc[\s:_-]*\d*", text, re.IGNORECASE):
        digits = re.sub(r"\D", "", text).lstrip("0")
        return f"{quoted} is not a PMCID" + (f"; did you mean PMC{digits}?" if digits else "")
    if text.startswith("10."):
        return (
            f"{quoted} is not a DOI: it has no slash after the registrant"
            if "/" not in text
            else (f"{quoted} is not a DOI: it holds characters that cannot be printed")
        )
    if re.fullmatch(r"\d+[,.;]", text):
        return f"{quoted} is not an identifier; did you mean {text[:-1]}?"
    if re.fullmatch(r"[^\s,;]+(?:[\s,;]+[^\s,;]+)+", text) and all(
        kind_of(word) or _repaired(word) for word in re.split(r"[\s,;]+", text)
    ):
        return (
            f"{quoted} holds several identifiers: write one on a line, or PMID, PMCID and DOI divided by tabs"
        )
    found = [
        f"{_NAMES[kind]} {value}" for kind in IDENTIFIER_KINDS if (value := identifier_in_text(kind, text))
    ]
    if found:
        return f"{quoted} is not an identifier; did you mean the {found[0]}?"
    if re.match(r"(?:https?|ftp)://", text):
        return f"{quoted} is a web address, not a PMID, PMCID or DOI"
    return f"{quoted} is not a PMID, PMCID or DOI"


def _triplet(columns: list[str]) -> Understood | Problem:
    """PMID, PMCID, DOI in their columns; one identifier alone may stand in a wrong one."""
    given = [(number, column) for number, column in enumerate(columns) if column]
    if len(columns) > len(IDENTIFIER_KINDS):
        return Problem(f"has {len(columns)} columns; a line has at most three: PMID, PMCID, DOI")
    values: dict[IdentifierKind, str] = {}
    notices: list[str] = []
    for number, column in given:
        expected = IDENTIFIER_KINDS[number]
        one = _one(column)
        if isinstance(one, Problem):
            return Problem(f"column {number + 1} ({_NAMES[expected]}): {one.sentence}")
        ((kind, value),) = one.identifiers.known()
        if kind != expected and len(given) > 1:
            return Problem(
                f"column {number + 1} should hold a {_NAMES[expected]} and holds the {_NAMES[kind]} {value}; "
                "the columns are PMID, PMCID, DOI"
            )
        if kind != expected:
            notices.append(f"{shown(column)} stands in the column for a {_NAMES[expected]}")
        if one.notice:
            notices.append(one.notice)
        values[kind] = value
    return Understood(Identifiers(**values), "; ".join(notices))
