"""The topics of a cluster become those of the catalogue, and a service says which one it lacks."""

import asyncio
import itertools

import msgspec
import pytest
from aiokafka.admin import AIOKafkaAdminClient
from click.testing import CliRunner

from pubweave.adapters.kafka import KafkaPlace
from pubweave.adapters.kafka.admin import apply, needed, ready
from pubweave.adapters.kafka.place import partition_of
from pubweave.adapters.kafka.topics import FoundTopic, Wanted, configs, not_ready, plan, wanted
from pubweave.cli.commands.topics.command import topics as command
from pubweave.contract.catalogue import topic_of, topics
from pubweave.ports import StorageProblem
from stack.fixtures import kafka
from stack.processes import me

__all__ = ["kafka"]

numbers = itertools.count()

DELETE = {"cleanup.policy": "delete", "retention.ms": "1000"}
TOPIC = Wanted("a", 12, DELETE)


def found(**changes: object) -> FoundTopic:
    there = FoundTopic(12, 1, {**DELETE, "segment.ms": "7"}, own=("retention.ms",))
    return msgspec.structs.replace(there, **changes)


# What is to be done: pure.


def test_nothing_is_done_where_all_is_well() -> None:
    """Other topics and other settings on the cluster are nobody's business."""
    todo = plan([TOPIC], {"a": found(), "b": found(partitions=1)})

    assert todo.is_empty()
    assert todo.sentences() == []


def test_a_missing_topic_is_created() -> None:
    """As the catalogue wants it."""
    todo = plan([TOPIC], {})

    assert todo.create == (TOPIC,)
    assert todo.sentences() == ["a: missing"]


def test_what_differs_is_changed_and_what_the_operator_set_stays() -> None:
    """A broker forgets every setting of a topic that is not told again (AlterConfigs)."""
    there = found(
        configs={**DELETE, "retention.ms": "5", "segment.ms": "9"}, own=("retention.ms", "segment.ms")
    )
    (change,) = plan([TOPIC], {"a": there}).change

    assert change.configs == {**DELETE, "segment.ms": "9"}
    assert change.told == ("retention.ms 5 -> 1000",)


def test_partitions_are_never_changed() -> None:
    """A person is told what to do; nothing is planned."""
    todo = plan([TOPIC], {"a": found(partitions=6)})

    assert (todo.create, todo.change) == ((), ())
    assert "has 6 partitions, not 12" in todo.problems[0]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("part-candidates", {"cleanup.policy": "compact", "retention.ms": "-1"}),
        ("needs-part.pmc", {"cleanup.policy": "delete", "retention.ms": str(7 * 86_400_000)}),
        ("publications", {"cleanup.policy": "compact", "max.message.bytes": str(1024 * 1024 + 65536)}),
        ("new-ids", {"max.message.bytes": str(64 * 1024 + 65536)}),
    ],
)
def test_the_catalogue_says_how_a_topic_is_kept(name: str, expected: dict[str, str]) -> None:
    """In Kafka's own words and units."""
    assert {key: configs(topic_of(name))[key] for key in expected} == expected


def test_every_topic_of_the_catalogue_is_wanted_once() -> None:
    """Under its full name, with the prefix of the installation; compacted ones keep their tombstones long."""
    names = [topic.name for topic in wanted(prefix="x.")]

    assert names == [f"x.{name}" for topic in topics() for name in topic.names()]
    assert len(names) == len(set(names))
    assert "x.reply-wanted.fetcher" in names
    for topic in wanted():
        assert ("compact" in topic.configs["cleanup.policy"]) == ("delete.retention.ms" in topic.configs)


def test_a_service_that_lacks_topics_says_which_and_what_to_run() -> None:
    """Three by name, the others counted; a configuration that differs is no reason not to start."""
    lacking = plan([Wanted(name, 1, {}) for name in "abcde"], {"b": found(partitions=1)})

    assert not_ready(lacking, "k:1") == (
        "The topics are missing on the Kafka at k:1: a, c, d and 1 more; run `pubweave topics apply --kafka k:1`."
    )
    assert not_ready(plan([TOPIC], {}), "k:1", "lab.").endswith("--kafka k:1 --prefix lab.`.")
    assert not_ready(plan([TOPIC], {}), "k:1").startswith("The topic is missing on the Kafka at k:1: a; run")
    assert not_ready(plan([TOPIC], {"a": found(configs={})}), "k:1") == ""
    assert "has 6 partitions" in not_ready(plan([TOPIC], {"a": found(partitions=6)}), "k:1")


def test_keys_keep_their_partitions() -> None:
    """As Kafka's Java client has it for the same bytes, whoever computes it: these numbers never change."""
    assert [partition_of(key, 24) for key in ("", "a", "21", "foobar", "κλειδί")] == [9, 4, 12, 6, 7]


# On a real broker.


@pytest.fixture
def place(kafka: str) -> KafkaPlace:
    """Names that no other test has."""
    return KafkaPlace.at(kafka, prefix=f"topics-{me().pid}-{next(numbers)}.")


@pytest.mark.stack
async def test_a_cluster_gets_what_it_lacks_and_no_more(place: KafkaPlace) -> None:
    """Created, then nothing to be done; what somebody changed is put back, what he added stays."""
    small = [
        Wanted(place.prefix + "a", 3, configs(topic_of("part-candidates"))),
        Wanted(place.prefix + "b", 2, configs(topic_of("delayed"))),
    ]
    with pytest.raises(StorageProblem, match=rf"topics are missing .*{place.prefix}a, {place.prefix}b; run"):
        await ready(place, small)

    assert len((await apply(place, small)).create) == 2
    assert (await needed(place, small)).is_empty()
    await ready(place, small)

    other = [
        msgspec.structs.replace(small[0], configs={"retention.ms": "5", "segment.ms": "100000"}),
        small[1],
    ]
    await apply(place, other)
    changed = await apply(place, small)

    assert changed.change[0].told == ("retention.ms 5 -> -1",)
    assert changed.change[0].configs["segment.ms"] == "100000"
    assert (await needed(place, small)).is_empty()

    wider = [msgspec.structs.replace(small[0], partitions=4)]

    assert "has 3 partitions, not 4" in (await apply(place, wider)).problems[0]
    with pytest.raises(StorageProblem, match="has 3 partitions, not 4"):
        await ready(place, wider)


@pytest.mark.stack
async def test_two_who_apply_at_once_do_not_mind(place: KafkaPlace) -> None:
    """As when a compose file starts twice."""
    topic = [Wanted(place.prefix + "a", 1, {})]
    await asyncio.gather(*(apply(place, topic) for _ in range(3)))

    assert (await needed(place, topic)).is_empty()


@pytest.mark.stack
def test_the_command_makes_and_checks_all_topics(place: KafkaPlace) -> None:
    """The whole catalogue: missing, made, as it should be. Afterwards they are taken away again."""
    where = ["--kafka", place.hosts[0], "--prefix", place.prefix]
    before = CliRunner().invoke(command, ["check", *where])
    made = CliRunner().invoke(command, ["apply", *where])
    after = CliRunner().invoke(command, ["check", *where])
    names = [topic.name for topic in wanted(prefix=place.prefix)]

    async def remove() -> None:
        client = AIOKafkaAdminClient(bootstrap_servers=list(place.hosts))
        await client.start()
        await client.delete_topics(names)
        await client.close()

    asyncio.run(remove())

    assert before.exit_code == 1
    assert [f"{name}: missing" for name in names] == before.stdout.splitlines()
    assert "run `pubweave topics apply --kafka" in before.stderr
    assert (made.exit_code, made.stderr) == (0, "")
    assert len(made.stdout.splitlines()) == len(names)
    assert (after.exit_code, after.stdout) == (0, "all topics are as they should be\n")


async def test_no_broker_is_told_in_one_sentence() -> None:
    """With the address and what to look at."""
    with pytest.raises(StorageProblem, match=r"The Kafka at 127\.0\.0\.1:1 does not do what is asked"):
        await needed(KafkaPlace.at("127.0.0.1:1"))
