"""Lines and paragraphs of page text (F-CLN-12)."""

from __future__ import annotations

import pytest

from pubweave.core.reading.layout import collapse, formatted_html, text_of_html


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<div>one</div><div>two</div>", "one\ntwo"),
        ("<p>one</p><p>two</p>", "one\n\ntwo"),
        ("one<br>two<br><br>three", "one\ntwo\nthree"),
        ("<h2>Head</h2>text <b>bold</b>ly set", "Head\n\ntext boldly set"),
        ("<ul><li>one</li><li>two</li></ul>after", "one\ntwo\n\nafter"),
        ("<div>\n  much   blank\n  here </div>", "much blank here"),
        ("<p>see</p><pre>if x:\n    y = 1\n</pre><p>end</p>", "see\n\nif x:\n    y = 1\n\n\nend"),
        ("<p>a &lt;b&gt; &amp; c</p>", "a <b> & c"),
        ("<p>shown<script>hidden()</script><!-- p > q --></p>", "shown"),
        ("<div><p>one</p></div><div><div>two</div></div>", "one\n\ntwo"),
        ("<p>private \ue000 use \ue001 letters</p>", "private use letters"),
    ],
)
def test_blocks_start_lines_and_paragraphs_are_set_off(html: str, expected: str) -> None:
    """Blocks and breaks start a line, elements with a margin an empty line, other blanks collapse."""
    assert formatted_html(html) == expected


def test_one_line_text_keeps_words_apart_and_whole() -> None:
    """Blocks are separated by a blank, inline elements are joined without one."""
    assert text_of_html("<h1>CO<sub>2</sub> up</h1><p>It<i>alic</i>s.</p>") == "CO2 up Italics."


def test_invisible_characters_are_no_text() -> None:
    """Soft hyphens and zero-width spaces vanish; no-break spaces are blanks."""
    assert collapse("hy\u00adphen\u200bed\u00a0\u00a0 word ") == "hyphened word"
