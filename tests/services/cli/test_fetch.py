"""`pubweave fetch` from the command line to the last byte, against the simulated internet."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import pubweave.output
from pubweave.adapters.sqlite.schema import VERSION_NAME
from pubweave.version import IDENTIFICATION, VERSION
from services.cli.conftest import Cli, Ran
from simnet.fixture import Running

pytestmark = pytest.mark.network

SCHEMA = json.loads(
    (Path(pubweave.output.__file__).parent / "schemas" / "publications.schema.json").read_text()
)


def asked(net: Running) -> int:
    return len(net.log.asks())


def publications(ran: Ran) -> list[dict[str, Any]]:
    document = json.loads(ran.out)
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    result: list[dict[str, Any]] = document["publications"]
    return result


def submitted(one: dict[str, Any]) -> tuple[str, str, str]:
    submission = one["pubweave"]["submission"]
    return submission["pmid"], submission["pmcid"], submission["doi"]


def in_file(file: Path) -> list[tuple[str, ...]]:
    lines = file.read_text().splitlines()
    return [(pmid, pmcid, doi.upper()) for pmid, pmcid, doi in (line.split("\t") for line in lines[1:])]


def test_json_is_the_document_of_the_specification_in_the_order_of_the_input(
    cli: Cli, some_ids: Path
) -> None:
    """18.2, one object for each line, whichever finished first; the way is told on stderr only."""
    ran = cli("fetch", "--ids", some_ids, "--format", "json")

    assert ran.status == 0
    assert [submitted(one) for one in publications(ran)] == in_file(some_ids)
    assert json.loads(ran.out)["argv"] == ["fetch", "--ids", str(some_ids), "--format", "json"]
    assert "the database pubweave.db is new" in ran.err
    assert "12 identifiers in" in ran.err


def test_duplicates_come_out_as_given(cli: Cli, net: Running) -> None:
    """The same publication three times, under two names: three objects, one publication."""
    article = next(ids for ids in net.universe.submissions(60) if ids.pmid)
    ran = cli("fetch", article.pmid, article.pmid, f"{article.pmid}", "--format", "json")
    found = publications(ran)

    assert [one["pubweave"]["submission"]["line"] for one in found] == [1, 2, 3]
    assert len({one["pubweave"]["publication"] for one in found}) == 1


def test_json_lines_have_one_object_for_each_identifier(cli: Cli, some_ids: Path) -> None:
    ran = cli("fetch", "--ids", some_ids, "--format", "jsonl")
    found = [json.loads(line) for line in ran.out.splitlines()]

    assert sorted(map(submitted, found)) == sorted(in_file(some_ids))
    assert all(list(one)[-1] == "pubweave" for one in found)


def test_supplied_identifiers_name_the_program_as_their_source(cli: Cli, net: Running) -> None:
    """F-ID-21."""
    (one,) = publications(cli("fetch", "10.5555/nobody.knows.this", "--format", "json"))

    assert (one["doi"]["type"], one["doi"]["url"]) == ("external", IDENTIFICATION)
    assert not one["pubweave"]["known"]
    assert one["pubweave"]["submission"]["outcome"] == "known-nowhere"


def test_a_second_run_asks_nothing_for_what_is_final(cli: Cli, net: Running, some_ids: Path) -> None:
    """F-CAN-05, and F-CAN-06 for the rest: with retries and cooldowns off, no request leaves."""
    cli("fetch", "--ids", some_ids, "-q")
    net.reset()
    off = [f"--{name}-cooldown=-1" for name in ("empty", "non-final", "fetch-exception")]
    ran = cli("fetch", "--ids", some_ids, "--retry-limit", "0", *off)

    assert asked(net) == 0
    said = re.search(r"(\d+) were stored already and good enough", ran.err)
    left = re.search(r"(\d+) that lacks? something (?:was|were) left out .* asked again no more", ran.err)
    assert said
    assert left
    assert int(said[1]) + int(left[1]) == 12


def test_only_the_parts_asked_for_are_fetched(cli: Cli, net: Running, some_ids: Path) -> None:
    """T-019: other parts stay empty, identifiers are filled; a list needs no commas."""
    found = publications(
        cli("fetch", "--fetch-part", "title", "keywords", "--ids", some_ids, "--format", "json")
    )

    assert any(one["title"]["content"] for one in found)
    assert any(one["pmcid"]["content"] for one in found)
    for one in found:
        assert [one[part]["empty"] for part in ("mesh", "efo", "go", "abstract", "fulltext")] == [True] * 5


def test_all_parts_but_some_are_fetched(cli: Cli, some_ids: Path) -> None:
    found = publications(
        cli("fetch", "--not-fetch-part=fulltext,abstract", "--ids", some_ids, "--format=json")
    )

    assert any(one["title"]["content"] for one in found)
    assert all(one["fulltext"]["empty"] and one["abstract"]["empty"] for one in found)


def test_a_list_of_identifiers_converts_them(cli: Cli, some_ids: Path) -> None:
    """T-040: lines `pmid<TAB>pmcid<TAB>doi`, nothing else."""
    parts = ["pmid", "pmcid", "doi"]
    ran = cli("fetch", "--ids", some_ids, "--fetch-part", *parts, "--out-part", *parts, "--plain")

    assert [line.count("\t") for line in ran.out.splitlines()] == [2] * 12


def test_plain_json_and_out_part_leave_ours_out(cli: Cli, some_ids: Path) -> None:
    """Nothing that 18.2 does not know, and no fields."""
    for options, members in (
        (("--plain", "--out-part", "title,abstract"), ["title", "abstract"]),
        (("--out-part", "doi"), ["doi"]),
    ):
        found = publications(cli("fetch", "--ids", some_ids, "--format", "json", *options))

        assert all(list(one) == members for one in found)


def test_bad_lines_are_named_and_the_others_unharmed(cli: Cli, net: Running, tmp_path: Path) -> None:
    """Exit status 2; each bad line with its number; the good ones come out."""
    good = net.universe.submissions(2)
    file = tmp_path / "mixed.txt"
    file.write_bytes(
        b"\xef\xbb\xbf"
        + "\r\n".join(
            [
                next(filter(None, (good[0].pmid, good[0].pmcid, good[0].doi))),
                "",
                "hello",
                "0123",
                "\t".join((good[1].pmid, good[1].pmcid, good[1].doi)),
                "1\t10.1/x",
            ]
        ).encode()
    )
    ran = cli("fetch", "--ids", file, "--format", "json")

    assert ran.status == 2
    assert len(publications(ran)) == 2
    assert [one["pubweave"]["submission"]["line"] for one in publications(ran)] == [1, 5]
    for line, words in ((3, "'hello' is not"), (4, "did you mean 123?"), (6, "column 2 should hold a PMCID")):
        assert f"{file} line {line}: " in ran.err
        assert words in ran.err
    assert "3 lines were no identifier" in ran.err


def test_strict_refuses_all_and_does_nothing(cli: Cli, net: Running, tmp_path: Path) -> None:
    """No request, no database, no output file."""
    file = tmp_path / "mixed.txt"
    file.write_text("1\nhello\n")
    ran = cli("fetch", "--ids", file, "--strict", "--out", "x.json")

    assert (ran.status, ran.out) == (2, "")
    assert "line 2: 'hello'" in ran.err
    assert "nothing was done" in ran.err
    assert asked(net) == 0
    assert not list(Path().iterdir())


@pytest.mark.parametrize("content", ["", "# nothing\n\n", "hello\n"])
def test_nothing_to_fetch_is_bad_input(cli: Cli, tmp_path: Path, content: str) -> None:
    file = tmp_path / "ids.txt"
    file.write_text(content)
    ran = cli("fetch", "--ids", file)

    assert ran.status == 2
    assert "nothing to fetch" in ran.err
    assert not list(Path().iterdir())


def test_identifiers_come_from_a_pipe(net: Running, some_ids: Path) -> None:
    """`--ids -`, beside an argument; the sources are counted through."""
    ran = subprocess.run(
        [sys.executable, "-m", "pubweave.cli.main", "fetch", "1", "--ids", "-", "--format", "json", "-q"],
        input=some_ids.read_bytes(),
        capture_output=True,
        env={**os.environ, **net.environment},
        check=False,
    )
    found = json.loads(ran.stdout)["publications"]

    assert (ran.returncode, ran.stderr) == (0, b"")
    assert [one["pubweave"]["submission"]["line"] for one in found] == [1, *range(3, 15)]


def test_a_file_is_there_whole_or_not_at_all(cli: Cli, some_ids: Path, tmp_path: Path) -> None:
    """Its name says the format; what stood there before is replaced; nothing else is left."""
    out = tmp_path / "out"
    out.mkdir()
    target = out / "records.json"
    target.write_text("old")
    ran = cli("fetch", "--ids", some_ids, "--out", target)

    assert (ran.status, ran.out) == (0, "")
    assert len(json.loads(target.read_text())["publications"]) == 12
    assert [file.name for file in out.iterdir()] == ["records.json"]
    assert f"Written to {target}" in ran.err


@pytest.mark.parametrize(
    ("out", "words"),
    [
        (".", "is a folder"),
        ("nowhere/records.json", "there is no folder"),
        ("pubweave.db", "is the database"),
        ("/proc/x.json", "cannot be written"),
    ],
)
def test_an_output_that_cannot_be_written_is_refused_before_anything_is_done(
    cli: Cli, net: Running, out: str, words: str
) -> None:
    ran = cli("fetch", "1", "--out", out)

    assert ran.status == 2
    assert words in ran.err
    assert asked(net) == 0
    assert not list(Path().iterdir())


def test_a_full_disk_is_one_sentence(cli: Cli, net: Running) -> None:
    ran = cli("fetch", "1", "--format", "json", "--out", "/dev/full")

    assert ran.status == 2
    assert ran.err.splitlines()[-1] == "pubweave: /dev/full cannot be written: no space left on device"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: path.mkdir(), "is a directory"),
        (lambda path: path.write_text("hello, this is text"), "not a Pubweave database"),
    ],
    ids=["folder", "text"],
)
def test_a_database_that_is_none_is_refused(
    cli: Cli, net: Running, tmp_path: Path, make: Any, words: str
) -> None:
    database = tmp_path / "thing.db"
    make(database)
    ran = cli("fetch", "1", "--db", database, "--out", "x.json")

    assert (ran.status, ran.out) == (2, "")
    assert words in ran.err
    assert ran.err.count("\n") == 1
    assert not Path("x.json").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "nothing to fetch"),
        (("1", "--fetch-part", "title", "--not-fetch-part", "doi"), "exclude each other"),
        (("1", "--fetch-part", "tilte"), "did you mean title?"),
        (("1", "--format", "jsom"), "did you mean json?"),
        (("1", "--db", "a", "--db", "b"), "--db is given twice"),
        (("1", "--plain", "--plain"), "--plain is given twice"),
        (("1", "--timeout", "-1"), "timeout must be at least 0"),
        (("1", "--title-min-length=-1"), "title_min_length must be at least 0"),
        (("1", "--retry-limit", "few"), "retry_limit must be a whole number"),
        (("1", "--connections-per-host", "0"), "connections_per_host must be at least 1"),
        (("1", "--budgets", "no.yaml"), "the file no.yaml is not there"),
        (("1", "--replay", "nowhere"), "nowhere"),
        (("1", "--record", "a", "--replay", "."), "exclude each other"),
        (("1", "--deadline", "soon"), "neither a span"),
        (("1", "--deadline", "2001-01-01T00:00:00Z"), "passed already"),
        (("1", "--ids", "nowhere.txt"), "nowhere.txt does not exist"),
        (("1", "--ids", "-", "--ids", "-"), "can be read once"),
        (("1", "--email", "nobody"), "e-mail address"),
        (("1", "--address-doi", "doi.org"), "http://"),
        (("1", "--format", "pretty", "--plain"), "pretty shows everything"),
    ],
)
def test_bad_options_are_one_sentence(cli: Cli, net: Running, arguments: tuple[str, ...], words: str) -> None:
    """Exit status 2, nothing asked, nothing made."""
    ran = cli("fetch", *arguments)

    assert (ran.status, ran.out) == (2, "")
    assert words in ran.err
    assert ran.err.count("\n") == 1
    assert asked(net) == 0
    assert not list(Path().iterdir())


def test_a_database_of_a_newer_version_is_refused(cli: Cli, net: Running) -> None:
    cli("db", "init", "newer.db")
    with closing(sqlite3.connect("newer.db")) as raw:
        raw.execute("UPDATE meta SET value = '9999' WHERE name = ?", (VERSION_NAME,))
        raw.commit()
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = Path("newer.db").read_bytes()
    ran = cli("fetch", "1", "--db", "newer.db")

    assert (ran.status, ran.out) == (2, "")
    assert "newer" in ran.err
    assert ran.err.count("\n") == 1
    assert Path("newer.db").read_bytes() == before


def test_a_deadline_parks_what_is_unfinished_and_names_it(
    cli: Cli, net: Running, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Exit status 1; a source that is asked once a minute keeps nobody waiting longer."""
    slow = tmp_path / "slow.yaml"
    slow.write_text("europepmc: {requests: 1, seconds: 60}\n")
    ids = [ids.pmid for ids in net.universe.submissions(60) if ids.pmid][:2]
    ran = cli("fetch", *ids, "--budgets", slow, "--no-batch", "--deadline", "0.5s", "--format", "json")

    assert ran.status == 1
    outcomes = [one["pubweave"]["submission"]["outcome"] for one in publications(ran)]

    assert len(outcomes) == 2
    assert "parked" in outcomes
    assert "not finished at its deadline" in ran.err


def test_sources_that_cannot_be_reached_are_no_finished_records(
    cli: Cli, net: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everything fails: exit status 1, each identifier named; and later the same command finds them."""
    article = next(ids for ids in net.universe.submissions(60) if ids.pmid)
    proxies = [name for name in net.environment if name.upper().endswith("S_PROXY")]
    for name in proxies:
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    ran = cli("fetch", article.pmid)

    assert ran.status == 1
    assert "1 parked unfinished" in ran.err
    assert "No source could be reached: look at the network and at the proxy settings" in ran.err
    assert f"  {article.pmid}\n" in ran.err

    for name in proxies:
        monkeypatch.setenv(name, net.proxy_url)
    again = cli("fetch", article.pmid)

    assert again.status == 0
    assert "1 finished" in again.err


def test_what_was_recorded_is_replayed_without_the_network(
    cli: Cli, net: Running, some_ids: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same records from the files alone."""

    def bodies(ran: Ran) -> list[Any]:
        parts = ("title", "abstract", "fulltext", "mesh", "keywords", "efo", "go", "pmid", "pmcid", "doi")
        return [
            [one[part].get("content", one[part].get("list")) for part in parts] for one in publications(ran)
        ]

    recorded = cli("fetch", "--ids", some_ids, "--record", "kept", "--format", "json")
    net.reset()
    for name in net.environment:
        monkeypatch.delenv(name)
    replayed = cli("fetch", "--ids", some_ids, "--replay", "kept", "--db", "other.db", "--format", "json")

    assert replayed.status == 0
    assert bodies(replayed) == bodies(recorded)
    assert asked(net) == 0


def test_secrets_stay_out_of_the_output_and_the_log(cli: Cli, net: Running) -> None:
    """`argv` of the document, and the first line of the log with all parameters (F-LOG-02)."""
    ran = cli("fetch", "1", "--ncbi-api-key", "s3cr3t", "--format", "json", "--log", "logs/run.log")

    assert json.loads(ran.out)["argv"][1:4] == ["1", "--ncbi-api-key", "***"]
    log = Path("logs/run.log").read_text()

    assert f" DEBUG Pubweave {VERSION} fetch 1 --ncbi-api-key *** " in log.splitlines()[0]
    assert "s3cr3t" not in ran.out + ran.err + log


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_job_goes_on_where_it_was(
    cli: Cli, net: Running, some_ids: Path, tmp_path: Path, number: signal.Signals
) -> None:
    """Stopped after the first record: status 130 or 143, one sentence; the same command gives all records."""
    slow = tmp_path / "slow.yaml"  # so few a second that the job is not done before the signal comes
    slow.write_text("europepmc: {requests: 3}\nncbi: {requests: 1}\n")
    command = ["fetch", "--ids", str(some_ids), "--format", "jsonl", "--no-batch"]
    with subprocess.Popen(
        [sys.executable, "-m", "pubweave.cli.main", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PUBWEAVE_CONNECTIONS_PER_HOST": "1", "PUBWEAVE_BUDGETS": str(slow)},
        # whoever started the tests in the background has made them, and all they start, deaf to SIGINT
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        first = json.loads(process.stdout.readline())
        process.send_signal(number)
        process.stdout.read()
        complaint = process.stderr.read().decode()
        process.wait()

    assert process.returncode == 128 + number
    assert "the same command goes on from there" in complaint.splitlines()[-1]
    assert "Traceback" not in complaint

    ran = cli(*command)
    found = [json.loads(line) for line in ran.out.splitlines()]

    assert ran.status == 0
    assert sorted(map(submitted, found)) == sorted(in_file(some_ids))
    assert first["pubweave"]["publication"] in {one["pubweave"]["publication"] for one in found}
    assert json.loads(cli("status", "--format", "json").out)["submissions"].keys().isdisjoint({"parked"})


def test_a_reader_that_has_enough_ends_it_quietly(net: Running, some_ids: Path) -> None:
    """`| head -1`: no traceback."""
    with subprocess.Popen(
        [
            sys.executable,
            "-m",
            "pubweave.cli.main",
            "fetch",
            "--ids",
            str(some_ids),
            "--format",
            "json",
            "-q",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ},
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        complaint = process.stderr.read()
        process.wait()

    assert complaint == b""
