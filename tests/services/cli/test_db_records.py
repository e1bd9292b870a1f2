"""`pubweave db put | get | contains | remove`: whole records by any identifier (T-113)."""

import json
from typing import Any

import pytest

from pubweave.contract.values import Thresholds
from pubweave.core.record import Part, Record
from pubweave.output.publication import publication_object
from pubweave.output.reading import read_publication
from services.cli.conftest import Cli


def publication(title: str, **ids: str) -> dict[str, Any]:
    parts: dict[str, Any] = {
        kind: Part(type="europepmc", url="u", timestamp=1, size=len(value), text=value)
        for kind, value in ids.items()
    }
    record = Record("", fetch_time=5, title=Part(type="europepmc", size=len(title), text=title), **parts)
    return publication_object(record, Thresholds())


def put(cli: Cli, tmp_path: Any, *publications: dict[str, Any]) -> Any:
    file = tmp_path / "some.json"
    file.write_text(json.dumps({"publications": list(publications)}))
    return cli("db", "put", "base.db", str(file))


def test_a_then_b_then_one_that_joins_them(cli: Cli, tmp_path: Any) -> None:
    """T-113: put A (PMID), B (DOI), then C (PMID and DOI): one publication is left."""
    assert cli("db", "init", "base.db").status == 0
    put(cli, tmp_path, publication("A", pmid="1"))
    put(cli, tmp_path, publication("B", doi="10.1/X"))
    told = put(cli, tmp_path, publication("C", pmid="1", doi="10.1/X"))

    assert told.status == 0
    assert "one publication" in told.err
    assert cli("db", "size", "base.db", "--publications").out == "1\n"
    assert json.loads(cli("db", "get", "base.db", "10.1/x").out)["title"]["content"] == "C"
    assert cli("db", "contains", "base.db", "1", "10.1/X").out == "true\n"
    assert cli("db", "contains", "base.db", "1", "PMC1").out == "false\n"


def test_removing(cli: Cli, tmp_path: Any) -> None:
    """F-DB-14: by any identifier; one that is not there is named, with exit status 1."""
    cli("db", "init", "base.db")
    put(cli, tmp_path, publication("A", pmid="1", pmcid="PMC1"))

    assert cli("db", "remove", "base.db", "PMC1").status == 0
    assert cli("db", "size", "base.db", "--publications").out == "0\n"
    again = cli("db", "remove", "base.db", "PMC1")
    assert again.status == 1
    assert "PMC1 is not in the database" in again.err
    assert cli("db", "get", "base.db", "PMC1").status == 1


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("no json", "does not begin with {"),
        ('{"version": {}}', 'there is no member "publications"'),
        ('{"publications": [{"pmid": "1"}]}', "--plain or --out-part"),
    ],
)
def test_a_file_that_cannot_be_put_changes_nothing(
    cli: Cli, tmp_path: Any, content: str, sentence: str
) -> None:
    """One sentence, exit status 2, and nothing half-written."""
    cli("db", "init", "base.db")
    file = tmp_path / "some.json"
    file.write_text(content)
    told = cli("db", "put", "base.db", str(file))

    assert told.status == 2
    assert sentence in told.err
    assert cli("db", "size", "base.db", "--publications").out == "0\n"


def test_nothing_is_put_if_one_is_bad(cli: Cli, tmp_path: Any) -> None:
    cli("db", "init", "base.db")
    bad = publication("B", pmid="1")
    bad["pmid"]["content"] = "x1"
    told = put(cli, tmp_path, publication("A", pmid="2"), bad)

    assert told.status == 2
    assert "publication 2: x1 is no PMID" in told.err
    assert cli("db", "size", "base.db", "--publications").out == "0\n"


def test_there_must_be_a_database(cli: Cli, tmp_path: Any) -> None:
    """F-DB-16: only `db init` (and fetch) make one."""
    told = put(cli, tmp_path, publication("A", pmid="1"))

    assert told.status == 2


def test_what_was_written_is_read_back() -> None:
    """A record is the same after JSON and back, but for places."""
    written = publication("A title", pmid="1", doi="10.1/X")

    assert publication_object(read_publication(written), Thresholds()) == written
