"""What is said when a selector cannot be read."""

from __future__ import annotations


class SelectorError(ValueError):
    """The selector is wrong; nothing was compiled.

    `selector` is the whole text, `position` the place in it (characters from 0), `reason` the sentence.
    """

    def __init__(self, selector: str, position: int, reason: str) -> None:
        self.selector = selector
        self.position = position
        self.reason = reason
        super().__init__(f"{reason} at position {position} of selector {selector!r}")
