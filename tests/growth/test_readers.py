"""No reader costs more than in proportion to what it reads, whatever stands in it."""

from functools import partial

import pytest

from growth import attacks, readers
from growth.measuring import growth

SIZE = 6_000
BEYOND = 300_000


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", readers.READERS)
def test_cost_is_in_proportion(name: str) -> None:
    """Four times the text costs at most eight times as much, for each hostile text in each place."""
    for reader, before, again, after in readers.cases():
        if reader == name:
            measured = growth(partial(readers.run, name), partial(attacks.text, (before, again, after)), SIZE)
            if (
                not measured.is_bounded
            ):  # nesting costs a parser by its square, up to the depth at which a page is cut
                measured = growth(
                    partial(readers.run, name), partial(attacks.text, (before, again, after)), BEYOND
                )
            assert measured.is_bounded, f"{before!r} + n * {again!r} + {after!r}: {measured}"
