"""Every regular expression of the product, with the ways in which it is used.

Found by reading the source: each call of `re` and `regex`. What the call compiles is computed in the names of its module, so
that expressions made of constants are known too. One that cannot be computed there is built while the program runs and
stands in `BUILT`, with examples; a test says so where one is neither.
"""

import ast
import importlib
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NamedTuple

import regex  # type: ignore[import-untyped]

from pubweave.articles.iterator import families
from pubweave.core.identifiers import _LABELS
from pubweave.core.reading import closing, layout
from pubweave.core.reading.jats import sections

ROOT: Final = Path(__file__).resolve().parents[2]
SOURCES: Final = (ROOT / "shared", ROOT / "services")
_ENGINES: Final = {"re": re, "regex": regex}
_CALLS: Final = ("compile", "match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer")
_ANYWHERE: Final = ("closed", "sub", "subn", "split", "findall", "finditer")
"""What goes on after a match, and so may start anywhere."""


_OPENING: Final = r'''f"<(?=[{first}])({'|'.join(names)})(?:(?<=!--)|(?:\\s[^>]*+)?>)"'''
GUARDED: Final = {
    **{f"pubweave.core.reading.closing:{_OPENING}[{number}]": ">" for number in range(2)},
    "pubweave.articles.sink:_META": ">",
    "pubweave.core.reading.layout:_TAGS_APART": ">",
    "pubweave.core.reading.pdf_text.metadata:_TAG_OR_COMMENT": "-->",
}
"""Expressions that are only applied up to the last closing there is, where the call is none of `sub_closed`."""

BOUNDED: Final = {
    "pubweave.core.reading.charset:_IN_PAGE": 4096,
    **{
        f"pubweave.core.reading.jats.sections:pattern[{number}]": 90
        for number in range(len(sections._TITLES))
    },
    "pubweave.core.reading.pdf_text.hyphens:_LAST": 200,
    "pubweave.core.reading.pdf_text.hyphens:_ADDRESS": 200,
}
"""Expressions that never meet a longer text than this, by the code that applies them."""

OURS: Final = ("pubweave.api.reference", "pubweave.cli.commands.man.command")
"""What reads nothing but Pubweave's own source."""

BUILT: Final[dict[tuple[str, str], Callable[[], Iterable["re.Pattern[Any]"]]]] = {
    ("pubweave.articles.iterator.families", "regex"): lambda: (
        re.compile(words) for words, _ in families._ROLE_WORDS
    ),
    ("pubweave.core.identifiers", r"""f'(?:(?<!\\s)\\s++)?(?:{kind})[\\s:]*(?=\\S)'"""): lambda: (
        _LABELS.values()
    ),
    ("pubweave.core.reading.jats.sections", "pattern"): lambda: (pattern for _, pattern in sections._TITLES),
    (
        "pubweave.core.reading.java_regex.pattern",
        "text",
    ): tuple,  # of rules and plugins: see test_foreign_patterns
    ("pubweave.core.reading.java_regex.sets", "f'[{members}]+'"): tuple,  # applied to Unicode itself
    ("pubweave.core.reading.closing", _OPENING): lambda: (
        closing._opening(layout._DATA),
        closing._opening(layout._PREFORMATTED),
    ),
}
"""What is built while the program runs, by module and expression."""


class Found(NamedTuple):
    """One expression: where it stands (`module:line` or `module:NAME`), compiled, and how it is applied."""

    place: str
    pattern: "re.Pattern[Any]"
    ways: tuple[str, ...]


class Unknown(NamedTuple):
    """A call whose expression is built while the program runs."""

    place: str
    expression: str


def found() -> tuple[list[Found], list[Unknown]]:
    """Every expression of the product, and the calls whose expression cannot be told by reading."""
    known: list[Found] = []
    unknown: list[Unknown] = []
    for path in sorted(path for source in SOURCES for path in source.rglob("*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts[1:]).removesuffix(".__init__")
        tree = ast.parse(path.read_text("utf-8"))
        calls = list(_calls(tree))
        if module in OURS or not calls:
            continue
        for one in _of_module(module, tree, calls):
            if isinstance(one, Found):
                known.append(one)
            elif made := BUILT.get(one):
                ways = _ways(module, "")
                known += (
                    Found(f"{module}:{one.expression}[{number}]", each, ways)
                    for number, each in enumerate(made())
                )
            else:
                unknown.append(one)
    return known, unknown


def _calls(tree: ast.AST) -> Iterator[tuple[ast.Call, str]]:
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id in _ENGINES
            and node.func.attr in _CALLS
        ):
            yield node, node.func.attr


def _of_module(name: str, tree: ast.AST, calls: list[tuple[ast.Call, str]]) -> Iterator[Found | Unknown]:
    module = importlib.import_module(name)
    names = {
        id(node.value): target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    for call, method in calls:
        given = _argument(call, 0, "pattern")
        try:
            source = _computed(given, module)
            flags = _computed(_argument(call, 1 if method == "compile" else -1, "flags"), module) or 0
            compiled = re.compile(source, flags)
        except Exception:  # noqa: BLE001 (whatever it is, it is not known here)
            yield Unknown(name, ast.unparse(given) if given is not None else "")
            continue
        label = names.get(id(call), "")
        ways = (method,) if method != "compile" else _ways(name, label)
        yield Found(f"{name}:{label or call.lineno}", compiled, ways)


def _argument(call: ast.Call, position: int, name: str) -> ast.expr | None:
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    return call.args[position] if 0 <= position < len(call.args) else None


def _computed(given: ast.expr | None, module: ModuleType) -> Any:
    return None if given is None else eval(compile(ast.Expression(given), "here", "eval"), vars(module))


def _ways(module: str, label: str) -> tuple[str, ...]:
    """The methods that are called on a name in any module that has it; all that there are, if none is seen."""
    if not label:  # one of many in a table, or made where it is used
        used_here = re.findall(r"(?<!\bre)\.(match|fullmatch|search|sub|findall|finditer)\(", _source(module))
        return tuple(sorted(set(used_here))) or ("fullmatch", "finditer")
    ways = {
        used
        for text in (_source(module), *(_source(other) for other in _users(module, label)))
        for used in re.findall(rf"\b{label}(?:\[\w+\])?\.({'|'.join(_CALLS)})\b", text)
        + ["closed"] * (f"sub_closed({label}," in text)
    }
    return tuple(sorted(ways)) or ("fullmatch", "finditer")


_TEXTS: dict[str, str] = {}


def _source(module: str) -> str:
    if not _TEXTS:
        for source in SOURCES:
            for path in source.rglob("*.py"):
                name = ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__")
                _TEXTS[name] = path.read_text("utf-8")
    return _TEXTS[module]


def _users(module: str, label: str) -> Iterator[str]:
    _source(module)
    for name, text in _TEXTS.items():
        if name != module and label in text and module in text:
            yield name


def applied(one: Found) -> Callable[[str], None]:
    """The expression applied to a text in every way in which the product applies it."""
    pattern = one.pattern
    guard = ">" if "closed" in one.ways else GUARDED.get(one.place, "")
    of_bytes = isinstance(pattern.pattern, bytes)

    def run(text: str) -> None:
        if guard:
            text = text[: text.rfind(guard) + len(guard)] if guard in text else ""
        told: Any = text.encode("utf-8", "replace") if of_bytes else text
        for way in dict.fromkeys("finditer" if way in _ANYWHERE else way for way in one.ways):
            if way == "finditer":
                for _ in pattern.finditer(told):
                    pass
            else:
                getattr(pattern, way)(told)

    return run
