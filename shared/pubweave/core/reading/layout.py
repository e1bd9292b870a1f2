"""Text of page elements: one normalised line, or lines and paragraphs.

Every function here works on what Lexbor serialises, not on a walk in Python: the serialiser escapes ``<`` and
``>`` inside text and attribute values, so a tag is exactly what stands between two angle brackets. That makes
the text of a full article a handful of passes in C.
"""

from __future__ import annotations

import re
from html import unescape

from selectolax.lexbor import LexborNode

from pubweave.core.reading.closing import COMMENT, sub_closed, sub_elements

# Elements around which text is separated even where the source has no blank (HTML Standard, section 15.3,
# elements displayed as block, list item or table part, and the ones jsoup adds: ins, del, button, media).
_BLOCKS = (
    "html|head|body|frameset|noscript|meta|link|title|frame|section|nav|aside|hgroup|header|footer|p|"
    "h1|h2|h3|h4|h5|h6|br|button|ul|ol|pre|div|blockquote|hr|address|figure|figcaption|form|fieldset|"
    "ins|del|dl|dt|dd|li|table|caption|thead|tfoot|tbody|colgroup|col|tr|th|td|video|audio|canvas|"
    "details|menu|plaintext|template|article|main|center|dir|applet|marquee|listing|math|svg"
)

# Elements whose default style has a vertical margin: an empty line stands around them (F-CLN-12).
_PARAGRAPHS = (
    "blockquote|body|dir|dl|fieldset|figure|form|h1|h2|h3|h4|h5|h6|hr|listing|menu|ol|p|plaintext|pre|ul|xmp"
)

_DATA_TAGS = frozenset(("script", "style", "iframe", "noembed", "noframes"))
_DATA = (*sorted(_DATA_TAGS), COMMENT)


def _by_first_letter(names: str) -> str:
    """The same alternatives, those with one first letter together: the expression then decides at one look."""
    letters: dict[str, list[str]] = {}
    for name in names.split("|"):
        letters.setdefault(name[0], []).append(name[1:])
    return "|".join(f"{letter}(?:{'|'.join(rest)})" for letter, rest in letters.items())


_BLOCK_TAG = re.compile(rf"</?(?:{_by_first_letter(_BLOCKS)})(?:\s[^>]*)?>")
_PARAGRAPH_TAG = re.compile(rf"</?(?:{_by_first_letter(_PARAGRAPHS)})(?:\s[^>]*)?>")
_NOT_INLINE = re.compile(r"<(?!/?(?:a|i|sup|em|sub|b|span|strong|cite|small|u|font|img|code|abbr)[\s>])")
_TAG = re.compile(r"<[^>]*>")
_TAGS_APART = re.compile(r"(<[^>]*>)")
_BLOCK_NAMES = frozenset([*_BLOCKS.split("|"), "jats:p", "jats:sec", "jats:title", "jats:list-item"])
_ATTRIBUTES = r"""(?:\s+[\w:.-]+\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>]+))*\s*/?"""
_MARKUP = re.compile(
    rf"</?({_BLOCKS}|a|abbr|b|big|bold|cite|code|em|font|i|inline-formula|italic|mark|q|roman|s|sc|small|span|"
    rf"strike|strong|styled-content|sub|sup|tt|u|underline|xref|[a-z]\w*:[a-z][\w.-]*){_ATTRIBUTES}>",
    re.IGNORECASE,
)
# What `str.split` takes for blanks and pages do not: thin and ideographic spaces carry meaning.
_OTHER_BLANKS = re.compile("[\x0b\x1c-\x1f\x85\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
_BLANKS = re.compile("[ \t\n\f\r\xa0]+")
_PREFORMATTED = ("pre", "textarea", "listing", "plaintext", "xmp")

# Placeholders from the private use area: what a page has there already is dropped before they are put in.
_LINE, _PARAGRAPH, _KEPT_BLANK, _KEPT_TAB, _KEPT_LINE = "\ue000", "\ue001", "\ue002", "\ue003", "\ue004"
_KEPT = {ord(" "): _KEPT_BLANK, ord("\t"): _KEPT_TAB, ord("\n"): _KEPT_LINE}
_RELEASED = {ord(_KEPT_BLANK): " ", ord(_KEPT_TAB): "\t", ord(_KEPT_LINE): "\n"}
_PLACEHOLDERS = re.compile("[\ue000-\ue004]")
_BREAKS = re.compile(" ?[\ue000\ue001][ \ue000\ue001]*+")


def collapse(text: str) -> str:
    """The text with runs of blanks (also no-break ones) as one blank, trimmed, invisible characters left out.

    Invisible are the soft hyphen and the zero-width space, as in jsoup's `text()`.
    """
    if not text.isascii():
        text = text.replace("\xad", "").replace("\u200b", "")
        if _OTHER_BLANKS.search(text):
            return _BLANKS.sub(" ", text).strip(" ")
    return " ".join(text.split())


def text_of(node: LexborNode) -> str:
    """Text of the element and all below as one line, blocks separated by a blank, inline elements joined.

    What scripts, styles, frames and comments hold is no text.
    """
    if node.is_text_node:
        return collapse(node.text_content or "")
    if node.tag in _DATA_TAGS:
        return ""
    child = node.first_child
    if child is None:
        return ""
    if child.next is None and child.is_text_node:
        return collapse(child.text_content or "")
    # The element's own tags separate nothing at the ends of a text that is trimmed.
    html = node.inner_html or ""
    # Most paragraphs hold inline elements only: Lexbor joins their texts as they are to be joined.
    if "<" not in html or _NOT_INLINE.search(html) is None:
        return collapse(node.text())
    return text_of_html(html)


def text_of_html(html: str) -> str:
    """As `text_of`, for a piece of serialised HTML (also the markup that a meta tag holds as its value)."""
    if "<" in html:
        html = _without_data(html)
        html = sub_closed(_BLOCK_TAG, " ", html)
        html = sub_closed(_TAG, "", html)
    return collapse(unescape(html) if "&" in html else html)


def _without_data(html: str) -> str:
    if "<s" in html or "<!" in html or "<i" in html or "<n" in html:
        return sub_elements(_DATA, None, html)
    return html


def without_markup(text: str) -> str:
    """A value that may hold mark-up as text (`<i>`, `&lt;sub&gt;`, `<jats:p>`) as plain text in one line.

    Only what looks like a known tag is taken for one: "a < b and c > d" stays.
    """
    for _ in range(2):
        if "&" not in text:
            break
        text = unescape(text)
    if "<" in text:
        text = _MARKUP.sub(lambda found: " " if found[1].lower() in _BLOCK_NAMES else "", text)
    return collapse(text)


def own_text(node: LexborNode) -> str:
    """Text that stands directly in the element, as one line; a line break counts as a blank."""
    return collapse(_own(node, " "))


def whole_text(node: LexborNode) -> str:
    """Text of the element and all below as in the source, blanks untouched; `<br>` is a line feed."""
    html = node.inner_html or ""
    html = sub_elements(_DATA, None, html).replace("<br>", "\n")
    return unescape(sub_closed(_TAG, "", html))


def whole_own_text(node: LexborNode) -> str:
    """Text that stands directly in the element, blanks untouched; `<br>` is a line feed."""
    return _own(node, "\n")


def data_of(node: LexborNode) -> str:
    """What scripts, styles and comments in the element (or the element itself) hold."""
    found = []
    for inner in node.traverse(include_text=True):
        if inner.is_comment_node:
            found.append(inner.comment_content or "")
        elif inner.is_text_node:
            parent = inner.parent
            if parent is not None and parent.tag in ("script", "style"):
                found.append(inner.text_content or "")
    return "".join(found)


def formatted_text(node: LexborNode) -> str:
    """Text of the element in lines and paragraphs (F-CLN-12).

    Block elements and `<br>` start a line, elements with a vertical margin are set off by an empty line, other
    blanks are collapsed except inside preformatted elements, the whole is trimmed.
    """
    return formatted_html(node.html or "")


def formatted_html(html: str) -> str:
    """As `formatted_text`, for serialised HTML."""
    html = _PLACEHOLDERS.sub("", html)
    html = sub_elements(_DATA, None, html)
    if "<pre" in html or "<textarea" in html or "<listing" in html or "<plaintext" in html or "<xmp" in html:
        html = sub_elements(_PREFORMATTED, _keep_blanks, html)
    html = sub_closed(_PARAGRAPH_TAG, _PARAGRAPH, html)
    html = sub_closed(_BLOCK_TAG, _LINE, html)
    html = sub_closed(_TAG, "", html)
    text = collapse(unescape(html) if "&" in html else html)
    text = _BREAKS.sub(lambda found: "\n\n" if _PARAGRAPH in found[0] else "\n", text)
    return text.translate(_RELEASED).strip()


def _keep_blanks(opening: str, inside: str, closing: str) -> str:
    kept = inside.translate(_KEPT)
    if "<" in inside:
        end = inside.rfind(">") + 1
        pieces = _TAGS_APART.split(inside[:end])
        kept = "".join(piece if piece.startswith("<") else piece.translate(_KEPT) for piece in pieces)
        rest = inside[end:]
        kept += rest if rest.startswith("<") else rest.translate(_KEPT)
    return f"{opening}{kept}{closing}"


def _own(node: LexborNode, line_break: str) -> str:
    found = []
    for inner in node.iter(include_text=True, skip_empty=False):
        if inner.is_text_node:
            found.append(inner.text_content or "")
        elif inner.tag == "br":
            found.append(line_break)
    return "".join(found) if node.tag not in ("script", "style") else ""
