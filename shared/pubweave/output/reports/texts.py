"""Reports as text, in columns."""

from collections import Counter
from collections.abc import Iterator

from pubweave.output.labels import PART_LABELS
from pubweave.output.reports.completeness import STATE_SENTENCES, STATES, Completeness
from pubweave.output.reports.pages import SOURCE_WORDS, STATE_WORDS, outcomes_words


def completeness_text(counted: Completeness) -> Iterator[str]:
    """For people: parts, sources, hosts."""
    yield f"{counted.publications:,} publications\n\n"
    yield from _columns(
        ["part", *(STATE_WORDS[state] for state in STATES), "final"],
        [
            [
                PART_LABELS[name],
                *(f"{counted.states[name][state]:,}" for state in STATES),
                f"{counted.final[name]:,}",
            ]
            for name in counted.parts
        ],
    )
    yield "\n"
    for state in STATES:
        yield f"{STATE_WORDS[state]:<9}  {STATE_SENTENCES[state]}\n"
    rows = [
        [PART_LABELS[name], SOURCE_WORDS.get(source, source), *(f"{counts[state]:,}" for state in STATES[2:])]
        for name in counted.parts
        for source, counts in sorted(counted.sources[name].items())
    ]
    if rows:
        yield "\nWhat the sources said about missing parts\n\n"
        yield from _columns(["part", "source", *(STATE_WORDS[state] for state in STATES[2:])], rows, words=2)
    yield from _host_lines("Hosts that would help most", counted.worst_hosts()[:30])
    yield from _host_lines("All requests, by host", sorted(counted.requests.items()))


def _host_lines(heading: str, hosts: list[tuple[str, Counter[str]]]) -> Iterator[str]:

    if hosts:
        yield f"\n{heading}\n\n"
    for host, counts in hosts:
        yield f"{counts.total():>7,}  {host}: {outcomes_words(counts)}\n"


def _columns(header: list[str], rows: list[list[str]], words: int = 1) -> Iterator[str]:
    """The first columns left, numbers right, each as wide as it must be."""
    widths = [max(len(row[at]) for row in [header, *rows]) for at in range(len(header))]
    for row in [header, *rows]:
        yield (
            "  ".join(
                cell.ljust(width) if at < words else cell.rjust(width)
                for at, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            + "\n"
        )
