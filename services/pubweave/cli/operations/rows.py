"""Makers of rows, so that the table can be read in lines."""

from pubweave.cli.operations.model import MANY, Argument, Operation, Stage


def flag(feature: str, name: str, stage: Stage, sentence: str, *, dashes: int = 1) -> Operation:
    return Operation(feature, name, stage, "none", 0, 0, sentence, "", dashes)


def one(
    feature: str, name: str, stage: Stage, argument: Argument, example: str, sentence: str, *, dashes: int = 1
) -> Operation:
    return Operation(feature, name, stage, argument, 1, 1, sentence, example, dashes)


def some(
    feature: str, name: str, stage: Stage, argument: Argument, example: str, sentence: str, *, dashes: int = 1
) -> Operation:
    return Operation(feature, name, stage, argument, 1, MANY, sentence, example, dashes)


def both(row: Operation, opposite: str) -> tuple[Operation, Operation]:
    """A filter and the one that begins with `not-`."""
    return row, row._replace(
        name=f"not-{row.name}",
        sentence=opposite,
        negates=row.name,
        companion=f"not-{row.companion}" if row.companion else "",
    )


def with_parts(row: Operation, opposite: str = "") -> tuple[Operation, ...]:
    """A filter of parts with its mandatory companion, and their opposites if there are any (F-CLI-206)."""
    row = row._replace(companion=f"{row.name}-part")
    rows = both(row, opposite) if opposite else (row,)
    found: list[Operation] = []
    for filter_ in rows:
        found += (
            filter_,
            Operation(
                filter_.feature,
                filter_.companion,
                filter_.stage,
                "part",
                1,
                MANY,
                f"The parts that --{filter_.name} is about.",
                "title fulltext",
                companion=filter_.name,
            ),
        )
    return tuple(found)


def command(
    feature: str,
    name: str,
    stage: Stage,
    argument: Argument,
    example: str,
    words: str,
    sentence: str,
    *,
    count: tuple[int, int] = (1, 1),
    metavars: str = "",
) -> Operation:
    """A one-off. `words` is the modern command; its arguments are those of the option."""
    return Operation(
        feature,
        name,
        stage,
        argument,
        *count,
        sentence,
        example,
        metavars=metavars,
        command=tuple(words.split()),
    )
