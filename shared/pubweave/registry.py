"""What services there are: one line each. Everything generated (topics, compose, manifests) starts here."""

import importlib
from typing import TYPE_CHECKING, Final

from pubweave.contract.vocabulary import PageKind, ResourceName
from pubweave.core.toolkit.service import Service

if TYPE_CHECKING:  # brings the page parser along
    from pubweave.core.toolkit.webpage_asking import WebpageService

RESOURCES: Final[dict[ResourceName, str]] = {
    "europepmc": "pubweave.resources.europepmc",
    "europepmc_fulltext": "pubweave.resources.europepmc_fulltext",
    "europepmc_mined": "pubweave.resources.europepmc_mined",
    "pubmed_xml": "pubweave.resources.pubmed_xml",
    "pubmed_html": "pubweave.resources.pubmed_html",
    "pmc": "pubweave.resources.pmc",
    "doi": "pubweave.resources.doi",
    "unpaywall": "pubweave.resources.unpaywall",
    "links": "pubweave.resources.links",
    "pdf": "pubweave.resources.pdf",
}
"""Resource services: where the folder with `SERVICE` is."""

API_RESOURCES: Final[tuple[ResourceName, ...]] = (
    "europepmc",
    "europepmc_fulltext",
    "europepmc_mined",
    "pubmed_xml",
    "pubmed_html",
    "pmc",
)
"""Those that ask Europe PMC and NCBI only: no publisher, no PDF."""

APART: Final[dict[ResourceName, str]] = {
    "europepmc_html": "pubweave.resources.europepmc_html",
    "pmc_html": "pubweave.resources.pmc_html",
}
"""Those that only test operations ask; no run does (F-DIS-01)."""

PAGES: Final[dict[PageKind, str]] = {
    "webpage": "pubweave.resources.webpages",
    "doc": "pubweave.resources.docs",
}
"""Resource services of web pages and docs: where the folder with `SERVICE` is."""

DOORS: Final[tuple[str, ...]] = ("fetcher", "renderer", "pdf_reader")
"""Services that open sockets or bytes of the outside."""

STAGES: Final[tuple[str, ...]] = ("merger", "scheduler", "materialiser", "gateway")
"""Services between the topics."""


def service(name: ResourceName) -> Service:
    """The service of a resource, imported when it is first wanted.

    :raises KeyError: there is no such resource (yet)
    """
    found: Service = importlib.import_module((RESOURCES | APART)[name]).SERVICE
    return found


def page_service(entry: PageKind) -> "WebpageService":
    """The service that reads this kind of page, imported when it is first wanted."""
    found: WebpageService = importlib.import_module(PAGES[entry]).SERVICE
    return found
