"""Whether a page's description says something that its text does not say anyway."""

from __future__ import annotations

import re

_WORD = re.compile(r"\w+")
_MOST_WORDS = 400
"""Of a description; what is longer repeats the text or is none."""
_NEW = 0.25
"""From which share of its words on a description says something else: leads are repeated with a few words changed."""


def says_more(description: str, text: str) -> bool:
    """Whether at least a quarter of the description's words stand nowhere in the text.

    Whatever the script: a word is there where its letters are, so that languages without blanks need no other words.
    """
    words = list(dict.fromkeys(_WORD.findall(description.casefold())[:_MOST_WORDS]))
    if not words:
        return False
    told = text.casefold()
    new = sum(word not in told for word in words)
    return new >= _NEW * len(words)
