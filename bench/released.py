"""The code of a release beside today's, so that both are measured in one run."""

import io
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
RELEASES = ROOT / "docs" / "releases.yaml"
KEPT = ROOT / ".bench"
"""Trees of releases, one a commit; git ignores it."""


def tree(version: str) -> Path:
    """A checkout of a release; made once.

    :raises SystemExit: it is no release, or this clone does not have its commit
    """
    commits = {
        told["version"]: told["commit"] for told in yaml.safe_load(RELEASES.read_text(encoding="utf-8"))
    }
    if version not in commits:
        raise SystemExit(f"{version} is no release; docs/releases.yaml names {', '.join(commits)}.")
    return tree_of(commits[version], version)


def tree_of(commit: str, name: str = "") -> Path:
    """A checkout of a commit; made once.

    :param name: of the release that it is
    :raises SystemExit: this clone does not have it
    """
    folder = KEPT / commit
    if folder.is_dir():
        return folder
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=False)
    if archive.returncode:
        what = f"{commit}, which is release {name}" if name else commit
        raise SystemExit(f"This clone lacks {what}: git fetch --unshallow")
    half = KEPT / f"{commit}.half.{os.getpid()}"
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as packed:
        packed.extractall(half, filter="data")
    half.rename(folder)
    return folder


def environment(code: Path) -> dict[str, str]:
    """What a Python process needs to import the `pubweave` of this tree, whichever one is installed."""
    return {"PYTHONPATH": os.pathsep.join([str(code / "shared"), str(code / "services")])}


if __name__ == "__main__":
    print(tree(sys.argv[1] if len(sys.argv) > 1 else "0.1.0"))
