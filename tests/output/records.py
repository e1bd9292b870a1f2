"""Small records written by hand, for looking at every layout."""

from pubweave.contract.values import CorrespAuthor, MeshTerm, MinedTerm, Notice, Relation, VisitedSite
from pubweave.core.record import Part, Record
from pubweave.core.webpage_record import WebpageRecord

AT = 1_535_722_671_123
SEARCH = "https://www.ebi.ac.uk/europepmc/webservices/rest/search?query=ext_id:31092905"


def text(content: str, type_: str = "europepmc", url: str = SEARCH) -> Part:
    return Part(type=type_, url=url, timestamp=AT, size=len(content), text=content)  # type: ignore[arg-type]


def full_record() -> Record:
    """Everything a record can say, once."""
    return Record(
        publication="p-0001",
        fetch_time=AT,
        retry_counter=2,
        fetch_exception=True,
        oa=True,
        journal_title="Annals of Small Looms",
        pub_date=1_535_587_200_000,
        citations_count=17,
        citations_timestamp=AT + 1,
        corresp_author=(
            CorrespAuthor(
                name="Ada Weaver", orcid="https://orcid.org/0000-0001-5109-3700", email="ada@loom.example"
            ),
            CorrespAuthor(email="office@loom.example", phone="+372 555", uri="https://loom.example/~office"),
        ),
        visited_sites=(
            VisitedSite(
                url="https://loom.example/a", type="doi", from_="https://doi.org/10.5555/A", timestamp=AT + 2
            ),
        ),
        pmid=text("31092905"),
        pmcid=text("PMC6519000"),
        doi=text("10.5555/LOOM.1", "external", "Pubweave 0.1.0"),
        title=text("Warp < weft & <b>tension</b>"),
        keywords=Part(type="europepmc", url=SEARCH, timestamp=AT, size=2, words=("loom", "thread; double")),
        mesh=Part(
            type="pubmed_xml",
            url=SEARCH,
            timestamp=AT,
            size=2,
            mesh=(MeshTerm(term="Textiles", majorTopic=True, uniqueId="D013783"), MeshTerm(term="Humans")),
        ),
        efo=Part(
            type="europepmc",
            url=SEARCH,
            timestamp=AT,
            size=1,
            terms=(MinedTerm(term="weaving assay", count=5, uri="http://www.ebi.ac.uk/efo/EFO_0000001"),),
        ),
        go=Part(timestamp=AT),
        theAbstract=text("We weave. " * 30),
        fulltext=text("Warp\n\nWe weave.\n\n" + "Long body. " * 300, "europepmc_xml"),
        preprint=True,
        relations=(Relation(kind="preprint-of", source="MED", id="31092905", doi="10.5555/LOOM.1"),),
        notices=(Notice(kind="retracted", source="MED", id="999", reference="Looms 2020"),),
        primary="pmid",
        primary_value="31092905",
    )


def empty_record() -> Record:
    """What no source knows."""
    return Record(
        publication="p-0002",
        fetch_time=AT,
        doi=text("10.5555/NOWHERE", "external", "Pubweave 0.1.0"),
        known=False,
    )


def full_page() -> WebpageRecord:
    """Everything a web page can say, once."""
    return WebpageRecord(
        start_url="https://www.loom.example/tool?a=1&b=2",
        final_url="https://loom.example/tool/",
        content_type="text/html",
        status_code=200,
        title="Loom <beta> & friends",
        content="Loom weaves threads into cloth on paper.\nIt is small.\n\nIt is free.",
        content_time=AT,
        license="Apache-2.0",
        language="Python, C",
        fetch_time=AT,
        retry_counter=1,
        outcome="found",
    )
