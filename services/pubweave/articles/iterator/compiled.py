"""The walk as generated code: what `walk` says, for millions of URLs.

For each definition one Python function is written: expressions compiled once, replacements as f-strings,
the order of questions fixed, and before each expression a plain search for a text that every match of it
must contain. `tests` hold it equal to the readable walk.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from typing import Any, Literal, cast

from pubweave.articles.iterator.definition import Aspect, Definition, Pattern
from pubweave.articles.iterator.files import ArticleFiles
from pubweave.articles.iterator.order import SLASH, UnitInMemory, is_below, root_node
from pubweave.articles.iterator.walk import media_type_of
from pubweave.core.reading.java_regex import JavaPattern, JavaReplacementError

OnError = Callable[[str, Exception], None]

_SHORTEST_USEFUL_LITERAL = 3
_FEW_ROOTS = 3


class CompiledWalk:
    """A definition made ready for fast walking; may be kept and used again.

    `needs_media_types` tells whether the walked items must be (URL, content type) pairs; else they are URLs.

    :raises DefinitionError: an expression does not compile
    """

    def __init__(self, definition: Definition) -> None:
        self.definition = definition
        self.needs_media_types = bool(definition.media_types)
        self._functions: dict[tuple[bool, str | Literal[False] | None], Callable[..., Iterator[Any]]] = {}

    def in_memory(self, unit: UnitInMemory, on_error: OnError | None = None) -> Iterator[ArticleFiles]:
        """The articles of a unit in memory, root after root.

        With few roots the URLs are taken as they come and the articles sorted, which are fewer.
        """
        roots = self.definition.roots
        if len(roots) > _FEW_ROOTS:
            for number, root in enumerate(roots):
                items: Iterable[Any] = unit.below(root) if self.needs_media_types else unit.urls_below(root)
                yield from self.walk_set(self.not_repeated(items, number), unit.stored, on_error)
            return
        stored = unit.stored
        for number, each in enumerate(roots or (None,)):
            every: Iterable[Any] = unit.items() if self.needs_media_types else unit.urls
            unsorted = self.not_repeated(every, number)
            keys: list[str] = []
            found = list(self._writer(False, each)(unsorted, stored, on_error, keys.append))
            # Sorted by their numbers: pairs of key and article would keep the cycle collector busy.
            yield from map(found.__getitem__, sorted(range(len(found)), key=keys.__getitem__))

    def not_repeated(self, items: Iterable[Any], number: int) -> Iterable[Any]:
        """The items of the root of this number; if `unique`, without what is below an earlier root."""
        earlier = self.definition.roots[:number] if self.definition.unique else ()
        if not earlier:
            return items
        if self.needs_media_types:
            return (item for item in items if not any(is_below(root, item[0]) for root in earlier))

        return (item for item in items if not any(is_below(root, item) for root in earlier))

    def walk_set(
        self, items: Iterable[Any], stored: Container[str], on_error: OnError | None = None
    ) -> Iterator[ArticleFiles]:
        """The articles of the items in their order; `stored` is asked by `in` what exists."""
        return cast("Iterator[ArticleFiles]", self._writer(False)(items, stored, on_error))

    def walk(
        self, items: Iterable[Any], has: Callable[[str], bool], on_error: OnError | None = None
    ) -> Iterator[ArticleFiles]:
        """As `walk_set`, but `has` is called to know what exists."""
        return cast("Iterator[ArticleFiles]", self._writer(True)(items, has, on_error))

    def _writer(self, calls: bool, root: str | Literal[False] | None = False) -> Callable[..., Iterator[Any]]:
        """The generated function; with a root (None: the whole unit) it takes the items in any order.

        Then it refuses what is not below the root, and hands the walk key of each article to its last argument.
        """
        made = self._functions.get((calls, root))
        if made is None:
            made = self._functions[calls, root] = _CodeWriter(self.definition, calls, root).function()

        return made


class _CodeWriter:
    def __init__(
        self, definition: Definition, calls: bool, root: str | Literal[False] | None = False
    ) -> None:
        self.definition = definition
        self.calls = calls
        self.root = root
        self.names: dict[str, Any] = {"new": ArticleFiles, "ReplacementError": JavaReplacementError}
        self.lines: list[str] = []
        self.depth = 0
        self.folded = False
        self.can_fail = False
        self.general = ""

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def function(self) -> Callable[..., Iterator[Any]]:
        self.depth = 2
        self.checks()
        self.owners()
        body = self.lines
        head = [f"def walk(items, has, on_error{'' if self.root is False else ', add_key'}):"]
        loop = "for url, kind in items:" if self.definition.media_types else "for url in items:"
        head.append(f"    {loop}")
        if self.can_fail:
            # Only replacements that name a missing group raise: that URL is skipped, the walk goes on (27, 29).
            head.append("        try:")
            body = [f"    {line}" for line in body]
            body += [
                "        except ReplacementError as error:",
                "            if on_error is not None:",
                "                on_error(url, error)",
            ]
        if self.folded:
            indent = "            " if self.can_fail else "        "
            body.insert(0, f"{indent}low = url.lower()")
        source = "\n".join(head + body + ["        pass", "    yield from ()"])
        exec(compile(source, "<walk of a plugin>", "exec"), self.names)

        return cast("Callable[..., Iterator[Any]]", self.names["walk"])

    # -- the parts

    def checks(self) -> None:
        definition = self.definition
        if isinstance(self.root, str):
            node = root_node(self.root)
            self.line(f"if not url.startswith({node + '/'!r}) and url != {node!r}: continue")
        if definition.include is not None:
            self.names["included"] = definition.include.compiled("include").looks_at_or_hits_end
            self.line("if not included(url): continue")
        elif definition.exclude is not None:
            self.names["excluded"] = definition.exclude.compiled("exclude").looking_at
            self.line("if excluded(url) is not None: continue")
        if definition.media_types:
            self.names["media_type_of"] = media_type_of
            self.names["kinds"] = frozenset(media_type_of(each) for each in definition.media_types)
            self.line("if media_type_of(kind) not in kinds: continue")
        if definition.pattern is not None:
            pattern = definition.pattern.compiled("pattern")
            guard = self.guard(pattern)
            self.names["general"] = pattern.fast_search()
            self.general = f"if {f'not ({guard}) or ' if guard else ''}general(url) is None: continue"

    def check_general(self) -> None:
        """Ask the general pattern here, unless an earlier line has done it for every URL that comes here."""
        if self.general:
            self.line(self.general)

    def guard(self, pattern: JavaPattern) -> str:
        """A cheap condition without which the pattern cannot be found; empty if none is known."""
        if len(pattern.required) < _SHORTEST_USEFUL_LITERAL:
            return ""
        if isinstance(self.root, str) and not pattern.required_folded and pattern.required in self.root:
            return ""
        if pattern.required_folded:
            self.folded = True
            return f"{pattern.required!r} in low"

        return f"{pattern.required!r} in url"

    def owners(self) -> None:
        if self.definition.aspects is None:
            self.check_general()
            self.emit("url", "{}")
            return
        for index, aspect in enumerate(self.definition.aspects):
            for number, each in enumerate(aspect.patterns):
                self.owner(index, number, each)

    def owner(self, index: int, number: int, each: Pattern) -> None:
        assert self.definition.aspects is not None
        pattern = each.compiled(f"aspects[{index}].patterns[{number}]")
        name = f"search{index}_{number}"
        self.names[name] = pattern.fast_search()
        guard = self.guard(pattern)
        if guard:
            # The general pattern is dearer than the guards: asked only of what an aspect may own.
            self.line(f"if {guard}:")
            self.depth += 1
            self.check_general()
        else:
            self.check_general()
            self.general = ""
        self.line(f"if (m := {name}(url)) is not None:")
        self.depth += 1
        if self.definition.unique and not _anchored_at_end(pattern):
            cut = "has(c)" if self.calls else "c in has"
            general = " and general(c) is not None" if self.definition.pattern is not None else ""
            self.line("c = url[:m.end()]")
            self.line(f"if c != url and {cut} and {name}(c) is not None{general}: continue")
        self.pieces(pattern)
        for higher in self.definition.aspects[:index]:
            self.line(f"if {self.existing(higher, pattern)}: continue")
        self.article(self.definition.aspects[index], self.definition.aspects[index + 1 :], pattern)
        self.line("continue")
        self.depth -= 2 if guard else 1

    def pieces(self, pattern: JavaPattern) -> None:
        if not _anchored_at_start(pattern):
            self.line("head = url[:m.start()]")
        if not _anchored_at_end(pattern):
            self.line("tail = url[m.end():]")
        if pattern.groups:
            groups = "".join(f"g{group}, " for group in range(1, pattern.groups + 1))
            self.line(f"{groups}= m.groups('')")

    def existing(self, aspect: Aspect, pattern: JavaPattern) -> str:
        """An expression that is true, with `v` the URL, if one of the aspect's replacements exists."""
        tries = []
        for replacement in aspect.replacements:
            try:
                parts = pattern.replacement(replacement)
            except JavaReplacementError as error:
                self.can_fail = True
                name = f"fail{len(self.names)}"
                self.names[name] = _failing(str(error))
                tries.append(f"{name}()")
                break
            made = self.made(parts, pattern)
            tries.append(f"has(v := {made})" if self.calls else f"(v := {made}) in has")

        return " or ".join(tries) or "False"

    def made(self, parts: tuple[str | int, ...], pattern: JavaPattern) -> str:
        text = "".join(
            part.replace("{", "{{").replace("}", "}}")
            if isinstance(part, str)
            else "{m.group()}"
            if part == 0
            else f"{{g{part}}}"
            for part in parts
        )
        head = "" if _anchored_at_start(pattern) else "{head}"
        tail = "" if _anchored_at_end(pattern) else "{tail}"

        return f"f{_literal(head + text + tail)}"

    def article(self, owner: Aspect, later: tuple[Aspect, ...], pattern: JavaPattern) -> None:
        definition = self.definition
        own = dict.fromkeys(owner.roles)
        self.line("r = {" + ", ".join(f"{role!r}: url" for role in own) + "}")
        maybe_set = set(own)
        if not definition.counting_only:
            for aspect in later:
                self.line(f"if {self.existing(aspect, pattern)}:")
                roles = [role for role in dict.fromkeys(aspect.roles) if role not in own]
                for role in roles:
                    setting = f"r.setdefault({role!r}, v)" if role in maybe_set else f"r[{role!r}] = v"
                    self.line(f"    {setting}")
                if not roles:
                    self.line("    pass")
                maybe_set.update(roles)
        # Roles that surely hold the visited URL need not be looked up.
        certain = set(own)
        full_text = "url"
        if definition.full_text_order:
            full_text = self.first_set(definition.full_text_order, maybe_set, certain)
            if full_text not in ("url", "None"):
                self.line(f"full_text = {full_text}")
                full_text = "full_text"
        if not definition.counting_only:
            for role, others in definition.role_from_others:
                value = self.first_set(others, maybe_set, certain)
                if value.endswith("url"):
                    self.line(f"r[{role!r}] = {value}")
                elif value != "None":
                    self.line(f"if v := {value}: r[{role!r}] = v")
                if value != "url":
                    certain.discard(role)
                if value != "None":
                    maybe_set.add(role)
        self.emit(full_text, "r")

    def emit(self, full_text: str, roles: str) -> None:
        if self.root is not False:
            self.line(f"add_key(url.replace('/', {SLASH!r}))")
        self.line(f"yield new({full_text}, {roles})")

    def first_set(self, roles: tuple[str, ...], maybe_set: set[str], certain: set[str]) -> str:
        """An expression for what the first of the roles that is set holds; `None` if none ever is."""
        tries: list[str] = []
        for role in roles:
            if role in certain:
                return " or ".join([*tries, "url"])
            if role in maybe_set:
                tries.append(f"r.get({role!r})")

        return " or ".join(tries) or "None"


def _failing(reason: str) -> Callable[[], bool]:
    def fail() -> bool:
        raise JavaReplacementError(reason)

    return fail


def _literal(text: str) -> str:
    """Text with `{…}` places as the quoted part of an f-string, whatever characters it holds."""
    escaped = "".join(
        char
        if char in "{}" or (char.isascii() and char.isprintable() and char not in "\\'\"")
        else _code(char)
        for char in text
    )

    return f'"{escaped}"'


def _code(char: str) -> str:
    code = ord(char)

    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _anchored_at_start(pattern: JavaPattern) -> bool:
    return pattern.python.startswith(r"\A") and "|" not in pattern.pattern


def _anchored_at_end(pattern: JavaPattern) -> bool:
    text = pattern.python
    if not text.endswith(r"\Z") or "|" in pattern.pattern:
        return False
    backslashes = len(text) - 1 - len(text[:-1].rstrip("\\"))

    return backslashes % 2 == 1


def compiled_iterator(
    unit: UnitInMemory, definition: Definition, on_error: OnError | None = None
) -> Iterator[ArticleFiles]:
    """The articles of a unit in memory by generated code."""
    return CompiledWalk(definition).in_memory(unit, on_error)
