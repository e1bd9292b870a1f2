"""The default cleaning: what it finds and what it leaves out, on pages written for it and on recorded ones."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from pubweave.core.reading.cleaning import Algorithm, Mode, clean_page
from shared_data import needs_shared_data

LONG = "The tool folds widgets of any size, as long as they are not larger than the folder itself. "
TEXT = "".join(f"<p>{LONG}Paragraph {number} says so.</p>" for number in range(4))


def text(html: str, mode: Mode = "webpage") -> str:
    return clean_page(
        LexborHTMLParser(f"<!doctype html><title>Widget folder</title><body>{html}</body>"), mode
    )


def test_the_text_is_kept_in_paragraphs_and_order() -> None:
    """Paragraphs are separated by an empty line, items of a list by a line."""
    page = f"<div class=post>{TEXT}<ul><li>first thing<li>second thing</ul></div>"
    expected = [f"{LONG}Paragraph {number} says so." for number in range(4)]

    assert text(page) == "\n\n".join([*expected, "first thing\nsecond thing"])


@pytest.mark.parametrize("cleaner", ["default", "classic"])
@pytest.mark.parametrize(
    ("html", "lines"),
    [
        (f"<p>{LONG}<br>Next line.</p>", f"{LONG}\nNext line."),
        (f"<p>{LONG}<br>\n  <b>Next</b>\n  line.<br></p>", f"{LONG}\nNext line."),
        (f"<p>{LONG}<a href=/x>And<br>more</a> there.</p>", f"{LONG}And\nmore there."),
        (f"<p>{LONG}</p><address>12 Fold Street<br>Widgetown</address>", "12 Fold Street\nWidgetown"),
        (f"<p>{LONG}</p><pre>fold  --all<br>  unfold</pre>", "fold  --all\n  unfold"),
    ],
)
def test_a_break_starts_a_line(cleaner: Algorithm, html: str, lines: str) -> None:
    """F-CLN-12, whichever way the page is cleaned: <br> is a line of its own, blanks around it are none."""
    tree = LexborHTMLParser(f"<!doctype html><title>x</title><body>{TEXT}{html}{TEXT}</body>")
    cleaned = clean_page(tree, "webpage", cleaner)

    assert lines.replace(" \n", "\n") in cleaned


@pytest.mark.parametrize(
    "around",
    [
        "<nav>{}</nav>",
        "<footer>{}</footer>",
        "<aside>{}</aside>",
        '<div class="comments-list">{}</div>',
        '<div id="related-posts">{}</div>',
        '<div class="newsletterBox">{}</div>',
        '<div class="share-tools">{}</div>',
        '<div style="display: none">{}</div>',
        "<div hidden>{}</div>",
        "<script>{}</script>",
        "<noscript>{}</noscript>",
        "<figure><figcaption>{}</figcaption></figure>",
    ],
)
def test_what_names_itself_something_else_is_left_out(around: str) -> None:
    """Frames, comments, what is hidden and captions are no main text, inside the article too."""
    page = f"<article>{TEXT}{around.format('<p>Not wanted, not at all.</p>')}{TEXT}</article>"

    assert "Not wanted" not in text(page)
    assert text(page).count("Paragraph 3") == 2


def test_a_name_alone_does_not_drop_the_whole_text() -> None:
    """A box that holds most of the text stays whatever it is called."""
    assert "Paragraph 2" in text(f'<div class="comment sidebar">{TEXT}</div><p>short</p>')


def test_a_series_of_teasers_is_left_out() -> None:
    """Boxes of a kind, short and with a linked heading, lead to other pages."""
    teaser = '<div class="card"><h3><a href="/x">Another article about widgets</a></h3><p>Its first sentence.</p></div>'
    page = f"<main><div>{TEXT}</div><div>{teaser * 5}</div></main>"

    assert "first sentence" not in text(page)
    assert "Paragraph 0" in text(page)


def test_lists_of_links_are_left_out_and_lists_of_text_are_not() -> None:
    """What counts is how much of an item is a link; links within the page are text."""
    links = "".join(f'<li><a href="/{n}">Somewhere else entirely</a></li>' for n in range(5))
    items = "".join(f"<li>The option number {n} with <a href=/o>a link</a></li>" for n in range(5))
    answers = "".join(
        f'<div class=faq><h4><a href="#q{n}">Question {n}?</a></h4><p>{LONG}</p></div>' for n in range(4)
    )
    found = text(f"<div>{TEXT}<ul>{links}</ul><ul>{items}</ul>{answers}</div>")

    assert "Somewhere else" not in found
    assert "option number 4 with a link" in found
    assert "Question 3?" in found


def test_sections_beside_the_heart_belong_to_the_text() -> None:
    """A text in several boxes of a kind is kept whole."""
    page = "".join(f'<section class="part"><h2>Part {n}</h2>{TEXT}</section>' for n in range(3))

    assert [f"Part {n}" in text(page) for n in range(3)] == [True] * 3


def test_the_title_is_not_repeated_and_the_standfirst_is_kept() -> None:
    """The title is a part of its own; the prose between it and the text is not."""
    page = f"<main><header><h1>Widget folder</h1><div class=deck>{LONG * 2}</div></header><div>{TEXT}</div></main>"
    found = text(page)

    assert found.startswith(LONG)
    assert "Widget folder" not in found


def test_code_keeps_its_lines() -> None:
    """Preformatted text is as in the source."""
    assert "for w in widgets:\n    fold(w)" in text(
        f"<div>{TEXT}<pre>for w in widgets:\n    fold(w)\n</pre></div>"
    )


def test_publications_keep_captions_and_abstract_and_lose_references() -> None:
    """In publication mode full text includes captions; references are not part of it."""
    page = (
        f"<article><section class=abstract><h2>Abstract</h2><p>{LONG}</p></section><section class=body>{TEXT}"
        f"<figure><figcaption>Figure 1. {LONG}</figcaption></figure></section>"
        f'<section class="reference-list"><ol><li>Somebody, a paper. {LONG}</li></ol></section></article>'
    )
    found = text(page, "publication")

    assert "Abstract" in found
    assert "Figure 1." in found
    assert "Somebody" not in found


def test_a_page_with_hardly_any_text_gives_what_there_is() -> None:
    """Short pages are not emptied by rules for long ones."""
    assert text("<div><h2>Download</h2><p>Version 1.2 is out.</p></div>") == "Download\n\nVersion 1.2 is out."
    assert text("") == ""


SENTENCE = "The server is down for maintenance."
MENU = "".join(f'<li><a href="/{n}">Menu entry {n}</a></li>' for n in range(8))
OWNER = "<p>Widget Lab, 12 Fold Street, Widgetown. Phone +12 345 678.</p><p>© 2020 Widget Lab. All rights reserved.</p>"


@pytest.mark.parametrize(
    "menu",
    [
        "<nav><ul>{}</ul></nav>",
        "<div id=menu><ul>{}</ul></div>",
        "<ul class=navbar-nav>{}</ul>",
        "<ul>{}</ul>",
    ],
)
@pytest.mark.parametrize(
    "footer", ["<footer>{}</footer>", "<div class=footer>{}</div>", "<div id=site-footer>{}</div>"]
)
@pytest.mark.parametrize("main", ["<main>{}</main>", "<div>{}</div>", "<div class=has-menu>{}</div>", "{}"])
def test_a_page_with_one_short_sentence_keeps_nothing_else(menu: str, footer: str, main: str) -> None:
    """However little there is to read: navigation and footer are not it."""
    page = menu.format(MENU) + main.format(f"<h1>Out of order</h1><p>{SENTENCE}</p>") + footer.format(OWNER)

    assert text(page) == f"Out of order\n\n{SENTENCE}"


def test_a_page_of_nothing_but_a_footer_is_not_emptied() -> None:
    """Better the frame than nothing, where there is nothing else."""
    assert "12 Fold Street" in text(f"<footer>{OWNER}</footer>")


@pytest.mark.parametrize(
    "end",
    [
        "<p>Contact: <a href='mailto:fold@widgets.example'>fold@widgets.example</a></p>",
        "<p>© 2020 Widget Lab</p>",
        "<p>Widget Lab. All rights reserved.</p>",
        "<p>Last updated: 3 May 2020</p><p>Site built with pkgdown.</p>",
        "<p>Jane Folder may be reached at jane@widgets.example. Follow her on Twitter.</p>",
        "<h2>About us</h2><p>We are a group that makes tools for everybody who folds.</p>",
        "<h3>Contact</h3><p>12 Fold Street, Widgetown</p><p>Phone: +12 345 678</p>",
        "<h3>Related articles</h3><p>Unfolding for beginners</p><p>A history of the fold</p><p>Copyright Widget Lab</p>",
    ],
)
def test_what_a_site_says_of_itself_after_the_text_is_left_out(end: str) -> None:
    """Contact lines, footers without a name and "About us" are no main text; the text before them is whole."""
    assert text(f"<div>{TEXT}{end}</div>") == text(f"<div>{TEXT}</div>")


def test_a_page_about_a_group_keeps_what_it_says() -> None:
    """ "About us" and "Contact" are left out behind a text, not where they are the text."""
    about = f"<h1>Widget Lab</h1><h2>About us</h2>{TEXT}<h2>Contact</h2>{TEXT}"

    assert text(f"<div>{about}</div>").count("Paragraph 3") == 2
    assert "About us" in text(f"<div>{about}</div>")


def test_headings_go_with_the_lists_below_them() -> None:
    """A heading whose list of links is left out does not stand alone; one with text below it stays."""
    links = "".join(f'<li><a href="/{n}">Somewhere else entirely</a></li>' for n in range(5))
    items = "<li>The option number one</li><li>The option number two</li>"
    page = f"{TEXT}<h2>Places</h2><h3>Far</h3><ul>{links}</ul><h2>Options</h2><ul>{items}</ul>{TEXT}<h2>See also</h2><ul>{links}</ul>"
    found = text(f"<div>{page}</div>")

    assert [one in found for one in ("Places", "Far", "Options", "See also")] == [False, False, True, False]
    assert "Options\n\nThe option number one" in found


LEAD = "The tool folds widgets of any size."


@pytest.mark.parametrize("cleaner", ["default", "classic"])
@pytest.mark.parametrize(
    ("description", "stands"),
    [
        (LEAD, False),
        ("The tool folds widgets of any size, as long as they are not larger …", False),
        ("THE TOOL folds widgets, and any size is as long as the folder itself", False),
        ("Origami for robots, from the University of Tartu.", True),
        ("", False),
    ],
)
def test_a_description_stands_in_front_only_if_it_says_more(
    cleaner: Algorithm, description: str, stands: bool
) -> None:
    """F-CLN-13, but a lead does not stand twice."""
    head = f'<!doctype html><title>Widget folder</title><meta name=description content="{description}">'
    plain = clean_page(
        LexborHTMLParser(f"<!doctype html><title>Widget folder</title><body>{TEXT}"), "webpage", cleaner
    )
    found = clean_page(LexborHTMLParser(f"{head}<body>{TEXT}"), "webpage", cleaner)

    assert found == (f"{description}\n\n{plain}" if stands else plain)


@settings(derandomize=True, max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from(["short", "long", "list", "code"]), min_size=1, max_size=8),
    st.sampled_from(["nav", "div id=menu", "div class='top navbar'"]),
    st.sampled_from(["footer", "div id=footer", "div role=contentinfo"]),
    st.sampled_from(["main", "article", "div", "section class=text"]),
)
def test_a_generated_page_gives_its_text_and_nothing_around_it(
    kinds: list[str], menu: str, footer: str, main: str
) -> None:
    """A law: all that was put into the text comes out in its order, and no word of what was put around it."""
    pieces = {
        "short": "<p>Piece {0} is short.</p>",
        "long": f"<p>{LONG}Piece {{0}} is long.</p>",
        "list": "<ul><li>Piece {0} has items</li><li>and another one</li></ul>",
        "code": "<pre>fold --piece {0}</pre>",
    }
    body = "".join(pieces[kind].format(number) for number, kind in enumerate(kinds))
    around = f"<{menu}><ul>{MENU}</ul></{menu.split()[0]}>", f"<{footer}>{OWNER}</{footer.split()[0]}>"
    found = text(f"{around[0]}<{main}><h1>Piecework</h1>{body}</{main.split()[0]}>{around[1]}")
    places = [found.lower().find(f"piece {number}") for number in range(len(kinds))]

    assert -1 not in places
    assert places == sorted(places)
    assert not [word for word in ("Menu entry", "Fold Street", "rights reserved") if word in found]


def arbitrary_markup() -> st.SearchStrategy[str]:
    """Markup of all kinds, also broken."""
    tags = (
        "<div> </div> <p> <a/href=/x> </a> <ul><li> <br><br> <table><tr><td> <section/class=part> <article>"
    )
    more = "</article> <h1>Head</h1> <pre> </pre> <!-- -->"
    piece = st.sampled_from([*tags.split(), *more.split(), "text ", LONG])
    return st.lists(piece, max_size=40).map("".join)


@settings(derandomize=True, max_examples=150, deadline=None)
@given(arbitrary_markup(), st.sampled_from(["webpage", "publication"]))
def test_any_markup_is_cleaned_without_inventing_words(html: str, mode: Mode) -> None:
    """Whatever the page is like: no failure, and every word of the answer stands in the page."""
    page = f"<!doctype html><title>Widget folder</title><body>{html}</body>"
    letters = "".join(LexborHTMLParser(page).text().split())

    assert [word for word in text(html, mode).split() if word not in letters] == []


def test_a_page_nested_deeply_is_cleaned() -> None:
    """Depth is no danger."""
    assert "Paragraph 3" in text("<div>" * 3000 + TEXT)


# What the cleaner reaches on the recorded pages with gold text (bench/cleaning.py --all), with descriptions in front as
# users get them; in the same run trafilatura reached 0.957 at best, readability-lxml 0.947, resiliparse 0.895. These
# floors may only rise: after an improvement put the new figures here, rounded down.
FLOORS = {"words F1, whole pages": 0.971, "segments kept": 0.96, "segments left out": 0.95}


def bench() -> ModuleType:
    path = Path(__file__).resolve().parents[3] / "bench" / "cleaning.py"
    spec = importlib.util.spec_from_file_location("bench_cleaning", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["bench_cleaning"] = module
    spec.loader.exec_module(module)
    return module


@needs_shared_data
def test_quality_on_recorded_pages_does_not_fall() -> None:
    """Words F1 and segments kept and left out are at least what they were."""
    cleaning = bench()
    scores = []
    kept: list[bool] = []
    left: list[bool] = []
    for case in cleaning.cases():
        found = clean_page(LexborHTMLParser(case.html), "webpage")
        if case.gold:
            scores.append(cleaning.words_f1(cleaning.ours("default")(case.html), case.gold))
        else:
            line = " ".join(found.split())
            kept.extend(" ".join(part.split()) in line for part in case.present)
            left.extend(" ".join(part.split()) not in line for part in case.absent)
    reached = {
        "words F1, whole pages": sum(scores) / len(scores),
        "segments kept": sum(kept) / len(kept),
        "segments left out": sum(left) / len(left),
    }

    assert {name: value for name, value in reached.items() if value < FLOORS[name]} == {}
