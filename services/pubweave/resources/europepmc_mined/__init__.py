"""Terms of EFO and of the Gene Ontology that Europe PMC mined from the text (9.5).

Hears   needs for one part (`efo` or `go`) with a PMCID or PMID; it parts them into articles, eight a question.
Asks    alone: `GET annotationsByArticleIds` with one article and one type (F-MIN-01); together: up to eight
        articles and the types that the needs are about, or one type a question where a list of them is refused.
        Where that address fails technically: the older `textMinedTerms` endpoints, if the settings allow (D-10).
Says    the terms with count and address, most frequent first (F-MIN-04); nothing else. An article that a whole
        answer leaves out is `empty` under this identifier; the chain asks once more with the other (F-MIN-02).
Never   says "empty" of an article because a request failed.
"""

from pubweave.core.toolkit.service import Service
from pubweave.resources.europepmc_mined.declaration import DECLARATION
from pubweave.resources.europepmc_mined.handler import step

SERVICE = Service.of(DECLARATION, step)
