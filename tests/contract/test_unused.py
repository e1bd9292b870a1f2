"""What nobody uses goes: names that stand in one place only, and what is installed but never imported, or the reverse."""

import ast
import io
import re
import sys
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Final

import pubweave.contract

CHECKOUT = Path(pubweave.contract.__path__[0]).parents[2]
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

FOR_OTHERS: Final[dict[str, str]] = {
    **dict.fromkeys(
        (
            "ARTICLE_METADATA",
            "ROLE_ISSUE_METADATA",
            "ROLE_ARTICLE_HANDLE",
            "ROLE_FIGURES_TABLES",
            "PREDEFINED_ROLES",
            "SubTreeArticleIteratorBuilder",
        ),
        "LOCKSS's names, for plugins that people write (docs/articles.md)",
    ),
    "ManualClock": "a clock that stands still, for tests of ours and of others",
    "MemoryStorage": "the ports in memory, for tests of ours and of others",
    "read_publications": "the reading half of a round trip, which tests make",
    "read_webpages": "the reading half of a round trip, which tests make",
    "API_RESOURCES": "the sources of a run without publishers, which tests and benches ask",
    "APART": "the sources that only test operations ask, which tests walk",
    "rebuild_state": "half of a rebuilding, which tests look at alone",
    "NO_EVENTS": "tells rows from events, for what compares a store with its log",
    "as_markdown": "the table of outcomes as the manual has it; a test holds the manual to it",
}
"""Names that only others use: the reason why. May only shrink."""

NOT_IMPORTED: Final[dict[str, str]] = {
    "cramjam": "aiokafka reads and writes lz4 and zstd with it",
    "trustme": "certificates of the simulated internet, which `pubweave demo` starts",
}
"""What is declared though no module imports it: the reason why. May only shrink."""


@cache
def sources() -> dict[Path, str]:
    return {
        path: path.read_text(encoding="utf-8")
        for root in ("shared", "services")
        for path in sorted((CHECKOUT / root / "pubweave").rglob("*.py"))
    }


def defined(tree: ast.Module) -> Iterator[str]:
    """Public functions, classes and constants of a module."""
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                # What a decorator registers (a command, an entry of a table) is used by being there.
                if not node.decorator_list or isinstance(node, ast.ClassDef):
                    yield name
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                yield name


def named(source: str) -> Iterator[str]:
    """Every name of a module, those in strings that are annotations or entries of `__all__` included."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.NAME:
            yield token.string
        elif token.type == tokenize.STRING and (len(token.string) < 200 or token.string[0] == "f"):
            yield from re.findall(r"\w+", token.string)


def test_every_public_name_is_used() -> None:
    """Tests alone are no use: what only they call is work for nobody."""
    uses = Counter(name for source in sources().values() for name in named(source))
    unused = {
        f"{path.relative_to(CHECKOUT)}: {name}"
        for path, source in sources().items()
        for name in defined(ast.parse(source))
        if not name.startswith("_") and uses[name] < 2
    }

    assert {one for one in unused if one.rpartition(" ")[2] not in FOR_OTHERS} == set()
    assert {one.rpartition(" ")[2] for one in unused} == set(FOR_OTHERS)


def imported() -> set[str]:
    """Distributions that modules import."""
    known = packages_distributions()
    found = set()
    for source in sources().values():
        for node in ast.walk(ast.parse(source)):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module]
            for name in (one.partition(".")[0] for one in names):
                if name not in sys.stdlib_module_names and name != "pubweave":
                    found.add(tidy(known[name][0]))
    return found


def tidy(requirement: str) -> str:
    """The name of a distribution, as PEP 503 compares it."""
    found = re.match(r"[\w.-]+", requirement)
    assert found is not None
    return re.sub(r"[-_.]+", "-", found.group()).lower()


def declared() -> set[str]:
    extras = PROJECT["optional-dependencies"]
    wanted = [*PROJECT["dependencies"], *(one for name in extras if name != "dev" for one in extras[name])]
    return {tidy(one) for one in wanted}


def test_what_is_imported_is_what_is_declared() -> None:
    """Nothing comes along by the grace of another package, and nothing is installed for nothing."""
    assert imported() - declared() == set(), "imported, but not declared in pyproject.toml"
    assert declared() - imported() == set(NOT_IMPORTED), "declared, but imported nowhere"


def test_what_is_declared_is_pinned() -> None:
    for lock in ("requirements.lock", "requirements-dev.lock"):
        pinned = {
            tidy(line) for line in (CHECKOUT / lock).read_text(encoding="utf-8").splitlines() if "==" in line
        }
        base = {tidy(one) for one in PROJECT["dependencies"]}
        assert base <= pinned, lock
