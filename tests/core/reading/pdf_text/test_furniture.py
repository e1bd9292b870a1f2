"""What repeats at the edges goes; what belongs to the article stays."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from pubweave.core.reading.pdf_text import PdfBlock, PdfPage, text_of_pages
from pubweave.core.reading.pdf_text.furniture import without_furniture

HEIGHT_PT = 800.0


def at(y: float, *lines: str, x0: float = 50, x1: float = 350) -> PdfBlock:
    """A block whose lines are 10 points high."""
    return PdfBlock(x0, y, x1, y + 10 * len(lines), lines)


def page(*blocks: PdfBlock) -> PdfPage:
    """A page of 400 by 800 points."""
    return PdfPage(400.0, HEIGHT_PT, blocks)


def texts(pages: Sequence[PdfPage]) -> list[list[str]]:
    """The lines that are left on each page."""
    return [[line for block in one.blocks for line in block.lines] for one in without_furniture(pages)]


def paper(number: int, head: str, *more: PdfBlock) -> PdfPage:
    """An ordinary page with head and page number."""
    return page(at(30, head), *more, at(400, f"Body of page {number}."), at(770, str(number)))


def test_running_heads_and_page_numbers_go() -> None:
    """Heads alternate from left to right pages; the number counts."""
    pages = [paper(number, "A. Author et al." if number % 2 else "On Ticks") for number in range(101, 107)]

    assert texts(pages) == [[f"Body of page {number}."] for number in range(101, 107)]


def test_numbers_in_a_repeated_line_may_differ() -> None:
    """Head and page number are one line with many publishers."""
    pages = [paper(number, f"J Tick 2020, 7: {number} of 9") for number in range(1, 4)]

    assert texts(pages)[1] == ["Body of page 2."]


def test_a_line_amid_the_page_stays_however_often_it_repeats() -> None:
    """Results, Results, Results."""
    pages = [page(at(400, "Results"), at(500, f"Text {number}.")) for number in range(5)]

    assert [lines[0] for lines in texts(pages)] == ["Results"] * 5


def test_a_line_that_does_not_repeat_stays() -> None:
    """A title stands at the upper edge, too."""
    pages = [page(at(40, f"Title {name}"), at(400, "Text.")) for name in ("one", "two", "three")]

    assert [lines[0] for lines in texts(pages)] == ["Title one", "Title two", "Title three"]


def test_captions_at_the_edge_stay() -> None:
    """Figure 1, Figure 2 and Figure 3 are alike but for their numbers."""
    pages = [page(at(40, f"Figure {number}"), at(400, "Text.")) for number in range(1, 6)]

    assert texts(pages)[3] == ["Figure 4", "Text."]


def test_axis_numbers_are_no_page_numbers() -> None:
    """Lone numbers at the edge that do not count with the pages."""
    pages = [
        paper(number, "Head", at(60, str(axis)))
        for number, axis in zip(range(1, 7), (5, 50, 7, 0, 3, 12), strict=True)
    ]

    assert [lines[0] for lines in texts(pages)] == ["5", "50", "7", "0", "3", "12"]


def test_the_head_of_a_continued_table_stays() -> None:
    """It repeats at the same height, but amid other lines."""
    pages = [
        paper(
            number,
            "Head",
            at(50, f"xxxxxxxxx{chr(97 + number)}"),
            at(60, f"yyyyyyyyy{chr(97 + number)}"),
            at(70, f"zzzzzzzzz{chr(97 + number)}"),
            at(85, "Strain and dose"),
        )
        for number in range(1, 7)
    ]

    assert "Strain and dose" in texts(pages)[3]


def test_a_table_that_lies_on_its_side_stays() -> None:
    """Its columns are tall blocks; where their lines are on the page is not known."""
    column = PdfBlock(100, 70, 120, 700, ("TA 98", "1", "2", "3"))
    pages = [paper(number, "Head", column) for number in range(1, 7)]

    assert texts(pages)[0] == ["TA 98", "1", "2", "3", "Body of page 1."]


def test_margin_stamps_go() -> None:
    """arXiv's stands on the first page only."""
    stamp = PdfBlock(10, 200, 30, 600, ("arXiv:2101.00001v1 [q-bio] 1 Jan 2021",))
    axis = PdfBlock(100, 200, 120, 600, ("Concentration of the toxin in blood",))

    assert texts([page(stamp, axis, at(400, "Text."))]) == [["Concentration of the toxin in blood", "Text."]]


def test_the_full_stops_of_a_stamp_go_with_it() -> None:
    """bioRxiv's is made of many pieces, some of them a lone full stop."""
    pages = [paper(number, "bioRxiv preprint", at(30, ".", x0=300)) for number in range(1, 4)]

    assert texts(pages)[0] == ["Body of page 1."]


def test_a_single_page_keeps_its_lines() -> None:
    """Nothing can repeat; only what says that it is a page number goes."""
    lone = page(at(30, "Title"), at(400, "Text."), at(770, "Page 1 of 1"), at(785, "7"))

    assert texts([lone]) == [["Title", "Text.", "7"]]


def test_pages_without_height_or_text_are_no_trouble() -> None:
    """As broken PDFs have them."""
    assert texts([PdfPage(0.0, 0.0, (at(0, "x"),)), page()]) == [["x"], []]


_lines = st.lists(
    st.sampled_from(["Head", "12", "13", "Page 2", "some words here", "Table 1"]), min_size=1, max_size=4
)
_pages = st.lists(
    st.lists(st.tuples(st.floats(0, 780), _lines), max_size=5).map(
        lambda blocks: page(*(at(y, *lines) for y, lines in blocks))
    ),
    max_size=7,
)


@settings(derandomize=True, max_examples=150, deadline=None)
@given(_pages)
def test_what_is_left_is_in_the_order_of_the_content_stream(pages: list[PdfPage]) -> None:
    """Lines are dropped, never moved, changed or made up."""
    for before, after in zip(pages, without_furniture(pages), strict=True):
        given_lines = iter([line for block in before.blocks for line in block.lines])

        assert all(line in given_lines for block in after.blocks for line in block.lines)


@settings(derandomize=True, max_examples=100, deadline=None)
@given(_pages)
def test_what_is_left_is_left_for_good(pages: list[PdfPage]) -> None:
    """The same pages give the same text, and lines amid the page are all there."""
    middle = sum(
        0.13 * HEIGHT_PT < block.y_of(line) < 0.87 * HEIGHT_PT
        for one in pages
        for block in one.blocks
        for line in range(len(block.lines))
    )

    assert text_of_pages(pages) == text_of_pages(pages)
    assert sum(map(len, texts(pages))) >= middle
