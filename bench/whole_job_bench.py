"""What a job through pages and PDFs costs a user's machine: all of its processes, beside the same job of a release.

    python bench/whole_job_bench.py [--count N] [--against VERSION] [--rounds N] [--no-browser] [--long] [--quick]

Identifiers of the standard universe (1,000; `--count 100` to try it) through all resources, asked for through the
library (`pubweave.api`), whose names hold from release to release: the same lines run today's code and that of
`--against`, a release of docs/releases.yaml or a commit (`none`: without). Each job has a process of its own; the
simulated internet another, which counts for nothing. No rates; otherwise what a user has who sets nothing.

* CPU: user and system time of the job and everything it started (readers of PDFs, browsers), from the first
  submission on.
* Memory: PSS, what a process has of its own and its share of what it shares, summed over all processes at one
  instant, looked at ten times a second; and that of the main process.
* First record: from the first submission to the first finished publication.
* Wall against the floor that the universe implies (tests/simnet/floor.py), with one connection per host and with four.
* Records: a digest of all of them without times; it is the same in all jobs of one kind, or the difference is told.

With a Chromium on the machine, CPU and memory are measured with it, too. `--long` adds 20,000 identifiers.
"""

import argparse
import asyncio
import compileall
import ctypes
import hashlib
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

import released
from support import ROOT, SEED, Net, queued_s, simulated_internet, verdict

CPU_LIMIT = 0.6
CPU_LIMIT_BROWSER = 0.35
PSS_LIMIT_MB = 450.0
MAIN_PSS_LIMIT_MB = 250.0
FIRST_LIMIT_S = 0.6
FIRST_LATENCIES = 4
WALL_LIMITS = {1: 1.1, 4: 1.15}
LATENCIES_MS = (0.0, 50.0, 200.0)
LONG = 20_000
LONG_LIMIT = 1.1
SAMPLE_S = 0.1
_PR_SET_CHILD_SUBREAPER = 36


class Measured(msgspec.Struct):
    """What one job cost."""

    outcomes: dict[str, int]
    wall_s: float
    first_s: float
    queued_s: float
    """How long the main thread could have run, but others had the processors."""
    main_cpu_s: float
    began_cpu_s: float
    """Of the main process before the first submission: interpreter and imports, which are not counted."""
    all_cpu_s: float = 0.0
    pss_mb: float = 0.0
    main_pss_mb: float = 0.0
    processes: int = 0
    """At the instant of the highest PSS."""
    records: str = ""
    """Digest of all records without times."""


class Job(NamedTuple):
    """How a job is run."""

    count: int
    connections: int = 1
    browser: bool = False
    settings: tuple[tuple[str, str], ...] = ()


# The process of the job: today's lines over the library of whichever tree is on its path.


def inside(out: Path, told: str) -> None:
    """Run one job and write what it measured of itself."""
    given = json.loads(told)
    from pubweave.runtimes.collecting import collect_less_often

    collect_less_often()
    import logging

    import structlog

    logging.disable()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    out.write_bytes(msgspec.json.encode(asyncio.run(_job(given))))


async def _job(given: dict[str, object]) -> Measured:
    from pubweave import api

    def identifiers() -> list[api.Identifiers]:
        lines = Path(str(given["ids"])).read_text(encoding="utf-8").splitlines()[: int(str(given["count"]))]
        columns = (line.split("\t") for line in lines)
        return [api.Identifiers(pmid=pmid, pmcid=pmcid, doi=doi.upper()) for pmid, pmcid, doi in columns]

    wanted = identifiers()
    outcomes: Counter[str] = Counter()
    first_s = 0.0
    settings = given["settings"]
    assert isinstance(settings, dict)
    async with api.open_fetcher(str(given["database"]), create=True, settings=settings) as fetcher:
        began_s, began_cpu_s, began_queued_s = time.monotonic(), _own_cpu_s(), queued_s()
        async for one in fetcher.publications(wanted):
            first_s = first_s or time.monotonic() - began_s
            outcomes[one.outcome] += 1
        return Measured(
            outcomes=dict(outcomes),
            wall_s=time.monotonic() - began_s,
            first_s=first_s,
            queued_s=queued_s() - began_queued_s,
            main_cpu_s=_own_cpu_s() - began_cpu_s,
            began_cpu_s=began_cpu_s,
        )


def _own_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


async def _records_of(database: Path) -> str:
    """Digest of everything stored but times."""
    from pubweave import api

    async with api.open_database(database, readonly=True) as base:
        lines = [
            json.dumps(_without_times(api.as_json(record)), sort_keys=True)
            async for record in base.publications()
        ]
    whole = hashlib.sha256()
    for line in sorted(lines):
        whole.update(line.encode() + b"\n")
    return whole.hexdigest()[:16]


def _without_times(value: object) -> object:
    if isinstance(value, dict):
        return {key: _without_times(one) for key, one in value.items() if not _is_time(str(key))}
    if isinstance(value, list):
        return [_without_times(one) for one in value]
    return value


def _is_time(key: str) -> bool:
    key = key.lower()
    return "time" in key or key.startswith("fetched") or key in ("version", "publication")


# The process that measures.


class Watch:
    """Highest PSS of a process with all that it has started."""

    def __init__(self, pid: int, others: Sequence[int]) -> None:
        self._pid = pid
        self._others = frozenset(others)
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self.pss_kib = self.main_kib = self.processes = 0

    def __enter__(self) -> "Watch":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._done.wait(SAMPLE_S):
            found = {pid: _pss_kib(pid) for pid in self._family()}
            total = sum(found.values())
            self.main_kib = max(self.main_kib, found.get(self._pid, 0))
            if total > self.pss_kib:
                self.pss_kib, self.processes = total, len(found)

    def _family(self) -> list[int]:
        """The job, and whoever descends from this process but the simulated internet: orphans come to us."""
        children: dict[int, list[int]] = {}
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                try:
                    told = (
                        Path(f"/proc/{entry}/stat").read_text("utf-8", "replace").rpartition(") ")[2].split()
                    )
                except OSError:
                    continue
                children.setdefault(int(told[1]), []).append(int(entry))
        found, left = [], [pid for pid in children.get(os.getpid(), []) if pid not in self._others]
        while left:
            pid = left.pop()
            found.append(pid)
            left += children.get(pid, [])
        return found


def _pss_kib(pid: int) -> int:
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


def run(job: Job, net: Net, code: Path, budgets: Path) -> Measured:
    """One job of the code of this tree on a new database.

    :raises RuntimeError: it failed
    """
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        database, out = Path(folder) / "bench.db", Path(folder) / "measured.json"
        nothing = Path(folder) / "bin"
        nothing.mkdir()
        told = {
            "ids": str(net.ids),
            "count": job.count,
            "database": str(database),
            "settings": {
                "email": "bench@uni.example",
                "budgets": str(budgets),
                "connections_per_host": job.connections,
                "quarantine": str(Path(folder) / "quarantine"),
                **dict(job.settings),
            },
        }
        environment = {**os.environ, **released.environment(code), **net.environment, "HOME": folder}
        if not job.browser:
            environment["PATH"] = str(nothing)
        used_before_s = _children_cpu_s()
        process = subprocess.Popen(
            [
                sys.executable,
                str(ROOT / "bench" / "whole_job_bench.py"),
                "--inside",
                str(out),
                json.dumps(told),
            ],
            env=environment,
            cwd=folder,
        )
        with Watch(process.pid, [net.pid]) as watch:
            status = process.wait()
        _reap_orphans(net.pid)
        if status or not out.exists():
            raise RuntimeError(f"the job failed (exit status {status})")
        measured = msgspec.json.decode(out.read_bytes(), type=Measured)
        measured.all_cpu_s = _children_cpu_s() - used_before_s - measured.began_cpu_s
        measured.pss_mb, measured.main_pss_mb = watch.pss_kib / 1024, watch.main_kib / 1024
        measured.processes = watch.processes
        measured.records = asyncio.run(_records_of(database))
        return measured


def _children_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _reap_orphans(but: int) -> None:
    """Those whose parents went before them count when they are waited for."""
    for pid in Watch(0, [but])._family():
        try:
            os.waitpid(pid, 0)
        except ChildProcessError:
            continue


def unlimited(folder: Path) -> Path:
    """Budgets without a rate for every family."""
    from pubweave.doors.fetcher.budgets import load_budgets

    file = folder / "budgets.yaml"
    lines = [
        f"{family}: {{requests: unlimited, daily_quota: unlimited, connections: unlimited}}"
        for family in load_budgets().families
    ]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def compiled(code: Path) -> None:
    """Give a tree the bytecode that an installed one has: each process of a job would compile it anew."""
    for sources in ("shared", "services"):
        compileall.compile_dir(code / sources, quiet=2)


def code_of(version: str) -> Path | None:
    """The tree of a release or of a commit."""
    if version == "none":
        return None
    if released.RELEASES.exists() and f"version: {version}" in released.RELEASES.read_text().replace('"', ""):
        return released.tree(version)
    found = subprocess.run(
        ["git", "rev-parse", "--verify", "--quiet", f"{version}^{{commit}}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if found.returncode:
        raise SystemExit(f"{version} is neither a release nor a commit of this clone.")
    return released.tree_of(found.stdout.strip())


def told(what: str, one: Measured) -> None:
    print(
        f"{what:34} {one.all_cpu_s:6.2f} s of CPU ({one.main_cpu_s:.2f} main), PSS {one.pss_mb:5.0f} MB in "
        f"{one.processes} ({one.main_pss_mb:.0f} main), first after {one.first_s:.2f} s, {one.wall_s:.1f} s "
        f"({one.queued_s:.1f} queued), records {one.records} {one.outcomes}",
        flush=True,
    )


def cpu_and_memory(net: Net, given: argparse.Namespace, reference: Path | None, budgets: Path) -> bool:
    """Today's code beside that of the release, in turns; with and without a browser."""
    holds = True
    browsers = [False]
    if not given.no_browser and shutil.which("chromium"):
        browsers.append(True)
    for browser in browsers:
        job = Job(given.count, browser=browser, settings=given.settings)
        kind = "with Chromium" if browser else "without a browser"
        mine: list[Measured] = []
        theirs: list[Measured] = []
        for _ in range(given.rounds):
            if reference is not None:
                theirs.append(run(job._replace(settings=()), net, reference, budgets))
                told(f"{given.against}, {kind}", theirs[-1])
            mine.append(run(job, net, ROOT, budgets))
            told(f"today, {kind}", mine[-1])
        if theirs:
            ratio = min(one.all_cpu_s for one in mine) / min(one.all_cpu_s for one in theirs)
            limit = CPU_LIMIT_BROWSER if browser else CPU_LIMIT
            holds = verdict(f"CPU of all processes / {given.against}, {kind}", ratio, limit) and holds
            if {one.records for one in mine} != {one.records for one in theirs}:
                print(f"  records differ from those of {given.against}")
        if not browser:
            everything = min(one.pss_mb for one in mine)
            main = min(one.main_pss_mb for one in mine)
            first_s = min(one.first_s for one in mine)
            holds = (
                verdict("PSS of all processes, without a browser", everything, PSS_LIMIT_MB, "MB") and holds
            )
            holds = verdict("PSS of the main process", main, MAIN_PSS_LIMIT_MB, "MB") and holds
            holds = verdict("first record at 0 ms", first_s, FIRST_LIMIT_S, "s") and holds
    return holds


def delays(net_size: int, given: argparse.Namespace, budgets: Path) -> bool:
    """First records and wall time where replies take a while."""
    from simnet.floor import floor
    from simnet.universe import Universe

    holds = True
    universe = Universe(SEED, net_size)
    for latency_ms in LATENCIES_MS[1:]:
        with simulated_internet(net_size, latency_ms) as net:
            for connections, wall_limit in WALL_LIMITS.items():
                if latency_ms != LATENCIES_MS[1] and connections != 1:
                    continue
                one = run(
                    Job(given.count, connections=connections, settings=given.settings), net, ROOT, budgets
                )
                kind = f"{latency_ms:g} ms, {connections} a host"
                told(kind, one)
                limit_s = FIRST_LIMIT_S + FIRST_LATENCIES * latency_ms / 1000
                holds = verdict(f"first record at {kind}", one.first_s, limit_s, "s") and holds
                if latency_ms == LATENCIES_MS[1]:
                    bound = floor(
                        universe,
                        universe.submissions(given.count),
                        latency_s=latency_ms / 1000,
                        connections_per_host=connections,
                    )
                    holds = (
                        verdict(f"wall / floor at {kind}", one.wall_s / bound.wall_s, wall_limit) and holds
                    )
    return holds


def long(given: argparse.Namespace, budgets: Path) -> bool:
    """Twenty times as many at the same cost each."""
    with simulated_internet(LONG, 0) as net:
        short = run(Job(1000, settings=given.settings), net, ROOT, budgets)
        told("1,000 identifiers", short)
        many = run(Job(LONG, settings=given.settings), net, ROOT, budgets)
        told("20,000 identifiers", many)
    ratio = many.all_cpu_s / LONG / (short.all_cpu_s / 1000)
    holds = verdict("CPU a publication, 20,000 / 1,000", ratio, LONG_LIMIT)
    return verdict("PSS, 20,000 / 1,000", many.pss_mb / short.pss_mb, LONG_LIMIT) and holds


def main() -> int:
    parser = argparse.ArgumentParser(
        description="What a job through pages and PDFs costs in all its processes."
    )
    parser.add_argument("--count", type=int, default=1000, help="identifiers (default 1,000)")
    parser.add_argument("--against", default="0.1.0", help="release or commit (default 0.1.0), or `none`")
    parser.add_argument("--rounds", type=int, default=1, help="jobs of each kind; the least counts")
    parser.add_argument("--no-browser", action="store_true")
    parser.add_argument("--quick", action="store_true", help="CPU and memory only")
    parser.add_argument("--long", action="store_true", help="20,000 identifiers as well")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a setting for today's code"
    )
    parser.add_argument("--inside", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.inside:
        inside(Path(given.inside[0]), given.inside[1])
        return 0
    given.settings = tuple(tuple(one.split("=", 1)) for one in given.set)
    sys.path.insert(0, str(ROOT / "tests"))
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
    reference = code_of(given.against)
    for code in (reference, ROOT):
        if code is not None:
            compiled(code)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        budgets = unlimited(Path(folder))
        with simulated_internet(given.count, 0) as net:
            holds = cpu_and_memory(net, given, reference, budgets)
        if not given.quick:
            holds = delays(given.count, given, budgets) and holds
        if given.long:
            holds = long(given, budgets) and holds
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
