"""Running text: markup joins, blocks are set apart, citations in superscript and formulae go (B-12, B-13)."""

from typing import TYPE_CHECKING, Any, Final

from lxml import etree

from pubweave.core.reading.jats.conservation import raw_text
from pubweave.core.reading.jats.text import MATHML, OASIS, one_line
from pubweave.core.reading.jats.walking.booking import Booking

if TYPE_CHECKING:
    Element = etree._Element
    from pubweave.core.reading.jats.walking.contents import State

# How an element inside running text is met.
INLINE, BLANK, SPLIT, XREF, SUP, FORMULA, ALTERNATIVES, ASIDE, SKIP, ENTITY = range(10)

FORMULAE: Final = (
    "inline-formula", "disp-formula", "disp-formula-group", "tex-math", "math", MATHML + "math", "mml-math",
)  # fmt: skip

INLINE_ROLES: Final[dict[Any, int]] = {
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
    **dict.fromkeys(FORMULAE, FORMULA),
    **dict.fromkeys(("alt-text", "long-desc", "object-id", "permissions"), ASIDE),
    "alternatives": ALTERNATIVES,
    "xref": XREF,
    "sup": SUP,
    etree.Comment: SKIP,
    etree.ProcessingInstruction: SKIP,
    etree.Entity: ENTITY,
}  # fmt: skip

FORMULA_TAGS: Final = frozenset(FORMULAE)
_inline_role = INLINE_ROLES.get


class RunningText(Booking):
    """Gathers the text of an element into a list of strings."""

    __slots__ = ()

    def block(self, child: "Element", state: "State") -> None:
        """A block amid running text; it is its own content element."""
        raise NotImplementedError

    def _flush(self, state: "State", tag: str, out: list[str]) -> None:
        """What was gathered so far becomes a content element."""
        raise NotImplementedError

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
                if any(one.tag in FORMULA_TAGS for one in child):
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

    def _finish_dropped(self, element: "Element", reason: str) -> str:
        raw = raw_text(element)
        text = one_line(raw)
        if text:
            self.ledger.drop(reason, text)
        return text
