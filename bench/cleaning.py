"""How well and how fast pages without rules are cleaned, beside other programs, on recorded pages.

    python bench/cleaning.py [--held-out | --all] [--peers FOLDER] [--worst N]

Pages with a whole gold text: mean over the pages of the F1 of words (as multisets), and of runs of four words.
Pages with gold segments: the share of segments that must be there and are, and of those that must not be there
and are not. Half of the hosts are held out: what is tuned is tuned on the others; the half is chosen by the
SHA-256 of the host and was fixed before any tuning. Speed: processor time for all pages as a multiple of what the bare
Lexbor parse of the same bytes takes in the same run.

FOLDER is where `pip install --target FOLDER trafilatura readability-lxml justext resiliparse` put the peers; without
it only our own cleaners are measured. The recorded pages are in ../shared/data (or PUBWEAVE_SHARED_DATA).
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser

from pubweave.core.reading.cleaning import Algorithm, clean_page
from pubweave.core.reading.pages import decode_page

DATA = Path(os.environ.get("PUBWEAVE_SHARED_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
WORD = re.compile(r"\w+")


@dataclass
class Case:
    """A recorded page and what is known of its main text."""

    name: str
    host: str
    html: str
    gold: str = ""
    present: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()

    @property
    def held_out(self) -> bool:
        """Whether the page is kept away from tuning."""
        return hashlib.sha256(self.host.encode()).hexdigest()[0] >= "8"


def host_of(url: str) -> str:
    """The host without `www.`; pages of an archive count for the page they hold."""
    inner = re.sub(r"^https?://web\.archive\.org/web/\d+/", "", url)
    return (urlsplit(inner).hostname or inner).lower().removeprefix("www.")


def cases() -> list[Case]:
    """All pages with gold."""
    folder = DATA / "extraction-benchmark"
    found = []
    for name, gold in json.loads((folder / "aeb_gold.json").read_text()).items():
        html = decode_page(gzip.decompress((folder / name).read_bytes())).text
        found.append(Case(name, host_of(gold["url"]), html, gold=gold["articleBody"]))
    for name, gold in json.loads((folder / "trafilatura_gold.json").read_text()).items():
        path = DATA / name
        if path.exists():
            html = decode_page(path.read_bytes()).text
            present, absent = tuple(gold["with"]), tuple(gold["without"])
            found.append(Case(path.name, host_of(gold["url"]), html, present=present, absent=absent))
    return found


def f1(found: Counter[object], gold: Counter[object]) -> float:
    """Harmonic mean of precision and recall of two multisets."""
    common = sum((found & gold).values())
    if not common:
        return 1.0 if not found and not gold else 0.0
    return 2 * common / (sum(found.values()) + sum(gold.values()))


def words_f1(text: str, gold: str) -> float:
    """F1 of words."""
    return f1(Counter(WORD.findall(text)), Counter(WORD.findall(gold)))


def runs_f1(text: str, gold: str) -> float:
    """F1 of runs of four words."""

    def runs(words: list[str]) -> Counter[object]:
        return Counter(tuple(words[at : at + 4]) for at in range(max(1, len(words) - 3)))

    return f1(runs(WORD.findall(text)), runs(WORD.findall(gold)))


Cleaner = Callable[[str], str]


def ours(algorithm: Algorithm) -> Cleaner:
    """One of our own cleaners, with the description in front where `pubweave text` puts it."""
    return lambda html: clean_page(LexborHTMLParser(html), "webpage", algorithm)


def peers(folder: str) -> dict[str, Cleaner]:
    """Other programs, as their documentation says they are used for main text."""
    sys.path.append(folder)
    import justext
    import trafilatura
    from lxml.html import fromstring
    from readability import Document
    from resiliparse.extract.html2text import extract_plain_text

    stops = justext.get_stoplist("English")

    def by_justext(html: str) -> str:
        found = justext.justext(html.encode(), stops, encoding="utf-8")
        return "\n".join(part.text for part in found if not part.is_boilerplate)

    def by_readability(html: str) -> str:
        return str(fromstring(Document(html).summary()).text_content())

    return {
        "trafilatura": lambda html: trafilatura.extract(html, include_comments=False) or "",
        "trafilatura precision": lambda html: (
            trafilatura.extract(html, include_comments=False, favor_precision=True) or ""
        ),
        "trafilatura fast": lambda html: trafilatura.extract(html, include_comments=False, fast=True) or "",
        "resiliparse": lambda html: extract_plain_text(html, main_content=True),
        "readability-lxml": by_readability,
        "jusText": by_justext,
    }


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser()
    options.add_argument("--held-out", action="store_true", help="the hosts kept away from tuning")
    options.add_argument("--all", action="store_true", help="all hosts")
    options.add_argument("--peers", help="folder with the peers")
    options.add_argument("--worst", type=int, default=0, help="name the pages that our default does worst on")
    chosen = options.parse_args()
    pages = [case for case in cases() if chosen.all or case.held_out == chosen.held_out]
    whole = [case for case in pages if case.gold]
    segmented = [case for case in pages if not case.gold]
    print(f"{len(whole)} pages with gold text, {len(segmented)} with gold segments")

    raw = [case.html.encode() for case in pages]
    bare = min(_seconds(lambda: [LexborHTMLParser(body) for body in raw]) for _ in range(5))
    print(f"bare Lexbor parse: {len(pages) / bare:.0f} pages/s")

    cleaners: dict[str, Cleaner] = {"ours, default": ours("default"), "ours, classic": ours("classic")}
    if chosen.peers:
        cleaners |= peers(chosen.peers)
    print(f"{'':24} words F1  runs F1   kept  left out  x parse")
    for name, clean in cleaners.items():
        rounds = 5 if name.startswith("ours") else 1
        cleaning = partial(_all, clean, pages)
        taken = min(_seconds(cleaning) for _ in range(rounds))
        scores = {case.name: words_f1(clean(case.html), case.gold) for case in whole}
        runs = sum(runs_f1(clean(case.html), case.gold) for case in whole) / max(1, len(whole))
        kept = left = asked_kept = asked_left = 0
        for case in segmented:
            text = " ".join(clean(case.html).split())
            kept += sum(" ".join(part.split()) in text for part in case.present)
            left += sum(" ".join(part.split()) not in text for part in case.absent)
            asked_kept += len(case.present)
            asked_left += len(case.absent)
        mean = sum(scores.values()) / max(1, len(scores))
        print(
            f"{name:24} {mean:8.4f} {runs:8.4f} {kept / max(1, asked_kept):6.3f} {left / max(1, asked_left):9.3f}"
            f" {taken / bare:8.1f}"
        )
        if chosen.worst and name == "ours, default":
            for page, score in sorted(scores.items(), key=lambda entry: entry[1])[: chosen.worst]:
                print(f"    {score:.3f} {page}")


def _all(clean: Cleaner, pages: list[Case]) -> list[str]:
    return [clean(case.html) for case in pages]


def _seconds(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


if __name__ == "__main__":
    main()
