"""What the whole chain costs on the bus as compose runs it, one process a service, beside a release on the same list.

    python bench/bus_chain_bench.py [--lines 200] [--against 0.1.0|none] [--all] [--table]

Publications of the standard universe through all resources, pages and PDFs included, on a real Kafka and Cassandra, submitted
with each tree's own commands. The simulated internet and the servers count for nothing. For each tree, from the submission
until nothing is left to hear:

* messages a publication, by topic: how far the topics' ends have moved;
* requests to Cassandra a publication, by statement, counted where the driver takes them;
* milliseconds of CPU a publication: user and system time of all processes of services and what they started.

`--all` also measures `pubweave work all`, one process, and the embedded system on the same list. `--table` prints messages
by topic and requests by statement.
"""

import argparse
import asyncio
import os
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import msgspec
from aiokafka import AIOKafkaConsumer, TopicPartition

import released
from pubweave.adapters.cassandra import CassandraPlace
from stack.keyspaces import drop
from stack.leases import Lease
from support import ROOT, Job, Net, cpu_s, run_job, simulated_internet, verdict
from whole_job_bench import unlimited

MESSAGES_LIMIT = 18.0
REQUESTS_LIMIT = 12.0
CPU_LIMIT = 0.5
ALL_LIMIT = 1.5
PATIENCE_S = 900.0
LOOK_S = 0.3
QUIET_LOOKS = 5


class Measured(NamedTuple):
    """What a list cost, a publication."""

    messages: dict[str, float]
    requests: dict[str, float]
    cpu_ms: dict[str, float]
    wall_s: float

    def told(self, what: str) -> None:
        print(
            f"{what:34} {sum(self.messages.values()):6.1f} messages, {sum(self.requests.values()):6.1f} requests, "
            f"{sum(self.cpu_ms.values()):6.1f} ms of CPU a publication, {self.wall_s:.0f} s",
            flush=True,
        )

    def table(self) -> None:
        for what, found in (("messages", self.messages), ("requests", self.requests), ("ms", self.cpu_ms)):
            for name, number in sorted(found.items(), key=lambda one: -one[1]):
                if number >= 0.005:
                    print(f"    {number:7.2f} {what:9} {name}")


# The process of a service: the command line of whichever tree is on its path, with the driver's requests counted.


def inside(out: Path, arguments: Sequence[str]) -> None:
    from cassandra.cluster import Session

    counts: Counter[str] = Counter()
    texts: dict[bytes, str] = {}
    execute, prepare = Session.execute_async, Session.prepare

    def prepared(self: Any, query: str, *others: Any, **more: Any) -> Any:
        found = prepare(self, query, *others, **more)
        texts[found.query_id] = _short(query)
        return found

    def executed(self: Any, query: Any, *others: Any, **more: Any) -> Any:
        counts[_told(query)] += 1
        return execute(self, query, *others, **more)

    def _told(query: Any) -> str:
        if hasattr(query, "prepared_statement"):
            return _short(query.prepared_statement.query_string)
        if hasattr(query, "_statements_and_parameters"):
            names = Counter(texts.get(one[1], "?") for one in query._statements_and_parameters)
            return "batch of " + ", ".join(sorted(names))
        return "others"

    def dump(*_: object) -> None:
        out.write_bytes(msgspec.json.encode(counts))

    Session.execute_async, Session.prepare = executed, prepared
    signal.signal(signal.SIGUSR1, dump)
    from pubweave.cli.main import main

    sys.argv = ["pubweave", *arguments]
    main()


def _short(query: str) -> str:
    words = re.sub(r"\s+", " ", query).replace("(", " ").split()
    name = next((word for word in words if "." in word), "?").partition(".")[2]
    return f"{words[0]} {name}"


# The process that measures.


class Place(NamedTuple):
    kafka: str
    prefix: str
    cassandra: str
    keyspace: str

    def options(self, *which: str) -> list[str]:
        given = []
        if "kafka" in which:
            given += ["--kafka", self.kafka, "--prefix", self.prefix]
        if "cassandra" in which:
            given += ["--cassandra", self.cassandra, "--keyspace", self.keyspace]
        return given


def command(code: Path, *arguments: str, **more: Any) -> "subprocess.CompletedProcess[bytes]":
    program = "import sys; from pubweave.cli.main import main; sys.exit(main())"
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env={**os.environ, **released.environment(code)},
        check=True,
        stdout=subprocess.PIPE,
        **more,
    )


class Service(NamedTuple):
    name: str
    process: "subprocess.Popen[bytes]"
    port: int
    out: Path

    def get(self, path: str) -> str:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=20) as answer:
                return str(answer.read().decode())
        except OSError:
            return ""

    def lag(self) -> float:
        told = self.get("/metrics")
        lags = re.findall(r"^pubweave_lag\{[^}]*\} ([0-9.e+]+)", told, re.MULTILINE)
        return sum(map(float, lags)) if lags else 1.0

    def requests(self) -> Counter[str]:
        self.out.unlink(missing_ok=True)
        self.process.send_signal(signal.SIGUSR1)
        while not self.out.exists() or not self.out.stat().st_size:
            time.sleep(0.02)
        time.sleep(0.05)
        return Counter(msgspec.json.decode(self.out.read_bytes(), type=dict[str, int]))

    def cpu_s(self) -> float:
        """With what it has started."""
        children: dict[int, list[int]] = {}
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                told = stat.read_text("utf-8", "replace").rpartition(") ")[2].split()
            except OSError:
                continue
            children.setdefault(int(told[1]), []).append(int(stat.parent.name))
        found, left = 0.0, [self.process.pid]
        while left:
            pid = left.pop()
            left += children.get(pid, [])
            found += cpu_s(pid) + _ended_children_s(pid)
        return found


def _ended_children_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def services(
    code: Path, groups: Sequence[Sequence[str]], place: Place, environment: dict[str, str], folder: Path
) -> Iterator[list[Service]]:
    """One process for each group, all of them ready."""
    budgets = unlimited(folder)
    running = []
    try:
        for number, group in enumerate(groups):
            port, out = 20_000 + secrets.randbelow(40_000), folder / f"{number}.json"
            arguments = [
                *("work", *group, *place.options("kafka", "cassandra")),
                *("--health", f"127.0.0.1:{port}", "--email", "bench@uni.example", "--budgets", str(budgets)),
                *("--session-timeout", "60"),
            ]
            process = subprocess.Popen(
                [sys.executable, str(Path(__file__)), "--inside", str(out), *arguments],
                env={
                    **os.environ,
                    **released.environment(code),
                    **environment,
                    "HOME": str(folder),
                    "PATH": str(folder),
                    "PYTHONDONTWRITEBYTECODE": "1",
                },
                stderr=(folder / f"{number}.log").open("wb"),
                cwd=folder,
            )
            running.append(Service(group[0], process, port, out))
        until_s = time.monotonic() + PATIENCE_S
        while any(one.get("/readyz") != "ready" for one in running):
            if time.monotonic() > until_s or any(one.process.poll() is not None for one in running):
                logs = [(folder / f"{n}.log").read_text()[-400:] for n in range(len(running))]
                raise SystemExit("\n".join(["services do not start:", *logs]))
            time.sleep(0.5)
        yield running
    finally:
        for one in running:
            one.process.terminate()
        for one in running:
            try:
                one.process.wait(30)
            except subprocess.TimeoutExpired:
                one.process.kill()
                one.process.wait()


async def ends(place: Place) -> dict[str, int]:
    """By topic how many messages were said."""
    consumer: Any = AIOKafkaConsumer(bootstrap_servers=place.kafka, enable_auto_commit=False)
    await consumer.start()
    try:
        names = [one for one in await consumer.topics() if one.startswith(place.prefix)]
        places = []
        for name in names:
            await consumer._client.add_topic(name)
            places += [TopicPartition(name, number) for number in consumer.partitions_for_topic(name) or ()]
        found: Counter[str] = Counter()
        for one, end in (await consumer.end_offsets(places)).items():
            found[one.topic.removeprefix(place.prefix)] += end
        return dict(found)
    finally:
        await consumer.stop()


def known_services(code: Path) -> list[str]:
    program = "from pubweave.runtimes.bus.system import ALL; print(*ALL)"
    told = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **released.environment(code)},
        check=True,
        stdout=subprocess.PIPE,
    )
    return told.stdout.decode().split()


def run(
    code: Path, groups: Sequence[Sequence[str]], net: Net, count: int, kafka: str, cassandra: str
) -> Measured:
    """One job of one tree, on topics and in a keyspace of its own."""
    mark = secrets.token_hex(3)
    place = Place(kafka, f"b{mark}.", cassandra, f"bench_{mark}")
    with ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        opened.callback(lambda: asyncio.run(drop(CassandraPlace.at(cassandra, keyspace=place.keyspace))))
        command(code, "topics", "apply", *place.options("kafka"))
        command(code, "tables", "apply", *place.options("cassandra"))
        ids = folder / "ids.txt"
        ids.write_text("".join(net.ids.read_text("utf-8").splitlines(keepends=True)[:count]), "utf-8")
        running = opened.enter_context(services(code, groups, place, net.environment, folder))
        said = asyncio.run(ends(place))
        requests = sum((one.requests() for one in running), Counter[str]())
        began = {one: one.cpu_s() for one in running}
        began_s = time.monotonic()
        command(
            code,
            *("submit", "--ids", str(ids), "--lane", "bulk", "--wait", *place.options("kafka")),
            timeout=PATIENCE_S,
        )
        wall_s = time.monotonic() - began_s
        quiet, until_s = 0, time.monotonic() + 120
        while quiet < QUIET_LOOKS and time.monotonic() < until_s:
            quiet = 0 if any(one.lag() for one in running) else quiet + 1
            time.sleep(LOOK_S)
        used = {one.name: 1000 * (one.cpu_s() - began[one]) / count for one in running}
        after = sum((one.requests() for one in running), Counter[str]())
        return Measured(
            {name: (end - said.get(name, 0)) / count for name, end in asyncio.run(ends(place)).items()},
            {name: (number - requests[name]) / count for name, number in after.items()},
            used,
            wall_s,
        )


def measured(given: argparse.Namespace, kafka: str, cassandra: str) -> bool:
    holds = True
    with simulated_internet(given.lines, 0) as net:
        mine = run(ROOT, [[one] for one in known_services(ROOT)], net, given.lines, kafka, cassandra)
        mine.told("today, a process a service")
        if given.table:
            mine.table()
        holds &= verdict("messages a publication", sum(mine.messages.values()), MESSAGES_LIMIT, "")
        holds &= verdict(
            "requests to Cassandra a publication", sum(mine.requests.values()), REQUESTS_LIMIT, ""
        )
        if given.against != "none":
            code = released.tree(given.against)
            theirs = run(code, [[one] for one in known_services(code)], net, given.lines, kafka, cassandra)
            theirs.told(f"{given.against}, a process a service")
            if given.table:
                theirs.table()
            ratio = sum(mine.cpu_ms.values()) / sum(theirs.cpu_ms.values())
            holds &= verdict(f"CPU of services / {given.against}", ratio, CPU_LIMIT)
        if given.all:
            together = run(ROOT, [["all"]], net, given.lines, kafka, cassandra)
            together.told("today, `work all`")
            embedded = run_job(Job(net.ids, given.lines, whole_chain=True), net.environment)
            told_ms = 1000 * embedded.cpu_s / given.lines
            print(f"{'embedded':34} {told_ms:.1f} ms of CPU a publication, {embedded.wall_s:.0f} s")
            holds &= verdict(
                "CPU of `work all` / embedded", sum(together.cpu_ms.values()) / told_ms, ALL_LIMIT
            )
    return holds


def main() -> int:
    if sys.argv[1:2] == ["--inside"]:
        inside(Path(sys.argv[2]), sys.argv[3:])
        return 0
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lines", type=int, default=200)
    parser.add_argument("--against", default="0.1.0", help="a release, or `none`")
    parser.add_argument("--all", action="store_true", help="`work all` and the embedded system as well")
    parser.add_argument("--table", action="store_true", help="messages by topic, requests by statement")
    given = parser.parse_args()
    kafka, cassandra = Lease("kafka"), Lease("cassandra")
    try:
        return 0 if measured(given, kafka.take(), cassandra.take()) else 1
    finally:
        kafka.release()
        cassandra.release()


if __name__ == "__main__":
    sys.exit(main())
