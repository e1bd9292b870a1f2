"""www.ebi.ac.uk: Europe PMC search, fullTextXML, text-mined terms (old), and the Annotations API."""

import json
import re
from base64 import b64decode

from simnet import query
from simnet.hosts.common import not_found, robots
from simnet.messages import JSON, XML, Ask, Reply, Request, Weather, plain
from simnet.replies import annotations, europepmc, jats
from simnet.universe import Universe

_REST = "/europepmc/webservices/rest/"
_FULL_TEXT = re.compile(re.escape(_REST) + r"([A-Za-z]+\d+)/fullTextXML$")
_OLD_MINED = re.compile(re.escape(_REST) + r"(PMC|MED)/(\w+)/textMinedTerms/(EFO|GO_TERM)$")
_ANNOTATIONS = "/europepmc/annotations_api/annotationsByArticleIds"
MOST_ANNOTATED_ARTICLES = 8
MOST_RESULTS = 1000


def route(universe: Universe, request: Request) -> Ask:
    path = request.path.rstrip("/")
    if path == "/robots.txt":
        return robots()
    if path == _REST + "search" or (path == _REST + "searchPOST" and request.method == "POST"):
        return _search(universe, request)
    if found := _FULL_TEXT.match(path):
        return _full_text(universe, found[1])
    if path == _ANNOTATIONS:
        return _annotations(universe, request)
    if found := _OLD_MINED.match(path):
        return _old_mined(universe, found[1], found[2], found[3])
    return not_found(request)


HOSTS = {"www.ebi.ac.uk": route}


def _search(universe: Universe, request: Request) -> Ask:
    given = request.parameters()
    text = given.get("query", "")
    try:
        names = query.parse(text).names if text.strip() else []
    except query.BadQuery as error:
        reason = str(error)
        return Ask("europepmc", (), lambda weather: _error(400, f"Invalid query: {reason}"), text)
    ids = tuple(value for _, value in names)

    def answer(weather: Weather) -> Reply:
        if not text.strip():
            return _error(400, "No query given")
        return _results(universe, request, given, text, weather)

    return Ask("europepmc", ids, answer)


def _results(
    universe: Universe, request: Request, given: dict[str, str], text: str, weather: Weather
) -> Reply:
    parsed, found = query.run(universe, text)
    if len(parsed.names) > 1:
        suffix = "+SRC" if "src:" in text.lower() else ""
        lost = {
            (name, value.lower())
            for name, value in parsed.names
            if name != "PMCID" and weather.loses(name + (suffix if name == "EXT_ID" else ""), value)
        }
        kept = [one for one in parsed.names if (one[0], one[1].lower()) not in lost]
        found = [
            (publication, record)
            for publication, record in found
            if any(query.says(name, value, record) for name, value in kept)
        ]
    size = given.get("pagesize", "25")
    if not size.isdigit() or not 1 <= int(size) <= MOST_RESULTS:
        return _error(400, f"pageSize must be 1 to {MOST_RESULTS}")
    page_size = int(size)
    kind = given.get("resulttype", "lite").lower()
    cursor = given.get("cursormark", "*")
    offset = 0
    if cursor not in ("*", ""):
        try:
            offset = int(b64decode(cursor).decode().removeprefix("AoIIP"))
        except ValueError:
            return _error(400, "cursorMark is not one of ours")
    shown = found[offset : offset + page_size]
    following = europepmc.cursor_of(offset + page_size) if offset + page_size < len(found) else ""
    envelope = europepmc.envelope(
        text, len(found), kind, cursor, page_size, following, request.method == "GET"
    )
    if kind == "core":
        results = [europepmc.core(publication, record) for publication, record in shown]
    elif kind == "idlist":
        results = [europepmc.idlist(record) for _, record in shown]
    else:
        results = [europepmc.lite(publication, record) for publication, record in shown]
    if given.get("format", "xml").lower() == "json":
        cookie = (("Set-Cookie", "JSESSIONID=0123456789ABCDEF; Path=/europepmc; HttpOnly"),)
        return Reply(200, europepmc.reply_json(envelope, results), JSON, cookie)
    return Reply(200, europepmc.reply_xml(envelope, results), XML)


def _error(status: int, message: str) -> Reply:
    return plain(status, json.dumps({"errCode": status, "errMsg": message}), JSON)


def _full_text(universe: Universe, pmcid: str) -> Ask:
    def answer(weather: Weather) -> Reply:
        publication = universe.by_pmcid(pmcid) if pmcid.upper().startswith("PMC") else None
        facts = publication.europepmc_fulltext if publication else None
        if publication is None or facts is None or facts.ids.pmcid != pmcid.upper():
            return _error(404, f"No full text for {pmcid}")
        return Reply(200, jats.full_text_xml(publication, facts), XML)

    return Ask("europepmc_fulltext", (pmcid.upper(),), answer)


def _annotations(universe: Universe, request: Request) -> Ask:
    pairs = [(name.lower(), value) for name, value in request.pairs()]
    asked = [
        one.strip()
        for name, value in pairs
        if name == "articleids"
        for one in value.split(",")
        if one.strip()
    ]
    types = [
        one.strip() for name, value in pairs if name == "type" for one in value.split(",") if one.strip()
    ]
    form = next((value for name, value in pairs if name == "format"), "JSON").upper()

    def answer(weather: Weather) -> Reply:
        if not asked:
            return _error(400, "articleIds is missing")
        if len(asked) > MOST_ANNOTATED_ARTICLES:
            return _error(400, f"The number of article ids must be between 1 and {MOST_ANNOTATED_ARTICLES}")
        items = []
        for one in asked:
            source, _, value = one.partition(":")
            if source.upper() not in ("PMC", "MED", "PPR", "AGR") or not value:
                return _error(400, f"{one} is not SOURCE:ID")
            found = universe.by_pmcid(value) if source.upper() == "PMC" else universe.by_pmid(value)
            known = found and value.upper() in (found.ids.pmcid, found.ids.pmid)
            item = annotations.item(found, one, types) if found and known else None
            if item:
                items.append(item)
        if form == "XML":
            return Reply(200, annotations.reply_xml(items), XML)
        return Reply(200, annotations.reply_json(items), JSON)

    return Ask("annotations", tuple(asked), answer, "+".join(sorted(types)))


def _old_mined(universe: Universe, source: str, record_id: str, kind: str) -> Ask:
    def answer(weather: Weather) -> Reply:
        publication = universe.by_pmcid(record_id) if source == "PMC" else universe.by_pmid(record_id)
        if publication and record_id not in (publication.ids.pmid, publication.ids.pmcid):
            publication = None
        return Reply(200, annotations.text_mined_terms(publication, source, record_id, kind), XML)

    return Ask("text_mined_terms", (f"{source}:{record_id}",), answer, kind)
