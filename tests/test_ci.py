"""In CI nothing is skipped: what is missing is a failure that says what is missing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def program(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/bash\n{script}\n")
    path.chmod(0o755)


@pytest.mark.parametrize(
    ("apt_get", "wanted"),
    [("exit 100", 1), ('printf "#!/bin/bash\\n" > $BIN/chromium; chmod +x $BIN/chromium', 0)],
)
def test_without_a_browser_ci_fails_and_says_so(tmp_path: Path, apt_get: str, wanted: int) -> None:
    """It is installed where it can be; else CI ends with one clear sentence, before any test has run."""
    for name in ("bash", "dirname", "timeout", "env", "chmod"):
        (tmp_path / name).symlink_to(f"/usr/bin/{name}")
    program(tmp_path, "apt-get", apt_get)
    program(tmp_path, "make", "echo made $*")
    ran = subprocess.run(
        [str(ROOT / ".ci" / "run")],
        env={"PATH": str(tmp_path), "BIN": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.returncode == wanted, ran.stderr
    assert ("made test" in ran.stdout) == (wanted == 0)
    assert ("there is no Chromium here" in ran.stderr) == (wanted == 1)


SKIPPING = {
    "a test": "import pytest\n\ndef test_one() -> None:\n    pytest.skip('no browser')\n",
    "a mark": "import pytest\n\n@pytest.mark.skipif(True, reason='no browser')\ndef test_one() -> None: ...\n",
    "a module": "import pytest\n\npytest.importorskip('there_is_no_such_module')\n",
    "a fixture": "import pytest\n\n@pytest.fixture\ndef it():\n    pytest.skip('no')\n\ndef test_one(it) -> None: ...\n",
}


@pytest.mark.parametrize("ci", ["", "1", "true"])
@pytest.mark.parametrize("how", SKIPPING)
def test_whatever_is_skipped_fails_in_ci(tmp_path: Path, how: str, ci: str) -> None:
    """However the test said that it would not run."""
    (tmp_path / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text())
    (tmp_path / "test_one.py").write_text(SKIPPING[how] + "\n\ndef test_two() -> None: ...\n")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", str(tmp_path)],
        env={**environment, "CI": ci},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert "skipped, which CI does not allow" in ran.stdout or not ci
    assert (ran.returncode in (0, 5)) == (not ci)
