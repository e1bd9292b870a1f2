"""docs/releases.yaml: which commit each release is, and what was released with it."""

import subprocess
from pathlib import Path

import pytest
import yaml

from pubweave.contract.cloudevents import is_newer

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = "shared/pubweave/contract/schemas"
RELEASES = yaml.safe_load((ROOT / "docs" / "releases.yaml").read_text(encoding="utf-8"))
each = pytest.mark.parametrize("release", RELEASES, ids=lambda release: release["version"])


def test_the_first_release_is_named() -> None:
    """Others compare with it."""
    assert RELEASES[0]["version"] == "0.1.0"
    assert not is_newer(RELEASES[-1]["version"])


@each
def test_a_release_names_its_commit(release: dict[str, str]) -> None:
    """By its whole hash, and the day."""
    assert len(release["commit"]) == 40
    assert len(str(release["date"])) == 10


@each
def test_its_schemas_are_kept_as_they_were(release: dict[str, str]) -> None:
    """As its commit has them, where this clone has the commit; a released schema is never edited."""
    folder = ROOT / "shared/pubweave/contract/released" / release["version"]
    kept = {path.name: path.read_bytes() for path in folder.glob("*.json")}
    told = subprocess.run(
        ["git", "ls-tree", "--name-only", release["commit"], f"{SCHEMAS}/"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert len(kept) > 30
    if told.returncode:
        return  # a clone without history, or no clone at all
    for name in told.stdout.split():
        body = subprocess.run(
            ["git", "show", f"{release['commit']}:{name}"], cwd=ROOT, capture_output=True, check=True
        ).stdout
        assert kept.pop(Path(name).name) == body
    assert not kept
