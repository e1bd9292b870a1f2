"""One name, one thing: no two classes are called alike, whether others may use them or not."""

import ast
from collections import defaultdict
from pathlib import Path
from typing import Final

import pubweave.contract

CHECKOUT = Path(pubweave.contract.__path__[0]).parents[2]

ALIKE: Final[dict[str, str]] = {
    "Database": "the library's, and the same in plain calls (api.sync)",
    "Fetcher": "the library's, and the same in plain calls (api.sync)",
}
"""Names that two classes have: the reason why. May only shrink."""


def classes() -> dict[str, list[str]]:
    """Where classes are defined, by their names without leading underscores."""
    found = defaultdict(list)
    for root in ("shared", "services"):
        for path in sorted((CHECKOUT / root / "pubweave").rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef):
                    found[node.name.lstrip("_")].append(f"{path.relative_to(CHECKOUT)}:{node.lineno}")
    return found


def test_no_two_classes_have_one_name() -> None:
    """Who reads a name has to find one thing. A class that is private to its module counts as well."""
    found = {name: places for name, places in classes().items() if len(places) > 1}

    told = "\n".join(f"{name}: {', '.join(found[name])}" for name in sorted(set(found) - set(ALIKE)))
    assert set(found) <= set(ALIKE), f"give these names of their own:\n{told}"


def test_the_list_of_names_alike_is_still_needed() -> None:
    assert {name for name, places in classes().items() if len(places) > 1} == set(ALIKE)
    assert all(len(classes()[name]) == 2 for name in ALIKE)
