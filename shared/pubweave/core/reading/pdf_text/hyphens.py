"""Words broken at the end of a line: mended by what else stands in the same document.

A hyphen at the end of a line either was put there by the typesetter (`infor-` `mation`) or belongs to the word
(`dose-` `dependent`). No dictionary knows the words of a paper as well as the paper itself does.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

_WORD: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_HEAD: Final = re.compile(r"[^\W\d_]*(?:-[^\W\d_]+)*")
_LAST: Final = re.compile(r"[^\W_]+(?:-[^\W_]+)*-$")
_ADDRESS: Final = re.compile(r"(?:://|www\.|@|\bdoi\b)\S*-$", re.I)
_SHORT: Final = 2
_LOOKED_AT: Final = 200
"""How much of what stands before a break is looked at; nobody writes longer words."""
_SECONDS: Final = re.compile(
    "associated|based|containing|dependent|derived|free|induced|like|mediated|related|resistant|rich|specific"
)
"""Words that English joins to others with a hyphen wherever they follow one."""
_SUSPENDED: Final = frozenset({"and", "or", "to", "und", "oder"})
"""Before these a hyphen stands for what comes later."""


def _whole_words(lines: tuple[str, ...]) -> Iterator[str]:
    """The lines without the halves of words that are broken at their ends."""
    half = False
    for line in lines:
        start = 0
        if half:
            start = line.find(" ") + 1 or len(line)
        half = line[-1] == "-"
        if half:
            yield line[start : max(start, line.rfind(" "))]
        else:
            yield line[start:] if start else line


class WholeWords:
    """The words of a document that stand whole on a line, and how often."""

    def __init__(self, blocks: Iterable[tuple[str, ...]]) -> None:
        text = "\n".join(part for lines in blocks for part in _whole_words(lines)).casefold()
        counts = Counter(_WORD.findall(text))
        self._whole = counts
        self._first: Counter[str] = Counter()
        """First elements of compounds, once for each compound: `non` of non-linear and non-zero is 2."""
        self._second: Counter[str] = Counter()
        for word in counts:
            if "-" in word:
                parts = word.split("-")
                self._first.update(parts[:-1])
                self._second.update(parts[1:])

    def joint(self, before: str, after: str) -> str | None:
        """What stands between two lines of which the first ends in a hyphen: "" (the hyphen goes), "-" or None.

        None: it is no broken word (a dash, the end of a list item); the lines are kept apart by a blank.
        """
        before = before[-_LOOKED_AT:]
        last = _LAST.search(before)
        if last is None or not after or not (after[0].isalnum() or after[0] == "("):
            return None
        if _ADDRESS.search(before):
            return "-"
        left = last.group()[:-1]
        head = _HEAD.match(after)
        right = head.group() if head is not None else ""
        if not right or not left[-1].isalpha():
            return "-"
        if right in _SUSPENDED:
            return None  # in- and outpatients
        return self._joint(left, right)

    def _joint(self, left: str, right: str) -> str:
        start, end = left.casefold().rpartition("-")[2], right.casefold().partition("-")[0]
        whole, kept = self._whole[start + end], self._whole[f"{start}-{end}"]
        if whole != kept:
            return "" if whole > kept else "-"
        if right[0].isupper() and not (left.isupper() and right.isupper() and len(left) > _SHORT):
            return "-"
        if left[-1].isupper() and right[0].islower():
            return "-"  # GC-content, T-cell
        return "-" if self._is_compound(start, end) else ""

    def _is_compound(self, start: str, end: str) -> bool:
        """Whether two halves never seen together look like two words."""
        if len(start) < _SHORT or len(end) <= _SHORT:
            return len(start) < _SHORT
        words = self._whole
        if words[start] and (self._second[end] or (_SECONDS.fullmatch(end) and len(start) > 3)):
            return True  # glucose-dependent, where other things are -dependent
        if self._first[start] > 1 and words[end]:
            return True  # non-trivial, where other things are non-
        return words[start] > 1 and words[end] > 1 and len(start) > 3 and len(end) > 3
