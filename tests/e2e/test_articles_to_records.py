"""From a crawl to records: a WARC of the simulated internet's publisher becomes articles, these become a job,
and the job becomes finished records; and the JATS server's own fetching goes through the fetcher."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pubweave.adapters.clock import SystemClock
from pubweave.contract.exchange import Request
from pubweave.core.toolkit.answering import wanted
from pubweave.doors.fetcher.door import FetcherDoor
from pubweave.doors.fetcher.settings import FetcherSettings
from simnet.fixture import Running, running
from simnet.universe import Universe

pytestmark = pytest.mark.network


def pubweave(net: Running, here: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the installed command in a folder of its own."""
    environment = {
        **os.environ,
        **net.environment,
        "XDG_CONFIG_HOME": str(here),
        "PUBWEAVE_DB": str(here / "p.db"),
    }
    return subprocess.run(
        [sys.executable, "-m", "pubweave.cli.main", *words],
        cwd=here,
        env=environment,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


async def test_a_crawl_of_a_publisher_becomes_finished_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 9: WARC → `articles run --submit` → records, found by the DOIs that only the pages tell."""
    universe = Universe(seed=3, size=1500)
    articles = {
        page.url: publication
        for publication in universe
        if publication.kind == "plain"
        for page in publication.pages.values()
        if page.url.startswith("https://peerj.com/articles/")
        and page.face in ("article", "abstract")
        and page.ids.doi
    }
    assert len(articles) >= 5
    with running(universe) as net:
        for name, value in net.environment.items():
            monkeypatch.setenv(name, value)
        crawl = FetcherSettings(no_budgets=True, first_window="skip", record_to=tmp_path / "crawl")
        async with FetcherDoor(crawl, SystemClock()) as fetcher:
            for url in articles:
                assert (
                    await fetcher.fetch(wanted(Request(url=url, expect="html"), "doi", ()))
                ).outcome == "found"
                pdf = url.rstrip("/") + ".pdf"
                await fetcher.fetch(wanted(Request(url=pdf, expect="pdf"), "doi", ()))
        warcs = [str(path) for path in sorted((tmp_path / "crawl").glob("*.warc.gz"))]
        told = pubweave(
            net, tmp_path, "articles", "run", "peerj", *(f"--urls={warc}" for warc in warcs), "--submit"
        )
        assert told.returncode == 0, told.stderr
        lines = [json.loads(line) for line in told.stdout.splitlines()]
        records = {
            url: json.loads(pubweave(net, tmp_path, "db", "get", "p.db", publication.ids.doi).stdout)
            for url, publication in articles.items()
        }

    assert {line["fullTextUrl"] for line in lines} == set(articles)
    assert f"{len(articles)} articles submitted" in told.stderr
    for url, publication in articles.items():
        assert records[url]["pmid"]["content"] == publication.ids.pmid
        assert records[url]["title"]["type"] == "europepmc"


def test_the_jats_command_fetches_through_the_fetcher(tmp_path: Path) -> None:
    """B-03: an identifier instead of a file is asked for at Europe PMC; one that is not there is named."""
    universe = Universe(seed=3, size=100)
    article = next(
        publication
        for publication in universe
        if publication.kind == "plain" and publication.europepmc_fulltext
    )
    with running(universe) as net:
        told = pubweave(net, tmp_path, "jats", "parse", article.ids.pmcid, "PMC999", "--out", "out")
        asked = [entry.ids for entry in net.log.requests("europepmc_fulltext")]
    digits = article.ids.pmcid.removeprefix("PMC")
    document = json.loads((tmp_path / "out" / digits[:2] / f"pmc{digits}.json").read_text())

    assert document["pmcid"] == article.ids.pmcid
    assert ("PMC999",) in asked
    assert "PMC999" in told.stderr
    assert told.returncode == 1
