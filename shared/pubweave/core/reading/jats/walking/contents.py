"""Contents: what a section is filled with, where the next one belongs, and lists of them (B-22 … B-33)."""

from typing import TYPE_CHECKING, Any

from lxml import etree
from msgspec import UNSET, UnsetType

from pubweave.core.reading.jats.document import Content, Section
from pubweave.core.reading.jats.text import one_line
from pubweave.core.reading.jats.walking.running_text import RunningText

if TYPE_CHECKING:
    Element = etree._Element


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


class Contents(RunningText):
    """Adds content elements to the section that takes them, and opens the section that is missing."""

    __slots__ = ("_top", "paragraphs", "sections")

    def __init__(self, *, extras: bool) -> None:
        super().__init__(extras=extras)
        self.sections: list[Section] = []
        self.paragraphs = 0
        self._top = 0

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
