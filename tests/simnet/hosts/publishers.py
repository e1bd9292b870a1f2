"""The hosts of publishers and repositories: what stands at the addresses of pages, text pages and files."""

from dataclasses import replace
from urllib.parse import unquote

from simnet.facts import Page, Publication
from simnet.hosts.common import not_found, robots
from simnet.messages import Ask, Reply, Request, plain
from simnet.publishers import BY_HOST, LINKING_HUB, REPOSITORY_BY_HOST, ROBOTS
from simnet.replies import pages, pdf
from simnet.universe import Universe


def route(universe: Universe, request: Request) -> Ask:
    host = request.host.lower()
    if request.path == "/robots.txt":
        key = BY_HOST[host].key if host in BY_HOST else REPOSITORY_BY_HOST[host].key
        return robots(ROBOTS[key]) if key in ROBOTS else robots()
    publication = universe.by_doi(unquote(request.target))
    if publication is None:
        return not_found(request, "publisher", (request.url,))
    for page in (*publication.pages.values(), *publication.copies):
        found = _of_page(request, publication, page)
        if found is not None:
            return found
    return not_found(request, "publisher", (request.url,))


def hub(universe: Universe, request: Request) -> Ask:
    """linkinghub.elsevier.com goes on by JavaScript alone; nobody should come here (F-DOI-09)."""
    if request.path == "/robots.txt":
        return robots()
    page = "<!DOCTYPE html><html><head><title>Redirecting</title></head><body onload='go()'></body></html>"
    return Ask("linking_hub", (request.target,), lambda weather: plain(200, page))


def _of_page(request: Request, publication: Publication, page: Page) -> Ask | None:
    url = request.url
    if _same(url, page.url) and page.face != "pdf":
        return Ask("publisher", (page.url,), lambda weather: _page(publication, page))
    if page.via and _same(url, page.via):
        moved = (("Location", page.url),)
        return Ask("publisher", (page.via,), lambda weather: Reply(302, b"", headers=moved))
    if page.full_url and _same(url, page.full_url):
        if page.face != "article":
            return not_found(request, "publisher", (request.url,))
        return Ask(
            "publisher",
            (page.full_url,),
            lambda weather: plain(200, pages.html(publication, page, full=True)),
        )
    if _same(url, page.pdf_url):
        return Ask("publisher_pdf", (page.pdf_url,), lambda weather: _pdf(publication, page))
    for _, address in page.more:
        if address.endswith(".pdf") and _same(url, address):
            return Ask(
                "publisher_pdf",
                (address,),
                lambda weather: Reply(200, pdf.of(publication, "scanned")[1], PDF),
            )
    return None


PDF = "application/pdf"


def _page(publication: Publication, page: Page) -> Reply:
    if page.face in ("article", "abstract", "landing"):
        return plain(200, pages.html(publication, page))
    return plain(*pages.wall(publication, page))


def _pdf(publication: Publication, page: Page) -> Reply:
    media_type, body = pdf.of(publication, page.pdf)
    return Reply(200, body, media_type)


def _same(one: str, other: str) -> bool:
    return unquote(one).lower() == unquote(other).lower()


HOSTS = {**dict.fromkeys(BY_HOST, route), **dict.fromkeys(REPOSITORY_BY_HOST, route), LINKING_HUB: hub}


def landing_page(publication: Publication, page: Page) -> bytes:
    """The page as it would be without a wall, with HighWire tags: for crawls."""
    return pages.html(publication, replace(page, face="abstract", vocabularies=("citation",), more=()))


def small_pdf(publication: Publication) -> bytes:
    """A PDF with text: for crawls."""
    return pdf.of(publication, "text")[1]
