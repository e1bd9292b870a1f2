"""Places of cross-references in running text: the short way and the general one say the same."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from pubweave.core.reading.jats.walking.walker import Walker

PIECE = st.text(alphabet="ab \n\xa0é.", max_size=5)
REFERENCE = st.tuples(st.lists(PIECE, max_size=2), st.booleans())


def gathered(
    pieces: list[list[str]], references: list[tuple[list[str], bool]]
) -> tuple[list[str], list[Any]]:
    """Running text with cross-references in it, as the walk gathers it."""
    out: list[str] = []
    marks: list[Any] = []
    for before, (inside, _) in zip(pieces, references, strict=False):
        element = etree.Element("xref")
        out += before
        marks.append((len(out), "<", "", element))
        out += inside
        marks.append((len(out), ">", "", element))
    return out + pieces[-1], marks


def notes_of(walker: Walker) -> list[tuple[int, int, str]]:
    return [(note.start, note.end, note.text) for note in walker._pending]


@settings(derandomize=True, deadline=None, max_examples=400)
@given(
    st.lists(st.lists(PIECE, max_size=3), min_size=1, max_size=4), st.lists(REFERENCE, min_size=1, max_size=4)
)
def test_clean_text_takes_a_shorter_way_to_the_same_places(
    pieces: list[list[str]], references: list[tuple[list[str], bool]]
) -> None:
    """Text, places, quotes and the number of words do not depend on the way."""
    out, marks = gathered(pieces, references)
    short, general = Walker("", extras=True), Walker("", extras=True)
    short._marks = list(marks)

    text = short._finish(list(out))

    assert text == general._finish_marked(list(out), list(marks))
    assert notes_of(short) == notes_of(general)
    assert short.ledger.flow == general.ledger.flow
    assert words(short) == words(general)


def words(walker: Walker) -> int:
    """As the account counts them."""
    pieces = walker.ledger.pieces
    return sum(piece.count(" ") for piece in pieces) + len(pieces) - walker.ledger.glued
