"""Unpaywall: where a DOI's article may be read legally (9.9).

Hears   needs with a DOI, after everything else of the chain.
Asks    `GET https://api.unpaywall.org/v2/{DOI}?email=…` (F-UPW-01). Without an e-mail address nothing: `skipped`.
Says    the title (type `oadoi`), open access, the journal, and every open location as a link, best first.
Never   shows the e-mail address where it was asked; takes a reply for a record that does not name the DOI.
"""

from pubweave.core.toolkit.service import Service
from pubweave.resources.unpaywall.declaration import DECLARATION
from pubweave.resources.unpaywall.handler import step

SERVICE = Service.of(DECLARATION, step)
