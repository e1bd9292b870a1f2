"""How well and how fast PDFs become text, beside plain PyMuPDF and other programs, on recorded articles.

    python bench/pdf.py [--documents] [--peers PYTHON] [--check]

The gold is the same article's JATS: PDFs that have a namesake there with a body. For each document
  F1     of words: precision = words of the output that stand in the XML, recall = words of title, abstract, body and
         floats that stand in the output, both as multisets; then the mean over the documents;
  order  of runs of five words of the body's paragraphs that stand once in the XML and once in the output: the longest part
         of them that comes in the same order;
  cover  the share of those runs that stands in the output;
  para   the share of the body's paragraphs (of twenty words and more) whose first and last forty letters stand on one line of
         the output, in this order: it was kept together;
  broken, joined  words left broken at a hyphen, compounds that lost theirs, per 1,000 words of the output.
Speed is processor time in one process, thresholds of malloc pinned (page rates are bimodal otherwise), pages per second
as a multiple of what `page.get_text()` gives on the same files in the same run, best of five rounds each; and through the door
(a process of its own, bytes over pipes), both processes counted.

PYTHON is an interpreter of another environment that has peers (pymupdf 2, pypdfium2, pypdf, pdfminer.six, pdftext); without it plain PyMuPDF 1.28 is
the only one. The recorded articles are in ../shared/data (or PUBWEAVE_SHARED_DATA). `--check`: exit status 1 if a target is
missed.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
import os
import re
import resource
import subprocess
import sys
import time
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from lxml import etree

DATA = Path(os.environ.get("PUBWEAVE_SHARED_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
PINNED: Final = {
    "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(256 << 20),
    "MALLOC_TOP_PAD_": str(16 << 20),
}
ORDER_TARGET, HYPHEN_TARGET, SPEED_TARGET = 0.998, 1.3, 0.6
RUN = 5
LONG_WORDS = 20
ENDS = 40
ROUNDS = 5

INLINE = frozenset(
    re.findall(
        r"\w[\w-]*",
        "italic bold sup sub xref ext-link underline sc monospace named-content styled-content email uri inline-formula roman "
        "sans-serif overline strike abbrev milestone-start inline-graphic surname math mi mo mn mrow msub msup mtext mstyle mfrac",
    )
)
NOT_TEXT = frozenset({"tex-math", "sub-article", "response"})
NOT_FLOW = NOT_TEXT | frozenset(
    re.findall(
        r"\w[\w-]*",
        "fig table-wrap boxed-text fn xref table-wrap-group fig-group supplementary-material disp-formula inline-formula",
    )
)
WORD = re.compile(r"\w+")
TOKEN = re.compile(r"[^\W_][\w'’-]*")
HYPHENS = {0x00AD: None, **dict.fromkeys((0x2010, 0x2011, 0x2012, 0x2013, 0x2212), "-")}


def text_of(element: Any, left_out: frozenset[str]) -> str:
    """An element's text, blanks around everything that is not inline."""
    out: list[str] = []

    def walk(one: Any) -> None:
        name = one.tag.rpartition("}")[2] if isinstance(one.tag, str) else ""
        if not name or name in left_out:
            return
        if name not in INLINE:
            out.append(" ")
        out.append(one.text or "")
        for child in one:
            walk(child)
            out.append(child.tail or "")
        if name not in INLINE:
            out.append(" ")

    walk(element)
    return "".join(out)


@dataclass
class Gold:
    """What one article says: everything, what must be in a PDF's text, and its paragraphs."""

    name: str
    whole: str
    core: str
    flow: str
    paragraphs: tuple[str, ...] = ()

    @property
    def pdf(self) -> Path:
        """The same article as PDF."""
        return DATA / "pdf" / f"{self.name}.pdf"


def golds() -> list[Gold]:
    """All articles of which both forms are recorded and the XML has a body."""
    found = []
    for path in sorted((DATA / "pdf").glob("*.pdf")):
        xml = DATA / "europepmc-fulltext" / f"{path.stem}.xml"
        if not xml.exists():
            continue
        parser = etree.XMLParser(recover=True, load_dtd=False, no_network=True, resolve_entities=False)
        article = next(etree.parse(xml, parser).getroot().iter("article"))
        meta = "front/article-meta/"
        places = (meta + "title-group/article-title", meta + "abstract", "body", "floats-group")
        core = " ".join(text_of(one, NOT_TEXT) for place in places for one in article.iterfind(place))
        flow = " ".join(text_of(one, NOT_FLOW) for one in article.iterfind("body"))
        inner = [
            one
            for body in article.iterfind("body")
            for one in body.iter("p")
            if not set(names_above(one)) & NOT_FLOW
        ]
        told = tuple(text for one in inner if len((text := text_of(one, NOT_TEXT)).split()) >= LONG_WORDS)
        if flow.strip():
            found.append(Gold(path.stem, text_of(article, NOT_TEXT), core, flow, told))
    return found


def names_above(element: Any) -> list[str]:
    """The tags of what an element stands in."""
    return [str(one.tag) for one in element.iterancestors()]


def folded(text: str) -> str:
    """One form of letters and hyphens for all."""
    return unicodedata.normalize("NFKC", text).translate(HYPHENS).casefold()


def words(text: str) -> list[str]:
    return WORD.findall(folded(text))


@dataclass
class Score:
    """The figures of one document."""

    name: str
    precision: float
    recall: float
    order: float
    cover: float
    para: float
    broken: list[str]
    joined: list[str]
    tokens: int

    @property
    def f1(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def score(gold: Gold, text: str) -> Score:
    """One document's figures."""
    out, whole, core = Counter(words(text)), Counter(words(gold.whole)), Counter(words(gold.core))
    expected, found = single_runs(gold.flow), single_runs(text)
    common = [found[run] for run in expected if run in found]
    broken, joined, tokens = hyphens(text, gold.whole)
    return Score(
        name=gold.name,
        precision=(out & whole).total() / max(1, out.total()),
        recall=(out & core).total() / max(1, core.total()),
        order=longest_rising(common) / max(1, len(common)),
        cover=len(common) / max(1, len(expected)),
        para=kept_together(gold.paragraphs, text),
        broken=broken,
        joined=joined,
        tokens=tokens,
    )


def kept_together(paragraphs: tuple[str, ...], text: str) -> float:
    """The share of paragraphs whose beginning and end stand on one line."""

    def letters(part: str) -> str:
        return "".join(filter(str.isalpha, folded(part)))

    lines = [letters(line) for line in text.split("\n")]

    def kept(paragraph: str) -> bool:
        told = letters(paragraph)
        first, last = told[:ENDS], told[-ENDS:]
        return any(0 <= line.find(first) < line.rfind(last) for line in lines)

    return sum(map(kept, paragraphs)) / max(1, len(paragraphs))


def single_runs(text: str) -> dict[tuple[str, ...], int]:
    """Runs of words that stand once in a text, and where, in the text's order."""
    told = words(text)
    places: dict[tuple[str, ...], int] = {}
    twice = set()
    for at in range(len(told) - RUN + 1):
        run = tuple(told[at : at + RUN])
        if run in places:
            twice.add(run)
        places[run] = at
    return {run: at for run, at in places.items() if run not in twice}


def longest_rising(places: list[int]) -> int:
    """The length of the longest rising subsequence."""
    tails: list[int] = []
    for place in places:
        at = bisect_left(tails, place)
        tails[at : at + 1] = [place]
    return len(tails)


def hyphens(text: str, gold: str) -> tuple[list[str], list[str], int]:
    """Words left broken, compounds wrongly joined, and how many words there are."""
    forms: dict[str, set[str]] = {}
    for token in TOKEN.findall(folded(gold)):
        word = token.strip("'’-")
        forms.setdefault(word.replace("-", ""), set()).add(word)
    known = set().union(*forms.values())
    tokens = [token.strip("'’") for token in TOKEN.findall(folded(text))]
    broken, joined = [], []
    for token, after in zip(tokens, [*tokens[1:], ""], strict=True):
        if (
            token.endswith("-")
            and token.rstrip("-") not in known
            and token.rstrip("-") + after.strip("-") in known
        ):
            broken.append(f"{token} {after}")
        word = token.strip("-")
        letters = word.replace("-", "")
        of_gold = forms.get(letters)
        if of_gold is None or word in of_gold or len(letters) < 4:
            continue
        (broken if word.count("-") > min(one.count("-") for one in of_gold) else joined).append(word)
    return broken, joined, len(tokens)


Reader = Callable[[Path], str]


def ours(path: Path) -> str:
    """As the worker reads it, in this process."""
    from pubweave.doors.pdf_reader.messages import PdfReaderBounds
    from pubweave.doors.pdf_reader.opening import read_pdf

    return read_pdf(path.read_bytes(), PdfReaderBounds(20_000_000, 10_000, 0, 0)).text


def plain(path: Path) -> str:
    """Plain PyMuPDF."""
    import pymupdf

    with pymupdf.open(path) as document:
        return "\n".join(page.get_text() for page in document)


def dehyphenated(path: Path) -> str:
    """PyMuPDF with its own repair of hyphens, which does something from 2.0 on."""
    import pymupdf

    flags = (pymupdf.TEXTFLAGS_TEXT | pymupdf.TEXT_DEHYPHENATE) & ~pymupdf.TEXT_PRESERVE_LIGATURES
    with pymupdf.open(path) as document:
        return "\n".join(page.get_text("text", flags=flags) for page in document)


def by_pdfium(path: Path) -> str:
    """Bare PDFium."""
    import pypdfium2

    document = pypdfium2.PdfDocument(path)
    try:
        return "\n".join(page.get_textpage().get_text_range().replace("\ufffe", "-") for page in document)
    finally:
        document.close()


def by_pypdf(path: Path) -> str:
    """pypdf."""
    import pypdf

    return "\n".join(page.extract_text() for page in pypdf.PdfReader(path).pages)


def by_pdfminer(path: Path) -> str:
    """pdfminer.six."""
    from pdfminer.high_level import extract_text

    return str(extract_text(path))


def by_pdftext(path: Path) -> str:
    """pdftext, which mends hyphens by default."""
    from pdftext.extraction import plain_text_output

    return str(plain_text_output(str(path), sort=False, hyphens=False))


def peers() -> dict[str, Reader]:
    """What this interpreter has."""
    found: dict[str, Reader] = {}
    try:
        import pymupdf

        version = (
            pymupdf.VersionBind if hasattr(pymupdf, "VersionBind") else pymupdf.__doc__.split()[1].rstrip(":")
        )
        found |= {f"PyMuPDF {version}": plain, f"PyMuPDF {version} dehyphenated": dehyphenated}
    except ImportError:
        pass
    try:
        import pypdfium2  # noqa: F401 - is it here? `by_pdfium` imports it itself

        found["pdfium"] = by_pdfium
    except ImportError:
        pass
    for module, read in (("pypdf", by_pypdf), ("pdfminer", by_pdfminer), ("pdftext", by_pdftext)):
        if importlib.util.find_spec(module) is not None:
            found[module] = read
    return found


def print_scores(name: str, scores: list[Score], *, documents: bool) -> tuple[float, float, float]:
    """One line, and one for each document if wanted; mean F1, mean order, hyphens wrong per 1,000."""
    tokens = sum(one.tokens for one in scores)
    mean = {
        key: sum(getattr(one, key) for one in scores) / len(scores)
        for key in ("f1", "precision", "recall", "order", "cover", "para")
    }
    broken = 1000 * sum(len(one.broken) for one in scores) / tokens
    joined = 1000 * sum(len(one.joined) for one in scores) / tokens
    print(
        f"{name:28} F1 {mean['f1']:.4f} (P {mean['precision']:.4f} R {mean['recall']:.4f})  order {mean['order']:.4f}  "
        f"cover {mean['cover']:.4f}  para {mean['para']:.3f}  broken {broken:.2f}  joined {joined:.2f}"
    )
    if documents:
        for one in scores:
            print(
                f"    {one.name:24} F1 {one.f1:.4f} (P {one.precision:.4f} R {one.recall:.4f})  order {one.order:.4f}  "
                f"cover {one.cover:.4f}  para {one.para:.3f}  broken {len(one.broken)} joined {len(one.joined)} of {one.tokens}"
                f"  {' '.join((one.broken + one.joined)[:6])}"
            )
    return mean["f1"], mean["order"], broken + joined


def best_pages_per_s(readers: dict[str, Reader], paths: list[Path], pages: int) -> dict[str, float]:
    """Pages a second of processor time, best of several rounds in turn."""
    best = dict.fromkeys(readers, float("inf"))
    for _ in range(ROUNDS):
        for name, read in readers.items():
            start = time.process_time()
            for path in paths:
                read(path)
            best[name] = min(best[name], time.process_time() - start)
    return {name: pages / taken for name, taken in best.items()}


async def door_cpu_s(paths: list[Path]) -> float:
    """Processor time of this process and of the door's, from its start to its end."""
    from pubweave.doors.pdf_reader import PdfReader

    def used_s() -> float:
        both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        return sum(one.ru_utime + one.ru_stime for one in both)

    start = used_s()
    async with PdfReader() as reader:
        for path in paths:
            await reader.read(path.read_bytes())
    return used_s() - start


def door_pages_per_s(paths: list[Path], pages: int) -> float:
    """Pages a second of processor time through the door, what its start costs taken off."""
    many = asyncio.run(door_cpu_s(paths * (ROUNDS + 1)))
    return pages * ROUNDS / (many - asyncio.run(door_cpu_s(paths)))


def of_other_interpreter(python: str) -> dict[str, dict[str, str]]:
    """The texts of its peers, by peer and document."""
    told = subprocess.run([python, __file__, "--texts"], capture_output=True, text=True, check=True)
    found: dict[str, dict[str, str]] = json.loads(told.stdout)
    return found


def main() -> int:
    """Measure and print."""
    options = argparse.ArgumentParser(description="PDF to text, measured.")
    options.add_argument("--documents", action="store_true", help="figures per document")
    options.add_argument("--peers", metavar="PYTHON", help="an interpreter that has further peers")
    options.add_argument("--check", action="store_true", help="exit status 1 if a target is missed")
    options.add_argument("--texts", action="store_true", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    cases = golds()
    if chosen.texts:
        json.dump(
            {name: {case.name: read(case.pdf) for case in cases} for name, read in peers().items()},
            sys.stdout,
        )
        return 0
    if any(os.environ.get(name) != value for name, value in PINNED.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | PINNED)

    import pymupdf

    count: Any = pymupdf
    pages = sum(len(count.open(case.pdf)) for case in cases)
    print(f"{len(cases)} documents, {pages} pages")
    others = {name: [score(case, read(case.pdf)) for case in cases] for name, read in peers().items()}
    if chosen.peers:
        for name, texts in of_other_interpreter(chosen.peers).items():
            others[name] = [score(case, texts[case.name]) for case in cases]
    best_peer = max(print_scores(name, scores, documents=False)[0] for name, scores in others.items())
    f1, order, wrong = print_scores(
        "ours", [score(case, ours(case.pdf)) for case in cases], documents=chosen.documents
    )

    paths = [case.pdf for case in cases]
    rates = best_pages_per_s({"plain": plain, "ours": ours}, paths, pages)
    ratio = rates["ours"] / rates["plain"]
    door = door_pages_per_s(paths, pages)
    print(
        f"pages/s: plain PyMuPDF {rates['plain']:.0f}, ours {rates['ours']:.0f}; through the door {door:.0f}"
    )
    verdicts = [
        ("word F1 above every peer", f1, best_peer, f1 > best_peer),
        ("order", order, ORDER_TARGET, order >= ORDER_TARGET),
        ("broken and joined per 1,000 words", wrong, HYPHEN_TARGET, wrong <= HYPHEN_TARGET),
        ("pages/s x plain PyMuPDF", ratio, SPEED_TARGET, ratio >= SPEED_TARGET),
    ]
    for what, value, limit, holds in verdicts:
        print(f"{what:40} {value:8.4f}  limit {limit:.4f}  {'ok' if holds else 'MISSED'}")
    return int(chosen.check and not all(holds for *_, holds in verdicts))


if __name__ == "__main__":
    sys.exit(main())
