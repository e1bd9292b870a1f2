"""Peak memory of a job of 20,000 identifiers against one of 1,000.

    python bench/pipeline_memory_bench.py [--quick]

The embedded system in a process of its own, on a SQLite file on disk, with the usual number of publications under
way; replies without latency, four connections per host. Peak is VmHWM, which Linux keeps. `--quick` stops at 5,000.

Limit: the peak grows by less than 20 %.
"""

import argparse
import sys

from support import Job, Measured, run_job, simulated_internet, verdict

LIMIT = 1.2


def main() -> int:
    parser = argparse.ArgumentParser(description="Peak memory of long jobs.")
    parser.add_argument("--quick", action="store_true", help="up to 5,000 identifiers")
    given = parser.parse_args()
    counts = (1000, 5000) if given.quick else (1000, 5000, 20_000)
    jobs: list[Measured] = []
    with simulated_internet(counts[-1], 0) as net:
        for count in counts:
            job = run_job(Job(net.ids, count, connections_per_host=4), net.environment)
            jobs.append(job)
            print(
                f"{count:6} identifiers: peak {job.peak_kib / 1024:6.1f} MiB, of which {job.started_kib / 1024:.1f} MiB "
                f"before the first; {job.wall_s:.0f} s, {job.cpu_s:.0f} s of CPU",
                flush=True,
            )
    return (
        0
        if verdict("peak of the longest / of the shortest", jobs[-1].peak_kib / jobs[0].peak_kib, LIMIT)
        else 1
    )


if __name__ == "__main__":
    sys.exit(main())
