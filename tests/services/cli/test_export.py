"""`pubweave export`: the content of a database in any format."""

import asyncio
import json
import re
from pathlib import Path

import msgspec
import pytest

from output.records import empty_record, full_page, full_record
from pubweave.adapters.sqlite import SqliteStorage
from pubweave.cli.showing import FORMAT_WORDS
from pubweave.contract.digests import content_digest
from pubweave.contract.values import BlobRef
from pubweave.core.record import Part, Record, encode_record
from pubweave.core.webpage_record import encode_webpage
from pubweave.output.formats import FORMATS
from pubweave.ports import StoredRecord
from services.cli.conftest import Cli
from simnet.fixture import Running

LONG = "A long, long thread. " * 5_000


def filled(path: Path) -> Path:
    """A database of two publications; the text of one lies among the blobs."""

    async def fill() -> None:
        storage = SqliteStorage.open(path, create=True)
        async with storage.store.batch():
            blob = await storage.blobs.put(LONG.encode())
            body = Part(type="pmc_xml", url="https://loom.example/", size=len(LONG), blob=blob)
            first = Record(
                **{
                    **{name: getattr(full_record(), name) for name in Record.__struct_fields__},
                    "fulltext": body,
                }
            )
            for number, record in enumerate((first, empty_record())):
                await storage.store.put_record(
                    StoredRecord(record.publication, number + 1, encode_record(record), f"reason {number}")
                )
        assert blob.digest == content_digest(LONG.encode())
        await storage.close()

    asyncio.run(fill())
    return path


@pytest.fixture
def library(tmp_path: Path) -> Path:
    return filled(tmp_path / "library.db")


def test_the_names_in_the_help_are_the_formats() -> None:
    """They are written twice, so that the help need not load what makes them."""
    assert tuple(FORMATS) == FORMAT_WORDS


def test_everything_comes_out_with_texts_from_the_blobs(cli: Cli, library: Path) -> None:
    ran = cli("export", library)
    document = json.loads(ran.out)

    assert ran.status == 0
    assert document["argv"] == ["export", str(library)]
    assert [one["pubweave"]["version"] for one in document["publications"]] == [1, 2]
    assert [one["pubweave"]["reason"] for one in document["publications"]] == ["reason 0", "reason 1"]
    assert document["publications"][0]["fulltext"]["content"] == LONG


@pytest.mark.parametrize("name", FORMAT_WORDS)
def test_every_format_comes_out_whole(cli: Cli, library: Path, tmp_path: Path, name: str) -> None:
    """To a file and to standard output alike."""
    suffix = FORMATS[name].suffixes[0]
    file = cli("export", library, "--out", tmp_path / f"all{suffix}")

    assert (file.status, file.out) == (0, "")
    assert (tmp_path / f"all{suffix}").stat().st_size > 10
    assert not list(tmp_path.glob("*.partial"))


def test_parts_and_plain_are_as_in_fetch(cli: Cli, library: Path) -> None:
    ran = cli("export", library, "--format", "text", "--plain", "--out-part", "pmid", "doi")

    assert ran.out == "31092905\t\t10.5555/LOOM.1\n\t\t10.5555/NOWHERE\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--format", "jsom"), "did you mean json?"),
        (("--out", "x.docx"), "which format is x.docx to have? give --format"),
        (("--only", "publication"), "did you mean publications?"),
        (("--out-part", "abstrct"), "did you mean abstract?"),
        (("--out", "."), "is a folder"),
        (("--cluster",), "--cluster reads from Cassandra, not from a database file"),
    ],
)
def test_mistakes_are_one_sentence(cli: Cli, library: Path, arguments: tuple[str, ...], words: str) -> None:
    ran = cli("export", library, *arguments)

    assert (ran.status, ran.out) == (2, "")
    assert words in ran.err
    assert ran.err.count("\n") == 1


def test_a_database_that_is_not_there_is_an_error(cli: Cli, tmp_path: Path) -> None:
    """F-DB-16: and the file of before stays as it was."""
    (tmp_path / "old.json").write_text("old")
    ran = cli("export", tmp_path / "no.db", "--out", tmp_path / "old.json")

    assert ran.status == 2
    assert (tmp_path / "old.json").read_text() == "old"


def test_the_database_is_not_written_over(cli: Cli, library: Path) -> None:
    before = library.read_bytes()
    ran = cli("export", library, "--format", "json", "--out", library)

    assert ran.status == 2
    assert "is the database" in ran.err
    assert library.read_bytes() == before


@pytest.mark.parametrize("name", [name for name in FORMAT_WORDS if name != "parquet"])
def test_fetch_writes_every_format_too(cli: Cli, net: Running, some_ids: Path, name: str) -> None:
    """The same pieces, with what became of the lines; the second time nothing is fetched."""
    ran = cli("fetch", "--ids", some_ids, "--format", name, "--quiet", "--fetch-part", "title", "pmid")

    assert ran.status in (0, 1)
    assert net.universe.submissions(12)[0].pmid in ran.out


def test_kinds_that_have_no_place_are_told_or_refused(cli: Cli, library: Path) -> None:
    """Told where everything was asked for, refused where it was asked for by name."""

    async def add_page() -> None:
        storage = SqliteStorage.open(library, create=False)
        await storage.store.put_record(
            StoredRecord("https://a.example/", 1, encode_webpage(full_page())), "doc"
        )
        await storage.close()

    asyncio.run(add_page())
    told = cli("export", library, "--format", "ris")
    refused = cli("export", library, "--format", "ris", "--only", "docs")
    table = cli("export", library, "--format", "csv", "--only", "docs", "--plain")

    assert (told.status, told.err) == (0, "pubweave: ris has no place for docs; 1 left out\n")
    assert (refused.status, refused.err) == (2, "pubweave: ris has no place for docs\n")
    assert table.out.splitlines()[0] == "startUrl,title,content"
    assert "one kind of entries at a time" in cli("export", library, "--format", "csv").err


def test_formats_with_a_standard_of_their_own_take_no_selection(cli: Cli, library: Path) -> None:
    ran = cli("export", library, "--format", "bibtex", "--plain")

    assert (ran.status, ran.out) == (2, "")
    assert "bibtex has a standard of its own; --plain is not for it" in ran.err


@pytest.mark.network
def test_pages_show_the_sections_of_full_texts_from_jats(cli: Cli, net: Running, some_ids: Path) -> None:
    """`fetch`, `pipe` and `export` alike; with --plain the text as it is."""
    fetched = cli(
        "fetch",
        "--ids",
        some_ids,
        "--db",
        "a.db",
        "--format",
        "html",
        "--resources",
        "europepmc,pmc,europepmc_fulltext",
    )
    assert fetched.status == 0, fetched.err
    from_db = ("--pub-db", "a.db", "--db", "a.db", "--out", "--format", "html")
    pages = [fetched.out, cli("pipe", *from_db).out, cli("export", "a.db", "--format", "html").out]
    headings = [re.findall(r"<h[456] id=.*?>(.*?)</h[456]>", page) for page in pages]

    assert headings[0] == headings[1] == headings[2] != []
    assert "<h4" not in cli("export", "a.db", "--format", "html", "--plain").out
    assert "<h4" not in cli("pipe", *from_db, "--plain").out


def test_a_document_that_cannot_be_read_gives_way_to_the_text(cli: Cli, tmp_path: Path) -> None:
    """Erased from the blobs, of a version that is not ours, or an article that cannot be read again."""

    async def fill() -> None:
        storage = SqliteStorage.open(tmp_path / "odd.db", create=True)
        async with storage.store.batch():
            other = await storage.blobs.put(b'{"of": "another version"}')
            gone, broken = BlobRef(digest="f" * 32, bytes=3), await storage.blobs.put(b"<article><body>")
            parts = [
                Part(structured=other),
                Part(structured=gone),
                Part(source=gone),
                Part(source=broken),
            ]
            for number, part in enumerate(parts):
                body = msgspec.structs.replace(part, type="pmc_xml", size=13, text=f"Woven words {number}")
                record = Record(publication=f"p-{number}", fulltext=body)
                await storage.store.put_record(StoredRecord(record.publication, 1, encode_record(record), ""))
        await storage.close()

    asyncio.run(fill())
    ran = cli("export", tmp_path / "odd.db", "--format", "html")

    assert ran.status == 0, ran.err
    assert all(f"Woven words {number}" in ran.out for number in range(4))
