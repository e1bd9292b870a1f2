"""Recorded PDFs of which the XML is there, too: none is taken for another article, and most others are refused."""

from functools import cache

import pytest
from lxml import etree

from pubweave.core.toolkit.pdf_identity import other_article
from pubweave.doors.pdf_reader.messages import PdfReaderBounds, PdfReading
from shared_data import needs_shared_data, shared_data

REFUSED = 0.75
"""The share of wrong PDFs that are refused; may only rise. They are about herbs, most of them, as the others are."""


@cache
def recorded() -> dict[str, tuple[str, str, PdfReading]]:
    """DOI, title and what the PDF reader gives, by PMCID."""
    pytest.importorskip("pymupdf")
    from pubweave.doors.pdf_reader.opening import read_pdf

    found = {}
    for path in sorted(shared_data("pdf").glob("PMC*.pdf")):
        root = etree.parse(shared_data("europepmc-fulltext", f"{path.stem}.xml")).getroot()
        meta = root.find(".//article-meta")
        title = " ".join("".join(meta.find("title-group/article-title").itertext()).split())
        doi = meta.findtext("article-id[@pub-id-type='doi']") or ""
        reading = read_pdf(path.read_bytes(), PdfReaderBounds(20_000_000, 10_000, 0, 0))
        found[path.stem] = (doi, title, reading)
    return found


@needs_shared_data
def test_no_true_pdf_is_lost() -> None:
    """Whatever is known of the article: DOI and title, or one of them."""
    lost = {
        (name, bool(doi), bool(title)): why
        for name, (its_doi, its_title, reading) in recorded().items()
        for doi, title in ((its_doi, its_title), (its_doi, ""), ("", its_title))
        if (why := other_article(reading.text, reading.metadata, doi, title))
    }

    assert len(recorded()) == 13
    assert lost == {}


@needs_shared_data
def test_most_pdfs_of_other_articles_are_refused() -> None:
    """Every PDF as answer to the question for every other article."""
    refused = [
        bool(other_article(reading.text, reading.metadata, doi, title))
        for asked, (doi, title, _) in recorded().items()
        for name, (_, _, reading) in recorded().items()
        if asked != name
    ]

    assert sum(refused) / len(refused) >= REFUSED, f"{sum(refused)} of {len(refused)}"
