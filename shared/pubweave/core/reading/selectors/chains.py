"""Compounds, chains and groups: how single conditions are joined, and how an element is matched against them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field

from pubweave.core.reading.selectors.conditions import Condition
from pubweave.core.reading.selectors.view import Element


@dataclass(frozen=True, slots=True)
class Compound:
    """Conditions on one element, all of them to hold."""

    conditions: tuple[Condition, ...]
    css: str = field(init=False)
    exact: bool = field(init=False)

    def __post_init__(self) -> None:
        parts = [condition.css for condition in self.conditions if condition.css != "*"]
        object.__setattr__(self, "css", "".join(parts) or "*")
        object.__setattr__(self, "exact", all(condition.exact for condition in self.conditions))

    @property
    def css_inside(self) -> str:
        """What Lexbor is asked for below an element: nothing that looks above the element, because what Lexbor sees
        there would wrongly leave elements out."""
        css = self.css.replace(":not(:root)", "") or "*"
        return "*" if ":root" in css or ":not(" in css else css

    def matches(self, element: Element, scope: Element) -> bool:
        """Whether all conditions hold."""
        known = element.view.known
        key = (id(self), element.node.mem_id, scope.node.mem_id)
        found = known.get(key)
        if found is None:
            found = True
            for condition in self.conditions:
                if not condition.test(element, scope):
                    found = False
                    break
            known[key] = found
        return found


@dataclass(frozen=True, slots=True)
class Chain:
    """Compounds with the combinators between them, to be matched from the right."""

    compounds: tuple[Compound, ...]
    combinators: tuple[str, ...]

    @property
    def leading(self) -> str:
        """The combinator it starts with (`:has(> a)`), or nothing."""
        return self.combinators[0] if self.compounds[0].conditions[0].is_scope else ""

    @property
    def css(self) -> str:
        """What Lexbor is asked for; a leading combinator is left out."""
        start = 1 if self.leading else 0
        text = self.compounds[start].css
        for combinator, compound in zip(self.combinators[start:], self.compounds[start + 1 :], strict=True):
            text += f" {compound.css}" if combinator == " " else f" {combinator} {compound.css}"
        return text

    @property
    def exact(self) -> bool:
        """Whether Lexbor's answer is the answer."""
        return all(compound.exact for compound in self.compounds)

    @property
    def exact_after_leading(self) -> bool:
        """As `exact`, the leading combinator set aside."""
        return all(compound.exact for compound in self.compounds[1 if self.leading else 0 :])

    def matches(self, element: Element, scope: Element) -> bool:
        """Whether the element is an answer of a look-up that started at `scope`."""
        return self._matches(len(self.compounds) - 1, element, scope)

    def _matches(self, place: int, element: Element, scope: Element) -> bool:
        if not self.compounds[place].matches(element, scope):
            return False
        if place == 0:
            return True
        if element is scope:
            return False
        combinator = self.combinators[place - 1]
        above = element.parent
        if combinator == ">":
            return above is not None and self._matches(place - 1, above, scope)
        if combinator == " ":
            return above is not None and self._is_below(place, above, scope)
        if combinator == "+":
            before = element.siblings[: element.index]
            return bool(before) and self._matches(place - 1, before[-1], scope)
        return self._first_beside(place, element, scope) < element.index

    def _is_below(self, place: int, above: Element, scope: Element) -> bool:
        """Whether this element or one around it matches what stands before a descendant combinator."""
        known = above.view.known_chains
        passed: list[tuple[int, int, int, int]] = []
        at: Element | None = above
        answer = False
        while at is not None:
            key = (id(self), place, at.node.mem_id, scope.node.mem_id)
            found = known.get(key)
            if found is not None:
                answer = bool(found)
                break
            passed.append(key)
            if self._matches(place - 1, at, scope):
                answer = True
                break
            if at is scope:
                break
            at = at.parent
        for key in passed:
            known[key] = int(answer)
        return answer

    def _first_beside(self, place: int, element: Element, scope: Element) -> int:
        """The place of the first sibling that matches what stands before `~`; after all of them if none does."""
        siblings = element.siblings
        key = (id(self), place, siblings[0].node.mem_id, scope.node.mem_id)
        found = element.view.known_chains.get(key)
        if found is None:
            matching = (at for at, sibling in enumerate(siblings) if self._matches(place - 1, sibling, scope))
            found = element.view.known_chains[key] = next(matching, len(siblings))
        return found


@dataclass(frozen=True, slots=True)
class ChainGroup:
    """Chains, one of which is to match."""

    chains: tuple[Chain, ...]
    css: str = field(init=False)
    exact: bool = field(init=False)
    wants_texts: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "css", ", ".join(chain.css for chain in self.chains))
        object.__setattr__(self, "exact", all(chain.exact for chain in self.chains))
        wants = any(
            condition.wants_texts
            for chain in self.chains
            for compound in chain.compounds
            for condition in compound.conditions
        )
        object.__setattr__(self, "wants_texts", wants)

    def matches(self, element: Element, scope: Element) -> bool:
        """Whether one of the chains matches."""
        return any(chain.matches(element, scope) for chain in self.chains)


def is_any(group: ChainGroup) -> Condition:
    """`:is(…)`."""
    return Condition(f":is({group.css})", group.exact, group.matches, group.wants_texts)


def is_not(group: ChainGroup) -> Condition:
    """`:not(…)`."""

    def test(element: Element, scope: Element) -> bool:
        return not group.matches(element, scope)

    return Condition(f":not({group.css})" if group.exact else "", group.exact, test, group.wants_texts)


def has(group: ChainGroup) -> Condition:
    """`:has(…)`: something below (or, after a leading `+` or `~`, beside) the element matches.

    As in jsoup the first compound of a chain may be the element itself: `div:has(div p)` needs one div only.
    """

    def test(element: Element, scope: Element) -> bool:
        return any(_has(chain, element) for chain in group.chains)

    asked = []
    exact = True
    for chain in group.chains:
        if chain.leading:
            asked.append(f"{chain.leading} {chain.css}")
            exact = exact and chain.exact_after_leading
        elif len(chain.compounds) == 1:
            asked.append(chain.css)
            exact = exact and chain.exact
        else:
            asked.append(chain.compounds[-1].css)
            exact = False
    return Condition(f":has({', '.join(asked)})", exact, test, group.wants_texts)


def _has(chain: Chain, element: Element) -> bool:
    """Whether something below (or, by the leading combinator, beside) the element matches the chain."""
    candidates: Iterable[Element]
    if chain.leading in ("+", "~"):
        after = element.siblings[element.index + 1 :]
        candidates = itertools.chain(after, *(sibling.descendants() for sibling in after))
    elif chain.leading == ">" and len(chain.compounds) == 2:
        candidates = element.children
    elif element.view.has_texts or element.is_text or element.is_document:
        candidates = element.descendants()
    else:
        own = element.node.mem_id
        nodes = element.node.css(chain.compounds[-1].css_inside)
        candidates = (element.view.element(node) for node in nodes if node.mem_id != own)
    return any(chain.matches(candidate, element) for candidate in candidates)
