"""Gathers what the folders of the resources declare into `resources.py`, `resource_names.py`, docs/resources.md and the
types that the schemas of our output list.

python -m pubweave.contract.generate_resources            write what is out of date
python -m pubweave.contract.generate_resources --check    only say what is; exit status 1 if anything is

The contract and the core may not see services, and a type checker must see the words; so both are written down here.
`make generate` does this first, since everything else that is made is made from them.
"""

import json
import runpy
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from pubweave.contract import declaration as form
from pubweave.contract.declaration import Budget, Declaration, in_order, problems, types_of
from pubweave.contract.generated import GeneratedFile

COMMAND: Final = "make generate"

_CONTRACT: Final = Path(__file__).parent
_WIDTH: Final = 110
_HEAD: Final = f'''"""{{what}}

Made by `{COMMAND}` from services/pubweave/resources/*/declaration.py; do not edit.
"""
'''


class DeclarationProblem(Exception):
    """The declarations cannot be used; the text says what is wrong, a line each."""


def folders(root: Path) -> list[Path]:
    """The folders of the resources of a checkout at `root`."""
    home = root / "services" / "pubweave" / "resources"
    return sorted(path.parent for path in home.glob("*/__init__.py"))


def declared(root: Path) -> tuple[Declaration, ...]:
    """What the folders declare, in the order of the chain.

    :raises DeclarationProblem: something is wrong with a declaration
    """
    found = []
    for folder in folders(root):
        file = folder / "declaration.py"
        if not file.is_file():
            raise DeclarationProblem(f"{folder.name}: nobody asks it: its folder has no declaration.py.")
        # Run by itself: importing the folder would want the words that are made from it.
        one = runpy.run_path(str(file)).get("DECLARATION")
        if not isinstance(one, Declaration) or one.name != folder.name:
            raise DeclarationProblem(
                f"{folder.name}: its declaration.py declares no DECLARATION of that name."
            )
        found.append(one)
    if wrong := problems(found):
        raise DeclarationProblem("\n".join(wrong))
    return in_order(found)


def everything(root: Path) -> Iterator[GeneratedFile]:
    """The files, as they must be.

    :raises DeclarationProblem: something is wrong with a declaration
    """
    declarations = declared(root)
    yield GeneratedFile(_CONTRACT / "resource_names.py", _names(declarations))
    yield GeneratedFile(_CONTRACT / "resources.py", _table(declarations))
    yield GeneratedFile(root / "docs" / "resources.md", _page(declarations))
    for name in ("document", "publications"):
        file = _CONTRACT.parent / "output" / "schemas" / f"{name}.schema.json"
        yield GeneratedFile(file, _with_types(json.loads(file.read_text(encoding="utf-8")), declarations))


def stale(root: Path) -> list[GeneratedFile]:
    """Those that are missing or not what they must be.

    :raises DeclarationProblem: something is wrong with a declaration
    """
    return [
        made
        for made in everything(root)
        if not made.path.is_file() or made.path.read_text(encoding="utf-8") != made.content
    ]


def _with_types(schema: Any, declarations: Sequence[Declaration]) -> str:
    """A JSON Schema of what the program puts out, whose lists of types are those of today. The part table has a row for each
    type, those of resources that are off only where there are some."""
    types = [one.name for one in types_of(declarations)]

    def renewed(value: Any) -> Any:
        if isinstance(value, dict):
            lists_types = {"europepmc", "na"} <= set(map(str, value.get("enum", ())))
            return {
                name: types
                if name == "enum" and lists_types
                else len(types)
                if name == "maxItems"
                else renewed(member)
                for name, member in value.items()
            }
        return [renewed(one) for one in value] if isinstance(value, list) else value

    return json.dumps(renewed(schema), indent=2, ensure_ascii=False) + "\n"


_PAGE_HEAD: Final = f"""<!-- Made by `{COMMAND}` from services/pubweave/resources/*/declaration.py; do not edit. -->
# Resources

The sources that Pubweave asks, in the order in which it asks them: a row with a smaller rank comes before. `resources` in the settings
says which of them are asked; with `+name` one that is off is asked too.
"""


def _page(declarations: Sequence[Declaration]) -> str:
    """docs/resources.md."""
    rows = [
        (
            str(row.rank),
            f"`{one.name}`" + ("" if one.on else " (off)"),
            one.story,
            ", ".join(map(str.upper, row.asks)),
            _words(row.gives),
            str(one.batching.most),
        )
        for one in declarations
        for row in one.rows
    ]
    others = [(f"`{one.name}`", one.story, _ASKED[one.asked]) for one in declarations if not one.rows]
    budgets = [
        (
            f"`{budget.family}`",
            "<br>".join(budget.at),
            _rate(budget),
            str(budget.connections or ""),
            f"{budget.daily_quota:,}" if budget.daily_quota else "",
            f"{budget.source} ({budget.as_of})",
        )
        for one in declarations
        for budget in one.budgets
    ]
    types = [
        (str(one.rank), f"`{one.name}`", one.label, "yes" if one.final else "")
        for one in types_of(declarations)
    ]
    return "\n".join(
        [
            _PAGE_HEAD,
            *_rows(("rank", "name", "", "asked with", "gives", "at once"), rows),
            "",
            "Besides:",
            "",
            *_rows(("name", "", "asked by"), others),
            "",
            "## Budgets",
            "",
            "How often each family of addresses is asked; `--budgets FILE` says otherwise ([operating-fetcher.md](operating-fetcher.md)).",
            "",
            *_rows(("family", "addresses", "rate", "connections", "a day", "by whom"), budgets),
            "",
            "## Types",
            "",
            "What values are marked with, the best first; nothing more is asked for a part with a final one.",
            "",
            *_rows(("rank", "type", "", "final"), types),
            "",
        ]
    )


_ASKED: Final[dict[str, str]] = {
    "by-links": "links, when the rows are through",
    "for-pages": "whoever wants such a page",
    "by-tests": "test operations only, never a run",
}


def _words(gives: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in sorted(gives))


def _rate(budget: Budget) -> str:
    if not budget.requests:
        return ""
    window = "s" if budget.seconds == 1 else f"{budget.seconds:g} s"
    keyed = f"; {budget.with_key}/{window} with `{budget.key}`" if budget.with_key else ""
    return f"{budget.requests}/{window}{keyed}"


def _rows(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)]


def _names(declarations: Sequence[Declaration]) -> str:
    types = [one.name for one in types_of(declarations)]
    return "\n".join(
        [
            _HEAD.format(what="The names of the resources, and of the types that they give."),
            "from typing import Literal",
            "",
            _literal("TypeName", types),
            _literal("ResourceName", [one.name for one in declarations]),
        ]
    )


def _literal(name: str, words: Sequence[str]) -> str:
    return "\n".join([f"{name} = Literal[", *(f"    {_source(word)}," for word in words), "]", ""])


def _table(declarations: Sequence[Declaration]) -> str:
    addresses = [address for one in declarations for address in one.addresses]
    body = [
        "DECLARATIONS: Final[tuple[Declaration, ...]] = (",
        *(f"    {_source(one, 4)}," for one in declarations),
        ")",
        '"""Every resource, in the order of the chain; after it who follows links, reads pages, and serves tests."""',
        "",
        "",
        "class Addresses(NamedTuple):",
        '    """Base addresses of the outside, each a setting (P-28); no slash at the end."""',
        "",
        *(f"    {address.name}: str = {_source(address.url)}" for address in addresses),
        "",
    ]
    text = "\n".join(body)
    forms = sorted(name for name in vars(form) if f"{name}(" in text and name in _forms())
    return "\n".join(
        [
            _HEAD.format(what="Everything that the resources are, but the functions that ask and read."),
            "from typing import Final, NamedTuple",
            "",
            f"from pubweave.contract.declaration import {', '.join(forms)}",
            "",
            text,
        ]
    )


def _forms() -> set[str]:
    return {name for name, one in vars(form).items() if hasattr(one, "_field_defaults")}


def _source(value: object, indent: int = 0) -> str:
    """A value as Python, as a formatter would leave it: on one line if it is short, else a line each."""
    if hasattr(value, "_field_defaults"):
        return _with_fields(value, indent)
    if isinstance(value, tuple):
        items = [_source(one, indent + 4) for one in value]
        return _together("(", items, "," if len(items) == 1 else "", ")", indent)
    if isinstance(value, frozenset):
        words = sorted(_source(one) for one in value)
        return _together("frozenset(", [_together("{", words, "", "}", indent + 4)], "", ")", indent)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def _with_fields(value: object, indent: int) -> str:
    """`Form(field=value, …)`, without the fields that say what they say anyway."""
    defaults: dict[str, object] = type(value)._field_defaults  # type: ignore[attr-defined]
    items = [
        f"{name}={_source(getattr(value, name), indent + 4)}"
        for name in type(value)._fields  # type: ignore[attr-defined]
        if name not in defaults or getattr(value, name) != defaults[name]
    ]
    return _together(f"{type(value).__name__}(", items, "", ")", indent)


def _together(opening: str, items: Sequence[str], comma: str, closing: str, indent: int) -> str:
    line = f"{opening}{', '.join(items)}{comma}{closing}"
    if len(line) <= _WIDTH // 2 and "\n" not in line:
        return line
    inner = " " * (indent + 4)
    return "\n".join([opening, *(f"{inner}{item}," for item in items), " " * indent + closing])


def main(arguments: Sequence[str]) -> int:
    """:returns: exit status"""
    root = _CONTRACT.parents[2]
    if not folders(root):
        print("There is no checkout around this package: nothing to generate.", file=sys.stderr)
        return 2
    try:
        old = stale(root)
    except DeclarationProblem as problem:
        print(problem, file=sys.stderr)
        return 1
    for made in old:
        if "--check" in arguments:
            print(f"{made.path.relative_to(root)} is out of date; run: {COMMAND}", file=sys.stderr)
        else:
            made.path.write_text(made.content, encoding="utf-8")
            print(f"{made.path.relative_to(root)} written")
    return 1 if old and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
