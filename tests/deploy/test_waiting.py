"""Services wait for Kafka and Cassandra with clear words, and secrets come from files."""

import asyncio
import logging
from pathlib import Path

import pytest

from pubweave.adapters.cassandra import CassandraPlace
from pubweave.adapters.cassandra.session import Session
from pubweave.ports import StorageAway, StorageProblem
from pubweave.problems import UserError
from pubweave.runtimes.bus.waiting import LONGEST_PAUSE_S, awaited
from pubweave.runtimes.places import cassandra_place, kafka_place
from pubweave.settings import SettingsProblem, load


class Clock:
    """Time passes only where somebody sleeps."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.pauses: list[float] = []

    def now_ms(self) -> int:
        return int(self.now_s * 1000)

    def monotonic_s(self) -> float:
        return self.now_s

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now_s += seconds


class Door:
    """Answers after so many refusals, each with its reason."""

    def __init__(self, *reasons: str) -> None:
        self.reasons = list(reasons)

    async def attempt(self) -> str:
        if self.reasons:
            raise StorageAway(self.reasons.pop(0))
        return "there"


def waited(door: Door, patience_s: float) -> tuple[str, Clock, list[str]]:
    clock, said = Clock(), list[str]()
    found = asyncio.run(awaited("Kafka at k:9092", door.attempt, clock, said.append, patience_s))
    return found, clock, said


def test_who_answers_at_once_is_not_talked_about() -> None:
    found, clock, said = waited(Door(), 0)

    assert (found, clock.pauses, said) == ("there", [], [])


def test_one_line_for_each_change_of_state() -> None:
    """The same reason is told once however often it is met; another reason and the end are told."""
    _, clock, said = waited(Door("refused.", "refused.", "refused.", "no leader."), 300)

    assert said == [
        "waiting for Kafka at k:9092, up to 300 s: refused.",
        "waiting for Kafka at k:9092, up to 296 s: no leader.",
        "Kafka at k:9092 answers after 8 s",
    ]
    assert clock.pauses == [0.5, 1.0, 2.0, 4.0]


def test_pauses_grow_up_to_a_limit_and_end_with_the_patience() -> None:
    door, clock, said = Door(*["refused."] * 1000), Clock(), list[str]()
    with pytest.raises(StorageAway, match=r"refused\."):
        asyncio.run(awaited("Kafka", door.attempt, clock, said.append, 60))

    assert max(clock.pauses) == LONGEST_PAUSE_S
    assert clock.now_s == 60
    assert len(said) == 1


def test_without_patience_the_first_refusal_counts() -> None:
    with pytest.raises(StorageAway):
        waited(Door("refused."), 0)


def test_what_only_a_person_can_put_right_is_told_at_once() -> None:
    """Missing tables do not come by waiting."""

    async def attempt() -> None:
        raise StorageProblem("run `pubweave tables apply`")

    clock, said = Clock(), list[str]()
    with pytest.raises(StorageProblem, match="tables apply"):
        asyncio.run(awaited("Cassandra", attempt, clock, said.append, 300))

    assert (clock.pauses, said) == ([], [])


def test_what_libraries_say_of_each_attempt_is_left_out(caplog: pytest.LogCaptureFixture) -> None:
    """Only while waiting: afterwards they may speak."""

    class Loud(Door):
        async def attempt(self) -> str:
            logging.getLogger("aiokafka").error("Unable connect")
            return await super().attempt()

    waited(Loud("refused."), 10)
    logging.getLogger("aiokafka").error("later")

    assert [record.getMessage() for record in caplog.records] == ["later"]


def test_where_the_cluster_is_and_how_to_log_in_are_settings(tmp_path: Path) -> None:
    """From the environment, passwords from files; nothing shows them."""
    (tmp_path / "k").write_text("kafka secret\n")
    (tmp_path / "c").write_text("cassandra secret")
    settings, notices = load(
        {},
        {
            "PUBWEAVE_KAFKA": "a:1, b:2",
            "PUBWEAVE_PREFIX": "mine.",
            "PUBWEAVE_KAFKA_TLS": "true",
            "PUBWEAVE_KAFKA_USER": "weaver",
            "PUBWEAVE_KAFKA_PASSWORD_FILE": str(tmp_path / "k"),
            "PUBWEAVE_CASSANDRA": "c:9042",
            "PUBWEAVE_KEYSPACE": "other",
            "PUBWEAVE_CASSANDRA_DC": "north",
            "PUBWEAVE_CASSANDRA_USER": "weaver",
            "PUBWEAVE_CASSANDRA_PASSWORD_FILE": str(tmp_path / "c"),
        },
        tmp_path,
    )
    kafka, cassandra = kafka_place(settings), cassandra_place(settings, copies=3)
    client = kafka.client()

    assert notices == []
    assert client.pop("ssl_context").check_hostname
    assert client == {
        "bootstrap_servers": ["a:1", "b:2"],
        "security_protocol": "SASL_SSL",
        "sasl_mechanism": "SCRAM-SHA-512",
        "sasl_plain_username": "weaver",
        "sasl_plain_password": "kafka secret",
    }
    assert (kafka.prefix, cassandra.keyspace, cassandra.local_dc) == ("mine.", "other", "north")
    assert cassandra.replication == {"north": 3}
    assert cassandra.login.cluster()["auth_provider"].password == "cassandra secret"
    assert "secret" not in repr((kafka, cassandra))


def test_a_secret_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(SettingsProblem, match=r"PUBWEAVE_KAFKA_PASSWORD_FILE: .* cannot be read"):
        load({}, {"PUBWEAVE_KAFKA_PASSWORD_FILE": str(tmp_path / "none")}, tmp_path)


def test_what_cannot_be_a_way_to_log_in_is_refused(tmp_path: Path) -> None:
    settings, _ = load({}, {"PUBWEAVE_KAFKA_MECHANISM": "magic"}, tmp_path)
    with pytest.raises(UserError, match="PUBWEAVE_KAFKA_MECHANISM: kafka_mechanism must be one of PLAIN"):
        kafka_place(settings)


async def test_a_name_that_nobody_knows_yet_is_waited_for() -> None:
    """Containers get their names when they start."""
    with pytest.raises(StorageAway, match=r"No Cassandra answers at cassandra\.invalid:9042"):
        await Session.connect(CassandraPlace(("cassandra.invalid:9042",)))
