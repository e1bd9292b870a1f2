"""Asks jsoup: fetches it from Maven Central, runs `Oracle.java`, returns its answers.

`python ask.py` writes them to `answers.json` beside this file.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ANSWERS = HERE / "answers.json"


class CannotAsk(RuntimeError):
    """Java, Maven or jsoup is not to be had here."""


def ask() -> dict[str, dict[str, list[object] | None]]:
    """What jsoup selects: page → selector → answers, None where it refuses the selector.

    :raises CannotAsk: with the reason
    """
    for program in ("java", "mvn"):
        if shutil.which(program) is None:
            raise CannotAsk(f"there is no {program} here")
    with tempfile.TemporaryDirectory() as folder:
        fetch = ["mvn", "-q", "-B", "-f", str(HERE / "pom.xml"), "dependency:copy-dependencies"]
        try:
            subprocess.run(
                [*fetch, f"-DoutputDirectory={folder}"], check=True, capture_output=True, timeout=90
            )
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as failed:
            raise CannotAsk("Maven could not fetch jsoup") from failed
        pages = sorted(str(page) for page in (HERE / "pages").glob("*.html"))
        run = subprocess.run(
            ["java", "-cp", f"{folder}/*", str(HERE / "Oracle.java"), str(HERE / "selectors.txt"), *pages],
            check=True,
            capture_output=True,
            timeout=90,
        )
    answers: dict[str, dict[str, list[object] | None]] = json.loads(run.stdout)
    return answers


if __name__ == "__main__":
    answers = ask()
    lines = []
    for page, rows in answers.items():
        inside = ",\n".join(f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in rows.items())
        lines.append(f" {json.dumps(page)}: {{\n{inside}\n }}")
    ANSWERS.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    sys.stdout.write(f"{sum(len(rows) for rows in answers.values())} answers\n")
