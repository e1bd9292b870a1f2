"""Open access articles as JATS from Europe PMC (9.4).

Hears   needs with a PMCID, after Europe PMC said that the article is open access.
Asks    `GET {PMCID}/fullTextXML` (F-EFT-01), one article a call; once more if what came was cut or garbled.
Says    identifiers, title, keywords, abstract, full text (type `europepmc_xml`), journal, corresponding authors.
        An article without body text ends as `abstract-only`; its full text is never final.
Never   takes a part of a document for the whole.
"""

from pubweave.core.toolkit.service import Service
from pubweave.resources.europepmc_fulltext.declaration import DECLARATION
from pubweave.resources.europepmc_fulltext.handler import step

SERVICE = Service.of(DECLARATION, step)
