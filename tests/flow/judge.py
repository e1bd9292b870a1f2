"""Finished records of the embedded system beside what the simulated internet's universe says must come out."""

from collections.abc import Iterable, Mapping

from pubweave.adapters.rule_files import load_rule_book
from pubweave.contract.values import Thresholds
from pubweave.core.record import Record
from pubweave.core.toolkit.service import Context
from pubweave.output.publication import publication_object
from pubweave.runtimes.embedded.jobs import Finished
from simnet.expectation import Expected
from simnet.verdict import differences

THRESHOLDS = Thresholds()


def whole_chain() -> Context:
    """What the page resources need to be asked at all: an e-mail address for Unpaywall, and our own rules."""
    return Context(unpaywall_email="flow@uni.example", rules=load_rule_book())


def wrong(expected: Iterable[Expected], done: Mapping[int, Finished]) -> list[str]:
    """Everything in which records differ from what is expected of their lines (1…), a sentence each."""
    found = []
    for line, one in enumerate(expected, start=1):
        record = done[line].record
        found += [f"line {line}: {sentence}" for sentence in _of_record(one, record)]
    return found


def _of_record(one: Expected, record: Record | None) -> list[str]:
    if record is None:
        return ["no record"]
    found = differences(one, publication_object(record, THRESHOLDS))
    for part, type_ in one.types.items():
        got = record.part(part).type
        if got != type_:
            found.append(f"{part} is of type {got}, not {type_}")
    visited = tuple((site.url, site.type) for site in record.visited_sites)
    if visited != one.visited:
        found.append(f"visited {visited}, not {one.visited}")
    if record.known != one.known:
        found.append(f"known is {record.known}")
    name = f" ({one.publication.kind})" if one.publication else ""
    return [f"{sentence}{name}" for sentence in found]
