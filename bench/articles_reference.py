"""The plain reference loop of the articles bench: the semantics written naively over a set in memory.

As the field notes tell it, for any definition: roots, general pattern, aspects with several patterns,
replacements and roles, full-text order, roles from others. Expressions are compiled once, replacements made format
strings once. The bench holds the loop against bare regex searches, so that it cannot rot.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

ROOT = "http://journals.example.org/"
PATTERN = r"^http://journals\.example\.org/[^/]+/[0-9]+/(full|pdf|epub|xml)/"

ASPECTS: list[tuple[list[str], list[str], list[str]]] = [
    # (patterns, none for a minor aspect; replacements; roles), in order
    ([r"/full/([0-9]+)$"], ["/full/$1"], ["FullTextHtml"]),
    ([r"/pdf/([0-9]+)\.pdf$"], ["/pdf/$1.pdf"], ["FullTextPdfFile"]),
    ([r"/epub/([0-9]+)\.epub$"], ["/epub/$1.epub"], ["FullTextEpub"]),
    ([r"/xml/([0-9]+)\.xml$"], ["/xml/$1.xml"], ["FullTextXml"]),
    ([], ["/abs/$1"], ["Abstract"]),
    ([], ["/ref/$1"], ["References"]),
    ([], ["/suppl/$1"], ["SupplementaryMaterials"]),
    ([], ["/ris/$1.ris"], ["CitationRis"]),
]
FULL_TEXT_ORDER = ("FullTextHtml", "FullTextPdfFile", "FullTextEpub", "FullTextXml")
ROLE_FROM_OTHERS: dict[str, list[str]] = {"ArticleMetadata": ["Abstract", "FullTextHtml", "FullTextPdfFile"]}


def urls(count: int) -> Iterator[str]:
    """About `count` URLs of a made-up platform, in no useful order, 1 in 8 not of any article."""
    # A full cycle of a linear congruential generator, so that the order is scattered and nothing repeats.
    articles = max(count // 5, 1)
    size = 1 << max(articles - 1, 1).bit_length()
    number = 1
    made = 0
    while made < count:
        number = (number * 1664525 + 1013904223) % size
        if number >= articles:
            continue
        base = f"{ROOT}jrn{number % 97}/{number % 41 + 1}"
        parts = [f"/full/{number}", f"/pdf/{number}.pdf", f"/abs/{number}", f"/ref/{number}"]
        if number % 3 == 0:
            parts[0] = f"/epub/{number}.epub"
        if number % 4 == 0:
            parts.append(f"/ris/{number}.ris")
        if number % 5 == 0:
            parts.append(f"/suppl/{number}")
        parts.append(f"/toc/{number}.html")
        for part in parts:
            yield base + part
            made += 1
            if made == count:
                return


def reference(given: Iterable[str]) -> list[tuple[str | None, dict[str, str]]]:
    """All articles as (full-text URL, roles), in the order of the walk."""
    stored = set(given)
    general = re.compile(PATTERN)
    aspects = [
        ([re.compile(each) for each in patterns], [each.replace("$1", "{}") for each in replacements], roles)
        for patterns, replacements, roles in ASPECTS
    ]

    def existing(match: re.Match[str], url: str, replacements: list[str]) -> str | None:
        for replacement in replacements:
            other = url[: match.start()] + replacement.format(*match.groups("")) + url[match.end() :]
            if other in stored:
                return other
        return None

    def article(url: str) -> tuple[str | None, dict[str, str]] | None:
        for index, (patterns, _, roles) in enumerate(aspects):
            for pattern in patterns:
                match = pattern.search(url)
                if match is None:
                    continue
                for _, replacements, _ in aspects[:index]:
                    if existing(match, url, replacements) is not None:
                        return None
                found = dict.fromkeys(roles, url)
                for _, replacements, others in aspects[index + 1 :]:
                    other = existing(match, url, replacements)
                    if other is not None:
                        for role in others:
                            found.setdefault(role, other)
                full_text: str | None = url
                if FULL_TEXT_ORDER:
                    full_text = next((found[role] for role in FULL_TEXT_ORDER if role in found), None)
                for role, others in ROLE_FROM_OTHERS.items():
                    value = next((found[other] for other in others if other in found), None)
                    if value is not None:
                        found[role] = value
                return full_text, found
        return None

    articles: list[tuple[str | None, dict[str, str]]] = []
    for url in sorted(stored, key=lambda each: each.replace("/", "\0")):
        if not url.startswith(ROOT) or not general.search(url):
            continue
        found = article(url)
        if found is not None:
            articles.append(found)

    return articles
