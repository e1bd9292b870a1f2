"""Files over FTP (T-023, F-EXC-01, F-PDF-08): like any other, with the same limits and outcomes."""

import asyncio
from pathlib import Path

import pytest

from pubweave.adapters.memory import MemoryStore
from pubweave.doors.fetcher.ftp import BadPath, path_of
from services.doors.fetcher.ftp_server import FtpServer
from services.doors.fetcher.loopback import Fetch, OpenFetcher, Server, reply_bytes, says, wanted

pytestmark = pytest.mark.network

PDF = b"%PDF-1.4\r\n\xff\x00" + b"x" * 100_000
FILES = {"a/b c.pdf": PDF}


async def test_a_file_is_brought(fetch: Fetch) -> None:
    """Anonymous, binary, by its path; no status, an address where it came from (F-WEB-04)."""
    async with FtpServer(FILES).running() as server:
        reply = await fetch(f"{server.url}/a/b%20c.pdf", expect="pdf")

    assert (reply.outcome, reply.body) == ("found", PDF)
    assert (reply.status, reply.final_url, reply.content_type) == (
        0,
        f"{server.url}/a/b%20c.pdf",
        "application/pdf",
    )
    assert server.heard[:6] == [
        "USER anonymous",
        "PASS anonymous@",
        "TYPE I",
        "SIZE a/b c.pdf",
        "EPSV",
        "RETR a/b c.pdf",
    ]


async def test_a_file_where_a_page_was_asked_for_is_a_pdf_instead(fetch: Fetch) -> None:
    """F-EXC-05: the asker tries it as PDF."""
    async with FtpServer(FILES).running() as server:
        reply = await fetch(f"{server.url}/a/b%20c.pdf", expect="html")

    assert reply.outcome == "wrong-type"


async def test_an_old_server_is_understood(fetch: Fetch) -> None:
    """Without SIZE and EPSV; the address that PASV tells is not believed."""
    old = FtpServer(
        FILES, {"EPSV": "500 what", "SIZE": "500 what", "USER": "230 come in"}, "120 soon\r\n220 now"
    )
    async with old.running() as server:
        reply = await fetch(f"{server.url}/a/b%20c.pdf", expect="pdf")

    assert (reply.outcome, reply.body) == ("found", PDF)


@pytest.mark.parametrize(
    ("server", "outcome", "evidence"),
    [
        pytest.param(FtpServer(), "absent", "FTP 550 No such file", id="no such file"),
        pytest.param(FtpServer(FILES, {"USER": "530 no"}), "blocked", "FTP 530 no", id="no user is wanted"),
        pytest.param(FtpServer(FILES, {"PASS": "530 no"}), "blocked", "FTP 530 no", id="nor a password"),
        pytest.param(FtpServer(FILES, greeting="421 full"), "unavailable", "FTP 421 full", id="full"),
        pytest.param(FtpServer(FILES, {"SIZE": "421 bye"}), "unavailable", "FTP 421 bye", id="sent away"),
        pytest.param(FtpServer(FILES, {"RETR": "450 busy"}), "unavailable", "FTP 450 busy", id="busy"),
        pytest.param(FtpServer(FILES, {"TYPE": "504 no"}), "http-error", "FTP 504 no", id="not binary"),
        pytest.param(FtpServer(FILES, {"EPSV": "229 go"}), "malformed", "no port in 'go'", id="no port"),
        pytest.param(FtpServer(FILES, {"EPSV": "229 (|||99999|)"}), "malformed", "no port", id="an odd port"),
        pytest.param(
            FtpServer(FILES, {"EPSV": "229 (|||1|)"}), "refused", "", id="a port where nobody listens"
        ),
        pytest.param(FtpServer(FILES, greeting="SSH-2.0-OpenSSH"), "malformed", "not FTP", id="not FTP"),
        pytest.param(FtpServer(FILES, greeting="2" * 9_000), "malformed", "not FTP", id="an endless line"),
        pytest.param(
            FtpServer(FILES, greeting="220-x\r\n" * 900), "malformed", "not FTP", id="endless lines"
        ),
        pytest.param(FtpServer(FILES, ends_after=10), "reset", "after 10 bytes: FTP 426", id="broken off"),
        pytest.param(FtpServer({"a/b c.pdf": b"<p>log in"}), "wrong-kind", "is no PDF", id="no PDF"),
    ],
)
async def test_what_goes_wrong_has_a_word(
    fetch: Fetch, server: FtpServer, outcome: str, evidence: str
) -> None:
    """The table's, with the server's own code as evidence; nothing raises."""
    async with server.running():
        reply = await fetch(f"{server.url}/a/b%20c.pdf", expect="pdf")

    assert reply.outcome == {"wrong-kind": "malformed"}.get(outcome, outcome)
    assert evidence in reply.evidence
    assert reply.final_url == ("" if outcome not in ("reset", "wrong-kind") else f"{server.url}/a/b%20c.pdf")


@pytest.mark.parametrize("silent", ["USER", "EPSV", "RETR"])
async def test_silence_has_a_limit(fetch: Fetch, silent: str) -> None:
    """At any step; F-PDF-07: a PDF is not asked for twice."""
    async with FtpServer(FILES, {silent: ""}).running() as server:
        reply = await fetch(f"{server.url}/a/b%20c.pdf", expect="pdf", timeout_ms=100)

    assert (reply.outcome, reply.fetch_exception, reply.attempts) == ("timeout", True, 1)


async def test_a_file_that_stops_coming_has_a_limit(fetch: Fetch) -> None:
    """What had come is not taken for the whole."""
    async with FtpServer(FILES, slow=asyncio.Event).running() as server:
        reply = await fetch(f"{server.url}/a/b%20c.pdf", expect="pdf", timeout_ms=100)

    assert (reply.outcome, reply.body) == ("timeout", b"")
    assert "after 100012 bytes" in reply.evidence


@pytest.mark.parametrize("answers", [{}, {"SIZE": "500 what"}])
async def test_a_file_has_a_longest_length(fetch: Fetch, answers: dict[str, str]) -> None:
    """Whether it is announced or not."""
    async with FtpServer(FILES, answers).running() as server:
        reply = await fetch(f"{server.url}/a/b%20c.pdf", expect="pdf", max_bytes=1_000)

    assert (reply.outcome, reply.body) == ("too-large", b"")


async def test_one_connection_per_host(open_fetcher: OpenFetcher) -> None:
    """F-HOST-01 holds for FTP."""
    async with FtpServer(FILES).running() as server:
        async with open_fetcher() as fetcher:
            urls = [f"{server.url}/a/b%20c.pdf?{number}" for number in range(5)]
            replies = await asyncio.gather(*(fetcher.fetch(wanted(url)) for url in urls))

        assert {reply.outcome for reply in replies} == {"absent"}
        assert server.most_open == 1


async def test_our_own_network_is_not_asked(fetch: Fetch) -> None:
    """By number, by name, and by a redirect."""
    moved = reply_bytes(b"", "302 Found", "Location: ftp://10.0.0.1/x.pdf")
    async with Server(says(moved)).running() as server:
        by_redirect = await fetch(f"{server.url}/")

    assert by_redirect.outcome == "refused-address"
    assert (await fetch("ftp://192.168.1.1/x.pdf")).outcome == "refused-address"
    by_name = await fetch("ftp://localhost/x.pdf", settings={"allow_addresses": ("10.0.0.0/8",)})
    assert by_name.outcome == "refused-address"


async def test_a_redirect_may_lead_to_a_file(fetch: Fetch) -> None:
    """From a page to FTP."""
    async with FtpServer(FILES).running() as files:
        moved = reply_bytes(b"", "302 Found", f"Location: {files.url}/a/b%20c.pdf")
        async with Server(says(moved)).running() as server:
            reply = await fetch(f"{server.url}/", expect="pdf")

    assert (reply.outcome, reply.final_url) == ("found", f"{files.url}/a/b%20c.pdf")


async def test_nothing_is_sent_over_ftp(fetch: Fetch) -> None:
    """A form has nowhere to go."""
    assert (await fetch("ftp://ftp.example.org/x", method="POST", form=(("a", "b"),))).outcome == "bad-url"


async def test_a_path_cannot_say_commands(fetch: Fetch) -> None:
    """Line ends in it would be commands to a server of somebody's choice."""
    async with FtpServer(FILES).running() as server:
        reply = await fetch(f"{server.url}/a%0d%0aDELE%20b")

    assert reply.outcome == "bad-url"
    assert server.heard == []


def test_paths_are_read_as_the_standard_says() -> None:
    """RFC 1738 3.2: from where the user stands, decoded; a second slash begins at the root."""
    assert path_of("ftp://h/a/b%20c;type=i") == "a/b c"
    assert path_of("ftp://h/%2Fetc/x?y") == "/etc/x?y"
    for url in ("ftp://h", "ftp://h/", "ftp://h/a/", "ftp://h/a%00b"):
        with pytest.raises(BadPath):
            path_of(url)


async def test_a_recording_replays_files_too(open_fetcher: OpenFetcher, tmp_path: Path) -> None:
    """Found and absent, byte for byte; every attempt leaves its row."""
    store = MemoryStore()
    async with FtpServer(FILES).running() as server:
        urls = [f"{server.url}/a/b%20c.pdf", f"{server.url}/no.pdf"]
        async with open_fetcher(record_to=tmp_path, store=store) as fetcher:
            recorded = [await fetcher.fetch(wanted(url, expect="pdf")) for url in urls]
    async with open_fetcher(replay_from=tmp_path) as fetcher:
        replayed = [await fetcher.fetch(wanted(url, expect="pdf")) for url in urls]

    assert replayed == recorded
    assert await store.attempts() == {("127.0.0.1", "found"): 1, ("127.0.0.1", "absent"): 1}
