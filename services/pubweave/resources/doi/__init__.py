"""The page that a DOI leads to: asked for everything but MeSH and mined terms (9.8).

Hears   needs with a DOI, when no other answer is pending.
Asks    `https://doi.org/{DOI}` without following (F-DOI-01); then the page at its `Location`, by the browser where
        the rules say so; a PDF found there by the PDF reader.
Says    identifiers, title, keywords, abstract, full text by rules and meta tags; corresponding authors; links for
        later; the visited site. Type `doi`; without rules `webpage`; from a PDF `pdf_doi`.
Never   takes a wall, an error or a page about something else for the article, nor passes a wall.
"""

from pubweave.core.toolkit.service import Service
from pubweave.resources.doi.declaration import DECLARATION
from pubweave.resources.doi.handler import step

SERVICE = Service.of(DECLARATION, step)
