"""The embedded system on the simulated internet: same records whatever happens on the way."""

from pathlib import Path

import pytest

from flow.tables import lines_of, system_on, table
from pubweave import api
from pubweave.contract.values import Identifiers, RunSettings
from pubweave.core.toolkit.service import Context
from pubweave.runtimes.embedded.explain import explain, status
from pubweave.runtimes.embedded.jobs import Line
from simnet.faults import Fault
from simnet.fixture import running
from simnet.universe import Universe

pytestmark = pytest.mark.network

SIZE = 150


@pytest.fixture(scope="module")
def universe() -> Universe:
    return Universe(seed=3, size=SIZE)


async def test_everything_submitted_ends_and_the_numbers_reconcile(
    universe: Universe, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each line has one outcome, each need one, and every attempt is counted as the server saw it."""
    with running(universe) as net:
        async with system_on(net, monkeypatch=monkeypatch) as system:
            done = await table(system, lines_of(universe, SIZE))
            told = await status(system.storage.store)
        seen = len(net.log.requests())

    assert list(done) == list(range(1, SIZE + 1))
    assert {outcome for outcome, _ in done.values()} <= {"finished", "known-nowhere", "corrected"}
    assert told.reconciled, told.differences
    assert sum(sum(counts.values()) for counts in told.attempts.values()) == seen


async def test_batches_find_what_single_asks_find(
    universe: Universe, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Results equal the one-by-one run, also where OR queries lose 16 % (issue 4 point 3)."""
    with running(universe) as net:
        async with system_on(net, monkeypatch=monkeypatch, context=Context(no_batch=True)) as system:
            alone = await table(system, lines_of(universe, SIZE))
        single = len(net.log.requests())
    with running(universe, faults=[Fault("lose", "europepmc", 0.16)]) as net:
        async with system_on(net, monkeypatch=monkeypatch) as system:
            batched = await table(system, lines_of(universe, SIZE))
        together = len(net.log.requests())

    assert without_addresses(batched) == without_addresses(alone)
    assert together < single / 2


@pytest.mark.parametrize("jitter", [0.3, 0.9])
async def test_latencies_never_change_a_record(
    universe: Universe, jitter: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answers that overtake each other, and more or fewer publications under way, give the same records."""
    with running(universe) as net:
        async with system_on(net, monkeypatch=monkeypatch) as system:
            calm = await table(system, lines_of(universe, SIZE))
    with running(universe, latency_s=0.004, jitter=jitter) as net:
        async with system_on(net, monkeypatch=monkeypatch, in_flight=40, connections_per_host=4) as system:
            hurried = await table(system, lines_of(universe, SIZE))

    assert without_addresses(hurried) == without_addresses(calm)


async def test_faults_that_heal_change_nothing(universe: Universe, monkeypatch: pytest.MonkeyPatch) -> None:
    """503, 429, HTML at 200 and broken bodies that heal within what is retried leave no trace in a record."""
    with running(universe) as net:
        async with system_on(net, monkeypatch=monkeypatch) as system:
            calm = await table(system, lines_of(universe, SIZE))
    faults = [
        Fault("429", "*", 0.1, heals_after=1, retry_after_s=0),
        Fault("truncated", "pubmed_xml", 0.2, heals_after=1),
        Fault("cut-batch", "pmc", 0.3, heals_after=1),
    ]
    with running(universe, faults=faults) as net:
        async with system_on(net, monkeypatch=monkeypatch) as system:
            stormy = await table(system, lines_of(universe, SIZE))
            told = await status(system.storage.store)

    assert told.reconciled, told.differences
    assert without_addresses(stormy) == without_addresses(calm)


async def test_a_failure_is_never_nothing(universe: Universe, monkeypatch: pytest.MonkeyPatch) -> None:
    """When Europe PMC is down for good, what only it has is missing with an exception, not "known nowhere"."""
    with running(universe, faults=[Fault("503", "*", 1.0)]) as net:
        async with system_on(net, monkeypatch=monkeypatch) as system:
            done = await table(system, lines_of(universe, 20))
            told = await status(system.storage.store)

    assert {outcome for outcome, _ in done.values()} == {"finished"}
    assert all(row["fetch_exception"] for _, row in done.values())
    assert not any(
        outcome in ("absent", "empty", "gone") for counts in told.needs.values() for outcome in counts
    )
    assert told.reconciled, told.differences


async def test_known_publications_are_not_fetched_again(
    universe: Universe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F-CAN-05: a second job over final records asks nothing; the line says so."""
    lines = lines_of(universe, 40)
    with running(universe) as net:
        async with system_on(net, tmp_path / "p.db", monkeypatch=monkeypatch) as system:
            first = await table(system, lines)
        final = [line for line in lines if is_final(first[line.number][1])]
        net.reset()
        async with system_on(net, tmp_path / "p.db", monkeypatch=monkeypatch) as system:
            again = await table(system, final, job="again")
        asked = net.log.requests()

    assert final
    assert asked == []
    assert {number: row for number, (_, row) in again.items()} == {
        line.number: first[line.number][1] for line in final
    }


async def test_one_article_under_three_names_is_one_record(
    universe: Universe, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T-033: submitted at once by PMID, PMCID and DOI, an article is fetched once and comes out once."""
    chosen = [
        publication for publication in universe if publication.kind == "plain" and all(publication.ids)
    ][:8]
    assert chosen
    lines = []
    for publication in chosen:
        for ids in (
            Identifiers(pmid=publication.ids.pmid),
            Identifiers(pmcid=publication.ids.pmcid),
            Identifiers(doi=publication.ids.doi.upper()),
        ):
            lines.append(Line(len(lines) + 1, ids))
    with running(universe, latency_s=0.003, jitter=0.9) as net:
        async with system_on(net, monkeypatch=monkeypatch) as system:
            done = {one.line: one async for one in system.run_job(lines)}
            count = await system.storage.store.count()
        asks = [entry.ids for entry in net.log.requests("europepmc_fulltext")]

    keys = {number: one.settled.publication for number, one in done.items()}
    assert count == len(chosen)
    assert len(set(keys.values())) == len(chosen)
    assert all(len({keys[n], keys[n + 1], keys[n + 2]}) == 1 for n in range(1, len(lines), 3))
    assert len(asks) == len(set(asks)), "a full text was asked for twice"


async def test_only_requested_parts_cost_requests(
    universe: Universe, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T-038, T-019: with only the title wanted, Europe PMC is enough wherever it has it; identifiers come too."""
    with running(universe) as net:
        async with system_on(net, monkeypatch=monkeypatch) as system:
            done = await table(system, lines_of(universe, 60), RunSettings(parts=("title",)))
        asked = {entry.resource for entry in net.log.requests()}

    assert "europepmc_fulltext" not in asked
    assert "annotations" not in asked
    for _, record in done.values():
        for part in ("keywords", "mesh", "efo", "go", "theAbstract", "fulltext"):
            assert not record[part].get("size")
    assert sum(bool(record["pmid"].get("size")) for _, record in done.values()) > 30


async def test_the_structured_document_stands_beside_the_full_text(
    universe: Universe, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full text from JATS refers to its article, of which the structured document is made, whose sections hold the text and lose nothing;
    switched off, there is none."""
    lines = lines_of(universe, 40)
    with running(universe) as net:
        async with system_on(net, monkeypatch=monkeypatch) as system:
            done = [one async for one in system.run_job(lines)]
            documents = {
                one.line: await api.document_of(system.storage.blobs, part.source)
                for one in done
                if one.record is not None and (part := one.record.fulltext).source is not None
            }
        async with system_on(
            net, monkeypatch=monkeypatch, context=Context(structured_documents=False)
        ) as system:
            plain = [one async for one in system.run_job(lines)]
    texts = {one.line: one.record.fulltext for one in done if one.record is not None}

    assert len(documents) >= 5
    assert set(documents) == {
        line
        for line, part in texts.items()
        if part.type in ("europepmc_xml", "pmc_xml") and not part.never_final
    }
    for line, document in documents.items():
        assert document.pubweave.conservation.holds
        assert document.pmcid == texts[line].url.split("/")[-2] or texts[line].type == "pmc_xml"
        assert len(document.body_sections) > 2
    assert not any(one.record.fulltext.document for one in plain if one.record is not None)


async def test_every_value_is_explained(universe: Universe, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rung that wins on each ladder is the record's value, and every rung names its rule."""
    with running(universe) as net:
        async with system_on(net, monkeypatch=monkeypatch) as system:
            lines = lines_of(universe, 60)
            await table(system, lines)
            for line in lines:
                _, value = line.identifiers.known()[0]
                told = await explain(system.storage.store, system.storage.blobs, value)
                if told is None:
                    continue
                for ladder in told.ladders:
                    assert all(rung.rule for rung in ladder.rungs)
                    if ladder.part in ("title", "theAbstract", "fulltext"):
                        part = told.record.part(ladder.part)  # type: ignore[arg-type]
                        (winner,) = [rung for rung in ladder.rungs if rung.wins]
                        assert (winner.type, winner.size) == (part.type, part.size)
                assert all(need.outcome for need in told.needs)


def without_addresses(done: dict[int, tuple[str, object]]) -> object:
    """A batch is asked at another address than a single ask: provenance by URL is left out."""

    def strip(value: object) -> object:
        if isinstance(value, dict):
            return {name: strip(inner) for name, inner in value.items() if name != "url"}
        if isinstance(value, list):
            return [strip(inner) for inner in value]
        return value

    return {number: (outcome, strip(row)) for number, (outcome, row) in done.items()}


def is_final(row: dict[str, dict[str, object]]) -> bool:
    least = {"title": 4, "theAbstract": 200, "fulltext": 2000}
    return all(
        int(str(row.get(part, {}).get("size", 0))) >= size and not row[part].get("never_final")
        for part, size in least.items()
    ) and not row.get("fetch_exception")


async def test_consumers_get_sections_by_path(
    universe: Universe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 8 point 5: through the library, and from the reference in a published record."""
    with running(universe) as net:
        async with system_on(net, tmp_path / "p.db", monkeypatch=monkeypatch) as system:
            done = [one async for one in system.run_job(lines_of(universe, 30))]
            (chosen, *_) = [
                one.record
                for one in done
                if one.record is not None and one.record.fulltext.source is not None
            ]
            assert chosen.fulltext.source is not None
            referred = await api.document_of(system.storage.blobs, chosen.fulltext.source)
    value = chosen.identifiers.known()[0][1]
    document = await api.structured_document(tmp_path / "p.db", value)
    assert document is not None
    title = next(section.title for section in document.body_sections if section.title)
    found = await api.sections(tmp_path / "p.db", value, title)

    assert document == referred
    assert found
    assert all(section in document.body_sections for section in found)
    assert await api.sections(tmp_path / "p.db", value, "no such section") == []
    assert await api.sections(tmp_path / "p.db", "99999999", title) == []
    record = await api.get_publication(tmp_path / "p.db", value)
    assert record is not None
    assert record.fulltext.text == chosen.fulltext.text
