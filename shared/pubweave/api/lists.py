"""Lists from files: identifiers, addresses, JSON output (F-LIB-05)."""

from collections.abc import Iterator
from pathlib import Path

from pubweave.api.checking import check_url
from pubweave.contract.values import Identifiers
from pubweave.contract.vocabulary import EntryKind
from pubweave.core.record import Record
from pubweave.core.webpage_record import WebpageRecord
from pubweave.input.identifier_lines import Problem
from pubweave.input.identifier_lists import items, opened, raw_lines, source_of
from pubweave.problems import UserError


def read_ids(path: str | Path) -> Iterator[Identifiers]:
    """The publications of a list, in its order: one identifier a line, or PMID, PMCID and DOI divided by tabs; empty
    lines and comments (`#`) are passed over. Memory does not grow with the file.

    :raises UserError: the file cannot be read, or a line is none; the text names it. What came before has been given
    """
    for item in items(source_of(str(path))):
        if isinstance(item.result, Problem):
            raise UserError(f"{item.source} line {item.number}: {item.result.sentence}")
        yield item.result.identifiers


def read_urls(path: str | Path) -> Iterator[str]:
    """The web addresses of a list, in its order: one a line; empty lines and those that begin with `#` are passed over.

    :raises UserError: the file cannot be read, or a line is none; the text names it. What came before has been given
    """
    source = source_of(str(path))
    with opened(source) as stream:
        for number, text, _ in raw_lines(source, stream):
            if text.strip() and not text.startswith("#"):
                try:
                    yield check_url(text)
                except UserError as problem:
                    raise UserError(f"{source.name} line {number}: {problem}") from None


def read_json(path: str | Path) -> Iterator[tuple[EntryKind, Record | WebpageRecord]]:
    """(kind, entry) of everything in a JSON output of Pubweave or PubFetcher (chapter 18.2, full form) or in JSON Lines,
    in its order. Memory does not grow with the file.

    :raises UserError: it cannot be read, or an entry cannot; the text says which. What came before has been given
    """
    from pubweave.output.reading import NotPublications
    from pubweave.output.reading_stream import read_entries

    try:
        with Path(path).open("rb") as file:
            yield from read_entries(file.read)
    except OSError as problem:
        raise UserError(f"{path} cannot be read: {(problem.strerror or str(problem)).lower()}") from None
    except NotPublications as problem:
        raise UserError(f"{path}: {problem}") from None
