"""A PDF is refused only where it is plainly about another article."""

import re
import sys
from unicodedata import normalize

import pytest

from pubweave.core.reading.pdf_text.metadata import PdfMetadata
from pubweave.core.toolkit.pdf_identity import ENOUGH, _letters, other_article

DOI = "10.5555/FOLD.7"
TITLE = "Folding of paper widgets under stress in the laboratory"
OTHER = "Lanterns of the northern harbours"
OF_OTHER = (
    "Keepers of the harbours lit their lanterns on most nights in autumn, and put them out by morning. "
    "Under the roof there was oil for a month.\n\n"
)
OF_OURS = (
    "Paper widgets were folding in the laboratory under stress, and a widget of thin paper broke first.\n\n"
)
NOTHING = PdfMetadata()


def of(text: str, length: int = 2 * ENOUGH) -> str:
    return text * (length // len(text))


@pytest.mark.parametrize(
    ("text", "metadata", "doi", "title", "why"),
    [
        (f"{OTHER}\n\ndoi: 10.5555/lamp.1\n\n{OF_OTHER}", NOTHING, DOI, TITLE, "about 10.5555/LAMP.1"),
        (OF_OTHER, PdfMetadata(subject="Annals 3, doi:10.5555/lamp.1"), DOI, TITLE, "itself 10.5555/LAMP.1"),
        (OF_OTHER, PdfMetadata(subject="Annals 3, doi:10.5555/lamp.1"), DOI, "", "itself 10.5555/LAMP.1"),
        (OF_OTHER, PdfMetadata(dois=("10.5555/lamp.1",)), DOI, TITLE, "itself 10.5555/LAMP.1"),
        (f"{OTHER}\n\n{of(OF_OTHER, 900)}", PdfMetadata(title=OTHER), DOI, TITLE, f"about '{OTHER}'"),
        (f"{OTHER}\n\n{of(OF_OTHER, 900)}", PdfMetadata(xmp_title=OTHER), "", TITLE, f"about '{OTHER}'"),
        (of(OF_OTHER), NOTHING, "", TITLE, "uses 1 of the 6 words"),
    ],
)
def test_a_pdf_that_names_another_article_is_refused(
    text: str, metadata: PdfMetadata, doi: str, title: str, why: str
) -> None:
    """By its DOI, by its own title, or because a long text has hardly a word of the title searched for."""
    assert why in other_article(text, metadata, doi, title)


@pytest.mark.parametrize(
    ("text", "metadata", "doi", "title"),
    [
        pytest.param(of(OF_OURS), NOTHING, DOI, TITLE, id="neither DOI nor title stands there"),
        pytest.param(f"{of(OF_OTHER)} 10.5555/fold.7", NOTHING, DOI, TITLE, id="the DOI stands at the end"),
        pytest.param(
            f"10.5555/\nfo ld.7 {OF_OTHER}", NOTHING, DOI, TITLE, id="the DOI is broken by its line"
        ),
        pytest.param(OF_OTHER, PdfMetadata(title=f"doi:{DOI}"), DOI, TITLE, id="the metadata has the DOI"),
        pytest.param(
            OF_OTHER, PdfMetadata(dois=("10.5555/lamp.1", "10.5555/Fold.7")), DOI, TITLE, id="one of two"
        ),
        pytest.param(
            f"{OTHER} 10.5555/fold {OF_OTHER}",
            NOTHING,
            DOI,
            TITLE,
            id="the beginning of the DOI stands there",
        ),
        pytest.param(f"doi 10.5555/fold.7.2 {OF_OTHER}", NOTHING, DOI, TITLE, id="a version of the DOI"),
        pytest.param(
            f"FOLDING OF PAPER\nWIDGETS UNDER STRESS IN THE LABO-\nRATORY\n10.1101/2020.1 {OF_OTHER}",
            PdfMetadata(subject="doi:10.1101/2020.1"),
            DOI,
            TITLE,
            id="a preprint of the article, with a DOI of its own",
        ),
        pytest.param(
            f"10.1101/2020.1 {of(OF_OURS)}", NOTHING, DOI, TITLE, id="a preprint that was called otherwise"
        ),
        pytest.param(
            "doi 10.5555/lamp.1 " + of("Laternen und Hafen sind nachts nicht dunkel. "),
            NOTHING,
            DOI,
            TITLE,
            id="another language: the title may be a translation",
        ),
        pytest.param(
            of(OF_OTHER), PdfMetadata(title="Reversible changes of frogs"), "", OTHER, id="a template's title"
        ),
        pytest.param(of(OF_OTHER, 900), NOTHING, "", TITLE, id="too short to say anything"),
        pytest.param(f"doi 10.5555/lamp.1 {OF_OTHER}", NOTHING, DOI, "", id="no title to compare"),
        pytest.param(f"doi 10.5555/lamp.1 {OF_OTHER}", NOTHING, DOI, "Editorial", id="a title of one word"),
        pytest.param(
            of(OF_OTHER),
            PdfMetadata(title=OTHER, subject="doi:10.5555/lamp.1"),
            "",
            "",
            id="nothing to compare at all",
        ),
        pytest.param("", NOTHING, DOI, TITLE, id="no text"),
    ],
)
def test_a_pdf_that_may_be_the_one_is_taken(text: str, metadata: PdfMetadata, doi: str, title: str) -> None:
    """What is missing says nothing: many true PDFs name neither DOI nor a title that can be read."""
    assert other_article(text, metadata, doi, title) == ""


def test_letters_are_those_of_the_plain_expression() -> None:
    """Every character there is, alone and among ASCII: what is taken out at once is what one by one would be."""
    every = "".join(map(chr, range(sys.maxunicode + 1)))
    for text in (every, f"A b-1 {every[:200]}_ \n", "plain ASCII, 1.5 \x00 text"):
        assert _letters(text) == re.sub(r"[\W_]+", "", normalize("NFKC", text)).lower()
