"""A compiled selector, and how it is looked up in a page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pubweave.core.reading.selectors.chains import Chain, ChainGroup
from pubweave.core.reading.selectors.syntax import parse
from pubweave.core.reading.selectors.view import Element, View

Answer = Callable[[LexborNode, View, Element], Iterable[LexborNode]]
"""The elements that one chain selects, in the order of the document, some perhaps twice."""


class Selector:
    """A selector, read once, to be looked up in any number of pages."""

    __slots__ = ("_asked_inside", "_chains", "_group", "_in_order", "_owners", "_plain", "text")

    def __init__(self, text: str, group: ChainGroup) -> None:
        self.text = text
        self._group = group
        self._plain = group.exact and not group.wants_texts
        self._owners = _owners(group)
        self._asked_inside = ", ".join(chain.compounds[-1].css_inside for chain in group.chains)
        self._chains = _answers(group.chains)
        # Children of nested heads come head by head, not in the order of the page.
        first = group.chains[0]
        self._in_order = len(self._chains) == 1 and not (_has_head(first) and first.combinators[-1] == ">")

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
            yield from self._texts(start, view, top, inside)
            return
        if inside:
            for node in self._once(start.css(self._asked_inside)):
                if self._group.matches(view.element(node), top):
                    yield node
        elif self._in_order:
            yield from self._chains[0](start, view, top)
        else:
            # Each chain is answered for itself; Lexbor's answer to all of them has the order of the document.
            answers = {node.mem_id for answer in self._chains for node in answer(start, view, top)}
            if answers:
                yield from (node for node in _distinct(start.css(self._group.css)) if node.mem_id in answers)

    def _texts(self, start: LexborNode, view: View, top: Element, inside: bool) -> Iterator[LexborNode]:
        """The answers where texts count as elements."""
        if inside:
            candidates = [top, *top.descendants()]
        else:
            # A text has the tag and attributes of its parent, so Lexbor can name the elements in question; what
            # asks for a place among siblings is left to the match, which counts texts among them.
            candidates = []
            for node in _distinct(start.css(self._owners)):
                element = view.element(node)
                candidates.append(element)
                candidates.extend(child for child in element.children if child.is_text)
        found = [element for element in candidates if self._group.matches(element, top)]
        for element in sorted(found, key=_place) if len(found) > 1 else found:
            yield element.node

    def _once(self, nodes: list[LexborNode]) -> list[LexborNode]:
        # Lexbor answers a group in document order, but names an element once for each chain that selects it.
        return nodes if len(self._group.chains) == 1 else _distinct(nodes)


@lru_cache(maxsize=4096)
def compile_selector(text: str) -> Selector:
    """The selector, compiled; the same text gives the same object.

    :raises SelectorError: naming the place in the text
    """
    return Selector(text, parse(text))


def _distinct(nodes: list[LexborNode]) -> list[LexborNode]:
    seen: set[int] = set()
    return [node for node in nodes if not (node.mem_id in seen or seen.add(node.mem_id))]  # type: ignore[func-returns-value]


def _answers(chains: tuple[Chain, ...]) -> list[Answer]:
    """How each chain is answered in a page; chains of plain CSS together, in one look-up."""
    found: list[Answer] = []
    exact = ", ".join(chain.css for chain in chains if chain.exact)
    if exact:
        found.append(lambda start, view, top: start.css(exact))
    found.extend(_answer(chain) for chain in chains if not chain.exact)
    return found


def _answer(chain: Chain) -> Answer:
    css = chain.css
    if not _has_head(chain):
        return lambda start, view, top: (
            node for node in start.css(css) if chain.matches(view.element(node), top)
        )
    heads = Chain(chain.compounds[:-1], chain.combinators[:-1]).css
    children_only = chain.combinators[-1] == ">"

    def below_heads(start: LexborNode, view: View, top: Element) -> Iterator[LexborNode]:
        *_, head, tail = chain.compounds
        seen: set[int] = set()
        for node in start.css(heads):
            if not head.matches(view.element(node), top):
                continue
            own = node.mem_id
            seen.add(own)
            for found in node.css(tail.css):
                here = found.mem_id
                if here == own or here in seen:
                    continue
                if children_only and (found.parent is None or found.parent.mem_id != own):
                    continue
                seen.add(here)
                if tail.exact or tail.matches(view.element(found), top):
                    yield found

    return below_heads


def _has_head(chain: Chain) -> bool:
    """`… head tail` where the head needs a test in Python and Lexbor knows what stands before it."""
    if len(chain.compounds) < 2 or chain.leading:
        return False
    *before, head, _ = chain.compounds
    return (
        chain.combinators[-1] in (" ", ">") and not head.exact and all(compound.exact for compound in before)
    )


def _owners(group: ChainGroup) -> str:
    """What Lexbor is asked for where texts count: all that can be an answer or the parent of one."""
    asked = []
    for chain in group.chains:
        last = chain.compounds[-1].conditions
        asked.append("".join(c.css for c in last if c.of_tag and c.css != "*") or "*")
    return ", ".join(asked)


def _place(element: Element) -> tuple[int, ...]:
    """Where an element stands in the page: its place on each level, from the top."""
    path = []
    at: Element | None = element
    while at is not None:
        path.append(at.index)
        at = at.parent
    return tuple(reversed(path))
