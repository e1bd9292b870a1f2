"""The part table (chapter 19.2): which part came from which type, how often."""

from collections.abc import Iterator
from typing import Any

from pubweave.contract.vocabulary import PART_NAMES, TYPE_NAMES, PartName, TypeName
from pubweave.core.record import Record
from pubweave.core.types import OPTIONAL


class PartTable:
    """Types by ten parts, the 33 of the specification and what else there is; a cell is the number of publications whose part has that type."""

    def __init__(self) -> None:
        self._cells: dict[TypeName, dict[PartName, int]] = {
            type_: dict.fromkeys(PART_NAMES, 0) for type_ in TYPE_NAMES
        }
        self.publications = 0

    def add(self, record: Record) -> None:
        self.publications += 1
        for name, part in record.parts():
            self._cells[part.type][name] += 1

    def rows(self) -> Iterator[tuple[TypeName, dict[PartName, int], int]]:
        """(type, cells, total), in the order of the ladder, also rows of zeros (F-PTB-01) but of sources that are off."""
        for type_, cells in self._cells.items():
            total = sum(cells.values())
            if total or type_ not in OPTIONAL:
                yield type_, cells, total

    def csv(self) -> Iterator[str]:
        """The lines of F-PTB-01."""
        yield ",".join(["type", *PART_NAMES, "total"]) + "\n"
        for type_, cells, total in self.rows():
            yield ",".join([type_, *map(str, cells.values()), str(total)]) + "\n"

    def objects(self) -> list[dict[str, Any]]:
        """A row each, for JSON."""
        return [{"type": type_} | {**cells} | {"total": total} for type_, cells, total in self.rows()]
