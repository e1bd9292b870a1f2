"""What it costs to read pages and full texts in processes beside the main one, against reading them in it.

    python bench/readers_bench.py [--quick] [--rounds N]

1,000 identifiers of the standard universe (250 with `--quick`) through all resources without a browser, replies without
latency; the job runs with everything read in the main process, then with one process beside it, in turns, so that both
meet the same machine. Counted is the processor time of all processes (PDFs are read in one of their own either way).

Limits: 1.05 times the processor time of all processes; 0.6 times that of the main process; 80 MB of proportional memory
(PSS) for each process that reads.
"""

import argparse
import sys
from statistics import median

from support import Job, Measured, run_job, simulated_internet, verdict

TOTAL_LIMIT, MAIN_LIMIT, PSS_LIMIT_MB = 1.05, 0.6, 80.0


def main() -> int:
    parser = argparse.ArgumentParser(description="Reading beside the main process against reading in it.")
    parser.add_argument("--quick", action="store_true", help="250 identifiers")
    parser.add_argument("--rounds", type=int, default=3, help="how often each runs (default 3)")
    given = parser.parse_args()
    count = 250 if given.quick else 1000
    runs: dict[int, list[Measured]] = {0: [], 1: []}
    for _ in range(given.rounds):
        for readers, measured in runs.items():
            # a new one each time: it remembers what it was asked
            with simulated_internet(count, 0) as net:
                measured.append(
                    run_job(Job(net.ids, count, whole_chain=True, readers=readers), net.environment)
                )
            last = measured[-1]
            print(
                f"{readers} beside: {last.wall_s:.1f} s, {last.cpu_s:.2f} s of CPU, {last.main_cpu_s:.2f} s of it the main "
                f"process, peak {last.peak_kib / 1024:.0f} MB, {last.outcomes}",
                flush=True,
            )
    here, beside = runs[0], runs[1]
    total = median(one.cpu_s for one in beside) / median(one.cpu_s for one in here)
    main_ = median(one.main_cpu_s for one in beside) / median(one.main_cpu_s for one in here)
    pss_mb = max((kib / 1024 for one in beside for kib in one.readers_pss_kib), default=0.0)
    holds = [
        verdict("CPU of all processes, beside / here", total, TOTAL_LIMIT),
        verdict("CPU of the main process, beside / here", main_, MAIN_LIMIT),
        verdict("PSS of a process that reads", pss_mb, PSS_LIMIT_MB, "MB"),
    ]
    return 0 if all(holds) else 1


if __name__ == "__main__":
    sys.exit(main())
