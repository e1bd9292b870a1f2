"""Text made harmless inside HTML (F-HTML-03), and what becomes a link (F-HTML-04)."""

import re
from typing import Final
from urllib.parse import urlsplit

_LINKED: Final = re.compile(r"(?:https?|ftp)://[^\s\\/]", re.I)
_IN_ATTRIBUTE: Final = {code: f"&#{code};" for code in range(128) if not chr(code).isalnum()}
_HEAD: Final = '<p class="head">'
_HEADING: Final = 90
"""A longer paragraph is no heading."""
_BLANK_LINES: Final = re.compile(r"\n(?:[^\S\n]*\n)+")


def escape_text(text: str) -> str:
    """`&`, `<` and `>` between tags (F-CLI-42)."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def escape_attribute(text: str) -> str:
    """Every ASCII character that is no letter or digit as `&#n;`, for attribute values (F-CLI-43)."""
    return text.translate(_IN_ATTRIBUTE)


def is_linked(url: str) -> bool:
    """Whether an address becomes a link: only http, https and ftp (F-HTML-04)."""
    if not _LINKED.match(url):
        return False
    try:
        return bool(urlsplit(url).netloc)
    except ValueError:
        return False


def link(url: str, label: str = "") -> str:
    """A link, or the bare text where the address is none that becomes a link; the label defaults to it."""
    shown = escape_text(label or url)
    return f'<a href="{escape_attribute(url)}">{shown}</a>' if is_linked(url) else shown


def paragraphs(text: str, *, headings: bool = False) -> str:
    """Empty lines separate paragraphs, single line ends become `<br>` (F-HTML-05).

    :param headings: set off what looks like one; a plain text does not say, and a wrong guess harms nobody
    """
    unified = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    blocks = _BLANK_LINES.split(unified) if unified else []
    return "".join(
        (_HEAD if headings and at + 1 < len(blocks) and _is_heading(block) else "<p>")
        + escape_text(block).replace("\n", "<br>")
        + "</p>\n"
        for at, block in enumerate(blocks)
    )


def _is_heading(block: str) -> bool:
    return (
        len(block) <= _HEADING
        and "\n" not in block
        and not block.rstrip().endswith((".", ",", ";", ":", "!", "?"))
        and (block[:1].isupper() or block[:1].isdigit())
        and any(map(str.isalpha, block))
    )
