"""The publishers' hosts: landing pages with citation_* meta tags, some text, and a PDF link.

This is the room for whole publisher pages: a publisher that gets pages of its own registers a function in
`PAGES` (publisher key → page), one that gets other paths a function in `PATHS`.
"""

from collections.abc import Callable
from html import escape
from urllib.parse import unquote

from simnet import content
from simnet.facts import Page, Publication
from simnet.hosts.common import not_found, robots
from simnet.messages import Ask, Reply, Request, Weather, plain
from simnet.publishers import BY_HOST, Publisher
from simnet.universe import Universe

PageMaker = Callable[[Publication, Page], bytes]
PAGES: dict[str, PageMaker] = {}
PATHS: dict[str, Callable[[Universe, Request], Ask | None]] = {}
ROBOTS: dict[str, str] = {}
"""robots.txt by publisher key; open where not listed"""


def landing_page(publication: Publication, page: Page) -> bytes:
    """A plain landing page without any publisher's layout."""
    title = content.title_of(publication)
    tags = [("citation_title", title.plain), ("citation_journal_title", publication.journal.title)]
    tags += [
        ("citation_author", f"{author.given} {author.surname}") for author in content.authors_of(publication)
    ]
    tags.append(("citation_publication_date", publication.date.replace("-", "/")))
    if page.ids.doi:
        tags.append(("citation_doi", ("doi:" if publication.index % 5 == 0 else "") + page.ids.doi))
    if page.ids.pmid:
        tags.append(("citation_pmid", page.ids.pmid))
    if page.ids.pmcid:
        tags.append(("citation_pmcid", page.ids.pmcid))
    if page.keywords:
        tags.append(("citation_keywords", "; ".join(content.keywords_of(publication, page.keywords))))
    abstract = " ".join(part.plain for part in content.abstract_of(publication, page.abstract))
    if abstract:
        tags.append(("citation_abstract", abstract))
    tags.append(("citation_pdf_url", page.pdf_url))
    head = "".join(f'<meta name="{name}" content="{escape(value)}">' for name, value in tags)
    shown = f"<h2>Abstract</h2><p>{escape(abstract)}</p>" if abstract else "<p>No abstract.</p>"
    site = escape(publication.journal.publisher.name)
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{escape(title.plain)} | {site}</title>{head}</head>'
        f"<body><header><nav><ul><li><a href='/'>Home</a></li><li><a href='/about'>About {site}</a></li></ul></nav></header>"
        f"<article><h1>{title.pubmed}</h1>{shown}<a href='{escape(page.pdf_url)}'>Download PDF</a></article>"
        f"<footer>© {publication.year} {site}</footer></body></html>"
    ).encode()


def small_pdf(publication: Publication) -> bytes:
    """A PDF of one page with one line: a place for whole PDFs."""
    line = content.title_of(publication).plain.encode("latin-1", "replace").decode("latin-1")
    line = line.replace("\\", "").replace("(", "\\(").replace(")", "\\)")
    stream = f"BT /F1 10 Tf 40 780 Td ({line}) Tj ET".encode("latin-1")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    body, places = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return body + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
        % (len(objects) + 1, table, len(objects) + 1, len(body))
    )


def route(universe: Universe, request: Request) -> Ask:
    publisher = BY_HOST[request.host.lower()]
    if request.path == "/robots.txt":
        return robots(ROBOTS[publisher.key]) if publisher.key in ROBOTS else robots()
    if publisher.key in PATHS and (special := PATHS[publisher.key](universe, request)):
        return special
    publication = universe.by_doi(unquote(request.target))
    if publication is None:
        return not_found(request, "publisher")
    for page in publication.pages.values():
        found = _of_page(request, publisher, publication, page)
        if found is not None:
            return found
    return not_found(request, "publisher")


def _of_page(request: Request, publisher: Publisher, publication: Publication, page: Page) -> Ask | None:
    if _same(request.url, page.url):
        return Ask("publisher", (page.url,), lambda weather: _page(publisher, publication, page))
    if page.via and _same(request.url, page.via):
        return Ask(
            "publisher", (page.via,), lambda weather: Reply(302, b"", headers=(("Location", page.url),))
        )
    if _same(request.url, page.pdf_url):
        return Ask("publisher_pdf", (page.pdf_url,), lambda weather: _pdf(publication))
    return None


def _page(publisher: Publisher, publication: Publication, page: Page) -> Reply:
    return plain(200, PAGES.get(publisher.key, landing_page)(publication, page))


def _pdf(publication: Publication) -> Reply:
    return Reply(200, small_pdf(publication), "application/pdf")


def _same(one: str, other: str) -> bool:
    return unquote(one).lower() == unquote(other).lower()


HOSTS = dict.fromkeys(BY_HOST, route)
__all__ = ["HOSTS", "PAGES", "PATHS", "ROBOTS", "Weather", "landing_page", "route", "small_pdf"]
