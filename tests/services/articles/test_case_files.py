"""Case files: the Java program's answers, and what is said where a case differs."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from pubweave.articles.cli import articles
from pubweave.articles.iterator.cases import outcome, read_case
from pubweave.articles.iterator.walk import iterator_for
from shared_data import needs_shared_data, shared_data


def run(*arguments: str) -> Result:
    return CliRunner().invoke(articles, list(arguments))


def case(**more: Any) -> dict[str, Any]:
    made: dict[str, Any] = {
        "id": "own",
        "params": {"base_url": "http://h.org/", "issues": "1,2"},
        "param_types": {"base_url": "Url", "issues": "Set"},
        "target": "Any",
        "root_templates": ['"%s", base_url'],
        "pattern_template": '"^%s(full|pdf)/", base_url',
        "pattern_flags": 2,
        "aspects": [
            {
                "major": True,
                "patterns": [{"regex": "/full/(\\d+)$", "flags": 0}],
                "replacements": ["/full/$1"],
                "roles": ["FullTextHtml"],
            },
            {"major": False, "patterns": [], "replacements": ["/abs/$1"], "roles": ["Abstract"]},
        ],
        "urls": [["http://h.org/full/1", "text/html"], ["http://h.org/abs/1", "text/html"]],
        "expected": [
            {
                "full_text_url": "http://h.org/full/1",
                "roles": {"FullTextHtml": "http://h.org/full/1", "Abstract": "http://h.org/abs/1"},
            }
        ],
        "error": None,
        "a key of tomorrow": 1,
    }
    made.update(more)

    return made


def written(folder: Path, name: str, data: object) -> Path:
    path = folder / f"{name}.json"
    path.write_text(json.dumps(data))

    return path


@needs_shared_data
def test_the_recorded_cases_pass_in_full_and_in_order() -> None:
    """All 75 answers of the real Java program, by the command."""
    result = run("test", str(shared_data("lockss-cases")))

    assert result.output.splitlines()[-1] == "75 OK, 0 differ"
    assert result.exit_code == 0


@needs_shared_data
def test_the_readable_walk_gives_the_recorded_answers_too() -> None:
    """Both ways of walking are held to the Java program."""
    differing = [
        path.stem
        for path in sorted(shared_data("lockss-cases").glob("*.json"))
        if outcome(read_case(path.read_bytes()), iterator_for) is not None
    ]

    assert differing == []


def test_ok_and_the_first_difference_are_said(tmp_path: Path) -> None:
    """One line a case, a count at the end, exit status 1 if any differs."""
    written(tmp_path, "a", case())
    wrong = case()
    wrong["expected"][0]["roles"]["Abstract"] = "http://h.org/abs/9"
    written(tmp_path, "b", wrong)
    written(tmp_path, "c", case(expected=[]))
    written(tmp_path, "d", case(urls=[]))
    result = run("test", str(tmp_path))

    assert result.output.splitlines() == [
        "OK a",
        "DIFFERS b: article 1 (http://h.org/full/1): Abstract is http://h.org/abs/1, expected http://h.org/abs/9",
        "DIFFERS c: article 1 is one too many: http://h.org/full/1"
        " {Abstract=http://h.org/abs/1, FullTextHtml=http://h.org/full/1}",
        "DIFFERS d: article 1 is missing (1 fewer than expected): http://h.org/full/1"
        " {Abstract=http://h.org/abs/1, FullTextHtml=http://h.org/full/1}",
        "1 OK, 3 differ",
    ]
    assert result.exit_code == 1


def test_a_case_of_one_file_is_run(tmp_path: Path) -> None:
    """A file can be named itself."""
    result = run("test", str(written(tmp_path, "a", case())))

    assert (result.exit_code, result.output) == (0, "OK a\n1 OK, 0 differ\n")


def test_excluded_urls_do_not_exist_at_all(tmp_path: Path) -> None:
    """Neither for the walk nor for a replacement (S41)."""
    expected = [{"full_text_url": "http://h.org/full/1", "roles": {"FullTextHtml": "http://h.org/full/1"}}]
    path = written(tmp_path, "a", case(excluded_urls=["http://h.org/abs/1"], expected=expected))

    assert run("test", str(path)).exit_code == 0


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"root_templates": None, "roots_given": ["http://h.org/x"]}, 0),
        ({"root_templates": None, "roots": ["lockssau:"]}, 1),
        ({"root_templates": None, "roots": ["http://h.org/full"]}, 1),
        ({"pattern_template": None, "pattern": "/FULL/"}, 1),
        ({"pattern_template": None, "pattern": "/FULL/", "pattern_flags": 0}, 0),
        ({"include_template": '"%spdf/", base_url'}, 0),
        ({"exclude_template": '"%sfull/", base_url'}, 0),
        ({"mime_type": "application/pdf"}, 0),
        ({"target": "none"}, 1),
        ({"aspects": None}, 1),
        ({"pattern_template": '"/%s$", issues'}, 1),
        (
            {
                "param_types": {"issues": "PosInt", "base_url": "Boolean"},
                "params": {"base_url": "http://h.org/", "issues": "1"},
            },
            1,
        ),
        ({"urls": [["http://h.org/full/1", None]]}, 1),
    ],
)
def test_every_key_of_a_case_counts(tmp_path: Path, keys: dict[str, Any], expected: int) -> None:
    """The definition is translated from the keys by the product itself."""
    read = read_case(json.dumps(case(**keys)).encode())
    found: list[Any] = []

    def walked(unit: Any, definition: Any) -> list[Any]:
        found.extend(iterator_for(unit, definition))
        return found

    outcome(read, walked)

    assert len(found) == expected


def test_an_expected_error_is_an_outcome(tmp_path: Path) -> None:
    """A template that cannot be filled ends the run: right if the case says so."""
    bad = {"pattern_template": '"%d", base_url'}
    path = written(tmp_path, "a", case(error="InvalidDefinition", expected=[], **bad))
    other = written(tmp_path, "b", case(**bad))

    assert run("test", str(path)).exit_code == 0
    assert "cannot be walked: %d wants a number" in run("test", str(other)).output


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "not a case"),
        ('{"urls": []}', "missing required field `expected`"),
        ('{"urls": 1, "expected": []}', "$.urls"),
    ],
)
def test_a_file_that_is_no_case_is_refused(tmp_path: Path, content: str, said: str) -> None:
    """With its name and the key, exit status 2."""
    path = tmp_path / "bad.json"
    path.write_text(content)
    result = run("test", str(path))

    assert result.exit_code == 2
    assert f"{path}: " in result.output
    assert said in result.output


def test_a_folder_without_cases_is_refused(tmp_path: Path) -> None:
    """Nothing run is not success."""
    assert run("test", str(tmp_path)).exit_code == 2
    assert run("test", str(tmp_path / "nowhere")).exit_code == 2
