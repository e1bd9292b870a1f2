"""How fast the simulated internet answers: `PYTHONPATH=tests python -m simnet.speed` prints replies per second of its CPU.

The server runs in a process of its own, so its CPU time is its alone; the limit it is meant to keep is 1,500 small
replies a second of one core.
"""

import asyncio
import ssl
import time
from pathlib import Path

import aiohttp

from simnet.fixture import Process, process
from simnet.universe import Universe

_TICKS = 100
SIZE = 2000


def _cpu_s(pid: int) -> float:
    """User and system seconds of a process (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


async def _ask_all(net: Process, urls: list[str], connections: int) -> None:
    context = ssl.create_default_context(cafile=str(net.ca_file))
    queue = iter(urls)
    connector = aiohttp.TCPConnector(ssl=context, limit=connections)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def worker() -> None:
            for url in queue:
                async with session.get(url, proxy=net.proxy_url, allow_redirects=False) as reply:
                    await reply.read()

        await asyncio.gather(*(worker() for _ in range(connections)))


def main() -> None:
    universe = Universe(1, SIZE)
    ebi = "https://www.ebi.ac.uk/europepmc/webservices/rest"
    pmids = [p.ids.pmid for p in universe if p.ids.pmid]
    cases = {
        "doi.org redirects": [
            f"https://doi.org/{p.ids.doi}" for p in universe if p.ids.doi and "(" not in p.ids.doi
        ]
        * 3,
        "Europe PMC searches, one identifier": [
            f"{ebi}/search?query=ext_id:{pmid}&resultType=core" for pmid in pmids
        ]
        * 2,
        "PubMed pages": [f"https://www.ncbi.nlm.nih.gov/pubmed/?term={pmid}" for pmid in pmids],
        "full texts (68 KB)": [f"{ebi}/{p.ids.pmcid}/fullTextXML" for p in universe if p.europepmc_fulltext],
    }
    for name, urls in cases.items():
        with process("--size", str(SIZE)) as net:
            before, start = _cpu_s(net.pid), time.perf_counter()
            asyncio.run(_ask_all(net, urls, 16))
            wall, cpu = time.perf_counter() - start, _cpu_s(net.pid) - before
            print(
                f"{name:40s} {len(urls):6d} replies  {len(urls) / cpu:8.0f} per CPU second  {len(urls) / wall:8.0f} per second"
            )


if __name__ == "__main__":
    main()
