"""`pubweave db erase`: no byte of a publication or page stays in the database file."""

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pubweave.adapters.clock import SystemClock
from pubweave.adapters.sqlite import SqliteStorage
from pubweave.contract.exchange import Reply
from pubweave.contract.values import Thresholds
from pubweave.core.record import Part, Record
from pubweave.core.webpage_record import WebpageRecord
from pubweave.doors.fetcher.answers import StoredAnswers
from pubweave.output.publication import publication_object
from pubweave.output.webpage import webpage_object
from services.cli.conftest import Cli
from simnet.fixture import Running

BASE = "base.db"


def bytes_there() -> bytes:
    """Everything in the database's files."""
    return b"".join(file.read_bytes() for file in sorted(Path().glob(f"{BASE}*")))


def stored_contents() -> dict[bytes, bytes]:
    """By digest, the first bytes of each content as it lies in the file (compressed)."""
    with sqlite3.connect(BASE) as raw:
        rows = raw.execute(
            "SELECT digest, coalesce(body, (SELECT body FROM chunk WHERE blob = number AND position = 0)) FROM blob"
        ).fetchall()
    raw.close()
    return {digest: bytes(body)[:64] for digest, body in rows}


def publication(title: str, fulltext: str = "", **ids: str) -> dict[str, Any]:
    parts: dict[str, Any] = {
        kind: Part(type="europepmc", url="u", timestamp=1, size=len(value), text=value)
        for kind, value in ids.items()
    }
    parts["fulltext"] = Part(type="europepmc_xml", size=len(fulltext), text=fulltext)
    record = Record("", fetch_time=5, title=Part(type="europepmc", size=len(title), text=title), **parts)
    return publication_object(record, Thresholds())


def page(title: str, content: str) -> dict[str, Any]:
    url = f"https://{title}.example/"
    return webpage_object(WebpageRecord(url, url, "text/html", 200, title, content), Thresholds())


def put(cli: Cli, **lists: list[dict[str, Any]]) -> None:
    Path("some.json").write_text(json.dumps({"version": {}, **lists}))
    assert cli("db", "put", BASE, "some.json").status == 0


def long_text(word: str) -> str:
    return " ".join(f"{word}{number}" for number in range(900))


def publications(cli: Cli) -> list[Any]:
    found: list[Any] = json.loads(cli("db", "dump", BASE).out)["publications"]
    return found


@pytest.mark.network
def test_no_byte_of_a_fetched_publication_stays(cli: Cli, net: Running, some_ids: Path) -> None:
    """Record, log, candidates, long texts, lines of the job: gone; everything else is as before and adds up."""
    cli("fetch", "--ids", some_ids, "--db", BASE)
    before = publications(cli)
    gone = max(before, key=lambda one: one["fulltext"]["size"])
    others = [one for one in before if one is not gone]
    words = [
        gone[name]["content"].encode() for name in ("pmid", "pmcid", "doi", "title") if gone[name]["content"]
    ]
    contents = stored_contents()
    assert all(word in bytes_there() for word in words)

    told = cli("db", "erase", BASE, gone["doi"]["content"])

    assert told.status == 0
    assert "1 erased from base.db" in told.err
    there, left = bytes_there(), stored_contents()
    assert len(left) < len(contents)
    assert [word for word in words if word in there] == []
    assert [digest for digest, body in contents.items() if digest not in left and body in there] == []
    assert publications(cli) == others
    assert cli("status", "--db", BASE).status == 0
    assert cli("db", "contains", BASE, gone["doi"]["content"]).out == "false\n"


@pytest.mark.network
def test_what_was_erased_can_be_fetched_anew(cli: Cli, net: Running) -> None:
    """As if it had never been there."""
    one = next(ids.doi for ids in net.universe.submissions(12) if ids.doi)
    cli("fetch", one, "--db", BASE)
    (first,) = publications(cli)
    cli("db", "erase", BASE, one)
    assert cli("db", "size", BASE, "--publications").out == "0\n"
    cli("fetch", one, "--db", BASE)
    (again,) = publications(cli)

    assert again["title"]["content"] == first["title"]["content"] != ""
    assert again["fulltext"]["content"] == first["fulltext"]["content"]


def test_contents_that_others_have_too_stay(cli: Cli) -> None:
    """The same long text in two publications and a page: it goes with the last of them."""
    cli("db", "init", BASE)
    same = long_text("warp")
    put(cli, publications=[publication("A", same, pmid="1"), publication("B", same, pmid="2")])
    put(cli, webpages=[page("tool", same)])
    told = cli("db", "erase", BASE, "1")

    assert "with 0 long texts; 1 that other entries have, too, stay" in told.err
    assert json.loads(cli("db", "get", BASE, "2").out)["fulltext"]["content"] == same
    cli("db", "erase", BASE, "2")
    assert cli("db", "get", BASE, "https://tool.example/", "--webpages").status == 0
    told = cli("db", "erase", BASE, "https://tool.example/", "--webpages")
    assert "with 1 long texts" in told.err
    assert stored_contents() == {}


def test_what_was_replaced_or_removed_before_goes_too(cli: Cli) -> None:
    """Earlier versions, publications that turned out to be one, and those that were removed."""
    cli("db", "init", BASE)
    put(cli, publications=[publication("Early-title", long_text("weft"), pmid="77000001")])
    put(cli, publications=[publication("Joined-title", doi="10.1/JOINED")])
    put(cli, publications=[publication("Late-title", pmid="77000001", doi="10.1/JOINED")])
    put(cli, publications=[publication("Stays-title", pmid="5")])
    cli("db", "remove", BASE, "77000001")
    told = cli("db", "erase", BASE, "10.1/JOINED")

    assert (told.status, "1 erased" in told.err) == (0, True)
    there = bytes_there()
    words = [b"Early-title", b"Joined-title", b"Late-title", b"77000001", b"10.1/JOINED"]
    assert [word for word in words if word in there] == []
    assert b"Stays-title" in there
    assert stored_contents() == {}


def test_pages_are_erased_by_their_address(cli: Cli) -> None:
    """Address, title and content; the doc of the same address is another entry."""
    cli("db", "init", BASE)
    put(cli, webpages=[page("shuttle", long_text("bobbin")), page("heddle", "Kept.")])
    assert cli("db", "erase", BASE, "https://shuttle.example/", "--webpages").status == 0

    assert b"shuttle" not in bytes_there()
    assert stored_contents() == {}
    assert cli("db", "size", BASE, "--webpages").out == "1\n"
    put(cli, webpages=[page("shuttle", "New.")])
    assert cli("db", "erase", BASE, "https://shuttle.example/", "--webpages").status == 0


def test_what_is_not_there_is_named(cli: Cli) -> None:
    """Exit status 1; what is there is erased all the same."""
    cli("db", "init", BASE)
    put(cli, publications=[publication("A", pmid="1")])
    told = cli("db", "erase", BASE, "PMC9", "1")

    assert told.status == 1
    assert "nothing is known of PMC9 in base.db" in told.err
    assert cli("db", "size", BASE, "--publications").out == "0\n"


@pytest.mark.network
def test_what_is_under_way_can_be_erased(cli: Cli, net: Running, some_ids: Path) -> None:
    """In a job that was killed: its line ends parked, the job goes on with the others, and the numbers add up."""
    command = ["fetch", "--ids", str(some_ids), "--db", BASE, "--format", "jsonl", "--no-batch"]
    with subprocess.Popen(
        [sys.executable, "-m", "pubweave.cli.main", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PUBWEAVE_CONNECTIONS_PER_HOST": "1", "PUBWEAVE_BUDGETS": ""},
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.kill()
    assert cli("db", "commit", BASE).status == 0
    with sqlite3.connect(BASE) as raw:
        (doi,) = raw.execute(
            """SELECT value FROM submission JOIN holder USING (publication)
                WHERE outcome = '' AND kind = 'doi' ORDER BY line LIMIT 1"""
        ).fetchone()
    raw.close()

    assert cli("db", "erase", BASE, doi).status == 0
    assert doi.encode() not in bytes_there()

    ran = cli(*command)
    found = [json.loads(one) for one in ran.out.splitlines()]
    assert [one for one in found if doi in str(one)] == []
    assert [one["pubweave"]["submission"]["outcome"] for one in found].count("parked") == 1
    assert len(found) == 12
    assert json.loads(cli("status", "--db", BASE, "--format", "json").out)["reconciled"] is True
    assert doi.encode() not in bytes_there()


def test_kept_answers_of_the_outside_go_too(cli: Cli) -> None:
    """What a door keeps for a question that comes again after a crash, with the long bodies beside it."""
    cli("db", "init", BASE)
    put(cli, publications=[publication("Warp", pmid="1"), publication("Weft", long_text("weft"), pmid="2")])
    body = long_text("warpanswer").encode() * 20

    async def keep() -> None:
        storage = SqliteStorage.open(BASE, create=False)
        answers = StoredAnswers(storage.store, storage.blobs, SystemClock())
        await answers.remember("short", Reply(outcome="found", url="u", body=b"warpshort"))
        await answers.remember("long", Reply(outcome="found", url="u", body=body))
        assert len(stored_contents()) == 2
        await storage.close()

    asyncio.run(keep())
    assert b"warpshort" in bytes_there()
    told = cli("db", "erase", BASE, "1")

    assert told.status == 0, told.err
    assert b"warpshort" not in bytes_there()
    assert len(stored_contents()) == 1, "that of the other publication"
    assert json.loads(cli("db", "get", BASE, "2").out)["fulltext"]["content"] == long_text("weft")
