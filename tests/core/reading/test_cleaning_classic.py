"""The specified cleaning (F-CLN-01…14), rule by rule."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from pubweave.core.reading.cleaning import Mode, clean_page
from pubweave.core.reading.cleaning.classic import tokens


def text(html: str, mode: Mode = "webpage") -> str:
    return clean_page(LexborHTMLParser(f"<!doctype html><body>{html}</body>"), mode, "classic")


def is_kept(attributes: str, tag: str = "div", mode: Mode = "webpage") -> bool:
    return "inside" in text(f"<p>before</p><{tag} {attributes}>inside</{tag}>", mode)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("mainNav", ["main", "nav"]),
        ("main-nav_left  top", ["main", "nav", "left", "top"]),
        ("col12md", ["col", "12", "md"]),
        ("HTMLBody", ["htmlbody"]),
        ("", []),
    ],
)
def test_attribute_values_are_split_into_words(value: str, words: list[str]) -> None:
    """F-CLN-01."""
    assert tokens(value) == words


@pytest.mark.parametrize(
    ("attributes", "kept"),
    [
        ('class="menu"', False),
        ('class="site-nav"', False),
        ('id="NavBar"', False),
        ('class="leftmenu"', False),
        ('class="menubar"', False),
        ('class="navlinks"', False),
        ('class="breadcrumbs"', False),
        ('class="page-footer"', False),
        ('role="navigation"', False),
        ('role="contentinfo"', False),
        ('aria-label="Main menu"', False),
        ('class="links"', False),
        ('class="sidebar"', False),
        ('class="searchbar"', False),
        ('id="tab3"', False),
        ('class="login"', False),
        ('role="search"', False),
        ('class="menuentry"', False),
        ('class="mymenus"', False),
        ('class="text"', True),
        ('class="left"', True),
        ('class="table"', True),
        ('class="references"', True),
        ('class="researchers"', True),
    ],
)
def test_words_decide_what_is_deleted(attributes: str, kept: bool) -> None:
    """F-CLN-02, 04, 05, 11."""
    assert is_kept(attributes) is kept


@pytest.mark.parametrize(
    ("tag", "kept"), [("nav", False), ("menu", False), ("aside", False), ("footer", False), ("section", True)]
)
def test_some_tags_are_deleted(tag: str, kept: bool) -> None:
    """F-CLN-03."""
    assert is_kept("", tag) is kept


@pytest.mark.parametrize(
    ("html", "kept"),
    [
        ('<div class="tab"><main>inside</main></div>', True),
        ('<main><div class="tab">inside</div></main>', True),
        ('<div class="tab" role="main">inside</div>', True),
        ('<div id="content"><div class="tab">inside</div></div>', True),
        ('<div class="tab"><div><p id="article">inside</p></div></div>', True),
        ('<div class="Content:"><div class="tab">inside</div></div>', True),
        ('<div class="content wide"><div class="tab">inside</div></div>', False),
        ('<h1 class="tab">inside</h1>', True),
        ('<div id="title"><span class="tab">inside</span></div>', True),
        ('<div class="tab"><h2>inside</h2></div>', False),
        ('<main><div class="menu">inside</div></main>', False),
    ],
)
def test_a_weak_word_deletes_only_away_from_the_main_content(html: str, kept: bool) -> None:
    """F-CLN-06, 07 and A-08: title marks count on the element and above, not below; strong words always delete."""
    assert ("inside" in text(html)) is kept


def test_noscript_goes_if_it_talks_of_javascript() -> None:
    """F-CLN-08."""
    assert is_kept("", "noscript") is not False
    assert "Turn on" not in text("<p>x</p><noscript>Turn on JavaScript!</noscript>")


@pytest.mark.parametrize(
    ("attributes", "kept"),
    [('class="ref-list"', False), ('id="references"', False), ('class="prefs"', False)],
)
def test_references_are_deleted_in_publications_only(attributes: str, kept: bool) -> None:
    """F-CLN-09."""
    assert is_kept(attributes, mode="publication") is kept
    assert is_kept(attributes, mode="webpage") is True


def test_the_longest_description_stands_in_front() -> None:
    """F-CLN-13."""
    page = LexborHTMLParser(
        '<head><meta name="description" content="A"><meta name="og:description" content="Longer"></head><p>text</p>'
    )

    assert clean_page(page, "webpage", "classic") == "Longer\n\ntext"
