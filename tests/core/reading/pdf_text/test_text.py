"""From blocks to paragraphs."""

from pubweave.core.reading.pdf_text import PdfBlock, PdfPage, text_of_pages
from pubweave.core.reading.pdf_text.characters import lines_of, mended


def page(*blocks: str) -> PdfPage:
    """A page with these blocks one below the other, lines parted by newlines."""
    return PdfPage(
        400.0,
        2000.0,
        tuple(
            PdfBlock(50, 500 + 50 * at, 350, 540 + 50 * at, lines_of(raw)) for at, raw in enumerate(blocks)
        ),
    )


def test_a_block_is_a_paragraph() -> None:
    """Its lines are one line, an empty line between paragraphs."""
    assert (
        text_of_pages([page("Ticks bite \nat night. \n", "Mites do not.\n")])
        == "Ticks bite at night.\n\nMites do not."
    )


def test_blocks_keep_the_order_they_have() -> None:
    """Right column first in the content stream is right column first in the text: nothing is sorted."""
    left, right = PdfBlock(50, 300, 180, 320, ("Left.",)), PdfBlock(220, 100, 350, 120, ("Right.",))

    assert text_of_pages([PdfPage(400.0, 800.0, (left, right))]) == "Left.\n\nRight."
    assert text_of_pages([PdfPage(400.0, 800.0, (right, left))]) == "Right.\n\nLeft."


def test_a_paragraph_cut_by_a_column_or_page_is_one() -> None:
    """It ends without an end and goes on in small letters."""
    first = "The ticks that were found on the animals of both farms in the spring were"
    second = "counted by two of us who did not know which farm each animal had come from."

    assert text_of_pages([page(first), page(second)]) == f"{first} {second}"


def test_a_word_cut_by_a_page_is_one() -> None:
    """With the hyphen's rules."""
    first = "The ticks that were found on the animals of both farms were investi-"

    assert text_of_pages([page(first), page("gated.")]) == first[:-1] + "gated."


def test_labels_and_cells_are_not_run_together() -> None:
    """Short blocks are no sentences."""
    assert (
        text_of_pages([page("dose", "control", "n = 5", "untreated")])
        == "dose\n\ncontrol\n\nn = 5\n\nuntreated"
    )


def test_a_finished_sentence_is_not_gone_on_with() -> None:
    """Nor is one before a capital."""
    first = "The ticks that were found on the animals of both farms in the spring were dead."

    assert (
        text_of_pages([page(first, "a short note in small letters that is as long as a sentence is.")]).count(
            "\n\n"
        )
        == 1
    )
    assert (
        text_of_pages(
            [page(first[:-1], "Ticks of the second farm were alive and in the best of health all.")]
        ).count("\n\n")
        == 1
    )


def test_no_text_is_no_text() -> None:
    """Scans have pages without blocks."""
    assert text_of_pages([]) == text_of_pages([PdfPage(1.0, 1.0, ())]) == ""


def test_characters_are_what_they_look_like() -> None:
    """Ligatures, letters of symbol fonts, hyphens of all kinds, and what cannot be seen."""
    assert mended("e\ufb03cient \uf06dm \uf0b1 well\u00adknown well\u2010known zero\u200bwidth\x03") == (
        "efficient μm ± well-known well-known zerowidth"
    )
    assert mended("x² – “y”") == "x² – “y”"


def test_lines_are_collapsed_and_none_is_empty() -> None:
    """Tabs and no-break spaces are white space."""
    assert lines_of(" a\t b \n \n\u00a0c\u00a0\n") == ("a b", "c")
