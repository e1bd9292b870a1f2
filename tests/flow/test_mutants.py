"""Faults planted in the rules are caught by the comparison with the oracle."""

import itertools
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from flow.oracle import Oracle
from flow.test_oracle import expected, run_events, seen, two_worlds
from pubweave.core.merging import chain, decide, fold, links
from pubweave.core.merging.fold import Draft
from pubweave.core.merging.links import LinkList

Plant = Callable[[pytest.MonkeyPatch], None]
NUMBERS = itertools.count()
"""Never the same twice."""


def differs(seed: int) -> bool:
    """The walk and the oracle disagree on a world (or the walk breaks on it)."""
    world, later = two_worlds(seed)
    oracle = Oracle(world)
    wanted = expected(oracle, later)
    try:
        record, asks, _ = run_events(world, random.Random(seed), later)
    except (AssertionError, KeyError, ValueError):
        return True
    return seen(record) != wanted or Counter(asks) != Counter(oracle.asks)


def row_without(rank: int, part: str) -> Plant:
    """F-NEED: one part is missing in the set of a row."""
    return change_row(rank, lambda row: row._replace(skipped_when_final=row.skipped_when_final - {part}))


def change_row(rank: int, change: Callable[[chain.ChainRow], chain.ChainRow]) -> Plant:
    def plant(patch: pytest.MonkeyPatch) -> None:
        patch.setattr(decide, "CHAIN", tuple(change(row) if row.rank == rank else row for row in chain.CHAIN))

    return plant


def patched(owner: Any, name: str, make: Callable[[Any], Any]) -> Plant:
    def plant(patch: pytest.MonkeyPatch) -> None:
        patch.setattr(owner, name, make(getattr(owner, name)))

    return plant


def never(verdict: str) -> Callable[[Any], Any]:
    """F-FILL: one verdict becomes "nothing changes"."""

    def make(original: Any) -> Any:
        def mutant(*args: Any) -> Any:
            return "not-better" if (said := original(*args)) == verdict else said

        return staticmethod(mutant)

    return make


def without_mark(mark: str) -> Plant:
    """A condition that a candidate carries is not tested."""

    def make(original: Any) -> Any:
        def mutant(self: Draft, candidate: Any, *rest: Any) -> Any:
            marks = tuple(one for one in candidate.marks if one != mark)
            return original(self, msgspec.structs.replace(candidate, marks=marks), *rest)

        return mutant

    return patched(Draft, "take", make)


def asked_with(*, visited: bool) -> Plant:
    """Whether the visited hosts travel with a need is decided once for all."""

    def make(original: Any) -> Any:
        def mutant(
            self: Any, need: Any, place: Any, resource: Any, kind: Any, missing: Any, *rest: Any
        ) -> Any:
            return original(self, need, place, resource, kind, missing, visited, *rest[1:])

        return mutant

    return patched(decide._Walk, "_ask", make)


MUTANTS: dict[str, Plant] = {
    "F-FILL-01 a final part is replaced by a larger one": patched(
        fold, "is_final", lambda _: lambda *a: False
    ),
    "F-FILL-03 a better type does not replace": patched(Draft, "_content_verdict", never("better-type")),
    "F-FILL-04 a larger final one does not replace": patched(Draft, "_content_verdict", never("larger")),
    "F-FILL-05 any larger one replaces": patched(
        fold, "is_better", lambda better: lambda one, other: better(one, other) or one == other
    ),
    "F-FILL-06 identifiers of a final type are replaced": patched(fold, "FINAL", lambda _: frozenset()),
    "F-FILL-09 parts that were not requested are filled": patched(
        fold.RunSettings, "wants", lambda _: lambda self, part: True
    ),
    "F-ID-41 a version suffix is a change": patched(fold, "is_variant", lambda _: lambda *a: False),
    "F-NEED-01 mesh is no reason": row_without(10, "mesh"),
    "F-NEED-01 open access is no reason": change_row(10, lambda row: row._replace(also_for_oa=False)),
    "F-NEED-02 no gate": change_row(20, lambda row: row._replace(gate=None)),
    "F-NEED-02 keywords are no reason": row_without(20, "keywords"),
    "F-NEED-03 by PMID first": change_row(30, lambda row: row._replace(asks=("pmid", "pmcid"))),
    "F-NEED-04 never by PMID": change_row(40, lambda row: row._replace(asks=("pmcid",))),
    "F-NEED-05 mesh is no reason": row_without(50, "mesh"),
    "F-NEED-05 keywords are a reason": change_row(
        50, lambda row: row._replace(skipped_when_final=row.skipped_when_final | {"keywords"})
    ),
    "F-NEED-06 an abstract is no reason": row_without(60, "theAbstract"),
    "F-NEED-07 a full text is no reason": row_without(70, "fulltext"),
    "F-NEED-08 identifiers are no reason": change_row(
        80, lambda row: row._replace(skipped_when_final=row.skipped_when_final - {"pmid", "pmcid", "doi"})
    ),
    "F-NEED-09 open access is no reason": change_row(90, lambda row: row._replace(also_for_oa=False)),
    "F-NEED-09 identifiers alone are no reason": change_row(
        90, lambda row: row._replace(also_for_identifiers=False)
    ),
    "F-NEED-10 a page is always worth it": patched(links, "_is_skipped", lambda _: lambda *a: False),
    "F-NEED-12 links are always followed": patched(links, "_phase_goes_on", lambda _: lambda *a: True),
    "F-LNK-07 links are never discarded": patched(links, "_worth", lambda _: lambda *a: True),
    "F-NEED-10 keywords are a reason to look at an open copy": patched(
        links,
        "_is_skipped",
        lambda original: (
            lambda link, draft, settings: original(
                msgspec.structs.replace(link, type="link_citation") if link.type == "link_oadoi" else link,
                draft,
                settings,
            )
        ),
    ),
    "F-NEED-11 a PDF is always worth it": patched(
        links,
        "_is_skipped",
        lambda original: (
            lambda link, draft, settings: not link.type.startswith("pdf_") and original(link, draft, settings)
        ),
    ),
    "F-DOI-08 a visited host is visited again": asked_with(visited=False),
    "F-DOI-08 a visited host is never visited again": asked_with(visited=True),
    "F-DOI-06 tags replace what is as good": without_mark("if-better-type"),
    "F-DOI-07 a page is visited every time": patched(
        fold, "same_site", lambda _: lambda url: ("", "", str(next(NUMBERS)))
    ),
    "F-UPW-03 open access is forgotten": patched(
        Draft,
        "_take_field",
        lambda original: (
            lambda self, candidate: "field-kept" if candidate.field == "oa" else original(self, candidate)
        ),
    ),
    "F-UPW-03 the last journal stays": patched(
        Draft,
        "_take_field",
        lambda original: (
            lambda self, candidate: (
                setattr(self, "journal_title", "") if candidate.field == "journalTitle" else None,
                original(self, candidate),
            )[1]
        ),
    ),
    "F-UPW-04 no link is collected": patched(LinkList, "add", lambda _: lambda self, link: None),
    "F-LNK-03 DOI links are followed": patched(links, "_DOI_HOSTS", lambda _: frozenset()),
    "F-LNK-03 pages of the PMC family are followed": patched(
        links, "is_pmc_family", lambda _: lambda url: False
    ),
    "F-LNK-03 malformed links are followed": patched(links, "is_web_address", lambda _: lambda url: True),
    "F-LNK-03 tried links are tried again": patched(LinkList, "mark_tried", lambda _: lambda self, url: None),
    "F-LNK-04 a known identifier is replaced": without_mark("unless-external"),
    "F-LNK-05 a better type comes beside the lesser one": patched(
        links,
        "same_site",
        lambda original: lambda url: (*original(url), next(NUMBERS)),
    ),
    "F-LNK-06 in order of arrival": patched(links, "_order", lambda _: lambda link: 0),
    "F-LNK-06 final types are not equal": patched(links, "FINAL", lambda _: frozenset()),
    "F-LNK-10 no limit": patched(
        LinkList,
        "next",
        lambda original: lambda self, draft, settings, most: original(self, draft, settings, 1000),
    ),
    "F-CHG-01 a change is not noticed": patched(
        decide._Walk, "_generation", lambda original: lambda self, joins: original(self, joins) and None
    ),
    "F-CHG-01 contents survive a change": patched(Draft, "begin_generation", lambda _: lambda self: None),
    "F-CHAIN-05 a success is forgotten": patched(
        decide,
        "consider",
        lambda original: (
            lambda row, draft, settings, progress, unsettled: (
                progress.succeeded.discard(row.rank) or original(row, draft, settings, progress, unsettled)
            )
        ),
    ),
    "P-21 pending answers are not waited for": patched(
        decide,
        "consider",
        lambda original: (
            lambda row, draft, settings, progress, unsettled: original(
                row, draft, settings, progress, frozenset()
            )
        ),
    ),
}


def test_without_a_mutant_nothing_differs() -> None:
    assert not any(differs(seed) for seed in range(100))


@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each planted fault shows on the first two thousand worlds."""
    MUTANTS[name](monkeypatch)

    assert any(differs(seed) for seed in range(2000)), name
