"""What a YAML text may hold at most: composing one that is nested by the ten thousand ends the process."""

from __future__ import annotations

from typing import Any

import yaml

MAX_DEPTH = 64
"""Lists and mappings inside each other."""
MAX_NODES = 500_000
"""Values, each counted as often as it stands there or is pointed to (`*name`)."""

_Loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def check_bounds(text: str) -> None:
    """Read the text event by event, which neither nesting nor repetition makes dear.

    :raises yaml.YAMLError: it is no YAML, too deep, or too long when all that it points to is written out; with the place
    """
    sizes: dict[str, int] = {}
    open_: list[tuple[str | None, int]] = []
    total = 0
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.CollectionEndEvent):
            anchor, before = open_.pop()
            if anchor is not None:
                sizes[anchor] = total - before
            continue
        if isinstance(event, yaml.DocumentStartEvent):
            sizes.clear()
        if not isinstance(event, yaml.NodeEvent):
            continue
        if isinstance(event, yaml.CollectionStartEvent):
            open_.append((event.anchor, total))
        total += sizes.get(event.anchor or "", 1) if isinstance(event, yaml.AliasEvent) else 1
        if len(open_) > MAX_DEPTH or total > MAX_NODES:
            bound = f"{MAX_DEPTH} levels" if len(open_) > MAX_DEPTH else f"{MAX_NODES} values"
            mark: Any = event.start_mark  # the C parser has a class of its own
            raise yaml.composer.ComposerError(None, None, f"it has more than {bound}", mark)
