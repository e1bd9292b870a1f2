"""What comes out of a PDF, read by the real library in the real process."""

import os
from collections.abc import AsyncIterator

import msgspec
import pymupdf
import pytest
import pytest_asyncio

from pubweave.contract.exchange import Reply
from pubweave.doors.pdf_reader import PdfReader, PdfReaderSettings, PdfReading
from services.doors.pdf_reader.pdfs import one_page, pages_of, with_objects, with_xmp
from shared_data import needs_shared_data, shared_data

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def reader() -> AsyncIterator[PdfReader]:
    """One process for all these documents: whatever is wrong with one, it goes on."""
    async with PdfReader() as opened:
        yield opened


def a_paper() -> bytes:
    """Three pages with heads and numbers, and words that are broken."""
    pages = [
        [
            "A. Author et al.",
            "",
            *[""] * 8,
            f"In part {part} the ticks were investi-",
            "gated in a dose-",
            "dependent manner.",
            *[""] * 26,
            str(part),
        ]
        for part in (1, 2, 3)
    ]
    pages[1][9] = "Here dose-dependent is whole, and investigated is."
    return pages_of(*pages, title="On <i>Ixodes</i>", keywords="ticks; mites", subject="They bite.")


async def test_text_is_read_in_paragraphs(reader: PdfReader) -> None:
    """Heads and numbers gone, broken words mended from what stands elsewhere."""
    reading = await reader.read(a_paper())

    assert (reading.outcome, reading.reason, reading.pages) == ("found", "read", 3)
    assert "In part 3 the ticks were investigated in a dose-dependent manner." in reading.text
    assert "A. Author" not in reading.text


async def test_metadata_is_read(reader: PdfReader) -> None:
    """Document information, markup stripped (F-PDF-04, F-FILL-08)."""
    metadata = (await reader.read(a_paper())).metadata

    assert (metadata.title, metadata.keywords, metadata.subject) == (
        "On Ixodes",
        ("ticks", "mites"),
        "They bite.",
    )


async def test_xmp_is_read(reader: PdfReader) -> None:
    """Where the library gives the packet; a broken one costs nothing else."""
    packet = (
        '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
        '<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title><rdf:Alt>'
        '<rdf:li xml:lang="x-default">On Ticks</rdf:li></rdf:Alt></dc:title></rdf:Description></rdf:RDF></x:xmpmeta>'
    )

    assert (await reader.read(with_xmp(packet))).metadata.xmp_title == "On Ticks"
    assert (await reader.read(with_xmp("<x:xmpmeta"))).text == "Some text on a page."


async def test_columns_are_not_cut(reader: PdfReader) -> None:
    """Two columns, written one after the other, come out one after the other."""
    left = b"BT /F1 10 Tf 14 TL 20 500 Td " + b"(left left left left) Tj T* " * 5 + b"ET "
    right = b"BT /F1 10 Tf 14 TL 220 500 Td " + b"(right right right right) Tj T* " * 5 + b"ET"
    text = (await reader.read(one_page(left + right))).text

    assert text.split() == ["left"] * 20 + ["right"] * 20


async def test_a_password_is_an_outcome(reader: PdfReader) -> None:
    """F-PDF-07: no fetchException."""
    locked = pages_of(
        ["Secret."], save={"encryption": pymupdf.PDF_ENCRYPT_AES_256, "user_pw": "x", "owner_pw": "y"}
    )
    reading = await reader.read(locked)

    assert (reading.outcome, reading.reason, reading.fetch_exception) == ("blocked", "needs-password", False)


async def test_an_empty_password_is_none(reader: PdfReader) -> None:
    """Encrypted so that everybody may read: it is read."""
    open_to_all = pages_of(["Not secret."], save={"encryption": pymupdf.PDF_ENCRYPT_AES_256, "owner_pw": "y"})

    assert (await reader.read(open_to_all)).text == "Not secret."


async def test_a_scan_is_an_outcome_of_its_own(reader: PdfReader) -> None:
    """Pages, and no text on them: empty, with the reason."""
    reading = await reader.read(one_page(b"0 0 100 100 re f"))

    assert (reading.outcome, reading.reason, reading.evidence) == (
        "empty",
        "no-text-layer",
        "no text layer on 1 page",
    )


async def test_junk_before_the_header_is_allowed(reader: PdfReader) -> None:
    """Within the first kilobyte, as PDF 1.7 has it; not beyond."""
    good = pages_of(["Text."])

    assert (await reader.read(b"\n" * 900 + good)).text == "Text."
    assert (await reader.read(b"\n" * 1100 + good)).reason == "not-a-pdf"


@pytest.mark.parametrize("data", [b"", b"<html>Just a moment...</html>", b"%!PS-Adobe-3.0\n"])
async def test_what_is_no_pdf_is_not_opened(reader: PdfReader, data: bytes) -> None:
    """Whatever its address or media type promised."""
    reading = await reader.read(data)

    assert (reading.outcome, reading.reason, reading.fetch_exception) == ("malformed", "not-a-pdf", False)


async def test_a_damaged_pdf_is_repaired(reader: PdfReader) -> None:
    """The table of objects is wrong; the objects are there."""
    whole = pages_of(["Still here."])
    reading = await reader.read(whole[: whole.rindex(b"startxref")])

    assert (reading.text, reading.repaired) == ("Still here.", True)
    assert "repaired" in reading.evidence


async def test_a_cut_pdf_is_no_pdf(reader: PdfReader) -> None:
    """Nothing readable is left of it: malformed, never an empty text."""
    whole = pages_of(["Gone."])

    assert (await reader.read(whole[:120])).outcome == "malformed"
    assert (await reader.read(b"%PDF-1.7\n")).reason == "broken"


async def test_pages_that_are_missing_are_counted(reader: PdfReader) -> None:
    """The text is that of the others, and the evidence says so."""
    reading = await reader.read(one_page(b"BT /F1 10 Tf 72 500 Td (Alone) Tj ET", count=3))

    assert (reading.text, reading.pages, reading.pages_failed) == ("Alone", 3, 2)
    assert "2 of 3 pages" in reading.evidence


async def test_a_tree_that_bites_its_tail_is_broken(reader: PdfReader) -> None:
    """The pages are their own children."""
    tree = b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 >>"

    assert (
        await reader.read(with_objects([b"<< /Type /Catalog /Pages 2 0 R >>", tree]))
    ).outcome == "malformed"


async def test_the_fetchers_reply_becomes_the_readers(reader: PdfReader) -> None:
    """The address and the headers stay; the body is the reading; failures pass through."""
    fetched = Reply(
        "found", "https://a.example/b.pdf", final_url="https://c.example/d.pdf", body=pages_of(["Text."])
    )
    lost = Reply("timeout", "https://a.example/b.pdf")
    answer = await reader.answer(fetched)

    assert (answer.outcome, answer.final_url) == ("found", "https://c.example/d.pdf")
    assert msgspec.json.decode(answer.body, type=PdfReading).text == "Text."
    assert await reader.answer(lost) == lost


async def test_text_in_unmapped_fonts_is_no_text(reader: PdfReader) -> None:
    """Fonts that do not say what they draw give replacement characters: as good as a scan."""
    font = b"<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [7 0 R] >>"
    child = (
        b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) "
        b"/Supplement 0 >> /FontDescriptor 8 0 R >>"
    )
    descriptor = b"<< /Type /FontDescriptor /FontName /X /Flags 4 /FontBBox [0 0 1000 1000] /ItalicAngle 0 /Ascent 800 "
    descriptor += b"/Descent -200 /CapHeight 700 /StemV 80 >>"
    content = b"BT /F2 10 Tf 72 500 Td <00010002000100020001> Tj ET"
    data = one_page(content, font, child, descriptor, resources=b"")
    data = data.replace(b"/F1 5 0 R", b"/F2 6 0 R")
    reading = await reader.read(data)

    assert reading.outcome == "empty"
    assert reading.text == ""


@needs_shared_data
async def test_recorded_pdfs_have_their_outcomes(reader: PdfReader) -> None:
    """Fact 26 of the recorded replies: which are cut, locked or scanned; all others are read."""
    expected = {
        "odd_norma_chem7642344_patent-grant-7642344.pdf": "no-text-layer",
        "scanned-image-only.pdf": "no-text-layer",
        "pypdf_r4-aes-user-password.pdf": "needs-password",
        "odd_norma_http_ijs.sgmjournals.org_content_63_Pt_11_4340.full_ijs05390.pdf": "no-pages",
    }
    found = {
        path.name: (await reader.read(path.read_bytes())).reason for path in shared_data("pdf").glob("*.pdf")
    }

    assert {name: reason for name, reason in found.items() if reason != "read"} == expected
    assert reader.started == 1


async def test_processes_do_not_outlive_the_reader() -> None:
    """Every one is gone, and waited for."""
    async with PdfReader(PdfReaderSettings()) as reader:
        await reader.read(pages_of(["Text."]))
        (process,) = reader._idle
    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, 0)
