"""Headers keep the rules of CloudEvents 1.0.2 and of its Kafka protocol binding; each test names its rule."""

import re
from datetime import datetime
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contract.arbitrary import arbitrary_event
from pubweave.contract.cloudevents import (
    Attributes,
    NotACloudEvent,
    attributes,
    from_headers,
    headers,
    to_headers,
)
from pubweave.contract.codec import UndecodableEvent, decode, encode, event_id
from pubweave.contract.examples import EXAMPLES
from pubweave.contract.kinds import KINDS, Event, kind_of
from pubweave.version import VERSION

SAID_AT_MS = 1_795_269_600_123
EVENTS = [event for told in EXAMPLES.values() for event in told.values()]
REQUIRED = ("ce_id", "ce_source", "ce_specversion", "ce_type")


def told(event: Event) -> dict[str, str]:
    made = headers(event, "merger", SAID_AT_MS)

    assert len(dict(made)) == len(made)
    return {key: value.decode() for key, value in made}


@pytest.mark.parametrize("event", EVENTS, ids=kind_of)
def test_required_attributes_are_there(event: Event) -> None:
    """spec, REQUIRED attributes: id, source, specversion and type, none of them empty."""
    assert all(told(event).get(name) for name in REQUIRED)


@pytest.mark.parametrize("event", EVENTS, ids=kind_of)
def test_no_attribute_is_empty(event: Event) -> None:
    """spec, subject, dataschema, correlation: if present, a non-empty string."""
    assert all(told(event).values())


def test_the_version_of_the_specification_is_named() -> None:
    """spec, specversion: MUST be 1.0 for this version; without the patch number."""
    assert {told(event)["ce_specversion"] for event in EVENTS} == {"1.0"}


def test_source_and_id_name_one_event() -> None:
    """spec, id: producers MUST ensure that source + id is unique for each distinct event."""
    named = {(told(event)["ce_source"], told(event)["ce_id"]) for event in EVENTS}

    assert len(named) == len(EVENTS)
    assert all(told(event)["ce_id"] == event_id(event) for event in EVENTS)


@pytest.mark.parametrize("event", EVENTS, ids=kind_of)
def test_the_source_is_an_absolute_uri(event: Event) -> None:
    """spec, source: a non-empty URI-reference; an absolute URI is RECOMMENDED."""
    source = urlsplit(told(event)["ce_source"])

    assert (source.scheme, source.netloc) == ("https", "pubweave.example")
    assert source.path.endswith("/merger")


@pytest.mark.parametrize("event", EVENTS, ids=kind_of)
def test_the_type_begins_with_a_reverse_dns_name(event: Event) -> None:
    """spec, type: SHOULD be prefixed with a reverse-DNS name; here it also names kind and version."""
    assert told(event)["ce_type"] == f"example.pubweave.{kind_of(event)}.v{KINDS[kind_of(event)].version}"


@pytest.mark.parametrize("event", EVENTS, ids=kind_of)
def test_the_schema_is_a_uri_that_changes_with_the_version(event: Event) -> None:
    """spec, dataschema: a URI; incompatible changes SHOULD be reflected by a different one."""
    schema = urlsplit(told(event)["ce_dataschema"])

    assert schema.scheme == "https"
    assert schema.path == f"/events/{kind_of(event)}.v{KINDS[kind_of(event)].version}.json"


@pytest.mark.parametrize(
    ("said_at_ms", "text"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (1_795_269_600_123, "2026-11-21T14:00:00.123Z"),
        (1_795_269_600_009, "2026-11-21T14:00:00.009Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
    ],
)
def test_the_time_is_a_timestamp(said_at_ms: int, text: str) -> None:
    """spec, time: RFC 3339."""
    made = dict(headers(EVENTS[0], "merger", said_at_ms))["ce_time"].decode()

    assert made == text
    assert round(datetime.fromisoformat(made).timestamp() * 1000) == said_at_ms


@pytest.mark.parametrize("event", EVENTS, ids=kind_of)
def test_attribute_names_are_of_letters_and_digits(event: Event) -> None:
    """spec, naming conventions: lower-case ASCII letters and digits, SHOULD NOT exceed 20 characters."""
    names = [key.removeprefix("ce_") for key in told(event) if key != "content-type"]

    assert all(re.fullmatch(r"[a-z0-9]{1,20}", name, re.ASCII) for name in names)


@pytest.mark.parametrize("event", EVENTS, ids=kind_of)
def test_every_attribute_is_prefixed_but_the_content_type(event: Event) -> None:
    """Kafka binding 3.2.1 and 3.2.3.1: prefix `ce_`; `content-type` is datacontenttype."""
    keys = set(told(event))

    assert all(key.startswith("ce_") for key in keys - {"content-type"})
    assert "ce_datacontenttype" not in keys
    assert told(event)["content-type"] == "application/json"


@pytest.mark.parametrize("event", EVENTS, ids=kind_of)
def test_the_value_is_the_data_as_it_is(event: Event) -> None:
    """Kafka binding 3.2.2: the data is the message's value; type and headers suffice to read it."""
    found = from_headers(headers(event, "merger", SAID_AT_MS))
    kind, version = found.kind_and_version()

    assert encode(decode(kind, version, encode(event))) == encode(event)


@pytest.mark.parametrize("event", EVENTS, ids=kind_of)
@pytest.mark.parametrize("correlation_id", ["", "reading-list-17"])
def test_headers_are_the_attributes(event: Event, correlation_id: str) -> None:
    """However they are made, they say the same."""
    made = headers(event, "merger", SAID_AT_MS, correlation_id, name=event_id(event))

    assert made == to_headers(attributes(event, "merger", SAID_AT_MS, correlation_id))


@pytest.mark.parametrize("event", EVENTS, ids=kind_of)
def test_headers_are_read_again(event: Event) -> None:
    """Kafka binding 3.2.3: attributes are mapped to and from headers."""
    made = attributes(event, "merger", SAID_AT_MS, "reading-list-17")

    assert from_headers(to_headers(made)) == made
    assert made.correlationid == "reading-list-17"


def test_the_correlation_id_follows_the_event() -> None:
    """extension correlation: what the event itself carries stands in the header too; without one, no header."""
    settled = EXAMPLES["submission-settled"]

    assert told(settled["finished"])["ce_correlationid"] == "reading-list-17"
    assert "ce_correlationid" not in told(settled["parked"])


@settings(derandomize=True, max_examples=150, deadline=None)
@given(arbitrary_event(), st.integers(0, 4_102_444_800_000))
def test_any_event_makes_a_valid_cloudevent(event: Event, said_at_ms: int) -> None:
    """spec, type system: no control characters, no noncharacters, whatever a user typed."""
    made = headers(event, "merger", said_at_ms)
    found = from_headers(made)

    assert found.kind_and_version() == (kind_of(event), 1)
    assert to_headers(found) == made


def test_other_peoples_extensions_are_passed_on() -> None:
    """spec, extensions: a receiver keeps what it does not know; headers that are not CloudEvents' are ignored."""
    given_ = [
        *headers(EVENTS[0], "merger", SAID_AT_MS),
        ("ce_traceparent", b"00-ab-cd-01"),
        ("x-mine", b"\xff"),
    ]
    found = from_headers(given_)

    assert found.others == (("release", VERSION), ("traceparent", "00-ab-cd-01"))
    assert ("ce_traceparent", b"00-ab-cd-01") in to_headers(found)


def changed(**given_: bytes | None) -> list[tuple[str, bytes]]:
    made = dict(headers(EVENTS[0], "merger", SAID_AT_MS))
    for name, value in given_.items():
        key = "content-type" if name == "contenttype" else f"ce_{name}"
        made.pop(key, None)
        if value is not None:
            made[key] = value
    return list(made.items())


@pytest.mark.parametrize(
    ("given_", "word"),
    [
        (changed(id=None), "id"),
        (changed(source=None), "source"),
        (changed(type=None), "type"),
        (changed(specversion=None), "specversion"),
        (changed(specversion=b"0.3"), "specversion"),
        (changed(id=b""), "id"),
        (changed(subject=b""), "subject"),
        (changed(subject=b"two\nlines"), "subject"),
        (changed(subject="\ufffe".encode()), "subject"),
        (changed(subject=b"\xff"), "subject"),
        (changed(time=b"yesterday"), "time"),
        (changed(time=b"2026-11-21"), "time"),
        (changed(time=b"2026-11-21T14:00:00"), "time"),
        (changed(Upper=b"x"), "Upper"),
        (changed(with_line=b"x"), "with_line"),
        (changed(contenttype=b"application/cloudevents+json; charset=UTF-8"), "structured"),
        ([*headers(EVENTS[0], "merger", 0), ("ce_id", b"again")], "id"),
        ([], "specversion"),
    ],
)
def test_what_is_no_cloudevent_is_refused(given_: list[tuple[str, bytes]], word: str) -> None:
    """spec and binding: missing, empty, doubled, malformed attributes, names or modes; the text names it."""
    with pytest.raises(NotACloudEvent, match=word):
        from_headers(given_)


@pytest.mark.parametrize(
    "type_", ["com.github.push", "example.pubweave.x", "example.pubweave.gate-flag.v0", ""]
)
def test_foreign_types_are_put_aside(type_: str) -> None:
    """A CloudEvent of somebody else is a dead letter, not a crash."""
    with pytest.raises(UndecodableEvent):
        Attributes(id="1", source="https://elsewhere.example", type=type_).kind_and_version()
