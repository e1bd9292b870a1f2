"""Expressions of users and plugins cost a second on a text at most, and are named where they would cost more.

Those of rules and selectors stand in core/reading/test_selectors.py.
"""

import re
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import pubweave.articles.cli as articles
from growth.measuring import cpu_s
from pubweave.cli.main import run
from pubweave.core.reading.java_regex import compile_java
from pubweave.core.reading.java_regex.cost import ways

RUNAWAY = "(a|aa)+$"
ADDRESS = "http://h.org/" + "a" * 64 + "/b"
NAMED = rf"the expression '(http://h.org/)?{re.escape(RUNAWAY)}' took longer than 1 s"
MOST_S = 20.0
"""Of a command with all that it loads on a busy machine; without a bound it would be years."""


def plugin(folder: Path, member: str) -> Path:
    patterns = f"'{RUNAWAY if member == 'patterns' else '/(a+)/b$'}'"
    begins = "" if member == "pattern" else "http://h.org/"
    more = "" if member == "patterns" else f"{member}: '{begins}{RUNAWAY}'\n"
    path = folder / "own.yaml"
    path.write_text(f"name: own\n{more}aspects: [{{patterns: {patterns}, replacements: /$1, roles: X}}]\n")
    return path


@pytest.mark.parametrize(
    "how", [(), ("--explain", ADDRESS), ("--missed",), ("--out", "out.jsonl", "--workers", "2")]
)
@pytest.mark.parametrize("member", ["patterns", "pattern", "include", "exclude"])
def test_an_expression_of_a_plugin(
    member: str, how: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The walk ends in a sentence that names it; who asks why a URL is left out is told it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "urls").write_text(ADDRESS + "\n")
    words = ["run", str(plugin(tmp_path, member)), "--urls", "urls", *how]
    result: list[Result] = []

    assert cpu_s(lambda: result.append(CliRunner().invoke(articles.articles, words))) < MOST_S
    assert re.search(NAMED, result[0].output)
    assert result[0].exit_code == (0 if "--explain" in how else 2)


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["pipe", "--web", ADDRESS, "--url", RUNAWAY, "--count"], 2),
        (["-web", ADDRESS, "-url", RUNAWAY, "-count"], 1),
        (["test", "run", "webpage", "table.csv", "--regex", RUNAWAY], 2),
    ],
)
def test_an_expression_of_a_command_line(
    words: list[str],
    status: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Modern, of PubFetcher, and of tests."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.csv").write_text(f"title,content,license,language,id\n1,1,,,{ADDRESS}\n")
    started = time.process_time()

    assert run(words) == status
    assert time.process_time() - started < MOST_S
    assert re.search(NAMED, capsys.readouterr().err)


@pytest.mark.parametrize(
    ("expression", "quick"),
    [
        (r"/full/(\d+)", True),
        (r"/content/(\d+)/(\d+)/([^/]+)\.full$", True),
        (r"(.*)(.*)(.*)x$", True),
        (r"(.*)(.*)(.*)(.*)x$", False),
        (r"(a+)+b", False),
        (r"(?:a|aa)+$", False),
        (r"(?:a?){30}a{30}", False),
        (r"a?" * 40 + "a" * 40, False),
        (r"(a*)*\1b", False),
        (r"(?:(?=a*a*a*a*b)a)+", False),
    ],
)
def test_only_what_is_quick_on_short_texts_goes_without_a_time_bound(expression: str, quick: bool) -> None:
    """The bound costs ten times what a match over URLs does."""
    pattern = compile_java(expression, timeout_s=1.0, plain_lines=True)

    assert (pattern._quick() is not None) is quick
    if quick:
        search = pattern.fast_search()
        for text in ("a" * 256, "/" * 256, "/a" * 128, "1/" * 128, "/content/1/2/" + "a" * 243):
            assert cpu_s(lambda text=text: search(text)) < 2.0


@pytest.mark.parametrize("expression", ["a{1,3}", "(a|ab)(c|cd)", "a*b*", "x", "(?:ab)?c{2}"])
def test_ways_are_counted(expression: str) -> None:
    """Never fewer than there are texts that match in other ways."""
    counted = {"a{1,3}": 3, "(a|ab)(c|cd)": 4, "a*b*": 121, "x": 1, "(?:ab)?c{2}": 2}

    assert ways(expression, 10) == counted[expression]
    assert re.compile(expression)
