"""Who may see whom, and what purity means: rules over the syntax trees of all modules.

`complaints(module, source)` needs no files, so the rules themselves can be tested on made-up sources.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

PURE_LIBRARIES: Final = frozenset(
    # Readers of bytes that are already here, and what they are made of.
    {"msgspec", "lxml", "selectolax", "regex", "xxhash", "orjson", "charset_normalizer", "yaml"}
    # Of the standard library only what computes: nothing that knows files, sockets, clocks, chance,
    # processes or the environment.
    | {
        "__future__",
        "abc",
        "ast",
        "base64",
        "binascii",
        "bisect",
        "codecs",
        "collections",
        "colorsys",
        "contextlib",
    }
    | {
        "copy",
        "dataclasses",
        "datetime",
        "decimal",
        "difflib",
        "enum",
        "fractions",
        "functools",
        "hashlib",
        "heapq",
    }
    | {
        "html",
        "io",
        "itertools",
        "json",
        "math",
        "operator",
        "re",
        "string",
        "struct",
        "textwrap",
        "types",
        "typing",
    }
    | {"unicodedata", "urllib", "zlib"}
)

FORBIDDEN_SUBMODULES: Final = frozenset({"urllib.request", "urllib.robotparser", "lxml.html.clean"})

IMPURE_CALLS: Final[dict[str, str]] = {
    "open": "opens a file",
    "input": "asks a person",
    "print": "writes to a terminal",
    "eval": "runs text",
    "exec": "runs text",
    "__import__": "imports by name",
    "hash": "differs from process to process",
    "breakpoint": "stops",
}
IMPURE_METHODS: Final[dict[str, str]] = {
    "now": "reads the clock",
    "utcnow": "reads the clock",
    "today": "reads the clock",
    "read_text": "reads a file",
    "read_bytes": "reads a file",
    "write_text": "writes a file",
    "write_bytes": "writes a file",
    "urlopen": "opens a socket",
    "astimezone": "depends on the machine's time zone",
}

COMMON: Final = (
    "core.addresses",
    "core.identifiers",
    "core.judging",
    "core.politeness",
    "core.record",
    "core.types",
    "core.webpage_record",
)
"""What all rooms of the core share. Merging, the toolkit and reading do not see each other, but for what is read being said."""

# A module belongs to the longest name that its own begins with.
# What each may see, by the beginnings of names. Everybody may see itself.
BELOW_THE_RUNTIMES: Final = (
    "problems",
    "processes",
    "contract",
    "core",
    "ports",
    "adapters",
    "input",
    "output",
    "settings",
    "version",
    "registry",
)
EVERYTHING_BUT_SERVICES: Final = (*BELOW_THE_RUNTIMES, "runtimes", "api")
LAYERS: Final[dict[str, tuple[str, ...]]] = {
    "contract": ("contract", "version"),
    "core": ("contract", *COMMON),
    "core.merging": ("contract", *COMMON),
    "core.reading": ("contract", *COMMON),
    "core.toolkit": ("contract", *COMMON, "core.reading"),
    "ports": ("contract",),
    "version": (),
    "problems": (),
    "settings": ("version", "contract", "core", "problems"),
    "input": ("input", "contract", "core", "problems"),
    "output": ("output", "contract", "core", "version", "settings", "problems"),
    "adapters": ("adapters", "ports", "contract", "core", "version"),
    "registry": ("resources", "contract", "core"),
    "deploy": ("contract", "registry", "runtimes"),
    "resources": ("contract", "core"),
    "merger": ("contract", "core"),
    "processes": ("processes", "contract"),
    # The composition root: the one place that puts services and adapters together.
    "runtimes": (
        "runtimes",
        *BELOW_THE_RUNTIMES,
        "resources",
        "doors",
        "merger",
        "scheduler",
        "materialiser",
    ),
    "runtimes.bus.audit": ("contract",),
    "api": (*BELOW_THE_RUNTIMES, "runtimes"),
    "doors": BELOW_THE_RUNTIMES,
    "scheduler": BELOW_THE_RUNTIMES,
    "materialiser": BELOW_THE_RUNTIMES,
    "gateway": EVERYTHING_BUT_SERVICES,
    "jats": EVERYTHING_BUT_SERVICES,
    "articles": EVERYTHING_BUT_SERVICES,
    "articles.iterator": ("contract", "core"),
    "cli": EVERYTHING_BUT_SERVICES,
    "cli.operations.selecting": ("contract", "core"),
}

PURE: Final = (
    "core",
    "resources",
    "merger",
    "contract",
    "articles.iterator",
    "cli.operations.selecting",
    "runtimes.bus.audit",
)

TOOLS: Final = (
    "contract.generated",
    "contract.catalogue",
    "contract.generate",
    "contract.generate_resources",
    "contract.docstrings",
    "contract.json_schema",
)
"""Parts of the contract that read its files; nothing pure may see them."""

FAMILIES: Final = ("resources", "doors")
"""Folders whose folders are services of their own: siblings do not see each other."""

COMPOSES: Final[dict[str, tuple[str, ...]]] = {
    "cli.commands.articles.command": ("articles",),
    "cli.commands.jats.command": ("jats",),
    "cli.commands.text.reading": ("doors", "jats"),
    "cli.commands.doctor.looks": ("doors",),  # looks whether they could be opened
}
"""Modules of the command line and the library that put other services together for it, and what each may see besides."""

WAIVERS: Final[dict[tuple[str, str], str]] = {
    (
        "articles.iterator.compiled",
        "exec()",
    ): "runs the code that it has just written itself; its speed is the point",
}
"""(module, what it sees or does): the reason why it may for now. May only shrink."""


class Complaint(NamedTuple):
    module: str
    what: str
    why: str


def complaints(module: str, source: str) -> list[Complaint]:
    """What a module does that its layer must not; `module` without the leading `pubweave.`."""
    tree = ast.parse(source)
    found = [*_sees_too_much(module, tree), *_changes_others(tree, module)]
    if _is_pure(module) and module not in TOOLS:
        found += _is_not_pure(module, tree)
    return [one for one in found if (one.module, one.what) not in WAIVERS]


def circles(sources: Mapping[str, str], depth: int = 1) -> list[list[str]]:
    """Packages that see each other, in whatever roundabout way.

    :param sources: of all modules, by name without the leading `pubweave.`
    :param depth: 1 for those directly below `pubweave`, 2 for those in them, …; a module counts for itself where no package
        lies so deep
    """
    sees: dict[str, set[str]] = {}
    for module, source in sources.items():
        package = ".".join(module.split(".")[:depth])
        seen = {
            ".".join(_module_of(name.removeprefix("pubweave."), sources).split(".")[:depth])
            for name in _imported(ast.parse(source))
            if name.startswith("pubweave.")
        }
        sees.setdefault(package, set()).update(seen - {package})
    reached = {package: set(seen) for package, seen in sees.items()}
    for _ in sees:
        for seen in reached.values():
            seen |= {further for one in seen for further in sees.get(one, ())}
    rings = {
        tuple(sorted({package} | {one for one in seen if package in reached.get(one, ())}))
        for package, seen in reached.items()
        if package in seen
    }
    return [list(ring) for ring in sorted(rings)]


def _module_of(name: str, modules: Iterable[str]) -> str:
    """The module of what is imported: the name itself, or all of it but what stands in the module."""
    return name if name in modules or "." not in name else name.rpartition(".")[0]


def layer_of(module: str) -> str | None:
    """The name of the layer a module belongs to; None if it has none."""
    return max((layer for layer in LAYERS if _begins(module, layer)), key=len, default=None)


def _is_pure(module: str) -> bool:
    return any(_begins(module, one) for one in PURE)


def _imported(tree: ast.AST) -> Iterator[str]:
    """Full names of what a module imports, wherever the import stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            name = node.module or ""
            if node.level:
                yield "." * node.level + name
            elif name == "pubweave" or name.startswith("pubweave."):
                # `from pubweave.contract import digests` sees pubweave.contract.digests.
                yield from (f"{name}.{alias.name}" for alias in node.names)
            else:
                yield name


def _begins(name: str, beginning: str) -> bool:
    return name == beginning or name.startswith(beginning + ".")


def _sees_too_much(module: str, tree: ast.AST) -> Iterator[Complaint]:
    layer = layer_of(module)
    allowed = None if layer is None else LAYERS[layer]
    for name in _imported(tree):
        if name.startswith("."):
            yield Complaint(module, name, "relative imports hide who sees whom")
            continue
        if not name.startswith("pubweave."):
            if name.partition(".")[0] == "faust" and not _begins(module, "runtimes"):
                yield Complaint(module, name, "Faust lives under runtimes and nowhere else")
            continue
        seen = name.removeprefix("pubweave.")
        if allowed is None:
            yield Complaint(module, name, f"has no layer: give it one in {__name__}")
        elif _is_another_command(module, seen):
            yield Complaint(module, name, "commands do not see each other, nor does what they share see one")
        elif _begins(seen, _home(module)) or any(
            _begins(seen, one) for one in (*allowed, *COMPOSES.get(module, ()))
        ):
            if _is_pure(module) and module not in TOOLS and any(_begins(seen, tool) for tool in TOOLS):
                yield Complaint(module, name, "reads files")
        else:
            yield Complaint(module, name, f"{layer} must not see it")


def _is_another_command(module: str, seen: str) -> bool:
    """`seen` is in the folder of a command of which `module` is no part."""
    return _begins(seen, "cli.commands") and module.split(".")[:3] != seen.split(".")[:3]


def _changes_others(tree: ast.Module, module: str) -> Iterator[Complaint]:
    """What is imported is not changed by being imported with something else: no `other.name = ...` while a module loads."""
    imported = {
        (alias.asname or alias.name.partition(".")[0])
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    for statement in _run_at_import(tree.body):
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        if isinstance(statement, ast.AugAssign | ast.AnnAssign):
            targets = [statement.target]
        for target in targets:
            root = target
            while isinstance(root, ast.Attribute | ast.Subscript):
                root = root.value
            if root is not target and isinstance(root, ast.Name) and root.id in imported:
                yield Complaint(module, f"{ast.unparse(target)} =", "changes what another module holds")


def _run_at_import(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that run while the module is imported: all but those of functions."""
    for statement in body:
        yield statement
        if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _run_at_import(
                one for one in ast.iter_child_nodes(statement) if isinstance(one, ast.stmt)
            )


def _home(module: str) -> str:
    """What belongs to the same room: the layer, in a family its folder; what lies directly in the core is only itself."""
    parts = module.split(".")
    if parts[0] in FAMILIES:
        return ".".join(parts[:2])
    layer = layer_of(module) or parts[0]
    return module if layer == "core" else layer


def _is_not_pure(module: str, tree: ast.AST) -> Iterator[Complaint]:
    for name in _imported(tree):
        if name.startswith(("pubweave.", ".")):
            continue
        if name.partition(".")[0] not in PURE_LIBRARIES or name in FORBIDDEN_SUBMODULES:
            yield Complaint(module, name, "not among the libraries that only compute")
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Name) and node.func.id in IMPURE_CALLS:
            yield Complaint(module, f"{node.func.id}()", IMPURE_CALLS[node.func.id])
        if isinstance(node.func, ast.Attribute) and node.func.attr in IMPURE_METHODS:
            yield Complaint(module, f".{node.func.attr}()", IMPURE_METHODS[node.func.attr])
