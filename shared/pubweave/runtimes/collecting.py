"""Python's cyclic garbage collector, in processes that are Pubweave's own."""

import gc
from typing import Final

OBJECTS: Final = 5_000
"""So many more objects than before make it look at the young ones; Python's own threshold is 700."""
YOUNG: Final = 20
MIDDLE: Final = 100


def collect_less_often() -> None:
    """Look for cycles a seventh as often as Python does, and hardly ever through everything.

    Hardly any of our objects are in cycles (events, answers and documents never are: counting references frees them),
    but replies make thousands of them at a time, and each look costs the same whether it finds something or not: 3 %
    of a job's processor time. For programs (the command line, workers, benches), never for the library: in a process
    of somebody else's it is theirs to decide.
    """
    gc.set_threshold(OBJECTS, YOUNG, MIDDLE)
