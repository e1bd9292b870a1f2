"""The topic files say the truth: names, services, kinds, versions, schemas, examples, keys."""

import json
import re
from pathlib import Path
from typing import get_args

import jsonschema
import msgspec
import pytest
import yaml
from hypothesis import given, settings

import pubweave.contract
from contract.arbitrary import arbitrary_event
from pubweave.contract.catalogue import (
    DOOR_NAMES,
    SERVICES,
    Topic,
    partition_key,
    record_key,
    services,
    topic_of,
    topics,
)
from pubweave.contract.cloudevents import SCHEMA_PREFIX, schema_name
from pubweave.contract.codec import decode, encode, event_id
from pubweave.contract.examples import EXAMPLES
from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.kinds import KINDS, Event, kind_of
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.reply_received import ReplyReceived
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.routing import topic_for
from pubweave.contract.turn import turn_of
from pubweave.contract.vocabulary import RESOURCE_NAMES, LaneName

CONTRACT = Path(pubweave.contract.__path__[0])
VERSIONS = sorted(
    {
        (carried.kind, version)
        for topic in topics()
        for carried in topic.events
        for version in carried.versions
    },
    key=lambda pair: (pair[0], pair[1].version),
)
by_topic = pytest.mark.parametrize("topic", topics(), ids=lambda topic: topic.topic)
by_version = pytest.mark.parametrize(
    ("kind", "version"), VERSIONS, ids=[f"{kind}.v{version.version}" for kind, version in VERSIONS]
)


def schema(kind: str, version: int) -> jsonschema.Draft202012Validator:
    told = json.loads((CONTRACT / "schemas" / schema_name(kind, version)).read_text(encoding="utf-8"))
    return jsonschema.Draft202012Validator(told)


# Topics.


def test_names_of_topics_are_unique() -> None:
    """And made of lower-case words with hyphens, a dot before what they are about."""
    names = [name for topic in topics() for name in topic.names()]

    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*(\.[a-z_]+)?", name) for name in names)
    assert all(topic_of(name).names() for name in names)


@by_topic
def test_files_are_named_like_their_topics(topic: Topic) -> None:
    """Numbered in the order of the flow."""
    found = list((CONTRACT / "topics").glob(f"[0-9][0-9]-{topic.topic.partition('.')[0]}.yaml"))

    assert len(found) == 1
    assert yaml.safe_load(found[0].read_text(encoding="utf-8"))["topic"] == topic.topic


@by_topic
def test_a_topic_says_what_it_is_for(topic: Topic) -> None:
    """In at least one whole sentence."""
    assert topic.description.strip().endswith(".")
    assert len(topic.description) > 40


@by_topic
def test_producers_and_consumers_exist(topic: Topic) -> None:
    """Every word names a service, or a group of them."""
    assert services(topic.producers)
    assert services(topic.consumers)


def test_a_word_that_names_nobody_is_noticed() -> None:
    """So the test above can fail."""
    with pytest.raises(KeyError):
        services(("merger", "mergre"))


def test_every_service_takes_part() -> None:
    """Whoever is in the registry says or hears something."""
    speaking = {
        name for topic in topics() if "everybody" not in topic.producers for name in services(topic.producers)
    }
    hearing = {name for topic in topics() for name in services(topic.consumers)}

    assert speaking | hearing == set(SERVICES)


def test_services_have_their_folders() -> None:
    """The registry of services is the layout: each name is a folder, or a folder of doors or resources."""
    home = CONTRACT.parents[2] / "services" / "pubweave"
    homeless = {
        name
        for name in SERVICES
        if name not in RESOURCE_NAMES
        and name not in ("fetcher", "renderer", "pdf_reader")
        and not (home / name).is_dir()
    }

    assert homeless == set()
    assert (home / "resources").is_dir()
    assert (home / "doors").is_dir()


@by_topic
def test_facts_are_kept_for_ever_and_compacted(topic: Topic) -> None:
    """The log is the truth (P-01): what is compacted is never dropped for its age, and the other way round."""
    assert topic.compacted == (topic.retention_days == 0)


@by_topic
def test_messages_fit(topic: Topic) -> None:
    """Dead letters must take any message that another topic takes."""
    assert topic.max_message_kib <= topic_of("dead-letters").max_message_kib
    assert 64 <= topic.max_message_kib <= 1024
    assert topic.partitions >= 1


# Kinds and versions.


def test_every_kind_travels_on_some_topic() -> None:
    """And no topic names a kind that does not exist."""
    assert {kind for topic in topics() for kind in topic.kinds()} == set(KINDS)


@by_topic
def test_versions_count_up_without_gaps(topic: Topic) -> None:
    """From 1 to the version that the code writes."""
    for carried in topic.events:
        numbers = [version.version for version in carried.versions]

        assert numbers == list(range(1, KINDS[carried.kind].version + 1)), carried.kind


def test_topics_agree_on_versions() -> None:
    """A kind that travels on two topics has the same schemas and examples on both."""
    assert len(VERSIONS) == sum(kind.version for kind in KINDS.values())


@by_version
def test_files_are_where_the_topic_says(kind: str, version: object) -> None:
    """Schema and examples under the names that everything else relies on."""
    assert version.schema == schema_name(kind, version.version)  # type: ignore[attr-defined]
    assert version.examples == f"{kind}/{version.version}"  # type: ignore[attr-defined]


def test_no_schema_is_unused() -> None:
    """Every file in schemas/ belongs to a version, and every version has its file."""
    there = {path.name for path in (CONTRACT / "schemas").iterdir()}

    assert there == {version.schema for _, version in VERSIONS}


def test_no_example_is_unused() -> None:
    """Every file in examples/ belongs to a version, and every version has at least one."""
    folder = CONTRACT / "examples"
    there = {str(path.parent.relative_to(folder)) for path in folder.glob("**/*.json")}

    assert there == {version.examples for _, version in VERSIONS}


@by_version
def test_schemas_are_schemas(kind: str, version: object) -> None:
    """Of draft 2020-12, under the address that the headers name."""
    number = version.version  # type: ignore[attr-defined]
    checker = schema(kind, number)
    jsonschema.Draft202012Validator.check_schema(checker.schema)

    assert checker.schema["$id"] == SCHEMA_PREFIX + schema_name(kind, number)


@by_version
def test_examples_are_what_their_schema_says(kind: str, version: object) -> None:
    """And the code reads every one of them, old versions too."""
    number = version.version  # type: ignore[attr-defined]
    for path in sorted((CONTRACT / "examples" / kind / str(number)).glob("*.json")):
        body = path.read_bytes()
        schema(kind, number).validate(json.loads(body))

        assert kind_of(decode(kind, number, body)) == kind


@pytest.mark.parametrize("kind", KINDS)
def test_schemas_refuse_what_the_code_refuses(kind: str) -> None:
    """A member too few, or of another type. One too much is a newer release's, and taken."""
    checker = schema(kind, KINDS[kind].version)
    told = json.loads(encode(next(iter(EXAMPLES[kind].values()))))
    first = next(name for name in checker.schema["required"] if name != "kind")

    assert checker.is_valid(told)
    assert checker.is_valid({**told, "colour": "green"})
    assert not checker.is_valid({name: value for name, value in told.items() if name != first})
    assert not checker.is_valid({**told, first: {"not": "this"}})
    assert not checker.is_valid({**told, "kind": "another"})


@settings(derandomize=True, max_examples=150, deadline=None)
@given(arbitrary_event())
def test_schemas_take_whatever_the_code_writes(event: Event) -> None:
    """For any content that the types allow."""
    schema(kind_of(event), KINDS[kind_of(event)].version).validate(json.loads(encode(event)))


def test_members_are_explained_in_the_schema() -> None:
    """Docstrings of the Structs reach whoever reads only the schema."""
    told = schema("part-candidate", 1).schema["properties"]

    assert "after trimming" in told["size"]["description"]
    assert told["part"]["enum"]


def test_schemas_say_the_same_as_those_of_msgspec() -> None:
    """For all kinds that msgspec's own generator takes: the same members, types and required ones."""
    compared = 0
    for name, kind in KINDS.items():
        try:
            theirs = msgspec.json.schema(kind.struct)
        except TypeError:  # it refuses defaults of type Raw
            continue
        ours = schema(name, kind.version).schema
        own = theirs["$defs"][kind.struct.__name__]

        assert set(own["properties"]) == set(ours["properties"]), name
        assert set(own["required"]) == set(ours["required"]), name
        for member, shape in own["properties"].items():
            if "type" in shape:
                assert ours["properties"][member]["type"] == shape["type"], (name, member)
            if "enum" in shape and member != "kind":
                assert sorted(ours["properties"][member]["enum"]) == sorted(shape["enum"]), (name, member)
        compared += 1

    assert compared > 10


# Where events go.


@settings(derandomize=True, max_examples=200, deadline=None)
@given(arbitrary_event())
def test_every_event_has_a_topic_that_carries_it(event: Event) -> None:
    """Whatever its content: routing and the topic files say the same, and the key can be worked out."""
    topic = topic_of(topic_for(event))

    assert kind_of(event) in topic.kinds()
    assert isinstance(record_key(topic, event), str)


def test_every_topic_is_reached() -> None:
    """No topic is described that nothing is ever said on: with every lane, resource, door and word there is."""
    examples = [event for told in EXAMPLES.values() for event in told.values()]
    reached = {topic_for(event) for event in examples}
    for event in examples:
        for lane in get_args(LaneName):
            if isinstance(event, FetchRequested):
                reached.add(topic_for(msgspec.structs.replace(event, lane=lane)))
        for resource in RESOURCE_NAMES:
            if isinstance(event, NeedsPart):
                reached.add(topic_for(msgspec.structs.replace(event, resource=resource)))
            if isinstance(event, ReplyReceived):
                work = msgspec.structs.replace(event.work, resource=resource)
                reached.add(topic_for(msgspec.structs.replace(event, work=work)))
        for door in DOOR_NAMES:
            if isinstance(event, ReplyWanted):
                reached.add(topic_for(msgspec.structs.replace(event, door=door)))

    assert reached == {name for topic in topics() for name in topic.names()}


@pytest.mark.parametrize(
    ("addresses", "site"),
    [
        (("https://www.ebi.ac.uk/europepmc/webservices/rest", "https://EBI.ac.uk/doc"), "ebi.ac.uk"),
        (("https://eutils.ncbi.nlm.nih.gov/x", "https://pmc.ncbi.nlm.nih.gov/y"), "nih.gov"),
        (("https://doi.org/10.1/x", "https://dx.doi.org/10.1/x"), "doi.org"),
        (("http://127.0.0.1:8080/x",), "127.0.0.1"),
        (("http://localhost/x",), "localhost"),
        (("http://[::1]:80/x",), "::1"),
        (("mailto:somebody", "http://[", ""), "-"),
    ],
)
def test_what_shares_a_budget_or_a_connection_has_one_owner(addresses: tuple[str, ...], site: str) -> None:
    """Families of one host and hosts of one family lie on one partition."""
    assert {turn_of(address) for address in addresses} == {site}


def test_a_question_led_elsewhere_goes_to_the_owner_of_where_it_was_led() -> None:
    """And one for the PDF reader goes to the fetcher until its PDF is there."""
    told = EXAMPLES["reply-wanted"]
    led, read = told["led-to-another-host"], told["read-what-was-fetched"]
    assert isinstance(read, ReplyWanted)

    assert partition_key(topic_of(topic_for(led)), led) == "publisher.example"
    assert topic_for(read) == "reply-wanted.pdf_reader"
    assert topic_for(msgspec.structs.replace(read, fetched=None)) == "reply-wanted.fetcher"


def test_claims_and_their_answers_go_different_ways() -> None:
    """A claim to the owner of the identifier; the answer to the publication, whose chain it starts again."""
    said = EXAMPLES["new-id"]

    assert topic_for(said["claimed"]) == "new-ids"
    assert topic_for(said["held-by-another"]) == "part-candidates"


# Keys.


@by_topic
def test_every_event_of_a_topic_has_a_key(topic: Topic) -> None:
    """The catalogue's word for the key can be worked out for each kind that the topic carries."""
    for kind in topic.kinds():
        for event in EXAMPLES[kind].values():
            key = partition_key(topic, event)

            assert bool(key) == (topic.partitioned_by != "nothing")
            assert record_key(topic, event).startswith(key)
            assert record_key(topic, event)


def example(kind: str) -> Event:
    return next(iter(EXAMPLES[kind].values()))


def test_keys_are_those_of_the_design() -> None:
    """Publications by publication, claims by identifier, questions by site, replies by nothing."""
    publication = "2026-11-21T14-00-00.000-7f3a.000000003"

    assert partition_key(topic_of("part-candidates"), example("gate-flag")) == publication
    assert partition_key(topic_of("fetch-requested.bulk"), example("fetch-requested")) == publication
    assert partition_key(topic_of("submissions-settled"), example("submission-settled")) == publication
    assert partition_key(topic_of("new-ids"), example("new-id")) == "doi:10.5555/pubweave.1"
    assert partition_key(topic_of("part-candidates"), example("new-id")) == publication
    assert partition_key(topic_of("reply-wanted.fetcher"), example("reply-wanted")) == "ebi.ac.uk"
    assert partition_key(topic_of("reply-received.pmc"), example("reply-received")) == ""
    assert partition_key(topic_of("delayed"), example("delayed")) == "reply-wanted.fetcher"


def test_facts_never_replace_each_other() -> None:
    """Their record key names the event; of a publication and of a line only the newest word is kept."""
    flag = example("gate-flag")
    updated = example("publication-updated")

    assert record_key(topic_of("part-candidates"), flag) == f"{flag.publication}/{event_id(flag)}"  # type: ignore[union-attr]
    assert record_key(topic_of("publications"), updated) == updated.publication  # type: ignore[union-attr]
    assert record_key(topic_of("reply-received.pmc"), example("reply-received")) == event_id(
        example("reply-received")
    )


def test_a_broken_topic_file_is_noticed() -> None:
    """A misspelt member or word is an error when the catalogue is read, not when a topic is made."""
    told = yaml.safe_load((CONTRACT / "topics" / "06-new-ids.yaml").read_text(encoding="utf-8"))
    for broken in (
        {**told, "partition": 3},
        {**told, "partitioned_by": "colour"},
        {**told, "partitions": "3"},
    ):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(broken, Topic)
