"""Europe PMC's search: the first who is asked, and the richest answer (9.3).

Hears   needs with a PMID, PMCID or DOI, up to a hundred together.
Asks    alone: `GET search` in the specification's form (F-EPMC-01, 02); together: `POST searchPOST` with the
        identifiers joined by OR. What a batch left out is asked again in halves in another form of query,
        then alone, and only then said to be absent: the source loses some identifiers of long queries.
Says    identifiers, title, keywords, MeSH, abstract; open access, journal, date, citations; the four gates of
        F-EPMC-09; authors whose e-mail stands in an affiliation (F-CA-09); beyond the specification: preprint, its ties to the article, retractions and corrections.
Never   decides what a record keeps; takes a result that contradicts known identifiers, if there is another.
"""

from pubweave.core.toolkit.service import Service
from pubweave.resources.europepmc.declaration import DECLARATION
from pubweave.resources.europepmc.handler import step

SERVICE = Service.of(DECLARATION, step)
