"""A damaged record of a WARC file costs itself only, wherever and however it is damaged."""

import gzip
import io
from collections.abc import Callable

import pytest

from pubweave.adapters.warc import Damage, WarcRecord, records

NAMES = [f"http://h.org/{number}" for number in range(6)]


def record(name: str, length: int | None = None, body: bytes = b"") -> bytes:
    body = body or f"body of {name}\n".encode() * 20
    announced = len(body) if length is None else length
    head = (
        f"WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:uuid:{name}>\r\nWARC-Target-URI: {name}\r\n"
        f"Content-Type: text/plain\r\nContent-Length: {announced}\r\n\r\n"
    )
    return head.encode() + body + b"\r\n\r\n"


def packed(one: bytes) -> bytes:
    return gzip.compress(one, mtime=0)


def as_is(one: bytes) -> bytes:
    return one


def read(data: bytes) -> tuple[list[str], list[Damage]]:
    """The addresses of the whole records, whose bodies are whole too, and the damages."""
    names, damages = [], []
    for each in records(io.BytesIO(data)):
        if isinstance(each, Damage):
            damages.append(each)
        else:
            assert isinstance(each, WarcRecord)
            name = each.record.rec_headers.get_header("WARC-Target-URI")
            assert each.record.content_stream().read() == f"body of {name}\n".encode() * 20
            names.append(name)
    return names, damages


FORMS = pytest.mark.parametrize("form", [packed, as_is])


@FORMS
@pytest.mark.parametrize("number", range(6))
@pytest.mark.parametrize("length", [0, 5, 12, 350, 700, 2000, 10**9])
def test_a_wrong_length(form: Callable[[bytes], bytes], number: int, length: int) -> None:
    """Too short, too long, into the next record, over several, beyond the end of the file."""
    made = [form(record(name, length if at == number else None)) for at, name in enumerate(NAMES)]
    names, damages = read(b"".join(made))

    assert names == [name for at, name in enumerate(NAMES) if at != number]
    assert [damage.offset for damage in damages] == [sum(map(len, made[:number]))]


@FORMS
@pytest.mark.parametrize(
    "garbage", [b"\0" * 100, b"\x1f\x8b\x08 no gzip", b"WARC/1.1\r\nno head\r\n\r\n", b"x\r\n" * 70_000]
)
@pytest.mark.parametrize("number", [0, 1, 5, 6])
def test_garbage_between_records(form: Callable[[bytes], bytes], number: int, garbage: bytes) -> None:
    """Before the first, between two, after the last: told with its place, and every record is read."""
    made = [form(record(name)) for name in NAMES]
    names, damages = read(b"".join([*made[:number], garbage, *made[number:]]))

    assert names == NAMES
    assert [damage.offset for damage in damages] == [sum(map(len, made[:number]))]


@FORMS
def test_a_file_that_is_cut_anywhere(form: Callable[[bytes], bytes]) -> None:
    """What a killed recorder leaves: all but the last is read, and the last is told, wherever it ends."""
    first, last = form(record(NAMES[0])), form(record(NAMES[1]))
    ending = 0 if form is packed else len(b"\r\n\r\n")
    for kept in range(1, len(last) - ending):
        names, damages = read(first + last[:kept])

        assert names == NAMES[:1], kept
        assert [damage.offset for damage in damages] == [len(first)], kept


@pytest.mark.parametrize("at", range(0, 120, 3))
def test_a_packed_record_with_other_bytes_in_it(at: int) -> None:
    """Whatever of it was overwritten; a checksum that is wrong is a damage too."""
    made = [packed(record(name)) for name in NAMES]
    made[2] = made[2][:at] + bytes(byte ^ 0x55 for byte in made[2][at : at + 30]) + made[2][at + 30 :]
    names, damages = read(b"".join(made))

    assert names == [name for name in NAMES if name != NAMES[2]]
    assert damages[0].offset == len(made[0]) + len(made[1])


def test_a_file_packed_as_one_is_told() -> None:
    """Nothing marks its records; the sentence says what is the matter."""
    names, damages = read(packed(b"".join(map(record, NAMES))))

    assert names == []
    assert "several records are packed as one" in damages[0].reason


def test_many_records_are_read_in_order() -> None:
    """Blank lines before, between and after them are nothing."""
    data = b"\r\n\n".join([b"", *(form(record(name)) for name in NAMES for form in (packed, as_is)), b""])
    names, damages = read(data)

    assert names == [name for name in NAMES for _ in range(2)]
    assert damages == []
