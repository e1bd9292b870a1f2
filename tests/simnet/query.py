"""A small honest evaluator of Europe PMC search queries.

Fields EXT_ID, SRC, PMCID, PMID, DOI and the Y/N flags OPEN_ACCESS, HAS_PDF, IN_EPMC in any case; values bare,
quoted, or several in parentheses; AND, OR, NOT, a blank meaning AND; parentheses. Words without a field match
nothing, as a number without field hardly ever does at the real service.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from simnet.facts import Publication, Record, same_doi
from simnet.universe import Universe

_TOKEN = re.compile(r'\s*(?:(\()|(\))|([A-Za-z_]+):\s*|"([^"]*)"|([^\s()"]+(?:\([^\s()]*\)[^\s()"]*)*))')
_ID_FIELDS = {"EXT_ID", "PMCID", "PMID", "DOI"}
_OTHER_FIELDS = {"SRC", "OPEN_ACCESS", "HAS_PDF", "IN_EPMC"}


class BadQuery(ValueError):
    """The query cannot be read."""


Test = Callable[[Publication, Record], bool]


@dataclass
class Query:
    """A parsed query: the identifiers it names, in order, and the test a record must pass."""

    names: list[tuple[str, str]] = field(default_factory=list)
    test: Test = lambda publication, record: False


def parse(text: str) -> Query:
    """Read a query.

    :raises BadQuery: unbalanced parentheses or a field without value
    """
    query = Query()
    query.test = _Parser(text, query.names).whole()
    return query


def run(universe: Universe, text: str) -> tuple[Query, list[tuple[Publication, Record]]]:
    """All records that a query finds: publications in an order of their own (not the query's), the records of each
    in theirs."""
    query = parse(text)
    found: list[tuple[Publication, Record]] = []
    seen: set[tuple[int, str, str]] = set()
    for name, value in query.names:
        publication = _candidate(universe, name, value)
        if publication is None:
            continue
        for record in publication.records:
            key = (publication.index, record.source, record.id)
            if key not in seen and says(name, value, record) and query.test(publication, record):
                seen.add(key)
                found.append((publication, record))
    found.sort(key=lambda one: (one[0].index * 2_654_435_761) % 1_000_003)
    return query, found


def _candidate(universe: Universe, name: str, value: str) -> Publication | None:
    if name == "DOI":
        return universe.by_doi(value)
    if name == "PMCID" or value.upper().startswith("PMC"):
        return universe.by_pmcid(value)
    if value.isdigit():
        found = universe.by_pmid(value)
        if found is not None and any(record.id == value for record in found.records):
            return found
        return universe.by_number(value) or found
    return universe.by_number(value)


def says(name: str, value: str, record: Record) -> bool:
    if name == "EXT_ID":
        return record.id.upper() == value.upper()
    if name == "PMID":
        return record.ids.pmid == value
    if name == "PMCID":
        return bool(record.ids.pmcid) and record.ids.pmcid.upper().removeprefix(
            "PMC"
        ) == value.upper().removeprefix("PMC")
    return bool(record.ids.doi) and same_doi(record.ids.doi, value)


class _Parser:
    """Recursive descent: or ← and (OR and)*; and ← not ((AND)? not)*; not ← NOT? term."""

    def __init__(self, text: str, names: list[tuple[str, str]]) -> None:
        self.tokens = self._tokens(text)
        self.at = 0
        self.names = names

    @staticmethod
    def _tokens(text: str) -> list[tuple[str, str]]:
        tokens, at, text = [], 0, text.strip()
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None:
                raise BadQuery(f"cannot read the query at character {at}")
            kind = ("(", ")", "field", "value", "value")[(found.lastindex or 1) - 1]
            word = found[found.lastindex or 1]
            if found.lastindex == 5 and word.upper() in ("AND", "OR", "NOT"):
                kind = word.upper()
            if kind == "field" and word.upper() not in _ID_FIELDS | _OTHER_FIELDS:
                kind, word = "value", f"{word}:"
            tokens.append((kind, word))
            at = found.end()
        return tokens

    def peek(self) -> str:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else "end"

    def take(self) -> tuple[str, str]:
        if self.at >= len(self.tokens):
            raise BadQuery("the query ends too early")
        self.at += 1
        return self.tokens[self.at - 1]

    def whole(self) -> Test:
        test = self.any_of(None)
        if self.peek() != "end":
            raise BadQuery("unbalanced parenthesis")
        return test

    def any_of(self, inside: str | None) -> Test:
        tests = [self.all_of(inside)]
        while self.peek() == "OR":
            self.take()
            tests.append(self.all_of(inside))
        return tests[0] if len(tests) == 1 else _any(tests)

    def all_of(self, inside: str | None) -> Test:
        tests = [self.term(inside)]
        while self.peek() not in ("end", ")", "OR"):
            if self.peek() == "AND":
                self.take()
            tests.append(self.term(inside))
        return tests[0] if len(tests) == 1 else _all(tests)

    def term(self, inside: str | None) -> Test:
        kind, word = self.take()
        if kind == "NOT":
            before = len(self.names)
            test = self.term(inside)
            del self.names[before:]
            return lambda publication, record: not test(publication, record)
        if kind == "(":
            test = self.any_of(inside)
            if self.take()[0] != ")":
                raise BadQuery("unbalanced parenthesis")
            return test
        if kind == "field":
            name = word.upper()
            if self.peek() == "(":
                self.take()
                test = self.any_of(name)
                if self.take()[0] != ")":
                    raise BadQuery("unbalanced parenthesis")
                return test
            kind, word = self.take()
            if kind != "value":
                raise BadQuery(f"{name} has no value")
            return self.match(name, word)
        if kind == "value":
            return self.match(inside, word) if inside else _nothing
        raise BadQuery(f"unexpected {word}")

    def match(self, name: str, value: str) -> Test:
        if name in _ID_FIELDS:
            self.names.append((name, value))
            return lambda publication, record: says(name, value, record)
        if name == "SRC":
            return lambda publication, record: record.source.lower() == value.lower()
        if name == "OPEN_ACCESS":
            return lambda publication, record: record.open_access == (value.lower() == "y")
        return lambda publication, record: bool(record.ids.pmcid) == (value.lower() == "y")


def _nothing(publication: Publication, record: Record) -> bool:
    return False


def _any(tests: list[Test]) -> Test:
    return lambda publication, record: any(test(publication, record) for test in tests)


def _all(tests: list[Test]) -> Test:
    return lambda publication, record: all(test(publication, record) for test in tests)
