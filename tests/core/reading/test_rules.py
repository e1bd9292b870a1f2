"""Rules files load as chapters 15 and 16 say, and are refused with the place where they break them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pubweave.core.reading.rules import RuleBook, RuleError, RuleFile, Site, load_rules, rules_from_selectors

JOURNALS = """\
# a comment before the first section
journals\\.example\\.org/article/: example
press\\.example\\.com/: press
^https://press\\.example\\.com/full/: press_full
---
example:
  title: h1.title
  subtitle: h2.sub
  keywords: .kwd
  abstract: .abstract > p
  fulltext: section:has(h2:matches(^Methods)) p
  pdf_a: a[href$=.pdf]
press:
  title: "[class=article title]"
  fulltext_src: /abs/(\\d+)
  fulltext_dst: /full/$1
press_full:
  fulltext: .body p
---
- press\\.example\\.com/
"""

WEBPAGES = """\
github\\.example/[^/]+/[^/]+: {title: h1, content: .readme, license: a.license, language: .lang}
github\\.example/[^/]+/[^/]+/issues: {title: '', content: ''}
tool\\.example/:
  javascript: True
wiki\\.example/:
  content: '#content'
  javascript: "false"
"""

SITE = """\
name: platform
checked: 2025-11-21
verified: true
example: https://platform.example/a/1
urls:
  - platform\\.example/a/
article:
  title: h1
  doi: .doi
"""


def book(journals: str = JOURNALS, webpages: str = WEBPAGES, *more: RuleFile) -> RuleBook:
    files = [RuleFile("journals", "journals.yaml", journals), RuleFile("webpages", "webpages.yaml", webpages)]
    return load_rules([*files, *more])


def found(rules: RuleBook, url: str) -> Site:
    site = rules.site_for(url).site
    assert site is not None
    return site


def test_three_documents_become_patterns_sites_and_javascript() -> None:
    """A journals file in the form that PubFetcher's users have is read whole."""
    rules = book()

    assert [text for text, _ in ((p.text, s) for p, s in rules.patterns)] == [
        "journals\\.example\\.org/article/",
        "press\\.example\\.com/",
        "^https://press\\.example\\.com/full/",
    ]
    assert sorted(rules.sites) == ["example", "press", "press_full"]
    assert rules.sites["press"].values["title"] == "[class=article title]"
    assert [pattern.text for pattern in rules.javascript] == ["press\\.example\\.com/"]


OURS = RuleFile("site", "rules/sites/platform.yaml", SITE)
TAKEN = "press\\.example\\.com/: platform\n---\nplatform: {title: h1.theirs}\n---\n"


def test_a_name_of_ours_in_a_users_file_leaves_our_selectors_to_other_addresses() -> None:
    """PubFetcher's own file names the platforms as we do: its selectors are for its addresses, ours for the rest."""
    rules = load_rules([OURS, RuleFile("journals", "/home/me/journals.yaml", TAKEN)])

    assert found(rules, "https://press.example.com/1").values["title"] == "h1.theirs"
    assert found(rules, "https://press.example.com/1").name == "platform (journals.yaml)"
    assert dict(found(rules, "https://platform.example/a/1").values) == {"title": "h1", "doi": ".doi"}
    assert ["'platform'" in notice for notice in rules.notices] == [True]


def test_rules_of_ours_are_replaced_where_a_file_only_names_them_and_it_is_said() -> None:
    """A site that the file leads no address to is meant for ours (F-YJ-02)."""
    only_site = "---\n---\nplatform: {title: h1.theirs}\n---\n"
    rules = load_rules([OURS, RuleFile("journals", "journals.yaml", only_site)])

    assert dict(found(rules, "https://platform.example/a/1").values) == {"title": "h1.theirs"}
    assert "takes the place" in rules.notices[0]


def test_the_newest_form_of_journals_is_read_and_what_means_nothing_here_is_told() -> None:
    """A fourth document `restart` and the key `wait_until` steer another program's browser."""
    newest = (
        "a\\.example/: one\nb\\.example/: two\n---\none: {title: h1, wait_until: .done}\ntwo: {title: h2}\n---\n- a\\.example/\n"
        "---\n- a\\.example/\n- b\\.example/\n"
    )
    rules = load_rules([RuleFile("journals", "journals.yaml", newest)])

    assert dict(found(rules, "https://a.example/").values) == {"title": "h1"}
    assert [("wait_until" in one, "restart" in one) for one in rules.notices] == [
        (True, False),
        (False, True),
    ]
    assert "one" in rules.notices[0]
    assert rules.wants_javascript("https://a.example/") is not None
    assert load_rules([RuleFile("journals", "journals.yaml", "---\n---\n---\n---\n")]).notices == ()


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("---\n---\n---\n---\n- '('\n", "no regular expression"),
        ("---\n---\n---\n---\na: b\n", "a list was expected"),
        ("a: s\n---\ns: {wait_until: .x}\n---\n", "there are no rules in it"),
        ("---\n---\n---\n---\n---\n", "not 5"),
    ],
)
def test_a_wrong_file_of_the_newest_form_is_refused(text: str, word: str) -> None:
    """What is read and not used has to be right, too."""
    with pytest.raises(RuleError, match=word):
        load_rules([RuleFile("journals", "journals.yaml", text)])


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://journals.example.org/article/1", "example"),
        ("http://www.journals.example.org/article/1", "example"),
        ("HTTPS://WWW.Journals.Example.ORG/article/1", "example"),
        ("https://mirror.example.net/?u=https://journals.example.org/article/1", None),
        ("ftp://journals.example.org/article/1", None),
        ("https://press.example.com/abs/1", "press"),
        ("https://press.example.com/full/1", "press_full"),
        ("https://www.press.example.com/full/1", "press"),
        ("https://nowhere.example/", None),
    ],
)
def test_the_last_pattern_that_matches_wins(url: str, site: str | None) -> None:
    """Patterns without `^` are anchored to scheme, `www.` and host without regard to case; the last one wins."""
    answer = book().site_for(url).site

    assert (answer.name if answer else None) == site


def test_the_evidence_names_winner_and_losers() -> None:
    """`explain` can show every pattern that matched and where it stands."""
    tried = book().site_for("https://press.example.com/full/1").tried

    assert [(one.pattern, one.target, one.file, one.verdict) for one in tried] == [
        ("press\\.example\\.com/", "press", "journals.yaml", "lost"),
        ("^https://press\\.example\\.com/full/", "press_full", "journals.yaml", "won"),
    ]


def test_a_custom_file_overrides_key_by_key() -> None:
    """A site given again has only its last rules, a pattern given again its last site, all else stays."""
    custom = "press\\.example\\.com/: mine\n---\nmine: {title: h1.mine}\nexample: {title: h1.other}\n---\n"
    rules = book(JOURNALS, WEBPAGES, RuleFile("journals", "mine.yaml", custom))

    assert dict(rules.sites["example"].values) == {"title": "h1.other"}
    assert found(rules, "https://press.example.com/abs/1").name == "mine"
    assert found(rules, "https://press.example.com/full/1").name == "mine"
    assert found(rules, "https://journals.example.org/article/1").file == "mine.yaml"


def test_a_repeated_key_in_one_file_has_its_last_value() -> None:
    """Of two values for one site, pattern or key the last is in effect."""
    text = "a\\.example/: one\na\\.example/: two\n---\none: {title: h1}\ntwo: {title: h2, title: h3}\n---\n"
    rules = load_rules([RuleFile("journals", "j.yaml", text)])

    assert found(rules, "https://a.example/").values["title"] == "h3"


def test_empty_documents_are_allowed() -> None:
    """A file may override only what it wants to, also with a leading separator."""
    rules = book(
        JOURNALS, WEBPAGES, RuleFile("journals", "mine.yaml", "---\n---\npress: {title: h5}\n---\n- x\\.y/\n")
    )

    assert rules.sites["press"].values["title"] == "h5"
    assert rules.wants_javascript("https://x.y/") is not None
    assert load_rules([RuleFile("journals", "empty.yaml", "---\n---\n---\n")]).sites == {}
    assert load_rules([RuleFile("webpages", "empty.yaml", "# nothing\n")]).webpages == ()


@pytest.mark.parametrize(
    ("text", "section", "key", "position", "word"),
    [
        ("a: s\n---\ns: {title: h1}\n", "regex", "", (0, 0), "three documents"),
        ("a: s\n---\ns: {title: h1}\n---\n- b\n---\n---\n", "regex", "", (0, 0), "not 5"),
        ("a: [s\n---\n", "1", "", (2, 1), "not YAML"),
        ("- a\n---\n---\n", "regex", "", (1, 1), "mapping"),
        ("'': s\n---\ns: {title: h1}\n---\n", "regex", "", (1, 1), "empty"),
        ("a[: s\n---\ns: {title: h1}\n---\n", "regex", "a[", (1, 1), "regular expression"),
        ("a:\n---\ns: {title: h1}\n---\n", "regex", "a", (1, 3), "missing"),
        ("a: t\n---\ns: {title: h1}\n---\n", "regex", "a", (1, 4), "'t'"),
        ("a: s\n---\ns: {titel: h1}\n---\n", "site", "s / titel", (3, 5), "unknown key"),
        ("a: s\n---\ns: {title: ''}\n---\n", "site", "s / title", (3, 12), "empty"),
        ("a: s\n---\ns:\n  title: h1\n  doi: 'p['\n---\n", "site", "s / doi", (5, 8), "closed"),
        ("a: s\n---\ns: {}\n---\n", "site", "s", (3, 1), "no rules"),
        ("a: s\n---\ns:\n---\n", "site", "s", (3, 1), "no rules"),
        ("a: s\n---\ns: h1\n---\n", "site", "s", (3, 4), "mapping"),
        ("a: s\n---\ns: {title: [h1]}\n---\n", "site", "s / title", (3, 12), "text"),
        ("a: s\n---\ns: {title: h1}\nt: {title: h1}\n---\n", "site", "t", (4, 1), "no entry"),
        ("a: s\n---\ns: {pdf_src: x}\n---\n", "site", "s / pdf_src", (3, 14), "pdf_dst"),
        ("a: s\n---\ns: {pdf_dst: x}\n---\n", "site", "s / pdf_dst", (3, 14), "pdf_src"),
        ("a: s\n---\ns: {fulltext_src: x}\n---\n", "site", "s / fulltext_src", (3, 19), "fulltext_dst"),
        ("a: s\n---\ns: {pdf_src: (x), pdf_dst: $2}\n---\n", "site", "s / pdf_dst", (3, 28), "replacement"),
        ("a: s\n---\ns: {pdf_src: '(', pdf_dst: ''}\n---\n", "site", "s / pdf_src", (3, 14), "regular"),
        ("a: s\n---\ns: {title: h1}\n---\n- ''\n", "javascript", "", (5, 3), "empty"),
        ("a: s\n---\ns: {title: h1}\n---\nx: y\n", "javascript", "", (5, 1), "list"),
    ],
)
def test_a_wrong_journals_file_is_refused_with_the_place(
    text: str, section: str, key: str, position: tuple[int, int], word: str
) -> None:
    """The error names file, section, position and key."""
    with pytest.raises(RuleError) as refused:
        load_rules([RuleFile("journals", "custom.yaml", text)])
    error = refused.value

    assert (error.file, error.section, error.key) == ("custom.yaml", section, key)
    assert (error.line, error.column) == position
    assert word in error.reason
    assert "custom.yaml" in str(error)
    assert f"section {section}" in str(error)


@pytest.mark.parametrize(
    ("text", "key", "word"),
    [
        ("a: {title: h1}\n---\nb: {title: h1}\n", "", "one document"),
        ("a: {titel: h1}\n", "a / titel", "unknown key"),
        ("'': {title: h1}\n", "", "empty"),
        ("a:\n", "a", "no rules"),
        ("a: {content: 'p:nosuch'}\n", "a / content", "pseudo-class"),
        ("'*a': {content: p}\n", "*a", "regular expression"),
    ],
)
def test_a_wrong_webpages_file_is_refused_with_the_place(text: str, key: str, word: str) -> None:
    """The error names file, section and key."""
    with pytest.raises(RuleError) as refused:
        load_rules([RuleFile("webpages", "custom.yaml", text)])

    assert (refused.value.file, refused.value.section, refused.value.key) == ("custom.yaml", "webpages", key)
    assert word in refused.value.reason


def test_webpage_rules_tell_missing_from_empty() -> None:
    """A selector that is empty is there, one that is missing is not (F-YW-05); the last pattern wins."""
    rules = book()
    issues = rules.webpage_for("https://github.example/a/b/issues").rule
    repository = rules.webpage_for("https://github.example/a/b").rule

    assert issues is not None
    assert dict(issues.values) == {"title": "", "content": ""}
    assert repository is not None
    assert repository.values["license"] == "a.license"
    assert rules.webpage_for("https://elsewhere.example/").rule is None


def test_javascript_is_true_in_any_case_false_otherwise_or_unsaid() -> None:
    """Rendering is decided by the rules of the start address."""
    rules = book()

    assert rules.webpage_javascript("https://tool.example/") is True
    assert rules.webpage_javascript("https://wiki.example/") is False
    assert rules.webpage_javascript("https://github.example/a/b") is None
    assert rules.webpage_javascript("https://elsewhere.example/") is None


def test_a_site_file_of_our_own_gives_the_same_model() -> None:
    """One site a file, with the day it was checked; users' files come after and override."""
    site = RuleFile("site", "rules/platform.yaml", SITE)
    rules = load_rules([site])
    custom = RuleFile("journals", "mine.yaml", "---\n---\nplatform: {title: h2}\n---\n")

    assert found(rules, "https://platform.example/a/1").checked == "2025-11-21"
    assert found(rules, "https://platform.example/a/1").verified is True
    assert found(load_rules([custom, site]), "https://platform.example/a/1").values["title"] == "h2"


def test_site_files_are_ordered_by_rank_and_name_not_by_arrival() -> None:
    """What stands later wins, so the order of loading must not depend on the file system."""
    general = RuleFile(
        "site", "z.yaml", SITE.replace("name: platform", "name: general\nrank: -1").replace("/a/", "/")
    )
    special = RuleFile("site", "a.yaml", SITE)
    one, other = load_rules([general, special]), load_rules([special, general])

    assert found(one, "https://platform.example/a/1").name == "platform"
    assert one.version == other.version


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("checked: 2025-11-21\n", "", "checked"),
        ("checked: 2025-11-21", "checked: last week", "checked"),
        ("verified: true", "verified: maybe", "verified"),
        ("verified: true", "verified:\n  title: a page", "title"),
        ("verified: true", "verified:\n  titel: a page 2026-11-22", "titel"),
        ("verified: true", "verified: [title]", "verified"),
        ("example: https://platform.example/a/1", "example: soon", "example"),
        ("urls:\n  - platform\\.example/a/\n", "", "urls"),
        ("  - platform\\.example/a/\n", "  []\n", "urls"),
        ("article:", "artikel:", "artikel"),
        ("  title: h1\n", "  titel: h1\n", "platform / titel"),
        ("  - platform", "  - plat(form", "plat(form\\.example/a/"),
    ],
)
def test_a_wrong_site_file_is_refused_with_the_place(old: str, new: str, key: str) -> None:
    """Our own form is as strict as the other."""
    assert old in SITE
    with pytest.raises(RuleError) as refused:
        load_rules([RuleFile("site", "platform.yaml", SITE.replace(old, new))])

    assert refused.value.key == key


def test_the_version_follows_what_the_rules_say() -> None:
    """A comment does not change it, a selector does."""
    same = book("# another comment\n" + JOURNALS)
    other = book(JOURNALS.replace("h1.title", "h1.headline"))

    assert book().version == same.version
    assert book().version != other.version


def test_a_slow_pattern_loses_and_is_named() -> None:
    """A pattern that runs out of time decides nothing and hangs nothing."""
    text = "(?:x|xx)*(?:[yw])z?$: slow\n---\nslow: {title: h1}\n---\n"
    rules = load_rules([RuleFile("journals", "j.yaml", text.replace("(?:x", "^(?:https://)?(?:x", 1))])
    answer = rules.site_for("x" * 60 + "!")

    assert answer.site is None
    assert [(one.pattern[:1], one.verdict) for one in answer.tried] == [("^", "too-slow")]


def test_the_example_in_the_documentation_loads() -> None:
    """Who copies it starts from something that works."""
    guide = (Path(__file__).resolve().parents[3] / "docs" / "writing-rules.md").read_text()
    example = re.search(r"```yaml\n(.*?)```", guide, re.DOTALL)
    assert example is not None
    rules = load_rules([RuleFile("site", "example.yaml", example[1])])

    assert found(rules, "https://press.example.com/article/10.9999/ep.1").name == "example-press"


def test_the_selector_in_effect_can_be_asked_for() -> None:
    """By address and key; the part's other name is understood too (A-42)."""
    rules = book()
    url = "https://journals.example.org/article/1"

    assert rules.selector(url, "title") == "h1.title"
    assert rules.selector(url, "theAbstract") == rules.selector(url, "abstract") == ".abstract > p"
    assert rules.selector(url, "doi") is None
    assert rules.selector("https://nowhere.example/", "title") is None


def test_selectors_given_by_hand_are_rules_for_every_page() -> None:
    """An empty selector leaves title or content to the page itself (F-CLI-31)."""
    rule = rules_from_selectors(title="h1", content="").webpage_for("https://anything.example/").rule
    assert rule is not None

    assert dict(rule.values) == {"title": "h1"}
    with pytest.raises(RuleError, match="pseudo-class"):
        rules_from_selectors(content="p:nosuch")
