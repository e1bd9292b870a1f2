"""What the source says of the members of a class; Python keeps no docstrings of them at run time."""

import ast
import inspect
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple


class Told(NamedTuple):
    """One member as it is written down."""

    annotation: str
    default: str
    """Empty if it has none."""
    text: str
    """Its docstring on one line; empty if it has none."""


def members(struct: type) -> dict[str, Told]:
    """All members that a class of Pubweave declares or inherits, by their name in Python."""
    told: dict[str, Told] = {}
    for base in reversed(struct.__mro__):
        if base.__module__.startswith("pubweave."):
            told.update(_declared(base.__module__, base.__name__))
    return told


def text_of(struct: type) -> str:
    """The class docstring without its indentation; empty if it has none of its own."""
    text = struct.__dict__.get("__doc__") or ""
    return "" if text.startswith(f"{struct.__name__}(") else inspect.cleandoc(text)


@cache
def _declared(module: str, name: str) -> dict[str, Told]:
    tree = ast.parse(Path(inspect.getfile(sys.modules[module])).read_text(encoding="utf-8"))
    body = next((node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name), [])
    found = {}
    for node, following in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            text = ""
            if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant):
                text = " ".join(inspect.cleandoc(str(following.value.value)).split())
            default = ast.unparse(node.value) if node.value is not None else ""
            found[node.target.id] = Told(ast.unparse(node.annotation), default, text)
    return found
