"""Figures, tables, files and their groups: labels, captions, cells, addresses (B-40 … B-52)."""

from typing import TYPE_CHECKING, Final

from lxml import etree
from msgspec import UNSET

from pubweave.core.reading.jats.conservation import WITH_ALL_TEXT, named_text, raw_text
from pubweave.core.reading.jats.document import Content
from pubweave.core.reading.jats.text import OASIS, attribute, one_line
from pubweave.core.reading.jats.walking.contents import Contents, State

if TYPE_CHECKING:
    Element = etree._Element

PMC_ARTICLES: Final = "https://www.ncbi.nlm.nih.gov/pmc/articles/"

_HEADER_ROWS: Final = frozenset({"thead", *(space + "thead" for space in OASIS)})
_ROWS: Final = frozenset({"tr", *(space + "row" for space in OASIS)})
_ROW_GROUPS: Final = frozenset(
    {
        "tbody",
        "tfoot",
        "thead",
        *(space + name for space in OASIS for name in ("tbody", "tfoot", "thead", "tgroup")),
    }
)
_TABLES: Final = frozenset({"table", *(space + "table" for space in OASIS)})
_ASIDES: Final = frozenset({"alt-text", "long-desc", "object-id"})
_LINK_OF_PMC: Final = "Click here "


class Figures(Contents):
    """Walks figures, tables, supplementary material and what stands in them."""

    __slots__ = ("figures", "grids", "pmcid", "supplements", "tables")

    def __init__(self, pmcid: str, *, extras: bool) -> None:
        super().__init__(extras=extras)
        self.pmcid = pmcid
        self.grids: list[tuple[Element, Content]] = []
        self.supplements: list[tuple[Element, Content]] = []
        self.figures = self.tables = 0

    def _group(self, element: "Element", state: State) -> None:
        """A group is removed, its label and caption go to each member (B-41, B-52)."""
        kind = "fig" if element.tag == "fig-group" else "table"
        label = caption = ""
        first_note = len(self.notes)
        members: list[Content] = []
        implicit: Content | None = None
        self._stray(element.text, state)
        for child in element:
            tag = child.tag
            if tag in ("label", "caption", "title") and not members:
                text = self._plain(child)
                before = label if tag == "label" else caption
                if before and text:
                    self._rebook(before, text, f"{before} {text}")
                    text = f"{before} {text}"
                if tag == "label":
                    label = text or label
                else:
                    caption = text or caption
            elif tag in ("fig", "table-wrap"):
                members.append(self._figure(child, state, "fig" if tag == "fig" else "table"))
            elif tag in ("fig-group", "table-wrap-group"):
                self._group(child, state)
            elif tag == "table-wrap-foot" and members:
                self._field(members[-1], "footer", child)
            elif isinstance(tag, str):
                if implicit is None:
                    implicit = self._object(state, kind, element)
                    members.append(implicit)
                self._object_child(child, implicit, state, kind)
            self._stray(child.tail, state)
        if not members and (label or caption or self._asides):
            members.append(self._object(state, kind, element))
        numbers = {member.id for member in members}
        for note in self.notes[first_note:]:
            # what the group's caption is put before has moved
            if note.field in ("label", "caption") and note.content in numbers:
                shift = len(label if note.field == "label" else caption)
                note.start += shift + 1 if shift else 0
                note.end += shift + 1 if shift else 0
        for place, member in enumerate(members):
            if label:
                member.group_label = label
                member.label = f"{label} {member.label or ''}".strip()
            if caption:
                member.group_caption = caption
                member.caption = f"{caption} {member.caption or ''}".strip()
            if place and (label or caption):
                member.group_copy = True
        if members:
            self._settle(members[0].id, "caption", members[0])

    def _object(self, state: State, kind: str, element: "Element") -> Content:
        """An empty figure or table with all its fields (B-40, B-50)."""
        content = self._add(state, kind, UNSET)
        content.label = content.caption = ""
        content.graphics, content.media = [], []
        content.pmcid = self.pmcid
        if kind == "table":
            self.tables += 1
            content.table_columns_ = content.table_columns = []
            content.table_values_ = content.table_values = []
            content.xml = content.footer = ""
        elif kind == "fig":
            self.figures += 1
        xml_id = element.get("id") or ""
        content.xref_id = xml_id
        if xml_id and self.pmcid and kind in ("fig", "table"):
            place = "figure" if kind == "fig" else "table"
            content.xref_url = f"{PMC_ARTICLES}{self.pmcid}/{place}/{xml_id}"
        else:
            content.xref_url = ""
        return content

    def _figure(self, element: "Element", state: State, kind: str) -> Content:
        content = self._object(state, kind, element)
        self._object_parts(element, content, state, kind)
        if kind == "table" and self._extras:
            self.grids.append((element, content))
        return content

    def _append_text(self, content: Content, text: str) -> None:
        text = one_line(text)
        self._book(text)
        if content.tag in WITH_ALL_TEXT:
            self._add_text(content, text)
        else:
            content.asides = [*(content.asides or []), text]

    def _add_text(self, content: Content, text: str) -> None:
        """A text that was booked joins those that a figure, table, file, … has."""
        if content.text:
            self._rebook(content.text, text, f"{content.text} {text}")
            text = f"{content.text} {text}"
        content.text = text

    def _field(self, content: Content, field: str, child: "Element") -> None:
        """Add the text of `child` to a field of a figure or table."""
        text = self._plain(child)
        if text:
            before = getattr(content, field)
            if before:
                # the ledger has two strings, the field one: book them as one
                self._rebook(before, text, f"{before} {text}")
                text = f"{before} {text}"
                for note in self._pending:
                    note.start += len(before) + 1
                    note.end += len(before) + 1
            setattr(content, field, text)
        self._settle(content.id, field, content)

    def _object_child(self, child: "Element", content: Content, state: State, kind: str) -> None:
        tag = child.tag
        if tag == "label" or tag == "caption":
            self._field(content, tag, child)
        elif tag == "graphic" or tag == "media" or tag == "inline-graphic":
            if kind == "supplementary-material":
                self._file(child, content, state)
            else:
                self._link(child, content)
        elif tag == "alternatives":
            self._object_parts(child, content, state, kind)
        elif tag in _TABLES and kind == "table":
            self._table(child, content)
        elif tag == "table-wrap-foot" and kind == "table":
            self._field(content, "footer", child)
        elif tag == "attrib":
            self._field(content, "attrib", child)
        elif tag == "permissions":
            self._field(content, "permissions", child)
        elif tag in _ASIDES:
            self._aside_of(child, content)
        elif tag == "table-wrap" and kind == "fig":
            # B-52: a table within a figure is ignored
            self._finish_dropped(child, "table-in-figure")
        elif tag == "fig" or tag == "table-wrap":
            self._figure(child, state, "fig" if tag == "fig" else "table")
        elif tag == "fig-group" or tag == "table-wrap-group":
            self._group(child, state)
        elif isinstance(tag, str):
            text = self._plain(child)
            if text:
                self._add_text(content, text)
            self._settle(content.id, "text", content)

    def _link(self, child: "Element", content: Content) -> None:
        """A graphic or media of a figure or table: its address; text in it (captions, alternative text) is kept."""
        self._address(child, content)
        if len(child) or child.text:
            self._aside_of(child, content)

    def _file(self, child: "Element", content: Content, state: State) -> None:
        """A file of supplementary material: its label and caption are those of the material."""
        self._address(child, content)
        caption = child.find("caption")
        if caption is not None and raw_text(caption).lstrip().startswith(_LINK_OF_PMC):
            # no caption, but what PMC puts on its link to the file
            self._aside_of(child, content)
        else:
            self._object_parts(child, content, state, "supplementary-material")

    @staticmethod
    def _address(child: "Element", content: Content) -> None:
        href = attribute(child, "href")
        if href:
            target = content.media if child.tag == "media" else content.graphics
            if isinstance(target, list):
                target.append(href)

    def _aside_of(self, child: "Element", content: Content) -> None:
        text = self._plain(child)
        if text:
            content.asides = [*(content.asides or []), text]
        self._settle(content.id, "asides", content)

    def _object_parts(self, element: "Element", content: Content, state: State, kind: str) -> None:
        """The children of a figure, table, file, …; text between them, where none may stand, goes beside."""
        text = element.text
        if text and not text.isspace():
            self._append_text(content, text)
        for child in element:
            self._object_child(child, content, state, kind)
            text = child.tail
            if text and not text.isspace():
                self._append_text(content, text)

    def _tell_all(self, content: Content, first_note: int) -> None:
        """B-32: what is neither figure nor table has all its text in `text`, label and caption (B-31) too."""
        copied, own = named_text(content), content.text or ""
        content.text = " ".join(text for text in (copied, own) if text)
        for note in self.notes[first_note:] if copied and own else ():
            if note.content == content.id and note.field == "text":
                note.start += len(copied) + 1
                note.end += len(copied) + 1

    def _media(self, child: "Element", state: State) -> None:
        """A picture or film that stands alone."""
        content = self._add(state, str(child.tag), UNSET)
        content.graphics, content.media, content.text = [], [], ""
        content.pmcid = self.pmcid
        content.xref_id = child.get("id") or ""
        href = attribute(child, "href")
        if href:
            (content.media if child.tag == "media" else content.graphics).append(href)
        first_note = len(self.notes)
        self._object_parts(child, content, state, str(child.tag))
        self._tell_all(content, first_note)

    def _supplement(self, element: "Element", state: State) -> None:
        """The container is removed (B-52): its tables and figures are normal; a graphic in it is an implicit figure."""
        implicit_figure = (
            element.find("graphic") is not None or element.find("alternatives/graphic") is not None
        )
        kind = "fig" if implicit_figure else "supplementary-material"
        content = self._object(state, kind, element)
        first_note = len(self.notes)
        href = attribute(element, "href")
        if href and content.media is not UNSET:
            content.media.append(href)
        text = element.text
        if text and not text.isspace():
            self._append_text(content, text)
        for child in element:
            tag = child.tag
            if tag in (
                "p",
                "list",
                "sec",
                "table-wrap",
                "table-wrap-group",
                "fig",
                "fig-group",
                "disp-quote",
                "def-list",
            ):
                self.block(child, state)
            else:
                self._object_child(child, content, state, "supplementary-material")
            text = child.tail
            if text and not text.isspace():
                self._append_text(content, text)
        if kind == "supplementary-material":
            self._tell_all(content, first_note)
        if self._extras:
            self.supplements.append((element, content))

    def _table(self, table: "Element", content: Content) -> None:
        """Header texts and cell texts row by row; the markup itself is a copy for display (B-50, B-51)."""
        columns, values = content.table_columns_, content.table_values_
        if isinstance(columns, list) and isinstance(values, list):
            self._rows(table, columns, values, heading=False)
        copy = etree.tostring(table, encoding="unicode", with_tail=False)
        content.xml = f"{content.xml}{copy}" if content.xml else copy
        self._settle(content.id, "tableValues", content)

    def _rows(self, group: "Element", columns: list[str], values: list[list[str]], *, heading: bool) -> None:
        text = group.text
        if text and not text.isspace():
            values.append([self._booked(text)])
        for child in group:
            tag = child.tag
            if tag in _ROWS:
                if heading:
                    columns.extend(self._cells(child, "tableColumns", len(columns)))
                else:
                    values.append(self._cells(child, f"tableValues[{len(values)}]", 0))
            elif tag in _ROW_GROUPS:
                self._rows(child, columns, values, heading=tag in _HEADER_ROWS)
            elif isinstance(tag, str):
                text = self._plain(child)
                if text:
                    values.append([text])
            text = child.tail
            if text and not text.isspace():
                values.append([self._booked(text)])

    def _cells(self, row: "Element", field: str, offset: int) -> list[str]:
        """The texts of a row; notes in them are told where by `field` and the number of the cell."""
        cells: list[str] = []
        add = cells.append
        pieces, flow = self.ledger.pieces, self.ledger.flow
        text = row.text
        if text and not text.isspace():
            add(self._booked(text))
        for cell in row:
            if len(cell):
                add(self._plain(cell))
                for note in self._pending:
                    note.field = note.field or f"{field}[{offset + len(cells) - 1}]"
            else:
                text = cell.text
                if text:
                    text = " ".join(text.split())
                    if text:
                        pieces.append(text)
                        flow.append(text)
                    add(text)
                else:
                    add("")
            text = cell.tail
            if text and not text.isspace():
                add(self._booked(text))
        return cells
