"""Pages that links lead to: read like a DOI's page, without the resolving (F-LNK-08).

Hears   needs with a link that is no PDF link, one at a time.
Asks    the link's address, by the browser where the rules say so; a PDF found there by the PDF reader.
Says    what the page gives, with the link's own type; more links; the visited site.
Never   takes a wall, an error or a page about something else for the article, nor passes a wall.
"""

from pubweave.core.toolkit.service import Service
from pubweave.resources.links.declaration import DECLARATION
from pubweave.resources.links.handler import step

SERVICE = Service.of(DECLARATION, step)
