"""CPU of the embedded system per publication against the bare parse of the very same bytes, in one run.

    python bench/pipeline_cpu_bench.py [--quick] [--profile]

2,000 identifiers of the standard universe (500 with `--quick`), replies without latency, one connection per host,
SQLite file on disk. The embedded system has a process of its own; counted is all of its user and system time from the
first submission to the last outcome: sockets, TLS, parsing, reading, merging, storing. The bare parse is what
orjson (JSON), lxml (XML) and selectolax (HTML) take for the bodies that such a job received, recorded in a pass of
its own; it is measured before and after each job, so that both meet the same machine.

Limits: 10 times the bare parse where no articles are kept for structured documents, 10.5 times with them, as it is usually run. `--profile`
(always in the full run) prints where the time goes, by sampling a further job. What each stage may cost stands in
docs/performance.md.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from statistics import median

import orjson
from lxml import etree
from selectolax.lexbor import LexborHTMLParser
from warcio.archiveiterator import ArchiveIterator

from support import Job, Measured, run_job, samples_of, simulated_internet, verdict

LIMIT = 10.0
LIMIT_STRUCTURED = 10.5
ROUNDS = 3

STAGES: dict[str, tuple[str, ...]] = {
    "storing": ("/adapters/sqlite/", "/contract/codec.py", "/contract/routing.py"),
    "reading": (
        "/core/reading/",
        "/pubweave/resources/",
        "/core/toolkit/answering.py",
        "/core/toolkit/batching.py",
    ),
    "fetching": ("/doors/fetcher/", "/asyncio/selector_events.py", "/asyncio/sslproto.py"),
    "merging": ("/core/", "/pubweave/merger/", "/embedded/delivery.py", "/runtimes/messages/"),
    "running": ("/runtimes/embedded/", "/asyncio/"),
}
"""Stage → parts of the paths of its files, the first that fits. A sample belongs to the innermost frame that has a
stage, so the standard library counts where it was called from."""


def bodies(folder: Path) -> list[tuple[str, bytes]]:
    """(kind, body) of every reply with status 200 in the recordings."""
    found = []
    for file in sorted(folder.glob("*.warc.gz")):
        with file.open("rb") as stream:
            for record in ArchiveIterator(stream):
                if record.rec_type != "response" or record.http_headers.get_statuscode() != "200":
                    continue
                type_ = record.http_headers.get_header("Content-Type", "")
                kind = "json" if "json" in type_ else "html" if "html" in type_ else "xml"
                found.append((kind, record.content_stream().read()))
    return found


class Seconds(dict[str, float]):
    """CPU seconds by kind."""

    def total(self) -> float:
        return sum(self.values())


def bare_parse_s(replies: list[tuple[str, bytes]]) -> Seconds:
    """What the bare parse of these takes."""
    took = Seconds(json=0.0, xml=0.0, html=0.0)
    for kind, body in replies:
        began = time.process_time()
        if kind == "json":
            orjson.loads(body)
        elif kind == "html":
            LexborHTMLParser(body)
        else:
            etree.fromstring(body)
        took[kind] += time.process_time() - began
    return took


def stage_of(stack: tuple[str, ...]) -> str:
    for frame in stack:
        for stage, marks in STAGES.items():
            if any(mark in frame for mark in marks):
                return stage
    return "rest"


def print_stages(samples: list[tuple[tuple[str, ...], int]], cpu_ms: float) -> None:
    by_stage: Counter[str] = Counter()
    for stack, number in samples:
        by_stage[stage_of(stack)] += number
    whole = by_stage.total()
    print(f"\nwhere the time goes ({whole} samples of a further job):")
    for stage, number in by_stage.most_common():
        print(f"  {stage:10} {number / whole:6.1%}  {cpu_ms * number / whole:6.2f} ms per publication")


def print_range(what: str, seconds: list[float], count: int) -> None:
    ms = [1000 * one / count for one in seconds]
    print(f"{what:30} {median(ms):6.3f} ms per publication ({min(ms):.3f}–{max(ms):.3f})")


def main() -> int:
    parser = argparse.ArgumentParser(description="CPU of the embedded system against the bare parse.")
    parser.add_argument("--quick", action="store_true", help="500 identifiers, no profile")
    parser.add_argument("--profile", action="store_true", help="also where the time goes")
    given = parser.parse_args()
    count = 500 if given.quick else 2000
    jobs: dict[bool, list[Measured]] = {False: [], True: []}
    ratios: dict[bool, list[float]] = {False: [], True: []}
    parses: list[float] = []
    samples: list[tuple[tuple[str, ...], int]] = []
    with simulated_internet(count, 0) as net, tempfile.TemporaryDirectory(prefix="bench-") as folder:
        recorded = run_job(Job(net.ids, count, record_to=Path(folder)), net.environment)
        replies = bodies(Path(folder))
        kinds = bare_parse_s(replies)
        before = kinds.total()
        for _ in range(ROUNDS):
            for structured in (False, True):
                job = run_job(Job(net.ids, count, structured=structured), net.environment)
                after = bare_parse_s(replies).total()
                jobs[structured].append(job)
                ratios[structured].append(job.cpu_s / ((before + after) / 2))
                parses.append(after)
                before = after
        if given.profile or not given.quick:
            profile = Path(folder) / "job.prof"
            run_job(Job(net.ids, count, profile_to=profile), net.environment)
            samples = samples_of(profile)
    job = jobs[True][-1]
    parsed_bytes = sum(len(body) for _, body in replies)
    print(
        f"{job.identifiers} identifiers, {job.publications} publications, {job.needs} needs: {job.outcomes}"
    )
    print(
        f"{job.requests} requests, {job.connections} connections, {job.received_bytes / 1e6:.1f} MB received "
        f"({recorded.received_bytes / 1e6:.1f} MB in the recorded job, {parsed_bytes / 1e6:.1f} MB of them parsed)"
    )
    print(
        "one bare parse: " + ", ".join(f"{kind} {1000 * took / count:.3f} ms" for kind, took in kinds.items())
    )
    print_range("bare parse", parses, count)
    print_range("without articles kept", [one.cpu_s for one in jobs[False]], count)
    print_range("with articles kept", [one.cpu_s for one in jobs[True]], count)
    holds = verdict("CPU / bare parse, without articles kept", median(ratios[False]), LIMIT)
    holds = verdict("CPU / bare parse, with them", median(ratios[True]), LIMIT_STRUCTURED) and holds
    if given.profile or not given.quick:
        print_stages(samples, 1000 * median(one.cpu_s for one in jobs[True]) / count)
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
