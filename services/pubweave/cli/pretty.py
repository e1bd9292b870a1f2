"""Records as a person likes to read them on a terminal."""

from collections.abc import Iterable
from typing import Final
from urllib.parse import quote

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.style import Style
from rich.table import Table
from rich.text import Text

from pubweave.contract.values import Thresholds
from pubweave.contract.vocabulary import CONTENT_PARTS, IDENTIFIER_KINDS, PartName
from pubweave.core.identifiers import link_to
from pubweave.core.record import Record
from pubweave.output.authors import author_words
from pubweave.output.labels import PART_LABELS, TYPE_LABELS
from pubweave.output.publication import Envelope, parts_summary
from pubweave.output.terminal import for_people
from pubweave.output.text import elements, one_line
from pubweave.output.times import date

CARDS_UP_TO: Final = 10
"""From more identifiers than this a table is made instead of a card each."""
_ABSTRACT_SHOWN: Final = 1_200
_ELEMENTS_SHOWN: Final = 12
_MONTHS: Final = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_DOTS: Final = {
    "final": ("●", "green"),
    "usable": ("●", "yellow"),
    "short": ("○", "yellow"),
    "missing": ("·", "dim"),
}
_NOTICES: Final = {
    "retracted": "RETRACTED",
    "withdrawn": "WITHDRAWN",
    "concern": "expression of concern",
    "corrected": "corrected",
    "retraction-notice": "a retraction notice",
    "correction-notice": "a correction notice",
}
_PART_COLUMNS: Final[tuple[tuple[PartName, str], ...]] = (
    ("title", "T"),
    ("theAbstract", "A"),
    ("fulltext", "F"),
    ("keywords", "K"),
    ("mesh", "M"),
    ("efo", "E"),
    ("go", "G"),
)


def safe(text: str) -> str:
    """Without control characters: what a source sends must not steer the terminal."""
    return "".join(letter for letter in for_people(text) if letter.isprintable() or letter in "\n ")


def day(unix_ms: int) -> str:
    """30 August 2018."""
    year, month, number = date(unix_ms).split("-")
    return f"{int(number)} {_MONTHS[int(month) - 1]} {int(year)}"


def identifiers_line(record: Record) -> Text:
    line = Text()
    for kind in IDENTIFIER_KINDS:
        part = record.part(kind)
        if part.is_empty:
            continue
        if line:
            line.append("  ")
        line.append(PART_LABELS[kind] + " ", "dim")
        line.append(safe(part.text), Style(color="cyan", link=quote(link_to(kind, part.text), safe=":/?=")))
        if part.type == "external":
            line.append(" (as given)", "dim")
    return line


def _about(record: Record) -> Text:
    """Journal, day, citations, and what a reader must know."""
    line = Text()
    facts = [
        (safe(record.journal_title), "italic"),
        (day(record.pub_date) if record.pub_date != -1 else "", ""),
        (f"cited {record.citations_count:,} times" if record.citations_count >= 0 else "", ""),
        ("open access" if record.oa else "", "green"),
        ("preprint" if record.preprint else "", "yellow"),
        *((_NOTICES.get(notice.kind, notice.kind), "bold red") for notice in record.notices),
    ]
    for words, style in facts:
        if words:
            line.append(" · " if line else "", "dim")
            line.append(words, style)
    return line


def _listed(record: Record, name: PartName) -> str:
    found = elements(name, record.part(name), plain=False)
    if name == "mesh":
        found = [term.term + ("*" if term.majorTopic else "") for term in record.mesh.mesh]
    elif name in ("efo", "go"):
        found = [f"{term.term} ({term.count})" for term in record.part(name).terms]
    more = len(found) - _ELEMENTS_SHOWN
    return safe("; ".join(found[:_ELEMENTS_SHOWN])) + (f" and {more} more" if more > 0 else "")


def _abstract(record: Record) -> Text:
    text = safe(record.theAbstract.text)
    if len(text) <= _ABSTRACT_SHOWN:
        return Text(text)
    cut = text[:_ABSTRACT_SHOWN].rsplit(" ", 1)[0]
    return Text(cut + " ").append(f"… ({len(text):,} characters)", "dim")


def _sources(record: Record) -> Text:
    """Which part came from where; parts of one source together."""
    by_type: dict[str, list[str]] = {}
    for name in CONTENT_PARTS:
        part = record.part(name)
        if not part.is_empty:
            by_type.setdefault(TYPE_LABELS[part.type], []).append(PART_LABELS[name].removesuffix(" terms"))
    line = Text()
    for label, names in by_type.items():
        line.append(" · " if line else "", "dim")
        line.append(label, "blue")
        line.append(f" ({', '.join(names)})", "dim")
    return line


def card(record: Record, envelope: Envelope, thresholds: Thresholds) -> RenderableType:
    """One publication, in full."""
    title = safe(one_line(record.title.text)) or "(no title found)"
    rows: list[RenderableType] = [
        Text(title, "bold" if record.title.text else "bold dim"),
        *(line for line in (_about(record), identifiers_line(record)) if line),
    ]
    if not record.known:
        rows.append(Text("No source knows it. That is the finished answer, not a failure.", "yellow"))
    elif envelope.note:
        rows.append(Text(envelope.note, "yellow"))
    if record.theAbstract.text:
        rows += [Text(), _abstract(record)]
    details = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    details.add_column(style="dim", no_wrap=True)
    details.add_column()
    summary = parts_summary(record, CONTENT_PARTS, thresholds)
    for name in ("keywords", "mesh", "efo", "go"):
        if not record.part(name).is_empty:
            details.add_row(PART_LABELS[name], Text(_listed(record, name)))
    if not record.fulltext.is_empty:
        short = "" if summary["fulltext"] == "final" else f" ({summary['fulltext']}, not final)"
        details.add_row("Full text", Text(f"{record.fulltext.size:,} characters{short}"))
    if record.corresp_author:
        details.add_row("Contact", Text(safe("; ".join(map(author_words, record.corresp_author)))))
    missing = [PART_LABELS[name] for name, word in summary.items() if word == "missing"]
    if missing and record.known:
        details.add_row("Missing", Text(", ".join(missing), "dim"))
    sources = _sources(record)
    if sources:
        details.add_row("Sources", sources)
    if details.row_count:
        rows += [Text(), details]
    return Group(Rule(style="dim"), Padding(Group(*rows), (0, 1, 1, 1)))


def dots(record: Record, thresholds: Thresholds) -> Text:
    """A dot a part: filled = final (green) or usable (yellow), hollow = too short, faint = missing."""
    summary = parts_summary(record, [name for name, _ in _PART_COLUMNS], thresholds)
    line = Text()
    for name, _ in _PART_COLUMNS:
        line.append(*_DOTS[summary[name]])
        line.append(" ")
    return line


def table(rows: Iterable[tuple[Record, Envelope]], thresholds: Thresholds) -> RenderableType:
    """Many publications, a line each."""
    result = Table(box=box.SIMPLE_HEAD, header_style="dim", pad_edge=False, expand=True)
    result.add_column("line", justify="right", style="dim", no_wrap=True)
    result.add_column("identifier", style="cyan", no_wrap=True, max_width=26, overflow="ellipsis")
    result.add_column(" ".join(letter for _, letter in _PART_COLUMNS), no_wrap=True)
    result.add_column("title", no_wrap=True, overflow="ellipsis", ratio=1)
    for record, envelope in rows:
        asked = next((value for _, value in envelope.submitted.known()), "")
        name = asked or next((value for _, value in record.identifiers.known()), "")
        title = Text(safe(one_line(record.title.text)))
        if not record.known:
            title = Text("no source knows it", "yellow")
        elif not title and envelope.outcome == "parked":
            title = Text(f"parked: {envelope.note}", "yellow")
        result.add_row(str(envelope.line), name, dots(record, thresholds), title)
    return result


LEGEND: Final = (
    "T title  A abstract  F full text  K keywords  M MeSH  E EFO  G GO   ● found  ○ too short  · missing"
)


def rendered(console: Console, *what: RenderableType) -> str:
    """What would be printed on that console."""
    with console.capture() as capture:
        for one in what:
            console.print(one)
    text = capture.get()
    # Lines are filled up with spaces to the width; a file needs none of them.
    return text if console.is_terminal else "".join(line.rstrip() + "\n" for line in text.splitlines())
