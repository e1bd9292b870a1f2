"""PubMed Central's articles as JATS by NCBI's efetch: the backup for Europe PMC's full text (9.4).

Hears   needs with a PMCID, up to twenty together: its answers are whole articles.
Asks    alone: `GET efetch.fcgi?retmode=xml&db=pmc&id=…` (F-EFT-02); together: the same by POST. A reply that
        breaks off is used up to its last whole article and the rest is asked again.
Says    identifiers, title, keywords, abstract, full text (type `pmc_xml`), journal, corresponding authors.
        An article whose text the publisher withholds ends as `abstract-only`; its full text is never final.
Never   takes a part of a document for the whole.
"""

from pubweave.core.toolkit.service import Service
from pubweave.resources.pmc.declaration import DECLARATION
from pubweave.resources.pmc.handler import step

SERVICE = Service.of(DECLARATION, step)
