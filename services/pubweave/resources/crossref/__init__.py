"""Crossref: what publishers deposited of a DOI (beyond the specification; off by default).

Hears   needs with a DOI, up to fifty together, after everything else of the chain.
Asks    alone: `GET works/{DOI}`; together: `GET works?filter=doi:…,doi:…`. DOIs with a comma are asked alone, for it divides
        the filter; what a list left out is asked alone, and only then said to be absent.
Says    title and abstract (type `crossref`), journal, date, citations; preprint, its ties to the article, retractions and
        corrections.
Never   overrules: its type is below those of pages and Unpaywall, its fields come last, its citations give way. Shows the
        e-mail address where it was asked: the polite pool goes by the one in the User-Agent.
"""

from pubweave.core.toolkit.service import Service
from pubweave.resources.crossref.declaration import DECLARATION
from pubweave.resources.crossref.handler import step

SERVICE = Service.of(DECLARATION, step)
