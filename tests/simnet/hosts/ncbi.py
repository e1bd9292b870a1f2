"""NCBI: E-utilities efetch (db=pubmed, db=pmc), the PubMed page, and PMC addresses that redirect."""

import re

from simnet.facts import FullText, Publication
from simnet.hosts.common import not_found, robots
from simnet.messages import XML, Ask, Reply, Request, Weather, plain
from simnet.replies import jats, pubmed_html, pubmed_xml
from simnet.universe import Universe

_EFETCH = "/entrez/eutils/efetch.fcgi"
_PMC_PAGE = re.compile(r"/pmc/articles/(PMC\d+)/?$", re.IGNORECASE)
_PMC_BY_PMID = re.compile(r"/pmc/articles/pmid/(\d+)/?$")
_PUBMED_PAGE = re.compile(r"/(?:pubmed/)?(\d+)/?$")
MOST_RECORDS = 10_000
LONGEST_TARGET = 8_000


def eutils(universe: Universe, request: Request) -> Ask:
    if request.path == "/robots.txt":
        return robots()
    if request.path != _EFETCH:
        return not_found(request)
    given = request.parameters()
    database = given.get("db", "").lower()
    ids = tuple(one.strip() for one in given.get("id", "").split(",") if one.strip())
    resource = {"pubmed": "pubmed_xml", "pmc": "pmc"}.get(database, "efetch")

    def answer(weather: Weather) -> Reply:
        if len(request.target) > LONGEST_TARGET:
            return plain(
                414, "<html><head><title>414 Request-URI Too Large</title></head><body></body></html>"
            )
        if database not in ("pubmed", "pmc") or not ids or len(ids) > MOST_RECORDS:
            return plain(400, "<eFetchResult>\n\t<ERROR>Cannot process request</ERROR>\n</eFetchResult>", XML)
        if database == "pubmed":
            return _pubmed(universe, ids, weather)
        return _pmc(universe, ids, weather)

    return Ask(resource, ids, answer)


def _pubmed(universe: Universe, ids: tuple[str, ...], weather: Weather) -> Reply:
    records = []
    for one in dict.fromkeys(ids):
        publication = universe.by_pmid(one)
        if publication and publication.pubmed and publication.pubmed.ids.pmid == one:
            records.append(pubmed_xml.record(publication, publication.pubmed))
    body = pubmed_xml.reply(records)
    if weather.cut_after is not None and len(records) > weather.cut_after:
        whole = pubmed_xml.reply(records[: weather.cut_after])
        body = whole[: -len(pubmed_xml.TAIL)] + records[weather.cut_after].encode()[:400]
    return Reply(200, body, "text/xml; charset=UTF-8")


def _pmc(universe: Universe, ids: tuple[str, ...], weather: Weather) -> Reply:
    articles: list[tuple[Publication, FullText]] = []
    for one in dict.fromkeys(ids):
        publication = universe.by_pmcid(one)
        facts = publication.pmc_fulltext if publication else None
        if publication and facts and facts.ids.pmcid.removeprefix("PMC") == one.upper().removeprefix("PMC"):
            articles.append((publication, facts))
    if not articles:
        error = '<?xml version="1.0" ?>\n<pmc-articleset><Reply Id="{}" error="The following PMCID is not available"/></pmc-articleset>'
        return Reply(200, error.format(ids[0]).encode(), "text/xml; charset=UTF-8")
    body = jats.article_set(articles)
    if weather.cut_after is not None and len(articles) > weather.cut_after:
        whole = jats.article_set(articles[: weather.cut_after])
        body = whole[: -len("</pmc-articleset>")] + jats.article(*articles[weather.cut_after]).encode()[:2000]
    return Reply(200, body, "text/xml; charset=UTF-8")


def www(universe: Universe, request: Request) -> Ask:
    path = request.path
    if path == "/robots.txt":
        return robots("User-agent: *\nDisallow: /pmc/oai\n")
    if found := _PMC_BY_PMID.match(path):
        return _pmc_redirect(universe, found[1])
    if found := _PMC_PAGE.match(path):
        pmcid = found[1].upper()
        location = f"https://pmc.ncbi.nlm.nih.gov/articles/{pmcid}/"
        return Ask("pmc_html", (pmcid,), lambda weather: Reply(301, b"", headers=(("Location", location),)))
    term = request.parameters().get("term", "")
    if found := _PUBMED_PAGE.match(path):
        term = found[1]
    if term and path.rstrip("/") in ("/pubmed", "", f"/pubmed/{term}", f"/{term}"):
        return _pubmed_page(universe, term)
    return not_found(request)


def _pubmed_page(universe: Universe, term: str) -> Ask:
    def answer(weather: Weather) -> Reply:
        publication = universe.by_pmid(term)
        if publication is None or publication.pubmed is None or publication.pubmed.ids.pmid != term:
            return plain(200, pubmed_html.no_result(term))
        return plain(200, pubmed_html.page(publication))

    return Ask("pubmed_html", (term,), answer)


def _pmc_redirect(universe: Universe, pmid: str) -> Ask:
    def answer(weather: Weather) -> Reply:
        publication = universe.by_pmid(pmid)
        if publication is None or not publication.ids.pmcid:
            return plain(
                404, "<html><head><title>Page not available - PMC</title></head><body></body></html>"
            )
        location = f"https://www.ncbi.nlm.nih.gov/pmc/articles/{publication.ids.pmcid}/"
        return Reply(301, b"", headers=(("Location", location),))

    return Ask("pmc_html", (pmid,), answer)


def pmc(universe: Universe, request: Request) -> Ask:
    """pmc.ncbi.nlm.nih.gov: only a shell of the page; the project does not read it."""
    if request.path == "/robots.txt":
        return robots()
    page = "<!DOCTYPE html><html><head><title>PMC</title></head><body><main>Article</main></body></html>"
    return Ask("pmc_html", (request.path,), lambda weather: plain(200, page))


HOSTS = {
    "eutils.ncbi.nlm.nih.gov": eutils,
    "www.ncbi.nlm.nih.gov": www,
    "pubmed.ncbi.nlm.nih.gov": www,
    "pmc.ncbi.nlm.nih.gov": pmc,
}
