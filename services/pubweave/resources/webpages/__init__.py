"""Pages of tools and databases become clean text (chapters 13 and 16).

Hears   needs with an address, one at a time.
Asks    the page; where its rules, a short text or a noscript element want it, the page in the browser; for a PDF
        the PDF reader (F-WEB-14), which is also tried for addresses that are not HTTP (F-EXC-01).
Says    one `webpage-read`: title, content, licence and language by the rules of its final address or cleaned, with
        final address, status and content type; or why there is nothing, with the flag of chapter 6.2.
Never   decides what is kept (core.merging.webpage_fold does), and never counts a failure as an empty page.
"""

from pubweave.core.toolkit.webpage_asking import WebpageService
from pubweave.resources.webpages.declaration import DECLARATION
from pubweave.resources.webpages.handler import step

SERVICE = WebpageService.of(DECLARATION, step)
