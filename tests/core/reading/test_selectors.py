"""What the selector engine promises beyond equality with jsoup."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from pubweave.core.reading import layout
from pubweave.core.reading.selectors import PatternTooSlow, SelectorError, compile_selector

PAGE = LexborHTMLParser(
    "<!doctype html><div id=a><p>one</p><div id=b><p>two</p><div id=c><p>three</p></div></div></div>"
)


def texts(selector: str) -> list[str]:
    return [layout.text_of(node) for node in compile_selector(selector).select(PAGE)]


@pytest.mark.parametrize(
    ("selector", "position", "word"),
    [
        ("div > p:nosuch", 7, "pseudo-class"),
        ("div[class", 3, "closed"),
        ("div >", 5, "combinator"),
        ("a, ,b", 3, "expected"),
        ("p:matches([)", 10, "regular expression"),
        ("section:has(p:eq(x)) li", 17, "number"),
        ("p:nth-child(2x)", 12, "place"),
        ("p[=x]", 2, "name"),
        ("", 0, "empty"),
        ("p::comment", 1, "not supported"),
    ],
)
def test_an_error_names_the_place(selector: str, position: int, word: str) -> None:
    """A wrong selector is refused with the text, the place in it and a sentence."""
    with pytest.raises(SelectorError) as refused:
        compile_selector(selector)

    assert refused.value.selector == selector
    assert refused.value.position == position
    assert word in refused.value.reason


def test_a_selector_is_compiled_once() -> None:
    """The same text gives the same compiled selector."""
    assert compile_selector("div > p") is compile_selector("div > p")


def test_plain_css_is_left_to_lexbor() -> None:
    """Classes, ids, places and combinators need no filter in Python; texts and expressions do."""
    plain = [
        "div p",
        "#a > .x",
        "p:first-child",
        "li:nth-child(2n+1)",
        "a[href^=x]",
        "div:has(> p)",
        "p:not(.x)",
    ]
    filtered = ["p:contains(x)", "p:matches(x)", "a[href~=x]", "p:eq(1)", "[^data-]", "[class=x]"]

    assert [True] * len(plain) == [compile_selector(text).is_plain_css for text in plain]
    assert [False] * len(filtered) == [compile_selector(text).is_plain_css for text in filtered]


def test_inside_an_element_only_it_and_what_is_below_count() -> None:
    """A look-up in an element may answer with that element and never sees what stands around it."""
    inner = PAGE.css_first("#b")
    assert inner is not None

    def ids(selector: str) -> list[str | None]:
        return [node.id for node in compile_selector(selector).select(inner)]

    assert ids("div") == ["b", "c"]
    assert ids("div div") == ["c"]
    assert ids("#a div") == []
    assert ids(":root") == ["b"]
    assert ids("> div") == ["c"]
    assert ids("div:not(:has(div))") == ["c"]


def test_the_first_answer_is_the_first_of_all() -> None:
    """`select_first` is the head of `select`, whether Lexbor or the filter answers."""
    for selector in ("p", "p:contains(t)", "div p:matches(^t)", "section"):
        compiled = compile_selector(selector)
        found = compiled.select(PAGE)
        first = compiled.select_first(PAGE)

        assert (found[0].mem_id if found else None) == (first.mem_id if first else None)


def test_a_group_gives_document_order_and_each_element_once() -> None:
    """The order is that of the page, not that of the selector's parts."""
    assert texts("#c p, #b > p, p, p:contains(o)") == ["one", "two", "three"]


def test_a_rule_cannot_hang_the_process() -> None:
    """An expression that would take for ever ends as `PatternTooSlow`."""
    page = LexborHTMLParser(f"<p>{'x' * 60}!</p>")

    with pytest.raises(PatternTooSlow):
        compile_selector("p:matches((?:x|xx)*(?:[yw])z?$)").select(page)


CLASSES = st.sampled_from(["x", "Y", "z"])


def elements(depth: int = 3) -> st.SearchStrategy[str]:
    """Arbitrary nested markup of few tags and classes, so that selectors find something."""
    leaf = st.sampled_from(["", "t", "two words", "<!-- c -->"])
    if depth == 0:
        return leaf
    element = st.builds(
        lambda tag, name, inside: f'<{tag} class="{name}">{"".join(inside)}</{tag}>',
        st.sampled_from(["div", "span", "b"]),
        CLASSES,
        st.lists(elements(depth - 1), max_size=3),
    )
    return st.one_of(leaf, element)


SIMPLE = st.one_of(
    st.sampled_from(["div", "span", "b", "*"]),
    CLASSES.map(lambda name: f".{name}"),
    st.sampled_from(
        [
            ":first-child", ":last-child", ":nth-child(2)", ":nth-child(odd)", ":nth-last-child(2)", ":only-child",
            ":first-of-type", ":last-of-type", ":nth-of-type(2)", ":only-of-type", "[class^=x]", "[class*=y]",
            ":has(> b)", ":has(+ span)", ":has(~ .x)", ":has(.z)", ":not(.x)", ":not(div span)", ":is(div, b)",
            ":is(div > .y)", ":not(:first-child)", ":root", ":has(> .x > b)", ":not(:has(b))",
        ]
    ),
)  # fmt: skip
PLAIN = st.builds(
    lambda parts, joins: "".join(
        part + (join if place < len(parts) - 1 else "")
        for place, (part, join) in enumerate(zip(parts, joins, strict=True))
    ),
    st.lists(SIMPLE, min_size=3, max_size=3),
    st.lists(st.sampled_from([" ", " > ", " + ", " ~ ", ", "]), min_size=3, max_size=3),
)


@settings(derandomize=True, max_examples=300, deadline=None)
@given(st.lists(elements(), min_size=1, max_size=4), PLAIN)
def test_lexbor_and_the_filter_agree(markup: list[str], selector: str) -> None:
    """What is left to Lexbor gives the elements that the exact match in Python gives."""
    page = LexborHTMLParser(f"<!doctype html><body>{''.join(markup)}")
    compiled = compile_selector(selector)
    assert compiled.is_plain_css
    by_lexbor = [node.mem_id for node in compiled.select(page)]
    filtered = [node.mem_id for node in compile_selector(f"*:matches(^|x):is({selector})").select(page)]

    assert filtered == by_lexbor


@settings(derandomize=True, max_examples=300, deadline=None)
@given(
    st.lists(elements(), min_size=1, max_size=4),
    SIMPLE,
    st.sampled_from([" ", " > ", " + ", " ~ "]),
    SIMPLE,
    st.sampled_from(["", ", b", ", b:eq(0)", ", span:contains(t) > b"]),
)
def test_what_stands_below_a_filtered_head_is_found(
    markup: list[str], head: str, join: str, tail: str, more: str
) -> None:
    """A head that needs a test in Python and a tail that does not give what plain CSS gives without the test."""
    page = LexborHTMLParser(f"<!doctype html><body>{''.join(markup)}")
    plain = [node.mem_id for node in compile_selector(f"{head}{join}{tail}{more}").select(page)]
    headed = [node.mem_id for node in compile_selector(f"{head}:matches(^|x){join}{tail}{more}").select(page)]

    assert headed == plain
