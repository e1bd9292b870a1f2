"""Why a URL became an article, was taken into one, or was left out: the walk's own notes as sentences."""

from __future__ import annotations

from pubweave.articles.iterator.definition import Definition
from pubweave.articles.iterator.order import ArchivalUnit, is_below
from pubweave.articles.iterator.walk import WalkNote, iterator_for

_SENTENCES = {
    "included": "include pattern: its beginning fits {}",
    "not-included": "refused: the include pattern does not fit its beginning: {}",
    "excluded": "refused: the exclude pattern fits its beginning: {}",
    "pattern": "general pattern: found {}",
    "no-pattern": "refused: the general pattern is not found in it: {}",
    "media-type": "media type: {} is wanted",
    "other-media-type": "refused: its media type is {!r}, which is not wanted",
    "owned": "owner: {}",
    "no-owner": "refused: no aspect has a pattern that is found in it",
    "repeats": "left out (unique): it repeats {}",
    "asked": "  asked: {}",
    "defers": "emits nothing, because an earlier aspect has a URL: {}",
    "filled": "role: {}",
    "not-filled": "no URL for {}",
    "full-text": "full text set by the order of roles: {}",
    "role-from-others": "role from other roles: {}",
    "emitted": "emitted, full text {}",
    "error": "skipped for an error: {}",
}


def explain(au: ArchivalUnit, definition: Definition, url: str, content_type: str = "") -> list[str]:
    """What the walk does with one URL, a sentence a step, the verdict last.

    :raises DefinitionError: an expression does not compile
    """
    lines: list[str] = []
    if not au.has(url):
        lines.append("not stored: the unit has no such URL with content, so it is not walked; if it were:")
    takers = [root for root in definition.roots if is_below(root, url)]
    lines.extend(f"root: below {root}" for root in takers)
    if len(takers) > 1:
        lines.append(f"walked {len(takers)} times, once for each of these roots")
    if definition.roots and not takers:
        lines.append("refused: below none of the roots: " + ", ".join(definition.roots))
        return lines
    if not definition.roots:
        lines.append("root: none given, the whole unit is walked")
    iterator = iterator_for(au, definition)
    notes: list[WalkNote] = []
    iterator.notes = notes
    for _ in iterator.articles_of(url, content_type):
        pass
    lines.extend(_sentence(note) for note in notes)

    return lines


def _sentence(note: WalkNote) -> str:
    return _SENTENCES[note.step].format(note.about)
