"""All lines of a job, counted through and surveyed first."""

import io
import os
import sys
import threading
import tracemalloc
from pathlib import Path

import pytest

from pubweave.cli.input import Input
from pubweave.contract.values import Identifiers


def given(
    *arguments: str, files: tuple[str, ...] = ()
) -> tuple[list[tuple[int, Identifiers]], list[str], tuple[int, int]]:
    said: list[str] = []
    with Input(arguments, files, said.append) as lines:
        survey = lines.survey()
        return [(one.number, one.identifiers) for one in lines.lines()], said, (survey.good, survey.bad)


def digest(*arguments: str, files: tuple[str, ...] = ()) -> str:
    with Input(arguments, files, lambda _: None) as lines:
        return lines.survey().digest


def test_numbers_count_through_all_sources(tmp_path: Path) -> None:
    """Unique and growing, whatever is bad or empty; of a single file they are its own."""
    (tmp_path / "a").write_text("\n1\nbad\n2\n")
    (tmp_path / "b").write_text("3\n")
    both = (str(tmp_path / "a"), str(tmp_path / "b"))

    assert [number for number, _ in given("4", "5", files=both)[0]] == [1, 2, 4, 6, 7]
    assert [number for number, _ in given(files=both[:1])[0]] == [2, 4]


def test_each_bad_line_is_said_once_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1\nbad\npmc2\n")
    _, said, counts = given("worse", files=(str(tmp_path / "a"),))

    assert counts == (2, 2)
    assert said == [
        "command line argument 1: 'worse' is not a PMID, PMCID or DOI",
        f"{tmp_path / 'a'} line 2: 'bad' is not a PMID, PMCID or DOI",
        f"{tmp_path / 'a'} line 3: 'pmc2' is taken as the PMCID PMC2",
    ]


def test_the_same_input_has_the_same_name(tmp_path: Path) -> None:
    """By which an interrupted job is found again; any change of a line is another job."""
    for name, content in (("a", "1\n2\n"), ("b", "1\n2\n"), ("c", "2\n1\n"), ("d", "1\n2\n3\n")):
        (tmp_path / name).write_text(content)
    names = {name: digest(files=(str(tmp_path / name),)) for name in "abcd"}

    assert names["a"] == names["b"] == digest("1", "2")
    assert len(set(names.values())) == 3


def test_a_pipe_is_read_once_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard input and named pipes are surveyed like files."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1\nbad\n2\n")))
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text("3\n"))
    writer.start()
    found, said, counts = given(files=("-", str(pipe)))
    writer.join()

    assert [(number, identifiers.pmid) for number, identifiers in found] == [(1, "1"), (3, "2"), (4, "3")]
    assert said[0].startswith("standard input line 2: ")
    assert counts == (3, 1)


def test_a_long_list_takes_no_memory(tmp_path: Path) -> None:
    """Fifty thousand lines, twice through, in less than they take themselves in memory."""
    file = tmp_path / "long.txt"
    file.write_text("".join(f"{number}\n" for number in range(1, 50_001)))
    tracemalloc.start()
    with Input((), (str(file),), lambda _: None) as lines:
        survey = lines.survey()
        count = sum(1 for _ in lines.lines())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert (survey.good, count) == (50_000, 50_000)
    assert peak < 3_000_000
