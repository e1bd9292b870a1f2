"""Reads one page of a tool or database: title, content, licence, language (chapters 13 and 16)."""

from __future__ import annotations

from pubweave.core.reading.charset import decode_page
from pubweave.core.reading.cleaning import Algorithm, clean_page
from pubweave.core.reading.layout import formatted_text, text_of
from pubweave.core.reading.pages.document import Page
from pubweave.core.reading.pages.findings import WebpageFindings
from pubweave.core.reading.pages.xml import is_xml, read_xml
from pubweave.core.reading.rules.model import RuleBook, WebpageRule


def read_webpage(
    html: bytes | str,
    url: str,
    rules: RuleBook,
    *,
    content_type: str = "",
    cleaner: Algorithm = "default",
    first_language_only: bool = False,
) -> WebpageFindings:
    """What a web page says, by the rules of its final address or, without rules, cleaned.

    A selector that is missing leaves title or content to `<title>` and the cleaner, one that is empty empties them
    (F-WEB-11, F-WEB-12), and a content selector that matches nothing leaves the content to the cleaner, too. Languages are joined by `, ` (A-17). A page of type text/plain is its own content, and so is the text of XML that is no page.
    """
    found = rules.webpage_for(url)
    if content_type.split(";", 1)[0].strip().lower() == "text/plain":
        return _plain(html, rules, content_type)
    if found.rule is None and isinstance(html, bytes) and is_xml(html, content_type):
        told = read_xml(html)
        if told is not None:
            return WebpageFindings(
                title=told.title,
                content=told.content,
                text_size=len(told.content),
                is_page=False,
                rules_version=rules.version,
            )
    page = Page(html, url, content_type)
    rule = found.rule if found.rule is not None else WebpageRule({}, {})
    body = page.tree.body
    text_size = len(text_of(body)) if body is not None else 0
    has_noscript = page.tree.css_first("noscript") is not None
    title = _title(page, rule)
    license_ = page.first_text(rule.selectors, "license")
    language = _language(page, rule, first_language_only)
    selected = _selected(page, rule)
    # Last, because cleaning uses the tree up.
    content = clean_page(page.tree, "webpage", cleaner, page.meta) if selected is None else selected
    return WebpageFindings(
        title=title,
        content=content,
        license=license_,
        language=language,
        text_size=text_size,
        has_noscript=has_noscript,
        is_discarded=rule.values.get("content") == "",
        unmatched=rule.values.get("content", "") if selected is None else "",
        by_rules=found.rule is not None,
        rules_version=rules.version,
        tried=found.tried,
        keys=tuple(page.read),
    )


def _plain(html: bytes | str, rules: RuleBook, content_type: str) -> WebpageFindings:
    text = html if isinstance(html, str) else decode_page(html, content_type).text
    content = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    return WebpageFindings(
        content=content, text_size=len(content), is_page=False, rules_version=rules.version
    )


def _title(page: Page, rule: WebpageRule) -> str:
    if "title" not in rule.values:
        return page.title
    found = page.all(rule.selectors, "title")
    if not found:
        return ""
    text = formatted_text(found[0])
    page.note("title", rule.values["title"], len(found), len(text))
    return text


def _selected(page: Page, rule: WebpageRule) -> str | None:
    """The content by the rule; None where there is none for it, or where it matches nothing (F-WEB-12)."""
    if rule.values.get("content", "") == "":
        return rule.values.get("content")
    found = page.all(rule.selectors, "content")
    texts = [text for node in found if (text := formatted_text(node))]
    if found:
        page.note("content", rule.values["content"], len(found), sum(map(len, texts)))
    return "\n\n".join(texts) or None


def _language(page: Page, rule: WebpageRule, first_only: bool) -> str:
    texts = list(dict.fromkeys(page.all_texts(rule.selectors, "language")))
    return ", ".join(texts[:1] if first_only else texts)
