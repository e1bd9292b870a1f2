"""Our own rules, each on its page.

Every page tells the same little article (or presents the same little tool) in the markup of its site, with things
around it that must not be taken. So what each key must give is the same for all.
"""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from pubweave.core.reading.pages import read_page, read_webpage
from pubweave.core.reading.rules import RuleBook, RuleFile, load_rules
from pubweave.core.reading.rules.model import Site, WebpageRule

RULES = Path(__file__).resolve().parents[3] / "rules"
SITES = sorted((RULES / "sites").glob("*.yaml"))
WEBPAGES = sorted((RULES / "webpages").glob("*.yaml"))

TITLE = "Folding of widgets under stress"
ABSTRACT = ("We folded one hundred widgets under stress.", "All of them held.")
BODY = (
    "Widgets are folded everywhere, and little is known about it.",
    "Each widget was folded twice by hand.",
    "A folded widget, seen from above.",
)
NOT_WANTED = "Unwanted"


def book(path: Path) -> RuleBook:
    return load_rules([RuleFile("site", path.name, path.read_text())])


def example(path: Path) -> str:
    line = next(line for line in path.read_text().splitlines() if line.startswith("example: "))
    return line.removeprefix("example: ")


def site_of(path: Path) -> Site:
    (site,) = book(path).sites.values()
    return site


def page_of(path: Path) -> bytes:
    return (path.parent / "pages" / f"{path.stem}.html").read_bytes()


def test_all_rules_load_together_and_have_a_page_each() -> None:
    """No two sites share a name, every rule has its page, and no page is left over."""
    files = [RuleFile("site", path.name, path.read_text()) for path in (*SITES, *WEBPAGES)]
    rules = load_rules(files)

    assert len(rules.sites) == len(SITES)
    for paths in (SITES, WEBPAGES):
        pages = {page.stem for page in (paths[0].parent / "pages").glob("*.html")}
        assert {path.stem for path in paths} == pages


@pytest.mark.parametrize("path", [*SITES, *WEBPAGES], ids=lambda path: path.stem)
def test_the_day_of_checking_has_been(path: Path) -> None:
    """Nobody has looked at a site tomorrow."""
    line = next(line for line in path.read_text().splitlines() if line.startswith("checked: "))

    assert datetime.date.fromisoformat(line.removeprefix("checked: ")).year >= 2026


@pytest.mark.parametrize("path", SITES, ids=lambda path: path.stem)
def test_the_example_leads_to_its_rules(path: Path) -> None:
    """With all rules in force the example address is read by this file, not by a neighbour."""
    rules = load_rules([RuleFile("site", other.name, other.read_text()) for other in SITES])
    found = rules.site_for(example(path)).site

    assert found is not None
    assert found.name == path.stem


@pytest.mark.parametrize("path", SITES, ids=lambda path: path.stem)
def test_each_key_gives_the_article_and_nothing_around_it(path: Path) -> None:
    """Title, abstract, keywords, full text, links and e-mails as every page tells them; each sentence once."""
    site = site_of(path)
    keys = site.values.keys()
    findings = read_page(page_of(path), example(path), book(path), "doi", meta=False)
    parts = {part.part: part.content for part in findings.parts}
    subtitle = " : A field study" if "subtitle" in keys else ""

    if "title" in keys:
        assert parts["title"] == TITLE + subtitle
    if "doi" in keys:
        assert [found.value for found in findings.identifiers] == ["10.9999/WDG.2026.1"]
    if "abstract" in keys:
        abstract = str(parts["theAbstract"])
        assert [abstract.count(sentence) for sentence in ABSTRACT] == [1, 1]
        assert len(abstract) < len("".join(ABSTRACT)) + 20
    if keys & {"keywords", "keywords_split"}:
        assert parts["keywords"] == ("widget", "stress", "folding")
    if "fulltext" in keys:
        fulltext = str(parts["fulltext"])
        assert [fulltext.count(sentence) for sentence in (*ABSTRACT, *BODY)] == [1] * 5
    if "corresp_author_emails" in keys:
        assert [author.email for found in findings.authors for author in found.authors] == [
            "ann.lee@wdg.example"
        ]
    if keys & {"pdf_a"}:
        assert [link for link in findings.links if link.link.type == "pdf_doi" and link.source == "pdf_a"]
    assert NOT_WANTED not in str(parts)


@pytest.mark.parametrize("path", WEBPAGES, ids=lambda path: path.stem)
def test_a_web_page_gives_the_tool_and_nothing_around_it(path: Path) -> None:
    """Title, content, licence and languages as every page presents them; empty keys give nothing."""
    rules = book(path)
    rule = rules.webpage_for(example(path)).rule
    assert isinstance(rule, WebpageRule)
    found = read_webpage(page_of(path), example(path), rules)
    expected_title = "widgetfold" if rule.values.get("title") != "" else ""

    assert found.title == expected_title or rule.values.get("title") is None
    if rule.values.get("content") == "":
        assert found.content == ""
    else:
        assert found.content.count("Folds widgets of any size.") == 1
        assert NOT_WANTED not in found.content
    if rule.values.get("license"):
        assert found.license == "MIT"
    if rule.values.get("language"):
        assert found.language == "C, Python"


def test_coverage_is_what_it_was() -> None:
    """The number of sites and of tool sites with rules may only rise; verified ones too."""
    verified = sum("\nverified:\n" in path.read_text() for path in SITES)

    assert (len(SITES) >= 87, len(WEBPAGES) >= 37, verified >= 50) == (True, True, True)
