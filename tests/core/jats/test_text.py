"""Text on one line: looking before taking apart changes nothing."""

from hypothesis import given, settings
from hypothesis import strategies as st

from pubweave.core.reading.jats.text import BLANKS, one_line

XML_TEXT = st.text(
    alphabet=st.one_of(
        st.sampled_from(["a", "é", "\U0001d70b", "\u200b", " ", "\n", "\r", "\t", *BLANKS]),
        st.characters(min_codepoint=32, exclude_categories=["Cs"]),
    ),
    max_size=12,
)


@settings(derandomize=True, deadline=None, max_examples=1000)
@given(XML_TEXT, st.booleans())
def test_one_line_is_the_words_set_apart_by_one_blank(text: str, long: bool) -> None:
    """Whatever blanks there are (B-12)."""
    text = "word " * 40 + text if long else text
    assert " ".join(text.split()) == one_line(text)


def test_every_blank_that_python_knows_is_known() -> None:
    """None that may stand in XML would be taken for a letter."""
    known = {*BLANKS, " ", "\t", "\n", "\r"}
    assert {chr(code) for code in range(32, 0x110000) if chr(code).isspace()} <= known
