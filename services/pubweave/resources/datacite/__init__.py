"""DataCite: what repositories deposited of a DOI: preprints, reports, theses, data (beyond the specification; off by default).

Hears   needs with a DOI, one at a time, after everything else of the chain.
Asks    `GET dois/{DOI}`, the record's own address: 404 says that DataCite does not have it, which is so of most articles.
Says    title, abstract, keywords (type `datacite`), journal, date of issue, citations; preprint.
Never   overrules: its type is below Crossref's, its fields come last, its citations give way. Takes a description that is no
        abstract for one.
"""

from pubweave.core.toolkit.service import Service
from pubweave.resources.datacite.declaration import DECLARATION
from pubweave.resources.datacite.handler import step

SERVICE = Service.of(DECLARATION, step)
