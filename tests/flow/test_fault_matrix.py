"""Every resource of pages × every fault of the simulated internet: the outcome is the one the table says, and what a
fault left unsaid is never filled in from what stood there instead."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from flow.clocks import ImpatientClock
from flow.judge import whole_chain
from flow.tables import system_on
from pubweave.contract.values import Identifiers, RunSettings
from pubweave.core.record import Record
from pubweave.runtimes.embedded.explain import explain, status
from pubweave.runtimes.embedded.jobs import JobSettings, Line
from simnet import content
from simnet.chain import Part, Walk, walk
from simnet.expectation import LEAST_ABSTRACT
from simnet.facts import Page, Publication
from simnet.faults import KINDS, Fault, Kind
from simnet.fixture import running
from simnet.replies import pages
from simnet.replies.pages import PageText
from simnet.text import space_normalised
from simnet.universe import Universe

pytestmark = pytest.mark.network

OF_BATCHES = ("lose", "cut-batch")
"""Faults of questions with many identifiers, which none of these resources asks."""
FAULTS: tuple[str, ...] = tuple(kind for kind in KINDS if kind not in OF_BATCHES)
TIMEOUT_MS = 3000

DOWN = {
    "429": "rate-limited",
    "500": "unavailable",
    "502": "unavailable",
    "503": "unavailable",
    "504": "unavailable",
}
LOST = {"cut": "reset", "reset": "reset", "tarpit": "timeout", "bomb": "too-large", "bad-gzip": "malformed"}
OUTCOMES: dict[str, dict[str, str]] = {
    # doi.org: only its Location counts, so what becomes of the body does not matter
    "doi": {
        **DOWN,
        **LOST,
        **dict.fromkeys(("truncated", "cut", "drip"), "as if nothing had happened"),
        **dict.fromkeys(("html", "empty", "version-only", "wrong-type"), "malformed"),
        "redirects": "redirect-loop",
    },
    # the page that a DOI leads to
    "page": {
        **DOWN,
        **LOST,
        "html": "malformed",  # an error page with status 200: a failure, not an article without content
        "truncated": "half of it",
        "drip": "as if nothing had happened",
        "empty": "malformed",
        "version-only": "wrong-type",
        "wrong-type": "wrong-type",
        "redirects": "absent",
    },
    "unpaywall": {
        **DOWN,
        **LOST,
        "html": "malformed",
        "truncated": "malformed",
        "drip": "as if nothing had happened",
        "empty": "malformed",
        "version-only": "malformed",  # no record of the DOI
        "wrong-type": "wrong-type",
        "redirects": "redirect-loop",
    },
    "pdf": {
        **DOWN,
        **LOST,
        "html": "wrong-type",
        "truncated": "half of it",  # repaired: the pages that came
        "drip": "as if nothing had happened",
        "empty": "empty",
        "version-only": "wrong-type",
        "wrong-type": "wrong-type",
        "redirects": "absent",
    },
}  # fmt: skip
OUTCOMES["links"] = OUTCOMES["page"]
"""What becomes of the need, by case and fault. The last two rows of words: the record is that of fair weather, or holds
only what is true."""
WHOLE, HALF = "as if nothing had happened", "half of it"


@dataclass(frozen=True)
class Case:
    """One publication for which one thing goes wrong."""

    name: str
    kind: Kind
    publication: Publication
    place: str
    """The DOI or address where it goes wrong."""

    @property
    def fault(self) -> Fault:
        where = {"doi": "doi", "unpaywall": "unpaywall", "pdf": "publisher_pdf"}.get(self.name, "publisher")
        retry_after_s = 0 if self.kind == "429" else None
        return Fault(
            self.kind, where, naming=self.place, seconds=0.3, megabytes=30, retry_after_s=retry_after_s
        )

    @property
    def resource(self) -> str:
        return "doi" if self.name == "page" else self.name

    @property
    def failing(self) -> frozenset[str]:
        if OUTCOMES[self.name][self.kind] == WHOLE:
            return frozenset()
        return frozenset({f"unpaywall:{self.place}" if self.name == "unpaywall" else self.place})


def places(publication: Publication, walked: Walk) -> Iterator[tuple[str, str]]:
    """(case, place) of what this publication can show: asked exactly once, and good in fair weather."""
    page = publication.pages.get(publication.ids.doi.lower())
    asked = [(ask.resource, ask.id) for ask in walked.asked]
    once = {ask for ask in asked if asked.count(ask) == 1}

    def is_good(page: Page | None) -> bool:
        return page is not None and page.face in ("article", "abstract") and not page.full_url

    for copy in publication.copies:
        if ("publisher", copy.url) in once and is_good(copy):
            yield "links", copy.url
        # EPrints tells its files as pages (`eprints.document_url`).
        if ("publisher_pdf", copy.pdf_url) in once and copy.pdf == "text" and copy.site != "eprints":
            yield "pdf", copy.pdf_url
    if page is None or page.way != "direct" or page.via or "<" in page.url:
        return
    if publication.unpaywall and ("unpaywall", publication.ids.doi) in once:
        yield "unpaywall", publication.ids.doi
    if ("doi", publication.ids.doi) in once and is_good(page) and ("publisher", page.url) in once:
        yield "doi", publication.ids.doi
        yield "page", page.url


def planned(universe: Universe) -> list[Case]:
    """One publication for each resource and fault."""
    wanted = {name: list(FAULTS) for name in OUTCOMES}
    cases = []
    for publication in universe:
        walked = walk(universe, publication.submitted)
        plain = publication.kind == "plain" and publication.ids.doi
        if walked is None or walked.generations > 1 or not plain:
            continue
        for name, place in places(publication, walked):
            if wanted[name]:
                cases.append(Case(name, wanted[name].pop(), publication, place))  # type: ignore[arg-type]
                break
        if not any(wanted.values()):
            return cases
    raise AssertionError(f"not enough publications for {wanted}")


def wrong(case: Case, record: Record, universe: Universe) -> list[str]:
    """Where the record differs from the walk in which the fault's place says nothing; half an answer may have said true
    things."""
    name = f"{case.name} × {case.kind} (publication {case.publication.index})"
    walked = walk(universe, case.publication.submitted, failing=case.failing)
    fair = walk(universe, case.publication.submitted)
    assert walked is not None
    assert fair is not None
    found = []
    for part in ("title", "keywords", "mesh", "efo", "go", "fulltext"):
        allowed = {type_of(walked, part)}
        if OUTCOMES[case.name][case.kind] == HALF:
            allowed.add(type_of(fair, part))
        if record.part(part).type not in allowed:
            found.append(f"{name}: {part} is of type {record.part(part).type}, not {allowed}")
    value = walked.parts.get("theAbstract")
    if value is not None and value.size >= LEAST_ABSTRACT and record.theAbstract.type != value.type:
        found.append(f"{name}: the abstract is of type {record.theAbstract.type}, not {value.type}")
    text = fair.parts.get("fulltext")
    if text is not None and isinstance(text.source, PageText) and record.fulltext.type == text.type:
        sections = pages.text_of(case.publication)
        whole = space_normalised(
            " ".join(one.plain for section in sections for said in section for one in said)
        )
        found += [
            f"{name}: {paragraph[:60]!r} is not the article's"
            for paragraph in record.fulltext.text.split("\n\n")
            if len(paragraph) > 300
            and space_normalised(paragraph) not in whole + abstract_of(case.publication)
        ]
    return found


def type_of(walked: Walk, part: Part) -> str:
    return walked.parts[part].type if part in walked.parts else "na"


def abstract_of(publication: Publication) -> str:
    parts = content.abstract_of(publication, "huge") + content.abstract_of(publication, "long")
    return space_normalised(" ".join(one.plain for part in parts for one in part.sentences))


async def test_every_fault_at_every_resource_has_the_outcome_of_the_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """doi.org, its pages, Unpaywall, pages and PDFs of links × every kind of fault; the numbers reconcile."""
    universe = Universe(21, 4000)
    cases = planned(universe)
    lines = [
        Line(number, Identifiers(ids.pmid, ids.pmcid, ids.doi.upper()))
        for number, ids in enumerate((case.publication.submitted for case in cases), start=1)
    ]
    outcomes: dict[str, dict[str, str]] = defaultdict(dict)
    evidence: dict[str, str] = {}
    differences: list[str] = []
    with running(universe, faults=[case.fault for case in cases]) as net:
        async with system_on(
            net,
            monkeypatch=monkeypatch,
            context=whole_chain(),
            resources=None,
            second_chance=False,
            clock=ImpatientClock(),
        ) as system:
            settings = JobSettings(settings=RunSettings(timeout_ms=TIMEOUT_MS))
            done = {one.line: one async for one in system.run_job(lines, settings)}
            for line, case in zip(lines, cases, strict=True):
                record = done[line.number].record
                assert record is not None
                _, value = line.identifiers.known()[0]
                told = await explain(system.storage.store, system.storage.blobs, value)
                assert told is not None
                place = case.place.upper() if case.name in ("doi", "unpaywall") else case.place
                outcomes[case.name][case.kind], evidence[f"{case.name} × {case.kind}"] = next(
                    (
                        (need.outcome, need.evidence)
                        for need in told.needs
                        if need.resource == case.resource
                        and (case.name == "page" or need.asked_with == place)
                    ),
                    ("was not asked", ""),
                )
                differences += wrong(case, record, universe)
            reconciled = await status(system.storage.store)

    surprises = {
        f"{name} × {kind}": (outcomes[name].get(kind), evidence.get(f"{name} × {kind}"), word)
        for name, table in OUTCOMES.items()
        for kind, word in table.items()
        if word not in (WHOLE, HALF) and outcomes[name].get(kind) != word
    }
    assert surprises == {}
    assert differences == []
    assert reconciled.reconciled, reconciled.differences
    assert len(cases) == len(OUTCOMES) * len(FAULTS)
