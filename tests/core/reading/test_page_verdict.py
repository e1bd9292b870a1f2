"""A page that is not the article never becomes the article."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from pubweave.core.reading.pages import judge_page
from shared_data import needs_shared_data

DOI = "10.9999/WDG.1"
META = '<meta name="citation_title" content="Folding of widgets"><meta name="citation_doi" content="10.9999/wdg.1">'
PARAGRAPH = (
    "Widgets are folded everywhere, and little is known about how it is done; we therefore folded one hundred of them. "
    "Each was folded twice by hand, once to the left and once to the right, and then it was measured with a ruler. "
)
SECTIONS = "".join(
    f"<section><h2>{name}</h2><p>{PARAGRAPH * 2}</p><p>{PARAGRAPH}</p><p>{PARAGRAPH}</p></section>"
    for name in ("Introduction", "Methods", "Results", "Discussion")
)
ABSTRACT = f'<section class="abstract"><h2>Abstract</h2><p>{PARAGRAPH}</p></section>'
REFERENCES = "".join(
    f"<p>Lee A. B., Ek C. D. (20{number:02}) On the folding of widgets by hand and foot. J. Widg. {number}: 1-{number + 9}. "
    "doi 10.1/x. In the library of the folding society.</p>"
    for number in range(10, 40)
)


def page(body: str, head: str = META, title: str = "Folding of widgets | Journal") -> str:
    return f"<!doctype html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>"


CHALLENGE = '<h1>journal.example</h1><script src="/cdn-cgi/challenge-platform/h/b/orchestrate"></script>'
LOGIN = '<h1>Sign in</h1><form><input name="user"><input type="password" name="p"></form>'
CASES = {
    "full text": (
        page(f"<article><h1>Folding of widgets</h1>{ABSTRACT}{SECTIONS}</article>"),
        200,
        "article",
    ),
    "abstract and references": (
        page(f"<article><h1>F</h1>{ABSTRACT}<div>{REFERENCES}</div></article>"),
        200,
        "abstract-only",
    ),
    "a preview behind a wall": (
        page(
            f"<article><h1>F</h1>{ABSTRACT}<h2>Section snippets</h2><section><p>{PARAGRAPH * 9}</p></section></article>"
        ),
        200,
        "abstract-only",
    ),
    "only the title": (
        page("<article><h1>Folding of widgets</h1><p>Journal of Widgets</p></article>"),
        200,
        "landing",
    ),
    "another article": (
        page(f"<h1>On nuts</h1>{ABSTRACT}{SECTIONS}", '<meta name="citation_doi" content="10.9999/nuts.2">'),
        200,
        "landing",
    ),
    "a long page about something else": (
        page(f"<h1>Our society</h1>{SECTIONS}", "", "Society"),
        200,
        "landing",
    ),
    "a challenge": (page("<noscript>Enable JavaScript</noscript>", "", "Just a moment..."), 200, "bot-wall"),
    "a challenge with a status": (page(CHALLENGE, "", "journal.example"), 403, "bot-wall"),
    "access denied": (
        page("<h1>Access Denied</h1><p>Reference #18.1</p>", "", "Access Denied"),
        403,
        "bot-wall",
    ),
    "a login form": (page(LOGIN, "", "Journal login"), 200, "login"),
    "a status that asks for a login": (page("<p>no</p>", "", "Journal"), 401, "login"),
    "a consent page": (
        page("<h1>Before you continue</h1><button>Accept all</button>", "", "Consent"),
        200,
        "consent-wall",
    ),
    "not found without the status": (page("<h1>Sorry</h1><p>x</p>", "", "Page not found"), 200, "soft-404"),
    "a DOI that does not exist": (
        page("<h1>This article does not exist</h1>", "", "Journal"),
        200,
        "soft-404",
    ),
    "not found": (page("<h1>Not found</h1>", "", "404"), 404, "error"),
    "an error in words": (page("<h1>Service temporarily unavailable</h1>", "", "Journal"), 200, "error"),
    "an error in numbers": (page("<h1>x</h1>", "", "x"), 502, "error"),
    "nothing": ("", 200, "error"),
}


@pytest.mark.parametrize("case", CASES)
def test_each_kind_of_page_is_told(case: str) -> None:
    """The verdict, and a sentence that says why."""
    html, status, expected = CASES[case]
    verdict = judge_page(html, "https://journal.example/", status=status, expected_doi=DOI)

    assert (verdict.kind, bool(verdict.evidence)) == (expected, True)
    assert verdict.is_wall == (expected in ("login", "consent-wall", "bot-wall"))


def test_an_article_that_mentions_walls_is_an_article() -> None:
    """Words like "log in" and "not found" on a page full of text mean nothing."""
    html = page(f"<h2>Log in</h2><article><h1>Not found: widgets</h1>{ABSTRACT}{SECTIONS}</article>")

    assert judge_page(html, "https://journal.example/", expected_doi=DOI).kind == "article"


def test_the_title_will_do_where_the_doi_is_not_shown() -> None:
    """Old pages do not show their DOI."""
    html = page(f"<h1>Folding of <i>widgets</i></h1>{ABSTRACT}{SECTIONS}", "")
    verdict = judge_page(html, "https://x.example/", expected_doi=DOI, expected_title="Folding of Widgets")

    assert verdict.kind == "article"
    assert (
        judge_page(html, "https://x.example/", expected_doi=DOI, expected_title="Nuts and bolts").kind
        == "landing"
    )


def bench() -> ModuleType:
    path = Path(__file__).resolve().parents[3] / "bench" / "pages_verdict.py"
    spec = importlib.util.spec_from_file_location("bench_pages_verdict", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["bench_pages_verdict"] = module
    spec.loader.exec_module(module)
    return module


@needs_shared_data
def test_recorded_pages_are_judged_as_labelled() -> None:
    """Precision on "article" at least 99 %, recall at least 97 %, on hosts looked at and on hosts held out."""
    module = bench()
    rows = list(module.judged())
    assert len(rows) > 120
    for held_out in (False, True):
        half = [
            (label, verdict.kind) for host, _, label, verdict in rows if module.is_held_out(host) is held_out
        ]
        taken = [label for label, kind in half if kind == "article"]
        wanted = [kind for label, kind in half if label == "article"]

        assert taken.count("article") >= 0.99 * len(taken)
        assert wanted.count("article") >= 0.97 * len(wanted)


@needs_shared_data
def test_recorded_walls_and_errors_are_never_content() -> None:
    """What was recorded as wall or error is judged as one."""
    judged = {
        (label, verdict.kind) for _, _, label, verdict in bench().judged() if label in ("bot-wall", "error")
    }

    assert judged == {("bot-wall", "bot-wall"), ("error", "error")}


def test_another_title_speaks_against_a_page_only_if_it_is_quite_another() -> None:
    """Without the DOI on the page: a subtitle more, another spelling, another script are no other article."""
    tags = '<meta name="citation_title" content="{}">'
    titles = {
        "Folding of widgets by hand: a survey": False,
        "Folding of widgets by machine": False,
        "Zur Faltung": False,
        "部品の折り方": False,
        "On the cutting of dykes in winter": True,
    }
    for title, is_other in titles.items():
        html = page(f"<article><h1>{title}</h1>{ABSTRACT}{SECTIONS}</article>", tags.format(title), title)
        verdict = judge_page(
            html,
            "https://x.example/",
            expected_doi=DOI,
            expected_title="Folding of widgets by hand and foot",
        )

        assert (title, verdict.is_other) == (title, is_other)
