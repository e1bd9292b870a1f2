"""What was released is read for ever, and what is new is counted: schemas of today against those of every release."""

import json
from typing import Any

import pytest

from pubweave.contract import generate
from pubweave.contract.cloudevents import schema_name
from pubweave.contract.compatibility import changes, minor_version
from pubweave.contract.generate import released
from pubweave.contract.kinds import KINDS

SCHEMAS = generate._CONTRACT / "schemas"
RELEASED = sorted(path.relative_to(generate._RELEASED) for path in generate._RELEASED.glob("*/*.json"))


def today(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((SCHEMAS / name).read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("path", RELEASED, ids=str)
def test_nothing_that_was_released_is_broken(path: Any) -> None:
    """Whoever reads by a released schema, and whatever was written by it, goes on."""
    before = json.loads((generate._RELEASED / path).read_text(encoding="utf-8"))
    found = changes(before, today(path.name))

    assert not [str(change) for change in found if change.breaks]
    assert minor_version(today(path.name)) >= minor_version(before) + bool(found)


@pytest.mark.parametrize("kind", KINDS)
def test_a_version_says_what_was_added(kind: str) -> None:
    """The second number is that of the last release, and one more where something was added."""
    version = KINDS[kind].version
    name = schema_name(kind, version)
    before = list(released(name).values())

    assert today(name)["version"].split(".")[0] == str(version)
    if before:
        added = bool(changes(before[-1], today(name)))
        assert minor_version(today(name)) == minor_version(before[-1]) + added


LOOM = {
    "$defs": {
        "Thread": {"type": "object", "properties": {"colour": {"enum": ["red", "blue"]}}, "required": []}
    },
    "type": "object",
    "description": "A loom.",
    "properties": {
        "kind": {"const": "loom"},
        "width": {"type": "integer"},
        "note": {"type": "string", "default": ""},
        "threads": {"type": "array", "items": {"$ref": "#/$defs/Thread"}},
        "owner": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
    },
    "required": ["kind", "width"],
}


def altered(**how: Any) -> dict[str, Any]:
    """The loom with members set by path, `a__b`; None takes one away."""
    made = json.loads(json.dumps(LOOM))
    for path, value in how.items():
        *folders, last = path.split("__")
        here = made
        for folder in folders:
            here = here[folder]
        if value is None:
            del here[last]
        else:
            here[last] = value
    return made


def test_the_same_is_no_change() -> None:
    """Nor are other words for people, or another order."""
    assert changes(LOOM, LOOM) == []
    assert changes(LOOM, altered(description="Weaves.")) == []


@pytest.mark.parametrize(
    ("how", "where"),
    [
        ({"properties__height": {"type": "integer"}}, "height"),
        ({"$defs__Thread__properties__colour": {"enum": ["red", "blue", "green"]}}, "threads[].colour"),
        ({"$defs__Thread__properties__colour": {"type": "string"}}, "threads[].colour"),
        ({"$defs__Thread__properties__twist": {"type": "string"}}, "threads[].twist"),
        ({"properties__owner__anyOf": [{"type": "null"}, {"type": "integer"}, {"type": "string"}]}, "owner"),
    ],
)
def test_what_is_added_is_found(how: dict[str, Any], where: str) -> None:
    """Wherever it stands; and nobody is broken by it."""
    (found,) = changes(LOOM, altered(**how))

    assert (found.where, found.breaks) == (where, False)


@pytest.mark.parametrize(
    ("how", "where"),
    [
        ({"properties__note": None}, "note"),
        ({"properties__width": {"type": "string"}}, "width"),
        ({"properties__width": {"enum": ["wide"]}}, "width"),
        ({"properties__kind": {"const": "wheel"}}, "kind"),
        ({"required": ["kind"]}, "width"),
        ({"required": ["kind", "width", "note"]}, "note"),
        ({"properties__note__default": "none"}, "note"),
        ({"properties__width__minimum": 1}, "width"),
        ({"$defs__Thread__properties__colour": {"enum": ["red"]}}, "threads[].colour"),
        ({"properties__threads__items": {"type": "string"}}, "threads[]"),
        ({"properties__owner__anyOf": [{"type": "null"}]}, "owner"),
        ({"properties__age": {"type": "integer"}, "required": ["kind", "width", "age"]}, "age"),
    ],
)
def test_what_breaks_is_found(how: dict[str, Any], where: str) -> None:
    """Somebody who knows only one of the two would misread the other."""
    found = changes(LOOM, altered(**how))

    assert [change.where for change in found if change.breaks][:1] == [where]


def test_generating_counts_what_is_added_and_refuses_what_breaks(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`make generate` cannot rewrite what was released: it says which kind, and what to do."""
    (tmp_path / "0.9.0").mkdir()
    (tmp_path / "0.10.0").mkdir()
    (tmp_path / "0.9.0" / "loom.json").write_text(json.dumps(altered(version="1.0", properties__note=None)))
    (tmp_path / "0.10.0" / "loom.json").write_text(json.dumps(altered(version="1.4")))
    monkeypatch.setattr(generate, "_RELEASED", tmp_path)

    assert list(released("loom.json")) == ["0.9.0", "0.10.0"]
    assert generate._minor("loom.json", LOOM) == 4
    assert generate._minor("loom.json", altered(properties__height={"type": "integer"})) == 5
    with pytest.raises(
        SystemExit, match=r"loom.json breaks what was released \(width: .*new version and an upcast"
    ):
        generate._minor("loom.json", altered(properties__width={"type": "string"}))
