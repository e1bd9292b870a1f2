"""From the text of rules files to a book of rules (chapters 15 and 16).

Three kinds of files are read: `journals` and `webpages` in the form PubFetcher's users have, and our own with one
site a file. All end in the same model; later files add to earlier ones and override them key by key: a
regular expression or site that is given again has only its last value, and a repeated regular expression takes
its place among the last, so that what comes later wins (F-YJ-02, F-YJ-11).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

import yaml

from pubweave.core.reading.java_regex import JavaPattern, parse_replacement
from pubweave.core.reading.rules.errors import RuleError
from pubweave.core.reading.rules.model import (
    REPLACEMENT_KEYS,
    SITE_KEYS,
    SOURCE_KEYS,
    UNUSED_KEYS,
    WEBPAGE_KEYS,
    RuleBook,
    Site,
    UrlPattern,
    Verified,
    WebpageRule,
)
from pubweave.core.reading.rules.nodes import RulePlace, documents, is_empty
from pubweave.core.reading.selectors import Selector, SelectorError, compile_selector
from pubweave.core.reading.selectors.patterns import compile_pattern

URL_PREFIX = r"(?i)^https?://(www\.)?"
"""Put before an expression on addresses that does not start with `^` (F-YJ-05, A-20)."""

_NOWHERE = yaml.Mark("command line", 0, 0, 0, None, 0)
Kind = Literal["journals", "webpages", "site"]
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class RuleFile:
    """The text of one rules file; `name` is what messages call it."""

    kind: Kind
    name: str
    text: str


@dataclass(slots=True)
class _RuleBookDraft:
    patterns: dict[str, tuple[UrlPattern, str]]
    sites: dict[str, Site]
    javascript: dict[str, UrlPattern]
    webpages: dict[str, tuple[UrlPattern, WebpageRule]]
    notices: list[str]


def load_rules(files: Iterable[RuleFile]) -> RuleBook:
    """The rules of all files, in their order: first the built-in ones, then the user's own.

    :raises RuleError: the first thing that is wrong, with file, section, position and key
    """
    draft = _RuleBookDraft({}, {}, {}, {}, [])
    sites: list[tuple[tuple[int, str], RuleFile]] = []
    others: list[RuleFile] = []
    files = tuple(files)
    for file in files:
        if file.kind == "site":
            sites.append(((_rank(file), file.name), file))
        else:
            others.append(file)
    for _, file in sorted(sites, key=lambda entry: entry[0]):
        _add_site_file(draft, file)
    for file in others:
        (_add_journals if file.kind == "journals" else _add_webpages)(draft, file)
    return RuleBook(
        version=_digest(draft),
        patterns=tuple(draft.patterns.values()),
        sites=dict(draft.sites),
        javascript=tuple(draft.javascript.values()),
        webpages=tuple(draft.webpages.values()),
        notices=tuple(draft.notices),
        made_by=(load_rules, (files,)),
    )


def rules_from_selectors(title: str = "", content: str = "") -> RuleBook:
    """Rules for every web page from two selectors given by hand; an empty one is left to the page (F-CLI-31).

    :raises RuleError: a selector is wrong
    """
    place = RulePlace("command line", "selectors")
    given = {key: text for key, text in (("title", title), ("content", content)) if text.strip()}
    node = yaml.ScalarNode("tag:yaml.org,2002:str", "", _NOWHERE, _NOWHERE)
    selectors = {key: _selector(place, text, node, key) for key, text in given.items()}
    pattern = UrlPattern("^", compile_pattern("^"), place.file)
    return RuleBook(
        webpages=((pattern, WebpageRule(given, selectors, place.file)),),
        made_by=(rules_from_selectors, (title, content)),
    )


def _add_journals(draft: _RuleBookDraft, file: RuleFile) -> None:
    parts = documents(file.text, file.name)
    if len(parts) not in (3, 4):
        raise RuleError(
            file.name,
            "regex",
            "three documents separated by '---' are expected (regex, site, javascript), "
            f"or four (restart), not {len(parts)}",
        )
    regex_node, site_node, javascript_node, *restart_nodes = parts

    place = RulePlace(file.name, "regex")
    mapped: dict[str, tuple[UrlPattern, str, yaml.Node]] = {}
    led_to: set[str] = set()
    for regex, key_node, value_node in place.entries(regex_node):
        pattern = _url_pattern(place, regex, key_node)
        site = place.text(value_node, regex).strip()
        if not site:
            raise place.error("the name of a site is missing", value_node, regex)
        _put_last(mapped, regex, (pattern, site, value_node))
        led_to.add(site)

    place = RulePlace(file.name, "site")
    own: dict[str, str] = {}
    named: dict[str, yaml.Node] = {}
    unused: list[str] = []
    for name, key_node, value_node in place.entries(site_node):
        taken = draft.sites.get(name)
        key = name
        if taken is not None and taken.checked:
            if name in led_to:
                key = f"{name} ({file.name.rpartition('/')[2]})"
                draft.notices.append(
                    f"{file.name}: its site {name!r} is asked at its own addresses; Pubweave's rules of that name stay for others"
                )
            else:
                draft.notices.append(
                    f"{file.name}: its site {name!r} takes the place of Pubweave's rules of that name"
                )
        site_rules = _site(place, name, key_node, value_node, file.name)
        unused += [name for given, _, _ in place.entries(value_node) if given in UNUSED_KEYS]
        draft.sites[key] = replace(site_rules, name=key)
        own[name] = key
        named[name] = key_node

    for regex, (pattern, site, value_node) in mapped.items():
        if own.get(site, site) not in draft.sites:
            raise RulePlace(file.name, "regex").error(
                f"there is no site {site!r} in section site", value_node, regex
            )
        _put_last(draft.patterns, regex, (pattern, own.get(site, site)))

    led_to.update(site for _, site in draft.patterns.values())
    for name, key_node in named.items():
        if name not in led_to:
            raise place.error("no entry of section regex leads to this site", key_node, name)

    place = RulePlace(file.name, "javascript")
    for number, item in enumerate(place.items(javascript_node), start=1):
        regex = place.text(item, f"item {number}")
        _put_last(draft.javascript, regex, _url_pattern(place, regex, item))

    if unused:
        draft.notices.append(
            f"{file.name}: wait_until means nothing here, a page is taken when its scripts have come to rest ({', '.join(unused)})"
        )
    place = RulePlace(file.name, "restart")
    restarts = [
        _url_pattern(place, place.text(item, f"item {number}"), item).text
        for node in restart_nodes
        for number, item in enumerate(place.items(node), start=1)
    ]
    if restarts:
        draft.notices.append(
            f"{file.name}: section restart means nothing here, each page has a browser window of its own ({len(restarts)} addresses)"
        )


def _add_webpages(draft: _RuleBookDraft, file: RuleFile) -> None:
    parts = documents(file.text, file.name)
    if len(parts) > 1:
        raise RuleError(file.name, "webpages", f"one document is expected, not {len(parts)}")
    place = RulePlace(file.name, "webpages")
    for regex, key_node, value_node in place.entries(parts[0] if parts else None):
        pattern = _url_pattern(place, regex, key_node)
        _put_last(draft.webpages, regex, (pattern, _webpage(place, regex, key_node, value_node, file.name)))


_SITE_FILE_KEYS = frozenset(
    {"name", "checked", "verified", "example", "note", "rank", "urls", "javascript", "article", "webpage"}
)


def _add_site_file(draft: _RuleBookDraft, file: RuleFile) -> None:
    top = _site_file(file)
    place = RulePlace(file.name, "top")

    def said(key: str) -> str:
        return place.text(top[key], key).strip() if key in top else ""

    name = said("name") or file.name.rsplit("/", 1)[-1].removesuffix(".yaml")
    checked = said("checked")
    if "checked" not in top or not _is_day(checked):
        raise place.error(
            "the day the site was last looked at is missing (checked: YYYY-MM-DD)",
            top.get("checked"),
            "checked",
        )
    verified = _verified(file.name, top)
    if not said("example").startswith(("http://", "https://")):
        raise place.error("the address of an example page is missing", top.get("example"), "example")
    if "urls" not in top:
        raise place.error("the addresses the rules are for are missing", None, "urls")
    if ("article" in top) == ("webpage" in top):
        raise place.error("either article or webpage is expected, and one of them only", None, "article")

    place = RulePlace(file.name, "urls")
    patterns = []
    for item in place.items(top["urls"], "urls"):
        text = place.text(item, "urls")
        patterns.append((text, _url_pattern(place, text, item), item))
    if not patterns:
        raise place.error("at least one regular expression is expected", top["urls"], "urls")

    place = RulePlace(file.name, "javascript")
    for item in place.items(top.get("javascript"), "javascript"):
        text = place.text(item, "javascript")
        _put_last(draft.javascript, text, _url_pattern(place, text, item))

    if "article" in top:
        site = _site(RulePlace(file.name, "article"), name, top["article"], top["article"], file.name)
        if name in draft.sites:
            raise RulePlace(file.name, "top").error(
                f"there is another site {name!r}", top.get("name"), "name"
            )
        draft.sites[name] = Site(
            site.name,
            site.values,
            site.selectors,
            site.fulltext_source,
            site.pdf_source,
            file.name,
            checked,
            verified,
        )
        for text, pattern, _ in patterns:
            _put_last(draft.patterns, text, (pattern, name))
    else:
        rule = _webpage(RulePlace(file.name, "webpage"), name, top["webpage"], top["webpage"], file.name)
        rule = WebpageRule(rule.values, rule.selectors, file.name, checked, verified)
        for text, pattern, _ in patterns:
            _put_last(draft.webpages, text, (pattern, rule))


def _verified(file: str, top: Mapping[str, yaml.Node]) -> Mapping[str, Verified] | bool:
    """Which keys which recorded page has shown to be right, and when; or only whether any page was tried."""
    place = RulePlace(file, "top")
    node = top.get("verified")
    if not isinstance(node, yaml.MappingNode):
        said = place.text(node, "verified").strip().lower() if node is not None else ""
        if said not in ("true", "false"):
            raise place.error(
                "the keys that a recorded page has shown to be right are expected (title: PAGE DAY), or true or false",
                node,
                "verified",
            )
        return said == "true"
    rules = top.get("article") or top.get("webpage")
    known = {key for key, _, _ in place.entries(rules, "verified")} if rules is not None else set()
    place = RulePlace(file, "verified")
    found: dict[str, Verified] = {}
    for key, key_node, value_node in place.entries(node, "verified"):
        if key not in known:
            raise place.error("there is no such key among the rules", key_node, key)
        page, _, day = place.text(value_node, key).strip().rpartition(" ")
        if not page or not _is_day(day):
            raise place.error("a recorded page and a day are expected (PAGE YYYY-MM-DD)", value_node, key)
        found[key] = Verified(page.strip(), day)
    return found


def _site_file(file: RuleFile) -> dict[str, yaml.Node]:
    parts = documents(file.text, file.name)
    if len(parts) != 1 or parts[0] is None:
        raise RuleError(file.name, "top", "one document with the rules of one site is expected")
    place = RulePlace(file.name, "top")
    top: dict[str, yaml.Node] = {}
    for key, key_node, value_node in place.entries(parts[0]):
        if key not in _SITE_FILE_KEYS:
            raise place.error(f"unknown key; known are {', '.join(sorted(_SITE_FILE_KEYS))}", key_node, key)
        top[key] = value_node
    return top


def _rank(file: RuleFile) -> int:
    node = _site_file(file).get("rank")
    if node is None:
        return 0
    place = RulePlace(file.name, "top")
    text = place.text(node, "rank")
    try:
        return int(text)
    except ValueError:
        raise place.error("a whole number is expected", node, "rank") from None


def _is_day(text: str) -> bool:
    year, _, rest = text.partition("-")
    month, _, day = rest.partition("-")
    return (
        [len(year), len(month), len(day)] == [4, 2, 2]
        and all(part.isdecimal() for part in (year, month, day))
        and 1 <= int(month) <= 12
        and 1 <= int(day) <= 31
    )


def _url_pattern(place: RulePlace, text: str, node: yaml.Node) -> UrlPattern:
    if not text.strip():
        raise place.error("the regular expression is empty", node, text)
    return UrlPattern(
        text, _pattern(place, text if text.startswith("^") else URL_PREFIX + text, node, text), place.file
    )


def _pattern(place: RulePlace, text: str, node: yaml.Node, key: str) -> JavaPattern:
    try:
        return compile_pattern(text)
    except ValueError as wrong:
        raise place.error(f"this is no regular expression: {wrong}", node, key) from wrong


def _values(
    place: RulePlace, name: str, key_node: yaml.Node, value_node: yaml.Node, known: tuple[str, ...]
) -> dict[str, tuple[str, yaml.Node]]:
    if not name.strip():
        raise place.error("the name is empty", key_node, name)
    if is_empty(value_node):
        raise place.error("there are no rules in it", key_node, name)
    found: dict[str, tuple[str, yaml.Node]] = {}
    for key, inner_key_node, inner_value_node in place.entries(value_node, name):
        if key not in known:
            if key in UNUSED_KEYS and known is SITE_KEYS:
                place.text(inner_value_node, f"{name} / {key}")
                continue
            raise place.error(f"unknown key; known are {', '.join(known)}", inner_key_node, f"{name} / {key}")
        found[key] = (place.text(inner_value_node, f"{name} / {key}"), inner_value_node)
    if not found:
        raise place.error("there are no rules in it", key_node, name)
    return found


def _selector(place: RulePlace, text: str, node: yaml.Node, key: str) -> Selector:
    try:
        return compile_selector(text)
    except SelectorError as wrong:
        raise place.error(str(wrong), node, key) from wrong


def _site(place: RulePlace, name: str, key_node: yaml.Node, value_node: yaml.Node, file: str) -> Site:
    found = _values(place, name, key_node, value_node, SITE_KEYS)
    selectors: dict[str, Selector] = {}
    sources: dict[str, JavaPattern] = {}
    for key, (text, node) in found.items():
        label = f"{name} / {key}"
        if not text.strip() and key not in REPLACEMENT_KEYS:
            raise place.error("the value is empty", node, label)
        if key in SOURCE_KEYS:
            sources[key] = _pattern(place, text, node, label)
        elif key not in REPLACEMENT_KEYS:
            selectors[key] = _selector(place, text, node, label)
    for kind in ("fulltext", "pdf"):
        for one, other in ((f"{kind}_src", f"{kind}_dst"), (f"{kind}_dst", f"{kind}_src")):
            if one in found and other not in found:
                raise place.error(f"{one} needs {other} beside it", found[one][1], f"{name} / {one}")
        if f"{kind}_dst" in found:
            text, node = found[f"{kind}_dst"]
            try:
                source = sources[f"{kind}_src"]
                parse_replacement(text, source.groups, source.names)
            except ValueError as wrong:
                raise place.error(f"this is no replacement: {wrong}", node, f"{name} / {kind}_dst") from wrong
    return Site(
        name,
        {key: text for key, (text, _) in found.items()},
        selectors,
        sources.get("fulltext_src"),
        sources.get("pdf_src"),
        file,
    )


def _webpage(
    place: RulePlace, name: str, key_node: yaml.Node, value_node: yaml.Node, file: str
) -> WebpageRule:
    found = _values(place, name, key_node, value_node, WEBPAGE_KEYS)
    selectors = {
        key: _selector(place, text, node, f"{name} / {key}")
        for key, (text, node) in found.items()
        if key != "javascript" and text.strip()
    }
    return WebpageRule({key: text.strip() for key, (text, _) in found.items()}, selectors, file)


def _put_last(table: dict[str, _Value], key: str, value: _Value) -> None:
    table.pop(key, None)
    table[key] = value


def _digest(draft: _RuleBookDraft) -> str:
    said: Mapping[str, object] = {
        "regex": [[text, site] for text, (_, site) in draft.patterns.items()],
        "site": {name: dict(site.values) for name, site in draft.sites.items()},
        "javascript": list(draft.javascript),
        "webpages": [[text, dict(rule.values)] for text, (_, rule) in draft.webpages.items()],
    }
    canonical = json.dumps(said, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()[:16]
