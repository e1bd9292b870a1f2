"""Europe PMC's page of an article: exercised by test operations only, never asked in a run (F-DIS-01, F-DIS-02).

Hears   needs with a PMCID.
Asks    `http://europepmc.org/articles/{PMCID}`, one page a call.
Says    identifiers, title, keywords, abstract, full text (type `europepmc_html`), links to PDFs.
Never   stands in the chain: bulk access to these pages is not permitted, and the API has the same.
"""

from pubweave.core.toolkit.service import Service
from pubweave.resources.europepmc_html.declaration import DECLARATION
from pubweave.resources.europepmc_html.handler import step

SERVICE = Service.of(DECLARATION, step)
