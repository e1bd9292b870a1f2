"""The rooms of the house as ARCHITECTURE.md lists them: which folders there are, and what each may see."""

import re
from collections.abc import Iterator
from typing import Final

from contract.imports import BELOW_THE_RUNTIMES, COMMON, LAYERS, layer_of

SHARED_BY_THE_CORE: Final = "core/*.py"
BELOW: Final = "whatever the runtimes stand on"
"""How the table writes the longest list."""


def shown(name: str) -> str:
    """What the last column says of a folder or module, by its dotted name."""
    layer = layer_of(name)
    assert layer is not None, name
    seen = [one for one in LAYERS[layer] if one != layer]
    words = []
    if set(BELOW_THE_RUNTIMES) <= set(LAYERS[layer]):
        words.append(BELOW)
        seen = [one for one in seen if one not in BELOW_THE_RUNTIMES]
    if layer.startswith("core"):
        words.append(f"`{SHARED_BY_THE_CORE}`")
        seen = [one for one in seen if one not in COMMON]
    words += [f"`{one.replace('.', '/')}`" for one in seen]
    return ", ".join(words) or "nothing of the rest"


def rows(page: str) -> Iterator[tuple[list[str], str]]:
    """Names of folders and modules of each row (dotted, without the root), and its last column."""
    table = page.partition("## Where things are")[2].partition("\n## ")[0]
    for line in table.splitlines():
        if line.startswith("| `"):
            first, _, last = (cell.strip() for cell in line.strip("|").split(" | "))
            yield [one.removesuffix(".py").replace("/", ".") for one in re.findall(r"`([^`]+)`", first)], last
