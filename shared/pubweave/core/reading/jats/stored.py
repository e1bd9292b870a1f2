"""The structured document of a stored full text: made of the article when somebody wants it, not when it is fetched.

Making it takes several times as long as reading the plain text, and most are never looked at.
"""

from typing import TYPE_CHECKING, Final

import msgspec
from lxml import etree

from pubweave.core.reading.jats.document import Document
from pubweave.core.reading.jats.errors import MalformedJats
from pubweave.core.reading.jats.read import read_document
from pubweave.core.reading.jats.xml import articles, parse_xml

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_MADE: Final = msgspec.json.Decoder(Document)


class Unreadable(ValueError):
    """No document can be made of what is stored: nested too deeply, or of a version that is not ours."""


def source_of(article: "Element") -> bytes:
    """The article as it is stored, one that came among others, too."""
    return etree.tostring(article, encoding="utf-8", with_tail=False)


def document_in(stored: bytes) -> Document:
    """The structured document of a stored article; or one that was stored itself, as releases before 0.2 did.

    :raises Unreadable: there is none in it
    """
    try:
        if stored.startswith(b"{"):
            return _MADE.decode(stored)
        found = articles(parse_xml(stored))
        if found:
            return read_document(found[0])
    except (MalformedJats, msgspec.MsgspecError) as problem:
        raise Unreadable(str(problem)) from problem
    raise Unreadable("there is no article in it")
