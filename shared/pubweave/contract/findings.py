"""What a resource found: the events of one answer, each with its place in the chain.

All events of an answer share `answer`, the digest that the need's `resource-done` accepts; `position`
in the place orders them. A service never decides about overwriting (P-05): conditions on what is already
there are `marks` that the fold tests.
"""

from typing import Literal

from pubweave.contract.values import Place, Value

Mark = Literal[
    "variant-of-known",  # F-ID-41: found at zenodo.org, the old value stays and takes the better type
    "unless-external",  # F-LNK-04: not if the user supplied this identifier
    "if-empty",  # F-CA-07: only while the list is empty
    "until-better",  # F-CA-09: gives way to a list from elsewhere; of a count: to one of a source without this mark
    "if-better-type",  # F-META-05: only if the type is better than the current one
    "never-final",  # an article without body text: its full text stays below finality (fault 31)
]


class Finding(Value, tag_field="kind", frozen=True, omit_defaults=True):
    """Common to everything found."""

    publication: str
    need: str
    """Id of the need that asked."""
    answer: str
    """Digest of the answer this belongs to."""
    place: Place
    fetched_at: int
    """When the reply was received; no part of the event's identity."""
