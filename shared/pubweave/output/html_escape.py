"""Text made harmless inside HTML (F-HTML-03), and what becomes a link (F-HTML-04)."""

import re
from typing import Final
from urllib.parse import urlsplit

_LINKED: Final = re.compile(r"(?:https?|ftp)://[^\s\\/]", re.I)
_IN_ATTRIBUTE: Final = {code: f"&#{code};" for code in range(128) if not chr(code).isalnum()}
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


def paragraphs(text: str) -> str:
    """Empty lines separate paragraphs, single line ends become `<br>` (F-HTML-05)."""
    unified = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    blocks = _BLANK_LINES.split(unified) if unified else []
    return "".join(f"<p>{escape_text(block).replace(chr(10), '<br>')}</p>\n" for block in blocks)
