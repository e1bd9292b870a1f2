"""`python -m simnet`: the simulated internet as a process. `--help` lists what it takes."""

import argparse
import asyncio
import contextlib
import json
import os
import shutil
import signal
import tempfile
from pathlib import Path

from simnet import faults
from simnet.chain import web_examples
from simnet.facts import lines
from simnet.server import Settings, Simnet, new_loop
from simnet.universe import Universe

PARENT_WATCH_S = 1.0
FEW = 6
"""So many examples have room for some that need publishers' pages."""


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="simnet", description="The simulated internet of Pubweave: one HTTP proxy."
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the universe (default 1)")
    parser.add_argument("--size", type=int, default=2000, help="publications in the universe (default 2000)")
    parser.add_argument(
        "--latency-ms", type=float, default=0.0, help="time of every reply in milliseconds (default 0)"
    )
    parser.add_argument(
        "--host-latency-ms",
        action="append",
        default=[],
        metavar="HOST=MS",
        help="the same for one host; may be repeated",
    )
    parser.add_argument(
        "--jitter", type=float, default=0.0, help="latency varies by up to this share (default 0)"
    )
    parser.add_argument(
        "--jitter-seed", type=int, default=0, help="another seed, other latencies (default 0)"
    )
    parser.add_argument(
        "--fault", action="append", default=[], metavar="KIND[@WHERE][=P][;heals_after=N]",
        help=f"a fault; may be repeated. Kinds: {', '.join(faults.KINDS)}",
    )  # fmt: skip
    parser.add_argument("--faults-seed", type=int, default=0, help="seed of the faults (default 0)")
    parser.add_argument("--compress", action="store_true", help="gzip replies for clients that accept it")
    parser.add_argument("--port", type=int, default=0, help="proxy port (default: a free one)")
    parser.add_argument("--control-port", type=int, default=0, help="control port (default: a free one)")
    parser.add_argument(
        "--ready-file", type=Path, help="written when it listens: JSON with proxy, control, ca, ids_file, ids"
    )
    parser.add_argument(
        "--examples", type=int, default=12, help="how many example identifiers to print (default 12)"
    )
    parser.add_argument(
        "--parent", type=int, default=0, help="quit when this process is gone (default: the parent)"
    )
    return parser


async def main(given: argparse.Namespace) -> None:
    settings = Settings(
        latency_s=given.latency_ms / 1000,
        latency_of={
            host.lower().removeprefix("www."): float(ms) / 1000
            for host, _, ms in (one.partition("=") for one in given.host_latency_ms)
        },
        jitter=given.jitter,
        jitter_seed=given.jitter_seed,
        faults=[faults.parse(one) for one in given.fault],
        faults_seed=given.faults_seed,
        compress=given.compress,
    )
    net = Simnet(Universe(given.seed, given.size), settings)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    await net.start(given.port, given.control_port)
    folder = Path(tempfile.mkdtemp(prefix="simnet-"))
    try:
        ca, ids_file = folder / "ca.pem", folder / "ids.tsv"
        ca.write_bytes(net.authority.pem)
        ids_file.write_text(lines(net.universe.submissions()), encoding="utf-8")
        on_the_web = web_examples(net.universe) if given.examples >= FEW else []
        examples = [*net.universe.examples(given.examples - len(on_the_web)), *on_the_web]
        told = {
            "proxy": net.proxy_url,
            "control": net.control_url,
            "ca": str(ca),
            "ids_file": str(ids_file),
            "ids": examples,
            "pid": os.getpid(),
            "environment": {
                "HTTP_PROXY": net.proxy_url,
                "HTTPS_PROXY": net.proxy_url,
                "SSL_CERT_FILE": str(ca),
            },
        }
        if given.ready_file:
            part = given.ready_file.with_suffix(".part")
            part.write_text(json.dumps(told, indent=1))
            part.replace(given.ready_file)
        with contextlib.suppress(BrokenPipeError):  # whoever started it may not listen
            print(f"ready: proxy {net.proxy_url}, control {net.control_url}, CA {ca}", flush=True)
            print("\n".join(examples), flush=True)
        await _until_stopped(stop, given.parent)
        await net.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def _until_stopped(stop: asyncio.Event, parent: int) -> None:
    """Until a signal, or until the process `parent` (0: the one that started this one) is gone."""
    started_by = os.getppid()
    while not stop.is_set():
        try:
            await asyncio.wait_for(stop.wait(), PARENT_WATCH_S)
        except TimeoutError:
            gone = os.getppid() != started_by if parent in (0, started_by) else not _exists(parent)
            if gone:
                return


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(main(arguments().parse_args()))
