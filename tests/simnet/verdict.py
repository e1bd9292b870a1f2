"""Does a record say what the universe says it must? For records in the JSON of specification chapter 18.2."""

from collections.abc import Iterable, Mapping
from typing import Any

from simnet.chain import Part
from simnet.expectation import Expected, ExpectedPart, readable

Json = Mapping[str, Any]


class Records:
    """Finished records, found by any identifier they hold."""

    def __init__(self, records: Iterable[Json]) -> None:
        self._by_id: dict[str, Json] = {}
        for record in records:
            for kind in ("pmid", "pmcid", "doi"):
                if value := record[kind]["content"]:
                    self._by_id.setdefault(value.upper(), record)

    def of(self, one: Expected) -> Json | None:
        """The record of a submission: by what must be final first, then by what was submitted."""
        kinds: tuple[Part, ...] = ("pmid", "pmcid", "doi")
        final = [str(one.final[kind].exact) for kind in kinds if kind in one.final]
        for value in [*final, *one.submitted]:
            if value and (record := self._by_id.get(value.upper())):
                return record
        return None


def differences(one: Expected, record: Json | None) -> list[str]:
    """Everything in which a record differs from what was expected, a sentence each; empty is right."""
    name = (
        f"publication {one.publication.index} ({one.publication.kind})"
        if one.publication
        else str(one.submitted)
    )
    if record is None:
        return [f"{name}: no record"]
    found = [_part(part, expected, record[_key(part)]) for part, expected in one.final.items()]
    found += [
        f"{part} is final but cannot be: {record[_key(part)]['type']}"
        for part in sorted(one.not_final)
        if record[_key(part)]["final"]
    ]
    date = (record.get("pubDateHuman") or "")[:10]
    date = "" if date.startswith("1969-12-31") else date
    citations = -1 if one.citations is None else one.citations
    authors = [(author["name"], author["email"]) for author in record["correspAuthor"]]
    for what, expected, got in (
        ("journalTitle", one.journal_title, record["journalTitle"]),
        ("pubDate", one.pub_date, date),
        ("citationsCount", citations, record["citationsCount"]),
        ("oa", one.oa, record["oa"]),
        ("correspAuthor", [one.corresponding] if one.corresponding else [], authors),
    ):
        if expected != got:
            found.append(f"{what} is {got!r}, not {expected!r}")
    return [f"{name}: {difference}" for difference in found if difference]


def _key(part: str) -> str:
    return "abstract" if part == "theAbstract" else part


def _part(part: str, expected: ExpectedPart, got: Json) -> str:
    if not got["final"]:
        return f"{part} is not final: {got['type']}, size {got['size']}"
    if got["type"] != expected.type:
        return f"{part} is of type {got['type']}, not {expected.type}"
    content = got["content"] if "content" in got else got["list"]
    if part in ("theAbstract", "fulltext"):
        text = readable(content)
        missing = [phrase for phrase in expected.contains if readable(phrase) not in text]
        wrong = [phrase for phrase in expected.excludes if phrase in text]
        return f"{part} lacks {missing[:3]}, should not have {wrong[:3]}" if missing or wrong else ""
    if expected.exact is None:
        return ""
    shown = _comparable(part, content)
    wanted = str(expected.exact).upper() if part == "doi" else expected.exact
    return "" if shown == wanted else f"{part} is {shown!r}, not {wanted!r}"


def _comparable(part: str, content: Any) -> object:
    if part == "title":
        return readable(content)
    if part == "keywords":
        return tuple(content)
    if part == "mesh":
        return tuple((term["term"], term["majorTopic"], term["uniqueId"]) for term in content)
    if part in ("efo", "go"):
        return tuple((term["term"], term["count"], term["uri"]) for term in content)
    return content
