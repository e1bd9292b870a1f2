"""Ligatures with codes of a font's own: told by the words they stand in, or left alone."""

from pubweave.core.reading.pdf_text import PdfBlock, PdfPage, text_of_pages
from pubweave.core.reading.pdf_text.characters import lines_of
from pubweave.core.reading.pdf_text.ligatures import with_ligatures


def page(*lines: str) -> PdfPage:
    return PdfPage(400.0, 800.0, (PdfBlock(50, 300, 350, 320, lines),))


def lines(*pages: PdfPage) -> list[str]:
    return [line for one in with_ligatures(list(pages)) for block in one.blocks for line in block.lines]


def test_words_that_the_document_has_elsewhere_tell_the_ligature() -> None:
    """Two words in another font are enough, on whichever page, in capitals too."""
    told = lines(
        page("FLEDGLINGS of the warbler", "and a reflex"), page("\ue104edglings without re\ue104ex \ue104y")
    )

    assert told == ["FLEDGLINGS of the warbler", "and a reflex", "fledglings without reflex fly"]


def test_words_that_every_article_has_tell_it_too() -> None:
    """A document may draw all of them with the one font."""
    assert lines(page("It is signi\ue103cant; \ue103rst we de\ue103ned it.", "A\ue09der a shi\ue09d")) == [
        "It is significant; first we defined it.",
        "After a shift",
    ]


def test_each_font_has_codes_of_its_own() -> None:
    """The same code means what the words of this document say."""
    assert lines(page("di\ue103erent e\ue103ects")) == ["different effects"]


def test_codes_that_words_do_not_tell_stay() -> None:
    """A sign alone, one word only, or words that nobody knows: a wrong letter would be worse than none."""
    for text in ("\uf00d \uf00d list", "signi\ue103cant", "qu\ue103x za\ue103p", "\ue103 \ue104"):
        assert lines(page(text)) == [text]


def test_pages_without_codes_are_the_same() -> None:
    """Most documents have none."""
    pages = [page("Nothing odd here.")]

    assert with_ligatures(pages) is pages
    assert text_of_pages(pages) == "Nothing odd here."


def test_a_hyphen_told_twice_is_one() -> None:
    """PDFs of PNAS have a hyphen and a soft hyphen for each that is drawn."""
    assert lines_of("ubiquitin-\u00adlike\nknock\u00adin") == ("ubiquitin-like", "knock-in")
