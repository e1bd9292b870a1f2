"""The rows of the specification's table about pages, links and PDFs (T-005 to T-068), each by a fetch of its own."""

import logging

import msgspec
import pytest

from flow.clocks import ImpatientClock
from pubweave import registry
from pubweave.adapters.sqlite.storage import SqliteStorage
from pubweave.contract.exchange import Reply
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.values import Identifiers, Link, Thresholds
from pubweave.core.record import is_final
from pubweave.core.toolkit.page_answers import Sought, say_page
from pubweave.core.toolkit.service import Context
from pubweave.runtimes.doors import Doors
from pubweave.runtimes.embedded.jobs import Line
from pubweave.runtimes.embedded.system import EmbeddedSystem
from services.doors.pdf_reader.pdfs import pages_of
from services.resources.builders import arbitrary_need, run
from services.resources.small_internet import (
    ABSTRACT,
    BODY,
    DOI,
    PAGE,
    RESOLVER,
    SENTENCE,
    UNPAYWALL,
    Body,
    Case,
    Internet,
    To,
    fetched,
    page,
    rules,
    search_for,
    search_result,
)

LINES = [SENTENCE[:70], SENTENCE[70:], ""] * 12
PDF = Body(pages_of(LINES, LINES, title="A PDF", keywords="nest; lake", subject="x"), "application/pdf")
PDF_URL = "https://site.example/a/1.pdf"
PDF_LINK = f'<a class=pdf href="{PDF_URL}">PDF</a>'


def site(html: str, **more: object) -> Internet:
    """The DOI leads to one page."""
    return Internet({RESOLVER: To(PAGE), PAGE: html, **more})  # type: ignore[arg-type]


def unpaywall(*places: tuple[str, str, str], title: str = "From Unpaywall", is_oa: bool = True) -> Body:
    locations = [
        {"url": url, "url_for_landing_page": landing, "url_for_pdf": pdf} for url, landing, pdf in places
    ]
    record = {
        "doi": DOI.lower(),
        "title": title,
        "is_oa": is_oa,
        "journal_name": "Journal",
        "oa_locations": locations,
    }
    return Body(msgspec.json.encode(record), "application/json")


# --- identifiers and types


@pytest.mark.parametrize(("text", "pmid"), [("PMID: 123", "123"), ("pmid:77.", "77"), ("PMID: x", "")])
async def test_t005_prefixed_identifiers_of_a_page_are_cut_out_and_invalid_ones_refused(text, pmid):
    ran = await fetched(site(page(more=f"<span class=pmid>{text}</span>")))

    assert ran.record.pmid.text == pmid
    assert ran.record.pmid.type == ("doi" if pmid else "na")


async def test_t008_a_version_of_the_doi_is_no_change(caplog):
    """F-ID-41: the old value stays and takes the better type; a warning begins `Old ID`; nothing starts anew."""
    with caplog.at_level(logging.WARNING):
        ran = await fetched(site(page(more=f"<span class=doi>{DOI}.2</span>")))

    assert ran.record.doi.text == DOI
    assert ran.record.doi.type == "doi"
    assert any(said.startswith(f"Old ID {DOI}") for said in caplog.messages)
    assert ran.outcomes["doi"] == ["found"]


async def test_t015_a_pdf_reached_from_the_page_of_a_doi_gives_pdf_doi():
    ran = await fetched(site(page(body="", more=PDF_LINK), **{PDF_URL: PDF}))

    assert ran.record.fulltext.type == "pdf_doi"
    assert ran.record.fulltext.url == PDF_URL


# --- failures


@pytest.mark.parametrize(
    ("url", "name", "flag"),
    [
        (PDF_URL, "absent", False),
        ("https://site.example/a/1.PS", "unavailable", False),
        ("https://site.example/a/1", "absent", True),
        (PDF_URL, "unavailable-503", True),
    ],
)
async def test_t025_some_addresses_are_exempt_from_the_exception_flag(url, name, flag):
    """F-EXC-03: 404 of a .pdf leaves fetchException false; 503 sets it everywhere."""
    ran = await fetched(Internet({RESOLVER: To(url), url: Case(name)}), parts=("fulltext",))

    assert ran.record.fetch_exception is flag


async def test_t026_a_closed_port_sets_the_flag_and_the_chain_goes_on():
    ran = await fetched(Internet({RESOLVER: To(PAGE), PAGE: Case("refused"), UNPAYWALL: unpaywall()}))

    assert ran.record.fetch_exception
    assert ran.outcomes["doi"] == ["refused"]
    assert ran.record.title.text == "From Unpaywall"


@pytest.mark.parametrize("type_", ["application/pdf", "application/octet-stream", "image/x-pdf"])
async def test_t027_a_pdf_where_a_page_was_expected_is_read_as_pdf(type_):
    """F-EXC-05, F-EXC-13: a link to a page that is a PDF gives a full text of the PDF type."""
    place = ("https://archive.example/7", "", "")
    pdf = Body(PDF.content, type_)
    ran = await fetched(Internet({UNPAYWALL: unpaywall(place), place[0]: pdf}))

    assert ran.record.fulltext.type == "pdf_oadoi"
    assert ran.outcomes["links"] == ["found"]
    assert not ran.record.fetch_exception


async def test_t027_another_type_is_no_page_and_nothing_follows():
    """F-EXC-06."""
    ran = await fetched(Internet({RESOLVER: To(PAGE), PAGE: Body(b"\x00", "video/mp4")}))

    assert ran.outcomes["doi"] == ["wrong-type"]
    assert not ran.record.fetch_exception


async def test_t028_a_timeout_sets_the_flag():
    """F-EXC-08; that the fetcher asks twice is shown at the fetcher, that a PDF is asked once too (F-PDF-07)."""
    ran = await fetched(Internet({RESOLVER: To(PAGE), PAGE: Case("timeout")}))

    assert ran.record.fetch_exception
    assert ran.outcomes["doi"] == ["timeout"]


class Browser:
    """A renderer that has one page."""

    def __init__(self, html: str) -> None:
        self.html = html
        self.asked: list[str] = []

    async def render(self, wanted: ReplyWanted, fetcher: object) -> Reply:
        self.asked.append(wanted.request.url)
        return Reply(
            outcome="found",
            url=wanted.request.url,
            final_url=wanted.request.url,
            status=200,
            content_type="text/html",
            body=self.html.encode(),
            fetched_at=1,
        )


async def test_t029_a_tls_failure_is_tried_once_more_in_the_browser():
    """F-EXC-09: one retry with JavaScript, and the evidence says so."""
    browser = Browser(page())
    internet = site(Case("tls"))
    ran = await fetched(internet, renderer=browser)

    assert browser.asked == [PAGE]
    assert ran.record.fulltext.type == "doi"
    assert internet.count(PAGE) == 1


async def test_t029_without_a_browser_the_failure_stands():
    """F-EXC-10, F-JS-06."""
    ran = await fetched(site(Case("tls")))

    assert ran.outcomes["doi"] == ["tls-failure"]
    assert not ran.record.fetch_exception


@pytest.mark.parametrize(("name", "flag"), [("bad-http", False), ("unresolved", False), ("failed", True)])
async def test_t030_other_failures_only_warn_and_the_unexpected_sets_the_flag(name, flag):
    """F-EXC-11, F-EXC-12, F-EXC-15: the chain goes on with the next resource."""
    ran = await fetched(Internet({RESOLVER: To(PAGE), PAGE: Case(name), UNPAYWALL: unpaywall()}))

    assert ran.record.fetch_exception is flag
    assert ran.outcomes["unpaywall"] == ["found"]


async def test_t030_a_cut_connection_is_tried_once_more_and_sets_no_flag():
    """F-EXC-11 with fault 55: asked again later, then the outcome is `reset`, the flag stays false."""
    internet = Internet({RESOLVER: To(PAGE), PAGE: Case("cut"), UNPAYWALL: unpaywall()})
    ran = await fetched(internet, clock=ImpatientClock())

    assert internet.count(PAGE) == 2
    assert ran.outcomes["doi"] == ["reset"]
    assert not ran.record.fetch_exception
    assert ran.outcomes["unpaywall"] == ["found"]


async def test_t030_the_flag_is_false_again_at_the_beginning_of_each_fetch():
    """F-EXC-16: a failure of the first run is not one of the second."""
    internet = Internet({RESOLVER: To(PAGE), PAGE: Case("refused")})
    storage = SqliteStorage.in_memory()
    context = Context(rules=rules())
    async with EmbeddedSystem.over(storage, Doors(internet), context, second_chance=False) as system:
        line = Line(1, Identifiers(doi=DOI))
        (first,) = [one async for one in system.run_job([line], job="one")]
        internet.there[PAGE] = page()
        (second,) = [one async for one in system.run_job([line], job="two")]
    await storage.close()

    assert first.record is not None
    assert second.record is not None
    assert (first.record.fetch_exception, second.record.fetch_exception) == (True, False)
    assert second.record.fulltext.type == "doi"


# --- PDFs


async def test_t034_a_doi_that_is_a_pdf_gives_text_and_metadata():
    """F-DOI-03, F-PDF-04, F-PDF-05, F-PDF-06: all of type pdf_doi; a PDF is no visited site."""
    ran = await fetched(Internet({RESOLVER: To(PDF_URL), PDF_URL: PDF}))
    record = ran.record

    assert {record.title.type, record.keywords.type, record.fulltext.type} == {"pdf_doi"}
    assert record.title.text == "A PDF"
    assert record.keywords.words == ("nest", "lake")
    assert SENTENCE[:60] in record.fulltext.text
    assert record.theAbstract.is_empty
    assert record.visited_sites == ()


async def test_t034_no_pdf_is_fetched_when_no_full_text_was_requested():
    """F-PDF-02."""
    internet = Internet({RESOLVER: To(PDF_URL), PDF_URL: PDF})
    ran = await fetched(internet, parts=("title", "theAbstract"))

    assert internet.count(PDF_URL) == 1
    assert ran.outcomes["doi"] == ["skipped"]
    assert ran.record.title.is_empty


# --- the chain


async def test_t039_an_identifier_that_a_page_reveals_starts_another_pass():
    """F-CHAIN-04…06: the PMID is asked with afterwards; nothing is asked twice with the same identifier."""
    by_pmid = search_for("ext_id:123%20src:med")
    internet = site(
        page(more="<i class=pmid>123</i>"), **{by_pmid: search_result(id="123", pmid="123", title="Known")}
    )
    ran = await fetched(internet)
    by_doi = internet.asked.index(search_for("doi:10.5555/X"))

    assert by_doi < internet.asked.index(PAGE) < internet.asked.index(by_pmid)
    assert internet.count(by_pmid) == 1
    assert internet.count(search_for("doi:10.5555/X")) == 1
    assert internet.count(PAGE) == 1
    assert "eutils.ncbi.nlm.nih.gov" in internet.hosts()
    assert ran.record.title.type == "doi"


@pytest.mark.parametrize(
    ("parts", "asked"),
    [
        # Europe PMC gives title and abstract: what else is requested decides who is asked (F-NEED-08, F-NEED-09).
        (("title",), False),
        (("title", "theAbstract"), False),
        (("title", "keywords"), True),
        (("title", "fulltext"), True),
        (("mesh", "title"), False),
        (("efo", "title"), False),
    ],
)
async def test_t041_the_page_of_the_doi_is_asked_only_for_what_it_can_give(parts, asked):
    """F-NEED-08."""
    known = search_result(id="1", pmid="1", doi=DOI, title="Nests above water", abstractText=ABSTRACT)
    internet = site(page(), **{search_for("doi:10.5555/X"): known})
    await fetched(internet, parts=parts)

    assert (internet.count(PAGE) == 1) is asked


@pytest.mark.parametrize(
    ("parts", "asked"),
    [
        (("title",), False),
        (("theAbstract",), False),
        (("keywords",), False),
        (("fulltext",), True),
        (("pmid",), True),
    ],
)
async def test_t041_unpaywall_is_asked_only_for_what_it_can_lead_to(parts, asked):
    """F-NEED-09: not for keywords; for a missing identifier only if nothing else was requested."""
    internet = site(page(body=""), **{UNPAYWALL: unpaywall()})
    await fetched(internet, parts=parts)

    assert (internet.count(UNPAYWALL) == 1) is asked


async def test_t041_a_pdf_is_not_asked_when_a_page_before_it_gave_the_text():
    """F-NEED-11, F-NEED-12."""
    internet = site(page(more=PDF_LINK), **{PDF_URL: PDF})
    await fetched(internet)

    assert internet.count(PDF_URL) == 0


async def test_t041_a_doi_that_leads_somewhere_is_known():
    """Only a DOI that nobody has registered is known nowhere."""
    gone = await fetched(Internet({RESOLVER: To(PAGE), PAGE: Case("gone")}))
    unregistered = await fetched(Internet({RESOLVER: Case("absent")}))

    assert gone.finished.settled.outcome == "finished"
    assert unregistered.finished.settled.outcome == "known-nowhere"


# --- the page of a DOI


async def test_t052_the_doi_is_resolved_without_following_and_the_page_asked_next():
    """F-DOI-01, F-DOI-02: one question to the resolver; a relative location belongs to it."""
    internet = Internet({RESOLVER: To("/elsewhere"), "https://doi.org/elsewhere": To(PAGE), PAGE: page()})
    ran = await fetched(internet)
    at = internet.asked.index(RESOLVER)

    assert internet.asked[at : at + 3] == [RESOLVER, "https://doi.org/elsewhere", PAGE]
    assert internet.count(RESOLVER) == 1
    assert ran.record.fulltext.url == PAGE


@pytest.mark.parametrize("answer", ["<html>a page</html>", Case("absent"), Case("wall")])
async def test_t052_a_resolver_that_leads_nowhere_ends_the_resource_without_exception(answer):
    """F-DOI-01: no fetchException, and the next resource is asked."""
    ran = await fetched(Internet({RESOLVER: answer, UNPAYWALL: unpaywall()}))

    assert not ran.record.fetch_exception
    assert ran.outcomes["unpaywall"] == ["found"]


async def test_t052_a_resolver_that_is_down_is_a_temporary_failure():
    """A-24."""
    ran = await fetched(Internet({RESOLVER: Case("unavailable-doi")}))

    assert ran.record.fetch_exception


def test_t052_a_visited_host_is_not_visited_again_for_less_than_the_text():
    """F-DOI-08: the resolver is asked, the page is not; the hosts are named only while no full text is wanted."""
    need = msgspec.structs.replace(
        arbitrary_need("doi", "doi", doi=DOI, missing=("keywords",)), visited_hosts=("site.example",)
    )
    location = (("location", "https://www.SITE.example/a/1"),)
    events, asked = run(
        registry.service("doi").step,
        [need],
        lambda wanted: Reply(outcome="found", url=wanted.request.url, status=302, headers=location),
    )

    assert [wanted.request.url for wanted in asked] == [RESOLVER]
    assert [event.outcome for event in events] == ["skipped"]


async def test_t052_elseviers_hub_is_left_out():
    """F-DOI-09: it leads on by JavaScript only, to an address that is known."""
    article = "https://www.sciencedirect.com/science/article/pii/S0000000000000007"
    hub = "https://linkinghub.elsevier.com/retrieve/pii/S0000000000000007"
    internet = Internet({RESOLVER: To(hub), article: page(), hub: "<html>loading</html>"})
    await fetched(internet)

    assert internet.count(hub) == 0
    assert internet.count(article) == 1


async def test_t053_rules_are_found_by_the_final_address_and_give_the_type_doi():
    """F-DOI-04, F-NET-03: the address after redirects decides, and is the part's."""
    moved = "https://old.example/1"
    ran = await fetched(Internet({RESOLVER: To(moved), moved: To(PAGE, 301), PAGE: page()}))
    record = ran.record

    assert (record.title.type, record.theAbstract.type, record.fulltext.type) == ("doi", "doi", "doi")
    assert {record.title.url, record.fulltext.url} == {PAGE}
    assert record.fulltext.text.startswith(f"Nests above water\n\n{ABSTRACT.strip()}\n\n")


async def test_t054_without_rules_title_and_text_are_of_type_webpage_and_never_final():
    """F-DOI-05: the title of the page, the cleaned text, and no other part."""
    unknown = "https://unknown.example/1"
    ran = await fetched(Internet({RESOLVER: To(unknown), unknown: page(more="<nav>Home</nav>")}))
    record = ran.record

    assert (record.title.type, record.fulltext.type) == ("webpage", "webpage")
    assert record.title.text == "Nests above water | Site"
    assert len(record.fulltext.text) > 2000
    assert not is_final("fulltext", record.fulltext, Thresholds())
    assert record.theAbstract.is_empty
    assert record.keywords.is_empty


async def test_t055_the_page_is_a_visited_site():
    """F-DOI-07: address, type, what led there, and when."""
    (visited,) = (await fetched(site(page()))).record.visited_sites

    assert (visited.url, visited.type, visited.from_) == (PAGE, "doi", f"https://doi.org/{DOI}")
    assert visited.timestamp > 0


# --- Unpaywall


async def test_t056_unpaywall_gives_title_openness_journal_and_links():
    """F-UPW-01, F-UPW-03, F-UPW-04: asked with the e-mail; pages and PDFs of their types, best first."""
    places = [
        ("https://one.example/1.pdf", "https://one.example/1", "https://one.example/1.pdf"),
        ("https://two.example/2", "https://two.example/2", ""),
    ]
    internet = Internet({UNPAYWALL: unpaywall(*places), "https://one.example/1.pdf": PDF})
    ran = await fetched(internet)
    asked = next(one.request.url for one in internet.wanted if "unpaywall" in one.request.url)

    assert asked == f"{UNPAYWALL}?email=ada%40lake.example"
    assert (ran.record.title.text, ran.record.title.type) == ("From Unpaywall", "oadoi")
    assert ran.record.oa
    assert ran.record.journal_title == "Journal"
    assert ran.record.fulltext.type == "pdf_oadoi"
    followed = [url for url in internet.asked if "one.example" in url or "two.example" in url]
    assert followed == ["https://one.example/1", "https://two.example/2", "https://one.example/1.pdf"]


@pytest.mark.parametrize(("name", "flag"), [("absent", False), ("http-error", False), ("timeout", True)])
async def test_t056_only_failures_that_pass_set_the_flag(name, flag):
    """F-UPW-05, A-23."""
    ran = await fetched(Internet({UNPAYWALL: Case(name)}))

    assert ran.record.fetch_exception is flag


async def test_t057_without_an_email_unpaywall_is_skipped():
    """F-CFG-11: no request; the outcome says so. (The one warning is the command's.)"""
    internet = site(page(body=""), **{UNPAYWALL: unpaywall()})
    ran = await fetched(internet, context=Context(rules=rules()))

    assert "api.unpaywall.org" not in internet.hosts()
    assert ran.outcomes["unpaywall"] == ["skipped"]


# --- apart


async def test_t058_the_pages_of_pmc_are_never_asked_in_a_run_but_by_test_operations():
    """F-DIS-01, F-DIS-02: also where everything else fails, and where links lead there."""
    place = ("https://europepmc.org/articles/PMC7", "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC7/", "")
    internet = Internet({UNPAYWALL: unpaywall(place)})
    await fetched(internet, Identifiers(pmcid="PMC7", doi=DOI))

    assert not any("/articles/PMC7" in url and "webservices" not in url for url in internet.asked)
    assert not set(registry.APART) & set(registry.RESOURCES)

    for name in registry.APART:
        _, asked = run(
            registry.service(name).step,
            [arbitrary_need(name, "pmcid", pmcid="PMC7")],
            lambda wanted: Reply(outcome="absent", url=wanted.request.url),
        )
        assert "/articles/PMC7" in asked[0].request.url


# --- change of an identifier


async def test_t059_another_pmid_of_a_better_type_empties_the_record_and_starts_anew():
    """F-CHG-01: content of the old PMID is gone; the record is the one of the new."""
    old = search_result(id="1", title="Another article", abstractText=ABSTRACT)
    new = search_result(id="2", pmid="2", title="Nests above water", abstractText=ABSTRACT)
    internet = site(
        page(more="<i class=pmid>2</i>"),
        **{search_for("ext_id:1%20src:med"): old, search_for("ext_id:2%20src:med"): new},
    )
    ran = await fetched(internet, Identifiers(pmid="1", doi=DOI))

    assert ran.record.pmid.text == "2"
    assert ran.record.pmid.type in ("doi", "europepmc")
    assert ran.record.title.text == "Nests above water"
    assert internet.count(search_for("ext_id:2%20src:med")) == 1


# --- authors and meta tags

NOTES = """<article><front><article-meta><article-id pub-id-type="pmcid">PMC7</article-id><contrib-group>
<contrib contrib-type="author" corresp="yes"><contrib-id contrib-id-type="orcid">https://orcid.org/0000-0002-1825-0097</contrib-id>
<name><surname>Reed</surname><given-names>Ada</given-names></name><xref ref-type="corresp" rid="c1"/></contrib>
<contrib contrib-type="author" corresp="yes"><name><surname>Lake</surname><given-names>Ben</given-names></name>
<xref ref-type="corresp" rid="c1"/></contrib></contrib-group><author-notes><corresp id="c1"><email>b.lake@lake.example</email>
<email>ada.reed@lake.example</email></corresp></author-notes></article-meta></front><body><p>Text.</p></body></article>"""


async def test_t060_corresponding_authors_of_jats_have_their_own_addresses():
    """F-CA-01…03: two authors, two e-mails in the other order: matched by the names."""
    fulltext = "https://www.ebi.ac.uk/europepmc/webservices/rest/PMC7/fullTextXML"
    known = search_result(id="1", pmid="1", pmcid="PMC7", title="T", isOpenAccess="Y")
    by_pmcid = search_for("pmcid:PMC7")
    internet = Internet({by_pmcid: known, fulltext: Body(NOTES.encode(), "text/xml")})
    ran = await fetched(internet, Identifiers(pmcid="PMC7"))

    assert [(one.name, one.email) for one in ran.record.corresp_author] == [
        ("Ada Reed", "ada.reed@lake.example"),
        ("Ben Lake", "b.lake@lake.example"),
    ]
    assert ran.record.corresp_author[0].orcid.endswith("0000-0002-1825-0097")


@pytest.mark.parametrize(
    ("emails", "authors"),
    [
        ("<a class=mail href=mailto:a@x.example>m</a>", [("", "a@x.example")]),
        (
            "<a class=mail href=mailto:a@x.example>m</a><a class=mail href=mailto:b@x.example>m</a>",
            [("Ada", "a@x.example"), ("Ben", "b@x.example")],
        ),
    ],
)
async def test_t061_names_are_thrown_away_where_their_number_is_another_one(emails, authors):
    """F-CA-05."""
    names = "<b class=name>Ada</b><b class=name>Ben</b>"
    ran = await fetched(site(page(more=names + emails)))

    assert [(one.name, one.email) for one in ran.record.corresp_author] == authors


META = {
    "citation_title": "citation",
    "eprints.title": "eprints",
    "bepress_citation_title": "bepress",
    "DC.Title": "dc",
    "og:title": "og",
    "twitter.title": "twitter",
    "title": "meta",
}


@pytest.mark.parametrize("name", META)
async def test_t062_each_vocabulary_gives_its_type(name):
    """F-META-02, F-META-03, F-META-05: better than the page's own title, worse than rules."""
    unknown = "https://unknown.example/1"
    html = page(title="Of the page", head=f'<meta name="{name}" content="Of the tag">')
    ran = await fetched(Internet({RESOLVER: To(unknown), unknown: html}))
    by_rules = await fetched(site(html))

    assert (ran.record.title.text, ran.record.title.type) == ("Of the tag", META[name])
    assert (by_rules.record.title.text, by_rules.record.title.type) == ("Of the page", "doi")


async def test_t063_a_tag_is_no_better_than_the_page_it_stands_on():
    """F-META-06: on a page reached by link_meta, citation_title gives link_meta."""
    first, second = "https://one.example/1", "https://two.example/2"
    internet = Internet(
        {
            RESOLVER: To(first),
            first: page(title="", abstract="", body="", head=f'<meta name="fulltext_html" content="{second}"><meta name=citation_doi content={DOI}>'),
            second: page(head='<meta name="citation_title" content="Of the tag">'),
        }
    )  # fmt: skip
    ran = await fetched(internet)

    assert (ran.record.title.text, ran.record.title.type) == ("Of the tag", "link_meta")


@pytest.mark.parametrize(("host", "taken"), [("www.nature.com", False), ("unknown.example", True)])
async def test_t064_tags_that_are_known_to_be_wrong_are_left_alone(host, taken):
    """F-META-08."""
    url = f"https://{host}/articles/1"
    html = page(head=f'<meta property="og:description" content="{ABSTRACT}">')
    ran = await fetched(Internet({RESOLVER: To(url), url: html}))

    assert (ran.record.theAbstract.type == "og") is taken


# --- links


async def test_t065_links_of_doi_and_pmc_are_never_followed():
    """F-LNK-03; what was fetched already is not fetched again either (F-NET-04)."""
    links = ("https://doi.org/10.5555/OTHER", "https://dx.doi.org/10.5555/OTHER", "https://europepmc.org/articles/PMC1",
             "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC1/", "http://[bad", "mailto:x@y.example", PAGE)  # fmt: skip
    more = "".join(f'<a class=full href="{url}">x</a>' for url in links)
    internet = site(page(body="", more=more))
    await fetched(internet, Identifiers(pmcid="PMC1", doi=DOI))

    assert not any(url in internet.asked for url in links if url != PAGE)
    assert internet.count(PAGE) == 1


@pytest.mark.parametrize(
    ("url", "kind", "value"),
    [
        ("https://www.ncbi.nlm.nih.gov/pmc/articles/PMC123/", "pmcid", "PMC123"),
        ("https://europepmc.org/abstract/MED/456", "pmid", "456"),
        ("https://www.ncbi.nlm.nih.gov/pmc/articles/pmid/456/", "pmid", "456"),
    ],
)
async def test_t066_a_refused_link_gives_the_identifier_in_it(url, kind, value):
    """F-LNK-04: with the link's type, unless it was supplied."""
    internet = Internet({UNPAYWALL: unpaywall((url, "", ""))})
    found = await fetched(internet)
    supplied = await fetched(
        Internet({UNPAYWALL: unpaywall((url, "", ""))}), Identifiers(doi=DOI, **{kind: value + "9"})
    )

    assert found.record.part(kind).text == value
    assert found.record.part(kind).type == "link_oadoi"
    assert supplied.record.part(kind).text == value + "9"


async def test_t067_links_are_followed_by_type_and_no_more_than_allowed():
    """F-LNK-06, F-LNK-10: final types first, then the ladder; ten at most."""
    metas = "".join(
        f'<meta name="{name}" content="https://{kind}{number}.example/x">'
        for number in range(5)
        for name, kind in (("fulltext_html", "meta"), ("citation_fulltext_html_url", "citation"))
    )
    fulls = "".join(f'<a class=full href="https://doi{number}.example/x">x</a>' for number in range(2))
    internet = site(page(abstract="", body="", title="", head=metas, more=fulls + "<i class=kw>k</i>"))
    await fetched(internet, parts=("fulltext",))
    followed = [
        host.split(".")[0]
        for host in internet.hosts()
        if host.endswith(".example") and host != "site.example"
    ]

    assert followed == ["doi0", "doi1", *(f"citation{n}" for n in range(5)), "meta0", "meta1", "meta2"]


async def test_t067_the_rest_is_discarded_when_no_link_can_do_better():
    """F-LNK-07: a full text of type link_citation is not worse than what the next link could give."""
    link = '<meta name="citation_fulltext_html_url" content="https://site.example/full">'
    worse = '<meta name="fulltext_html" content="https://meta.example/x">'
    internet = site(
        page(body="", head=link + worse),
        **{"https://site.example/full": page(), "https://meta.example/x": page()},
    )
    ran = await fetched(internet, parts=("title", "theAbstract", "fulltext"))

    assert ran.record.fulltext.type == "link_citation"
    assert "meta.example" not in internet.hosts()


async def test_t068_page_links_are_visited_sites_and_pdfs_are_not():
    """F-LNK-08, F-PDF-06: with the link's type and from."""
    full = "https://site.example/full"
    internet = site(
        page(body="", head=f'<meta name="citation_fulltext_html_url" content="{full}">', more=PDF_LINK),
        **{full: page(body=BODY[:200]), PDF_URL: PDF},
    )
    ran = await fetched(internet)
    visited = [(one.url, one.type, one.from_) for one in ran.record.visited_sites]

    assert visited == [(PAGE, "doi", f"https://doi.org/{DOI}"), (full, "link_citation", PAGE)]
    assert internet.count(PDF_URL) == 1


async def test_t068_the_rules_about_javascript_look_at_the_address_before_redirects():
    """F-LNK-11, F-YJ-30: those about selectors at the one after them."""
    scripted = "https://site.example/scripted/1"
    browser = Browser(page())
    internet = Internet({scripted: "<html>loading</html>"})
    ran = await fetched(
        internet,
        links=[Link(scripted, "link", "https://x.example/")],
        renderer=browser,
        context=Context(rules=rules(), browser_first=True),
    )

    assert browser.asked == [scripted]
    assert scripted not in internet.asked
    assert ran.record.fulltext.type == "link"


SCRIPTED = "https://site.example/scripted/1"


@pytest.mark.parametrize(
    ("served", "by_browser"),
    [
        pytest.param(page(), [], id="the page has everything"),
        pytest.param("<html>loading</html>", [SCRIPTED], id="it is empty without its scripts"),
        pytest.param(page(body="<p>Subscribe.</p>"), [SCRIPTED], id="it has no text of the article"),
        pytest.param(Case("blocked"), [SCRIPTED], id="it is not given to everybody"),
        pytest.param(Case("absent"), [], id="it is not there"),
    ],
)
async def test_the_browser_is_asked_where_the_page_as_it_is_served_lacks_something(
    served: str | Case, by_browser: list[str]
):
    """Nothing of the record is missing, and the page is asked for once without a browser."""
    browser = Browser(page())
    internet = Internet({SCRIPTED: served})
    ran = await fetched(
        internet,
        parts=("title", "theAbstract", "fulltext"),
        links=[Link(SCRIPTED, "link", "https://x.example/")],
        renderer=browser,
        context=Context(rules=rules(), browser_first=False),
    )

    assert browser.asked == by_browser
    assert internet.count(SCRIPTED) == 1
    assert ran.record.fulltext.type == ("na" if isinstance(served, Case) and not by_browser else "link")


async def test_a_page_that_lacks_something_is_taken_as_it_is_where_there_is_no_browser():
    """F-JS-06: what it says is better than nothing."""
    internet = Internet({SCRIPTED: page(body="<p>Subscribe.</p>")})
    ran = await fetched(
        internet,
        links=[Link(SCRIPTED, "link", "https://x.example/")],
        context=Context(rules=rules(), browser_first=False),
    )

    assert internet.count(SCRIPTED) == 2
    assert ran.record.title.type == "link"


async def test_t068_a_pdf_at_sciencedirect_is_asked_by_the_browser_first():
    """F-LNK-09."""
    url = "https://www.sciencedirect.com/science/article/pii/S1/pdfft"
    browser = Browser("<html>loading</html>")
    internet = Internet({UNPAYWALL: unpaywall(("", "", url)), url: PDF})
    ran = await fetched(internet, renderer=browser)

    assert browser.asked == [url]
    assert ran.record.fulltext.type == "pdf_oadoi"


async def test_a_rule_that_misses_the_text_is_told_and_the_text_is_there(caplog):
    """From the page to the record: cleaned, never final, so that a PDF may take its place; a line in the log."""
    html = page().replace("<div class=body>", "<div class=renamed>")
    with caplog.at_level(logging.WARNING):
        ran = await fetched(site(html))
    better = await fetched(site(html, **{UNPAYWALL: unpaywall(("", "", PDF_URL)), PDF_URL: PDF}))

    assert ran.outcomes["doi"] == ["rule-missed"]
    assert (ran.record.fulltext.type, ran.record.theAbstract.type) == ("webpage", "doi")
    assert SENTENCE in ran.record.fulltext.text
    assert [line for line in caplog.messages if line.startswith(f"{DOI}: the rules of")]
    assert better.record.fulltext.type == "pdf_oadoi"


async def test_a_preview_does_not_keep_the_open_copy_away():
    """What stands for the text on an abstract page is no text, though rules selected it; that of a PDF is."""
    preview = "<p>Continue reading this article: subscription required.</p>" + BODY[:300]
    internet = site(page(body=preview), **{UNPAYWALL: unpaywall(("", "", PDF_URL)), PDF_URL: PDF})
    without = await fetched(site(page(body=preview)))
    ran = await fetched(internet)

    assert without.outcomes["doi"] == ["abstract-only"]
    assert without.record.fulltext.is_empty
    assert ran.record.fulltext.type == "pdf_oadoi"
    assert ran.record.title.type == "doi"


async def test_a_pdf_longer_than_a_page_may_be_is_read_all_the_same():
    """A page is refused above 20 MiB, a PDF above 100 (F-CFG-22)."""

    class Long(Internet):
        async def fetch(self, wanted):
            reply = await super().fetch(wanted)
            if wanted.request.url == PDF_URL and wanted.request.expect == "html":
                return msgspec.structs.replace(
                    reply,
                    outcome="too-large",
                    content_type="application/pdf",
                    body=b"",
                    evidence="more than 20 MiB",
                )
            return reply

    ran = await fetched(Long({RESOLVER: To(PDF_URL), PDF_URL: PDF}))

    assert ran.record.fulltext.type == "pdf_doi"


JATS = """<article><front><article-meta><article-id pub-id-type="pmcid">PMC7</article-id><title-group><article-title>Nests above
water</article-title></title-group><abstract><p>{abstract}</p></abstract></article-meta></front>{body}</article>"""


async def test_an_article_without_its_body_gives_way_to_the_text_of_a_pdf():
    """A scanned article in PMC: its JATS has no body, so the open copy is looked for, and its text is the full text."""
    fulltext = "https://www.ebi.ac.uk/europepmc/webservices/rest/PMC7/fullTextXML"
    jats = Body(JATS.format(abstract=ABSTRACT, body="").encode(), "text/xml")
    known = search_result(
        id="1",
        pmid="1",
        pmcid="PMC7",
        doi=DOI,
        title="Nests above water",
        abstractText=ABSTRACT,
        isOpenAccess="Y",
    )
    there = {search_for("doi:10.5555/X"): known, fulltext: jats}
    alone = await fetched(Internet(there))
    ran = await fetched(Internet(there | {UNPAYWALL: unpaywall(("", "", PDF_URL)), PDF_URL: PDF}))

    assert alone.outcomes["europepmc_fulltext"] == ["abstract-only"]
    assert alone.record.fulltext.type == "europepmc_xml"
    assert ran.record.fulltext.type == "pdf_oadoi"
    assert ran.record.title.type == "europepmc"


KNOWN = "Nests above the water of a shallow lake"


@pytest.mark.parametrize(
    ("shown", "tag", "outcome"),
    [
        (KNOWN, "", "found"),
        (KNOWN.upper(), "", "found"),
        ("Something else", KNOWN + ": a survey", "found"),
        ("Something else", "", "found"),
        ("Something else", "On the cutting of dykes in winter", "found"),
    ],
)
async def test_a_page_to_which_the_resolver_led_is_the_articles(shown, tag, outcome):
    """Old pages have no DOI on them, and titles are spelt in other languages; doi.org knows where the article is."""
    head = f'<meta name="citation_title" content="{tag}">' if tag else ""
    html = page(title=shown, head=head).replace(f"https://doi.org/{DOI}", "")
    known = search_result(id="1", pmid="1", doi=DOI, title=KNOWN + ".")
    ran = await fetched(site(html, **{search_for("doi:10.5555/X"): known}))

    assert ran.outcomes["doi"] == [outcome]
    assert (ran.record.fulltext.type == "doi") is (outcome == "found")


async def test_a_page_made_to_do_harm_adds_a_bounded_number_of_links_keywords_and_authors():
    """Thousands of tags give no thousands of events, and no event that is too long to travel."""
    metas = "".join(
        f'<meta name="citation_pdf_url" content="https://evil.example/{number}.pdf">'
        f'<meta name="citation_keywords" content="k{number}">'
        f'<meta name="citation_author_email" content="a{number}@evil.example">'
        for number in range(3000)
    )
    metas += f'<meta name="citation_pdf_url" content="https://evil.example/{"x" * 9000}">'
    metas += f'<meta name="citation_keywords" content="{"y" * 9000}">'
    need = arbitrary_need("doi", "doi", doi=DOI)
    reply = Reply(outcome="found", url=PAGE, final_url=PAGE, status=200, content_type="text/html")
    said = say_page(
        need, msgspec.structs.replace(reply, body=page(head=metas).encode()), Sought("doi", "x", rules())
    )

    assert len(said) < 100
    assert len(msgspec.json.encode(said)) < 256 * 1024
