"""Asks java.util.regex itself; `python -m core.java_regex.java_answers` (in `tests`) writes them anew."""

import base64
import json
import shutil
import subprocess
from pathlib import Path

from core.java_regex.java_cases import asked

HERE = Path(__file__).resolve().parent
STORED = HERE / "java_answers.json"


def java() -> str | None:
    return shutil.which("java")


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def ask_java() -> list[str]:
    """Java's answers to all that is asked, in order."""
    program = java()
    assert program is not None
    lines = "\n".join(
        f"{flags} {_encoded(pattern)} {_encoded(text)} {_encoded(replacement)}"
        for pattern, flags, text, replacement in asked()
    )
    done = subprocess.run(
        [program, "-Dfile.encoding=UTF-8", str(HERE / "Answers.java")],
        input=lines + "\n",
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )

    return done.stdout.splitlines()


if __name__ == "__main__":
    STORED.write_text(json.dumps(ask_java(), indent=0) + "\n")
