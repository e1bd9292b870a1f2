"""What the benches of the whole pipeline share: one job of the embedded system in a process of its own.

The simulated internet runs in another process. What the job's process measures of itself begins with the first
submission: interpreter start and imports are not in it, opening the database and the fetcher is not either.

Also a program, which is that process: `python bench/support.py OUT.json --ids FILE --count N …`.
"""

import argparse
import asyncio
import logging
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NamedTuple

import msgspec

import released

ROOT = Path(__file__).resolve().parents[1]
SEED = 1


class Measured(msgspec.Struct):
    """What one job cost."""

    identifiers: int
    """Lines that were submitted, each a publication of the universe."""
    outcomes: dict[str, int]
    publications: int
    """Records in the database."""
    wall_s: float
    cpu_s: float
    """User and system time of all processes: the main one with its threads, and those that read."""
    queued_s: float
    """How long its main thread could have run, but others had the processors."""
    requests: int
    connections: int
    received_bytes: int
    started_kib: int
    """VmHWM when the first line was submitted."""
    peak_kib: int
    """VmHWM at the end."""
    needs: int
    main_cpu_s: float = 0.0
    """Of the main process alone."""
    readers_pss_kib: tuple[int, ...] = ()
    """Proportional memory of each process that reads replies, at the end."""


class Job(NamedTuple):
    """How a job is run."""

    ids: Path
    """Three tab-separated columns: PMID, PMCID, DOI."""
    count: int
    connections_per_host: int = 1
    record_to: Path | None = None
    profile_to: Path | None = None
    in_flight: int = 1000
    whole_chain: bool = False
    """Every resource is asked (without a browser), and what failed is not tried again at the end; otherwise those with
    an API, as usual."""
    structured: bool = True
    """Whether articles are kept for structured documents, as they are unless that is switched off."""
    readers: int | None = None
    """How many processes read long replies; 0: they are read in the main one; None: as usual."""


def run_job(job: Job, environment: dict[str, str], code: Path = ROOT) -> Measured:
    """Run a job in a process of its own, on a new SQLite file on disk, and give what it measured.

    :param code: the checkout to run, for example that of a release (`released.tree`)
    :raises RuntimeError: it failed
    """
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        out = Path(folder) / "measured.json"
        command = [
            sys.executable,
            str(code / "bench" / "support.py"),
            str(out),
            *("--ids", str(job.ids)),
            *("--count", str(job.count)),
            *("--database", str(Path(folder) / "bench.db")),
            *("--connections-per-host", str(job.connections_per_host)),
            *("--in-flight", str(job.in_flight)),
        ]
        if job.record_to is not None:
            command += ["--record-to", str(job.record_to)]
        if job.whole_chain:
            command.append("--whole-chain")
        if not job.structured:
            command.append("--no-structured")
        if job.readers is not None:
            command += ["--readers", str(job.readers)]
        if job.profile_to is not None:
            command += ["--profile-to", str(job.profile_to)]
        ended = subprocess.run(
            command, env={**os.environ, **released.environment(code), **environment}, check=False
        )
        if ended.returncode or not out.exists():
            raise RuntimeError(f"the job failed (exit status {ended.returncode})")
        return msgspec.json.decode(out.read_bytes(), type=Measured)


@contextmanager
def simulated_internet(size: int, latency_ms: float) -> Iterator["Net"]:
    """The standard universe behind replies of this latency, in a process of its own."""
    sys.path.insert(0, str(ROOT / "tests"))
    from simnet.fixture import process

    with process("--seed", str(SEED), "--size", str(size), "--latency-ms", str(latency_ms)) as net:
        yield Net(net.environment, net.ids_file, net.pid)


class Net(NamedTuple):
    """What a job needs of it."""

    environment: dict[str, str]
    ids: Path
    pid: int


def verdict(what: str, value: float, limit: float, unit: str = "×") -> bool:
    """Print a figure beside its limit; True if it holds."""
    holds = value <= limit
    print(f"{what:62} {value:8.2f} {unit:2} limit ≤ {limit:g} {'ok' if holds else 'FAILED'}", flush=True)
    return holds


def cpu_s(pid: int) -> float:
    """User and system seconds of another process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Sampler:
    """Notes the stack at every so many milliseconds of CPU time, wherever it is spent.

    cProfile would make a call of Python several times as dear as it is, and C nothing.
    """

    def __init__(self, interval_s: float = 0.001) -> None:
        self.interval_s = interval_s
        self.stacks: Counter[tuple[str, ...]] = Counter()

    def __enter__(self) -> "Sampler":
        signal.signal(signal.SIGPROF, self._sample)
        signal.setitimer(signal.ITIMER_PROF, self.interval_s, self.interval_s)
        return self

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)

    def _sample(self, _: int, frame: FrameType | None) -> None:
        stack = []
        while frame is not None:
            code = frame.f_code
            stack.append(f"{code.co_filename}:{code.co_qualname}")
            frame = frame.f_back
        self.stacks[tuple(stack)] += 1

    def write(self, file: Path) -> None:
        file.write_bytes(msgspec.json.encode(list(self.stacks.items())))


def samples_of(file: Path) -> list[tuple[tuple[str, ...], int]]:
    """(stack, innermost first, how often it was met) as a `Sampler` wrote it."""
    return msgspec.json.decode(file.read_bytes(), type=list[tuple[tuple[str, ...], int]])


# The process of the job.


def queued_s(pid: int | str = "self") -> float:
    """How long the main thread of a process has waited for a processor."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9


def _own_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _children() -> list[int]:
    """The processes that this one has started and that are there."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(stat.read_text().rsplit(")", 1)[1].split()[1]) == os.getpid():
                found.append(int(stat.parent.name))
        except OSError:  # it has just ended
            continue
    return found


def _all_cpu_s() -> float:
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return _own_cpu_s() + ended.ru_utime + ended.ru_stime + sum(map(cpu_s, _children()))


def _pss_kib(pid: int) -> int:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1])
    raise RuntimeError("no Pss: this is not Linux")


def _peak_kib() -> int:
    """VmHWM: `ru_maxrss` would hold that of the parent, from which this process was forked."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1])
    raise RuntimeError("no VmHWM: this is not Linux")


async def _run(given: argparse.Namespace) -> Measured:
    from pubweave.adapters.rule_files import load_rule_book
    from pubweave.contract.values import Identifiers
    from pubweave.core.toolkit.service import Context
    from pubweave.doors.fetcher.door import FetcherDoor
    from pubweave.doors.fetcher.settings import FetcherSettings
    from pubweave.doors.renderer import RendererSettings
    from pubweave.registry import API_RESOURCES
    from pubweave.runtimes.doors import Doors
    from pubweave.runtimes.embedded.jobs import JobSettings, Line
    from pubweave.runtimes.embedded.opening import SystemConfig, open_system
    from pubweave.runtimes.readers.pool import Readers
    from pubweave.runtimes.readers.settings import ReadersSettings

    def lines() -> Iterator[Line]:
        with open(given.ids, encoding="utf-8") as file:
            for number, text in enumerate(file, start=1):
                if number > given.count:
                    return
                pmid, pmcid, doi = text.rstrip("\n").split("\t")
                yield Line(number, Identifiers(pmid=pmid, pmcid=pmcid, doi=doi.upper()))

    usual = ReadersSettings()
    config = SystemConfig(
        readers=usual
        if given.readers is None
        else ReadersSettings(workers=given.readers)
        if given.readers
        else ReadersSettings(dear_bytes=1 << 40, long_bytes=1 << 40),
        database=Path(given.database),
        fetcher=FetcherSettings(
            no_budgets=True,
            first_window="skip",
            connections_per_host=given.connections_per_host,
            record_to=Path(given.record_to) if given.record_to else None,
        ),
        in_flight=given.in_flight,
        context=Context(
            structured_documents=not given.no_structured,
            unpaywall_email="bench@uni.example",
            rules=load_rule_book() if given.whole_chain else None,
        ),
        resources=None if given.whole_chain else API_RESOURCES,
        second_chance=not given.whole_chain,
        renderer=RendererSettings(executable=Path("there-is-no-browser-here")),
    )
    outcomes: Counter[str] = Counter()
    async with open_system(config) as system:
        assert isinstance(system.door, Doors)
        door = system.door._fetcher
        assert isinstance(door, FetcherDoor)
        started_kib = _peak_kib()
        began_s, began_cpu_s, began_queued_s = time.monotonic(), _all_cpu_s(), queued_s()
        began_main_s = _own_cpu_s()
        # The job of a batch run: everything in one lane.
        async for one in system.run_job(lines(), JobSettings(lane="bulk")):
            outcomes[one.settled.outcome] += 1
        wall_s, cpu_s_ = time.monotonic() - began_s, _all_cpu_s() - began_cpu_s
        main_cpu_s = _own_cpu_s() - began_main_s
        readers = system.steps.pids() if isinstance(system.steps, Readers) else ()
        queued_s_ = queued_s() - began_queued_s
        needs = await system.storage.store.needs()
        return Measured(
            identifiers=sum(outcomes.values()),
            outcomes=dict(outcomes),
            publications=await system.storage.store.count(),
            wall_s=wall_s,
            cpu_s=cpu_s_,
            queued_s=queued_s_,
            requests=door.counts.requests,
            connections=door.counts.connections,
            received_bytes=door.counts.bytes,
            started_kib=started_kib,
            peak_kib=_peak_kib(),
            main_cpu_s=main_cpu_s,
            readers_pss_kib=tuple(map(_pss_kib, readers)),
            needs=sum(number for (_, outcome), number in needs.items() if not outcome),
        )


def main() -> None:
    parser = argparse.ArgumentParser(description="One job of the embedded system, measured.")
    parser.add_argument("out", type=Path)
    parser.add_argument("--ids", type=Path, required=True)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--database", type=Path, required=True)
    parser.add_argument("--connections-per-host", type=int, default=1)
    parser.add_argument("--in-flight", type=int, default=1000)
    parser.add_argument("--whole-chain", action="store_true")
    parser.add_argument("--no-structured", action="store_true")
    parser.add_argument("--readers", type=int)
    parser.add_argument("--record-to", type=Path)
    parser.add_argument("--profile-to", type=Path)
    given = parser.parse_args()
    # Replies of 404 are many and each is a line; a run that is measured writes none of them.
    logging.disable()
    import structlog

    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    # as the command line does
    from pubweave.runtimes.collecting import collect_less_often

    collect_less_often()
    if given.profile_to is None:
        measured = asyncio.run(_run(given))
    else:
        with Sampler() as sampler:
            measured = asyncio.run(_run(given))
        sampler.write(given.profile_to)
    given.out.write_bytes(msgspec.json.encode(measured))


if __name__ == "__main__":
    main()
