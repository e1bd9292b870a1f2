"""What stands on a page is in the answer, or the answer says which rule missed it: laws on pages made for it.

A page is made, and a rule for it; then the rule is broken in the ways in which real ones break, and the text must
still come, as the cleaner's, with the evidence, the mark in the event, the metric and the line in the log.
"""

from __future__ import annotations

import logging
import random

import pytest

from pubweave.contract.exchange import Reply, Work
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.part_candidate import PartCandidate
from pubweave.contract.resource_done import ResourceDone
from pubweave.contract.values import Identifiers, Place
from pubweave.contract.vocabulary import PART_NAMES
from pubweave.core.reading.pages import read_webpage
from pubweave.core.reading.rules import RuleBook, RuleFile, load_rules
from pubweave.core.toolkit.page_answers import Sought, say_page
from pubweave.runtimes.bus.counting import Counts
from pubweave.runtimes.told import log_said

DOI = "10.9999/WDG.1"
URL = "https://press.example/article/1"
WORDS = (
    "widget fold stress paper crease hand measure left right angle ruler table hundred sample result test twice again "
    "model force layer sheet corner edge line point value series group"
)
RULE = """\
name: press
checked: 2026-11-22
verified: false
example: https://press.example/article/1
urls:
  - press\\.example/
article:
  title: h1.title
  abstract: .abstract p
  fulltext: {fulltext}
"""
BROKEN = {
    "nothing": ".gone p",
    "captions only": "figcaption",
    "one section": "section.first > p",
    "headings": "h2",
}
"""What is left of a rule after the site has changed its pages."""


def sentence(rng: random.Random) -> str:
    return " ".join(rng.choices(WORDS.split(), k=rng.randint(8, 20))).capitalize() + ". "


def paragraphs(rng: random.Random, count: int) -> list[str]:
    return ["".join(sentence(rng) for _ in range(rng.randint(3, 9))).strip() for _ in range(count)]


def article(seed: int) -> tuple[str, list[str]]:
    """A page of an article in sections, with captions, thanks, references and furniture, and the paragraphs of its body."""
    rng = random.Random(seed)
    body = paragraphs(rng, rng.randint(9, 30))
    names = ["Introduction", "Methods", "Results", "Discussion"]
    cuts = sorted(rng.sample(range(2, len(body)), 3))
    parts = [body[start:end] for start, end in zip([0, *cuts], [*cuts, len(body)], strict=True)]
    sections = "".join(
        f'<section class="{"first" if number == 0 else "more"}"><h2>{name}</h2>'
        + "".join(f"<p>{text}</p>" for text in part[: 1 if number == 0 else None])
        + "".join(f"<div><p>{text}</p></div>" for text in (part[1:] if number == 0 else ()))
        + f"<figure><figcaption>Figure {number + 1}. {sentence(rng)}</figcaption></figure></section>"
        for number, (name, part) in enumerate(zip(names, parts, strict=True))
    )
    references = "".join(
        f"<li>Lee A. B., Ek C. D. (20{number:02}) {sentence(rng)} J. Widg. {number}: 1-{number + 9}.</li>"
        for number in range(10, 40)
    )
    html = (
        f'<!doctype html><html><head><title>Widgets {seed}</title><meta name="citation_doi" content="{DOI}">'
        f'<meta name="citation_title" content="Widgets {seed}"></head><body><nav><a href="/">Home</a></nav><main>'
        f'<h1 class="title">Widgets {seed}</h1><div class="abstract"><h2>Abstract</h2><p>{"".join(paragraphs(rng, 1))}</p></div>'
        f'<div class="body">{sections}</div><h2>Acknowledgements</h2><p>We thank the folders of widgets, all of them, and '
        f'their families, for their patience in these years.</p><ol class="references">{references}</ol></main>'
        f"<footer>Imprint</footer></body></html>"
    )
    return html, body


def rules(fulltext: str) -> RuleBook:
    return load_rules([RuleFile("site", "press.yaml", RULE.format(fulltext=f"'{fulltext}'"))])


def arbitrary_need() -> NeedsPart:
    return NeedsPart(
        publication="publication",
        need="need",
        place=Place(1, 1, 1, 1, 8, 0),
        resource="doi",
        identifiers=Identifiers(doi=DOI),
        ask="doi",
        missing=PART_NAMES,
    )


def answered(html: str, book: RuleBook) -> tuple[ResourceDone, dict[str, PartCandidate]]:
    reply = Reply(
        outcome="found", url=URL, final_url=URL, status=200, content_type="text/html", body=html.encode()
    )
    *said, done = say_page(arbitrary_need(), reply, Sought("doi", "https://doi.org/", book, is_led=True))
    assert isinstance(done, ResourceDone)
    return done, {event.part: event for event in said if isinstance(event, PartCandidate)}


@pytest.mark.parametrize("seed", range(12))
def test_a_rule_that_fits_gives_the_text_by_its_own_type(seed: int) -> None:
    """Nothing is missed, and what is taken is what the rule selects."""
    html, body = article(seed)
    done, parts = answered(html, rules(".body p"))

    assert (done.outcome, done.missed) == ("found", ())
    assert parts["fulltext"].type == "doi"
    assert all(text in parts["fulltext"].text for text in body)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_rule_loses_no_text_and_is_told(how: str, seed: int) -> None:
    """Text, evidence, the word and mark in the event, and the metric; the text is the cleaner's and never final."""
    html, body = article(seed)
    book = rules(BROKEN[how])
    done, parts = answered(html, book)
    (missed,) = done.missed

    assert done.outcome == "rule-missed"
    assert parts["fulltext"].type == "webpage"
    assert all(text in parts["fulltext"].text for text in body)
    assert "Ek C. D." not in parts["fulltext"].text
    assert (missed.site, missed.part, missed.rules_version) == ("press", "fulltext", book.version)
    assert 2 * missed.selected < missed.there <= sum(map(len, body))
    assert f"whose fulltext gives {missed.selected} of {missed.there} characters" in done.evidence
    assert ("press", "fulltext", 1.0) in counted(done)


@pytest.mark.parametrize("seed", range(12))
def test_what_gives_most_of_a_text_is_kept_and_never_final(seed: int) -> None:
    """A rule that misses a third has not its text replaced, but a better one is looked for."""
    html, body = article(seed)
    start, end = html.index('<div class="body">'), html.index("<h2>Acknowledgements")
    taken = 0
    head, inside, tail = html[:start], html[start:end], html[end:]
    for text in body:
        if taken < 0.6 * sum(map(len, body)):
            inside = inside.replace(f"<p>{text}</p>", f'<p class="kept">{text}</p>')
            taken += len(text)
    done, parts = answered(head + inside + tail, rules(".kept"))
    (missed,) = done.missed

    assert done.outcome == "rule-missed"
    assert (parts["fulltext"].type, parts["fulltext"].marks) == ("doi", ("never-final",))
    assert taken <= missed.selected < 0.75 * missed.there


CHINESE = "我们把一百个零件各折了两次，先向左后向右，然后用尺子测量，结果表明左右两侧没有显著差异，但折痕的深度随纸张厚度而变化。"


@pytest.mark.parametrize("fulltext", [".body p", ".gone p"])
def test_a_text_in_characters_is_conserved_as_one_in_letters(fulltext: str) -> None:
    """What a rule gives and what is there are counted alike."""
    html, _ = article(5)
    start, end = html.index('<div class="body">'), html.index("<h2>Acknowledgements")
    text = "".join(f"<p>{number}{CHINESE}</p>" for number in range(40))
    done, parts = answered(f'{html[:start]}<div class="body">{text}</div>{html[end:]}', rules(fulltext))

    assert all(f"{number}{CHINESE}" in parts["fulltext"].text for number in range(40))
    assert (done.outcome, parts["fulltext"].type) == (
        ("found", "doi") if fulltext == ".body p" else ("rule-missed", "webpage")
    )


def counted(done: ResourceDone) -> list[tuple[str, str, float]]:
    """The metric of missed rules: site, part, number."""
    counts = Counts()
    counts.said(done)
    return [
        (sample.labels["site"], sample.labels["part"], sample.value)
        for metric in counts.metrics()
        if metric.name == "pubweave_rules_missed"
        for sample in metric.samples
        if sample.name.endswith("_total")
    ]


def test_a_rule_that_gives_no_title_is_told_where_a_tag_has_it() -> None:
    """The title is that of the tag, as ever; the rule is named all the same."""
    html, _ = article(1)
    done, parts = answered(html.replace('<h1 class="title">', "<h1>"), rules(".body p"))

    assert parts["title"].type == "citation"
    assert done.outcome == "found"
    assert [(missed.part, missed.selected) for missed in done.missed] == [("title", 0)]


def test_the_log_names_publication_site_and_part(caplog: pytest.LogCaptureFixture) -> None:
    """F-SEL-06: one line, by which a thousand publications can be grepped."""
    html, _ = article(2)
    done, _ = answered(html, rules(".gone p"))
    with caplog.at_level(logging.WARNING):
        log_said(Work(resource="doi", needs=(arbitrary_need(),)), None, [done])

    (line,) = caplog.messages
    assert line.startswith(f"{DOI}: the rules of press gave 0 of ")
    assert "fulltext" in line
    assert URL in line


def test_lists_of_publications_are_no_running_text() -> None:
    """An abstract above hundred cited articles is no article, and its thanks are no text."""
    html, _ = article(3)
    start, end = html.index('<div class="body">'), html.index("<h2>Acknowledgements")
    done, parts = answered(html[:start] + html[end:], rules(".body p"))

    assert (done.outcome, done.missed) == ("abstract-only", ())
    assert "fulltext" not in parts
    assert parts["theAbstract"].type == "doi"


def webpage_rules(content: str) -> RuleBook:
    rule = RULE.partition("article:")[0] + f"webpage:\n  content: {content}\n"
    return load_rules([RuleFile("site", "press.yaml", rule)])


def test_a_web_page_whose_selector_matches_nothing_is_cleaned() -> None:
    """F-WEB-12 lets an empty selector discard the content, not one that matches nothing."""
    html, body = article(4)
    cleaned = read_webpage(html, URL, webpage_rules(".gone"))
    discarded = read_webpage(html, URL, webpage_rules("''"))

    assert cleaned.unmatched == ".gone"
    assert all(text in cleaned.content for text in body)
    assert (discarded.content, discarded.is_discarded, discarded.unmatched) == ("", True, "")
