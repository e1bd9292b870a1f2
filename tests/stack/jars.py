"""The jars of a server, fetched once by Maven into the stack's folder."""

import fcntl
import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

POMS = Path(__file__).parent / "servers"


def stack_folder() -> Path:
    """Where jars, data and leases lie: PUBWEAVE_STACK_DIR, or `.stack` beside the Makefile."""
    given = os.environ.get("PUBWEAVE_STACK_DIR", "")
    return Path(given) if given else Path(__file__).resolve().parents[2] / ".stack"


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """One process at a time; the kernel lets go when the holder dies."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def jars(server: str) -> Path:
    """The folder with the jars of `kafka` or `cassandra`; takes some seconds the first time.

    :raises RuntimeError: Maven could not get them; the text ends with what it said
    """
    pom = POMS / f"{server}-pom.xml"
    folder = stack_folder() / "jars" / f"{server}-{hashlib.sha256(pom.read_bytes()).hexdigest()[:12]}"
    with locked(folder.with_suffix(".lock")):
        if not folder.is_dir():
            half = folder.with_suffix(".half")
            shutil.rmtree(half, ignore_errors=True)
            fetched = subprocess.run(
                [
                    "mvn",
                    "-q",
                    "-B",
                    "-f",
                    str(pom),
                    "dependency:copy-dependencies",
                    f"-DoutputDirectory={half}",
                ],
                capture_output=True,
                text=True,
                check=False,
            )
            if fetched.returncode or not any(half.glob("*.jar")):
                said = (fetched.stdout + fetched.stderr).strip()[-2000:]
                raise RuntimeError(f"Maven could not fetch the jars of {server}:\n{said}")
            half.rename(folder)
    return folder
