"""Situations in the folders of `webpages` and `docs`: a need, replies, and the events expected.

`python -m services.resources.page_situations` (with tests/ on the path) writes the `events.jsonl` of every situation
from what the services say now. Read the difference before you keep it.
"""

from pathlib import Path
from typing import Any, Final

import msgspec

from pubweave import registry
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.vocabulary import PageKind
from pubweave.core.reading.rules import RuleFile, load_rules
from pubweave.core.toolkit.service import Context
from pubweave.core.toolkit.webpage_asking import WebpageSaid, first_work
from services.resources.situations import HOME, _reply

FOLDERS: Final[dict[PageKind, Path]] = {
    "webpage": HOME / "webpages" / "fixtures",
    "doc": HOME / "docs" / "fixtures",
}
EVERYWHERE: Final = {"found", "not-there", "blocked", "broken-reply", "odd-text", "pdf"}


def situations() -> list[tuple[PageKind, Path]]:
    return [
        (entry, path) for entry, home in FOLDERS.items() for path in sorted(home.iterdir()) if path.is_dir()
    ]


def shown(event: WebpageSaid) -> dict[str, Any]:
    """An event as it stands in `events.jsonl`: without digests and without what every event repeats."""
    if isinstance(event, ReplyWanted):
        return {
            "kind": "reply-wanted",
            "door": event.door,
            "unit": event.unit,
            "request": msgspec.to_builtins(event.request),
            "step": event.work.step,
            "tries": event.work.tries,
            "delay_ms": event.delay_ms,
        }
    content: dict[str, Any] = msgspec.to_builtins(event)
    for name in ("publication", "need", "epoch", "run", "fetched_at"):
        content.pop(name, None)
    if content.get("rules_version"):
        content["rules_version"] = "of the rules beside it"
    return content


def play(entry: PageKind, folder: Path) -> list[WebpageSaid]:
    """Everything said in a situation; the N-th question is answered by the N-th reply."""
    rules = folder / "rules.yaml"
    book = (
        load_rules([RuleFile("webpages", rules.name, rules.read_text("utf-8"))]) if rules.exists() else None
    )
    step, context = registry.page_service(entry).step, Context(rules=book)
    need = msgspec.json.decode((folder / "need.json").read_bytes(), type=NeedsPart)
    said, number = step(first_work(need), None, context), 0
    while isinstance(wanted := said[-1], ReplyWanted):
        number += 1
        said += step(wanted.work, _reply(folder, number, wanted), context)
    left = sorted(path.name for path in folder.glob(f"{number + 1}-reply.*"))
    assert not left, f"never asked for: {left}"
    return said


def write_events() -> None:
    for entry, folder in situations():
        lines = [msgspec.json.encode(shown(event)) for event in play(entry, folder)]
        (folder / "events.jsonl").write_bytes(b"\n".join(lines) + b"\n")


if __name__ == "__main__":
    write_events()
