"""References: their text, set apart where nothing else does it, and in the same walk what `references` tells of them."""

from typing import TYPE_CHECKING, Final

from lxml import etree

from pubweave.core.reading.jats.document import Reference, ReferencePerson
from pubweave.core.reading.jats.references import (
    CITATIONS,
    SIMPLE,
    TELLING,
    begin_reference,
    finish_references,
    read_part,
    read_references,
)
from pubweave.core.reading.jats.text import FORMATS, MATHML, one_line, plain_text
from pubweave.core.reading.jats.walking.contents import Contents, State
from pubweave.core.reading.jats.walking.running_text import BLANK, INLINE, INLINE_ROLES, SPLIT

if TYPE_CHECKING:
    Element = etree._Element

_PEOPLE: Final = frozenset({"name", "string-name", "person-group"})
_PLAIN_REFERENCE: Final = frozenset({"label", "element-citation"})
# the markup and formulae that references are seen to have; any other sets a blank, which cuts no word of theirs
_NOT_PLAINLY_CITED: Final = (
    "italic", "bold", "sup", "sub", "sc", "named-content", "styled-content", "underline", "monospace", "inline-formula",
    "tex-math", MATHML + "math", "alt-text", "object-id",
)  # fmt: skip
_CITED_SPECIALLY: Final = frozenset(
    tag for tag, role in INLINE_ROLES.items() if role not in (BLANK, INLINE, SPLIT)
)

_texts = etree.XPath(".//text()", smart_strings=False)


class Citations(Contents):
    """Walks `ref` and the citations in it."""

    __slots__ = ()  # two bases with slots of their own cannot be joined: these two are the walker's

    references: list[Reference]
    _in_ref_list: bool

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
