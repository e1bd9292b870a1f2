"""PubMed's records by NCBI's efetch (9.6).

Hears   needs with a PMID, up to two hundred together.
Asks    alone: `GET efetch.fcgi?retmode=xml&db=pubmed&id=…` (F-PMX-01); together: the same by POST. A reply that
        breaks off is used up to its last whole record and the rest is asked again.
Says    identifiers, title, keywords, MeSH with unique ids, abstract; journal and electronic date of publication;
        authors whose e-mail stands in an affiliation (F-CA-09); beyond the specification: retractions, corrections,
        concerns, and whether it is a preprint. Books too.
Never   takes an identifier from a reference list: an article without a DOI stays without one.
"""

from pubweave.core.toolkit.service import Service
from pubweave.resources.pubmed_xml.declaration import DECLARATION
from pubweave.resources.pubmed_xml.handler import step

SERVICE = Service.of(DECLARATION, step)
