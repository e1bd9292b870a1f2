"""PDFs written byte by byte: an article with text and metadata, a scan, one with a password, a broken one, another article."""

import textwrap

from simnet import content
from simnet.draw import draw
from simnet.facts import PdfKind, Publication
from simnet.replies.pages import HEADINGS
from simnet.text import prose

_LINES_ON_A_PAGE = 56
_WIDTH = 92


def of(publication: Publication, kind: PdfKind) -> tuple[str, bytes]:
    """Media type and bytes of what stands at a PDF's address."""
    if kind == "login":
        page = "<!DOCTYPE html><html><head><title>Sign in</title></head><body><h1>Sign in</h1><input type='password'></body></html>"
        return "text/html", page.encode()
    if kind == "broken":
        return (
            "application/pdf",
            b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R" + b"\x00\xff" * 90,
        )
    if kind == "scanned":
        return "application/pdf", _written([_SCAN], {})
    if kind == "wrong":
        return "application/pdf", _written([_text_page(_OTHER.splitlines())], _SAID_OF_OTHER)
    lines = _lines(publication)
    pages = [_text_page(lines[at : at + _LINES_ON_A_PAGE]) for at in range(0, len(lines), _LINES_ON_A_PAGE)]
    return "application/pdf", _written(pages, information(publication), locked=kind == "locked")


_OTHER = """Lanterns of the northern harbours: a chronicle
doi: 10.5555/other.77

Summary
The keepers of forty harbours were asked how often they had lit their lanterns, and with which oil. Most of
them had kept a book for it, from which we could count the nights. Where the book was lost, a neighbour was
asked instead.

Method
We walked to each harbour in the spring, as the roads were dry, and stayed for two nights. What a keeper
remembered was written down by one of us and read aloud to the keeper on the next day.

Findings
A lantern was lit on most nights between autumn and spring. In summer it was lit by fog only. Whale oil was
used to the end of the century, then paraffin. No keeper could say why the green glass had been given up.
"""
_SAID_OF_OTHER = {
    "Title": "Lanterns of the northern harbours: a chronicle",
    "Subject": "Annals of Harbours 3, 11-12, doi:10.5555/other.77",
}


def information(publication: Publication) -> dict[str, str]:
    """What the document information says: nothing in one of three, title, keywords and subject in the others."""
    if publication.index % 3 == 0:
        return {}
    found = {"Title": _latin(content.title_of(publication).plain)}
    if publication.keywords and publication.index % 2:
        found["Keywords"] = "; ".join(map(_latin, content.keywords_of(publication)))
    if publication.index % 5 == 0:
        found["Subject"] = _latin(" ".join(part.plain for part in content.abstract_of(publication, "short")))
    return {name: value for name, value in found.items() if value}


def sentences_of(publication: Publication) -> list[list[str]]:
    """The paragraphs of the text, each as sentences in Latin-1."""
    rng = draw(publication.seed, "pdf text", publication.index)
    stock = prose(publication.seed)
    return [[_latin(one.plain) for one in stock.abstract_sentences(rng, 6)] for _ in range(12)]


def _lines(publication: Publication) -> list[str]:
    lines = textwrap.wrap(_latin(content.title_of(publication).plain), _WIDTH)
    for number, paragraph in enumerate(sentences_of(publication)):
        if number % 3 == 0:
            lines += ["", HEADINGS[number // 3]]
        lines += ["", *textwrap.wrap(" ".join(paragraph), _WIDTH, break_on_hyphens=False)]
    return lines


def _latin(text: str) -> str:
    """What Helvetica with WinAnsiEncoding can show; the rest is left out."""
    plain = text.translate(
        {0x2013: "-", 0x201C: '"', 0x201D: '"', 0x03B1: "alpha", 0x03B2: "beta", 0x207B: "-"}
    )
    return plain.encode("latin-1", "ignore").decode("latin-1")


_SCAN = b"0.5 g 60 60 475 722 re f"


def _text_page(lines: list[str]) -> bytes:
    shown = b"\n".join(b"(" + _literal(line) + b") Tj T*" for line in lines)
    return b"BT /F1 10 Tf 13 TL 50 790 Td\n" + shown + b"\nET"


def _literal(text: str) -> bytes:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)").encode("latin-1")


def _written(contents: list[bytes], information: dict[str, str], locked: bool = False) -> bytes:
    """A whole PDF of these pages. `locked`: it says that it is encrypted, with values that no password fits."""
    count = len(contents)
    first = 4
    kids = b" ".join(b"%d 0 R" % (first + 2 * n) for n in range(count))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, count),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, stream in enumerate(contents):
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R /Resources << /Font << /F1 3 0 R >> >> >>"
            % (first + 2 * number + 1)
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    extra = b""
    if information:
        entries = b" ".join(
            b"/%s (%s)" % (name.encode(), _literal(value)) for name, value in information.items()
        )
        objects.append(b"<< %s >>" % entries)
        extra = b" /Info %d 0 R" % len(objects)
    if locked:
        objects.append(b"<< /Filter /Standard /V 1 /R 2 /P -44 /O <%s> /U <%s> >>" % (b"a7" * 32, b"3c" * 32))
        extra += b" /Encrypt %d 0 R /ID [<00112233> <00112233>]" % len(objects)
    body, places = bytearray(b"%PDF-1.4\n"), []
    for number, one in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return bytes(body) + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer << /Size %d /Root 1 0 R%s >>\nstartxref\n%d\n%%%%EOF\n"
        % (len(objects) + 1, table, len(objects) + 1, extra, len(body))
    )
