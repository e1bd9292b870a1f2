"""`pubweave rules list|check|try|new|test`: what people who write rules see."""

import json
import shutil
from pathlib import Path

import pytest

from pubweave.adapters.rule_files import own_rules_folder
from services.cli.conftest import Cli
from simnet.fixture import Running

URL = "https://press.example.com/article/1"


@pytest.fixture
def begun(cli: Cli, tmp_path: Path) -> Path:
    """A folder with rules that were just begun."""
    folder = tmp_path / "rules"
    assert cli("rules", "new", "example-press", URL, "--folder", folder).status == 0
    return folder


def test_the_list_names_every_site_with_its_day_and_keys(cli: Cli) -> None:
    """T-082: sites can be counted, and which keys which recorded page has verified is told."""
    found = json.loads(cli("rules", "list", "--format", "json").out)
    sites = [one for one in found if one["kind"] == "site"]
    plos = next(one for one in sites if one["name"] == "plos")

    assert len(sites) >= 50
    assert len(found) - len(sites) >= 25
    assert ("title" in plos["keys"], plos["patterns"]) == (True, 3)
    assert plos["verified"]["fulltext"]["page"].startswith("plos__")
    assert plos["verified"]["fulltext"]["day"] >= "2026-11-22"
    assert set(plos["verified"]) <= set(plos["keys"])
    assert all(one["checked"] for one in found)
    assert "nature" in cli("rules", "list", "nature").out


def test_a_user_s_rules_are_listed_as_theirs(cli: Cli, tmp_path: Path) -> None:
    """They have no day on which we looked at them."""
    (tmp_path / "j.yaml").write_text("press\\.example\\.com: press\n---\npress:\n  title: h1\n---\n[]\n")

    found = json.loads(
        cli("rules", "list", "press", "--format", "json", "--journals-yaml", tmp_path / "j.yaml").out
    )

    assert [(one["name"], one["verified"]) for one in found if one["name"] == "press"] == [("press", None)]


def test_good_and_bad_files_are_told_apart_with_the_place(cli: Cli, tmp_path: Path) -> None:
    """File, section, position and key; exit status 2."""
    good, bad = tmp_path / "good.yaml", tmp_path / "bad.yaml"
    good.write_text("press\\.example\\.com: press\n---\npress:\n  title: h1\n---\n- press\n")
    bad.write_text("press\\.example\\.com: press\n---\npress:\n  titel: h1\n---\n[]\n")

    assert (cli("rules", "check", good).status, cli("rules", "check", good, bad).status) == (0, 2)
    told = cli("rules", "check", bad).err
    assert told.count("\n") == 1
    for word in (str(bad), "site", "line", "titel"):
        assert word in told
    assert cli("rules", "check", tmp_path / "none.yaml").status == 2
    assert cli("rules", "check", own_rules_folder() / "sites" / "plos.yaml").status == 0


def test_rules_that_were_begun_are_tested_kept_and_found_changed(cli: Cli, begun: Path) -> None:
    """new, test --keep, test: OK; a changed rule is a line, and the last line counts."""
    assert cli("rules", "test", begun).status == 2  # nothing to compare with yet

    assert cli("rules", "test", begun, "--keep").status == 0
    assert cli("rules", "test", begun).out == "OK\n"

    rules = begun / "example-press.yaml"
    rules.write_text(rules.read_text().replace("title: h1", "title: h2"))
    changed = cli("rules", "test", begun)

    assert changed.status == 1
    assert changed.out.splitlines() == [
        "example-press: title: expected 31, actual 0",
        "1 mismatches in 1 tests",
    ]


def test_nothing_that_is_there_is_overwritten(cli: Cli, begun: Path) -> None:
    """And a name must be one."""
    before = (begun / "example-press.yaml").read_bytes()

    assert cli("rules", "new", "example-press", URL, "--folder", begun).status == 2
    assert cli("rules", "new", "../up", URL, "--folder", begun).status == 2
    assert cli("rules", "new", "other", "no address", "--folder", begun).status == 2
    assert (begun / "example-press.yaml").read_bytes() == before


def test_built_in_rules_give_what_their_lines_say(cli: Cli) -> None:
    """`pubweave rules test` without a folder."""
    ran = cli("rules", "test")

    assert (ran.status, ran.out) == (0, "OK\n")


def test_rules_without_a_line_and_lines_without_rules_are_mismatches(cli: Cli, begun: Path) -> None:
    """What is forgotten is told."""
    cli("rules", "test", begun, "--keep")
    shutil.copy(begun / "example-press.yaml", begun / "second.yaml")
    shutil.copy(begun / "pages" / "example-press.html", begun / "pages" / "second.html")
    (begun / "example-press.yaml").unlink()

    lines = cli("rules", "test", begun).out.splitlines()

    assert [line.split(":")[0] for line in lines[:-1]] == ["example-press", "second"]


def test_a_saved_page_is_tried_beside_its_meta_tags(cli: Cli, tmp_path: Path) -> None:
    """Each key with what it selected, and each part from both."""
    page = tmp_path / "page.html"
    page.write_text(
        "<html><head><meta name='citation_title' content='Said by the tag'></head>"
        "<body><h1 id='artTitle'>Said by the page</h1></body></html>"
    )
    url = "https://journals.plos.org/plosone/article?id=10.1371/journal.pone.0000001"

    ran = cli("rules", "try", page, "--url", url)

    assert ran.status == 0
    lines = ran.out.splitlines()
    title = lines.index("title")
    assert "Said by the page" in lines[title + 1]
    assert "Said by the tag" in lines[title + 2]
    assert "won   plos" in ran.out
    assert "abstract               0 elements" in ran.out
    assert cli("rules", "try", page).status == 2


@pytest.mark.network
def test_a_page_of_the_net_is_tried_as_a_run_would_fetch_it(cli: Cli, net: Running) -> None:
    """By its DOI; the address after all redirects finds the rules."""
    doi = next(ids.doi for ids in net.universe.submissions(40) if ids.doi)

    ran = cli("rules", "try", f"https://doi.org/{doi}")

    assert ran.status in (0, 1)
    assert doi.upper() in (ran.out + ran.err).upper() or "http" in ran.out
