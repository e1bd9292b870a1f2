"""Writes what is made from the contract: JSON Schemas, examples, docs/events.md, the flow in ARCHITECTURE.md.

python -m pubweave.contract.generate            write what is out of date
python -m pubweave.contract.generate --check    only say what is; exit status 1 if anything is
python -m pubweave.contract.generate --release  keep today's schemas as those of this version: what comes later is compared
                                                with them
"""

import json
import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import orjson

from pubweave.contract.catalogue import GROUPS, SERVICES, Topic, topics
from pubweave.contract.cloudevents import SCHEMA_PREFIX, schema_name
from pubweave.contract.codec import encode
from pubweave.contract.compatibility import changes, minor_version
from pubweave.contract.docstrings import members, text_of
from pubweave.contract.examples import EXAMPLES
from pubweave.contract.frames import FRAME_TYPE
from pubweave.contract.generated import GeneratedFile
from pubweave.contract.json_schema import schema_of
from pubweave.contract.kinds import KINDS, Event, Kind
from pubweave.version import VERSION

COMMAND: Final = "python -m pubweave.contract.generate"

_CONTRACT: Final = Path(__file__).parent
_RELEASED: Final = _CONTRACT / "released"
"""Schemas as they were released, a folder a version; never edited."""
_BEGIN: Final = "<!-- flow: made by `python -m pubweave.contract.generate`, do not edit -->"
_END: Final = "<!-- end of flow -->"


def everything(root: Path) -> Iterator[GeneratedFile]:
    """All generated files of a checkout at `root`."""
    for kind in KINDS.values():
        yield GeneratedFile(_CONTRACT / "schemas" / schema_name(kind.name, kind.version), _schema(kind))
        for name, event in EXAMPLES[kind.name].items():
            folder = _CONTRACT / "examples" / kind.name / str(kind.version)
            yield GeneratedFile(folder / f"{name}.json", _example(event))
    yield GeneratedFile(root / "docs" / "events.md", _events_page())
    architecture = root / "ARCHITECTURE.md"
    yield GeneratedFile(architecture, _with_flow(architecture.read_text(encoding="utf-8")))


def stale(root: Path) -> list[GeneratedFile]:
    """Those that are missing or not what they must be."""
    return [
        made
        for made in everything(root)
        if not made.path.is_file() or made.path.read_text(encoding="utf-8") != made.content
    ]


# Schemas and examples.


def _schema(kind: Kind) -> str:
    name = schema_name(kind.name, kind.version)
    schema = schema_of(kind.struct, title=kind.name, address=SCHEMA_PREFIX + name)
    schema = {**schema, "version": f"{kind.version}.{_minor(name, schema)}"}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _example(event: Event) -> str:
    return orjson.dumps(orjson.loads(encode(event)), option=orjson.OPT_INDENT_2).decode() + "\n"


def released(name: str) -> dict[str, dict[str, Any]]:
    """The schema of this name by the releases that had it, oldest first."""
    found = {}
    for folder in sorted(_RELEASED.glob("*.*.*"), key=lambda one: _numbers(one.name)):
        file = folder / name
        if file.is_file():
            found[folder.name] = json.loads(file.read_text(encoding="utf-8"))
    return found


def _minor(name: str, schema: dict[str, Any]) -> int:
    """That of the last release, or the next one where something was added since."""
    before = list(released(name).values())
    if not before:
        return 0
    found = changes(before[-1], json.loads(json.dumps(schema)))
    if broken := [str(change) for change in found if change.breaks]:
        raise SystemExit(
            f"{name} breaks what was released ({'; '.join(broken[:3])}): give the kind a new version and an upcast."
        )
    return minor_version(before[-1]) + bool(found)


def _keep_as_released() -> int:
    """:returns: how many schemas there are"""
    folder = _RELEASED / VERSION
    folder.mkdir(parents=True, exist_ok=True)
    schemas = sorted((_CONTRACT / "schemas").glob("*.json"))
    for schema in schemas:
        (folder / schema.name).write_bytes(schema.read_bytes())
    return len(schemas)


def _numbers(release: str) -> tuple[int, ...]:
    return tuple(int(number) for number in release.split("."))


# The page of events.


_POLICY: Final = (
    "* A version has two numbers, as in `1.0`; the schema names both, `ce_type` the first. A member that may be left out, "
    "a word in a list, or an alternative more makes a new second number. Everything else makes a new first one, "
    "and old messages are brought forward when they are read, for ever. `make generate` compares with every "
    "release (`shared/pubweave/contract/released`), counts the second number and refuses what would break.",
    "* Readers keep members that they do not know, and write them again wherever they pass the event on. So write "
    "readers that ignore what they do not know; ours never fail for it.",
    "* A word, kind or version that a reader does not know, in a message of a newer release (`ce_release`), waits in `delayed`, "
    "byte for byte, until a release hears it that knows it: nothing is lost while two releases run side by side, or when "
    "the newer one is taken back. A row of the store that is not known stays where it is. Nothing is ever decided "
    "by what is not understood.",
    "* The same in a message of no newer release is a mistake and goes to `dead-letters`.",
)
"""Held by tests/contract/test_growing.py and test_compatibility.py."""

_FRAMES: Final = (
    "What leaves in one step for one place may leave as one message, a frame: on `part-candidates` what one answer said of a "
    "publication, with its outcome; on `needs-part`, `reply-wanted`, `reply-received` and `jobs` what goes there at one moment. "
    "Who reads these topics must be ready for both.",
    "",
    f"* A frame's header `content-type` is `{FRAME_TYPE}`, and its value is what the JSON Event Format of CloudEvents calls a batch: "
    "an array of events in their order. Any library that reads this format reads it.",
    "* Each event stands there with the attributes that it would have as headers (without `ce_`), `partitionkey` and `release` "
    "included, and with its body as `data`. It is the same event, with the same id, as in a message of its own; nothing is said by its "
    "standing beside others.",
    "* The record's key on `part-candidates` is that of the frame's last event; elsewhere it means nothing. Headers of the frame itself "
    "(`ce_type` `example.pubweave.frame.v1`, `ce_events`: how many) are for who does not know frames: releases before 0.2 let one wait, "
    "as everything that only a newer release can read.",
    "* An event of a frame that cannot be read, or that waits for a newer release, does so by itself; the others are heard.",
)
"""Held by tests/contract/test_frames.py."""


def _events_page() -> str:
    lines = [
        "# Events and topics",
        "",
        f"Made by `{COMMAND}` from `shared/pubweave/contract`; do not edit.",
        "",
        "A message is one event as JSON, its type, id and origin in headers by "
        "[CloudEvents 1.0](https://cloudevents.io), binary mode. An event has an id made of what it says, "
        "without times: who hears one twice can tell.",
        "",
        "## Frames",
        "",
        *_FRAMES,
        "",
        "## How they change",
        "",
        *_POLICY,
        "",
        "## Topics",
        "",
        *_table(
            ("topic", "said by", "heard by", "partitioned by", "partitions", "kept", "compacted"),
            [
                (
                    f"[`{topic.topic}`](#{_anchor('Topic ' + topic.topic)})",
                    _words(topic.producers),
                    _words(topic.consumers),
                    topic.partitioned_by,
                    str(topic.partitions),
                    _kept(topic),
                    "yes" if topic.compacted else "no",
                )
                for topic in topics()
            ],
        ),
        "",
    ]
    for topic in topics():
        lines += [f"### Topic `{topic.topic}`", "", *textwrap.wrap(topic.description, 110), ""]
        lines += [f"- record key: {_record_key_words(topic)}; messages up to {topic.max_message_kib} KiB"]
        if len(topic.names()) > 1:
            lines += [f"- {len(topic.names())} topics: {', '.join(f'`{name}`' for name in topic.names())}"]
        linked = (f"[{kind}](#{_anchor('Event ' + kind)})" for kind in topic.kinds())
        if topic.heard == "by-each":
            lines += ["- heard by each process for itself, from its start on, in no consumer group"]
        lines += [f"- carries {', '.join(linked)}", ""]
    lines += ["## Kinds of events", ""]
    for kind in KINDS.values():
        lines += _kind_section(kind)
    return "\n".join(lines).rstrip() + "\n"


def _kind_section(kind: Kind) -> list[str]:
    name, example = next(iter(EXAMPLES[kind.name].items()))
    where = ", ".join(f"`{topic.topic}`" for topic in topics() if kind.name in topic.kinds())
    schema = f"../shared/pubweave/contract/schemas/{schema_name(kind.name, kind.version)}"
    same = (
        "Its id is made of " + " and ".join(f"`{member}`" for member in kind.named_by) + "."
        if kind.named_by
        else "Its id is made of everything in it"
        + (" but " + " and ".join(f"`{time}`" for time in kind.times) if kind.times else "")
        + "."
    )
    return [
        f"### Event `{kind.name}`",
        "",
        *text_of(kind.struct).splitlines(),
        "",
        f"Version {kind.version} ([schema]({schema})), on {where}. {same}",
        "",
        *_table(("member", "type", "default", ""), _members(kind.struct)),
        "",
        f"For example (`{name}`):",
        "",
        "```json",
        _example(example).rstrip(),
        "```",
        "",
    ]


def _members(struct: type[Event]) -> list[tuple[str, str, str, str]]:
    """Name on the wire, type, default and docstring of each member, in order."""
    told = members(struct)
    rows = []
    for field in msgspec.structs.fields(struct):
        annotation, default, text = told[field.name]
        rows.append((f"`{field.encode_name}`", f"`{annotation}`", f"`{default}`" if default else "", text))
    return rows


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    return [line(head), line(["---"] * len(head)), *(line(row) for row in rows)]


def _anchor(title: str) -> str:
    """The anchor that GitHub gives a heading."""
    return "".join(letter for letter in title.lower().replace(" ", "-") if letter.isalnum() or letter in "-_")


def _words(services: Sequence[str]) -> str:
    """Placeholders in code, for a page takes them for tags."""
    return ", ".join(f"`{word}`" if word.startswith("<") else word for word in services)


def _kept(topic: Topic) -> str:
    return f"{topic.retention_days} days" if topic.retention_days else "for ever"


def _record_key_words(topic: Topic) -> str:
    if topic.partitioned_by == "nothing":
        return "the event's id"
    return f"{topic.partitioned_by} / event id" if topic.record_key == "event" else topic.record_key


# The flow.


def _with_flow(page: str) -> str:
    """The page with the flow between its two marks made anew."""
    before, begin, rest = page.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not begin or not end:
        raise SystemExit(f"ARCHITECTURE.md has lost the marks {_BEGIN!r} and {_END!r}: put them back.")
    return before + _BEGIN + "\n" + _flow() + _END + after


def _flow() -> str:
    return "\n".join(
        ["", "```text", *_flow_as_text(), "```", "", "```mermaid", *_flow_as_mermaid(), "```", "", ""]
    )


def _flow_as_text() -> list[str]:
    rows = [(", ".join(topic.producers), topic.topic, ", ".join(topic.consumers)) for topic in topics()]
    said, named = (max(len(row[column]) for row in rows) for column in (0, 1))
    return [f"{who:>{said}}  ─►  {topic:<{named}}  ─►  {whom}" for who, topic, whom in rows]


def _flow_as_mermaid() -> list[str]:
    """Services are boxes, topics are rounded; one box stands for all services of a group. What can happen
    to everybody (`dead-letters`) is left out, or nothing else could be seen."""
    lines = ["flowchart LR"]
    boxes: dict[str, None] = {}
    arrows = []
    for topic in topics():
        if "everybody" in topic.producers:
            continue
        node = _node(topic.topic)
        lines.append(f'  {node}(["{topic.topic.replace("<", "&lt;").replace(">", "&gt;")}"])')
        for word in dict.fromkeys(map(_box, topic.producers)):
            boxes[word] = None
            arrows.append(f"  {word} --> {node}")
        for word in dict.fromkeys(map(_box, topic.consumers)):
            boxes[word] = None
            arrows.append(f"  {node} --> {word}")
    return [*lines, *(f"  {box}[{box}]" for box in boxes), *arrows]


def _box(word: str) -> str:
    """The box that stands for a word of a topic: groups and placeholders are one box each."""
    plural = {"<resource>": "resources", "<door>": "doors"}
    if word in plural:
        return plural[word]
    for group in ("resources", "doors"):
        if word in GROUPS[group]:
            return group
    if word not in GROUPS:
        _ = SERVICES[word]
    return word


def _node(topic: str) -> str:
    return "t_" + "".join(letter if letter.isalnum() else "_" for letter in topic)


def main(arguments: Sequence[str]) -> int:
    """:returns: exit status"""
    root = _CONTRACT.parents[2]
    if not (root / "ARCHITECTURE.md").is_file():
        print("There is no checkout around this package: nothing to generate.", file=sys.stderr)
        return 2
    if "--release" in arguments:
        kept = _keep_as_released()
        print(f"kept {kept} schemas as those of {VERSION}")
        return 0
    found = stale(root)
    for made in found:
        name = made.path.relative_to(root)
        if "--check" in arguments:
            print(f"{name} is out of date", file=sys.stderr)
        else:
            made.path.parent.mkdir(parents=True, exist_ok=True)
            made.path.write_text(made.content, encoding="utf-8")
            print(f"wrote {name}")
    if found and "--check" in arguments:
        print(f"Write them anew with: {COMMAND}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
