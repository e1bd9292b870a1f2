"""Real pages of tools, documentation and science news through the whole of it, replayed from a WARC with our own rules."""

import gzip
import json
import re
from pathlib import Path
from typing import Final, NamedTuple
from uuid import UUID

import pytest

from pubweave.adapters.rule_files import load_rule_book
from pubweave.contract.exchange import Reply
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.values import Cooldowns, RunSettings
from pubweave.contract.webpage_read import WebpageRead
from pubweave.core.merging.webpage_fold import Folded, accept, need_of
from pubweave.core.toolkit.service import Context
from pubweave.core.toolkit.webpage_asking import first_work, page_step
from pubweave.core.webpage_record import WebpageRecord
from pubweave.runtimes.embedded.webpages import PageLine, PageWishes
from shared_data import needs_shared_data, shared_data
from webpages.conftest import Opened

pytestmark = needs_shared_data


class Expected(NamedTuple):
    """What is known of a saved page by looking at it."""

    url: str
    title: str
    """A word of its title."""
    length: int
    """Its content has at least so many characters."""
    rules: bool = False
    license: str = ""
    language: str = ""


PAGES: Final = {
    "blog.python.org.html": Expected("http://blog.python.org/2016/12/", "Python 3.6.0", 950),
    "caktusgroup.com.django.html": Expected(
        "https://www.caktusgroup.com/blog/2015/06/08/", "Post Mortem", 5000
    ),
    "docs.docker.com.install.html": Expected(
        "https://docs.docker.com/engine/install/", "Docker Engine", 5000, True
    ),
    "europepmc_docs_articles_index.html": Expected(
        "https://docs.ropensci.org/europepmc/articles/index.html", "Articles", 80, True
    ),
    "europepmc_docs_index.html": Expected("https://docs.ropensci.org/europepmc/", "europepmc", 3000, True),
    "europepmc_docs_reference_epmc_search.html": Expected(
        "https://docs.ropensci.org/europepmc/reference/epmc_search.html", "Search Europe PMC", 1500, True
    ),
    "lemire.me.json.html": Expected("https://lemire.me/blog/2019/08/02/", "simdjson", 1200),
    "parallels.com.desktop.html": Expected(
        "https://www.parallels.com/products/desktop/", "Run Windows", 5000
    ),
    "postlight_github.com.html": Expected(
        "https://github.com/steventroughtonsmith/marzipanify",
        "marzipanify",
        800,
        True,
        "Unlicense",
        "Objective-C",
    ),
    "postlight_jvndb.jvn.jp.html": Expected(
        "https://jvndb.jvn.jp/ja/contents/2018/JVNDB-2018-013542.html", "JVNDB-2018-013542", 500, True
    ),
    "postlight_medium.com.html": Expected("https://wtfeconomy.com/wtf-e52ab9515573", "WTF?", 8000),
    "postlight_sciencefly.com.html": Expected("http://sciencefly.com/video/", "killer whale", 1500),
    "postlight_techlog.iij.ad.jp.html": Expected("https://techlog.iij.ad.jp/archives/2562", "てくろぐ", 600),
    "postlight_www.infoq.com.html": Expected("https://www.infoq.com/jp/news/2019/02/x/", "Chrome", 1000),
    "postlight_www.phoronix.com.html": Expected("https://www.phoronix.com/news/x", "Steam", 800),
    "postlight_www.spektrum.de.html": Expected("https://www.spektrum.de/news/x/2039026", "Rafflesien", 8000),
    "pyami_test_resources_eoCompound_q407418.html": Expected(
        "https://www.wikidata.org/wiki/Q407418", "menthol", 10, True
    ),
    "pythonspeed.com.docker.html": Expected(
        "https://pythonspeed.com/articles/pipenv-docker/", "pipenv", 6000
    ),
}


def record(folder: Path) -> None:
    """A recording as other people make them: a response for each page, nothing else."""
    folder.mkdir()
    with (folder / "pages.warc.gz").open("wb") as file:
        for number, (name, page) in enumerate(PAGES.items()):
            body = shared_data("webpages", name).read_bytes()
            block = (
                b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(body) + body
            )
            head = (
                f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {page.url}\r\n"
                f"WARC-Date: 2026-11-21T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:{UUID(int=number)}>\r\n"
                f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
            )
            file.write(gzip.compress(head.encode() + block + b"\r\n\r\n"))


@pytest.fixture
async def records(tmp_path: Path, opened: Opened) -> dict[str, WebpageRecord]:
    """All pages, fetched in one run."""
    record(tmp_path / "warc")
    async with opened(rules=load_rule_book(), replay_from=tmp_path / "warc", allow_addresses=()) as pages:
        lines = [PageLine(number, page.url) for number, page in enumerate(PAGES.values())]
        found = {one.line: one.record async for one in pages.fetch(lines, PageWishes())}
    return dict(zip(PAGES, (found[number] for number in range(len(PAGES))), strict=True))


async def test_real_pages_become_records(records: dict[str, WebpageRecord]) -> None:
    """Every page is found and not broken; title, length, rules, licence and language are what one sees on it."""
    seen = {
        name: (
            page.outcome,
            page.is_broken(),
            PAGES[name].title in page.title,
            page.content_size >= PAGES[name].length,
            bool(page.rules_version),
            PAGES[name].license in page.license,
            page.language,
        )
        for name, page in records.items()
    }

    assert seen == {
        name: ("found", False, True, True, page.rules, True, page.language) for name, page in PAGES.items()
    }


async def test_real_pages_keep_their_text_and_lose_the_rest(records: dict[str, WebpageRecord]) -> None:
    """The segments that people marked as in and out: of these pages, at most two of all are on the wrong side."""
    marked = json.loads(shared_data("extraction-benchmark", "trafilatura_gold.json").read_text("utf-8"))
    wrong, count = [], 0
    for key, gold in marked.items():
        name = key.removeprefix("webpages/")
        if name not in records:
            continue
        content = _one_line(records[name].content)
        for words, belongs in (("with", True), ("without", False)):
            for segment in gold[words]:
                count += 1
                if (_one_line(segment) in content) is not belongs:
                    wrong.append((name, words, segment))

    assert count >= 30
    assert len(wrong) <= 2, wrong


async def test_no_script_or_style_is_content(records: dict[str, WebpageRecord]) -> None:
    """No line of any script or style of a page stands in its content."""
    lines = 0
    for name, page in records.items():
        source = shared_data("webpages", name).read_text("utf-8", "replace")
        for inner in re.findall(r"<(?:script|style)\b[^>]*>(.*?)</(?:script|style)>", source, re.S | re.I):
            for line in inner.splitlines():
                if len(line.strip()) > 30:
                    lines += 1
                    assert line.strip() not in page.content, name

    assert lines > 500


def _one_line(text: str) -> str:
    return " ".join(text.split())


def test_real_bot_checks_are_walls_and_real_pages_are_none() -> None:
    """Of the recorded pages of all kinds: those that are no article either, and the benchmark's 144."""
    pages = []
    walls = [
        _outcome(path.read_bytes()) for path in sorted(shared_data("http-errors").glob("cloudflare__*.html"))
    ]
    for folder, pattern in (("webpages", "*.html"), ("extraction-benchmark", "*.html*")):
        for path in sorted(shared_data(folder).glob(pattern)):
            body = path.read_bytes()
            pages.append(_outcome(gzip.decompress(body) if path.suffix == ".gz" else body))

    assert walls == ["blocked"] * 2
    assert len(pages) > 150
    assert "blocked" not in pages


def _outcome(body: bytes) -> str:
    url = "https://site.example/"
    run = accept(Folded(), "webpage", url, RunSettings(), Cooldowns(), 1)
    assert run is not None
    (asked,) = page_step(first_work(need_of(run), "never"), None, Context())
    assert isinstance(asked, ReplyWanted)
    reply = Reply("found", url, final_url=url, status=200, content_type="text/html", body=body)
    (read,) = page_step(asked.work, reply, Context())
    assert isinstance(read, WebpageRead)
    return read.outcome
