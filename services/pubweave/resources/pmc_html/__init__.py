"""PubMed Central's page of an article: exercised by test operations only, never asked in a run (F-DIS-01, F-DIS-02).

Hears   needs with a PMCID.
Asks    `https://www.ncbi.nlm.nih.gov/pmc/articles/{PMCID}/`, one page a call.
Says    identifiers, title, keywords, abstract, full text (type `pmc_html`), links to PDFs.
Never   stands in the chain: bulk access to these pages is not permitted, and efetch has the same.
"""

from pubweave.core.toolkit.service import Service
from pubweave.resources.pmc_html.declaration import DECLARATION
from pubweave.resources.pmc_html.handler import step

SERVICE = Service.of(DECLARATION, step)
