"""doi.org and dx.doi.org: redirects to the publisher, 404 for what they do not know."""

from simnet.hosts.common import robots
from simnet.messages import JSON, Ask, Reply, Request, Weather, plain
from simnet.publishers import PUBLISHERS
from simnet.replies import doi_org
from simnet.universe import Universe


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
        page = publication.pages.get(doi.lower()) if publication else None
        if page is None:
            return plain(404, doi_org.not_found(doi))
        location = page.via or page.url
        return Reply(302, doi_org.redirect(location), headers=(("Location", location), ("Vary", "Accept")))

    return Ask("doi", (doi,), answer)


HOSTS = {"doi.org": route, "dx.doi.org": route, "www.doi.org": route}
