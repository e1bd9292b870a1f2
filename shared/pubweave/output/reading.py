"""Publications back from the JSON of chapter 18.2 (the full form, with metadata)."""

from collections.abc import Callable, Iterator
from typing import Any, Final

import msgspec

from pubweave.contract.values import (
    CorrespAuthor,
    MeshTerm,
    MinedTerm,
    Notice,
    Relation,
    VisitedSite,
)
from pubweave.contract.vocabulary import PART_NAMES, TYPE_NAMES, PartName
from pubweave.core.identifiers import is_doi, is_pmcid, is_pmid, normalise_doi
from pubweave.core.record import Part, Record
from pubweave.core.types import FINAL
from pubweave.output.publication import json_key


class NotPublications(ValueError):
    """The file is no JSON of publications; the text says what is wrong and where."""


_VALID: Final[dict[str, Callable[[str], bool]]] = {"pmid": is_pmid, "pmcid": is_pmcid, "doi": is_doi}


def read_publications(body: bytes) -> Iterator[Record]:
    """The records of a JSON output: of one document with `publications`, or of JSON Lines.

    :raises NotPublications: at the first publication that cannot be read
    """
    for number, value in enumerate(_objects(body), start=1):
        try:
            yield read_publication(value)
        except (KeyError, TypeError, ValueError, msgspec.ValidationError) as problem:
            raise NotPublications(f"publication {number}: {_sentence(problem)}") from problem


def _sentence(problem: Exception) -> str:
    return f"{problem.args[0]} is missing" if isinstance(problem, KeyError) else str(problem)


def _objects(body: bytes) -> Iterator[dict[str, Any]]:
    text = body.removeprefix(b"\xef\xbb\xbf").strip()
    try:
        whole = msgspec.json.decode(text)
    except msgspec.DecodeError:
        for number, line in enumerate(text.splitlines(), start=1):
            if line.strip():
                try:
                    yield msgspec.json.decode(line, type=dict[str, Any])
                except msgspec.DecodeError as problem:
                    raise NotPublications(f"line {number} is no JSON object: {problem}") from problem
        return
    if isinstance(whole, dict) and isinstance(whole.get("publications"), list):
        yield from whole["publications"]
    elif isinstance(whole, dict) and "pmid" in whole:
        yield whole
    else:
        raise NotPublications('there is no member "publications"')


def read_publication(value: dict[str, Any]) -> Record:
    """One publication object (F-JSON-04…06) as a record.

    :raises KeyError: a member is missing (as `--plain` and `--out-part` leave them out)
    :raises ValueError: a member is not what it should be
    """
    if "fetchTime" not in value:
        raise ValueError("it was written with --plain or --out-part: only the full form can be put")
    parts: dict[str, Any] = {name: _part(name, value[json_key(name)]) for name in PART_NAMES}
    beyond = value.get("pubweave", {})
    return Record(
        publication="",
        fetch_time=int(value["fetchTime"]),
        retry_counter=int(value["retryCounter"]),
        fetch_exception=bool(value["fetchException"]),
        oa=bool(value["oa"]),
        journal_title=_text(value["journalTitle"]),
        pub_date=int(value["pubDate"]),
        citations_count=int(value["citationsCount"]),
        citations_timestamp=int(value["citationsTimestamp"]),
        corresp_author=tuple(
            CorrespAuthor(*(_text(one[name]) for name in ("name", "orcid", "email", "phone", "uri")))
            for one in value["correspAuthor"]
        ),
        visited_sites=tuple(
            VisitedSite(
                url=_text(one["url"]),
                type=_type(one["type"]),
                from_=_text(one["from"]),
                timestamp=int(one["timestamp"]),
            )
            for one in value["visitedSites"]
        ),
        # newer versions of PubFetcher have it as a field (F-EPMC-11)
        preprint=bool(beyond.get("preprint", value.get("preprint", False))),
        known=bool(beyond.get("known", True)),
        relations=msgspec.convert(beyond.get("relations", ()), tuple[Relation, ...]),
        notices=msgspec.convert(beyond.get("notices", ()), tuple[Notice, ...]),
        **parts,
    )


def _text(value: object) -> str:
    """Java's null is nothing.

    :raises ValueError: it is no text
    """
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is no text")
    return value


def _type(name: str) -> Any:
    if name not in TYPE_NAMES:
        raise ValueError(f"{name} is no type")
    return name


def _part(name: PartName, value: dict[str, Any]) -> Part:
    given: dict[str, Any] = {}
    match name:
        case "keywords":
            given["words"] = msgspec.convert(value["list"], tuple[str, ...])
            size = len(given["words"])
        case "mesh":
            given["mesh"] = msgspec.convert(value["list"], tuple[MeshTerm, ...])
            size = len(given["mesh"])
        case "efo" | "go":
            given["terms"] = msgspec.convert(value["list"], tuple[MinedTerm, ...])
            size = len(given["terms"])
        case _:
            try:
                text = _text(value["content"])
            except ValueError:
                raise ValueError(f"the content of {name} is no text") from None
            if name in _VALID and text and not _VALID[name](text):
                raise ValueError(f"{text} is no {name.upper()}")
            given["text"] = normalise_doi(text) if name == "doi" else text
            size = len(given["text"])
    type_ = _type(value["type"])
    return Part(
        type=type_,
        # Of a final type and long enough, and yet not final: an article without body text.
        never_final=type_ in FINAL and bool(value.get("usable")) and not value.get("final", True),
        url=_text(value["url"]),
        timestamp=int(value["timestamp"]),
        size=size,
        **given,
    )
