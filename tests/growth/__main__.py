"""`python -m growth [WORD]` (in tests/): how the cost of each expression grows, as a table; those whose place holds WORD."""

import sys

from growth.patterns import found
from growth.test_patterns import worst


def main() -> None:
    """Measure and print, the dearest text of each."""
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    bad = 0
    for one in found()[0]:
        if wanted in one.place:
            measured, (before, again, after) = worst(one)
            bad += not measured.is_bounded
            text = f"  {before!r} + n * {again!r} + {after!r}" if measured.large_s else ""
            print(f"{measured} {'ok ' if measured.is_bounded else 'BAD'} {one.place}{text}", flush=True)
    print(f"{bad} cost more than in proportion")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
