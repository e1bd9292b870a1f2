"""How much of each class of text comes out, in windows of 32 letters, blind to white space.

    python bench/jats_coverage.py [--peers DIR]

The gold is taken from the XML by a recursion of its own: the letters of every element of a class, cut at cross-references,
superscripts, subscripts and formulae (so that a policy costs its own class only), then into windows of 32; a window counts
as found if it stands in the output's strings, joined without white space. Additional fields count as output, because B-13
bans formulae from `contents`. The targets are the best peers' shares as recorded on a larger set of articles; a peer
that is installed (see bench/jats.py) is measured on the same files.

The recorded articles are in ../shared/data (or PUBWEAVE_SHARED_DATA).
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from lxml import etree

from pubweave.core.reading.jats.plain import articles, parse_xml
from pubweave.core.reading.jats.read import read_document

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("PUBWEAVE_SHARED_DATA") or ROOT.parent / "shared" / "data") / "europepmc-fulltext"
WINDOW = 32
CUTS = {
    "xref",
    "sup",
    "sub",
    "inline-formula",
    "disp-formula",
    "math",
    "tex-math",
    "break",
    "alternatives",
    "inline-graphic",
}
BEST = {
    "p": 100.0, "sec-title": 100.0, "list": 99.0, "boxed-text": 100.0, "fig caption": 99.5, "table caption": 100.0,
    "table cells": 100.0, "table feet": 100.0, "formula": 100.0, "supplement captions": 96.0, "footnotes": 99.0,
    "ack/app/back": 100.0, "references": 99.8,
}  # fmt: skip


def name_of(element: Any) -> str:
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else "#"


def letters(text: str) -> str:
    return "".join(text.split())


def runs(element: Any, *, formula: bool = False) -> Iterator[str]:
    """The unbroken runs of letters of an element."""
    current = [element.text or ""]
    for child in element:
        name = name_of(child)
        if name == "#":
            current.append(child.tail or "")
            continue
        cut = (name in CUTS and not formula) or name in BREAKS
        if cut:
            yield letters("".join(current))
            current = []
            if name not in CUTS:
                yield from runs(child, formula=formula)
        else:
            inner = list(runs(child, formula=formula))
            current.append(inner[0])
            for piece in inner[1:]:
                yield letters("".join(current))
                current = [piece]
        current.append(child.tail or "")
    yield letters("".join(current))


BREAKS = {
    "p", "title", "label", "caption", "list-item", "td", "th", "tr", "fn", "entry", "row", "sec", "fig", "table-wrap", "list",
    "name", "surname", "given-names", "person-group", "article-title", "source", "year", "volume", "issue", "fpage", "lpage",
    "pub-id", "string-name", "table", "thead", "tbody", "disp-quote", "def", "term", "supplementary-material", "media",
    "boxed-text", "publisher-name", "publisher-loc", "comment", "ext-link", "month", "day", "edition", "chapter-title", "etal",
    "table-wrap-foot", "mixed-citation", "element-citation", "collab", "date-in-citation", "page-range", "elocation-id", "uri",
}  # fmt: skip


def gold(article: Any) -> Iterator[tuple[str, str]]:
    """Class and run, for everything in body, back and floats."""

    def walk(element: Any, kinds: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        name, parent = name_of(element), name_of(element.getparent())
        kind = ""
        if name in ("inline-formula", "disp-formula"):
            for math in element.iter("{*}math", "math"):
                yield "formula", letters("".join(map(str, math.itertext())))
                return
            yield "formula", letters("".join(map(str, element.itertext("*"))))
            return
        if name == "caption":
            kind = {"fig": "fig caption", "table-wrap": "table caption"}.get(parent, "supplement captions")
            if parent in ("boxed-text", "fig-group", "table-wrap-group"):
                kind = "boxed-text" if parent == "boxed-text" else "fig caption"
        elif name in ("td", "th", "entry"):
            kind = "table cells"
        elif name == "table-wrap-foot":
            kind = "table feet"
        elif name == "list-item":
            kind = "list"
        elif name == "fn":
            kind = "footnotes"
        elif name == "ref":
            kind = "references"
        elif name == "title" and parent == "sec":
            kind = "sec-title"
        elif name == "p":
            kind = "boxed-text" if "boxed-text" in kinds else "ack/app/back" if "back" in kinds else "p"
        if kind and not any(
            one in ("fig", "table-wrap", "list", "supplementary-material") for one in map(name_of, element)
        ):
            for run in runs(element):
                yield kind, run
            for formula in element.iter("inline-formula", "disp-formula"):
                yield from walk(formula, kinds)
            return
        for child in element:
            if isinstance(child.tag, str):
                yield from walk(child, (*kinds, name))

    for part in article:
        if name_of(part) in ("body", "back", "floats-group"):
            yield from walk(part, ())


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, one in value.items():
            if key not in ("xml", "table_columns", "table_values"):
                yield from strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from strings(one)


def ours(data: bytes) -> str:
    found = [msgspec.to_builtins(read_document(article)) for article in articles(parse_xml(data))]
    return letters("\n".join(strings(found)))


def peer_output(peer: Any, data: bytes) -> str:
    with tempfile.NamedTemporaryFile(suffix=".nxml") as place:
        place.write(data)
        place.flush()
        found: list[Any] = []
        for name in (
            "parse_pubmed_xml",
            "parse_pubmed_paragraph",
            "parse_pubmed_references",
            "parse_pubmed_caption",
            "parse_pubmed_table",
        ):
            with contextlib.suppress(Exception), contextlib.redirect_stdout(io.StringIO()):
                found.append(getattr(peer, name)(place.name))
        return letters("\n".join(strings(found)))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--missing", action="store_true", help="show windows that did not come out")
    options = parser.parse_args()
    if not DATA.is_dir():
        sys.exit(f"the recorded articles are not at {DATA}; set PUBWEAVE_SHARED_DATA to their folder")
    peer = None
    if options.peers:
        sys.path.insert(0, str(options.peers))
        peer = importlib.import_module("pubmed_parser")
    total: dict[str, int] = {}
    hits: dict[str, list[int]] = {}
    for path in sorted(DATA.glob("*.xml")):
        data = path.read_bytes()
        try:
            found = articles(parse_xml(data))
        except ValueError:
            continue
        outputs = [ours(data), peer_output(peer, data) if peer else ""]
        for article in found:
            for kind, run in gold(etree.fromstring(etree.tostring(article))):
                for at in range(
                    0, len(run) - WINDOW + 1 if kind != "formula" else max(1, len(run) - WINDOW + 1), WINDOW
                ):
                    window = run[at : at + WINDOW]
                    if not window:
                        continue
                    total[kind] = total.get(kind, 0) + len(window)
                    counts = hits.setdefault(kind, [0, 0])
                    for number, output in enumerate(outputs):
                        counts[number] += len(window) if window in output else 0
                    if options.missing and window not in outputs[0]:
                        print(path.name, kind, window, file=sys.stderr)
    print(
        f"{'class':22}{'letters':>10}{'ours %':>9}{'best peer %':>13}"
        + (f"{'pubmed_parser %':>17}" if peer else "")
    )
    for kind, target in BEST.items():
        if kind in total:
            shares = [100 * count / total[kind] for count in hits[kind]]
            print(
                f"{kind:22}{total[kind]:10}{shares[0]:9.2f}{target:13.1f}"
                + (f"{shares[1]:17.1f}" if peer else "")
            )


if __name__ == "__main__":
    main()
