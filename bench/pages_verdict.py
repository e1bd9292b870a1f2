"""Whether a page that is not the article is ever taken for the article: confusion matrix on labelled recorded pages.

    python bench/pages_verdict.py [--held-out | --all] [--wrong]

The labels (tests/core/reading/page_labels.tsv) are by digest and were fixed before the classifier was written. Half of
the hosts are held out, by the SHA-256 of the host's name. Targets: precision on "article" at least 99 %, recall at
least 97 %.
"""

from __future__ import annotations

import argparse
import hashlib
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pubweave.core.reading.pages.verdict import PageVerdict, judge_page

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("PUBWEAVE_SHARED_DATA") or ROOT.parent / "shared" / "data")
LABELS = ROOT / "tests" / "core" / "reading" / "page_labels.tsv"
FOLDERS = ("publisher-html", "http-errors", "html-pubmed-pmc-epmc", "webpages")


def is_held_out(host: str) -> bool:
    """Whether pages of this host are kept away from tuning."""
    return hashlib.sha256(host.encode()).hexdigest()[0] >= "8"


def judged() -> Iterator[tuple[str, str, str, PageVerdict]]:
    """Host, name, label and verdict of every labelled page that is here."""
    pages = {
        hashlib.sha256(body).hexdigest(): (path.name, body)
        for folder in FOLDERS
        for path in sorted((DATA / folder).iterdir())
        for body in [path.read_bytes()]
    }
    for line in LABELS.read_text().splitlines():
        if line.startswith("#"):
            continue
        digest, label, host, status, doi = line.split("\t")
        if digest in pages:
            name, body = pages[digest]
            yield (
                host,
                name,
                label,
                judge_page(body, "https://x.example/", status=int(status), expected_doi=doi),
            )


def main() -> None:
    """Judge and print."""
    options = argparse.ArgumentParser()
    options.add_argument("--held-out", action="store_true", help="the hosts kept away from tuning")
    options.add_argument("--all", action="store_true", help="all hosts")
    options.add_argument("--wrong", action="store_true", help="name the pages judged wrongly")
    chosen = options.parse_args()
    table: Counter[tuple[str, str]] = Counter()
    for host, name, label, verdict in judged():
        if chosen.all or is_held_out(host) == chosen.held_out:
            table[label, verdict.kind] += 1
            if chosen.wrong and label != verdict.kind:
                print(f"  {label:14} judged {verdict.kind:14} {name[:60]}: {verdict.evidence}")
    kinds = sorted({kind for pair in table for kind in pair})
    print(f"{'label / verdict':16}" + "".join(f"{kind:>15}" for kind in kinds))
    for label in kinds:
        print(f"{label:16}" + "".join(f"{table[label, kind]:15}" for kind in kinds))
    right = table["article", "article"]
    taken = sum(count for (_, kind), count in table.items() if kind == "article")
    wanted = sum(count for (label, _), count in table.items() if label == "article")
    print(f"article: precision {right / max(1, taken):.3f}, recall {right / max(1, wanted):.3f}")
    agreed = sum(count for (label, kind), count in table.items() if label == kind)
    print(f"all kinds: {agreed} of {sum(table.values())}")


if __name__ == "__main__":
    main()
