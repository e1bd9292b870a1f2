"""PubMed's web page of a record: asked when title or abstract are still lacking (9.7).

Hears   needs with a PMID.
Asks    `GET https://www.ncbi.nlm.nih.gov/pubmed/?term=…` (F-PMH-01), one page a call.
Says    identifiers, title, keywords, MeSH, abstract (type `pubmed_html`).
Never   reads a page that does not show one record; its selectors are built in (F-PMH-04).
"""

from pubweave.core.toolkit.service import Service
from pubweave.resources.pubmed_html.declaration import DECLARATION
from pubweave.resources.pubmed_html.handler import step

SERVICE = Service.of(DECLARATION, step)
