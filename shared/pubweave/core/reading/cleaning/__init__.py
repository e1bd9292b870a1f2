"""The main content of a page nobody has written rules for, as text (chapter 8.2).

`classic` is the specified algorithm, `main_blocks` the default one, measured to be better (bench/cleaning.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from selectolax.lexbor import LexborHTMLParser

from pubweave.core.reading.cleaning.blocks import HIDDEN, Block
from pubweave.core.reading.cleaning.classic import Mode, classic_text
from pubweave.core.reading.cleaning.content import main_blocks, text_of_blocks
from pubweave.core.reading.cleaning.descriptions import says_more
from pubweave.core.reading.meta_tags import MetaTags

Algorithm = Literal["default", "classic"]


def clean_page(
    tree: LexborHTMLParser,
    mode: Mode,
    algorithm: Algorithm = "default",
    meta: MetaTags | None = None,
    blocks: Sequence[Block] | None = None,
) -> str:
    """The page's main content in lines and paragraphs; its description in front if it says something else (F-CLN-13).

    The tree is used up: what was dropped is gone from it. In mode `publication` references are dropped too. `blocks` are
    its `main_blocks`, if they are known, for the default algorithm.
    """
    description = (meta if meta is not None else MetaTags(tree)).description()
    if algorithm == "classic":
        text = classic_text(tree, mode)
    else:
        text = text_of_blocks(main_blocks(tree, mode) if blocks is None else blocks)
    if text and description and not says_more(description, text):
        description = ""
    return f"{description}\n\n{text}" if description and text else description or text


__all__ = ["HIDDEN", "Algorithm", "Block", "Mode", "clean_page", "main_blocks"]
