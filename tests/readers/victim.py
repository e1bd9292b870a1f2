"""A job that hangs in a page, in a process that a test can interrupt: `python -m readers.victim`.

Says the number of the process that reads as soon as it is at the page that hangs, and `over` when it has closed everything.
"""

import asyncio

from pubweave.cli.interrupting import run_until_told
from pubweave.runtimes.readers.pool import Readers
from pubweave.runtimes.readers.settings import ReadersSettings
from readers.test_harm import LINES, internet, system_over


async def main() -> None:
    settings = ReadersSettings(workers=1, cpu_s=600, deadline_s=600)
    async with Readers(settings) as readers, system_over(internet("loop"), readers) as system:
        told = asyncio.create_task(tell(readers))
        async for _ in system.run_job(LINES[1:2]):
            pass
        await told


async def tell(readers: Readers) -> None:
    while not (busy := readers.reading()):  # noqa: ASYNC110  # nobody tells
        await asyncio.sleep(0.05)
    print(*busy, flush=True)


if __name__ == "__main__":
    try:
        run_until_told(main())
    finally:
        print("over", flush=True)
