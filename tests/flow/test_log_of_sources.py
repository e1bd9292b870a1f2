"""What sources said is in the log, at the level the specification names, one line with the publication's identifiers; the
same lines in one process and on the bus."""

import logging
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from pubweave import registry
from pubweave.cli.logs import SOURCES, listening
from pubweave.contract.values import Identifiers
from pubweave.contract.vocabulary import ResourceName
from pubweave.core.toolkit.service import Context
from pubweave.runtimes.told import LOGGER
from services.resources.small_internet import (
    DOI,
    PAGE,
    RESOLVER,
    Body,
    Case,
    Internet,
    To,
    fetched,
    page,
    rules,
    search_for,
    search_result,
)
from simulation.running import line
from simulation.system import SimulatedSystem

PMID, PMCID = "31000001", "PMC7000001"
KNOWN = f"{PMID} {PMCID}"
FULL_TEXT = f"https://www.ebi.ac.uk/europepmc/webservices/rest/{PMCID}/fullTextXML"
PDF = "https://site.example/a/1.pdf"


def results(count: int, *records: dict[str, str]) -> Body:
    shown = "".join(
        f"<result>{''.join(f'<{name}>{value}</{name}>' for name, value in record.items())}</result>"
        for record in records
    )
    return Body(
        f"<responseWrapper><hitCount>{count}</hitCount><resultList>{shown}</resultList></responseWrapper>".encode(),
        "application/xml",
    )


ONE = Identifiers(pmid=PMID)


@dataclass
class Row:
    """One requirement: what is asked, what is there, and the line that tells it."""

    spec: str
    there: dict[str, str | To | Case | Body]
    level: str
    line: str
    identifiers: Identifiers = ONE
    asked: tuple[ResourceName, ...] = ("europepmc",)
    on_bus: bool = True
    """What it takes is on the simulated bus: no PDF reader."""


BY_PMID = search_for(f"ext_id:{PMID} src:med")
BY_DOI = search_for(f"doi:{DOI}")
PAPER = {"source": "MED", "id": PMID, "pmid": PMID, "title": "Nests above water", "abstractText": "Nests."}
BY_PMCID = search_for(f"pmcid:{PMCID}")
OPEN = search_result(**PAPER, pmcid=PMCID, isOpenAccess="Y", inEPMC="Y")
ROWS = [
    Row("F-EPMC-04", {}, "ERROR", f"{PMID}: europepmc: no result for pmid {PMID}"),
    Row(
        "F-EPMC-04 by DOI",
        {},
        "WARNING",
        f"{DOI}: europepmc: no result for doi {DOI}",
        identifiers=Identifiers(doi=DOI),
    ),
    Row(
        "F-EPMC-05",
        {BY_PMID: results(3, PAPER)},
        "WARNING",
        f"{PMID}: europepmc: 3 hits were counted, 1 came",
    ),
    Row(
        "F-EPMC-06",
        {BY_PMID: results(2, {**PAPER, "id": "9", "pmid": "9"}, PAPER)},
        "ERROR",
        f"{PMID}: europepmc: MED:9 9 contradicts what is known",
    ),
    Row(
        "F-EPMC-06 F1000",
        {
            search_for("doi:10.12688/F1000RESEARCH.1.1"): results(
                2,
                {**PAPER, "doi": "10.12688/F1000RESEARCH.1.1"},
                {**PAPER, "source": "PPR", "id": "PPR1", "pmid": "", "doi": "10.12688/f1000research.1.2"},
            )
        },
        "WARNING",
        "10.12688/F1000RESEARCH.1.1: europepmc: PPR:PPR1 10.12688/F1000RESEARCH.1.2 has another version's DOI",
        identifiers=Identifiers(doi="10.12688/F1000RESEARCH.1.1"),
    ),
    Row(
        "F-EFT-03",
        {BY_PMCID: OPEN, FULL_TEXT: Body(b"<responseWrapper/>", "application/xml")},
        "ERROR",
        f"{KNOWN}: europepmc_fulltext: malformed: no article in the reply",
        identifiers=Identifiers(pmcid=PMCID),
        asked=("europepmc", "europepmc_fulltext"),
    ),
    Row(
        "F-ID-16 of an API",
        {BY_PMID: search_result(**PAPER, doi="none yet")},
        "ERROR",
        f"{PMID}: europepmc: 'none yet' is no DOI and is not taken",
    ),
    Row(
        "F-ID-16 of a page",
        {RESOLVER: To(PAGE), PAGE: page(more="<p class=pmid>PMID: x</p>")},
        "WARNING",
        f"{DOI}: doi: 'PMID: x' is no PMID and is not taken",
        identifiers=Identifiers(doi=DOI),
        asked=("doi",),
    ),
    Row(
        "T-005 cut out",
        {RESOLVER: To(PAGE), PAGE: page(more=f"<p class=pmid>PMID: {PMID}</p>")},
        "INFO",
        f"{DOI}: doi: the PMID {PMID} was cut out of 'PMID: {PMID}'",
        identifiers=Identifiers(doi=DOI),
        asked=("doi",),
    ),
    Row(
        "F-DOI-01 no location",
        {RESOLVER: "<p>What?</p>"},
        "ERROR",
        f"{DOI}: doi: the DOI resolver leads nowhere: status 200",
        identifiers=Identifiers(doi=DOI),
        asked=("doi",),
    ),
    Row(
        "F-DOI-01 not there",
        {},
        "ERROR",
        f"{DOI}: doi: resolving the DOI: ",
        identifiers=Identifiers(doi=DOI),
        asked=("doi",),
    ),
    Row(
        "F-CHG-01",
        {BY_PMID: search_result(**PAPER, doi="10.5555/RIGHT")},
        "ERROR",
        f"{PMID} 10.5555/RIGHT 10.5555/WRONG: fetched again from the beginning: "
        "doi 10.5555/WRONG is 10.5555/RIGHT",
        identifiers=Identifiers(pmid=PMID, doi="10.5555/WRONG"),
    ),
    Row(
        "F-PDF-07 unparseable",
        {RESOLVER: To(PDF), PDF: Body(b"%PDF-1.7\nno more of it", "application/pdf")},
        "WARNING",
        f"{DOI}: doi: malformed, ",
        identifiers=Identifiers(doi=DOI),
        asked=("doi",),
        on_bus=False,
    ),
    Row(
        "F-PDF-07 refused",
        {RESOLVER: To(PDF), PDF: Case("refused")},
        "WARNING",
        f"{DOI}: doi: refused, ",
        identifiers=Identifiers(doi=DOI),
        asked=("doi",),
    ),
    Row(
        "F-SEL-06",
        {RESOLVER: To(PAGE), PAGE: page(abstract="")},
        "WARNING",
        f"{DOI}: doi: nothing found for theAbstract",
        identifiers=Identifiers(doi=DOI),
        asked=("doi",),
    ),
    Row(
        "F-SEL-06 of an API",
        {BY_PMID: results(1, {**PAPER, "abstractText": " "})},
        "WARNING",
        f"{PMID}: europepmc: nothing found for theAbstract",
    ),
    Row(
        "T-029, F-EXC-09",
        {RESOLVER: To(PAGE), PAGE: Case("tls")},
        "WARNING",
        f"{DOI}: doi: once more with JavaScript: {PAGE} (",
        identifiers=Identifiers(doi=DOI),
        asked=("doi",),
        on_bus=False,
    ),
    Row(
        "F-EXC-08",
        {BY_PMCID: OPEN, FULL_TEXT: Case("timeout")},
        "WARNING",
        f"{KNOWN}: europepmc_fulltext: timeout, ",
        identifiers=Identifiers(pmcid=PMCID),
        asked=("europepmc", "europepmc_fulltext"),
    ),
]


class _Bus:
    def __init__(self, internet: Internet) -> None:
        self.fetch = internet.fetch


def lines(caplog: pytest.LogCaptureFixture) -> set[tuple[str, str]]:
    """What was logged of publications."""
    return {(record.levelname, record.getMessage()) for record in caplog.records if record.name == LOGGER}


async def in_one_process(row: Row) -> None:
    context = Context(rules=rules())
    await fetched(Internet(dict(row.there)), row.identifiers, context=context, resources=row.asked)


async def on_the_bus(row: Row) -> None:
    services = [registry.service(name) for name in row.asked]
    system = SimulatedSystem(
        1, services, _Bus(Internet(dict(row.there))), context=Context(rules=rules()), second_chance=False
    )
    system.submit(line(1, identifiers=row.identifiers))
    await system.run()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.spec)
async def test_the_log_has_the_line_of_the_requirement(row: Row, caplog: pytest.LogCaptureFixture) -> None:
    """Each at its level, beginning with every identifier that was known; on the bus the very same lines."""
    caplog.set_level(logging.INFO, logger="pubweave")
    await in_one_process(row)
    told = lines(caplog)

    assert any(level == row.level and text.startswith(row.line) for level, text in told), told
    if row.on_bus:
        caplog.clear()
        await on_the_bus(row)

        assert lines(caplog) == told


async def test_keywords_are_missed_by_nobody(caplog: pytest.LogCaptureFixture) -> None:
    """F-SEL-06: they are not complained about, and neither is what nobody asked for."""
    caplog.set_level(logging.INFO, logger="pubweave")
    row = Row("", {BY_PMID: search_result(**PAPER)}, "", "")
    await in_one_process(row)

    assert lines(caplog) == set()


def test_sources_are_heard_in_the_file_and_not_on_the_screen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A job has thousands of such lines; the screen of a service is a log."""
    assert SOURCES == LOGGER
    for endless in (False, True):
        said: list[str] = []
        path = tmp_path / f"{endless}.log"
        with listening(said.append, path, endless=endless):
            logging.getLogger(LOGGER).error("1 2 3: europepmc: no result")

        assert re.search("ERROR.*1 2 3: europepmc: no result", path.read_text())
        assert said == []
        assert ("no result" in capsys.readouterr().err) is endless
