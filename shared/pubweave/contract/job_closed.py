from pubweave.contract.values import Value


class JobClosed(Value, tag_field="kind", tag="job-closed", frozen=True, omit_defaults=True):
    """A job was read to its end: it has that many lines, and no more will come."""

    job: str
    lines: int
