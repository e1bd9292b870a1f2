"""The one reader of HTML pages: bytes in, findings out; no socket, no file, no clock.

`read_page` reads an article page by rules, meta tags and, without rules, by cleaning; `read_webpage` the page of a
tool or database, `judge_page` tells the article from its abstract and from walls. All say where each value came from.
"""

from pubweave.core.reading.charset import DecodedPage, decode_page
from pubweave.core.reading.pages.article import read_page
from pubweave.core.reading.pages.document import Page
from pubweave.core.reading.pages.findings import (
    AuthorsRead,
    IdentifierRead,
    KeyRead,
    LinkRead,
    PageFindings,
    PartMissed,
    PartRead,
    WebpageFindings,
)
from pubweave.core.reading.pages.verdict import PageVerdict, confirmed, judge_page
from pubweave.core.reading.pages.webpage import read_webpage

__all__ = [
    "AuthorsRead",
    "DecodedPage",
    "IdentifierRead",
    "KeyRead",
    "LinkRead",
    "Page",
    "PageFindings",
    "PageVerdict",
    "PartMissed",
    "PartRead",
    "WebpageFindings",
    "confirmed",
    "decode_page",
    "judge_page",
    "read_page",
    "read_webpage",
]
