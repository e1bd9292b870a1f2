"""Who sets Python's garbage collector: programs of ours do, the library does not."""

import subprocess
import sys

from pubweave.runtimes.collecting import MIDDLE, OBJECTS, YOUNG

PROGRAM = """
import gc, sys
from pubweave.cli import main
sys.argv = ["pubweave", "--version"]
try:
    main.main()
except SystemExit:
    print(gc.get_threshold())
"""
LIBRARY = """
import gc
before = gc.get_threshold()
from pubweave import api
from pubweave.runtimes.embedded import opening
print(gc.get_threshold() == before)
"""


def _last_line(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1]


def test_the_command_line_looks_for_cycles_less_often() -> None:
    """A process that is Pubweave's own has thresholds for jobs that make thousands of objects at a time."""
    assert _last_line(PROGRAM) == str((OBJECTS, YOUNG, MIDDLE))


def test_the_library_leaves_the_collector_alone() -> None:
    """Who imports Pubweave keeps the settings of their own process."""
    assert _last_line(LIBRARY) == "True"
