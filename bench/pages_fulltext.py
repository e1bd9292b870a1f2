"""Whether the text that stands on an article's page is in the record: right, in part, missing, too much.

    python bench/pages_fulltext.py [--side measuring|rule-making|all] [--recent] [--wrong]

`tests/core/reading/recorded_pages.tsv` says of each recorded page what it is, at which address and DOI it stood, and, where
the article's text is on it, with which paragraph the text begins and ends (digests of their letters, no texts). It was
written before this command was first run. The paragraphs were found without Pubweave: by lxml, from the
headings that begin an article's text and those that end it, compared with trafilatura's text, and by eye where the two differed
or a paragraph was not an article's first or last. A page's truth is every paragraph of running text between the two that
stands in no figure, table or list of references.

Right: at least 90 % of the words of these paragraphs, and at most 10 % other words (what stands before the text, headings,
captions and tables are not other words: a full text has them or not). Final and wrong: not right, and nothing better is looked
for. Pages are split by the SHA-256 of the file's name: rules are made from one side and measured on the other; a
platform with one page is on the measuring side. The recorded pages are in ../shared/data (or PUBWEAVE_SHARED_DATA).
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lxml import html as lxml_html

from pubweave.contract.exchange import Reply
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.part_candidate import PartCandidate
from pubweave.contract.resource_done import ResourceDone
from pubweave.contract.values import Identifiers, Place, RunSettings
from pubweave.contract.vocabulary import PART_NAMES
from pubweave.core.identifiers import normalise_doi
from pubweave.core.reading.rules import RuleBook, RuleFile, load_rules
from pubweave.core.toolkit.page_answers import Sought, say_page
from pubweave.core.types import is_final

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("PUBWEAVE_SHARED_DATA") or ROOT.parent / "shared" / "data")
TRUTH = ROOT / "tests" / "core" / "reading" / "recorded_pages.tsv"

_BLOCKS = (
    "address article aside blockquote body caption center dd details div dl dt fieldset figcaption figure footer form "
    "h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tbody td tfoot th thead tr ul"
)
_SKIPPED = "script style noscript template iframe svg head button select option textarea"
_ASIDE_TAGS = "figure figcaption table caption h1 h2 h3 h4 h5 h6 math"
BLOCKS = frozenset(_BLOCKS.split())
SKIPPED = frozenset(_SKIPPED.split())
ASIDE_TAGS = frozenset(_ASIDE_TAGS.split())
ASIDE = re.compile(
    r"(?:^|[\s_-])(?:fig|figure|caption|table|tbl|equation|formula|fig-?caption)s?(?:$|[\s_-])"
)
REFERENCES = re.compile(
    r"\breferences?\b|ref-list|reflist|bibliograph|citations?-?list|cited-?by|references__"
)
LARGE = 6000
"""Characters above which no element is a figure or table: old pages lay themselves out by tables."""
SENTENCE = re.compile(r"[.!?。:;]")
WORD = re.compile(r"[a-z]{3,}")


@dataclass(frozen=True)
class Labelled:
    """One line of the truth."""

    path: str
    label: str
    status: int
    doi: str
    url: str
    first: str
    last: str

    @property
    def platform(self) -> str:
        """Publisher or site: the name up to its first `__`."""
        return Path(self.path).name.partition("__")[0]

    @property
    def name(self) -> str:
        """The file's name."""
        return Path(self.path).name

    def body(self) -> bytes:
        """The page's bytes."""
        stored = (DATA / self.path).read_bytes()
        return gzip.decompress(stored) if stored[:2] == b"\x1f\x8b" else stored


@dataclass
class Paragraph:
    """A run of text of a page, by lxml."""

    text: str
    is_aside: bool
    is_reference: bool
    link_size: int

    @property
    def is_prose(self) -> bool:
        """Whether it is running text."""
        return (
            len(self.text) >= 100
            and not self.is_aside
            and not self.is_reference
            and not self.text.endswith(("[Google Scholar]", "[Crossref]"))
            and self.link_size < 0.5 * len(self.text)
            and SENTENCE.search(self.text) is not None
        )


@cache
def labelled() -> tuple[Labelled, ...]:
    """All lines of the truth."""
    lines = (line.split("\t") for line in TRUTH.read_text().splitlines() if not line.startswith("#"))
    return tuple(
        Labelled(path, label, int(status), doi, url, first, last)
        for path, label, status, doi, url, first, last in lines
    )


@cache
def pages_of_platforms() -> Counter[str]:
    """How many pages with an article's text each platform has."""
    return Counter(page.platform for page in labelled() if page.first)


def is_measuring(page: Labelled) -> bool:
    """Whether rules may not be made from the page before they have been measured on it."""
    only = pages_of_platforms()[page.platform] <= 1
    return only or hashlib.sha256(page.name.encode()).hexdigest()[0] >= "8"


def is_recent(page: Labelled) -> bool:
    """Whether the page was recorded after the first rules were made."""
    return page.name in _recent_names()


@cache
def _recent_names() -> frozenset[str]:
    lines = (DATA / "PROVENANCE.tsv").read_text().splitlines()
    return frozenset(line.split("\t", 2)[1] for line in lines if "layout <=" in line or "ace_" in line)


def paragraphs(body: bytes) -> list[Paragraph]:
    """The page's texts in the order of the page. No code of Pubweave has part in it."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        text = body.decode("cp1252", "replace")
    text = re.sub(r"^\s*<\?xml[^>]*\?>", "", text)
    document = lxml_html.document_fromstring(text, parser=lxml_html.HTMLParser(huge_tree=True))
    found: list[Paragraph] = []
    pieces: list[str] = []
    in_links = 0

    def close(is_aside: bool, is_reference: bool) -> None:
        nonlocal pieces, in_links
        said = " ".join("".join(pieces).split())
        if said:
            found.append(Paragraph(said, is_aside, is_reference, in_links))
        pieces, in_links = [], 0

    def walk(node: lxml_html.HtmlElement, is_aside: bool, is_reference: bool, is_linked: bool) -> None:
        nonlocal in_links
        tag = node.tag
        if not isinstance(tag, str) or tag in SKIPPED:
            return
        is_block = tag in BLOCKS
        outside = is_aside, is_reference
        if is_block:
            close(*outside)
            said = f"{node.get('id') or ''} {node.get('class') or ''}".lower()
            names_aside = tag in ASIDE_TAGS or ASIDE.search(said) is not None
            is_aside = is_aside or (names_aside and len(node.text_content()) < LARGE)
            is_reference = is_reference or (
                REFERENCES.search(said) is not None and tag not in ("body", "main", "article")
            )
        elif tag == "math":
            is_aside = True
        is_linked = is_linked or (tag == "a" and not (node.get("href") or "#").startswith("#"))
        _add(node.text, is_linked)
        if tag == "br":
            pieces.append(" ")
        for child in node:
            walk(child, is_aside, is_reference, is_linked)
            _add(child.tail, is_linked)
        if is_block:
            close(is_aside, is_reference)

    def _add(text: str | None, is_linked: bool) -> None:
        nonlocal in_links
        if text:
            pieces.append(text)
            in_links += len(text.strip()) * is_linked

    body_node = document.find(".//body")
    walk(body_node if body_node is not None else document, False, False, False)
    close(False, False)
    return found


def digest(text: str) -> str:
    """What a paragraph is known by: its letters and digits, digested."""
    return hashlib.sha256("".join(filter(str.isalnum, text.lower())).encode()).hexdigest()[:10]


def words(texts: Iterator[str] | list[str]) -> Counter[str]:
    """How often each word of three letters and more occurs."""
    return Counter(word for text in texts for word in WORD.findall(text.lower()))


def truth_of(page: Labelled, body: bytes) -> tuple[Counter[str], Counter[str]]:
    """(the words that must be there, those that may be there) of a page with text."""
    found = paragraphs(body)
    digests = [digest(paragraph.text) for paragraph in found]
    first = digests.index(page.first)
    last = len(digests) - 1 - digests[::-1].index(page.last)
    inside = [paragraph for paragraph in found[first : last + 1] if paragraph.is_prose]
    before = [
        paragraph
        for paragraph in found[:first]
        if not paragraph.is_reference and paragraph.link_size < 0.5 * len(paragraph.text)
    ]
    allowed = [
        *before,
        *(paragraph for paragraph in found[first : last + 1] if not paragraph.is_reference),
        *(paragraph for paragraph in found[last + 1 :] if paragraph.is_aside),
    ]
    return words([paragraph.text for paragraph in inside]), words([paragraph.text for paragraph in allowed])


@dataclass(frozen=True)
class Measured:
    """What became of a page with text."""

    page: Labelled
    outcome: str
    verdict: str
    size: int
    is_final: bool
    share: float
    """Of the article's words."""
    others: float
    """Share of the record's words that are not the article's."""
    rule: str

    @property
    def is_right(self) -> bool:
        """At least 90 % of the words and at most 10 % others."""
        return self.share >= 0.9 and self.others <= 0.1

    @property
    def word(self) -> str:
        """Right, or what is wrong."""
        if self.is_right:
            return "right" if self.is_final else "right, not final"
        end = ", final" if self.is_final else ""
        if not self.size or self.share < 0.1:
            return f"missing{end}"
        return (f"in part{end}") if self.share < 0.9 else f"too much{end}"


def rules() -> RuleBook:
    """The rules that are built in."""
    folder = ROOT / "rules" / "sites"
    return load_rules(
        [RuleFile("site", path.name, path.read_text()) for path in sorted(folder.glob("*.yaml"))]
    )


def read(page: Labelled, body: bytes, book: RuleBook) -> tuple[ResourceDone, dict[str, PartCandidate]]:
    """(how the need for the page ended, the first candidate of each part)."""
    need = NeedsPart(
        publication="publication",
        need="need",
        place=Place(1, 1, 1, 1, 1, 0),
        resource="doi",
        identifiers=Identifiers(doi=normalise_doi(page.doi) if page.doi else ""),
        ask="doi",
        missing=PART_NAMES,
        settings=RunSettings(),
    )
    reply = Reply(
        outcome="found",
        url=page.url,
        final_url=page.url,
        status=200,
        content_type="text/html",
        body=body,
        fetched_at=1,
    )
    *said, done = say_page(need, reply, Sought("doi", "https://doi.org/", book, is_led=True))
    assert isinstance(done, ResourceDone)
    parts: dict[str, PartCandidate] = {}
    for event in said:
        if isinstance(event, PartCandidate):
            parts.setdefault(event.part, event)
    return done, parts


def measured(pages: Iterator[Labelled] | list[Labelled], book: RuleBook) -> Iterator[Measured]:
    """What today's reader makes of pages with text."""
    for page in pages:
        body = page.body()
        done, parts = read(page, body, book)
        must, may = truth_of(page, body)
        text = parts.get("fulltext")
        got = words([text.text]) if text is not None else Counter()
        share = (got & must).total() / max(1, must.total())
        others = 1 - (got & (may | must)).total() / max(1, got.total())
        yield Measured(
            page,
            done.outcome,
            done.evidence,
            text.size if text is not None else 0,
            text is not None and is_final(text.type) and "never-final" not in text.marks,
            share,
            others if text is not None else 0.0,
            text.rule if text is not None else "",
        )


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser()
    options.add_argument("--side", choices=("measuring", "rule-making", "all"), default="measuring")
    options.add_argument(
        "--recent", action="store_true", help="only pages recorded after the first rules were made"
    )
    options.add_argument(
        "--wrong", action="store_true", help="name the pages that are not right, or right and not final"
    )
    chosen = options.parse_args()
    pages = [
        page
        for page in labelled()
        if (DATA / page.path).exists()
        and (chosen.side == "all" or is_measuring(page) == (chosen.side == "measuring"))
        and (not chosen.recent or is_recent(page))
    ]
    found = list(measured([page for page in pages if page.first], rules()))
    for one in found:
        if chosen.wrong and one.word != "right":
            print(
                f"  {one.word:18} {one.page.name[:48]:48} {one.share:.2f} of the words, {one.others:.2f} others, "
                f"{one.size} characters, {one.outcome}; {one.rule}; {one.verdict[:150]}"
            )
    counted = Counter(one.word for one in found)
    print(f"{chosen.side}: {len(found)} pages with the article's text")
    for word, count in counted.most_common():
        print(f"{count:5} {word}")
    right = sum(one.is_right for one in found)
    print(
        f"right {right / max(1, len(found)):.3f}, final and wrong {sum(one.is_final and not one.is_right for one in found)}"
    )
    book = rules()
    others = [page for page in pages if not page.first and page.label != "other"]
    given = [page.name for page in others if "fulltext" in read(page, page.body(), book)[1]]
    print(
        f"{len(others)} pages without the article's text, {len(given)} of them were given one: {', '.join(given)}"
    )


if __name__ == "__main__":
    main()
