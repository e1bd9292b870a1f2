"""Situations in the folders of the services: needs, replies, and the events expected.

`python -m services.resources.situations` (with tests/ on the path) writes the `events.jsonl` of every situation
from what the services say now. Read the difference before you keep it.
"""

from pathlib import Path
from typing import Any

import msgspec

from pubweave import registry
from pubweave.contract.exchange import Reply, Work
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.core.reading.rules import RuleFile, load_rules
from pubweave.core.toolkit.service import Addresses, Context, Said, Service

HOME = Path(__file__).resolve().parents[3] / "services" / "pubweave" / "resources"
RESOURCES = (*registry.RESOURCES, *registry.APART)
FETCHED_AT = 1_700_000_000_000

PLAIN = Context(structured_documents=False)
"""Situations show events without the structured document, which has tests of its own."""


def service_of(resource: str) -> Service:
    return registry.service(resource)


def situations() -> list[Path]:
    return sorted(
        path for resource in RESOURCES for path in (HOME / resource / "fixtures").iterdir() if path.is_dir()
    )


def _needs(folder: Path) -> tuple[NeedsPart, ...]:
    one = folder / "need.json"
    if one.exists():
        return (msgspec.json.decode(one.read_bytes(), type=NeedsPart),)
    return msgspec.json.decode((folder / "needs.json").read_bytes(), type=tuple[NeedsPart, ...])


def _reply(folder: Path, number: int, wanted: ReplyWanted) -> Reply:
    path = folder / f"{number}-reply.json"
    assert path.exists(), f"question {number} has no {path.name}: {wanted.request}"
    values = {"url": wanted.request.url, "fetched_at": FETCHED_AT, **msgspec.json.decode(path.read_bytes())}
    bodies = [other for other in folder.glob(f"{number}-reply.*") if other != path]
    assert len(bodies) <= 1
    reply = msgspec.convert(values, type=Reply)
    return msgspec.structs.replace(reply, body=bodies[0].read_bytes()) if bodies else reply


def shown(event: Said) -> dict[str, Any]:
    """An event as it stands in `events.jsonl`: without digests and without what every event repeats."""
    if isinstance(event, ReplyWanted):
        return {
            "kind": "reply-wanted",
            **({} if event.door == "fetcher" else {"door": event.door}),
            "unit": event.unit,
            "request": msgspec.to_builtins(event.request),
            "step": event.work.step,
            "tries": event.work.tries,
            "delay_ms": event.delay_ms,
            "needs": [need.need for need in event.work.needs],
        }
    content = msgspec.to_builtins(event)
    for name in ("answer", "publication", "fetched_at", "place"):
        content.pop(name, None)
    return {**content, "position": event.place.position}


def _context(folder: Path) -> Context:
    """`context.json` holds what differs from the defaults; `rules.yaml` beside it are journals rules."""
    given, journals = folder / "context.json", folder / "rules.yaml"
    values = msgspec.json.decode(given.read_bytes()) if given.exists() else {}
    if "addresses" in values:
        values["addresses"] = Addresses(**values["addresses"])
    rules = None
    if journals.exists():
        rules = load_rules([RuleFile("journals", journals.name, journals.read_text("utf-8"))])
    return msgspec.structs.replace(PLAIN, rules=rules, **values)


def play(folder: Path) -> list[Said]:
    """Everything said in a situation; the N-th question is answered by the N-th reply."""
    service = service_of(folder.parent.parent.name)
    context = _context(folder)
    said = service.step(Work(resource=service.name, needs=_needs(folder)), None, context)
    number, place = 0, 0
    while place < len(said):
        wanted = said[place]
        place += 1
        if isinstance(wanted, ReplyWanted):
            number += 1
            said += service.step(wanted.work, _reply(folder, number, wanted), context)
    left = sorted(path.name for path in folder.glob(f"{number + 1}-reply.*"))
    assert not left, f"never asked for: {left}"
    return said


def write_events() -> None:
    for folder in situations():
        lines = [msgspec.json.encode(shown(event)) for event in play(folder)]
        (folder / "events.jsonl").write_bytes(b"\n".join(lines) + b"\n")


if __name__ == "__main__":
    write_events()
