"""A first plugin as YAML text, for a person to edit: from a list of URLs, or from a scraping rule."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from pubweave.articles.iterator import files
from pubweave.articles.iterator.families import Proposal, propose


class DraftError(ValueError):
    """No plugin can be proposed from what was given; the text says why."""


def draft_from_urls(name: str, urls: Sequence[str], day: str) -> str:
    """A plugin for the most frequent host of the URLs. `day` is what `checked` says.

    :raises DraftError: the URLs show no articles
    """
    hosts: dict[str, int] = {}
    for url in urls:
        parts = urlsplit(url)
        base = f"{parts.scheme}://{parts.netloc}/"
        hosts[base] = hosts.get(base, 0) + 1
    if not hosts:
        raise DraftError("there are no URLs")
    base = min(hosts, key=lambda each: (-hosts[each], each))
    proposals = propose(url for url in urls if url.startswith(base))
    if not any(each.regex for each in proposals):
        raise DraftError(f"no family of URLs at {base} looks like articles")
    example = next(url for url in urls if url.startswith(base))

    return _yaml(name, day, base, example, proposals)


def _yaml(name: str, day: str, base: str, example: str, proposals: Sequence[Proposal]) -> str:
    majors = [each for each in proposals if each.regex]
    lines = [
        "# Proposed from a list of URLs: look at every line before you trust it.",
        f"name: {_scalar(name)}",
        f"checked: {day}",
        "status: unverified",
        f"example: {_scalar(example)}",
        "params:",
        "  base_url: Url",
        "defaults:",
        f"  base_url: {_scalar(base)}",
        """root_template: '"%s", base_url'""",
        "aspects:",
    ]
    for each in [*majors, *(each for each in proposals if not each.regex)]:
        lines.append(
            f"  # {each.count} URLs of the shape {each.shape}, {each.shared} of them with the largest family"
        )
        first = "  - "
        if each.regex:
            lines.append(f"{first}patterns: {_scalar(each.regex)}")
            first = "    "
        lines.append(f"{first}replacements: {_scalar(each.replacement)}")
        lines.append(f"    roles: {_scalar(each.role)}")
    full_texts = [role for role in files.FULL_TEXT_PREFERENCE if role in {each.role for each in proposals}]
    if files.ROLE_ABSTRACT in {each.role for each in majors} and full_texts:
        order = ", ".join([*full_texts, files.ROLE_ABSTRACT])
        lines.append(f"full_text_from_roles: [{order}]")
    pages = [
        role
        for role in (files.ROLE_ABSTRACT, files.ROLE_FULL_TEXT_HTML)
        if role in {p.role for p in proposals}
    ]
    if pages:
        lines += ["role_from_other_roles:", f"  ArticleMetadata: [{', '.join(pages)}]"]

    return "\n".join(lines) + "\n"


def draft_from_rule(name: str, site: str, keys: dict[str, str], day: str) -> str:
    """A plugin that says what the rule's `fulltext_src/dst` and `pdf_src/dst` say: landing page → files.

    :raises DraftError: the rule has no such pair, or its two pairs start from different places
    """
    pairs = [
        (keys[f"{part}_src"], keys[f"{part}_dst"], role)
        for part, role in (("fulltext", files.ROLE_FULL_TEXT_HTML), ("pdf", files.ROLE_FULL_TEXT_PDF))
        if keys.get(f"{part}_src") and keys.get(f"{part}_dst") is not None
    ]
    if not pairs:
        raise DraftError(f"site {site} has neither fulltext_src and fulltext_dst nor pdf_src and pdf_dst")
    if len({source for source, _, _ in pairs}) > 1:
        raise DraftError(f"fulltext_src and pdf_src of site {site} differ, which no one aspect can say")
    lines = [
        f"# From the scraping rule of site {site}: only the way from the landing page is known.",
        f"name: {_scalar(name)}",
        f"checked: {day}",
        "status: unverified",
        "aspects:",
        f"  - patterns: {_scalar(pairs[0][0])}",
        "    replacements: $0",
        "    roles: [FullTextHtmlLanding, ArticleMetadata]",
    ]
    for _, destination, role in pairs:
        lines += [f"  - replacements: {_scalar(destination)}", f"    roles: {role}"]
    order = [role for _, _, role in pairs] + [files.ROLE_FULL_TEXT_HTML_LANDING]
    lines.append(f"full_text_from_roles: [{', '.join(order)}]")

    return "\n".join(lines) + "\n"


def _scalar(text: str) -> str:
    """A text as a YAML scalar, in single quotes where it must be."""
    if re.fullmatch(r"[A-Za-z$][A-Za-z0-9_$]*", text):
        return text

    return "'" + text.replace("'", "''") + "'"
