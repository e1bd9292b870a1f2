"""Whether a page that is not the article is ever taken for the article: confusion matrix on labelled recorded pages.

    python bench/pages_verdict.py [--wrong]

The labels (tests/core/reading/recorded_pages.tsv) were written before the verdicts were made. Each page is judged in
search of the DOI that led to it, its rules are heard, and nothing else is known of it. A page about something else
("other") should be a landing page. Targets: precision on "article" at least 99 %, recall at least 97 %, and no text of
a wall, a login or an error.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator

from pages_fulltext import DATA, Labelled, labelled, rules
from pubweave.core.identifiers import normalise_doi
from pubweave.core.reading.pages import Page, PageVerdict, confirmed, judge_page, read_page
from pubweave.core.reading.rules import RuleBook

WALLS = ("bot-wall", "consent-wall", "login", "error", "soft-404")
"""Labels of pages that hold nothing."""


def verdict_on(page: Labelled, book: RuleBook) -> PageVerdict:
    """What a recorded page is judged to be, after its rules were heard."""
    parsed = Page(page.body(), page.url)
    doi = normalise_doi(page.doi) if page.doi else ""
    verdict = judge_page(parsed, page.url, status=page.status, expected_doi=doi)
    if verdict.kind not in ("abstract-only", "landing"):
        return verdict
    return confirmed(verdict, read_page(parsed, page.url, book, "doi", ["fulltext"]))


def judged() -> Iterator[tuple[Labelled, PageVerdict]]:
    """Every labelled page that is here, and the verdict on it."""
    book = rules()
    for page in labelled():
        if (DATA / page.path).exists():
            yield page, verdict_on(page, book)


def matrix(table: Counter[tuple[str, str]]) -> str:
    """The confusion matrix in lines: labels down, verdicts across."""
    labels = sorted({label for label, _ in table})
    kinds = sorted({kind for _, kind in table})
    lines = [f"{'label / verdict':16}" + "".join(f"{kind:>15}" for kind in kinds)]
    lines += [f"{label:16}" + "".join(f"{table[label, kind]:15}" for kind in kinds) for label in labels]
    return "\n".join(lines)


def precision_and_recall(table: Counter[tuple[str, str]]) -> tuple[float, float]:
    """Of "article"."""
    right = table["article", "article"]
    taken = sum(count for (_, kind), count in table.items() if kind == "article")
    wanted = sum(count for (label, _), count in table.items() if label == "article")
    return right / max(1, taken), right / max(1, wanted)


def main() -> None:
    """Judge and print."""
    options = argparse.ArgumentParser()
    options.add_argument("--wrong", action="store_true", help="name the pages judged wrongly")
    chosen = options.parse_args()
    table: Counter[tuple[str, str]] = Counter()
    for page, verdict in judged():
        table[page.label, verdict.kind] += 1
        if chosen.wrong and verdict.kind != ("landing" if page.label == "other" else page.label):
            print(f"  {page.label:14} judged {verdict.kind:14} {page.name[:60]}: {verdict.evidence}")
    print(matrix(table))
    precision, recall = precision_and_recall(table)
    print(f"article: precision {precision:.3f}, recall {recall:.3f}")


if __name__ == "__main__":
    main()
