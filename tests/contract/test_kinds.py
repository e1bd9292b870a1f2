"""Events: one a file, all known to the registry, immutable, named by what they say."""

import importlib
import pkgutil

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pubweave.contract
from contract.arbitrary import arbitrary, arbitrary_event
from pubweave.contract.codec import decode, encode, event_id, version_of
from pubweave.contract.examples import EXAMPLES
from pubweave.contract.kinds import KINDS, Event, correlation_of, kind_of, subject_of
from pubweave.contract.publication_updated import PublicationUpdated

ALL_EXAMPLES = [(kind, name) for kind, told in EXAMPLES.items() for name in told]


def declared() -> dict[str, list[type[msgspec.Struct]]]:
    """The events that each module of the contract declares: Structs with a tag of their own."""
    found: dict[str, list[type[msgspec.Struct]]] = {}
    for module in pkgutil.iter_modules(pubweave.contract.__path__, "pubweave.contract."):
        for value in vars(importlib.import_module(module.name)).values():
            if (
                isinstance(value, type)
                and issubclass(value, msgspec.Struct)
                and value.__module__ == module.name
            ):
                tag = value.__struct_config__.tag
                if isinstance(tag, str) and tag != value.__name__:
                    found.setdefault(module.name.rpartition(".")[2], []).append(value)
    return found


def test_every_event_has_a_file_of_its_own() -> None:
    """The file is named like the event, in the language of each."""
    for module, events in declared().items():
        assert [event.__struct_config__.tag for event in events] == [module.replace("_", "-")]


def test_every_event_is_in_the_registry() -> None:
    """A new event is known to the codec as soon as its file is there and registered; a forgotten one fails."""
    found = {event for events in declared().values() for event in events}

    assert {kind.struct for kind in KINDS.values()} == found


def test_every_kind_has_examples() -> None:
    """At least one, filed under its own kind."""
    assert set(EXAMPLES) == set(KINDS)
    assert all(EXAMPLES[kind] for kind in KINDS)
    assert [kind_of(EXAMPLES[kind][name]) for kind, name in ALL_EXAMPLES] == [
        kind for kind, _ in ALL_EXAMPLES
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_events_are_immutable(kind: str) -> None:
    """No member of an event can be set; all the way down there is nothing that can be changed."""
    for event in EXAMPLES[kind].values():
        for field in msgspec.structs.fields(event):
            with pytest.raises(AttributeError):
                setattr(event, field.name, getattr(event, field.name))


@pytest.mark.parametrize("kind", KINDS)
def test_events_hold_nothing_that_can_change(kind: str) -> None:
    """Every value in an event is a text, a number, bytes, a tuple or a frozen Struct."""

    def look(value: object, path: str) -> None:
        if isinstance(value, msgspec.Struct):
            assert value.__struct_config__.frozen, path
            for field in msgspec.structs.fields(value):
                look(getattr(value, field.name), f"{path}.{field.name}")
        elif isinstance(value, tuple):
            for number, item in enumerate(value):
                look(item, f"{path}[{number}]")
        else:
            assert isinstance(value, str | int | bool | bytes | msgspec.Raw | None), path

    for event in EXAMPLES[kind].values():
        look(event, kind)


# Identity (design law 8).


@pytest.mark.parametrize("kind", KINDS)
def test_every_time_of_saying_is_known_as_such(kind: str) -> None:
    """A member that tells when something happened cannot slip into the identity. When something is due, or
    of no more use, is content."""
    told = {field.name for field in msgspec.structs.fields(KINDS[kind].struct) if field.name.endswith("_at")}
    unknown = told - {"deadline_at", "due_at"} - set(KINDS[kind].times)

    assert unknown == set() or KINDS[kind].named_by


def test_times_deep_inside_are_known_too() -> None:
    """Of a reply, and of a visited site."""
    assert KINDS["reply-received"].times == ("reply.fetched_at",)
    assert "site.timestamp" in KINDS["field-candidate"].times


@pytest.mark.parametrize(("kind", "name"), ALL_EXAMPLES)
def test_an_event_said_at_another_time_is_the_same(kind: str, name: str) -> None:
    """Times of fetching, accepting and settling are no part of its id."""
    event = EXAMPLES[kind][name]
    for path in KINDS[kind].times:
        for time_ms in (1, 2**40):
            assert event_id(_set(event, path, time_ms)) == event_id(event)


@pytest.mark.parametrize(("kind", "name"), ALL_EXAMPLES)
def test_an_event_that_says_something_else_is_another(kind: str, name: str) -> None:
    """Any other member changed gives another id, but for events that a version number names."""
    event = EXAMPLES[kind][name]
    for field in msgspec.structs.fields(event):
        if field.name in KINDS[kind].times or (
            KINDS[kind].named_by and field.name not in KINDS[kind].named_by
        ):
            continue
        value = getattr(event, field.name)
        other: object
        if isinstance(value, bool):
            other = not value
        elif isinstance(value, int):
            other = value + 1
        elif isinstance(value, str) and field.type is str:
            other = value + "x"
        else:
            continue
        changed = msgspec.structs.replace(event, **{field.name: other})

        assert event_id(changed) != event_id(event), field.name


def test_a_finding_at_another_place_is_another() -> None:
    """The same title found by a later ask is a fact of its own."""
    title = EXAMPLES["part-candidate"]["title"]
    later = msgspec.structs.replace(title, place=title.place._replace(position=99))  # type: ignore[union-attr]

    assert event_id(later) != event_id(title)


def test_a_version_of_a_record_is_named_by_its_number() -> None:
    """A crash may fold the same version again, at another time and with another sentence."""
    event = EXAMPLES["publication-updated"]["first-version"]
    assert isinstance(event, PublicationUpdated)
    again = msgspec.structs.replace(event, reason="folded again", updated_at=1, record=msgspec.Raw(b"{}"))
    next_version = msgspec.structs.replace(event, version=2)

    assert event_id(again) == event_id(event)
    assert event_id(next_version) != event_id(event)


def test_kinds_never_share_an_id() -> None:
    """All examples have different ids, though they tell of one publication."""
    ids = [event_id(event) for told in EXAMPLES.values() for event in told.values()]

    assert len(set(ids)) == len(ids)


@settings(derandomize=True, max_examples=150, deadline=None)
@given(arbitrary_event())
def test_an_id_survives_reading_and_writing(event: Event) -> None:
    """Whoever passes an event on does not change its name."""
    again = decode(kind_of(event), version_of(event), encode(event))

    assert event_id(again) == event_id(event)


@settings(derandomize=True, max_examples=100, deadline=None)
@given(st.one_of([arbitrary(kind.struct) for kind in KINDS.values() if kind.times]), st.integers(0, 2**53))
def test_times_never_matter(event: Event, time_ms: int) -> None:
    """For any content, not only that of the examples."""
    changed = event
    for path in KINDS[kind_of(event)].times:
        changed = _set(changed, path, time_ms)

    assert event_id(changed) == event_id(event)


@settings(derandomize=True, max_examples=100, deadline=None)
@given(arbitrary_event())
def test_every_event_says_what_it_is_about(event: Event) -> None:
    """Subject and correlation are texts for every event there can be."""
    assert isinstance(subject_of(event), str)
    assert isinstance(correlation_of(event), str)


def _set(event: Event, path: str, value: int) -> Event:
    member, _, rest = path.partition(".")
    inner = getattr(event, member)
    if rest and inner is None:
        return event
    if isinstance(inner, tuple):
        return msgspec.structs.replace(event, **{member: (f"found at {value}",)})
    return msgspec.structs.replace(event, **{member: _set(inner, rest, value) if rest else value})
