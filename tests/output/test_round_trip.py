"""JSON output can be read back: a database's content needs neither the database nor the tool (F-JSON-13)."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from referencing import Registry, Resource

import pubweave.output
from output.records import empty_record, full_page, full_record
from pubweave.contract.values import CorrespAuthor, MeshTerm, MinedTerm, Notice, Relation, VisitedSite
from pubweave.contract.vocabulary import TYPE_NAMES
from pubweave.core.record import Part, Record
from pubweave.core.webpage_record import WebpageRecord
from pubweave.output.formats import FORMATS, DocumentFrame
from pubweave.output.publication import Selection
from pubweave.output.reading import read_publications
from pubweave.output.reports.completeness import Completeness, SourceQuestion
from pubweave.output.reports.part_table import PartTable
from pubweave.output.webpage_reading import read_webpages

SCHEMAS = Path(pubweave.output.__file__).parent / "schemas"
DOCUMENT: dict[str, Any] = json.loads((SCHEMAS / "document.schema.json").read_text())
REGISTRY: Registry[Any] = Registry().with_resources(
    (file.name, Resource.from_contents(json.loads(file.read_text()))) for file in SCHEMAS.glob("*.json")
)


def valid(instance: object) -> bool:
    return jsonschema.Draft202012Validator(DOCUMENT, registry=REGISTRY).is_valid(instance)


def exported(
    publications: list[Record],
    pages: list[WebpageRecord],
    selection: Selection = Selection(),  # noqa: B008
) -> bytes:
    writer = FORMATS["json"](
        selection, DocumentFrame(("export",), lists=("publications", "webpages", "docs"))
    )
    pieces = [*writer.begin()]
    for record in publications:
        pieces += writer.publication(record)
    for page in pages:
        pieces += writer.webpage(page, "webpage")
    for page in pages:
        pieces += writer.webpage(page, "doc")
    return "".join(map(str, [*pieces, *writer.end()])).encode()


def without_keys(body: bytes) -> Any:
    """A publication's key is given anew by the database it goes into."""
    document = json.loads(body)
    for publication in document["publications"]:
        publication["pubweave"]["publication"] = ""
    return document


def again(body: bytes) -> bytes:
    return exported(list(read_publications(body)), list(read_webpages(body, "webpages")))


texts = st.text('aé <"\\\n\t\x00\U0001f9f5', max_size=6)
times = st.integers(min_value=-1, max_value=4_000_000_000_000)
moments = st.integers(min_value=0, max_value=4_000_000_000_000)
types = st.sampled_from(TYPE_NAMES)
identifiers = {
    "pmid": st.sampled_from(["", "1", "31092905"]),
    "pmcid": st.sampled_from(["", "PMC1"]),
    "doi": st.sampled_from(["", "10.1/ABC", "10.5555/<X>_%"]),
}


def part(**content: Any) -> Part:
    size = sum(len(value) for value in content.values())
    return Part(size=size, **content)


def parts_of(contents: dict[str, Any]) -> st.SearchStrategy[Part]:
    return st.builds(
        lambda bare, type_, url, at, never: msgspec.structs.replace(
            bare,
            type=type_,
            url=url,
            timestamp=at,
            never_final=never and type_ == "pmc_xml" and bare.size > 2_000,
        ),
        st.builds(part, **contents),
        types,
        texts,
        times,
        st.booleans(),
    )


long_texts = st.one_of(texts, texts.map(lambda text: (text or "a")[0] * 2_100))
records = st.builds(
    Record,
    publication=st.just("p"),
    fetch_time=moments,
    retry_counter=st.integers(0, 5),
    fetch_exception=st.booleans(),
    oa=st.booleans(),
    journal_title=texts,
    pub_date=times,
    citations_count=st.integers(-1, 9),
    citations_timestamp=times,
    corresp_author=st.lists(st.builds(CorrespAuthor, texts, texts, texts, texts, texts), max_size=2).map(
        tuple
    ),
    visited_sites=st.lists(
        st.builds(VisitedSite, url=texts, type=types, from_=texts, timestamp=times), max_size=2
    ).map(tuple),
    preprint=st.booleans(),
    known=st.booleans(),
    relations=st.lists(
        st.builds(Relation, st.sampled_from(["preprint-of", "has-preprint"]), texts, texts, texts), max_size=2
    ).map(tuple),
    notices=st.lists(
        st.builds(Notice, st.sampled_from(["retracted", "corrected"]), texts, texts, texts), max_size=2
    ).map(tuple),
    **{kind: parts_of({"text": values}) for kind, values in identifiers.items()},
    title=parts_of({"text": texts}),
    theAbstract=parts_of({"text": texts}),
    fulltext=parts_of({"text": long_texts}),
    keywords=parts_of({"words": st.lists(texts, max_size=3).map(tuple)}),
    mesh=parts_of(
        {
            "mesh": st.lists(st.builds(MeshTerm, texts.filter(bool), st.booleans(), texts), max_size=2).map(
                tuple
            )
        }
    ),
    efo=parts_of(
        {"terms": st.lists(st.builds(MinedTerm, texts, st.integers(1, 9), texts), max_size=2).map(tuple)}
    ),
)
pages = st.builds(
    WebpageRecord,
    start_url=st.just("https://loom.example/"),
    final_url=texts,
    content_type=texts,
    status_code=st.integers(0, 599),
    title=texts,
    content=texts,
    content_time=moments,
    license=texts,
    language=texts,
    fetch_time=moments,
    retry_counter=st.integers(0, 5),
    fetch_exception=st.booleans(),
)


@settings(derandomize=True, deadline=None, max_examples=60, phases=[Phase.generate])
@given(st.lists(records, max_size=2), st.lists(pages, max_size=2))
def test_export_read_and_exported_again_is_the_same(
    some: list[Record], some_pages: list[WebpageRecord]
) -> None:
    """Byte for byte, but for the key of the publication; and the document keeps to its schema."""
    first = exported(some, some_pages)
    second = again(first)

    assert without_keys(first) == without_keys(second)
    assert again(second) == second
    jsonschema.Draft202012Validator(DOCUMENT, registry=REGISTRY).validate(json.loads(first))


def test_full_records_come_back() -> None:
    first = exported([full_record(), empty_record()], [full_page()])

    assert without_keys(first) == without_keys(again(first))


def test_an_article_without_body_text_stays_without_finality() -> None:
    """`final` cannot be computed from type and size alone; reading sees that."""
    short = msgspec.structs.replace(
        full_record(), fulltext=msgspec.structs.replace(full_record().fulltext, never_final=True)
    )
    (read,) = read_publications(exported([short], []))

    assert read.fulltext.never_final
    assert not next(read_publications(exported([full_record()], []))).fulltext.never_final


@pytest.mark.parametrize("selection", [Selection(), Selection(plain=True), Selection(parts=("pmid", "mesh"))])
def test_documents_of_all_lists_keep_to_the_schema(selection: Selection) -> None:
    lists = ("publicationIds", "webpageUrls", "docUrls", "publications", "webpages", "docs", "docTopHosts")
    writer = FORMATS["json"](selection, DocumentFrame(lists=lists))
    pieces = [
        *writer.begin(),
        *writer.identifiers(full_record()),
        *writer.address("https://a.example/", "webpage"),
        *writer.publication(full_record()),
        *writer.webpage(full_page(), "webpage"),
        *writer.hosts("doc", [("a.example", 2)]),
        *writer.end(),
    ]
    document = json.loads("".join(map(str, pieces)))

    assert valid(document)
    assert not valid({**document, "docTopHosts": [{"count": 0, "host": ""}]})
    assert not valid({**document, "more": []})


def test_reports_keep_to_the_schema() -> None:
    table, counted = PartTable(), Completeness(DocumentFrame().thresholds)
    table.add(full_record())
    counted.add(empty_record(), [SourceQuestion("doi", ("title",), "blocked", "", "a.example", (1,))])
    head = {"version": json.loads(exported([], []))["version"], "argv": []}

    assert valid({**head, "partTable": table.objects()})
    assert valid({**head, "completeness": counted.object()})
    assert not valid({**head, "partTable": table.objects()[1:]})


@pytest.mark.parametrize("name", FORMATS)
def test_a_lone_surrogate_in_a_long_text_stops_no_format(name: str) -> None:
    """Such texts can lie among the blobs; UTF-8 cannot hold them, `?` stands for them."""
    odd = msgspec.structs.replace(full_record(), fulltext=Part(type="pmc_xml", size=3, text="a\ud800b"))
    writer = FORMATS[name](Selection())
    pieces = [*writer.begin(), *writer.publication(odd), *writer.end()]
    body = b"".join(piece.encode(errors="replace") if isinstance(piece, str) else piece for piece in pieces)

    assert body
    assert name not in ("json", "text", "html", "csv") or b"a?b" in body
