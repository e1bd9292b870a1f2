"""What it costs to ask the program for help, against a Python that does nothing, in one run.

    python bench/cli_bench.py

`pubweave --help` and `python -c pass` by turns, twenty times each, user and system time of the process (medians). Limit:
8 times. Commands are imported when they are called, so help imports click and little else.
"""

import os
import subprocess
import sys
from pathlib import Path
from statistics import median

from support import verdict

LIMIT = 8.0
ROUNDS = 20
PROGRAM = Path(sys.executable).with_name("pubweave")


def cpu_s(command: list[str]) -> float:
    """User and system time of a process."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{command} failed ({process.returncode})")
    return used.ru_utime + used.ru_stime


def main() -> int:
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "pubweave --help": [str(PROGRAM), "--help"],
        "pubweave fetch --help": [str(PROGRAM), "fetch", "--help"],
        "pubweave id is-pmid 1": [str(PROGRAM), "id", "is-pmid", "1"],
    }
    took: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(ROUNDS):
        for name, command in commands.items():
            took[name].append(cpu_s(command))
    for name, seconds in took.items():
        print(
            f"{name:24} {1000 * median(seconds):6.1f} ms CPU ({1000 * min(seconds):.1f}–{1000 * max(seconds):.1f})"
        )
    ratio = median(took["pubweave --help"]) / median(took["python -c pass"])
    return 0 if verdict("pubweave --help / python -c pass", ratio, LIMIT) else 1


if __name__ == "__main__":
    sys.exit(main())
