"""The simulated internet for other containers: `internet.py SIZE FOLDER`.

It listens on the loopback interface; what comes in at port 8888 is handed on to it. FOLDER gets `ca.pem`, and
`ids.txt` with an identifier for each publication, when it is ready.
"""

import asyncio
import signal
import sys
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from simnet.facts import lines
from simnet.fixture import Running, running
from simnet.universe import Universe

PORT = 8888


async def hand_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while piece := await reader.read(65536):
            writer.write(piece)
            await writer.drain()
    writer.close()


async def relay(net: Running, folder: Path) -> None:
    target = urlsplit(net.proxy_url)

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inner_reader, inner_writer = await asyncio.open_connection(target.hostname, target.port)
        await asyncio.gather(hand_on(reader, inner_writer), hand_on(inner_reader, writer))

    server = await asyncio.start_server(connected, "0.0.0.0", PORT)
    (folder / "ids.txt").write_text(lines(net.universe.submissions()), encoding="utf-8")
    (folder / "ca.pem").write_bytes(net.ca_file.read_bytes())
    print("ready", flush=True)
    told = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, told.set)
    async with server:
        await told.wait()


if __name__ == "__main__":
    size, folder = int(sys.argv[1]), Path(sys.argv[2])
    with running(Universe(seed=1, size=size)) as net:
        asyncio.run(relay(net, folder))
