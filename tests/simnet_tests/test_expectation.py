"""What is expected is what the replies say: the walk over the description agrees with the bytes."""

from itertools import pairwise
from urllib.parse import quote, urlencode, urlsplit

import pytest
from lxml import etree
from selectolax.lexbor import LexborHTMLParser

from simnet import content
from simnet.chain import ALL, API, Asked, walk
from simnet.expectation import Expected, expected, readable
from simnet.facts import Ids, Publication
from simnet.floor import needed_asks
from simnet.hosts import ROUTERS
from simnet.messages import FAIR, Reply, Request
from simnet.text import space_normalised
from simnet.universe import Universe
from simnet_tests.asking import ANNOTATIONS, EFETCH, REST, SEARCH

PARSER = etree.XMLParser(load_dtd=False, no_network=True)
SOME = 400


def get(universe: Universe, url: str, **parameters: str) -> Reply:
    """The reply without a network."""
    parts = urlsplit(url)
    target = parts.path + ("?" + urlencode(parameters, quote_via=quote) if parameters else "")
    target += "?" + parts.query if parts.query else ""
    host = parts.hostname or ""
    return ROUTERS[host](universe, Request("GET", "https", host, target, {})).answer(FAIR)


def has_answer(universe: Universe, ask: Asked) -> bool:
    """Whether the host finds what is asked, read from its reply."""
    if ask.resource == "europepmc":
        query = {"pmid": f"ext_id:{ask.id} src:med", "pmcid": f"pmcid:{ask.id}", "doi": f'doi:"{ask.id}"'}
        reply = get(universe, SEARCH, query=query[ask.kind], resulttype="core", format="xml")
        return etree.fromstring(reply.body).find("resultList/result") is not None
    if ask.resource == "europepmc_fulltext":
        return get(universe, f"{REST}{ask.id}/fullTextXML").status == 200
    if ask.resource == "annotations":
        article = f"{'PMC' if ask.kind == 'pmcid' else 'MED'}:{ask.id}"
        reply = get(
            universe, ANNOTATIONS, articleIds=article, type="Experimental Methods,Gene Ontology", format="XML"
        )
        return etree.fromstring(reply.body).find("item") is not None
    if ask.resource == "pubmed_xml":
        return len(etree.fromstring(get(universe, EFETCH, db="pubmed", id=ask.id).body, PARSER)) == 1
    if ask.resource == "pmc":
        reply = get(universe, EFETCH, db="pmc", id=ask.id.removeprefix("PMC"))
        return etree.fromstring(reply.body, PARSER).find("article") is not None
    if ask.resource == "pubmed_html":
        return b"article-details" in get(universe, "https://www.ncbi.nlm.nih.gov/pubmed/", term=ask.id).body
    if ask.resource in ("doi", "doi_alias"):
        return get(universe, f"https://doi.org/{quote(ask.id)}").status in (200, 302)
    if ask.resource == "unpaywall":
        return (
            get(universe, f"https://api.unpaywall.org/v2/{quote(ask.id)}", email="a@b.example").status == 200
        )
    return get(universe, ask.id).status in (200, 302, 403)


def text_of(element: etree._Element) -> str:
    """All text of an element, blanks folded."""
    return space_normalised("".join(str(piece) for piece in element.itertext()))


def test_the_description_says_what_the_replies_say(universe: Universe) -> None:
    """Every ask of the walk is answered, or not, as the walk believes."""
    wrong = []
    for ids in universe.submissions(SOME):
        walked = walk(universe, ids)
        assert walked is not None
        wrong += [ask for ask in walked.asked if ask.found != has_answer(universe, ask)]

    assert wrong == []


@pytest.fixture(scope="module")
def outcomes(universe: Universe) -> list[Expected]:
    return expected(universe, universe.submissions(SOME), resources=API)


def record_of(universe: Universe, one: Expected) -> etree._Element:
    """The Europe PMC result that was taken."""
    assert one.walk
    assert one.walk.record
    record = one.walk.record
    reply = get(
        universe, SEARCH, query=f"ext_id:{record.id} src:{record.source}", resulttype="core", format="xml"
    )
    found = etree.fromstring(reply.body).find("resultList/result")
    assert found is not None
    return found


def test_expected_parts_of_europe_pmc_stand_in_its_record(
    universe: Universe, outcomes: list[Expected]
) -> None:
    """Title, abstract, keywords, MeSH and identifiers, read with a plain parser."""
    checked = 0
    for one in outcomes:
        parts = {name: part for name, part in one.final.items() if part.type == "europepmc"}
        if not one.walk or not one.walk.record or one.walk.record.twin:
            continue
        result = record_of(universe, one)
        if "title" in parts:
            assert parts["title"].exact == readable(result.findtext("title") or "")
        if "theAbstract" in parts:
            abstract = readable(result.findtext("abstractText") or "")
            places = [abstract.find(readable(sentence)) for sentence in parts["theAbstract"].contains]
            assert min(places) >= 0
            assert all(a <= b for a, b in pairwise(places)) or len(set(places)) < len(places)
        if "keywords" in parts:
            assert parts["keywords"].exact == tuple(k.text for k in result.iterfind("keywordList/keyword"))
        if "mesh" in parts:
            shown = [
                (heading.findtext("descriptorName"), heading.findtext("majorTopic_YN") == "Y", "")
                for heading in result.iterfind("meshHeadingList/meshHeading")
            ]
            assert parts["mesh"].exact == tuple(shown)
        checked += len(parts)

    assert checked > 1500


def test_expected_mined_terms_stand_in_the_annotations(universe: Universe, outcomes: list[Expected]) -> None:
    """Grouped by address and counted from the XML, they are the expected terms."""
    checked = 0
    for one in outcomes:
        for part, kind in (("efo", "Experimental Methods"), ("go", "Gene Ontology")):
            if part not in one.final or one.publication is None:
                continue
            form = "MED" if one.publication.mined_under == "MED" else "PMC"
            article = f"{form}:{one.publication.ids.pmid if form == 'MED' else one.publication.ids.pmcid}"
            reply = get(universe, ANNOTATIONS, articleIds=article, type=kind, format="XML")
            counts: dict[str, dict[str, int]] = {}
            for annotation in etree.fromstring(reply.body).iter("annotation"):
                uri, exact = annotation.findtext("tags/tag/uri"), annotation.findtext("exact")
                frequency = int(annotation.findtext("frequency") or 1)
                if uri and exact and frequency > 0:
                    spellings = counts.setdefault(uri, {})
                    spellings[exact] = spellings.get(exact, 0) + frequency
            terms = [
                (max(spellings, key=lambda s: spellings[s]), sum(spellings.values()), uri)
                for uri, spellings in counts.items()
            ]
            assert one.final[part].exact == tuple(sorted(terms, key=lambda term: -term[1]))
            checked += 1

    assert checked > 300


def test_expected_full_texts_stand_in_the_articles(universe: Universe, outcomes: list[Expected]) -> None:
    """What must be kept stands in the article; what must be left out does too, so leaving out is work."""
    kept = left_out = 0
    for one in outcomes:
        part = one.final.get("fulltext")
        if part is None or one.walk is None:
            continue
        pmcid = one.walk.value("pmcid")
        if part.type == "europepmc_xml":
            reply = get(universe, f"{REST}{pmcid}/fullTextXML")
        else:
            reply = get(universe, EFETCH, db="pmc", id=pmcid.removeprefix("PMC"))
        text = text_of(etree.fromstring(reply.body.lstrip(), PARSER))
        assert [phrase for phrase in part.contains if phrase not in text] == []
        kept += len(part.contains)
        left_out += sum(phrase in text for phrase in part.excludes)

    assert kept > 1000
    assert left_out > 500


def test_what_pubmed_alone_knows(universe: Universe, outcomes: list[Expected]) -> None:
    """Parts of type pubmed_xml stand in the efetch record."""
    checked = 0
    for one in outcomes:
        parts = {name: part for name, part in one.final.items() if part.type == "pubmed_xml"}
        if not parts or one.walk is None:
            continue
        root = etree.fromstring(get(universe, EFETCH, db="pubmed", id=one.walk.value("pmid")).body, PARSER)
        ids = {e.get("IdType"): e.text for e in root.iterfind(".//PubmedData/ArticleIdList/ArticleId")}
        for name, id_type in (("pmid", "pubmed"), ("pmcid", "pmc"), ("doi", "doi")):
            if name in parts:
                assert parts[name].exact == ids[id_type]
        if "theAbstract" in parts:
            text = " ".join(text_of(e) for e in root.iter("AbstractText"))
            assert [s for s in parts["theAbstract"].contains if s not in text] == []
        checked += len(parts)

    assert checked > 60


def test_what_the_pubmed_page_alone_knows(universe: Universe, outcomes: list[Expected]) -> None:
    """Abstracts of type pubmed_html stand at `#eng-abstract > p` (F-PMH-03)."""
    checked = 0
    for one in outcomes:
        part = one.final.get("theAbstract")
        if part is None or part.type != "pubmed_html" or one.walk is None:
            continue
        page = get(universe, "https://www.ncbi.nlm.nih.gov/pubmed/", term=one.walk.value("pmid")).body
        text = space_normalised(" ".join(p.text() for p in LexborHTMLParser(page).css("#eng-abstract > p")))
        assert [s for s in part.contains if s not in text] == []
        checked += 1

    assert checked >= 4


def test_traps_are_set(universe: Universe) -> None:
    """Faults 24, 25 and 31 of the program that users know can be met: PMCIDs in three forms, reference lists with
    identifiers of others beside an article that has none, short bodies under long abstracts."""
    forms: set[str | None] = set()
    trapped = short = 0
    for publication in universe:
        if publication.index < 200 and publication.pmc_fulltext:
            reply = get(universe, EFETCH, db="pmc", id=publication.ids.pmcid.removeprefix("PMC"))
            article = etree.fromstring(reply.body, PARSER).find("article")
            assert article is not None
            meta = article.find("front/article-meta")
            assert meta is not None
            forms |= {
                f"{e.get('pub-id-type')}{'+prefix' if (e.text or '').startswith('PMC') else ''}"
                for e in meta.iterfind("article-id")
                if (e.get("pub-id-type") or "").startswith("pmc")
            }
        if publication.europepmc_fulltext:
            forms |= {"bare" if publication.europepmc_fulltext.pmcid_form == "bare" else ""}
            short += publication.europepmc_fulltext.body == "short"
        if publication.kind == "refs-trap":
            reply = get(universe, EFETCH, db="pubmed", id=publication.ids.pmid)
            root = etree.fromstring(reply.body, PARSER)
            own = root.findall(".//PubmedData/ArticleIdList/ArticleId")
            others = root.findall(".//ReferenceList//ArticleId[@IdType='doi']")
            trapped += [e.get("IdType") for e in own if e.get("IdType") != "pii"] == ["pubmed"] and len(
                others
            ) > 0

    assert {"pmc", "pmcid+prefix", "bare"} <= forms
    assert trapped >= 20
    assert short >= 20


def test_nothing_is_expected_of_what_nobody_knows(universe: Universe) -> None:
    """Known nowhere: no part is final, no resource found it."""
    nobody = [publication for publication in universe if publication.kind == "nobody"]
    outcomes = expected(universe, [publication.submitted for publication in nobody])

    assert {(one.known, len(one.final)) for one in outcomes} == {(False, 0)}
    assert all(one.not_final == frozenset(ALL) for one in outcomes)


def test_a_stranger_is_nobody(universe: Universe) -> None:
    """Identifiers outside the universe are expected to be known nowhere, too."""
    [one] = expected(universe, [Ids(pmid="1")])

    assert (one.publication, one.known) == (None, False)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("<i>TP53</i> &amp; CO<sub>2</sub>.", "TP53 & CO2."),
        ("&lt;i&gt;TP53&lt;/i&gt; &amp;amp; more", "TP53 & more"),
        ("effects (p < 0.05)", "effects (p < 0.05)"),
        ("<h4>Methods</h4>We asked", "Methods. We asked"),
    ],
)
def test_readable_text(text: str, plain: str) -> None:
    """Titles and abstracts compare as a person reads them."""
    assert readable(text) == plain


def test_asks_are_spelt_as_the_log_spells_them(universe: Universe) -> None:
    """What is needed and what was asked can be compared as sets."""
    publication: Publication = next(
        p for p in universe if p.kind == "plain" and p.mined_under and p.pmc_fulltext
    )
    walked = walk(universe, publication.submitted, resources=API)
    assert walked is not None
    logged = set()
    for ask in walked.asked:
        if ask.resource == "annotations":
            request = Request("GET", "https", "www.ebi.ac.uk", urlsplit(ANNOTATIONS).path, {})
            request.target += f"?articleIds={'PMC' if ask.kind == 'pmcid' else 'MED'}:{ask.id}"
            logged |= {("annotations", one) for one in ROUTERS["www.ebi.ac.uk"](universe, request).ids}

    assert logged
    assert logged <= needed_asks([walked])
    assert content.title_of(publication).plain
