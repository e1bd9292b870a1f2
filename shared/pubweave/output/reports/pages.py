"""Reports as self-contained pages: a plot, and below it the numbers."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from pubweave.contract.vocabulary import PART_NAMES
from pubweave.core.types import FINAL, PDF
from pubweave.output.html_escape import escape_text
from pubweave.output.html_page import head, tail
from pubweave.output.labels import PART_LABELS, RESOURCE_LABELS, TYPE_LABELS
from pubweave.output.reports.completeness import STATE_SENTENCES, STATES, Completeness
from pubweave.output.reports.part_table import PartTable
from pubweave.output.reports.svg import bars

_HOSTS_PLOTTED = 30
STATE_WORDS = {state: state.replace("-", " ") for state in STATES}
SOURCE_WORDS = {str(name): label for name, label in RESOURCE_LABELS.items()}


def _cell(value: str | int) -> str:
    if isinstance(value, int):
        return f'<td class="number">{value:,}</td>' if value else '<td class="number none">0</td>'
    return f"<td>{escape_text(value)}</td>"


def table(
    caption: str, header: Sequence[str], rows: Iterable[Sequence[str | int]], texts: Sequence[int] = (0,)
) -> Iterator[str]:
    """Rows are found by the page's search.

    :param texts: which columns hold text; the others hold numbers and stand right
    """
    yield f'<div class="scroll"><table class="wide"><caption>{escape_text(caption)}</caption>\n<tr>'
    for at, word in enumerate(header):
        yield (
            f"<th>{escape_text(word)}</th>" if at in texts else f'<th class="number">{escape_text(word)}</th>'
        )
    yield "</tr>\n"
    for row in rows:
        yield f'<tr class="entry">{"".join(map(_cell, row))}</tr>\n'
    yield "</table></div>\n"


def top_hosts_page(title: str, lists: Sequence[tuple[str, Sequence[tuple[str, int]]]]) -> Iterator[str]:
    """:param lists: what they are hosts of, and (host, count)"""
    yield head(title)
    for words, rows in lists:
        if rows:
            first = [(host, {"found": count}) for host, count in rows[:_HOSTS_PLOTTED]]
            yield bars(f"Hosts of {words}", first, {"found": words})
        yield from table(f"Hosts of {words} ({len(rows):,})", ("Host", "Count"), rows)
    yield tail()


def part_table_page(title: str, counted: PartTable) -> Iterator[str]:
    yield head(title)
    series = {
        "found": "final types",
        "short": "other types",
        "pending": "PDF",
        "absent": "supplied by the user",
        "not-asked": "nothing",
    }

    def group(type_: str) -> str:
        if type_ in FINAL:
            return "found"
        if type_ in PDF:
            return "pending"
        return {"external": "absent", "na": "not-asked"}.get(type_, "short")

    by_part: dict[str, dict[str, int]] = {PART_LABELS[name]: {} for name in PART_NAMES}
    for type_, cells, _ in counted.rows():
        for name, count in cells.items():
            row = by_part[PART_LABELS[name]]
            row[group(type_)] = row.get(group(type_), 0) + count
    yield bars(
        f"Where the parts of {counted.publications:,} publications come from", [*by_part.items()], series
    )
    yield from table(
        "Publications by part and type",
        ("Type", *(PART_LABELS[name] for name in PART_NAMES), "Total"),
        ([TYPE_LABELS[type_], *cells.values(), total] for type_, cells, total in counted.rows()),
    )
    yield tail()


def completeness_page(title: str, counted: Completeness) -> Iterator[str]:
    yield head(title)
    series = {str(state): STATE_WORDS[state] for state in STATES}
    rows = [
        (PART_LABELS[name], {str(state): counted.states[name][state] for state in STATES})
        for name in counted.parts
    ]
    yield bars(f"What {counted.publications:,} publications have and lack", rows, series)
    yield (
        "<dl>"
        + "".join(f"<dt>{STATE_WORDS[state]}</dt><dd>{STATE_SENTENCES[state]}</dd>" for state in STATES)
        + "</dl>\n"
    )
    yield from table(
        "By part",
        ("Part", *(STATE_WORDS[state] for state in STATES), "final"),
        (
            [PART_LABELS[name], *(counted.states[name][state] for state in STATES), counted.final[name]]
            for name in counted.parts
        ),
    )
    yield from table(
        "What the sources said about missing parts",
        ("Part", "Source", *(STATE_WORDS[state] for state in STATES[2:])),
        (
            [PART_LABELS[name], SOURCE_WORDS.get(source, source), *(counts[state] for state in STATES[2:])]
            for name in counted.parts
            for source, counts in sorted(counted.sources[name].items())
        ),
        texts=(0, 1),
    )
    yield from _hosts("Hosts that would help most", "Questions", counted.worst_hosts())
    yield from _hosts("All requests, by host", "Requests", sorted(counted.requests.items()))
    yield tail()


def _hosts(caption: str, counted: str, hosts: Sequence[tuple[str, Counter[str]]]) -> Iterator[str]:
    if hosts:
        yield from table(
            caption,
            ("Host", counted, "Outcomes"),
            ([host, counts.total(), outcomes_words(counts)] for host, counts in hosts),
            texts=(0, 2),
        )


def outcomes_words(counts: Counter[str]) -> str:
    """`blocked 12, timeout 3`."""
    return ", ".join(f"{outcome} {count:,}" for outcome, count in counts.most_common())
