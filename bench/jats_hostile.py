"""Whether crowded and hostile articles cost time in proportion to their length: each is read at one size and at twice that.

    python bench/jats_hostile.py [--size N]

A factor near 2 is linear, near 4 is square. The target is below 3 for every case. The cases are the patterns that once were
square or might be: many authors of one note, superscripts of many citations, groups of many figures, spans, nested lists
of references, openings that never close.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

from pubweave.core.reading.jats.plain import MalformedJats, articles, parse_xml, read_plain
from pubweave.core.reading.jats.read import read_document

SPACES = "xmlns:xlink='http://www.w3.org/1999/xlink' xmlns:mml='http://www.w3.org/1998/Math/MathML'"


def article(meta: str = "", body: str = "", back: str = "") -> str:
    return f"<article {SPACES}><front><article-meta>{meta}</article-meta></front><body>{body}</body><back>{back}</back></article>"


def authors(count: int, flag: str) -> str:
    return (
        "<contrib-group>"
        + "".join(
            f"<contrib contrib-type='author'><name><surname>Noun{number}</surname><given-names>Ann</given-names></name>{flag}"
            f"<xref ref-type='aff' rid='a{number % 300}'/></contrib>"
            for number in range(count)
        )
        + "</contrib-group>"
        + "".join(f"<aff id='a{number}'>Uni {number}</aff>" for number in range(300))
    )


def addresses(count: int) -> str:
    words = " ".join(f"Noun{number} <email>n{number}@x.example</email>" for number in range(count))
    return f"<author-notes><corresp id='c'>{words}</corresp></author-notes>"


CITED = "<xref ref-type='bibr' rid='r'>1</xref>"
CASES: dict[str, Callable[[int], str]] = {
    "authors of one note": lambda n: article(meta=authors(n // 10, "<xref ref-type='corresp' rid='c'/>") + addresses(n // 10)),
    "authors named in a note": lambda n: article(meta=authors(n // 10, "") + addresses(n // 20)),
    "titles and alternatives": lambda n: article(
        meta="<title-group><article-title>T</article-title>" + "<subtitle>s</subtitle><alt-title>x</alt-title>" * n + "</title-group>"
    ),
    "one superscript of citations": lambda n: article(body=f"<p>x<sup>{(CITED + ',') * n}</sup></p>"),
    "superscript with letters between": lambda n: article(body=f"<p>x<sup>{(CITED + 'a') * n}</sup></p>"),
    "formulae in a paragraph": lambda n: article(body="<p>" + "x <inline-formula><tex-math>a</tex-math></inline-formula>" * n + "</p>"),
    "figures in a group": lambda n: article(
        body="<fig-group><caption><p>C</p></caption>" + f"<fig><label>x {CITED}</label></fig>" * n + "</fig-group>"
    ),
    "captions of a figure": lambda n: article(body="<fig>" + f"<caption><p>c {CITED}</p></caption>" * n + "</fig>"),
    "rows that hang down": lambda n: article(
        body="<table-wrap><table>" + ("<tr>" + "<td rowspan='500'>x</td>" * 4 + "</tr>") * (n // 10) + "</table></table-wrap>"
    ),
    "nested lists of references": lambda n: article(
        back="<ref-list>" * 100 + "<ref><mixed-citation><italic>x</italic></mixed-citation></ref>" * n + "</ref-list>" * 100
    ),
    "statements in statements": lambda n: article(
        back="<sec><title>Ethics</title><sec><title>Consent</title><p>x</p></sec></sec>" * n
    ),
    "an address without an end": lambda n: article(
        meta=authors(1, "<xref ref-type='corresp' rid='c'/>") + f"<author-notes><corresp id='c'>{'a' * (n * 50)}</corresp></author-notes>"
    ),
    "comments without an end": lambda n: "<a>&alpha;" + "<!-- " * (n * 10),
    "entities without an end": lambda n: "<!DOCTYPE a [" + "<!ENTITY x '" * n + "]><a>&x;</a>",
    "ampersands": lambda n: f"<a>{'&a' * (n * 10)}</a>",
}  # fmt: skip


def seconds(xml: str) -> float:
    data = xml.encode()
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        try:
            for one in articles(parse_xml(data)):
                read_document(one)
                read_plain(one)
        except MalformedJats:
            pass
        best = min(best, time.process_time() - start)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", type=int, default=8000)
    size = parser.parse_args().size
    print(f"{'case':36}{'ms':>9}{'twice':>9}{'factor':>8}")
    for name, make in CASES.items():
        once, twice = seconds(make(size)), seconds(make(2 * size))
        print(f"{name:36}{once * 1000:9.1f}{twice * 1000:9.1f}{twice / max(once, 1e-4):8.2f}")


if __name__ == "__main__":
    main()
