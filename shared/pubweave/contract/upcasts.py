"""Old shapes of events, made readable: each step turns one version of one kind into the next.

A step takes the JSON object of version n (as Python values) and gives that of version n + 1. It is pure,
is never edited once released, and has an example of the old version under examples/. No code can make an
old shape: only the newest has a Struct.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

Upcast: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]

UPCASTS: Final[Mapping[tuple[str, int], Upcast]] = {}
"""By kind and the version that the step starts from. None yet: every kind is still at version 1."""


def chain(upcasts: Mapping[tuple[str, int], Upcast], kind: str, version: int, newest: int) -> list[Upcast]:
    """The steps that lead from `version` to `newest`, in order.

    :raises LookupError: a step is missing
    """
    steps = []
    for start in range(version, newest):
        step = upcasts.get((kind, start))
        if step is None:
            raise LookupError(f"there is no way from version {start} to {start + 1}")
        steps.append(step)
    return steps
