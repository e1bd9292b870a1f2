"""The records of a WARC or ARC file, packed record by record or not at all: a damaged one costs itself only.

Where a record begins and ends is judged here, before warcio reads it: warcio ends at the first damage, and takes what an
announced length covers, were it the whole rest of the file.
"""

import re
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO, Final, NamedTuple

from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed

_CHUNK: Final = 1 << 16
_LONGEST_HEAD: Final = 1 << 20
_START: Final = re.compile(rb"\x1f\x8b\x08|WARC/[0-9]\.[0-9]{1,2}\r?\n")
_LENGTH: Final = re.compile(rb"\nContent-Length:[ \t]{0,9}([0-9]{1,15})[ \t]{0,9}\r?\n", re.IGNORECASE)
_HEAD_END: Final = re.compile(rb"\n\r?\n")


class WarcRecord(NamedTuple):
    """A whole record (of warcio) and the byte of the file at which it begins. Its content is there to be read until the
    next record is asked for."""

    offset: int
    record: Any


class Damage(NamedTuple):
    """Bytes that are no whole record: where they begin, and what is wrong, as the end of a sentence about them.

    `readable`: `record_at` reads the beginning of its content, so much as it announces.
    """

    offset: int
    reason: str
    readable: bool = False


class _Damaged(Exception):
    def __init__(self, reason: str, *, readable: bool = False) -> None:
        super().__init__(reason)
        self.readable = readable


def records(file: BinaryIO, *, arc_as_warc: bool = False) -> Iterator[WarcRecord | Damage]:
    """All records of a file, in its order; what is damaged is told, and reading goes on at the next record after it.

    In an ARC file that is not packed, nothing marks where a record begins: there a damage lasts to the end.

    :raises OSError: the file cannot be read
    """
    offset = 0
    while (offset := _after_newlines(file, offset)) >= 0:
        try:
            end = _end(file, offset)
            yield WarcRecord(offset, record_at(file, offset, arc_as_warc=arc_as_warc))
        except _Damaged as damage:
            yield Damage(offset, str(damage), damage.readable)
            end = _next_start(file, offset + 1)
        except (ArchiveLoadFailed, EOFError, zlib.error, ValueError) as problem:
            yield Damage(offset, f"has a head that cannot be read ({problem})")
            end = _next_start(file, offset + 1)
        offset = end


def record_at(file: BinaryIO, offset: int, *, arc_as_warc: bool = False) -> Any:
    """The record that begins at this byte, by warcio.

    :raises ArchiveLoadFailed, EOFError, zlib.error, ValueError: it cannot be read
    """
    file.seek(offset)
    record = next(ArchiveIterator(file, arc2warc=arc_as_warc), None)
    if record is None:
        raise EOFError("nothing is there")
    return record


def _after_newlines(file: BinaryIO, offset: int) -> int:
    """The next byte that is no line end; -1 at the end of the file."""
    if offset < 0:
        return -1
    file.seek(offset)
    while data := file.read(64):
        left = data.lstrip(b"\r\n")
        offset += len(data) - len(left)
        if left:
            return offset
    return -1


def _end(file: BinaryIO, offset: int) -> int:
    """Where the whole record that begins at `offset` ends.

    :raises _Damaged: it is not whole
    """
    file.seek(offset)
    packed = file.read(2) == b"\x1f\x8b"
    return _packed_end(file, offset) if packed else _plain_end(file, offset)


def _packed_end(file: BinaryIO, offset: int) -> int:
    file.seek(offset)
    unpacking = zlib.decompressobj(31)
    head = b""
    size = 0
    while not unpacking.eof:
        data = file.read(_CHUNK)
        if not data:
            raise _Damaged("is cut: the file ends within it")
        try:
            unpacked = unpacking.decompress(data)
        except zlib.error as problem:
            raise _Damaged(f"cannot be unpacked ({problem})") from None
        size += len(unpacked)
        if len(head) < _LONGEST_HEAD:
            head += unpacked[:_LONGEST_HEAD]
    if size:
        start, length = _framed(head)
        if size < start + length:
            raise _Damaged(f"announces {length:,} bytes and has {max(0, size - start):,}")
        if head.startswith(b"WARC/") and size > start + length + 16:
            raise _Damaged(
                f"announces {length:,} bytes and has {size - start:,}, or several records are packed as one"
            )
    return file.tell() - len(unpacking.unused_data)


def _plain_end(file: BinaryIO, offset: int) -> int:
    file.seek(offset)
    head = b""
    # Read on while the end of the head is not there: nearly all are short.
    while len(head) < _LONGEST_HEAD and (data := file.read(max(4096, len(head)))):
        head += data
        if _HEAD_END.search(head) or not head.startswith(b"WARC/"):
            break
    start, length = _framed(head)
    end = offset + start + length
    if file.seek(0, 2) < end:
        raise _Damaged("is cut: it announces more than the rest of the file has")
    following = _after_newlines(file, end)
    if following < 0:
        return end
    file.seek(following)
    after = file.read(_CHUNK)
    if _START.match(after) or (not head.startswith(b"WARC/") and _arc_length(after) is not None):
        return end
    file.seek(end)
    if file.read(4) == b"\r\n\r\n":  # It ends as records end; what follows is garbage, told by itself.
        return end
    # Too long, it would read into the next record.
    readable = _next_start(file, offset + 1) >= end
    raise _Damaged(f"announces {length:,} bytes, after which no record ends", readable=readable)


def _framed(head: bytes) -> tuple[int, int]:
    """(length of the head, announced length of the content).

    :raises _Damaged: no record begins so
    """
    if not head.startswith(b"WARC/"):
        length = _arc_length(head)
        if length is None:
            raise _Damaged("is no record")
        return head.index(b"\n") + 1, length
    end = _HEAD_END.search(head)
    if end is None:
        raise _Damaged("has a head without end")
    announced = _LENGTH.search(head, 0, end.end())
    if announced is None:
        raise _Damaged("announces no length")
    return end.end(), int(announced[1])


def _arc_length(head: bytes) -> int | None:
    """The length that the line of an ARC record announces, after its address, IP, date and type."""
    line, newline, _ = head[:_CHUNK].partition(b"\n")
    words = line.split(b" ")
    known = newline and len(words) >= 5 and b":" in words[0] and words[-1].strip().isdigit()
    return int(words[-1]) if known and len(words[-1]) < 16 else None


def _next_start(file: BinaryIO, offset: int) -> int:
    """Where the next record may begin; -1 if nowhere."""
    kept = b""
    file.seek(offset)
    while data := file.read(_CHUNK):
        window = kept + data
        base = file.tell() - len(window)
        for found in _START.finditer(window):
            if _is_start(file, base + found.start()):
                return base + found.start()
        kept = window[-16:]
        file.seek(base + len(window))
    return -1


def _is_start(file: BinaryIO, offset: int) -> bool:
    file.seek(offset)
    data = file.read(_CHUNK)
    if data.startswith(b"\x1f\x8b"):
        try:
            data = zlib.decompressobj(31).decompress(data, _CHUNK)
        except zlib.error:
            return False
    return data.startswith(b"WARC/") or _arc_length(data) is not None
