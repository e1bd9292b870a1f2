"""Accents go back on their letters, the way the document draws them."""

import pytest

from pubweave.core.reading.pdf_text import PdfBlock, PdfPage
from pubweave.core.reading.pdf_text.accents import with_accents


def accented(*lines: str) -> list[str]:
    """The lines of a document that has only these."""
    (page,) = with_accents([PdfPage(400.0, 800.0, (PdfBlock(0, 0, 100, 100, lines),))])
    return list(page.blocks[0].lines)


BEFORE = [
    ("Fl¨uckiger", "Flückiger"),
    ("S´anchez and Farm´acia", "Sánchez and Farmácia"),
    ("´Smigaj from Pozna´n, d´epˆot fran¸cais", "Śmigaj from Poznań, dépôt français"),
    ("`a la d´epˆot", "à la dépôt"),
    ("the author´s S´anchez", "the author´s Sánchez"),
    ("a `quotation' of S´anchez", "a `quotation' of Sánchez"),
    ("Garc´ıa", "García"),
]
AFTER = [
    ("Pe´rez", "Pérez"),
    ("Iba´n˜ez-A´vila", "Ibáñez-Ávila"),
    ("Macı´as and Lu¨", "Macías and Lü"),
    ("Pe´rez’ authors´", "Pérez’ authors´"),
]


@pytest.mark.parametrize(("drawn", "meant"), BEFORE + AFTER)
def test_accents_are_put_on_their_letters(drawn: str, meant: str) -> None:
    """Before or after, as the places say that can be read one way only."""
    assert accented(drawn) == [meant]


def test_the_whole_document_decides() -> None:
    """Between two vowels either could be meant."""
    assert accented("Mu¨e", "Pe´rez") == ["Müe", "Pérez"]
    assert accented("Mu¨e", "Farm´acia") == ["Muë", "Farmácia"]


def test_apostrophes_and_quotes_are_left_alone() -> None:
    """A document without any unmistakable accent has none."""
    assert accented("Student´s", "ALZHEIMER´S", "`all´", "50 ˚C") == [
        "Student´s",
        "ALZHEIMER´S",
        "`all´",
        "50 ˚C",
    ]


def test_angstrom_is_a_letter() -> None:
    """However few accents there are."""
    assert accented("of 1.5 ˚A (˚A)") == ["of 1.5 Å (Å)"]


def test_real_letters_stay() -> None:
    """Most fonts have them."""
    assert accented("Pérez, Müller") == ["Pérez, Müller"]
