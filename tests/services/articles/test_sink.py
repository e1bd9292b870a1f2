"""What goes into the pipeline: identifiers from URLs and pages, links with their types (L-53, F-LIB-13)."""

import pytest

from pubweave.articles.iterator.files import ArticleFiles
from pubweave.articles.sink import found_article, links_of

PAGE = b'<html><head><meta content="doi:10.1234/From.Page" name="citation_doi"><META NAME="citation_pmid" CONTENT="77"></head>'


@pytest.mark.parametrize(
    ("url", "doi", "pmcid", "pmid"),
    [
        ("https://h.org/doi/full/10.1137/100818522", "10.1137/100818522", "", ""),
        ("https://h.org/doi/10.1002/ece3.1/abstract", "10.1002/ECE3.1", "", ""),
        ("https://h.org/content/10.1101/2020.01.01.1v1.full.pdf", "10.1101/2020.01.01.1V1", "", ""),
        ("https://h.org/content/pdf/10.1007%2Fs1-2-3.pdf", "10.1007/S1-2-3", "", ""),
        (
            "https://h.org/plosone/article?id=10.1371/journal.pone.0000001",
            "10.1371/JOURNAL.PONE.0000001",
            "",
            "",
        ),
        ("https://h.org/articles/10.3389/fexam.2014.00001/full", "10.3389/FEXAM.2014.00001", "", ""),
        (
            "https://h.org/doi/abs/10.1061/%28ASCE%291076-0431%282009%2915%3A1%2814%29",
            "10.1061/(ASCE)1076-0431(2009)15:1(14)",
            "",
            "",
        ),
        ("https://pmc.ncbi.nlm.nih.gov/articles/PMC6519000/pdf/", "", "PMC6519000", ""),
        ("https://europepmc.org/articles/pmc6519000?pdf=render", "", "PMC6519000", ""),
        ("https://pubmed.ncbi.nlm.nih.gov/31092905/", "", "", "31092905"),
        ("https://h.org/article/12/XPMC12", "", "", ""),
        ("https://h.org/10.12/short", "", "", ""),
    ],
)
def test_identifiers_are_read_from_urls(url: str, doi: str, pmcid: str, pmid: str) -> None:
    """Without what platforms put behind a DOI, and normalised."""
    found = found_article(ArticleFiles(url, {"FullTextHtml": url}))

    assert (doi, pmcid, pmid) == (found.doi, found.pmcid, found.pmid)


def test_most_urls_of_an_article_tell_its_doi() -> None:
    """Where they differ, the one that most agree on counts."""
    roles = {
        "FullTextHtml": "https://h.org/doi/full/10.1/x",
        "Abstract": "https://h.org/doi/abs/10.1234/a",
        "References": "https://h.org/doi/ref/10.1234/a",
        "CitationRis": "https://h.org/cite?doi=10.1234%2Fa&format=ris",
        "SupplementaryMaterials": "https://h.org/doi/suppl/10.1234/a/suppl_file/s.pdf",
    }

    assert found_article(ArticleFiles(None, dict(roles))).doi == "10.1234/A"


def test_a_page_is_asked_only_if_the_urls_tell_nothing() -> None:
    """Metadata page first, then abstract, then full text."""
    asked: list[str] = []

    def page(url: str) -> bytes | None:
        asked.append(url)
        return PAGE if url.endswith("/2") else None

    told = found_article(ArticleFiles("http://h.org/doi/10.1234/x"), page)
    untold = found_article(
        ArticleFiles("http://h.org/1", {"ArticleMetadata": "http://h.org/m", "Abstract": "http://h.org/2"}),
        page,
    )

    assert told.doi == "10.1234/X"
    assert (untold.doi, untold.pmid) == ("10.1234/FROM.PAGE", "77")
    assert untold.identifiers == {"doi": "10.1234/FROM.PAGE", "pmid": "77"}
    assert asked == ["http://h.org/m", "http://h.org/2"]


def test_links_have_the_types_that_the_manual_reserves() -> None:
    """Pages as link, PDFs as pdf_link, each URL once, full text first; citation files are no pages."""
    article = ArticleFiles(
        "http://h.org/full",
        {
            "FullTextHtml": "http://h.org/full",
            "FullTextPdfFile": "http://h.org/pdf",
            "PdfPlus": "http://h.org/plus",
            "Abstract": "http://h.org/abs",
            "ArticleMetadata": "http://h.org/cite.ris",
            "References": "http://h.org/ref",
        },
    )

    assert links_of(article) == [
        ("http://h.org/full", "link"),
        ("http://h.org/abs", "link"),
        ("http://h.org/pdf", "pdf_link"),
        ("http://h.org/plus", "pdf_link"),
    ]


def test_a_pdf_as_full_text_is_a_pdf_link() -> None:
    """Whatever other roles it has."""
    article = ArticleFiles(
        "http://h.org/pdf", {"FullTextPdfFile": "http://h.org/pdf", "ArticleMetadata": "http://h.org/pdf"}
    )

    assert links_of(article) == [("http://h.org/pdf", "pdf_link")]
