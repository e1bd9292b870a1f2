from typing import Literal

from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.values import Value


class LineStanding(Value, tag_field="kind", tag="line-standing", frozen=True, omit_defaults=True):
    """Where a line of a job stands: settled, or withheld until all others have outcomes (F-CAN-09)."""

    job: str
    line: int
    publication: str
    said: Literal["settled", "withheld"]
    requested: FetchRequested | None = None
    """Of a withheld line: what enters its publication once more."""
