"""Wall time and requests of a whole job against the floor that its universe implies.

    python bench/pipeline_wall_bench.py [--quick]

2,000 identifiers of the standard universe (500 with `--quick`) at 50 ms latency, no rate budgets; with one connection
per host, then with four. The floor is computed from the universe alone (tests/simnet/floor.py): full batches, no
question twice, every host at work without a pause from the moment its first question can be known. Its requests
include what it costs to confirm that a batch did not find an identifier (in halves, then alone) before it is called
absent; both counts are printed.

Limits: wall 1.3 times the floor; requests 1.15 times the fewest.
"""

import argparse
import sys

from support import ROOT, SEED, Job, queued_s, run_job, simulated_internet, verdict

sys.path.insert(0, str(ROOT / "tests"))

from simnet.chain import API
from simnet.floor import Floor, floor
from simnet.universe import Universe

LATENCY_S = 0.05
WALL_LIMIT = 1.3
REQUESTS_LIMIT = 1.15


def measure(universe: Universe, count: int, connections: int) -> bool:
    """One job beside its floor; True if both limits hold."""
    bound: Floor = floor(
        universe,
        universe.submissions(count),
        latency_s=LATENCY_S,
        connections_per_host=connections,
        resources=API,
    )
    with simulated_internet(count, 1000 * LATENCY_S) as net:
        net_queued_s = queued_s(net.pid)
        job = run_job(Job(net.ids, count, connections_per_host=connections), net.environment)
        net_queued_s = queued_s(net.pid) - net_queued_s
    least = bound.requests + bound.confirmations
    print(
        f"\n{count} identifiers, {1000 * LATENCY_S:g} ms, {connections} connection(s) per host: {job.outcomes}"
    )
    for host, there in sorted(bound.hosts.items()):
        asked = ", ".join(f"{resource} {number}" for resource, number in there.by_resource.items())
        print(f"  {host:26} {there.wall_s:6.2f} s: {asked}; {there.confirmations} to confirm")
    print(
        f"  floor {bound.wall_s:.2f} s, {bound.requests} requests and {bound.confirmations} confirmations; "
        f"took {job.wall_s:.2f} s, {job.requests} requests ({job.requests / bound.requests:.2f} times those without "
        f"confirmations), {job.cpu_s:.2f} s of CPU, {job.connections} connections opened"
    )
    print(
        f"  the machine: for {job.queued_s:.2f} s the job, and for {net_queued_s:.2f} s the simulated internet, could "
        "have run but others had the processors"
    )
    holds = verdict("wall / floor", job.wall_s / bound.wall_s, WALL_LIMIT)
    return verdict("requests / fewest", job.requests / least, REQUESTS_LIMIT) and holds


def main() -> int:
    parser = argparse.ArgumentParser(description="Wall time and requests against the floor.")
    parser.add_argument("--quick", action="store_true", help="500 identifiers")
    given = parser.parse_args()
    count = 500 if given.quick else 2000
    universe = Universe(SEED, count)
    held = [measure(universe, count, connections) for connections in (1, 4)]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
