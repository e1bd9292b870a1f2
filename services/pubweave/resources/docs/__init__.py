"""Documentation of tools and databases becomes clean text: web pages in a store of their own (chapter 13).

Hears   needs with an address, one at a time.
Asks    and says what `webpages` does, by the same rules.
Never   touches what is stored of the same address as a web page (F-DB-01).
"""

from pubweave.core.toolkit.webpage_asking import WebpageService
from pubweave.resources.docs.declaration import DECLARATION
from pubweave.resources.docs.handler import step

SERVICE = WebpageService.of(DECLARATION, step)
