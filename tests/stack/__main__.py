"""`python -m stack up|down|status [kafka] [cassandra]`: the servers for trying things out by hand."""

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from stack.leases import BY_HAND, Lease, obstacle
from stack.servers import NAMES


def up(name: str) -> str:
    address = Lease(name, BY_HAND).take()
    return f"{name:10} {address}   export PUBWEAVE_{name.upper()}={address}"


def down(name: str) -> str:
    lease = Lease(name, BY_HAND)
    stopped = lease.release()
    others = ", ".join(lease.holders())
    if others:
        return f"{name:10} stays: process {others} uses it"
    return f"{name:10} {'stopped' if stopped else 'was not running'}"


def status(name: str) -> str:
    lease = Lease(name)
    address = lease.address()
    return f"{name:10} {address or 'not running'}   used by: {', '.join(lease.holders()) or 'nobody'}"


COMMANDS: dict[str, Any] = {"up": up, "down": down, "status": status}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m stack", description=__doc__)
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("servers", nargs="*", choices=[*NAMES, []], default=[], metavar="SERVER")
    given = parser.parse_args()
    names = given.servers or list(NAMES)
    obstacles = [sentence for name in names if given.command == "up" and (sentence := obstacle(name))]
    if obstacles:
        print(*obstacles, sep="\n", file=sys.stderr)
        return 2
    with ThreadPoolExecutor(len(names)) as pool:
        for line in pool.map(COMMANDS[given.command], names):
            print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
