"""How fast JATS becomes documents, as a share of the bare lxml parse of the same bytes in the same run.

    python bench/jats.py [--rounds N] [--peers DIR] [--workers N] [--profile]

Every reader reads all files in turn, round after round; its time for a file is its best round, so that a busy machine
disturbs all alike and no reader works in the caches that another left. `documented`: everything of the specification's document, the law of conservation
checked, JSON in ASCII. `everything`: the additional fields too. `plain`: what the resources europepmc_fulltext and pmc
read. The floor is `all text`: lxml parse and itertext, nothing made of it.

Targets: documented ≥ 0.22 x bare parse and ≥ 3 x pubmed_parser (all its functions; `--peers DIR` names a folder made by
`pip install --no-deps --target DIR pubmed_parser unidecode six requests numpy charset-normalizer idna certifi urllib3`).

The recorded articles are in ../shared/data (or PUBWEAVE_SHARED_DATA).
"""

from __future__ import annotations

import argparse
import contextlib
import cProfile
import importlib
import io
import os
import pstats
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from lxml import etree

from pubweave.core.reading.jats.plain import articles, parse_xml, read_plain
from pubweave.core.reading.jats.read import read_document
from pubweave.jats.encoding import ascii_json
from pubweave.jats.parsing import parse_files

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("PUBWEAVE_SHARED_DATA") or ROOT.parent / "shared" / "data") / "europepmc-fulltext"
PUBMED_PARSER = (
    "parse_pubmed_xml", "parse_pubmed_paragraph", "parse_pubmed_references", "parse_pubmed_caption", "parse_pubmed_table",
)  # fmt: skip

Reader = Callable[[bytes], object]


def bare(data: bytes) -> object:
    return etree.fromstring(
        data, etree.XMLParser(load_dtd=False, no_network=True, resolve_entities=False, recover=True)
    )


def all_text(data: bytes) -> object:
    root = etree.fromstring(
        data, etree.XMLParser(load_dtd=False, no_network=True, resolve_entities=False, recover=True)
    )
    return "".join(map(str, root.itertext()))


def documented(data: bytes) -> object:
    return [ascii_json(read_document(article, extras=False)) for article in articles(parse_xml(data))]


def everything(data: bytes) -> object:
    return [ascii_json(read_document(article)) for article in articles(parse_xml(data))]


def plain(data: bytes) -> object:
    return [read_plain(article) for article in articles(parse_xml(data))]


def pubmed_parser(folder: Path) -> Reader:
    """All its functions on one file; what it cannot read counts as read, in the time it took."""
    sys.path.insert(0, str(folder))
    peer = importlib.import_module("pubmed_parser")
    place = Path(tempfile.mkdtemp()) / "article.nxml"

    def read(data: bytes) -> object:
        place.write_bytes(data)
        for name in PUBMED_PARSER:
            with contextlib.suppress(Exception), contextlib.redirect_stdout(io.StringIO()):
                getattr(peer, name)(str(place))
        return None

    return read


def measure(readers: dict[str, Reader], files: list[bytes], rounds: int) -> dict[str, float]:
    best = {name: [float("inf")] * len(files) for name in readers}
    for _ in range(rounds):
        for name, reader in readers.items():
            for number, data in enumerate(files):
                start = time.process_time()
                reader(data)
                best[name][number] = min(best[name][number], time.process_time() - start)
    return {name: sum(times) for name, times in best.items()}


def scaling(files: list[Path], workers: int) -> None:
    """Work of the command with one worker and with several: wall, CPU of all processes together, peak memory of one.

    On a machine that others use too, only the CPU tells: what side by side costs beyond one after the other.
    """
    many = [path for path in files for _ in range(4)]
    measured: dict[int, tuple[float, float]] = {}
    for count in dict.fromkeys((1, workers)):
        with tempfile.TemporaryDirectory() as out:
            start, before = time.perf_counter(), os.times()
            for _ in parse_files(many, Path(out), workers=count):
                pass
            after = os.times()
            measured[count] = (time.perf_counter() - start, sum(after[:4]) - sum(before[:4]))
    largest = max(path.stat().st_size for path in files)
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    for count, (wall, cpu) in measured.items():
        print(
            f"  {count} worker(s)   {len(many) / wall:8.0f} files/s wall   {1000 * cpu / len(many):6.1f} ms CPU a file   "
            f"wall {measured[1][0] / wall:4.2f} x, CPU {cpu / measured[1][1]:4.2f} x of one worker"
        )
    print(f"  peak memory of one process {peak / 1024:.0f} MB (largest file {largest / 1e6:.2f} MB)")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--peers", type=Path, help="folder with pubmed_parser and what it needs")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    if not DATA.is_dir():
        sys.exit(f"the recorded articles are not at {DATA}; set PUBWEAVE_SHARED_DATA to their folder")
    paths = [path for path in sorted(DATA.glob("*.xml")) if articles(parse_xml(path.read_bytes()))]
    files = [path.read_bytes() for path in paths]
    if options.profile:
        profile = cProfile.Profile(builtins=False)
        profile.enable()
        for data in files:
            documented(data)
        profile.disable()
        pstats.Stats(profile).sort_stats("tottime").print_stats(25)
        return
    readers: dict[str, Reader] = {
        "bare parse": bare, "all text": all_text, "plain": plain, "documented": documented, "everything": everything,
    }  # fmt: skip
    if options.peers:
        readers["pubmed_parser"] = pubmed_parser(options.peers)
    times = measure(readers, files, options.rounds)
    size = sum(map(len, files))
    print(f"{len(files)} files, {size / 1e6:.1f} MB, best of {options.rounds} rounds each")
    for name, seconds in times.items():
        share = times["bare parse"] / seconds
        print(
            f"  {name:15} {len(files) / seconds:8.0f} files/s {size / seconds / 1e6:7.1f} MB/s   {share:6.3f} x bare parse"
        )
    if "pubmed_parser" in times:
        print(f"  documented = {times['pubmed_parser'] / times['documented']:.1f} x pubmed_parser (target 3)")
    print(f"  documented = {times['bare parse'] / times['documented']:.3f} x bare parse (target 0.22)")
    scaling(paths, options.workers)


if __name__ == "__main__":
    main()
