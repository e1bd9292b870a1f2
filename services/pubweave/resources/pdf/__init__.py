"""PDFs that links lead to (chapter 7): for a full text that nothing better gives.

Hears   needs with a PDF link, while a full text is lacking.
Asks    the PDF reader, which has the fetcher bring the PDF; at ScienceDirect the browser first (F-LNK-09).
Says    full text; title, keywords, abstract from its document information and XMP; all with the link's own type,
        none of which is final.
Never   visits a page: a PDF is no visited site (F-PDF-06); takes a PDF that is plainly another article's.
"""

from pubweave.core.toolkit.service import Service
from pubweave.resources.pdf.declaration import DECLARATION
from pubweave.resources.pdf.handler import step

SERVICE = Service.of(DECLARATION, step)
