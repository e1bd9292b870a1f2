"""The single conditions of the dialect: what Lexbor is asked for, and the exact test.

Each condition has a `css` text that selects at least everything it is true for (the empty text: no restriction)
and says with `exact` whether Lexbor's answer needs no further test. jsoup compares classes and attribute values
without regard to case, in any document mode; so does what is asked of Lexbor here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urljoin

from pubweave.core.reading.selectors.patterns import Finder
from pubweave.core.reading.selectors.view import Element

_WITH_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")

Test = Callable[[Element, Element], bool]
"""Whether an element satisfies the condition; the second argument is the element the look-up started at."""


@dataclass(frozen=True, slots=True)
class Condition:
    """One simple selector."""

    css: str
    exact: bool
    test: Test
    wants_texts: bool = False
    is_scope: bool = False
    of_tag: bool = False
    """Whether it asks for tag or attributes only, which a text has from its parent."""


def quoted(value: str) -> str:
    """A CSS string."""
    escaped = "".join(f"\\{ord(c):x} " if c in '"\\' or ord(c) < 32 else c for c in value)
    return f'"{escaped}"'


def identifier(name: str) -> str:
    """A CSS identifier, with everything but ASCII letters escaped where it could be read otherwise."""
    return "".join(
        c
        if (c.isalnum() and (place or not c.isdigit())) or c in "_" or (c == "-" and place)
        else f"\\{ord(c):x} "
        for place, c in enumerate(name)
    )


def any_element() -> Condition:
    """`*`; the document itself is never an answer."""
    return Condition("*", True, lambda el, scope: True, of_tag=True)


def tag_is(name: str) -> Condition:
    """`name`, without regard to case."""
    return Condition(identifier(name), True, lambda el, scope: el.tag == name, of_tag=True)


def tag_in_any_namespace(name: str) -> Condition:
    """`*|name`: the tag alone or after any prefix."""
    ending = ":" + name
    return Condition("", False, lambda el, scope: el.tag == name or el.tag.endswith(ending))


def tag_starts(prefix: str) -> Condition:
    """`prefix|*`: any tag with this prefix."""
    return Condition("", False, lambda el, scope: el.tag.startswith(prefix))


def id_is(value: str) -> Condition:
    """`#value`, with regard to case."""
    return Condition(
        f"[id={quoted(value)}]", True, lambda el, scope: el.attributes.get("id") == value, of_tag=True
    )


def class_is(name: str) -> Condition:
    """`.name`, without regard to case."""
    folded = name.lower()

    def test(el: Element, scope: Element) -> bool:
        return folded in el.attributes.get("class", "").lower().split()

    if not name.isascii():
        return Condition("[class]", False, test, of_tag=True)
    return Condition(f"[class~={quoted(name)} i]", True, test, of_tag=True)


def _value(el: Element, name: str) -> str | None:
    """An attribute's value; `abs:name` is the value as absolute address, absent where it cannot be one."""
    if not name.startswith("abs:"):
        return el.attributes.get(name)
    value = el.attributes.get(name[4:])
    if value is None:
        return None
    absolute = urljoin(el.view.base_url, value.strip())
    return absolute if _WITH_SCHEME.match(absolute) else None


def has_attribute(name: str) -> Condition:
    """`[name]`."""
    if name.startswith("abs:"):
        return Condition(
            f"[{identifier(name[4:])}]", False, lambda el, scope: bool(_value(el, name)), of_tag=True
        )
    return Condition(f"[{identifier(name)}]", True, lambda el, scope: name in el.attributes, of_tag=True)


def has_attribute_prefix(prefix: str) -> Condition:
    """`[^prefix]`: any attribute whose name starts so; the empty prefix is any attribute at all."""
    return Condition("", False, lambda el, scope: any(name.startswith(prefix) for name in el.attributes))


def _asked(name: str, operator: str, value: str) -> str:
    plain = name.removeprefix("abs:")
    if value and value.isascii() and plain == name:
        return f"[{identifier(name)}{operator}{quoted(value)} i]"
    return f"[{identifier(plain)}]"


def attribute_is(name: str, value: str) -> Condition:
    """`[name=value]`: equal without regard to case and blanks around the page's value."""

    def test(el: Element, scope: Element) -> bool:
        found = _value(el, name)
        return found is not None and found.strip().lower() == value

    return Condition(_asked(name, "*=", value), False, test, of_tag=True)


def attribute_is_not(name: str, value: str) -> Condition:
    """`[name!=value]`: another value, or no such attribute."""
    return Condition("", False, lambda el, scope: (_value(el, name) or "").lower() != value)


def attribute_starts(name: str, value: str) -> Condition:
    """`[name^=value]`."""
    return _attribute(name, "^=", value, lambda found: found.startswith(value))


def attribute_ends(name: str, value: str) -> Condition:
    """`[name$=value]`."""
    return _attribute(name, "$=", value, lambda found: found.endswith(value))


def attribute_contains(name: str, value: str) -> Condition:
    """`[name*=value]`."""
    return _attribute(name, "*=", value, lambda found: value in found)


def _attribute(name: str, operator: str, value: str, holds: Callable[[str], bool]) -> Condition:
    def test(el: Element, scope: Element) -> bool:
        found = _value(el, name)
        return found is not None and holds(found.lower())

    exact = bool(value) and value.isascii() and not name.startswith("abs:")
    return Condition(_asked(name, operator, value), exact, test, of_tag=True)


def attribute_matches(name: str, find: Finder) -> Condition:
    """`[name~=regex]`: the expression is found somewhere in the value (not CSS's word match)."""

    def test(el: Element, scope: Element) -> bool:
        found = _value(el, name)
        return found is not None and find(found)

    return Condition(f"[{identifier(name.removeprefix('abs:'))}]", False, test, of_tag=True)


def index_is(index: int) -> Condition:
    """`:eq(index)`, from 0, among all siblings."""
    return Condition("", False, lambda el, scope: el.index == index)


def index_below(index: int) -> Condition:
    """`:lt(index)`."""
    return Condition("", False, lambda el, scope: el is not scope and el.index < index)


def index_above(index: int) -> Condition:
    """`:gt(index)`."""
    return Condition("", False, lambda el, scope: el.index > index)


def nth(step: int, offset: int, from_end: bool, of_type: bool) -> Condition:
    """`:nth-child` and its three relatives; `<html>` has no place among siblings."""

    def test(el: Element, scope: Element) -> bool:
        parent = el.parent
        if parent is None or parent.is_document:
            return False
        siblings = el.siblings
        place = el.index
        if of_type:
            counted = siblings[place:] if from_end else siblings[: place + 1]
            position = sum(1 for sibling in counted if sibling.tag == el.tag)
        else:
            position = len(siblings) - place if from_end else place + 1
        if step == 0:
            return position == offset
        return (position - offset) * step >= 0 and (position - offset) % step == 0

    name = f"nth-{'last-' if from_end else ''}{'of-type' if of_type else 'child'}"
    return Condition(f":{name}({step}n{offset:+d}):not(:root)", True, test)


def only_child() -> Condition:
    """`:only-child`."""

    def test(el: Element, scope: Element) -> bool:
        parent = el.parent
        return parent is not None and not parent.is_document and len(el.siblings) == 1

    return Condition(":only-child:not(:root)", True, test)


def only_of_type() -> Condition:
    """`:only-of-type`."""

    def test(el: Element, scope: Element) -> bool:
        parent = el.parent
        if parent is None or parent.is_document:
            return False
        return sum(1 for sibling in el.siblings if sibling.tag == el.tag) == 1

    return Condition(":first-of-type:last-of-type:not(:root)", True, test)


def empty() -> Condition:
    """`:empty`: neither elements nor text but blanks inside."""
    return Condition("", False, lambda el, scope: not el.has_content)


def blank() -> Condition:
    """`:blank`: no text but blanks directly inside."""
    return Condition("", False, lambda el, scope: not el.whole_own_text.strip())


def root() -> Condition:
    """`:root`: `<html>`, or the element the look-up started at."""

    def test(el: Element, scope: Element) -> bool:
        if scope.is_document:
            parent = el.parent
            return parent is not None and parent.is_document
        return el is scope

    return Condition(":root", True, test)


def is_scope() -> Condition:
    """The element the look-up started at: what a leading combinator refers to."""
    return Condition("", False, lambda el, scope: el is scope, is_scope=True)


def contains(text: str) -> Condition:
    """`:contains(text)` anywhere below, without regard to case and kind of blanks."""
    return Condition("", False, lambda el, scope: text in el.text.lower())


def contains_own(text: str) -> Condition:
    """`:containsOwn(text)` directly inside."""
    return Condition("", False, lambda el, scope: text in el.own_text.lower())


def contains_whole(text: str) -> Condition:
    """`:containsWholeText(text)`: letter for letter, blanks as in the source."""
    return Condition("", False, lambda el, scope: text in el.whole_text)


def contains_whole_own(text: str) -> Condition:
    """`:containsWholeOwnText(text)`."""
    return Condition("", False, lambda el, scope: text in el.whole_own_text)


def contains_data(text: str) -> Condition:
    """`:containsData(text)` in scripts, styles and comments."""
    return Condition("", False, lambda el, scope: text in el.data.lower())


def matches(find: Finder) -> Condition:
    """`:matches(regex)` in all text below, one line."""
    return Condition("", False, lambda el, scope: find(el.text))


def matches_own(find: Finder) -> Condition:
    """`:matchesOwn(regex)`."""
    return Condition("", False, lambda el, scope: find(el.own_text))


def matches_whole(find: Finder) -> Condition:
    """`:matchesWholeText(regex)`: the text as in the source."""
    return Condition("", False, lambda el, scope: find(el.whole_text))


def matches_whole_own(find: Finder) -> Condition:
    """`:matchesWholeOwnText(regex)`."""
    return Condition("", False, lambda el, scope: find(el.whole_own_text))


def match_text() -> Condition:
    """`:matchText`: the texts themselves, each as an element with the tag and attributes of its parent."""
    return Condition("", False, lambda el, scope: el.is_text, wants_texts=True)
