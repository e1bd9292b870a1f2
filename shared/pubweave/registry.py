"""What services there are, as their folders declare them. Topics, compose and manifests are made from here."""

import importlib
import pkgutil
from types import ModuleType
from typing import TYPE_CHECKING, Final

import pubweave.resources
from pubweave.contract.declaration import Declaration
from pubweave.contract.resources import DECLARATIONS
from pubweave.contract.vocabulary import PageKind, ResourceName
from pubweave.core.toolkit.service import Service

if TYPE_CHECKING:  # brings the page parser along
    from pubweave.core.toolkit.webpage_asking import WebpageService

API_RESOURCES: Final[tuple[ResourceName, ...]] = (
    "europepmc",
    "europepmc_fulltext",
    "europepmc_mined",
    "pubmed_xml",
    "pubmed_html",
    "pmc",
)
"""Those that ask Europe PMC and NCBI only: no publisher, no PDF."""

RESOURCES: Final[tuple[ResourceName, ...]] = tuple(
    one.name for one in DECLARATIONS if one.asked in ("by-chain", "by-links")
)
"""Resource services that runs may ask."""

ON: Final[tuple[ResourceName, ...]] = tuple(
    one.name for one in DECLARATIONS if one.name in RESOURCES and one.on
)
"""Those that are asked unless somebody says otherwise."""

APART: Final[tuple[ResourceName, ...]] = tuple(one.name for one in DECLARATIONS if one.asked == "by-tests")
"""Those that only test operations ask; no run does (F-DIS-01)."""

PAGES: Final[dict[PageKind, ResourceName]] = {
    one.entry: one.name for one in DECLARATIONS if one.entry is not None
}
"""Resource services of web pages and docs."""


class RegistryProblem(Exception):
    """Folders and what was gathered from them do not agree; the text says which, and what to do."""


def service(name: ResourceName) -> Service:
    """The service of a resource, imported when it is first wanted.

    :raises KeyError: there is no such resource
    :raises RegistryProblem: its folder says something else than what was gathered
    """
    found: Service = _module(name).SERVICE
    return found


def page_service(entry: PageKind) -> "WebpageService":
    """The service that reads this kind of page, imported when it is first wanted."""
    found: WebpageService = _module(PAGES[entry]).SERVICE
    return found


_BY_NAME: Final[dict[str, Declaration]] = {one.name: one for one in DECLARATIONS}


def declaration(name: str) -> Declaration:
    """:raises KeyError: there is no such resource"""
    return _BY_NAME[name]


def _module(name: str) -> ModuleType:
    folder = f"{pubweave.resources.__name__}.{declaration(name).name}"
    if declaration(name) != importlib.import_module(f"{folder}.declaration").DECLARATION:
        raise RegistryProblem(
            f"{folder} declares something else than what was gathered: run `make generate`."
        )
    return importlib.import_module(folder)


def check() -> None:
    """Every folder of a resource is declared, so that somebody asks it, and the other way round.

    :raises RegistryProblem: not so
    """
    there = {module.name for module in pkgutil.iter_modules(pubweave.resources.__path__) if module.ispkg}
    for name in sorted(there ^ set(_BY_NAME)):
        what = "has a folder, and nobody asks it" if name in there else "is declared, and has no folder"
        raise RegistryProblem(f"The resource {name} {what}: run `make generate`.")
