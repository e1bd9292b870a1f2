"""`make run`: the main job on a handful of identifiers, for everybody, everywhere.

    python -m pubweave.cli.demo [--ids FILE]

If the sources can be reached they are asked. If not, one line says so and the same job asks the project's
own simulated internet (tests/simnet), which is started for it and ended after it.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

import click

from pubweave.output.terminal import Styled, echo, for_people

EXAMPLES: Final = ("10.1093/nar/gkz369", "10.1101/692905", "28886289", "PMC3339582", "39466770")
"""An article and a preprint by DOI, an article by PMID, one by PMCID, and one that was retracted."""
SIMULATED_DATABASE: Final = Path("out/simulated.db")
_LOOK_S: Final = 4.0
_START_S: Final = 60.0
_HOW_MANY: Final = 8
_QUESTIONS: Final = (
    "/search?query=ext_id:28886289%20src:med&resulttype=idlist&format=json",
    "/einfo.fcgi?retmode=json",
)


def reachable(question: str, timeout_s: float = _LOOK_S) -> bool:
    """Whether a source answers with JSON of its own; what a proxy or a portal says instead does not count.

    Honours HTTP(S)_PROXY, NO_PROXY and SSL_CERT_FILE.
    """
    request = urllib.request.Request(question, headers={"User-Agent": "pubweave (make run)"})
    try:
        with urllib.request.urlopen(request, timeout=timeout_s) as reply:
            return isinstance(json.loads(reply.read(1 << 20)), dict)
    except (OSError, ValueError):  # URLError, timeouts and TLS failures are OSErrors; JSON's are ValueErrors
        return False


def can_ask(addresses: Sequence[str]) -> bool:
    """Whether all sources that the demonstration needs can be reached; asked side by side."""
    from concurrent.futures import ThreadPoolExecutor

    questions = [address + question for address, question in zip(addresses, _QUESTIONS, strict=True)]
    with ThreadPoolExecutor(len(questions)) as pool:
        return all(pool.map(reachable, questions))


class Simulated(NamedTuple):
    """A simulated internet that is running."""

    identifiers: list[str]
    environment: dict[str, str]


def _project() -> Path | None:
    """The checkout that holds the simulated internet; None in an installation without it."""
    for folder in (Path.cwd(), *Path(__file__).resolve().parents):
        if (folder / "tests" / "simnet" / "__main__.py").is_file():
            return folder
    return None


@contextmanager
def simulated(project: Path) -> Iterator[Simulated]:
    """Start the simulated internet; end it afterwards.

    :raises click.ClickException: it does not start
    """
    folder = Path(tempfile.mkdtemp(prefix="pubweave-run-"))
    ready = folder / "ready.json"
    command = [sys.executable, "-m", "simnet", "--seed", "1", "--size", "500", "--latency-ms", "40"]
    process = subprocess.Popen(
        [*command, "--examples", str(_HOW_MANY), "--ready-file", str(ready)],
        env={**os.environ, "PYTHONPATH": str(project / "tests")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        yield _wait_for(ready, process)
    finally:
        process.terminate()
        process.wait(timeout=_START_S)
        if process.stderr is not None:
            process.stderr.close()
        shutil.rmtree(folder, ignore_errors=True)


def _wait_for(ready: Path, process: "subprocess.Popen[bytes]") -> Simulated:
    until_s = time.monotonic() + _START_S
    while time.monotonic() < until_s:
        if process.poll() is not None:
            complaint = process.stderr.read().decode(errors="replace") if process.stderr else ""
            last = complaint.strip().splitlines()[-1:] or ["no reason given"]
            raise click.ClickException(f"the simulated internet did not start: {last[0]}")
        try:
            said = json.loads(ready.read_text())
        except (FileNotFoundError, ValueError):
            time.sleep(0.05)
        else:
            return Simulated(said["ids"], said["environment"])
    raise click.ClickException(f"the simulated internet did not start within {_START_S:.0f} s")


def _fetch(arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run the very command that a user types."""
    command = [sys.executable, "-m", "pubweave.cli.main", "fetch", "--format", "pretty", *arguments]
    return subprocess.run(command, env={**os.environ, **environment}, check=False).returncode


@click.command()
@click.option(
    "--ids", "file", default="", metavar="FILE", help="Your own identifiers instead of the examples."
)
def demo(file: str) -> None:
    """Fetch a handful of publications and show them."""
    from pubweave.settings import SETTINGS, load

    settings, _ = load()
    given = ["--ids", file] if file else []
    if can_ask([settings.text("address_europepmc"), settings.text("address_eutils")]):
        _heading("Asking Europe PMC, PubMed and PMC.")
        status = _fetch(given or EXAMPLES, {})
        _next()
        sys.exit(status)
    project = _project()
    if project is None:
        raise click.ClickException(
            "the sources cannot be reached from here, and this installation has no simulated internet"
        )
    _heading("The sources cannot be reached from here: asking the project's own simulated internet instead.")
    if file:
        _heading("It knows only publications that it made up; real identifiers are known nowhere in it.")
    SIMULATED_DATABASE.parent.mkdir(parents=True, exist_ok=True)
    for stale in SIMULATED_DATABASE.parent.glob(SIMULATED_DATABASE.name + "*"):
        stale.unlink()
    database = ["--db", str(SIMULATED_DATABASE)]
    with simulated(project) as net:
        proxies = {name.lower(): value for name, value in net.environment.items() if name.endswith("_PROXY")}
        # The simulated internet answers under the real names, whatever addresses are set.
        addresses = {one.variable: str(one.default) for one in SETTINGS if one.group == "addresses"}
        environment = {**net.environment, **proxies, **addresses, "NO_PROXY": "", "no_proxy": ""}
        # Unpaywall wants to know who asks; the simulated one is content with anybody.
        status = _fetch([*(given or net.identifiers), *database, "--email", "demo@uni.example"], environment)
    _next()
    sys.exit(status)


def _heading(sentence: str) -> None:
    click.secho(sentence, bold=True, err=True)


def _next() -> None:
    """What to type with identifiers of one's own."""
    from pubweave.cli.options import program

    steps = [
        (f"{program()} fetch 31092905 PMC6519000 10.1093/nar/gkz369", "your own identifiers"),
        ("make run IDS=my.txt", "a file of them"),
        (f"{program()} --help", "everything else"),
    ]
    for command, sentence in steps:
        command, sentence = click.style(for_people(command), fg="cyan"), click.style(sentence, dim=True)
        echo(Styled(f"  {command}  {sentence}"), err=True)


if __name__ == "__main__":
    demo()
