"""doi.org and dx.doi.org: redirects to the publisher, 404 for what they do not know."""

from simnet.facts import Page
from simnet.hosts.common import robots
from simnet.messages import JSON, Ask, Reply, Request, Weather, plain
from simnet.numbers import EIGHT_DIGITS
from simnet.publishers import LINKING_HUB, PUBLISHERS
from simnet.replies import doi_org
from simnet.universe import Universe

ALIAS = "10.25607/alias."
"""A DOI of this prefix stands for another one."""


def route(universe: Universe, request: Request) -> Ask:
    path = request.path
    if path == "/robots.txt":
        return robots()
    if path.startswith("/ra/"):
        asked = path[4:]
        known = any(p.doi.split("/")[0] == asked.split("/")[0] for p in PUBLISHERS)
        return Ask("doi_agency", (asked,), lambda weather: plain(200, doi_org.agency(asked, known), JSON))
    doi = path.lstrip("/")

    def answer(weather: Weather) -> Reply:
        publication = universe.by_doi(doi)
        if publication is not None and doi.startswith(ALIAS):
            page = next(iter(publication.pages.values()), None)
            return plain(404, doi_org.not_found(doi)) if page is None else _redirect(page.via or page.url)
        page = publication.pages.get(doi.lower()) if publication else None
        return plain(404, doi_org.not_found(doi)) if page is None else _resolved(doi, page)

    return Ask("doi_alias" if doi.startswith(ALIAS) else "doi", (doi,), answer)


def _resolved(doi: str, page: Page) -> Reply:
    match page.way:
        case "values":
            return plain(200, doi_org.values(doi))
        case "nowhere":
            return Reply(302, doi_org.redirect(""))
        case "alias":
            return _redirect(alias_of(page))
        case "hub":
            return _redirect(f"https://{LINKING_HUB}/retrieve/pii/{page.url.rsplit('/', 1)[1]}")
        case _:
            return _redirect(page.via or page.url)


def alias_of(page: Page) -> str:
    """The relative address that leads to the page by another DOI."""
    found = EIGHT_DIGITS.search(page.url)
    assert found is not None
    return f"/{ALIAS}{found[0]}"


def _redirect(location: str) -> Reply:
    return Reply(302, doi_org.redirect(location), headers=(("Location", location), ("Vary", "Accept")))


HOSTS = {"doi.org": route, "dx.doi.org": route, "www.doi.org": route}
