"""What publications lack, for `pubweave report completeness`: why, and lists of them to act on."""

import csv
import io
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pubweave.cli.problems import Refused
from pubweave.cli.showing import PART_WORDS
from pubweave.cli.stored import Stored

if TYPE_CHECKING:
    from pubweave.core.record import Record
    from pubweave.output.reports.completeness import Lack, SourceQuestion

_COLUMNS: Final = ("part", "state", "pmid", "pmcid", "doi", "title", "source", "outcome", "host", "evidence")


async def asked_about(storage: Stored, publication: str) -> "list[SourceQuestion]":
    """Every question about a publication, from its rows."""
    from pubweave.contract.needs_part import NeedsPart
    from pubweave.contract.resource_done import ResourceDone
    from pubweave.core.politeness import host_of
    from pubweave.output.reports.completeness import SourceQuestion
    from pubweave.runtimes.rows import read_state_row

    needs: dict[str, NeedsPart] = {}
    done: dict[str, ResourceDone] = {}
    for row in await storage.store.rows(publication):
        if row.body.startswith((b"needs-part ", b"resource-done ")):
            event = read_state_row(row)
            if isinstance(event, NeedsPart):
                needs[event.need] = event
            elif isinstance(event, ResourceDone):
                done.setdefault(event.need, event)
    result = []
    for need in needs.values():
        ended = done.get(need.need)
        tried = ended.tried[-1] if ended is not None and ended.tried else ""
        where = tried or (need.link.url if need.link is not None else "")
        result.append(
            SourceQuestion(
                resource=need.resource,
                missing=need.missing,
                outcome=ended.outcome if ended is not None else "",
                evidence=ended.evidence if ended is not None else "",
                host=host_of(where),
                order=tuple(need.place),
            )
        )
    return result


class MissingLists:
    """Files of what is missing, written as it is found; opened when there is something for them.

    They take their names at the end, so nobody sees half a list.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._files: dict[str, Any] = {}
        self._open = ExitStack()

    def __enter__(self) -> "MissingLists":
        """:raises Refused: the folder cannot be made"""
        if self._folder is not None:
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
            except OSError as problem:
                reason = (problem.strerror or str(problem)).lower()
                raise Refused(f"{self._folder} cannot be made: {reason}") from None
            for old in self._folder.glob("*.tsv"):
                # Lists of an earlier report that are empty now must not stay.
                if old.stem.partition(".")[0] in PART_WORDS:
                    old.unlink()
        return self

    @property
    def names(self) -> list[str]:
        return sorted(self._files)

    def _file(self, name: str, first_line: str) -> Any:
        from pubweave.output.out_file import Out

        if name not in self._files:
            assert self._folder is not None
            self._files[name] = self._open.enter_context(Out(self._folder / name))
            self._files[name].write(first_line)
        return self._files[name]

    def add(self, record: "Record", lacks: "list[Lack]") -> None:
        from pubweave.output.reports.completeness import STATE_SENTENCES
        from pubweave.output.tables import defused
        from pubweave.output.text import one_line, triplet

        if self._folder is None:
            return
        known = record.identifiers
        for lack in lacks:
            if any(value for _, value in known.known()):
                name = f"{lack.part}.{lack.state}.tsv"
                self._file(name, f"# {lack.part}: {STATE_SENTENCES[lack.state]}\n").write(
                    triplet(known) + "\n"
                )
            row = (
                lack.part,
                lack.state,
                known.pmid,
                known.pmcid,
                known.doi,
                one_line(record.title.text),
                lack.resource,
                lack.outcome,
                lack.host,
                lack.evidence,
            )
            self._file("missing.csv", _csv_line(_COLUMNS)).write(_csv_line(map(defused, row)))

    def __exit__(self, *problem: Any) -> None:
        self._open.__exit__(*problem)


def _csv_line(cells: Iterable[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\r\n").writerow(cells)
    return line.getvalue()
