"""A full text that came from JATS, as the article has it: sections with their headings, lists, figures, tables.

What a full text leaves out (F-PT-09) is left out here, too: references, footnotes, acknowledgements, appendices.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final, NamedTuple

from msgspec import UNSET, UnsetType

from pubweave.core.reading.jats.conservation import WITH_ALL_TEXT, named_text
from pubweave.core.reading.jats.document import Content, Document, Grid, Section
from pubweave.core.reading.jats.sections import is_aside
from pubweave.output.html_escape import escape_attribute, escape_text, is_linked, link

_FRONT: Final = frozenset({"title", "abstract", "trans-abstract"})
_LEFT_OUT: Final = frozenset(
    {"ref-list", "fn-group", "ack", "app", "app-group", "bio", "bio-group", "sig-block"}
)
_LISTED: Final = frozenset({"list-item", "def-item"})
_FIRST_HEADING: Final = 4
_LAST_HEADING: Final = 6


class _Insertion(NamedTuple):
    """What B-13 takes out of a text, with where it stood."""

    at: int
    html: str


_Insertions = dict[tuple[str, str], list[_Insertion]]


def shown_sections(document: Document, *, with_title: bool, with_abstract: bool) -> list[Section]:
    """The sections in their order, those left out left out.

    :param with_title: the title, which stands before everything
    :param with_abstract: the article's own abstract after it
    """
    wanted: list[Section] = []
    for part in (document.body_sections, document.back_sections, document.float_sections):
        outside, last = _LEFT_OUT, ""
        if part is document.body_sections:
            outside = (
                _FRONT - ({"title"} if with_title else set()) - ({"abstract"} if with_abstract else set())
            )
        for section in part:
            if last and section.id.startswith(last):
                continue
            last = f"{section.id}." if section.tag in outside or is_aside(section) else ""
            if not last:
                wanted.append(section)
    return [one for one in wanted if one.contents or _heading_text(one)]


def document_html(sections: Iterable[Section], document: Document, number: int) -> str:
    """Sections of a document as HTML, everything escaped, with a tree of their headings before them.

    :param number: of the entry on the page; makes the anchors unique
    """
    shown = list(sections)
    insertions = _insertions(document)
    grids = {grid.content: grid for grid in document.pubweave.grids}
    pieces = [_tree(shown, number)]
    for section in shown:
        pieces.append(_heading(section, number))
        if section.caption:
            pieces.append(f"<p>{escape_text(section.caption)}</p>\n")
        for is_list, some in groupby(section.contents, key=lambda one: one.tag in _LISTED):
            told = [_content(one, grids.get(one.id), insertions) for one in some]
            pieces += ["<ul>\n", *told, "</ul>\n"] if is_list else told
        pieces += _notes(section.asides)
    return "".join(pieces)


def _heading_text(section: Section) -> str:
    if section.implicit and section.tag != "abstract":
        return ""
    return " ".join(word for word in (section.label, section.title) if word)


def _anchor(section: Section, number: int) -> str:
    return escape_attribute(f"e{number}-s{section.id}")


def _heading(section: Section, number: int) -> str:
    text = _heading_text(section)
    if not text:
        return ""
    rank = min(_FIRST_HEADING + max(section.level, 1) - 1, _LAST_HEADING)
    return f'<h{rank} id="{_anchor(section, number)}">{escape_text(text)}</h{rank}>\n'


def _tree(sections: list[Section], number: int) -> str:
    """The headings as nested lists; nothing where there are fewer than three."""
    headed = [one for one in sections if _heading_text(one)]
    if len(headed) < 3:
        return ""
    pieces: list[str] = []
    open_levels: list[int] = []
    for section in headed:
        while open_levels and section.level < open_levels[-1]:
            open_levels.pop()
            pieces.append("</li></ol>")
        if open_levels and section.level == open_levels[-1]:
            pieces.append("</li>\n")
        else:
            open_levels.append(section.level)
            pieces.append("<ol>")
        text = escape_text(_heading_text(section))
        pieces.append(f'<li><a href="#{_anchor(section, number)}">{text}</a>')
    pieces.append("</li></ol>" * len(open_levels))
    return f'<nav class="tree" aria-label="Sections">{"".join(pieces)}</nav>\n'


def _content(one: Content, grid: Grid | None, insertions: _Insertions) -> str:
    copied = len(named_text(one)) if one.tag in WITH_ALL_TEXT else 0
    text = _filled(one, "text", one.text, insertions, copied)
    label, described = _said(one.label), _filled(one, "caption", one.caption, insertions)
    caption = f"<b>{escape_text(label)}</b> {described}".strip() if label else described
    asides = "".join(_notes(one.asides))
    if one.tag in _LISTED:
        return f"<li>{' '.join(word for word in (caption, text) if word)}</li>\n{asides}"
    table = _table(one, grid)
    if one.tag in ("fig", "table", "table-wrap") or table:
        named = f"<figcaption>{caption}</figcaption>" if caption else ""
        notes = () if grid is None else _grid_notes(grid)
        after = "".join(_notes([_said(one.footer), *notes, _said(one.attrib)]))
        body = f"<p>{text}</p>" if text else ""
        return f"<figure>{named}{table}{body}{after}</figure>\n{asides}"
    attributed = escape_text(_said(one.attrib))
    if one.tag == "disp-quote":
        by = f"<p>{attributed}</p>" if attributed else ""
        return f"<blockquote><p>{text}</p>{by}</blockquote>\n{asides}"
    said = " ".join(word for word in (caption, text, attributed) if word)
    return (f"<p>{said}</p>\n" if said else "") + asides


def _said(value: str | UnsetType) -> str:
    return "" if value is UNSET else value


def _notes(texts: Iterable[str] | UnsetType) -> Iterator[str]:
    for text in () if texts is UNSET else texts:
        if text:
            yield f'<p class="note">{escape_text(text)}</p>\n'


def _grid_notes(grid: Grid) -> Iterator[str]:
    return (" ".join(word for word in (note.label, note.text) if word) for note in grid.notes)


def _table(one: Content, grid: Grid | None) -> str:
    if grid is not None:
        rows, heads = grid.rows, grid.header_rows
    else:
        columns = [] if one.table_columns_ is UNSET else one.table_columns_
        values = [] if one.table_values_ is UNSET else one.table_values_
        rows, heads = ([columns] if columns else []) + values, 1 if columns else 0
    if not rows:
        return ""
    lines = [_row(row, "th" if at < heads else "td") for at, row in enumerate(rows)]
    return f'<div class="scroll"><table>{"".join(lines)}</table></div>'


def _row(cells: Iterable[str], element: str) -> str:
    return f"<tr>{''.join(f'<{element}>{escape_text(cell)}</{element}>' for cell in cells)}</tr>\n"


def _insertions(document: Document) -> _Insertions:
    """Formulae, and citations in superscript, by the texts that they were taken out of."""
    found: _Insertions = {}
    for formula in document.pubweave.formulae:
        words = " ".join(word for word in (formula.text or formula.raw or formula.tex, formula.label) if word)
        if words:
            kind = "display" if formula.display else "inline"
            html = f'<span class="formula {kind}">{escape_text(words)}</span>'
            found.setdefault((formula.content, formula.field), []).append(_Insertion(formula.offset, html))
    for citation in document.pubweave.citations:
        if citation.dropped and citation.text:
            html = f"<sup>{escape_text(citation.text)}</sup>"
            found.setdefault((citation.content, citation.field), []).append(_Insertion(citation.start, html))
    return found


def _filled(one: Content, field: str, text: str | UnsetType, insertions: _Insertions, start: int = 0) -> str:
    """A text from `start` on, escaped, its web addresses as links, with what was taken out of it."""
    whole = _said(text)
    pieces: list[str] = []
    last = start
    for at, html in sorted(insertions.get((one.id, field), ()), key=lambda insertion: insertion.at):
        at = min(max(at, last), len(whole))
        pieces += [_linked(whole[last:at]), html if html.startswith("<sup") else f" {html} "]
        last = at
    return "".join([*pieces, _linked(whole[last:])]).strip()


def _linked(text: str) -> str:
    if "://" not in text:
        return escape_text(text)
    words = text.split(" ")
    return " ".join(_link_in(word) if "://" in word else escape_text(word) for word in words)


def _link_in(word: str) -> str:
    """A word that is an address in brackets or before a full stop is a link without them."""
    bare = word.rstrip(".,;:)]").lstrip("([")
    if not is_linked(bare):
        return escape_text(word)
    before, _, after = word.partition(bare)
    return escape_text(before) + link(bare) + escape_text(after)
