"""A recorded run can be repeated without the network, byte for byte."""

import asyncio
import errno
import gzip
import io
from pathlib import Path
from typing import Any

import msgspec
import pytest
from warcio.archiveiterator import ArchiveIterator
from warcio.warcwriter import WARCWriter

from pubweave.adapters.clock import SystemClock
from pubweave.contract.exchange import Reply
from pubweave.doors.fetcher.exchange_keys import Secrets
from pubweave.doors.fetcher.recorder import Recorder
from pubweave.doors.fetcher.replay import Replay
from pubweave.doors.fetcher.settings import FetcherProblem
from pubweave.doors.fetcher.wire import Exchange
from services.doors.fetcher.loopback import (
    Asked,
    OpenFetcher,
    Server,
    reply_bytes,
    says,
    wanted,
)
from services.doors.fetcher.test_outcomes import MET, Met, ended
from shared_data import needs_shared_data, shared_data

XML = b"<?xml version='1.0'?><set><record>one</record></set>"
RECORDED = [met for met in MET if met.case != "denied"]


@pytest.mark.network
@pytest.mark.parametrize("met", RECORDED, ids=lambda met: met.case)
async def test_a_replayed_reply_is_the_reply(met: Met, tmp_path: Path, open_fetcher: OpenFetcher) -> None:
    """Every row of the table that a server can cause: status, headers, body, truncation, outcome, flags,
    evidence, number of attempts and time are those of the recording."""
    async with Server(met.answer).running() as server:
        question = wanted(f"{server.url}/", **met.request)
        async with open_fetcher(record_to=tmp_path) as fetcher:
            live = await fetcher.fetch(question)
    async with open_fetcher(
        replay_from=tmp_path, environment={"http_proxy": "http://nobody.invalid:1"}
    ) as fetcher:
        replayed = await fetcher.fetch(question)

    assert live.outcome != "not-replayed"
    assert replayed == live


@pytest.mark.network
async def test_replies_come_in_the_order_of_their_recording(
    tmp_path: Path, open_fetcher: OpenFetcher
) -> None:
    """What came at the second attempt comes at the second attempt again; the last one stays."""
    answers = [reply_bytes(b"<a>%d</a>" % number) for number in range(3)]
    async with Server(says(*answers)).running() as server:
        question = wanted(f"{server.url}/")
        async with open_fetcher(record_to=tmp_path) as fetcher:
            for _ in answers:
                await fetcher.fetch(question)
    async with open_fetcher(replay_from=tmp_path) as fetcher:
        bodies = [(await fetcher.fetch(question)).body for _ in range(4)]

    assert bodies == [b"<a>0</a>", b"<a>1</a>", b"<a>2</a>", b"<a>2</a>"]


@pytest.mark.network
async def test_forms_and_redirects_are_told_apart(tmp_path: Path, open_fetcher: OpenFetcher) -> None:
    """The same address with another form is another question; every hop is recorded."""

    async def echo(asked: Asked, writer: asyncio.StreamWriter) -> None:
        if asked.path == "/away":
            writer.write(reply_bytes(b"", "302 Found", "Location: /here", "Set-Cookie: a=b"))
        else:
            writer.write(reply_bytes(b"<a>%s</a>" % (asked.body or asked.path.encode())))

    async with Server(echo).running() as server:
        questions = [
            wanted(f"{server.url}/", method="POST", form=(("id", "1"),)),
            wanted(f"{server.url}/", method="POST", form=(("id", "2"),)),
            wanted(f"{server.url}/"),
            wanted(f"{server.url}/away"),
        ]
        async with open_fetcher(record_to=tmp_path) as fetcher:
            live = [await fetcher.fetch(question) for question in questions]
    async with open_fetcher(replay_from=tmp_path) as fetcher:
        replayed = [await fetcher.fetch(question) for question in reversed(questions)]

    assert [reply.body for reply in live] == [b"<a>id=1</a>", b"<a>id=2</a>", b"<a>/</a>", b"<a>/here</a>"]
    assert replayed[::-1] == live


def recorded(folder: Path) -> bytes:
    return b"".join(gzip.decompress(file.read_bytes()) for file in folder.glob("*.warc.gz"))


@pytest.mark.network
async def test_what_was_allowed_is_replayed(tmp_path: Path, open_fetcher: OpenFetcher) -> None:
    """A recording from an intranet is replayed elsewhere: no socket is opened. Other private addresses stay
    refused, as they were."""
    async with Server(says(reply_bytes(XML))).running() as server:
        async with open_fetcher(record_to=tmp_path) as fetcher:
            await fetcher.fetch(wanted(f"{server.url}/"))
        async with open_fetcher(replay_from=tmp_path, allow_addresses=()) as fetcher:
            urls = [f"{server.url}/", "http://10.0.0.1/"]
            replies = [await fetcher.fetch(wanted(url)) for url in urls]

    assert [reply.outcome for reply in replies] == ["found", "refused-address"]


@pytest.mark.network
async def test_secrets_are_not_recorded_and_not_needed(tmp_path: Path, open_fetcher: OpenFetcher) -> None:
    """Keys and e-mails are masked in address and form; somebody with others finds the same replies."""
    async with Server(says(reply_bytes(XML))).running() as server:

        def questions(secret: str) -> list[Any]:
            return [
                wanted(f"{server.url}/?id=1&api_key={secret}&email={secret}%40x.org"),
                wanted(f"{server.url}/", method="POST", form=(("id", "1"), ("api_key", secret))),
            ]

        async with open_fetcher(record_to=tmp_path, contact_email="hush@example.org") as fetcher:
            live = [await fetcher.fetch(question) for question in questions("hush")]
    async with open_fetcher(replay_from=tmp_path) as fetcher:
        replayed = [await fetcher.fetch(question) for question in questions("else")]

    assert b"hush" not in recorded(tmp_path)
    assert [reply.body for reply in replayed] == [reply.body for reply in live] == [XML, XML]


@pytest.mark.network
async def test_what_was_not_recorded_is_not_made_up(tmp_path: Path, open_fetcher: OpenFetcher) -> None:
    """`not-replayed`, with what was looked for, and without its secrets."""
    async with Server(says(reply_bytes(XML))).running() as server:
        async with open_fetcher(record_to=tmp_path) as fetcher:
            await fetcher.fetch(wanted(f"{server.url}/1"))
        async with open_fetcher(replay_from=tmp_path) as fetcher:
            reply = await fetcher.fetch(wanted(f"{server.url}/2?api_key=hush"))

    assert (reply.outcome, len(server.asked)) == ("not-replayed", 1)
    assert reply.evidence == f"the recording holds no GET {server.url}/2?api_key=***"


def written(folder: Path, *bodies: bytes, max_file_bytes: int = 10**9) -> None:
    recorder = Recorder(folder, max_file_bytes, Secrets(()), SystemClock(), "test/1")
    for number, body in enumerate(bodies):
        exchange = Exchange("answered", 200, (("Content-Type", "text/xml"),), body, "", 1_700_000_000_123)
        recorder.write("GET", f"https://example.org/{number}", {"Accept": "*/*"}, None, exchange)
    asyncio.run(recorder.close())


def test_a_recording_is_a_good_warc(tmp_path: Path) -> None:
    """Other programs read it: WARC 1.1, a gzip member a record, requests beside responses, right digests."""
    written(tmp_path, b"<a/>", b"<b/>")
    [file] = tmp_path.glob("*.warc.gz")
    with file.open("rb") as stream:
        records = [
            (
                record.rec_type,
                record.rec_headers.get_header("WARC-Target-URI"),
                record.content_stream().read(),
            )
            for record in ArchiveIterator(stream, check_digests="raise")
        ]

    assert records[0][0] == "warcinfo"
    assert [record[:2] for record in records[1:]] == [
        (kind, f"https://example.org/{number}") for number in (0, 1) for kind in ("request", "response")
    ]
    assert [record[2] for record in records if record[0] == "response"] == [b"<a/>", b"<b/>"]


@pytest.mark.network
async def test_a_cut_body_is_marked_as_the_standard_has_it(tmp_path: Path, open_fetcher: OpenFetcher) -> None:
    """ISO 28500 5.13: other programs see that the body is not whole."""
    async with (
        Server(ended(reply_bytes(XML, length=5000))).running() as server,
        open_fetcher(record_to=tmp_path) as fetcher,
    ):
        await fetcher.fetch(wanted(f"{server.url}/", expect="xml"))

    assert b"\r\nWARC-Truncated: disconnect\r\n" in recorded(tmp_path)


def test_files_rotate_by_size_and_are_never_overwritten(tmp_path: Path) -> None:
    """A new file when the size is passed; a second run writes beside the first."""
    written(tmp_path, b"<a/>", b"<b/>", b"<c/>", max_file_bytes=500)
    first = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    written(tmp_path, b"<d/>")

    assert len(first) == 3
    assert {name: (tmp_path / name).read_bytes() for name in first} == first
    assert len(Replay(tmp_path, Secrets(()))) == 4


def test_a_run_that_was_killed_leaves_a_readable_recording(tmp_path: Path) -> None:
    """Wherever the last record is cut, all before it are there, and it is never given as whole."""
    written(tmp_path, b"<a/>", b"<b>" + bytes(range(256)) * 20 + b"</b>")
    [file] = tmp_path.glob("*.warc.gz")
    whole = file.read_bytes()
    starts = [at for at in range(len(whole)) if whole.startswith(b"\x1f\x8b\x08", at)]
    last = starts[-1]
    for cut in (
        last,
        last + 5,
        last + 40,
        last + 300,
        (last + len(whole)) // 2,
        len(whole) - 9,
        len(whole) - 1,
    ):
        file.write_bytes(whole[:cut])
        replay = Replay(tmp_path, Secrets(()))
        first = replay.find("GET", "https://example.org/0", None)
        second = replay.find("GET", "https://example.org/1", None)
        replay.close()

        assert first is not None
        assert first.body == b"<a/>"
        assert second is None or len(second.body) == 5127, cut


@pytest.mark.parametrize("number", range(3))
def test_a_damaged_record_of_a_recording_costs_itself(
    number: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """What was recorded after it is replayed; its place is in the log."""
    written(tmp_path, b"<a/>", b"<b/>", b"<c/>")
    [file] = tmp_path.glob("*.warc.gz")
    data = file.read_bytes()
    starts = [at for at in range(len(data)) if data.startswith(b"\x1f\x8b\x08", at)]
    at = starts[2 + 2 * number]  # its response, after warcinfo and its request
    file.write_bytes(data[: at + 40] + b"\xff" * 40 + data[at + 80 :])
    replay = Replay(tmp_path, Secrets(()))
    found = [replay.find("GET", f"https://example.org/{each}", None) for each in range(3)]
    replay.close()

    assert [each is not None for each in found] == [each != number for each in range(3)]
    assert f"what begins at byte {at} cannot be unpacked" in caplog.text


@pytest.mark.parametrize("request_first", [True, False])
def test_other_peoples_recordings_are_replayed(request_first: bool, tmp_path: Path) -> None:
    """Without our headers: method and form are those of the request record that goes with the response;
    stored chunks are put together."""
    with (tmp_path / "theirs.warc").open("wb") as stream:
        writer = WARCWriter(stream, gzip=False)
        http = b"POST /search HTTP/1.1\r\nHost: example.org\r\n\r\nid=1"
        answer = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX: y\r\n\r\n4\r\n<a/>\r\n0\r\n\r\n"
        request = writer.create_warc_record(
            "https://example.org/search", "request", io.BytesIO(http), len(http)
        )
        response = writer.create_warc_record(
            "https://example.org/search", "response", io.BytesIO(answer), len(answer)
        )
        response.rec_headers.add_header(
            "WARC-Concurrent-To", request.rec_headers.get_header("WARC-Record-ID")
        )
        for record in (request, response) if request_first else (response, request):
            writer.write_record(record)
    replay = Replay(tmp_path, Secrets(()))
    found = replay.find("POST", "https://example.org/search", b"id=1")
    replay.close()

    assert found is not None
    assert (found.sight, found.status, found.body) == ("answered", 200, b"<a/>")


@needs_shared_data
def test_recordings_of_the_wild_are_replayed() -> None:
    """Files of other programs, some of them cut, with wrong digests or odd addresses: what is there is found,
    and what is not whole is called so."""
    replay = Replay(shared_data("warc"), Secrets(()))
    iana = replay.find("GET", "http://www.iana.org/", None)
    cut, whole = (replay.find("GET", "http://example.com/", None) for _ in range(2))
    replay.close()

    assert iana is not None
    assert (iana.sight, iana.status) == ("answered", 200)
    assert b"</html>" in iana.body
    assert cut is not None
    assert (cut.sight, len(cut.body)) == ("cut", 604)
    assert whole is not None
    assert (whole.sight, len(whole.body)) == ("answered", 1270)


@pytest.mark.parametrize("make", ["nothing", "empty", "file"])
async def test_a_folder_without_recording_is_told(
    make: str, tmp_path: Path, open_fetcher: OpenFetcher
) -> None:
    """One sentence, before anything else happens."""
    folder = tmp_path / "recording"
    if make == "empty":
        folder.mkdir()
    elif make == "file":
        folder.touch()
    with pytest.raises(FetcherProblem, match="Cannot replay from"):
        async with open_fetcher(replay_from=folder):
            pass


async def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path, open_fetcher: OpenFetcher) -> None:
    """Before anything is asked."""
    (tmp_path / "file").touch()
    with pytest.raises(FetcherProblem, match="Cannot record into"):
        async with open_fetcher(record_to=tmp_path / "file"):
            pass


class FullDisk(io.BytesIO):
    """A file that nothing more can be written to."""

    def write(self, data: Any) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.network
async def test_what_cannot_be_recorded_is_not_answered(tmp_path: Path, open_fetcher: OpenFetcher) -> None:
    """A recording that lacks replies would repeat as another run: with a full disk every reply says so."""
    async with (
        Server(says(reply_bytes(XML))).running() as server,
        open_fetcher(record_to=tmp_path) as fetcher,
    ):
        assert fetcher._recorder is not None
        fetcher._recorder._close_file()
        fetcher._recorder._file = FullDisk()  # type: ignore[assignment]
        reply: Reply = await fetcher.fetch(wanted(f"{server.url}/"))

    assert reply.outcome == "failed"
    assert "No space left" in reply.evidence


def test_exchanges_are_whole_values() -> None:
    """Nothing of an exchange stands outside its fields: equal fields, equal exchange."""
    one = Exchange("cut", 200, (("A", "b"), ("a", "c")), b"x", "why", 5)

    assert msgspec.structs.replace(one) == one
    assert one.fields() == {"a": "b"}
