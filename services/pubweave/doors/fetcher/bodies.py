"""What a body is: decompressed within bounds, and judged against what was asked for. Pure."""

import re
import zlib
from typing import Final

from pubweave.contract.exchange import Expect
from pubweave.doors.fetcher.outcomes import CASES, Case

_RATIO_FROM_BYTES = 1024 * 1024
_PIECE = 256 * 1024


class BadEncoding(Exception):
    """The content encoding is broken or unknown. `salvaged` is what could be decoded before."""

    def __init__(self, reason: str, salvaged: bytes = b"") -> None:
        super().__init__(reason)
        self.salvaged = salvaged


class BodyTooLarge(Exception):
    """The decoded body would be larger than allowed, or blows up too much."""


def decoded(raw: bytes, content_encoding: str, max_bytes: int, max_ratio: int) -> bytes:
    """The body without its content encoding (RFC 9110 8.4.1): gzip and deflate, at most two layers.

    Never holds more than `max_bytes` and one piece, whatever a bomb would give.

    :raises TooLarge: more than `max_bytes`, or more than `max_ratio` times what was received
    :raises BadEncoding: broken, cut, or an encoding that was not asked for
    """
    layers = [name.strip().lower() for name in content_encoding.split(",")]
    layers = [name for name in layers if name not in ("", "identity")]
    if len(layers) > 2:
        raise BadEncoding(f"{len(layers)} layers of content encoding")
    for name in reversed(layers):
        if name not in ("gzip", "x-gzip", "deflate"):
            raise BadEncoding(f"content encoding {name!r} was not asked for")
        raw = _inflated(raw, max_bytes, max_ratio * max(len(raw), 1))
    if len(raw) > max_bytes:
        raise BodyTooLarge(f"more than {max_bytes} bytes")
    return raw


def _inflated(raw: bytes, max_bytes: int, max_blown_up: int) -> bytes:
    if not raw:
        return raw
    # 32: zlib finds out itself whether it is gzip or zlib; some servers say deflate and send it bare.
    decoder = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)
    pieces: list[bytes] = []
    size = 0
    rest = raw
    while not decoder.eof:
        try:
            piece = decoder.decompress(rest, min(_PIECE, max_bytes + 1 - size))
        except zlib.error as problem:
            if not pieces and rest is raw and not _looks_wrapped(raw):
                decoder = zlib.decompressobj(wbits=-zlib.MAX_WBITS)
                try:
                    piece = decoder.decompress(rest, min(_PIECE, max_bytes + 1))
                except zlib.error:
                    raise BadEncoding(f"broken compression: {problem}") from problem
            else:
                raise BadEncoding(f"broken compression: {problem}", b"".join(pieces)) from problem
        if not piece and not decoder.eof and not decoder.unconsumed_tail:
            raise BadEncoding("compressed data ended early", b"".join(pieces))
        pieces.append(piece)
        size += len(piece)
        if size > max_bytes:
            raise BodyTooLarge(f"more than {max_bytes} bytes when decompressed")
        if size > _RATIO_FROM_BYTES and size > max_blown_up:
            raise BodyTooLarge(f"{len(raw)} bytes that blow up more than {max_blown_up // len(raw)} times")
        rest = decoder.unconsumed_tail
        if decoder.eof:
            # Further members follow each other (RFC 1952 2.2); anything else after the end is padding.
            rest = decoder.unused_data if decoder.unused_data.startswith(b"\x1f\x8b") else b""
            if rest:
                decoder = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _looks_wrapped(raw: bytes) -> bool:
    return raw.startswith(b"\x1f\x8b")


# What stands before the first element of XML and HTML: declaration, comments, processing instructions.
_PROLOG = re.compile(rb"(?:\s+|<\?.*?\?>|<!--.*?-->)*", re.DOTALL)
_HTML = re.compile(rb"<(?:!doctype\s+html|html|head|body|title|script|center|h1|p|div)[\s>/]", re.IGNORECASE)
_PDF_TYPE = re.compile(r"(?:application|image)/.{0,200}?(?:pdf|octet-stream)|^pb", re.IGNORECASE)


def is_pdf_type(content_type: str) -> bool:
    """F-EXC-13."""
    return _PDF_TYPE.search(content_type) is not None


def media_type(content_type: str) -> str:
    """Lower case, without parameters."""
    return content_type.partition(";")[0].strip().lower()


def judged(expect: Expect, content_type: str, body: bytes) -> tuple[Case, str]:
    """Which row a whole 2xx body is, and the evidence. Looks at the first kilobytes, never at all of it.

    What is well-formed and complete is the reader's to find out: a door only sees what cannot be it.
    """
    if len(body) < 64 and not body.strip():
        return CASES["empty"], "no body"
    start = _start(body)
    looks_pdf = b"%PDF-" in start[:1024]
    type_ = media_type(content_type)
    if expect == "any":
        return CASES["found"], ""
    if expect == "pdf":
        if looks_pdf:
            return CASES["found"], ""
        if is_pdf_type(type_):
            return CASES["wrong-kind"], f"says {type_}, but is no PDF"
        return CASES["wrong-type"], f"{type_ or 'no content type'} where a PDF was asked for"
    if looks_pdf or "pdf" in type_:
        return CASES["pdf-instead"], f"a PDF ({type_ or 'no content type'})"
    if expect in ("xml", "json"):
        return _data(expect, type_, start)
    if _readable(expect, type_):
        return CASES["found"], ""
    case = CASES["pdf-instead"] if is_pdf_type(type_) else CASES["wrong-type"]
    return case, f"{type_} where {expect} was asked for"


def _data(expect: Expect, type_: str, start: bytes) -> tuple[Case, str]:
    if type_.startswith(("image/", "audio/", "video/", "font/")):
        return CASES["wrong-type"], f"{type_} where {expect} was asked for"
    prolog = _PROLOG.match(start)
    content = start[prolog.end() :] if prolog else start
    if _HTML.match(content):
        return CASES["wrong-kind"], f"HTML where {expect} was asked for"
    fits = content.startswith(b"<") if expect == "xml" else content[:1] in (b"{", b"[")
    if fits:
        return CASES["found"], ""
    return CASES["wrong-kind"], f"{type_ or 'text'} that is no {expect}: {_excerpt(content)}"


def _readable(expect: Expect, type_: str) -> bool:
    """F-EXC-14; a page that does not say what it is may be read (jsoup does)."""
    if not type_ or type_.startswith("text/") or type_ == "application/xml" or type_.endswith("+xml"):
        return True
    return expect == "text" and (type_ == "application/json" or type_.endswith("+json"))


_BOMS: Final = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))


def _start(body: bytes) -> bytes:
    """The beginning as UTF-8 without a byte order mark."""
    start = body[:4096]
    for bom, encoding in _BOMS:
        if start.startswith(bom):
            return start[len(bom) :].decode(encoding, "replace").encode()
    return start


def _excerpt(content: bytes) -> str:
    return repr(content[:60].decode("utf-8", "replace"))
