"""The reference of the library, made from its docstrings: `python -m pubweave.api.reference > docs/library-reference.md`."""

import inspect
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

from pubweave import api


def page() -> str:
    """The whole page, as Markdown."""
    names = [name for name in api.__all__ if name not in ("sync", "SETTINGS")]
    functions = [name for name in names if inspect.isfunction(getattr(api, name))]
    classes = [name for name in names if inspect.isclass(getattr(api, name))]
    lines = [
        "<!-- Made by `python -m pubweave.api.reference`; edit the docstrings in shared/pubweave/api instead. -->",
        "# Reference of the library",
        "",
        "Everything of `from pubweave import api`. [The guide](library.md) shows it by examples. `api.sync` has the same "
        "in plain calls.",
        "",
        "## Functions",
        "",
    ]
    for name in functions:
        lines += [*_told(f"api.{name}", getattr(api, name), heading="###"), ""]
    lines += ["## Classes", ""]
    for name in classes:
        lines += [f"### `api.{name}`", "", *_text(getattr(api, name)), ""]
        lines += [f"* `{field}: {kind}`" for field, kind in _fields(getattr(api, name))]
        lines += ["", ""] if lines[-1] else []
        if name in ("Database", "Fetcher", "Output", "Rules"):
            for method, function in _methods(getattr(api, name)):
                lines += [*_told(f"{name}.{method}", function, heading="####"), ""]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip() + "\n"


def _told(name: str, function: Callable[..., Any], heading: str) -> list[str]:
    waits = "async " if inspect.iscoroutinefunction(function) else ""
    return [
        f"{heading} `{name}`",
        "",
        "```python",
        f"{waits}{_signature(name, function)}",
        "```",
        "",
        *_text(function),
    ]


def _signature(name: str, function: Callable[..., Any]) -> str:
    signature = inspect.signature(function)
    some = [one for one in signature.parameters.values() if one.name != "self"]
    shown = str(signature.replace(parameters=some))
    shown = re.sub(r"\b(?:[a-z_]+\.)+([A-Z])", r"\1", shown)  # names without their modules
    shown = re.sub(r"Literal\[[^\]]*\]", _literal, shown)
    shown = re.sub(r"\(('pmid', 'pmcid', .*?)\)", "PART_NAMES", shown)
    return f"{name}{shown}".replace("'", '"')


def _literal(match: re.Match[str]) -> str:
    """Long lists of words by the names that they have."""
    words = match[0]
    if "fulltext" in words:
        return "PartName"
    return "TypeName" if words.count(",") > 5 else words


def _text(thing: object) -> list[str]:
    """A docstring; parameters and errors as a list, examples as code."""
    lines: list[str] = []
    for line in (inspect.getdoc(thing) or "").splitlines():
        if field := re.match(r":(param |raises )?(\w+)?:? ?(.*)", line):
            what = f"`{field[2]}`" + (" is raised" if field[1] == "raises " else "") if field[1] else "gives"
            lines += [*([""] if lines and not lines[-1].startswith("* ") and lines[-1] else [])]
            lines.append(f"* {what}: {field[3].removeprefix(': ')}")
        elif line.startswith(">>>"):
            lines.append(f"    {line}")
        else:
            lines.append(f"    {line}" if lines and lines[-1].startswith("    >>>") and line else line)
    return lines


def _fields(thing: type) -> Iterator[tuple[str, str]]:
    for field in getattr(thing, "__struct_fields__", ()):
        kind = thing.__annotations__.get(field, "")
        yield field, kind if isinstance(kind, str) else getattr(kind, "__name__", str(kind))


def _methods(thing: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    for name, function in vars(thing).items():
        if isinstance(function, staticmethod):
            function = function.__func__
        if inspect.isfunction(function) and not name.startswith("_"):
            yield name, function


if __name__ == "__main__":
    sys.stdout.write(page())
