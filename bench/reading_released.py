"""What it costs to read replies, beside what it cost in a release: pages, records of PubMed and Europe PMC.

    python bench/reading_released.py [VERSION] [--rounds N] [--only NAME]

Two processes, one with the release's code, one with today's, read the recorded replies in turns, so that both meet the
same machine; what counts is the least processor time of each. Limit: 1.1 times the release's.

The recorded replies are in ../shared/data (or PUBWEAVE_SHARED_DATA); the rules are those of each code's own tree.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import released
from pages import DATA, address

LIMIT = 1.1


def _bodies(kind: str, *suffixes: str) -> list[tuple[str, bytes]]:
    found = []
    for path in sorted((DATA / kind).iterdir()):
        if path.name.removesuffix(".gz").endswith(suffixes):
            body = path.read_bytes()
            found.append((path.name, gzip.decompress(body) if path.suffix == ".gz" else body))
    return found


def _first(*names: str) -> ModuleType:
    """The first of these modules that a tree has: readers have moved since 0.1.0."""
    for name in names[:-1]:
        with suppress(ModuleNotFoundError):
            return import_module(name)
    return import_module(names[-1])


def tasks() -> dict[str, Callable[[], object]]:
    """What is measured, in the words of both trees."""
    europepmc: Any = _first("pubweave.resources.europepmc.reading", "pubweave.core.reading.europepmc")
    pubmed: Any = _first("pubweave.resources.pubmed_xml.reading", "pubweave.core.reading.pubmed")
    from pubweave.core.reading.pages import read_page, read_webpage
    from pubweave.core.reading.rules import RuleBook, RuleFile, load_rules

    tree = Path(os.environ["PYTHONPATH"].split(os.pathsep)[0]).parent
    sites = sorted((tree / "rules" / "sites").glob("*.yaml"))
    book = load_rules([RuleFile("site", path.name, path.read_text()) for path in sites])
    pages = [
        (body, address(name, body))
        for name, body in _bodies("publisher-html", ".html")
        if body[:4] != b"%PDF"
    ]
    tools = [body for _, body in _bodies("webpages", ".html") if body[:4] != b"%PDF"]
    records = [body for _, body in _bodies("pubmed-efetch", ".xml") if b"<PubmedArticle" in body]
    searches = [body for _, body in _bodies("europepmc-search", ".json") if b"resultList" in body]
    return {
        "pages by rules": lambda: [read_page(body, url, book, "doi") for body, url in pages],
        "pages without rules": lambda: [read_page(body, url, RuleBook(), "doi") for body, url in pages],
        "web pages": lambda: [read_webpage(body, "https://tool.example/", RuleBook()) for body in tools],
        "PubMed's records": lambda: _each(pubmed.read, records, pubmed.MalformedPubmedReply),
        "Europe PMC's records": lambda: _each(europepmc.read_json, searches, europepmc.MalformedSearchReply),
    }


def _each(read: Callable[[bytes], object], bodies: list[bytes], refused: type[Exception]) -> None:
    for body in bodies * 3:
        try:
            read(body)
        except refused:
            continue


def serve() -> None:
    """Read once for each line that comes, and say what it took."""
    measured = tasks()
    gc.collect()
    gc.freeze()  # what the rules and pages take is no matter of reading
    for name in sys.stdin:
        run = measured[name.strip()]
        start = time.process_time()
        run()
        print(time.process_time() - start, flush=True)


def main() -> int:
    options = argparse.ArgumentParser(description="Today's readers beside those of a release.")
    options.add_argument("version", nargs="?", default="0.1.0")
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--only", help="one of the things measured")
    options.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.serve:
        serve()
        return 0
    trees = {"release": released.tree(given.version), "today": released.ROOT}
    children = {
        name: subprocess.Popen(
            [sys.executable, __file__, "--serve"],
            env={**os.environ, **released.environment(tree)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name, tree in trees.items()
    }
    held = True
    names = ("pages by rules", "pages without rules", "web pages", "PubMed's records", "Europe PMC's records")
    for task in names:
        if given.only not in (None, task):
            continue
        best = dict.fromkeys(children, float("inf"))
        for _ in range(given.rounds):
            for name, child in children.items():
                assert child.stdin is not None
                assert child.stdout is not None
                child.stdin.write(f"{task}\n")
                child.stdin.flush()
                best[name] = min(best[name], json.loads(child.stdout.readline()))
        ratio = best["today"] / best["release"]
        held = held and ratio <= LIMIT
        print(
            f"{task:22} {best['release'] * 1000:8.1f} ms {best['today'] * 1000:8.1f} ms   {ratio:.2f} times"
            f"{'' if ratio <= LIMIT else f', more than {LIMIT}'}",
            flush=True,
        )
    for child in children.values():
        child.communicate()
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
