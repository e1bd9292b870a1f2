"""Whether a PDF is plainly about another article than the one searched for.

Many PDFs name neither their DOI nor, as a scan would, a title that can be read, and most of them are the right ones.
So what is missing says nothing: only a PDF that names another article, and not the one searched for, is refused.
"""

import re
from collections.abc import Iterable
from typing import Final
from unicodedata import normalize

from pubweave.core.identifiers import identifier_in_text, is_variant, normalise_doi
from pubweave.core.reading.pdf_text.metadata import PdfMetadata

HEAD: Final = 6_000
"""Characters in which a PDF says what it is: a cover page and the first page of the article."""
ENOUGH: Final = 10_000
"""Characters from which a text uses the words of its own title."""

_DOI: Final = re.compile(r"10\.\d{4,9}/[^\s\"<>]*[^\W_]")
_WORD: Final = re.compile(r"[^\W\d_]{4,}")
_LITTLE_WORD: Final = re.compile(r"(?<!\w)[^\W\d_]{1,4}(?!\w)")
_NO_LETTER: Final = re.compile(r"[\W_]+")
_NO_LETTER_OF_ASCII: Final = bytes(code for code in range(128) if not chr(code).isalnum())
"""Taken out at once, these leave the expression little to find: it would stop at each space of a whole article."""
_IN_TITLES: Final = (
    "a an and as at by for from in is of on or the to with de des du et la le les un une el los las y del con para por "
    "il lo gli di della che per da do dos das em os um uma der die das und von im bei zur zum mit ein eine den auf"
)
_LITTLE_WORDS: Final = frozenset(_IN_TITLES.split())
"""Of English, French, Spanish, Italian, Portuguese and German."""
_TELLING: Final = 3
"""Long words from which a title can be compared."""
_START: Final = 60
"""Letters and digits of a title that are compared."""

# The share of the words of the title searched for that must be there, by what else the PDF says: near its beginning
# the first two, in its whole text the last. The recorded articles have all of them, half of the others less than a quarter.
_IF_IT_NAMES_ANOTHER_DOI: Final = 2 / 3
_IF_IT_NAMES_ANOTHER_TITLE: Final = 1 / 2
_IN_ANY_CASE: Final = 1 / 3


def other_article(text: str, metadata: PdfMetadata, doi: str, title: str) -> str:
    """Which other article the PDF is about, in a few words for people; empty if it may be the one searched for.

    :param text: of the whole PDF
    :param doi: of the article searched for, empty if it has none or it is not known
    :param title: likewise
    """
    told = _told(metadata)
    letters = _letters(text)
    if doi and (_letters(doi) in letters or _letters(doi) in _letters(" ".join(told))):
        return ""
    head = text[:HEAD]
    named, printed = _dois(told), _dois([head])
    # A DOI that is broken at the end of its line is the beginning of one.
    if doi and any(
        is_variant(normalise_doi(doi), other) or _letters(doi).startswith(_letters(other))
        for other in (*named, *printed)
    ):
        return ""
    words = frozenset(_words(title))
    if len(words) < _TELLING:
        return f"the PDF names itself {named[0]}" if doi and named else ""
    if _letters(title)[:_START] in letters:
        return ""
    on_top = len(words.intersection(_words(head))) / len(words)
    if doi and named and on_top < _IF_IT_NAMES_ANOTHER_DOI:
        return f"the PDF names itself {named[0]}"
    little = _little(title)
    if not little <= _little(head):
        return ""  # another language: titles of databases may be translations
    if doi and printed and on_top < _IF_IT_NAMES_ANOTHER_DOI:
        return f"the PDF is about {printed[0]}"
    if on_top < _IF_IT_NAMES_ANOTHER_TITLE:
        for called in (metadata.title, metadata.xmp_title):
            # What programs and templates leave there does not stand on the first page.
            if len(set(_words(called))) >= _TELLING and _letters(called)[:_START] in _letters(head):
                return f"the PDF is about {called[:200]!r}"
    found = len(words.intersection(_words(text)))
    if little and len(words) > _TELLING and len(text) >= ENOUGH and found < _IN_ANY_CASE * len(words):
        return f"the PDF uses {found} of the {len(words)} words of the title searched for"
    return ""


def _told(metadata: PdfMetadata) -> list[str]:
    return [
        metadata.title,
        metadata.subject,
        *metadata.keywords,
        metadata.xmp_title,
        metadata.xmp_description,
        *metadata.xmp_subjects,
        *metadata.dois,
    ]


def _dois(texts: Iterable[str]) -> list[str]:
    found = (identifier_in_text("doi", one) for text in texts for one in _DOI.findall(text))
    return list(dict.fromkeys(filter(None, found)))


def _letters(text: str) -> str:
    """Letters and digits alone, in one case: line breaks, hyphens and ligatures make no difference."""
    utf8 = normalize("NFKC", text).encode("utf-8", "surrogatepass")
    kept = utf8.translate(None, _NO_LETTER_OF_ASCII).decode("utf-8", "surrogatepass")
    return (kept if kept.isascii() else _NO_LETTER.sub("", kept)).lower()


def _words(text: str) -> list[str]:
    return _WORD.findall(normalize("NFKC", text).lower())


def _little(text: str) -> frozenset[str]:
    return _LITTLE_WORDS.intersection(_LITTLE_WORD.findall(text.lower()))
