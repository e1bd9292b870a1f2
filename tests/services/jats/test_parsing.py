"""Files in, JSON files and statistics out (B-02, B-07, T-126); the command line around it."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from core.jats.making import article
from pubweave.jats.cli import jats
from pubweave.jats.encoding import ascii_json
from pubweave.jats.parsing import out_path, parse_file, parse_files
from pubweave.jats.source import pmcid_of
from services.jats import deadly

XML = article(
    meta="<article-id pub-id-type='pmcid'>3339582</article-id><abstract><p>A</p></abstract>",
    body="<p>α</p><sec><title>S</title><p>x<fig><label>F</label></fig></p><table-wrap><label>T</label></table-wrap></sec><sec><p>y</p></sec>",
)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data" / "3_Biotech"
    folder.mkdir(parents=True)
    (folder / "PMC3339582.xml").write_text(XML)
    (folder / "PMC12.nxml").write_text(XML.replace("3339582", "12"))
    (folder / "notes.txt").write_text("no XML")
    return folder


def run(*arguments: str | Path):  # type: ignore[no-untyped-def]
    return CliRunner().invoke(jats, [str(argument) for argument in arguments])


@pytest.mark.parametrize(
    ("pmcid", "stem", "expected"),
    [
        ("PMC3339582", "x", "33/pmc3339582.json"),
        ("PMC7", "x", "7/pmc7.json"),
        ("", "10.1_a b/../c", "other/10.1_a_b_.._c.json"),
        ("", "..", "other/article.json"),
    ],
)
def test_b02_output_paths(pmcid: str, stem: str, expected: str) -> None:
    """B-02: first two digits, then pmc and digits; without a PMCID under the file's name, never outside."""
    assert out_path(Path("out"), pmcid, stem) == Path("out") / expected


def test_b07_statistics(data: Path, tmp_path: Path) -> None:
    """B-07: abstracts, paragraphs and sections of the body, parents of figures and tables, children of body."""
    (found,) = parse_file(data / "PMC3339582.xml", tmp_path / "out")

    assert (found.abstracts, found.body_paragraphs, found.body_sections) == (1, 3, 2)
    assert (found.figure_parents, found.table_parents) == ({"p": 1}, {"sec": 1})
    assert (found.body_children, found.conserved) == (["p", "sec*2"], True)


def test_t126_parse_writes_files_and_statistics(data: Path, tmp_path: Path) -> None:
    """T-126: files, folders and several of them; .xml and .nxml; ASCII JSON; a line of statistics each."""
    result = run("parse", data, "--out", tmp_path / "out")
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    written = (tmp_path / "out" / "33" / "pmc3339582.json").read_bytes()

    assert result.exit_code == 0
    assert sorted(line["pmcid"] for line in lines) == ["PMC12", "PMC3339582"]
    assert (tmp_path / "out" / "12" / "pmc12.json").exists()
    assert b"\\u03b1" in written
    assert written.isascii()
    assert json.loads(written)["body_sections"][1]["contents"][0]["text"] == "α"


def test_broken_files_cost_one_document_each(data: Path, tmp_path: Path) -> None:
    """Malformed, empty, article-less files are named on stderr with exit 1; the good ones are written."""
    (data / "bad.xml").write_text("<article><p>")
    (data / "empty.xml").write_text("")
    (data / "html.xml").write_text("<html/>")
    result = run("parse", data, "--out", tmp_path / "out", "-q")

    assert (result.exit_code, result.stdout) == (1, "")
    for name in ("bad.xml", "empty.xml", "html.xml"):
        assert name in result.stderr
    assert (tmp_path / "out" / "33" / "pmc3339582.json").exists()


def test_neither_file_nor_id_is_bad_input(data: Path, tmp_path: Path) -> None:
    """Exit 2 and a sentence; what could be read was read."""
    result = run("parse", "no-such-thing", data / "PMC12.nxml", "--out", tmp_path / "out")

    assert (result.exit_code, "no-such-thing is neither" in result.stderr) == (2, True)
    assert (tmp_path / "out" / "12" / "pmc12.json").exists()


def test_ids_are_asked_for(data: Path, tmp_path: Path) -> None:
    """An ID comes from the source: here a folder; an unknown one is told with exit 1."""
    result = run("parse", "3339582", "PMC99", "--xml-dir", data, "--out", tmp_path / "out", "-q")

    assert (result.exit_code, (tmp_path / "out" / "33" / "pmc3339582.json").exists()) == (1, True)
    assert "PMC99 is not in the folder" in result.stderr


def test_without_a_folder_europe_pmc_is_asked_through_the_fetcher(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whose rules hold: an address of this very machine is not asked, and that is told."""
    monkeypatch.setenv("PUBWEAVE_ADDRESS_EUROPEPMC", "http://127.0.0.1:9/rest")
    result = run("parse", "PMC99", "--out", tmp_path / "out")

    assert (result.exit_code, "127.0.0.1" in result.stderr) == (1, True)


def test_workers_give_the_same_files(data: Path, tmp_path: Path) -> None:
    """Side by side or one after the other: the same bytes."""
    for place, workers in (("one", 1), ("two", 2)):
        found = [
            one
            for results in parse_files(sorted(data.iterdir()), tmp_path / place, workers=workers)
            for one in results
        ]
        assert len(found) == 3
    files = sorted(path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*.json"))

    assert [str(file) for file in files] == ["12/pmc12.json", "33/pmc3339582.json"]
    assert all(
        (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes() for file in files
    )


def test_a_file_that_kills_its_reader_costs_one_document(data: Path, tmp_path: Path) -> None:
    """The pool is made anew, files in flight are read again alone, the killer is named; every file has one outcome."""
    (data / "deadly.xml").write_text(XML)
    paths = [path for path in sorted(data.iterdir()) if path.suffix != ".txt"]
    found = [
        one
        for results in parse_files(paths, tmp_path / "out", workers=2, read=deadly.read)
        for one in results
    ]

    assert sorted((Path(one.file).name, one.error) for one in found) == [
        ("PMC12.nxml", ""), ("PMC3339582.xml", ""), ("deadly.xml", "the process that read it died"),
    ]  # fmt: skip


def test_article_sets_make_a_file_each(tmp_path: Path) -> None:
    """Articles without PMCID do not overwrite each other."""
    one = article(body="<p>x</p>")
    (tmp_path / "set.xml").write_text(f"<pmc-articleset>{one}{one}</pmc-articleset>")
    found = parse_file(tmp_path / "set.xml", tmp_path / "out")

    assert [Path(each.out).name for each in found] == ["set-1.json", "set-2.json"]


def test_nothing_half_written_where_writing_fails(data: Path, tmp_path: Path) -> None:
    """A folder that is a file: one sentence, no exception, no part file."""
    (tmp_path / "out").write_text("a file")
    (found,) = parse_file(data / "PMC12.nxml", tmp_path / "out")

    assert "out" in found.error
    assert list(tmp_path.rglob("*.part")) == []


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [(["S"], "S\n\nx\n\nF\n\nT\n"), (["abstract"], "Abstract\n\nA\n"), (["2"], "α\n")],
)
def test_section_prints_text(data: Path, arguments: list[str], expected: str) -> None:
    """`pubweave jats section FILE PATH`."""
    result = run("section", data / "PMC3339582.xml", *arguments)

    assert (result.exit_code, result.stdout) == (0, expected)


def test_section_that_is_not_there_says_what_is(data: Path) -> None:
    """Exit 1 with the paths that exist."""
    result = run("section", data / "PMC3339582.xml", "nowhere")

    assert (result.exit_code, "it has: Abstract; S" in result.stderr) == (1, True)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("α", b'"\\u03b1"'),
        ("𝛂", b'"\\ud835\\udec2"'),
        ({"a": "é\n"}, b'{"a":"\\u00e9\\n"}'),
        ("plain", b'"plain"'),
    ],
)
def test_b63_json_is_ascii(value: object, expected: bytes) -> None:
    """B-63: escaped, surrogate pairs beyond the basic plane; any consumer decodes it."""
    assert ascii_json(value) == expected
    assert json.loads(ascii_json(value)) == value


@pytest.mark.parametrize(
    ("text", "expected"), [("12", "PMC12"), ("pmc12", "PMC12"), ("PMC012", None), ("x", None), ("１２", None)]
)
def test_pmcids_of_requests(text: str, expected: str | None) -> None:
    """With or without prefix; nothing else."""
    assert pmcid_of(text) == expected


def test_help_is_instant() -> None:
    """The group imports neither lxml nor aiohttp."""
    import subprocess
    import sys

    code = "import sys, pubweave.jats.cli; print(sorted({'lxml', 'aiohttp', 'msgspec'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
