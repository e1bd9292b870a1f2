"""`python -m pubweave.adapters.cassandra migrate`: make the keyspace, and bring its tables to this release."""

import argparse
import asyncio
import os
import sys

from pubweave.adapters.cassandra.migrations import Phase, migrate
from pubweave.adapters.cassandra.session import CassandraPlace
from pubweave.ports import StorageProblem


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m pubweave.adapters.cassandra", description=__doc__)
    parser.add_argument("command", choices=["migrate"])
    parser.add_argument("--hosts", default=os.environ.get("PUBWEAVE_CASSANDRA", "127.0.0.1:9042"))
    parser.add_argument("--keyspace", default="pubweave")
    parser.add_argument("--local-dc", default="datacenter1")
    parser.add_argument("--copies", type=int, default=1, help="how many the local data centre keeps")
    parser.add_argument("--phase", choices=["pre", "post", "all"], default="all")
    given = parser.parse_args()
    place = CassandraPlace.at(
        given.hosts,
        keyspace=given.keyspace,
        local_dc=given.local_dc,
        replication={given.local_dc: given.copies},
    )
    phases: tuple[Phase, ...] = ("pre", "post") if given.phase == "all" else (given.phase,)
    try:
        done = asyncio.run(migrate(place, phases))
    except StorageProblem as problem:
        print(f"pubweave: {problem}", file=sys.stderr)
        return 1
    print(f"{place.keyspace}: " + (f"ran {', '.join(done)}" if done else "nothing to be done"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
