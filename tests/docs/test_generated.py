"""What is made from the contract is what is in the tree."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pubweave.contract
from pubweave.contract import generate_resources
from pubweave.contract.catalogue import topics
from pubweave.contract.generate import COMMAND, everything, main, stale
from pubweave.contract.kinds import KINDS

CHECKOUT = Path(pubweave.contract.__path__[0]).parents[2]


def test_generated_files_are_up_to_date() -> None:
    """Schemas, examples, docs/events.md and the flow in ARCHITECTURE.md."""
    names = [str(made.path.relative_to(CHECKOUT)) for made in stale(CHECKOUT)]

    assert names == [], f"out of date; write them anew with: {COMMAND}"


def test_what_the_resources_declare_was_gathered() -> None:
    """Names and table are what the folders say today."""
    names = [str(made.path.relative_to(CHECKOUT)) for made in generate_resources.stale(CHECKOUT)]

    assert names == [], f"out of date; write them anew with: {generate_resources.COMMAND}"


def test_the_command_checks_and_changes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """With --check it is silent and content where everything is up to date."""
    assert main(["--check"]) == 0
    assert capsys.readouterr() == ("", "")


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A checkout of what the generator reads and writes."""
    shutil.copytree(CHECKOUT / "shared", tmp_path / "shared", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "docs").mkdir()
    for name in ("ARCHITECTURE.md", "docs/events.md"):
        shutil.copy(CHECKOUT / name, tmp_path / name)
    return tmp_path


def run(checkout: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pubweave.contract.generate", *arguments],
        cwd=checkout,
        env={"PYTHONPATH": str(checkout / "shared"), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_stale_files_fail_with_the_command_to_run(copied: Path) -> None:
    """A schema that was edited by hand, an example that is gone, a topic that changed: each file is named,
    and the command puts everything right."""
    schema = copied / "shared/pubweave/contract/schemas/new-id.v1.json"
    example = copied / "shared/pubweave/contract/examples/new-id/1/claimed.json"
    topic = copied / "shared/pubweave/contract/topics/06-new-ids.yaml"
    before = schema.read_text(encoding="utf-8")
    schema.write_text(before.replace('"string"', '"number"'), encoding="utf-8")
    example.unlink()
    topic.write_text(
        topic.read_text(encoding="utf-8").replace("producers: [merger]", "producers: [merger, gateway]"),
        encoding="utf-8",
    )
    checked = run(copied, "--check")

    assert checked.returncode == 1
    assert COMMAND in checked.stderr
    for name in ("new-id.v1.json", "claimed.json", "docs/events.md", "ARCHITECTURE.md"):
        assert f"{name} is out of date" in checked.stderr

    assert run(copied).returncode == 0
    assert run(copied, "--check").returncode == 0
    assert schema.read_text(encoding="utf-8") == before
    assert "gateway --> t_new_ids" in (copied / "ARCHITECTURE.md").read_text(encoding="utf-8")


def test_the_prose_around_the_flow_is_left_alone() -> None:
    """Only what stands between the marks is made."""
    page = (CHECKOUT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    made = next(made for made in everything(CHECKOUT) if made.path.name == "ARCHITECTURE.md")

    assert made.content.partition("<!-- flow")[0] == page.partition("<!-- flow")[0]
    assert made.content.rpartition("<!-- end of flow -->")[2] == page.rpartition("<!-- end of flow -->")[2]


def test_every_topic_and_every_kind_is_documented() -> None:
    """Each has its section, and the flow shows every topic."""
    events = (CHECKOUT / "docs" / "events.md").read_text(encoding="utf-8")
    flow = (CHECKOUT / "ARCHITECTURE.md").read_text(encoding="utf-8")

    assert [topic.topic for topic in topics() if f"### Topic `{topic.topic}`\n" not in events] == []
    assert [kind for kind in KINDS if f"### Event `{kind}`\n" not in events] == []
    assert [topic.topic for topic in topics() if f"─►  {topic.topic} " not in flow] == []


def test_links_of_the_pages_lead_somewhere() -> None:
    """Schemas, pages and folders that the two pages name are there."""
    for name in ("ARCHITECTURE.md", "docs/events.md"):
        page = CHECKOUT / name
        for piece in page.read_text(encoding="utf-8").split("](")[1:]:
            target = piece.partition(")")[0]
            if not target.startswith(("#", "https://")):
                assert (page.parent / target).exists(), f"{name}: {target}"
