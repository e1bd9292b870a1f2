"""Document information and XMP."""

import pytest

from pubweave.core.reading.pdf_text import PdfMetadata, read_metadata

XMP = """<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/">
{}
</rdf:Description></rdf:RDF></x:xmpmeta>
<?xpacket end="w"?>"""

FULL = XMP.format(
    "<dc:title><rdf:Alt><rdf:li xml:lang='de'>Zecken</rdf:li><rdf:li xml:lang='x-default'>On &lt;i&gt;Ixodes&lt;/i&gt;"
    "</rdf:li></rdf:Alt></dc:title>"
    "<dc:subject><rdf:Bag><rdf:li>ticks</rdf:li><rdf:li>mites; lice</rdf:li></rdf:Bag></dc:subject>"
    "<dc:description><rdf:Alt><rdf:li xml:lang='x-default'>They bite.</rdf:li></rdf:Alt></dc:description>"
    "<pdf:Keywords>ticks, fleas</pdf:Keywords>"
)


def test_both_layers_are_read() -> None:
    """Information first, XMP for what is still wanted (F-PDF-04)."""
    found = read_metadata(
        {"title": "On Ticks", "keywords": "ticks, mites;lice | fleas", "subject": "Biting."}, FULL
    )

    assert found == PdfMetadata(
        title="On Ticks",
        keywords=("ticks", "mites", "lice", "fleas"),
        subject="Biting.",
        xmp_title="On Ixodes",
        xmp_subjects=("ticks", "mites", "lice", "fleas"),
        xmp_description="They bite.",
    )


def test_markup_is_stripped() -> None:
    """F-FILL-08, escaped markup too; a `<` that is none stays."""
    found = read_metadata(
        {"title": "The <i>p</i> &lt;b&gt;53&lt;/b&gt;  gene, p &lt; 0.05", "keywords": "<sub>a</sub>; ;()"},
        "",
    )

    assert (found.title, found.keywords) == ("The p 53 gene, p < 0.05", ("a",))


def test_properties_may_be_attributes_or_plain_text() -> None:
    """Both are XMP."""
    attribute = FULL.replace('rdf:about=""', 'rdf:about="" pdf:Keywords="wings"').replace(
        "<pdf:Keywords>ticks, fleas</pdf:Keywords>", ""
    )
    plain = XMP.format("<dc:title>Plain</dc:title>")

    assert read_metadata({}, attribute).xmp_subjects == ("ticks", "mites", "lice", "wings")
    assert read_metadata({}, plain).xmp_title == "Plain"


def test_the_documents_own_dois_are_read_wherever_programs_put_them() -> None:
    """PRISM, Crossmark, custom properties, Dublin Core; what is no DOI, or more than one, is none."""
    packet = XMP.format(
        "<prism:doi xmlns:prism='http://prismstandard.org/namespaces/basic/2.0/'>10.5555/Fold.7</prism:doi>"
        "<crossmark:DOI xmlns:crossmark='http://crossref.org/crossmark/1.0/'>https://doi.org/10.5555/fold.7</crossmark:DOI>"
        "<pdfx:doi xmlns:pdfx='http://ns.adobe.com/pdfx/1.3/'>see 10.5555/x and 10.5555/y</pdfx:doi>"
        "<dc:identifier>doi:10.5555/Fold.7</dc:identifier>"
    )

    assert read_metadata({}, packet).dois == ("10.5555/Fold.7", "10.5555/fold.7")
    assert read_metadata({}, XMP.format("<dc:identifier>uuid:10</dc:identifier>")).dois == ()


def test_missing_values_are_empty() -> None:
    """The library says None for them."""
    assert read_metadata({"title": None, "keywords": ""}, "") == PdfMetadata()


BOMB = """<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>"""


@pytest.mark.parametrize(
    "packet", ["<x:xmpmeta", "no XML", "\x00\x00", "<a>" * 5000, FULL[: len(FULL) // 2], "x" * (5 << 20)]
)
def test_a_broken_packet_is_no_failure(packet: str) -> None:
    """Half of the PDFs of the world have one."""
    assert read_metadata({"title": "On Ticks"}, packet).title == "On Ticks"


def test_entities_are_not_expanded() -> None:
    """Neither of the packet's own nor of files."""
    packet = BOMB + XMP.format("<dc:title>Ticks &b;</dc:title>").partition("?>")[2]
    file = (
        '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]>'
        + XMP.format("<dc:title>Ticks &a;</dc:title>").partition("?>")[2]
    )

    assert read_metadata({}, packet).xmp_title == read_metadata({}, file).xmp_title == "Ticks"
