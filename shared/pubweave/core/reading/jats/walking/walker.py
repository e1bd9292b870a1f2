"""`Walker`: one pass over abstract, body, floats and back that emits flattened sections and keeps the ledger.

What is not known is not skipped: it becomes a content element with its own tag and all its text (B-32).
"""

from typing import TYPE_CHECKING, Any, Final

from lxml import etree
from msgspec import UNSET

from pubweave.core.reading.jats.conservation import Ledger
from pubweave.core.reading.jats.document import Content, Section
from pubweave.core.reading.jats.walking.citations import Citations
from pubweave.core.reading.jats.walking.contents import State
from pubweave.core.reading.jats.walking.figures import Figures
from pubweave.core.reading.jats.walking.running_text import FORMULAE

if TYPE_CHECKING:
    Element = etree._Element

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
    **dict.fromkeys(FORMULAE, B_FORMULA),
    **dict.fromkeys(("app-group", "bio-group", "floats-group", "floats-wrap", "front-stub", "body", "back"), B_DISSOLVE),
    "ref": B_REF,
    **dict.fromkeys(("graphic", "media"), B_MEDIA),
    **dict.fromkeys(("alt-text", "long-desc", "object-id"), B_ASIDE),
    etree.Comment: B_SKIP,
    etree.ProcessingInstruction: B_SKIP,
}  # fmt: skip

_block_role = _BLOCK_ROLES.get


class Walker(Citations, Figures):
    """Walks parts of one article. `notes` are gathered only if `extras` is true."""

    __slots__ = ("_in_ref_list", "_side", "references")

    def __init__(self, pmcid: str, *, extras: bool) -> None:
        super().__init__(pmcid, extras=extras)
        self.references = []
        self._in_ref_list = False
        self._side = False

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
