"""PDFs made for the tests: a few hundred bytes each, good ones and hostile ones."""

import zlib
from collections.abc import Sequence
from typing import Any

import pymupdf

_mupdf: Any = pymupdf

MARGIN_PT = 72


def pages_of(
    *pages: Sequence[str], size: int = 10, save: dict[str, Any] | None = None, **metadata: str
) -> bytes:
    """A PDF of real text: each page is a sequence of lines, an empty one ends a paragraph."""
    document = _mupdf.open()
    for lines in pages:
        page = document.new_page(width=400, height=600)
        for at, line in enumerate(lines):
            if line:
                page.insert_text((MARGIN_PT, MARGIN_PT + 12 * at), line, fontsize=size)
    if metadata:
        document.set_metadata(metadata)
    content: bytes = document.tobytes(**(save or {}))
    return content


def with_xmp(packet: str) -> bytes:
    """A PDF of one page with this XMP packet."""
    document = _mupdf.open()
    document.new_page().insert_text((MARGIN_PT, MARGIN_PT), "Some text on a page.")
    document.set_xml_metadata(packet)
    content: bytes = document.tobytes()
    return content


def with_objects(objects: Sequence[bytes]) -> bytes:
    """A PDF of these objects, numbered from 1; the first is the catalogue."""
    out = b"%PDF-1.4\n"
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, table)


def stream(content: bytes, entries: bytes = b"") -> bytes:
    """A stream object, compressed as well as can be."""
    packed = zlib.compress(content, 9)
    head = b"<< /Length %d /Filter /FlateDecode %b >>\nstream\n" % (len(packed), entries)
    return head + packed + b"\nendstream"


def one_page(content: bytes, *more: bytes, resources: bytes = b"", count: int = 1) -> bytes:
    """A PDF whose one page draws this content; `more` are objects 6 and following; /Font /F1 is Helvetica."""
    return with_objects(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count %d >>" % count,
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 600] /Contents 4 0 R /Resources "
            b"<< /Font << /F1 5 0 R >> %b >> >>" % resources,
            stream(content),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            *more,
        ]
    )


def text_bomb(megabytes: int = 8) -> bytes:
    """A few kilobytes that are this many megabytes of drawn text."""
    words = b"(" + b"tick tock " * 6 + b") Tj\n"
    places = [b"1 0 0 1 %d %d Tm " % (10 + 7 * at % 60, 20 + 11 * at % 560) for at in range(560)]
    once = b"".join(place + words for place in places)
    return one_page(b"BT /F1 9 Tf\n" + once * (megabytes * 1_000_000 // (60 * 560) + 1) + b"ET")


def form_bomb(levels: int = 12, times: int = 10) -> bytes:
    """Forms that draw forms: ten to the twelfth words, told in two kilobytes."""
    forms = []
    for level in range(levels):
        last = level == levels - 1
        inner = b"BT /F1 10 Tf 0 0 Td (x) Tj ET" if last else b"/X Do " * times
        names = b"" if last else b"/XObject << /X %d 0 R >>" % (7 + level)
        entries = (
            b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /Font << /F1 5 0 R >> %b >>" % names
        )
        forms.append(stream(inner, entries))
    return one_page(b"/X Do", *forms, resources=b"/XObject << /X 6 0 R >>")
