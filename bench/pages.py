"""How fast publisher pages are read, as a share of the bare Lexbor parse of the same bytes in the same run.

    python bench/pages.py [--profile]

Reading is everything `read_page` does: character set, parse, rules by address, title, keywords, abstract, full text,
links, corresponding authors and meta tags. Rules: those of the project's `rules/sites` folder where they know the page's
address, else one rule with selectors as rules usually have them; so every page is read by rules. The target is a
rate of at least a quarter of the bare parse. Pages without rules, which are cleaned, are measured apart.

The recorded pages are in ../shared/data (or PUBWEAVE_SHARED_DATA).
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import re
import time
from collections.abc import Callable
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from pubweave.core.reading.pages import decode_page, read_page
from pubweave.core.reading.rules import RuleBook, RuleFile, load_rules

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("PUBWEAVE_SHARED_DATA") or ROOT.parent / "shared" / "data")
USUAL = """\
name: usual
rank: -99
checked: 2026-01-01
verified: false
example: https://journal.example/
urls:
  - ^https?://
article:
  doi: .doi, [class*=doi] a
  title: h1
  keywords: .keywords a, .kwd-group .kwd
  abstract: .abstract p, [id^=abs] p, section[class~=(?i)abstract] p
  fulltext: section p, .section p, .sec p, .article-body p, figcaption, .caption, table td
  fulltext_src: /abstract$
  fulltext_dst: /full
  pdf_a: a[href$=.pdf]
  corresp_author_emails: a[href^=mailto:]
"""


# Which of our rules read the recorded pages that do not tell their address (or an old one), by the page's name.
RULE_OF = {
    "aps": "aps",
    "anu": "dspace",
    "apa": "apa-psycnet",
    "bmc": "bmc-classic",
    "copernicus": "copernicus-classic",
    "dlib": "dlib",
    "dryad": "dryad",
    "elife__1": "highwire",
    "firstmonday": "ojs",
    "frontiers": "frontiers-classic",
    "hindawi": "hindawi-classic",
    "ieee": "ieee-xplore-classic",
    "ijsem": "highwire",
    "iop": "iop",
    "lingbuzz": "lingbuzz",
    "nature__10.1038_srep": "nature-classic",
    "nature__n": "nature-classic",
    "opus": "opus",
    "oup__1": "highwire",
    "oup__a": "highwire",
    "plos": "plos",
    "pos": "pos",
    "projecteuclid": "project-euclid",
    "ubiquity": "ojs-classic",
    "usenix": "usenix",
    "wiley__10.1002": "wiley-classic",
    "wiley__10.1111": "wiley-classic",
    "wiley__a": "wiley-classic",
    "wiley__b": "wiley-classic",
}


def address(name: str, body: bytes) -> str:
    """The page's own address, from its canonical link or what social sites are told; else its rule's example."""
    rule = next((RULE_OF[start] for start in sorted(RULE_OF, reverse=True) if name.startswith(start)), "")
    if rule and (file := ROOT / "rules" / "sites" / f"{rule}.yaml").exists():
        example = re.search(r"^example: (\S+)$", file.read_text(), re.MULTILINE)
        if example:
            return example[1]
    for pattern in (rb"rel=.canonical[^>]*?href=[\"']([^\"']+)", rb"og:url[^>]*?content=[\"']([^\"']+)"):
        found = re.search(pattern, body, re.IGNORECASE)
        if found and found[1].startswith(b"http"):
            return found[1].decode("ascii", "replace")
    return "https://journal.example/article/1"


def rules() -> RuleBook:
    """The project's rules after one that reads every page."""
    folder = ROOT / "rules" / "sites"
    files = [RuleFile("site", path.name, path.read_text()) for path in sorted(folder.glob("*.yaml"))]
    return load_rules([RuleFile("site", "usual.yaml", USUAL), *files])


def fastest(runs: dict[str, Callable[[], object]], rounds: int = 9) -> dict[str, float]:
    """The best processor time of each in seconds; they take turns, so that a busy moment meets all of them."""
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(rounds):
        for name, run in runs.items():
            start = time.process_time()
            run()
            best[name] = min(best[name], time.process_time() - start)
    return best


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser()
    options.add_argument("--profile", action="store_true", help="show where the time goes")
    chosen = options.parse_args()
    bodies = [(path.name, path.read_bytes()) for path in sorted((DATA / "publisher-html").glob("*.html"))]
    pages = [(body, address(name, body)) for name, body in bodies if not body.startswith(b"%PDF")]
    book = rules()

    best = fastest(
        {
            "bare": lambda: [LexborHTMLParser(body) for body, _ in pages],
            "decoded": lambda: [decode_page(body) for body, _ in pages],
            "read": lambda: [read_page(body, url, book, "doi") for body, url in pages],
            "cleaned": lambda: [read_page(body, url, RuleBook(), "doi") for body, url in pages],
        }
    )
    bare, decoded, read, cleaned = best.values()
    size = sum(len(body) for body, _ in pages) / 1e6
    print(f"{len(pages)} pages, {size:.1f} MB, {len(book.patterns)} URL patterns")
    usual = sum(found.name == "usual" for _, url in pages if (found := book.site_for(url).site))
    print(f"{usual} of them by the rule with usual selectors")
    print(f"bare Lexbor parse     {len(pages) / bare:8.0f} pages/s")
    print(f"character set alone   {len(pages) / decoded:8.0f} pages/s")
    print(
        f"read by rules         {len(pages) / read:8.0f} pages/s   {bare / read:.3f} x the bare parse (target 0.25)"
    )
    print(
        f"read without rules    {len(pages) / cleaned:8.0f} pages/s   {bare / cleaned:.3f} x the bare parse"
    )
    if chosen.profile:
        profile = cProfile.Profile()
        profile.enable()
        for body, url in pages:
            read_page(body, url, book, "doi")
        profile.disable()
        pstats.Stats(profile).sort_stats("tottime").print_stats(25)


if __name__ == "__main__":
    main()
