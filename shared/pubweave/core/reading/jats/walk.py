"""The walk: one pass over abstract, body, floats and back that emits flattened sections and keeps the ledger.

Rule 1: text is emitted or dropped through `_finish`, `_plain` or `Ledger.drop`, never otherwise: so the ledger knows.
Rule 2: what is not known is not skipped: it becomes a content element with its own tag and all its text (B-32).
"""

from typing import TYPE_CHECKING, Any, Final

from lxml import etree
from msgspec import UNSET, UnsetType

from pubweave.core.reading.jats.conservation import WITH_ALL_TEXT, Ledger, named_text, raw_text
from pubweave.core.reading.jats.document import Content, Reference, ReferencePerson, Section
from pubweave.core.reading.jats.references import (
    CITATIONS,
    SIMPLE,
    TELLING,
    begin_reference,
    finish_references,
    read_part,
    read_references,
)
from pubweave.core.reading.jats.text import FORMATS, MATHML, OASIS, attribute, one_line, plain_text

if TYPE_CHECKING:
    Element = etree._Element
    Marks = list[tuple[int, str, str, Any]]

PMC_ARTICLES: Final = "https://www.ncbi.nlm.nih.gov/pmc/articles/"

# How an element inside running text is met.
INLINE, BLANK, SPLIT, XREF, SUP, FORMULA, ALTERNATIVES, ASIDE, SKIP, ENTITY = range(10)

_FORMULAE: Final = (
    "inline-formula", "disp-formula", "disp-formula-group", "tex-math", "math", MATHML + "math", "mml-math",
)  # fmt: skip

_INLINE_ROLES: Final[dict[Any, int]] = {
    **dict.fromkeys(
        (
            "p", "title", "label", "caption", "break", "fn", "term", "def", "term-head", "def-head", "def-item",
            "list-item", "tr", "td", "th", "thead", "tbody", "tfoot", "table", "col", "colgroup", "attrib", "speaker",
            "verse-line", "sig", "sec", "app", "ack", "bio", "glossary", "notes", "ref-list", "ref", "fn-group",
            "table-wrap-foot", "subtitle", "article-title", "trans-title", "trans-subtitle", "alt-title", "note",
            "citation", "element-citation", "nlm-citation", "mixed-citation", "person-group", "name", "string-name",
            "surname", "given-names", "addr-line", "address", "question", "answer", "explanation", "question-wrap",
            "answer-set", "trans-title-group", "app-group", "bio-group", "contrib", "contrib-group", "aff", "institution-id", "citation-alternatives",
            *(space + name for space in OASIS for name in ("table", "tgroup", "thead", "tbody", "row", "entry")),
        ),
        BLANK,
    ),
    **dict.fromkeys(
        (
            "fig", "fig-group", "table-wrap", "table-wrap-group", "list", "def-list", "boxed-text",
            "supplementary-material", "disp-quote", "statement", "verse-group", "speech", "preformat", "code", "array",
            "chem-struct-wrap", "graphic", "media", "sig-block", "floats-group", "floats-wrap",
        ),
        SPLIT,
    ),
    **dict.fromkeys(_FORMULAE, FORMULA),
    **dict.fromkeys(("alt-text", "long-desc", "object-id", "permissions"), ASIDE),
    "alternatives": ALTERNATIVES,
    "xref": XREF,
    "sup": SUP,
    etree.Comment: SKIP,
    etree.ProcessingInstruction: SKIP,
    etree.Entity: ENTITY,
}  # fmt: skip

# How a child of a section is met.
(
    B_DEFAULT, B_P, B_SECTION, B_HEAD, B_FIGURE, B_TABLE, B_GROUP, B_LIST, B_DEF_LIST, B_SUPPLEMENT, B_FORMULA,
    B_DISSOLVE, B_REF, B_MEDIA, B_SKIP, B_ASIDE,
) = range(16)  # fmt: skip

_BLOCK_ROLES: Final[dict[Any, int]] = {
    "p": B_P,
    **dict.fromkeys(
        (
            "sec", "app", "boxed-text", "ref-list", "ack", "bio", "glossary", "notes", "fn-group", "abstract",
            "trans-abstract",
        ),
        B_SECTION,
    ),
    **dict.fromkeys(("title", "label", "caption"), B_HEAD),
    "fig": B_FIGURE,
    "table-wrap": B_TABLE,
    "fig-group": B_GROUP,
    "table-wrap-group": B_GROUP,
    "list": B_LIST,
    "def-list": B_DEF_LIST,
    "supplementary-material": B_SUPPLEMENT,
    **dict.fromkeys(_FORMULAE, B_FORMULA),
    **dict.fromkeys(("app-group", "bio-group", "floats-group", "floats-wrap", "front-stub", "body", "back"), B_DISSOLVE),
    "ref": B_REF,
    **dict.fromkeys(("graphic", "media"), B_MEDIA),
    **dict.fromkeys(("alt-text", "long-desc", "object-id"), B_ASIDE),
    etree.Comment: B_SKIP,
    etree.ProcessingInstruction: B_SKIP,
}  # fmt: skip

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
_FORMULA_TAGS: Final = frozenset(_FORMULAE)

_texts = etree.XPath(".//text()", smart_strings=False)

_inline_role = _INLINE_ROLES.get
_block_role = _BLOCK_ROLES.get


class Note:
    """Something met in the text whose place a reader may want: a citation or a formula."""

    __slots__ = ("content", "dropped", "element", "end", "field", "kind", "start", "text")

    def __init__(self, kind: str, element: Any, start: int, end: int, text: str, dropped: bool) -> None:
        self.kind, self.element, self.start, self.end = kind, element, start, end
        self.text, self.dropped = text, dropped
        self.content = self.field = ""


class State:
    """A section being filled, or (with `section` None) a part of the article that is none itself.

    `number` is the dotted id; `made` counts children, sections and contents alike (B-22). `target` is the section
    that takes contents: after a subsection it must be a new one (B-27), so it is None then.
    """

    __slots__ = ("divided", "level", "made", "number", "section", "tag", "target")

    def __init__(self, number: str, level: int, tag: str, section: Section | None) -> None:
        self.number, self.level, self.tag, self.section = number, level, tag, section
        self.made = 0
        self.target = section
        self.divided = False


class Walker:
    """Walks parts of one article. `notes` are gathered only if `extras` is true."""

    __slots__ = (
        "_alternative",
        "_asides",
        "_extras",
        "_in_ref_list",
        "_marks",
        "_pending",
        "_side",
        "_top",
        "figures",
        "grids",
        "ledger",
        "notes",
        "paragraphs",
        "pmcid",
        "references",
        "sections",
        "supplements",
        "tables",
    )  # fmt: skip

    def __init__(self, pmcid: str, *, extras: bool) -> None:
        self.pmcid = pmcid
        self.ledger = Ledger()
        self.sections: list[Section] = []
        self.notes: list[Note] = []
        self.references: list[Reference] = []
        self.grids: list[tuple[Element, Content]] = []
        self.supplements: list[tuple[Element, Content]] = []
        self.figures = self.tables = self.paragraphs = 0
        self._extras = extras
        self._marks: Marks = []
        self._pending: list[Note] = []
        self._asides: list[str] = []
        self._alternative = ""
        self._in_ref_list = False
        self._side = False
        self._top = 0

    # -- parts -------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Start a new list of sections (body, back, floats); the numbering runs on."""
        self.sections = []
        self.figures = self.tables = self.paragraphs = 0
        self.ledger = Ledger()

    def title(self, pieces: "list[Element]") -> str:
        """The title section (B-28) from the elements of the title group that belong to the title (B-11)."""
        out: list[str] = []
        for element in pieces:
            if out:
                out.append(" ")
            self._inline(element, out, None)
        text = self._finish(out)
        if text or self._asides:
            self._top += 1
            number = str(self._top)
            section = Section(number, "title", 1, True, "", "Title", "", [Content(f"{number}.1", "p", text)])
            self.sections.append(section)
            self._settle(f"{number}.1", "text", section.contents[0])
        return text

    def part(self, element: "Element", tag: str) -> None:
        """Walk the children of body, back or floats-group; contents directly below make an implicit section."""
        state = State("", 0, tag, None)
        self._stray(element.text, state)
        for child in element:
            self.block(child, state)
            self._stray(child.tail, state)

    def element(self, element: "Element", tag: str) -> None:
        """Walk one element as if a part held it alone."""
        self.block(element, State("", 0, tag, None))

    def reserve(self, count: int) -> int:
        """Numbers for `count` sections that may come in another order than they have; gives the first."""
        first = self._top + 1
        self._top += count
        return first

    def abstract(self, element: "Element", number: int, *, own: bool) -> Section:
        """An abstract as the section `number`: the article's own is implicit and titled "Abstract" (B-28), any other
        (translated, highlights, …) keeps its title and is not implicit."""
        after, self._top, self._side = self._top, number - 1, not own
        section = self._section(element, State("", 0, "body", None))
        self._top, self._side = after, False
        return section

    # -- sections ------------------------------------------------------------------------------------------------

    def _number(self, state: State) -> str:
        if state.level:
            state.made += 1
            return f"{state.number}.{state.made}"
        self._top += 1
        return str(self._top)

    def _open(self, state: State, tag: str, implicit: bool) -> tuple[State, Section]:
        number = self._number(state)
        section = Section(number, tag, state.level + 1, implicit, "", "", "", [])
        self.sections.append(section)
        return State(number, state.level + 1, tag, section), section

    def _section(self, element: "Element", state: State) -> Section:
        tag = str(element.tag)
        own_abstract = tag == "abstract" and not self._side
        inner, section = self._open(state, tag, own_abstract)
        state.target = None
        state.divided = True
        if own_abstract:
            section.title = "Abstract"
        attributes = element.attrib
        if attributes:
            section.xml_id = attributes.get("id") or UNSET
            section.kind = (
                attributes.get("sec-type")
                or attributes.get("abstract-type")
                or attributes.get("notes-type")
                or attributes.get("content-type")
                or UNSET
            )
            language = attributes.get("{http://www.w3.org/XML/1998/namespace}lang")
            if language:
                section.language = language
        outermost = tag == "ref-list" and not self._in_ref_list
        if outermost:
            self._in_ref_list = True
        text = element.text
        if text:
            self._stray(text, inner)
        for child in element:
            role = _block_role(child.tag, B_DEFAULT)
            if role == B_REF:
                self._ref(child, inner)
            elif role == B_P:
                self._paragraph(child, inner, "p")
            else:
                self.block(child, inner)
            text = child.tail
            if text and not text.isspace():
                self._stray(text, inner)
        if outermost:
            self._in_ref_list = False
        return section

    def _add(self, state: State, tag: str, text: "str | UnsetType") -> Content:
        """A new content element where the next one belongs."""
        section = state.target
        if section is None:
            # B-25 and B-27: content beside sections needs a section of its own
            first = state.section is None and not state.divided
            section = self._open(state, state.tag if first else "wrap", True)[1]
            state.divided = True
            state.target = section
        contents = section.contents
        if section is state.section:
            state.made += 1
            number = f"{state.number}.{state.made}"
        else:
            number = f"{section.id}.{len(contents) + 1}"
        content = Content(number, tag, text)
        contents.append(content)
        return content

    def _stray(self, text: "str | None", state: State) -> None:
        """Text where only elements may stand: broken, but not lost."""
        if text and not text.isspace():
            text = one_line(text)
            self._book(text)
            self._add(state, "p", text)
            self.paragraphs += 1

    def block(self, child: "Element", state: State) -> None:
        """One child of a section or part. Its tail is the caller's."""
        tag = child.tag
        role = _block_role(tag, B_DEFAULT)
        if role == B_P:
            self._paragraph(child, state, "p")
        elif role == B_SECTION:
            self._section(child, state)
        elif role == B_HEAD:
            self._head(child, state)
        elif role == B_REF:
            self._ref(child, state)
        elif role == B_FIGURE:
            self._figure(child, state, "fig")
        elif role == B_TABLE:
            self._figure(child, state, "table")
        elif role == B_LIST:
            self._list(child, state)
        elif role == B_FORMULA:
            out: list[str] = []
            self._formula(child, out)
            self._flush(state, "p", out)
        elif role == B_GROUP:
            self._group(child, state)
        elif role == B_DEF_LIST:
            self._definitions(child, state)
        elif role == B_SUPPLEMENT:
            self._supplement(child, state)
        elif role == B_DISSOLVE:
            self._stray(child.text, state)
            for one in child:
                self.block(one, state)
                self._stray(one.tail, state)
        elif role == B_MEDIA:
            self._media(child, state)
        elif role == B_ASIDE and state.section is not None:
            text = self._plain(child)
            if text:
                state.section.asides = [*(state.section.asides or []), text]
            self._settle(state.section.id, "asides", state.section)
        elif role in (B_DEFAULT, B_ASIDE):
            self._default(child, state)

    def _head(self, child: "Element", state: State) -> None:
        """Label, title and caption of a section; a second one, or one after contents, is a content element."""
        section = state.section
        tag = str(child.tag)
        if section is None or section.contents or state.target is not section:
            self._default(child, state)
            return
        if tag == "title" and section.implicit and section.tag == "abstract":
            text = self._finish_dropped(child, "abstract-title")
            if section.xml_title:
                section.xml_title = f"{section.xml_title} {text}"
            else:
                section.xml_title = text or UNSET
            return
        if getattr(section, tag):
            self._default(child, state)
            return
        text = self._plain(child)
        setattr(section, tag, text)
        self._settle(section.id, tag, section)

    def _default(self, child: "Element", state: State) -> None:
        """Tag and all text, no special care (B-32)."""
        tag: Any = child.tag
        if not isinstance(tag, str):
            return
        text = self._plain(child)
        if text or self._asides:
            content = self._add(state, tag.rpartition("}")[2], text)
            if tag == "fn":
                content.kind = child.get("fn-type") or UNSET
                if child.get("id"):
                    content.rid = child.get("id") or UNSET
            self._settle(content.id, "text", content)
        elif self._pending:
            self._settle(state.target.id if state.target is not None else state.number, "text", None)

    def _paragraph(self, element: "Element", state: State, tag: str) -> None:
        if len(element):
            out: list[str] = []
            self._inline(element, out, (state, tag))
            if self._marks or self._asides:
                self._flush(state, tag, out)
                return
            text = "".join(out)
        else:
            text = element.text or ""
        if text:
            text = one_line(text)
            if text:
                ledger = self.ledger
                ledger.pieces.append(text)
                ledger.flow.append(text)
                self._add(state, tag, text)
                self.paragraphs += 1

    def _flush(self, state: State, tag: str, out: list[str]) -> None:
        """What was gathered becomes a content element, if it has text."""
        if not out and not self._marks:
            return
        text = self._finish(out)
        out.clear()
        if text or self._asides:
            content = self._add(state, tag, text)
            if tag == "p":
                self.paragraphs += 1
            self._settle(content.id, "text", content)
        elif self._pending:
            self._settle(state.target.id if state.target is not None else state.number, "text", None)

    # -- lists ---------------------------------------------------------------------------------------------------

    def _list(self, element: "Element", state: State) -> None:
        self._stray(element.text, state)
        for child in element:
            if child.tag == "list-item":
                self._item(child, state)
            else:
                self.block(child, state) if child.tag == "list" else self._default(child, state)
            self._stray(child.tail, state)

    def _item(self, element: "Element", state: State) -> None:
        """One element per item (B-33); figures and tables in it are figures and tables (A-39)."""
        out: list[str] = []
        self._inline(element, out, (state, "list-item"))
        self._flush(state, "list-item", out)

    def _definitions(self, element: "Element", state: State) -> None:
        self._stray(element.text, state)
        for child in element:
            if child.tag == "def-list":
                self._definitions(child, state)
            elif child.tag == "def-item":
                out: list[str] = []
                self._inline(child, out, (state, "def-item"))
                self._flush(state, "def-item", out)
            else:
                self._default(child, state)
            self._stray(child.tail, state)

    # -- figures, tables, supplements ------------------------------------------------------------------------------

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

    # -- references ------------------------------------------------------------------------------------------------

    def _ref(self, element: "Element", state: State) -> None:
        plainly = self._in_ref_list
        if plainly:
            for child in element:
                if child.tag not in _PLAIN_REFERENCE:
                    plainly = False
                    break
        plainly = plainly and next(element.iter(*_NOT_PLAINLY_CITED), None) is None
        if plainly:
            # parts without punctuation between them: libxml2 gathers them at once
            text = one_line(" ".join(_texts(element)))  # type: ignore[arg-type]
            if text:
                self._book(text)
                content = self._add(state, "ref", text)
                content.rid = element.get("id") or ""
                if self._extras:
                    self.references.extend(read_references(element, content))
            return
        # what lxml has once made for an element stays while somebody holds it: the text and the data want the same
        held = list(element.iter()) if self._extras else None
        out: list[str] = []
        if element.text:
            out.append(element.text)
        tags = [child.tag for child in element]
        # SciELO gives the same reference twice without saying so
        twins = tags.count("mixed-citation") == 1 and tags.count("element-citation") == 1
        # text and data of a reference in one walk, where each citation stands for itself
        together = held is not None and not twins and "citation-alternatives" not in tags
        found: list[Reference] = []
        label = ""
        for child, tag in zip(element, tags, strict=True):
            out.append(" ")
            if twins and tag == "element-citation":
                self._marks.append((len(out), "alternative", " ".join(_texts(child)), child))  # type: ignore[arg-type]
            elif tag == "citation-alternatives":
                self._alternatives(child, out)
            elif tag == "label" or tag == "note" or tag == "p":
                if len(child):
                    self._inline(child, out, None)
                elif child.text:
                    out.append(child.text)
                if together and tag == "label" and not label:
                    label = plain_text(child)
            elif together and tag in CITATIONS:
                made = begin_reference(element, child, "")
                found.append(made)
                self._cite(child, out, made, "author")
            elif isinstance(tag, str):
                self._cite(child, out)
            if child.tail:
                out.append(" ")
                out.append(child.tail)
        text = self._finish(out)
        if text or self._alternative or self._asides:
            content = self._add(state, "ref", text)
            content.rid = element.get("id") or ""
            if self._alternative:
                content.alternative = self._alternative
                self._alternative = ""
            self._settle(content.id, "text", content)
            if together:
                for made in found:
                    made.label = label
                last = next((tag for tag in reversed(tags) if tag in CITATIONS), "")
                self.references.extend(finish_references(found, last, content))
            elif held is not None:
                self.references.extend(read_references(element, content))

    def _alternatives(self, element: "Element", out: list[str]) -> None:
        """Of the same reference given twice the one for reading is text, the other goes beside it."""
        best = element.find("mixed-citation")
        if best is None:
            best = next((one for one in element if isinstance(one.tag, str)), None)
        if element.text:
            out.append(element.text)
        for one in element:
            if one is best:
                self._cite(one, out)
            elif isinstance(one.tag, str):
                self._marks.append((len(out), "alternative", " ".join(_texts(one)), one))  # type: ignore[arg-type]
            out.append(" ")
            if one.tail:
                out.append(one.tail)

    def _cite(
        self, element: "Element", out: list[str], made: Reference | None = None, role: str = ""
    ) -> None:
        """A reference's text: its parts are set apart where nothing else does, words are not cut at markup.

        With `made`, what `references.read_part` tells goes there, without going over the elements again.
        """
        text = element.text
        append = out.append
        if text:
            append(text)
        bare = not text
        for child in element:
            tag = child.tag
            if len(child):
                if tag in FORMATS:
                    self._inline_one(child, out)
                    if made is not None:
                        read_part(child, tag, made, role)
                    text = child.tail
                    if text:
                        append(text)
                    bare = False
                    continue
                if bare:
                    append(" ")
                if made is not None and tag in _PEOPLE:
                    if tag == "person-group":
                        self._cite(child, out, made, child.get("person-group-type") or role)
                    else:
                        self._cite_person(child, out, made, role)
                elif tag in _CITED_SPECIALLY:
                    self._inline_one(child, out)
                    if made is not None:
                        read_part(child, tag, made, role)
                elif made is not None and tag in TELLING and tag != "comment":
                    self._cite(child, out)
                    read_part(child, tag, made, role)
                else:
                    self._cite(child, out, made, role)
            elif bare and tag in FORMATS:
                text = child.text
                if text:
                    append(text)
                text = child.tail
                if text:
                    append(text)
                bare = False
                continue
            else:
                if bare:
                    append(" ")
                text = child.text
                if text:
                    append(text)
                if made is not None:
                    field = SIMPLE.get(tag)
                    if field is not None:
                        if text and not getattr(made, field):
                            setattr(made, field, " ".join(text.split()))
                    elif tag in TELLING:
                        read_part(child, tag, made, role)
            text = child.tail
            if text:
                append(text)
                bare = False
            else:
                bare = True
        # WARNING: after a format without a tail the next part may touch it: <italic>J</italic><year>1999</year>

    def _cite_person(self, element: "Element", out: list[str], made: Reference, role: str) -> None:
        """A person's name, nearly always two elements without any in them."""
        start = len(out)
        surname = given = ""
        text = element.text
        if text:
            out.append(text)
        bare = not text
        for child in element:
            tag = child.tag
            if len(child) or tag in FORMATS or tag in _CITED_SPECIALLY:
                del out[start:]
                self._cite(element, out)
                read_part(element, "name", made, role)
                return
            if bare:
                out.append(" ")
            text = child.text
            if text:
                out.append(text)
            if tag == "surname":
                surname = " ".join(text.split()) if text else ""
            elif tag == "given-names":
                given = " ".join(text.split()) if text else ""
            text = child.tail
            if text:
                out.append(text)
                bare = False
            else:
                bare = True
        if surname:
            made.people.append(ReferencePerson(surname, given, "", role))
        else:
            read_part(element, "name", made, role)

    # -- running text ------------------------------------------------------------------------------------------------

    def _inline_one(self, child: "Element", out: list[str]) -> None:
        """One inline element, with the roles that `_inline` gives to children."""
        role = _inline_role(child.tag, INLINE)
        if role == FORMULA:
            self._formula(child, out)
        elif role == SUP:
            self._superscript(child, out, None)
        elif role == XREF:
            self._xref(child, out)
        elif role == ASIDE:
            self._aside(child, out)
        elif role not in (SKIP, ENTITY):
            self._inline(child, out, None)

    def _inline(self, element: "Element", out: list[str], split: "tuple[State, str] | None") -> None:
        """Gather running text: markup joins, blocks are set apart by blanks or, where `split` allows, on their own."""
        extras = self._extras
        text = element.text
        if text:
            out.append(text)
        for child in element:
            role = _inline_role(child.tag, INLINE)
            if role == INLINE:
                if len(child):
                    self._inline(child, out, split)
                else:
                    text = child.text
                    if text:
                        out.append(text)
            elif role == XREF:
                if extras or len(child):
                    self._xref(child, out)
                else:
                    text = child.text
                    if text:
                        out.append(text)
            elif role == SUP:
                if len(child):
                    self._superscript(child, out, split)
                else:
                    text = child.text
                    if text:
                        out.append(text)
            elif role == BLANK:
                out.append(" ")
                self._inline(child, out, split)
                out.append(" ")
            elif role == FORMULA:
                self._formula(child, out)
            elif role == SPLIT:
                if split is None:
                    out.append(" ")
                    self._inline(child, out, None)
                    out.append(" ")
                else:
                    self._flush(split[0], split[1], out)
                    self.block(child, split[0])
            elif role == ALTERNATIVES:
                if any(one.tag in _FORMULA_TAGS for one in child):
                    self._formula(child, out)
                else:
                    out.append(" ")
                    self._inline(child, out, split)
                    out.append(" ")
            elif role == ASIDE:
                self._aside(child, out)
            elif role == ENTITY:
                out.append(child.text or "")
            text = child.tail
            if text:
                out.append(text)

    def _xref(self, child: "Element", out: list[str]) -> None:
        """A cross-reference: text, unless it is a citation in superscript (B-13)."""
        if len(child):
            raised = all(one.tag == "sup" and not (one.tail or "").strip() for one in child)
            if raised and child.get("ref-type") == "bibr" and not (child.text or "").strip():
                self._marks.append((len(out), "superscript-citation", raw_text(child), child))
                return
            start = len(out)
            if self._extras:
                self._marks.append((start, "<", "", child))
            # blocks in a reference are part of its text: a reference is never torn in two
            self._inline(child, out, None)
            if self._extras:
                self._marks.append((len(out), ">", "", child))
            return
        text = child.text
        if text:
            if self._extras:
                start = len(out)
                self._marks.append((start, "<", "", child))
                out.append(text)
                self._marks.append((start + 1, ">", "", child))
            else:
                out.append(text)

    def _superscript(self, element: "Element", out: list[str], split: "tuple[State, str] | None") -> None:
        """A superscript: its citations go; if only punctuation would be left, it goes too (B-13)."""
        citations = [child for child in element if child.tag == "xref" and child.get("ref-type") == "bibr"]
        if not citations:
            self._inline(element, out, split)
            return
        cited = set(citations)
        rest = (element.text or "") + "".join(
            raw_text(child) + (child.tail or "") if child not in cited else (child.tail or "")
            for child in element
        )
        alone = not any(letter.isalnum() for letter in rest)
        if alone:
            if self._extras:
                for child in citations[:-1]:
                    self._marks.append((len(out), "superscript-citation+", "", child))
            self._marks.append((len(out), "superscript-citation", raw_text(element), citations[-1]))
            return
        text = element.text
        if text:
            out.append(text)
        for child in element:
            if child in cited:
                self._marks.append((len(out), "superscript-citation", raw_text(child), child))
            else:
                self._inline_one(child, out)
            text = child.tail
            if text:
                out.append(text)

    def _formula(self, element: "Element", out: list[str]) -> None:
        """Formulae are removed, what follows them is not (B-13); a blank keeps the neighbours apart."""
        out.append(" ")
        self._marks.append((len(out), "formula", raw_text(element), element))

    def _aside(self, element: "Element", out: list[str]) -> None:
        self._marks.append((len(out), "aside", raw_text(element), element))

    # -- the ledger --------------------------------------------------------------------------------------------------

    def _book(self, text: str) -> None:
        self.ledger.pieces.append(text)
        self.ledger.flow.append(text)

    def _booked(self, text: str) -> str:
        text = one_line(text)
        self._book(text)
        return text

    def _rebook(self, before: object, text: str, joined: str) -> None:
        """Two strings of the flow became one field: the ledger's flow has the one."""
        flow = self.ledger.flow
        for place in range(len(flow) - 1, -1, -1):
            if flow[place] == text:
                del flow[place]
                break
        for place in range(len(flow) - 1, -1, -1):
            if flow[place] == before:
                flow[place] = joined
                break

    def _finish_dropped(self, element: "Element", reason: str) -> str:
        raw = raw_text(element)
        text = one_line(raw)
        if text:
            self.ledger.drop(reason, text)
        return text

    def _plain(self, element: "Element") -> str:
        """All text of an element on one line."""
        if len(element):
            out: list[str] = []
            self._inline(element, out, None)
            if self._marks:
                return self._finish(out)
            text = "".join(out)
        else:
            text = element.text or ""
        if not text:
            return ""
        text = one_line(text)
        if text:
            self.ledger.pieces.append(text)
            self.ledger.flow.append(text)
        return text

    def _finish(self, out: list[str]) -> str:
        """Normalise what was gathered (B-12), book it and what was dropped amid it; places become notes."""
        marks = self._marks
        if not marks:
            text = one_line("".join(out))
            if text:
                self.ledger.pieces.append(text)
                self.ledger.flow.append(text)
            return text
        self._marks = []
        if all(mark[1] in "<>" for mark in marks):
            whole = "".join(out)
            text = one_line(whole)
            if len(text) == len(whole) or text == whole.strip():
                return self._finish_clean(out, whole, text, marks)
        return self._finish_marked(out, marks)

    def _finish_clean(self, out: list[str], whole: str, text: str, marks: "Marks") -> str:
        """Nothing to be dropped and no white space to be collapsed: places follow from the lengths alone."""
        if text:
            self.ledger.pieces.append(text)
            self.ledger.flow.append(text)
        at = -(len(whole) - len(whole.lstrip())) if whole[:1].isspace() else 0
        lead = -at
        last = 0
        pending = self._pending
        opened: dict[Any, Note] = {}
        for place, kind, _, element in marks:
            if place > last:
                at += len(out[last]) if place == last + 1 else sum(map(len, out[last:place]))
                last = place
            if kind == "<":
                # a blank that is still owed comes before the reference
                opened[element] = Note("xref", element, min(max(at, 0), len(text) + 1), 0, "", False)
            else:
                note = opened.pop(element)
                end = at - 1 if at > 0 and whole[at + lead - 1].isspace() else at
                note.end = max(min(end, len(text)), note.start)
                quote = text[note.start : note.end]
                if quote[:1].isspace():
                    note.start += 1
                note.text = quote.strip()
                pending.append(note)
        return text

    def _finish_marked(self, out: list[str], marks: "Marks") -> str:
        """The general case: segment by segment, with what is dropped between them."""
        ledger = self.ledger
        words: list[str] = []
        length = 0
        blank = cited = False
        last = 0
        opened: dict[Any, Note] = {}
        asides: list[str] = []
        for place, kind, raw, element in [*marks, (len(out), "", "", None)]:
            if place > last:
                segment = "".join(out[last:place])
                last = place
                if segment:
                    found = segment.split()
                    if found:
                        joined = " ".join(found)
                        if length:
                            if (blank or segment[0].isspace()) and not (cited and joined[0] in _CLOSING):
                                words.append(" ")
                                length += 1
                            else:
                                ledger.glued += 1
                        words.append(joined)
                        length += len(joined)
                        blank = segment[-1].isspace()
                        cited = False
                        ledger.pieces.append(joined)
                    else:
                        blank = True
            if kind == "<":
                # a blank that is still owed comes before the reference
                note = Note("xref", element, length + (1 if length and blank else 0), 0, "", False)
                opened[element] = note
            elif kind == ">":
                note = opened.pop(element)
                note.end = max(length, note.start)
                self._pending.append(note)
            elif kind == "aside" or kind == "alternative":
                text = one_line(raw)
                if text:
                    ledger.pieces.append(text)
                    if kind == "aside":
                        asides.append(text)
                    else:
                        self._alternative = f"{self._alternative} {text}".strip()
            elif kind:
                cited = cited or kind == "superscript-citation"
                if kind[-1] != "+":
                    text = one_line(raw)
                    if text:
                        ledger.drop(kind, text)
                if self._extras:
                    name = "formula" if kind == "formula" else "xref"
                    self._pending.append(Note(name, element, length, length, raw, True))
        text = "".join(words)
        if text:
            ledger.flow.append(text)
        ledger.flow.extend(asides)
        self._asides.extend(asides)
        if self._alternative:
            ledger.flow.append(self._alternative)
        for note in self._pending:
            if not note.dropped and not note.text:
                quote = text[note.start : note.end]
                note.start += len(quote) - len(quote.lstrip())
                note.text = quote.strip()
        return text

    def _settle(self, number: str, field: str, holder: "Content | Section | None") -> None:
        """Tell pending notes and asides which content element or section they belong to."""
        pending = self._pending
        if pending:
            for note in pending:
                note.content = number
                note.field = note.field or field
            self.notes.extend(pending)
            pending.clear()
        asides = self._asides
        if asides:
            if holder is not None:
                holder.asides = [*(holder.asides or []), *asides]
            asides.clear()


_LINK_OF_PMC: Final = "Click here "
_CLOSING: Final = frozenset(",.;:!?)]")
"""What follows a word without a blank: where a citation stood between, the blank before it goes with it."""
_PEOPLE: Final = frozenset({"name", "string-name", "person-group"})
_PLAIN_REFERENCE: Final = frozenset({"label", "element-citation"})
# the markup and formulae that references are seen to have; any other sets a blank, which cuts no word of theirs
_NOT_PLAINLY_CITED: Final = (
    "italic", "bold", "sup", "sub", "sc", "named-content", "styled-content", "underline", "monospace", "inline-formula",
    "tex-math", MATHML + "math", "alt-text", "object-id",
)  # fmt: skip
_CITED_SPECIALLY: Final = frozenset(
    tag for tag, role in _INLINE_ROLES.items() if role not in (BLANK, INLINE, SPLIT)
)
