"""What services there are: one line each. Everything generated (topics, compose, manifests) starts here."""

import importlib
from typing import Final

from pubweave.contract.vocabulary import ResourceName
from pubweave.core.service import Service

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

DOORS: Final[tuple[str, ...]] = ("fetcher", "renderer", "pdf_reader")
"""Services that open sockets or bytes of the outside."""

STAGES: Final[tuple[str, ...]] = ("merger", "scheduler", "materialiser", "gateway")
"""Services between the topics."""


def service(name: ResourceName) -> Service:
    """The service of a resource, imported when it is first wanted.

    :raises KeyError: there is no such resource (yet)
    """
    found: Service = importlib.import_module(RESOURCES[name]).SERVICE
    return found
