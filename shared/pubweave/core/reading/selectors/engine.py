"""A compiled selector, and how it is looked up in a page."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pubweave.core.reading.selectors.chains import Chain, Group
from pubweave.core.reading.selectors.syntax import parse
from pubweave.core.reading.selectors.view import Element, View


class Selector:
    """A selector, read once, to be looked up in any number of pages."""

    __slots__ = ("_exact_css", "_group", "_headed", "_plain", "_unsure", "text")

    def __init__(self, text: str, group: Group) -> None:
        self.text = text
        self._group = group
        self._plain = group.exact and not group.wants_texts
        self._exact_css = ", ".join(chain.css for chain in group.chains if chain.exact)
        self._headed = tuple(chain for chain in group.chains if _has_head(chain))
        self._unsure = tuple(chain for chain in group.chains if not (chain.exact or _has_head(chain)))

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
        if self._plain and not isinstance(where, LexborNode):
            return self._once(where.css(self._group.css))
        return list(self._filtered(where, base_url))

    def select_first(self, where: LexborHTMLParser | LexborNode, base_url: str = "") -> LexborNode | None:
        """The first of `select`, or nothing."""
        if self._plain and not isinstance(where, LexborNode):
            return where.css_first(self._group.css)
        return next(self._filtered(where, base_url), None)

    def _filtered(self, where: LexborHTMLParser | LexborNode, base_url: str) -> Iterator[LexborNode]:
        inside = isinstance(where, LexborNode)
        start = where if isinstance(where, LexborNode) else where.root
        scope = start if inside or start is None else start.parent
        if start is None or scope is None:
            return
        view = View(texts=self._group.wants_texts, base_url=base_url)
        top = view.element(scope)
        if self._group.wants_texts:
            for element in [top, *top.descendants()] if inside else top.descendants():
                if self._group.matches(element, top):
                    yield element.node
            return
        # What chains of plain CSS select needs no test of its own, nor what stands below a head that passed it.
        sure: set[int] = set()
        chains = self._group.chains
        if not inside:
            if self._exact_css:
                sure.update(node.mem_id for node in start.css(self._exact_css))
            for chain in self._headed:
                sure.update(_below_heads(chain, start, view, top))
            chains = self._unsure
        for node in self._once(start.css(self._asked(inside))):
            if node.mem_id in sure or any(chain.matches(view.element(node), top) for chain in chains):
                yield node

    def _once(self, nodes: list[LexborNode]) -> list[LexborNode]:
        # Lexbor answers a group in document order, but names an element once for each chain that selects it.
        return nodes if len(self._group.chains) == 1 else _distinct(nodes)

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


def _distinct(nodes: list[LexborNode]) -> list[LexborNode]:
    seen: set[int] = set()
    return [node for node in nodes if not (node.mem_id in seen or seen.add(node.mem_id))]  # type: ignore[func-returns-value]


def _has_head(chain: Chain) -> bool:
    """`head tail` where only the head needs a test in Python, and Lexbor knows the rest."""
    return (
        len(chain.compounds) == 2
        and chain.combinators == (" ",)
        and not chain.leading
        and (not chain.compounds[0].exact and chain.compounds[1].exact)
    )


def _below_heads(chain: Chain, start: LexborNode, view: View, top: Element) -> Iterator[int]:
    head, tail = chain.compounds
    for node in start.css(head.css):
        if head.matches(view.element(node), top):
            own = node.mem_id
            for found in node.css(tail.css):
                if found.mem_id != own:
                    yield found.mem_id
