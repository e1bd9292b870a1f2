"""Cassandra is lost with everything in it: the log gives back all but long contents, and these are fetched anew."""

import asyncio
import json
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from flow.tables import lines_of
from pubweave.adapters.cassandra import CassandraPlace, CassandraStorage
from pubweave.adapters.kafka.admin import apply
from pubweave.adapters.kafka.place import KafkaPlace
from simnet.fixture import running
from simnet.universe import Universe
from stack.fixtures import cassandra, kafka, needs_stack
from stack.keyspaces import drop
from stack_flow.alone import alone

__all__ = ["alone", "cassandra", "kafka"]

pytestmark = [needs_stack, pytest.mark.usefixtures("alone"), pytest.mark.network, pytest.mark.timeout(600)]

SIZE = 25


class Operator:
    """Types commands against one Kafka and one keyspace."""

    def __init__(self, kafka: str, cassandra: str, folder: Path, environment: dict[str, str]) -> None:
        self.brokers = KafkaPlace.at(kafka, prefix=f"l{secrets.token_hex(4)}.")
        self.place = CassandraPlace.at(cassandra, keyspace=f"lost_{secrets.token_hex(4)}", patience_s=20.0)
        self._on = ["--kafka", kafka, "--prefix", self.brokers.prefix]
        self._stored = ["--cassandra", cassandra, "--keyspace", self.place.keyspace]
        self._folder = folder
        self._environment = {**os.environ, **environment, "HOME": str(folder)}

    def _argv(self, *words: str) -> list[str]:
        where = {
            "submit": self._on,
            "topics": self._on,
            "tables": self._stored,
            "export": self._stored,
        }.get(words[0], [*self._on, *self._stored])
        return [sys.executable, "-m", "pubweave.cli.main", *words, *where]

    def begins(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self._argv(*words),
            env=self._environment,
            cwd=self._folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def types(self, *words: str, status: int = 0) -> subprocess.CompletedProcess[str]:
        with self.begins(*words) as ran:
            out, err = ran.communicate(timeout=120)
        assert ran.returncode == status, err
        assert "Traceback" not in err
        return subprocess.CompletedProcess(words, ran.returncode, out, err)

    @contextmanager
    def working(self) -> Iterator[None]:
        work = self.begins("work", "all")
        try:
            yield
        finally:
            work.send_signal(signal.SIGTERM)
            _, said = work.communicate()
        assert work.returncode == 0, said

    def exported(self, *words: str, status: int = 0) -> tuple[dict[str, Any], str]:
        """Records by PMID, PMCID and DOI, without times; and what was said."""
        ran = self.types("export", "--cluster", "--format", "jsonl", *words, status=status)
        found = [without_times(json.loads(line)) for line in ran.stdout.splitlines()]
        records = {
            str([one[kind]["content"] for kind in ("pmid", "pmcid", "doi")]): one
            for one in found
            if "pmid" in one
        }
        assert records
        return records, ran.stderr


def without_times(found: Any) -> Any:
    """Nor versions, reasons and counters."""
    if isinstance(found, dict):
        return {
            name: without_times(value)
            for name, value in found.items()
            if not any(word in name.lower() for word in ("time", "version", "reason", "updated", "retry"))
        }
    return [without_times(one) for one in found] if isinstance(found, list) else found


def without_sources(records: dict[str, Any]) -> dict[str, Any]:
    """Where full texts were found: asked for again, another source may have been the first that has the same."""
    return {
        name: {
            **{member: value for member, value in record.items() if member not in ("visitedSites",)},
            "fulltext": record["fulltext"]["content"],
        }
        for name, record in records.items()
    }


async def noted(place: CassandraPlace, prefix: str) -> str:
    storage = await CassandraStorage.open(place)
    try:
        return await storage.store.meta(f"rebuilding {prefix}")
    finally:
        await storage.close()


def test_what_was_lost_comes_back(kafka: str, cassandra: str, tmp_path: Path) -> None:
    """Keyspace dropped; `rebuild` killed in the middle and typed again; `export` names what is gone; `submit` of the same
    lines fetches it; `export` gives what it gave before the loss."""
    universe = Universe(seed=6, size=SIZE)
    ids = tmp_path / "ids.txt"
    ids.write_text(
        "".join(
            f"{one.identifiers.pmid}\t{one.identifiers.pmcid}\t{one.identifiers.doi}\n"
            for one in lines_of(universe, SIZE)
        )
    )
    with running(universe) as net:
        types = Operator(kafka, cassandra, tmp_path, net.environment)
        try:
            asyncio.run(apply(types.brokers))
            types.types("tables", "apply")
            with types.working():
                types.types("submit", "--ids", str(ids), "--wait")
            before, _ = types.exported()
            asyncio.run(drop(types.place))
            types.types("tables", "apply")
            killed = types.begins("rebuild", "--everything")
            until = time.monotonic() + 60
            while not asyncio.run(noted(types.place, types.brokers.prefix)) and time.monotonic() < until:
                assert killed.poll() is None, "it ended before it was killed"
            killed.kill()
            killed.communicate()
            rebuilt = types.types("rebuild", "--everything")
            left = asyncio.run(noted(types.place, types.brokers.prefix))
            after, said = types.exported(status=1)
            types.exported("--gone-to", "gone.txt", status=1)
            listed_ids = (tmp_path / "gone.txt").read_text().splitlines()
            asked = len(net.log.entries)
            with types.working():
                types.types("submit", "--ids", "gone.txt", "--wait")
                anew = len(net.log.entries) - asked
                types.types("submit", "--ids", str(ids), "--wait")
            again, _ = types.exported()
        finally:
            asyncio.run(drop(types.place))
    assert killed.returncode == -signal.SIGKILL
    assert "gone on with" in rebuilt.stderr
    assert left == "", "the next one begins at the beginning"
    assert after.keys() == before.keys() == again.keys()
    gone = {name for name in before if after[name] != before[name]}
    assert len(gone) == said.count("the content of the full text is gone") == len(listed_ids) > SIZE / 4
    for name in gone:
        left_of = {**before[name]["fulltext"], "content": ""}
        assert after[name] == {**before[name], "fulltext": left_of}
    assert 0 < anew < asked
    assert without_sources(again) == without_sources(before)
