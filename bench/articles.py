"""How fast articles are found, against a plain loop and bare regex searches in the same run.

    python bench/articles.py              1 million URLs in memory: ≥ 2 × the reference loop
    python bench/articles.py --disk       10 million URLs on disk: ≥ 0.7 × the loop's rate, < 500 MB
    python bench/articles.py --urls 100000 [--disk]      a smaller run

The reference loop (articles_reference.py) must itself reach 0.025 × one compiled search per URL. Every part
runs in a process of its own, several times in turn; the best of each counts, because other work on the machine
only ever adds to it. For the same reason all is measured in seconds of processor time, for the run on disk of all
its processes together; what the clock said is printed beside it. Figures and verdicts are printed; the exit
status is 1 if a bound is missed.

What limits the run on disk is the computing, not the disk: of about 3.5 µs a URL a third is reading and sorting, a
quarter merging and filling the table of fingerprints, the rest walking; there the questions to that table cost as
much as all else together.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import articles_reference as plain

MEMORY_BOUND_MB = 500
WANTED = {"memory": 2.0, "disk": 0.7, "loop": 0.025}

PLUGIN = """\
name: bench
params: {{base_url: Url}}
root_template: '"%s", base_url'
pattern: '{pattern}'
aspects:
{aspects}
full_text_from_roles: [{order}]
role_from_other_roles:
{others}
"""


def plugin_text() -> str:
    """The reference's definition as a plugin file."""
    aspects = ""
    for patterns, replacements, roles in plain.ASPECTS:
        lines = [f"patterns: ['{patterns[0]}']"] if patterns else []
        lines += [f"replacements: ['{replacements[0]}']", f"roles: [{roles[0]}]"]
        aspects += "  - " + "\n    ".join(lines) + "\n"
    others = "\n".join(f"  {role}: [{', '.join(other)}]" for role, other in plain.ROLE_FROM_OTHERS.items())

    return PLUGIN.format(
        pattern=plain.PATTERN, aspects=aspects.rstrip(), order=", ".join(plain.FULL_TEXT_ORDER), others=others
    )


def part_search() -> Callable[[list[str]], int]:
    search = re.compile(plain.PATTERN).search

    return lambda urls: sum(1 for url in urls if search(url))


def part_loop() -> Callable[[list[str]], int]:
    return lambda urls: len(plain.reference(urls))


def part_ours() -> Callable[[list[str]], int]:
    from pubweave.articles.iterator.compiled import CompiledWalk
    from pubweave.articles.iterator.order import UnitInMemory
    from pubweave.articles.plugins import read_plugin

    walk = CompiledWalk(read_plugin(plugin_text(), "bench").definition({"base_url": plain.ROOT}))

    return lambda urls: len(list(walk.in_memory(UnitInMemory.of_urls(urls))))


def run_part(name: str, count: int) -> None:
    """In a child: run one part and print its seconds and its answer. Loading modules and plugin is not counted."""
    urls = list(plain.urls(count))
    part = {"search": part_search, "loop": part_loop, "ours": part_ours}[name]()
    start = time.process_time()
    answer = part(urls)
    print(json.dumps({"s": time.process_time() - start, "answer": answer}))


def run_disk(folder: Path, workers: int) -> None:
    """In a child: the whole way from a file of URLs to a file of articles, as the command does it."""
    from pubweave.articles.cli import articles

    (folder / "plugin.yaml").write_text(plugin_text())
    start = time.perf_counter()
    articles.main(
        [
            "run",
            str(folder / "plugin.yaml"),
            "--urls",
            str(folder / "urls"),
            "--base-url",
            plain.ROOT,
            "--out",
            str(folder / "articles"),
            "--workers",
            str(workers),
            "--quiet",
        ],
        standalone_mode=False,
    )
    wall_s = time.perf_counter() - start
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    seconds = sum(each.ru_utime + each.ru_stime for each in used)
    peak = max(each.ru_maxrss for each in used)
    with (folder / "articles").open("rb") as file:
        answer = sum(1 for _ in file)
    print(json.dumps({"s": seconds, "wall_s": wall_s, "answer": answer, "mb": peak / 1024}))


def child(*arguments: str) -> dict[str, float]:
    done = subprocess.run([sys.executable, __file__, *arguments], capture_output=True, text=True, check=True)

    return {key: float(value) for key, value in json.loads(done.stdout.splitlines()[-1]).items()}


def best(rounds: int, count: int) -> dict[str, dict[str, float]]:
    """The best of several rounds of search, loop and ours, in turn."""
    found: dict[str, dict[str, float]] = {}
    for _ in range(rounds):
        for name in ("search", "loop", "ours"):
            made = child("--part", name, "--urls", str(count))
            if name not in found or made["s"] < found[name]["s"]:
                found[name] = made
    assert found["loop"]["answer"] == found["ours"]["answer"], "the reference and the product differ"

    return found


def verdict(what: str, value: float, wanted: float, more: bool = True) -> bool:
    good = value >= wanted if more else value < wanted
    print(
        f"{'good' if good else 'MISSED'}: {what} {value:.3g} ({'at least' if more else 'below'} {wanted:g})"
    )

    return good


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--urls", type=int)
    parser.add_argument("--disk", action="store_true")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--part")
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    if given.part == "disk":
        run_disk(given.folder, given.workers)
        return 0
    if given.part is not None:
        run_part(given.part, given.urls)
        return 0
    count = given.urls or 1_000_000
    in_memory = min(count, 1_000_000)
    parts = best(given.rounds, in_memory)
    for name, made in parts.items():
        print(f"{name:7} {in_memory / made['s']:12,.0f} URLs/s in memory")
    good = verdict("loop / bare search", parts["search"]["s"] / parts["loop"]["s"], WANTED["loop"])
    good &= verdict("ours / loop", parts["loop"]["s"] / parts["ours"]["s"], WANTED["memory"])
    if given.disk:
        on_disk = given.urls or 10_000_000
        with tempfile.TemporaryDirectory(prefix="bench-articles-") as name:
            folder = Path(name)
            with (folder / "urls").open("w") as file:
                for url in plain.urls(on_disk):
                    file.write(url + "\n")
            made = child("--part", "disk", "--folder", name, "--workers", str(given.workers))
        rate, loop_rate = on_disk / made["s"], in_memory / parts["loop"]["s"]
        clock = on_disk / made["wall_s"]
        print(f"on disk {rate:12,.0f} URLs/s, by the clock {clock:,.0f}; {made['answer']:,.0f} articles")
        good &= verdict("on disk / loop", rate / loop_rate, WANTED["disk"])
        good &= verdict("MB at the most", made["mb"], MEMORY_BOUND_MB, more=False)

    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
