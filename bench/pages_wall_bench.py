"""Wall time of a job through all resources against the floor that its universe implies.

    python bench/pages_wall_bench.py [--quick] [--latency-ms MS]

1,000 identifiers of the standard universe (250 with `--quick`) through Europe PMC, PubMed, PMC, doi.org, the pages of 40
publishers and six repositories, Unpaywall, links and PDFs, at 50 ms latency, no rate budgets, one connection per host
(doi.org excepted, F-HOST-04), without a browser. The floor is computed from the universe alone
(tests/simnet/floor.py): full batches, no question twice, every host at work without a pause from the moment its first
question can be known; each host of pages and PDFs is asked once for its robots.txt.

Limit: 1.3 times the floor. On a machine that others use, too, a longer latency shows the same without its processors.
"""

import argparse
import os
import sys

from support import ROOT, SEED, Job, queued_s, run_job, simulated_internet, verdict

sys.path.insert(0, str(ROOT / "tests"))

from simnet.floor import Floor, floor
from simnet.universe import Universe

LATENCY_MS = 50.0
WALL_LIMIT = 1.3
SHOWN = 8


def main() -> int:
    parser = argparse.ArgumentParser(description="Wall time of the whole chain against the floor.")
    parser.add_argument("--quick", action="store_true", help="250 identifiers")
    parser.add_argument(
        "--latency-ms", type=float, default=LATENCY_MS, help=f"of every reply (default {LATENCY_MS:g})"
    )
    given = parser.parse_args()
    count, latency_ms = 250 if given.quick else 1000, given.latency_ms
    universe = Universe(SEED, count)
    bound: Floor = floor(universe, universe.submissions(count), latency_s=latency_ms / 1000)
    with simulated_internet(count, latency_ms) as net:
        net_queued_s = queued_s(net.pid)
        job = run_job(Job(net.ids, count, whole_chain=True), net.environment)
        net_queued_s = queued_s(net.pid) - net_queued_s
    print(f"{count} identifiers through {len(bound.hosts)} hosts, {latency_ms:g} ms: {job.outcomes}")
    slowest = sorted(bound.hosts.items(), key=lambda item: -item[1].wall_s)
    for host, there in slowest[:SHOWN]:
        asked = ", ".join(f"{resource} {number}" for resource, number in there.by_resource.items())
        print(f"  {host:26} {there.wall_s:6.2f} s: {asked}; {there.confirmations} to confirm")
    print(f"  and {len(slowest) - SHOWN} hosts more, at most {slowest[SHOWN][1].wall_s:.2f} s each")
    print(
        f"  floor {bound.wall_s:.2f} s, {bound.requests} requests and {bound.confirmations} confirmations, chains of up to "
        f"{bound.longest_chain} replies; took {job.wall_s:.2f} s, {job.requests} requests, {job.cpu_s:.2f} s of CPU, "
        f"{job.connections} connections opened"
    )
    print(
        f"  the machine: load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors; for {job.queued_s:.2f} s the job, and for "
        f"{net_queued_s:.2f} s the simulated internet, could have run but others had the processors"
    )
    return 0 if verdict("wall / floor", job.wall_s / bound.wall_s, WALL_LIMIT) else 1


if __name__ == "__main__":
    sys.exit(main())
