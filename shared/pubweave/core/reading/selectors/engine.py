"""A compiled selector, and how it is looked up in a page."""

from __future__ import annotations

from functools import lru_cache

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pubweave.core.reading.selectors.chains import Group
from pubweave.core.reading.selectors.syntax import parse
from pubweave.core.reading.selectors.view import View


class Selector:
    """A selector, read once, to be looked up in any number of pages."""

    __slots__ = ("_group", "_plain", "text")

    def __init__(self, text: str, group: Group) -> None:
        self.text = text
        self._group = group
        self._plain = group.exact and not group.wants_texts

    def __repr__(self) -> str:
        return f"Selector({self.text!r})"

    @property
    def is_plain_css(self) -> bool:
        """Whether Lexbor alone answers it."""
        return self._plain

    def select(self, where: LexborHTMLParser | LexborNode, base_url: str = "") -> list[LexborNode]:
        """The elements in document order, each once; for `:matchText` the text nodes.

        In a page the look-up starts at the document; in an element at that element, which may itself be an
        answer, and what stands around it counts for nothing. `base_url` is what `abs:` attributes refer to.

        :raises PatternTooSlow: a regular expression of the selector ran out of time
        """
        if isinstance(where, LexborNode):
            return self._filtered(where, where, base_url)
        if self._plain:
            return _once(where.css(self._group.css))
        start = where.root
        document = start.parent if start is not None else None
        if start is None or document is None:
            return []
        return self._filtered(start, document, base_url)

    def select_first(self, where: LexborHTMLParser | LexborNode, base_url: str = "") -> LexborNode | None:
        """The first of `select`, or nothing."""
        if self._plain and not isinstance(where, LexborNode):
            return where.css_first(self._group.css)
        found = self.select(where, base_url)
        return found[0] if found else None

    def _filtered(self, start: LexborNode, scope: LexborNode, base_url: str) -> list[LexborNode]:
        view = View(texts=self._group.wants_texts, base_url=base_url)
        top = view.element(scope)
        if self._group.wants_texts:
            found = top.descendants() if scope is not start else [top, *top.descendants()]
            return [element.node for element in found if self._group.matches(element, top)]
        nodes = start.css(self._asked(scope is start))
        return [node for node in _once(nodes) if self._group.matches(view.element(node), top)]

    def _asked(self, inside_element: bool) -> str:
        if not inside_element:
            return self._group.css
        # Below an element only the last compound is asked for, and none that looks above the element: what Lexbor
        # sees there would wrongly leave elements out.
        last = ", ".join(
            chain.compounds[-1].css.replace(":not(:root)", "") or "*" for chain in self._group.chains
        )
        return "*" if ":root" in last or ":not(" in last else last


@lru_cache(maxsize=4096)
def compile_selector(text: str) -> Selector:
    """The selector, compiled; the same text gives the same object.

    :raises SelectorError: naming the place in the text
    """
    return Selector(text, parse(text))


def _once(nodes: list[LexborNode]) -> list[LexborNode]:
    # Lexbor answers a group in document order, but names an element once for each chain that selects it.
    seen: set[int] = set()
    return [node for node in nodes if not (node.mem_id in seen or seen.add(node.mem_id))]  # type: ignore[func-returns-value]
