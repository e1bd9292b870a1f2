"""The page as jsoup sees it while a selector is matched in Python: elements with parents, siblings and text.

Wrappers are made lazily and once per node and look-up, so comparing them is comparing nodes. With `texts` each
text node is an element of its own (tag and attributes of its parent), which is what `:matchText` selects.
"""

from __future__ import annotations

from selectolax.lexbor import LexborNode

from pubweave.core.reading import layout


class Element:
    """One element, text or the document, seen from a `View`."""

    __slots__ = ("_attributes", "_children", "_parent", "_text", "is_text", "node", "tag", "view")

    def __init__(self, view: View, node: LexborNode, parent: Element | None, is_text: bool) -> None:
        self.view = view
        self.node = node
        self.is_text = is_text
        self._parent = parent
        self._children: list[Element] | None = None
        self._attributes: dict[str, str] | None = None
        self._text: str | None = None
        self.tag: str = parent.tag if is_text and parent is not None else (node.tag or "").lower()

    @property
    def is_document(self) -> bool:
        """Whether this is the document itself, the parent of `<html>`."""
        return self.node.is_document_node

    @property
    def parent(self) -> Element | None:
        """The element around this one; the document around `<html>`; nothing around the document."""
        if self._parent is None and not self.is_document:
            above = self.node.parent
            if above is not None:
                self._parent = self.view.element(above)
        return self._parent

    @property
    def children(self) -> list[Element]:
        """Child elements in order (and child texts, in a view with texts)."""
        if self._children is None:
            self._children = [] if self.is_text else self.view.children_of(self)
        return self._children

    @property
    def siblings(self) -> list[Element]:
        """All children of the parent, this one among them."""
        parent = self.parent
        return [self] if parent is None else parent.children

    @property
    def index(self) -> int:
        """Place among the siblings, from 0."""
        parent = self.parent
        return 0 if parent is None else self.view.index_of(self, parent)

    @property
    def attributes(self) -> dict[str, str]:
        """Attributes with lower-case names; one without a value has the empty one."""
        if self._attributes is None:
            if self.is_text and self._parent is not None:
                self._attributes = self._parent.attributes
            else:
                found = {} if self.is_document else self.node.attributes
                self._attributes = {name.lower(): value or "" for name, value in found.items()}
        return self._attributes

    @property
    def text(self) -> str:
        """All text in one line, as `layout.text_of`."""
        if self._text is None:
            self._text = layout.text_of(self.node)
        return self._text

    @property
    def own_text(self) -> str:
        """Text directly in the element, in one line."""
        return self.text if self.is_text else layout.own_text(self.node)

    @property
    def whole_text(self) -> str:
        """All text as in the source."""
        return (self.node.text_content or "") if self.is_text else layout.whole_text(self.node)

    @property
    def whole_own_text(self) -> str:
        """Text directly in the element as in the source."""
        return (self.node.text_content or "") if self.is_text else layout.whole_own_text(self.node)

    @property
    def data(self) -> str:
        """What scripts, styles and comments inside hold."""
        return "" if self.is_text else layout.data_of(self.node)

    @property
    def has_content(self) -> bool:
        """Whether there is an element or a text that is not blank inside."""
        if self.is_text:
            return bool((self.node.text_content or "").strip())
        return any(
            not inner.is_text_node or bool((inner.text_content or "").strip())
            for inner in self.node.iter(include_text=True)
            if not inner.is_comment_node
        )

    def descendants(self) -> list[Element]:
        """All elements below, in document order."""
        found: list[Element] = []
        waiting = list(reversed(self.children))
        while waiting:
            element = waiting.pop()
            found.append(element)
            waiting.extend(reversed(element.children))
        return found


class View:
    """The wrappers of one look-up."""

    def __init__(self, texts: bool = False, base_url: str = "") -> None:
        self.has_texts = texts
        self.base_url = base_url
        self.known: dict[tuple[int, int, int], bool] = {}
        """What compounds have said: the same ancestors are asked about again and again."""
        self.known_chains: dict[tuple[int, int, int, int], int] = {}
        """The same for chains of compounds, by the element (or the first of the siblings) they were asked of."""
        self._elements: dict[int, Element] = {}
        self._indexes: dict[int, dict[int, int]] = {}

    def element(self, node: LexborNode) -> Element:
        """The wrapper of a node."""
        found = self._elements.get(node.mem_id)
        if found is None:
            found = self._elements[node.mem_id] = Element(self, node, None, False)
        return found

    def children_of(self, parent: Element) -> list[Element]:
        """Wrappers of the children, remembered by their parent."""
        found = []
        for node in parent.node.iter(include_text=self.has_texts):
            if node.is_text_node:
                if parent.tag in ("script", "style"):
                    continue
                found.append(self._elements.setdefault(node.mem_id, Element(self, node, parent, True)))
            elif node.is_element_node:
                child = self._elements.get(node.mem_id)
                if child is None:
                    child = self._elements[node.mem_id] = Element(self, node, parent, False)
                found.append(child)
        return found

    def index_of(self, child: Element, parent: Element) -> int:
        """Place of a child among its parent's children, from 0."""
        places = self._indexes.get(parent.node.mem_id)
        if places is None:
            places = {sibling.node.mem_id: place for place, sibling in enumerate(parent.children)}
            self._indexes[parent.node.mem_id] = places
        return places.get(child.node.mem_id, 0)
