"""What was gathered is booked: normalised, written to the ledger, with the places of what was met amid it.

Text is emitted or dropped through `_finish`, `_plain` or `Ledger.drop`, never otherwise: so the ledger knows.
"""

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from pubweave.core.reading.jats.conservation import Ledger
from pubweave.core.reading.jats.document import Content, Section
from pubweave.core.reading.jats.text import one_line

if TYPE_CHECKING:
    from lxml import etree

    Element = etree._Element

Marks: TypeAlias = list[tuple[int, str, str, Any]]
"""(place in what was gathered, kind, raw text, element)."""

_CLOSING: Final = frozenset(",.;:!?)]")
"""What follows a word without a blank: where a citation stood between, the blank before it goes with it."""
"""What follows a word without a blank: where a citation stood between, the blank before it goes with it."""


class PlaceNote:
    """Something met in the text whose place a reader may want: a citation or a formula."""

    __slots__ = ("content", "dropped", "element", "end", "field", "kind", "start", "text")

    def __init__(self, kind: str, element: Any, start: int, end: int, text: str, dropped: bool) -> None:
        self.kind, self.element, self.start, self.end = kind, element, start, end
        self.text, self.dropped = text, dropped
        self.content = self.field = ""


class Booking:
    """The ledger of a part, what is pending between gathering and booking, and the notes."""

    __slots__ = ("_alternative", "_asides", "_extras", "_marks", "_pending", "ledger", "notes")

    def __init__(self, *, extras: bool) -> None:
        self.ledger = Ledger()
        self.notes: list[PlaceNote] = []
        self._extras = extras
        self._marks: Marks = []
        self._pending: list[PlaceNote] = []
        self._asides: list[str] = []
        self._alternative = ""

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

    def _finish_clean(self, out: list[str], whole: str, text: str, marks: Marks) -> str:
        """Nothing to be dropped and no white space to be collapsed: places follow from the lengths alone."""
        if text:
            self.ledger.pieces.append(text)
            self.ledger.flow.append(text)
        at = -(len(whole) - len(whole.lstrip())) if whole[:1].isspace() else 0
        lead = -at
        last = 0
        pending = self._pending
        opened: dict[Any, PlaceNote] = {}
        for place, kind, _, element in marks:
            if place > last:
                at += len(out[last]) if place == last + 1 else sum(map(len, out[last:place]))
                last = place
            if kind == "<":
                # a blank that is still owed comes before the reference
                opened[element] = PlaceNote("xref", element, min(max(at, 0), len(text) + 1), 0, "", False)
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

    def _finish_marked(self, out: list[str], marks: Marks) -> str:
        """The general case: segment by segment, with what is dropped between them."""
        ledger = self.ledger
        words: list[str] = []
        length = 0
        blank = cited = False
        last = 0
        opened: dict[Any, PlaceNote] = {}
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
                note = PlaceNote("xref", element, length + (1 if length and blank else 0), 0, "", False)
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
                    self._pending.append(PlaceNote(name, element, length, length, raw, True))
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
