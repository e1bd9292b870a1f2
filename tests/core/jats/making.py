"""Small JATS articles for the tests, and ways to read them."""

from typing import Any

import msgspec

from pubweave.core.reading.jats.document import Content, Document, Section
from pubweave.core.reading.jats.plain import articles, parse_xml
from pubweave.core.reading.jats.read import read_document

XLINK = "xmlns:xlink='http://www.w3.org/1999/xlink'"
MML = "xmlns:mml='http://www.w3.org/1998/Math/MathML'"


def article(
    meta: str = "", body: str = "", back: str = "", after: str = "", journal: str = "", attributes: str = ""
) -> str:
    """An article around the given pieces; a part without a piece is left out."""
    parts = [f"<front><journal-meta>{journal}</journal-meta><article-meta>{meta}</article-meta></front>"]
    parts += [f"<body>{body}</body>"] if body else []
    parts += [f"<back>{back}</back>"] if back else []
    return f"<article {XLINK} {MML} {attributes}>{''.join(parts)}{after}</article>"


def read(xml: str | bytes, *, extras: bool = True) -> Document:
    """The one document of the XML, its conservation checked."""
    (found,) = articles(parse_xml(xml if isinstance(xml, bytes) else xml.encode()))
    document = read_document(found, extras=extras)

    assert document.pubweave.conservation.violations == []
    return document


def document(**pieces: str) -> Document:
    """Read an article made of pieces (see `article`)."""
    return read(article(**pieces))


def body(xml: str) -> list[Section]:
    """The body's sections."""
    return document(body=xml).body_sections


def contents(xml: str) -> list[Content]:
    """The contents of all body sections of a body."""
    return [content for section in body(xml) for content in section.contents]


def plain(value: Any) -> Any:
    """Structs as dictionaries and lists."""
    return msgspec.to_builtins(value)


def outline(sections: list[Section]) -> list[str]:
    """Sections and contents, a line each: what the flow looks like."""
    lines = []
    for section in sections:
        head = section.title or section.caption or section.label
        lines.append(
            f"{section.id} {section.tag}{' implicit' if section.implicit else ''} L{section.level} {head}".strip()
        )
        for content in section.contents:
            said = content.text or " ".join(part for part in (content.label, content.caption) if part)
            lines.append(f"{content.id} {content.tag}: {said}")
    return lines
