"""api.unpaywall.org."""

from simnet.facts import Publication
from simnet.hosts.common import not_found, robots
from simnet.messages import JSON, Ask, Reply, Request, Weather, plain
from simnet.replies import unpaywall
from simnet.universe import Universe


def route(universe: Universe, request: Request) -> Ask:
    if request.path == "/robots.txt":
        return robots()
    if not request.path.startswith("/v2/10."):
        return not_found(request)
    doi = request.path.removeprefix("/v2/")
    mail = request.parameters().get("email", "")

    def answer(weather: Weather) -> Reply:
        if "@" not in mail or mail.endswith("@example.com"):
            return plain(422, unpaywall.bad_email(), JSON)
        publication = universe.by_doi(doi)
        if publication is None or publication.unpaywall is None or doi.lower() not in _dois(publication):
            return plain(404, unpaywall.not_found(doi), JSON)
        return plain(200, unpaywall.found(publication, publication.unpaywall, doi), JSON)

    return Ask("unpaywall", (doi,), answer)


def _dois(publication: Publication) -> set[str]:
    return {publication.ids.doi.lower(), *publication.pages}


HOSTS = {"api.unpaywall.org": route}
