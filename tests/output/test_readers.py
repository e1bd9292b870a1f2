"""Every format beyond the specification is read back by an independent reader of that format."""

import csv
import io
import json
import warnings
from typing import Any, Final

import bibtexparser
import bioc.biocjson
import msgspec
import pyarrow
import pyarrow.parquet
import pytest
import rispy
from hypothesis import given, settings
from hypothesis import strategies as st

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of libraries that are only used here
    from citeproc import Citation, CitationItem, CitationStylesBibliography, CitationStylesStyle, formatter
    from citeproc.source.json import CiteProcJSON

from output.records import AT, empty_record, full_page, full_record, text
from pubweave.core.record import Part, Record
from pubweave.output.formats import FORMATS, DocumentFrame, NotInThisFormat
from pubweave.output.publication import Envelope, Selection, publication_object
from pubweave.output.reference import family_and_given, reference_of
from pubweave.output.writing_tables import csv_line

HOSTILE: Final = "A {brace} }{ \\end 50% of $x_1$ & #1 ~^ \"q\"\n=cmd|' /C calc'!A1\tER  - "


def hostile_record() -> Record:
    """Everything that could break out of some format."""
    return msgspec.structs.replace(
        full_record(),
        publication="p-0003",
        pmid=Part(),
        pmcid=Part(),
        doi=text("10.5555/A_{B}%C#D"),
        title=text(HOSTILE),
        journal_title=HOSTILE,
        keywords=Part(size=2, words=(HOSTILE, "a, b")),
        theAbstract=text(HOSTILE * 10),
    )


def written(name: str, *records: Record, selection: Selection = Selection()) -> bytes:  # noqa: B008
    writer = FORMATS[name](selection)
    pieces = [*writer.begin()]
    for record in records:
        pieces += writer.publication(record, Envelope(version=2))
    pieces += writer.end()
    return b"".join(piece.encode() if isinstance(piece, str) else piece for piece in pieces)


RECORDS: Final = (full_record(), hostile_record(), empty_record())


# CSV and TSV


def rows(name: str, *records: Record, selection: Selection = Selection()) -> list[dict[str, str]]:  # noqa: B008
    body = written(name, *records, selection=selection).decode()
    if name == "tsv":
        lines = [line.split("\t") for line in body.split("\n")[:-1]]
        return [dict(zip(lines[0], line, strict=True)) for line in lines[1:]]
    return list(csv.DictReader(io.StringIO(body, newline=""), strict=True))


@pytest.mark.parametrize("name", ["csv", "tsv"])
def test_tables_have_a_row_each_with_sources_and_fields(name: str) -> None:
    first, second, third = rows(name, *RECORDS)

    assert first["pmid"] == "31092905"
    assert first["titleType"] == "europepmc"
    assert first["abstractTime"] == "2018-08-31T13:37:51.123Z"
    assert (first["oa"], first["pubDate"], first["citationsCount"]) == ("true", "2018-08-30", "17")
    assert first["mesh"] == "Textiles* [D013783]; Humans"
    assert first["keywords"] == "loom; thread; double"
    assert (third["citationsCount"], third["pubDate"], third["oa"]) == ("", "", "false")
    assert third["version"] == "2"
    assert second["title"] == (HOSTILE if name == "csv" else " ".join(HOSTILE.split()))


def test_a_cell_never_begins_a_formula() -> None:
    """Whatever comes from outside: a spreadsheet shows it, and runs nothing."""
    formula = msgspec.structs.replace(
        full_record(), title=text("=HYPERLINK(1)"), journal_title="@x", theAbstract=text(" +1+1")
    )
    (row,) = rows("csv", formula)

    assert (row["title"], row["journalTitle"], row["abstract"]) == ("'=HYPERLINK(1)", "'@x", "' +1+1")
    assert not [cell for cell in row.values() if cell.lstrip()[:1] in ("=", "@", "\t") and cell]


def test_plain_tables_have_the_chosen_parts_only() -> None:
    (row,) = rows("csv", full_record(), selection=Selection(plain=True, parts=("title", "pmid", "mesh")))

    assert row == {"pmid": "31092905", "title": "Warp < weft & <b>tension</b>", "mesh": "Textiles; Humans"}


def test_tables_of_pages_identifiers_addresses_and_hosts() -> None:
    def of(wanted: Any, pieces: Any) -> list[dict[str, str]]:
        writer = FORMATS["csv"](Selection(), DocumentFrame(lists=(wanted,)))
        body = "".join(map(str, [*writer.begin(), *pieces(writer), *writer.end()]))
        return list(csv.DictReader(io.StringIO(body, newline="")))

    (page,) = of("webpages", lambda writer: writer.webpage(full_page(), "webpage"))
    (known,) = of("publicationIds", lambda writer: writer.identifiers(full_record()))

    assert (page["statusCode"], page["title"], page["final"]) == ("200", "Loom <beta> & friends", "true")
    assert list(known) == ["pmid", "pmcid", "doi", "pmidUrl", "pmcidUrl", "doiUrl"]
    assert of("docUrls", lambda writer: writer.address("https://a.example/", "doc")) == [
        {"startUrl": "https://a.example/"}
    ]
    assert of("docTopHosts", lambda writer: writer.hosts("doc", [("a.example", 2)])) == [
        {"host": "a.example", "count": "2"}
    ]


@pytest.mark.parametrize("name", ["csv", "tsv", "parquet"])
def test_one_table_holds_one_list(name: str) -> None:
    with pytest.raises(NotInThisFormat, match="one list at a time"):
        FORMATS[name](Selection(), DocumentFrame(lists=("publications", "webpages")))


anything = st.text(max_size=30)


@settings(derandomize=True, deadline=None, max_examples=100)
@given(anything, anything, st.lists(anything, max_size=3))
def test_any_text_comes_back_from_csv_and_keeps_its_cell_in_tsv(
    title: str, journal: str, words: list[str]
) -> None:
    record = msgspec.structs.replace(
        full_record(),
        title=text(title),
        journal_title=journal,
        keywords=Part(size=len(words), words=tuple(words)),
    )
    title, journal = (one.encode(errors="replace").decode() for one in (title, journal))
    (row,) = rows("csv", record)
    (cells,) = rows("tsv", record)

    assert title in (row["title"], row["title"][1:])
    assert journal in (row["journalTitle"], row["journalTitle"][1:])
    assert len(cells) == len(row)


# Parquet


@settings(derandomize=True, max_examples=100, deadline=None)
@given(st.lists(st.text('aé ,"\r\n\t\x00;=', max_size=5), min_size=1, max_size=4))
def test_lines_are_those_of_the_standard_library(texts: list[str]) -> None:
    """Quotes exactly where its writer puts them."""
    expected = io.StringIO()
    csv.writer(expected, lineterminator="\r\n").writerow(texts)

    assert csv_line(texts) == expected.getvalue()


def parquet(*records: Record, selection: Selection = Selection()) -> Any:  # noqa: B008
    return pyarrow.parquet.read_table(pyarrow.BufferReader(written("parquet", *records, selection=selection)))


@pytest.mark.parametrize(
    "selection",
    [
        Selection(),
        Selection(plain=True),
        Selection(parts=("theAbstract", "efo")),
        Selection(plain=True, parts=("mesh",)),
    ],
    ids=["everything", "plain", "out-part", "plain out-part"],
)
def test_parquet_columns_are_the_members_of_json(selection: Selection) -> None:
    """The same values, times as timestamps instead of two spellings."""

    def bare(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: bare(inner) for name, inner in value.items() if not name.endswith("Human")}
        return [bare(inner) for inner in value] if isinstance(value, list) else value

    def in_ms(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: in_ms(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [in_ms(inner) for inner in value]
        return round(value.timestamp() * 1000) if hasattr(value, "timestamp") else value

    table = parquet(*RECORDS, selection=selection)
    expected = [
        bare(publication_object(record, DocumentFrame().thresholds, selection, Envelope(version=2)))
        for record in RECORDS
    ]

    assert [in_ms(row) for row in table.to_pylist()] == expected


def test_parquet_knows_types() -> None:
    schema = parquet(full_record()).schema

    assert str(schema.field("pubDate").type) == "timestamp[ms, tz=UTC]"
    assert str(schema.field("citationsCount").type) == "int64"
    assert "majorTopic: bool" in str(schema.field("mesh").type)


def test_parquet_is_written_in_row_groups_as_they_fill() -> None:
    """Constant memory: a group goes out when it is full, not at the end."""
    writer = FORMATS["parquet"](Selection())
    pieces = list(writer.begin())
    before = []
    for number in range(2_500):
        more = list(writer.publication(empty_record()))
        before += [number + 1] if more else []
        pieces += more
    pieces += writer.end()
    file = pyarrow.parquet.ParquetFile(pyarrow.BufferReader(b"".join(pieces)))  # type: ignore[arg-type]

    assert before == [1_000, 2_000]
    assert [file.metadata.row_group(at).num_rows for at in range(3)] == [1_000, 1_000, 500]


def test_parquet_takes_pages_and_identifiers() -> None:
    for wanted, pieces in (("docs", "webpage"), ("publicationIds", "identifiers")):
        writer = FORMATS["parquet"](Selection(), DocumentFrame(lists=(wanted,)))  # type: ignore[arg-type]
        entry = (full_page(), "doc") if pieces == "webpage" else (full_record(),)
        body = b"".join([*writer.begin(), *getattr(writer, pieces)(*entry), *writer.end()])  # type: ignore[list-item]

        assert pyarrow.parquet.read_table(pyarrow.BufferReader(body)).num_rows == 1


# BioC


def collection(*records: Record) -> Any:
    return bioc.biocjson.loads(written("bioc", *records).decode())


def test_bioc_is_read_by_its_library() -> None:
    """Title, abstract and body once each; identifiers as NCBI's service names them."""
    first, second, third = collection(*RECORDS).documents
    body = [one.text for one in first.passages if one.infons["section_type"] == "BODY"]

    assert first.id == "31092905"
    assert first.infons["article-id_pmc"] == "6519000"
    assert first.passages[0].text == full_record().title.text
    assert "We weave." in body
    assert second.id == "10.5555/A_{B}%C#D"
    assert third.passages == []


def test_bioc_passages_lie_at_their_offsets() -> None:
    """Put down at its offset, no passage touches another."""
    for document in collection(*RECORDS).documents:
        at = 0
        for passage in document.passages:
            assert passage.offset == at
            at += len(passage.text) + 1


def test_bioc_does_not_repeat_what_begins_a_full_text() -> None:
    record = msgspec.structs.replace(
        full_record(),
        title=text("Looms"),
        theAbstract=text("We weave.\n\nMuch."),
        fulltext=text("Looms\n\nWe weave.\n\nMuch.\n\nBody."),
    )
    (document,) = collection(record).documents

    assert [one.text for one in document.passages] == ["Looms", "We weave.", "Much.", "Body."]


# BibTeX, RIS, CSL-JSON


def bibtex(*records: Record) -> dict[str, dict[str, str]]:
    library = bibtexparser.parse_string(written("bibtex", *records).decode())

    assert not library.failed_blocks
    assert len(library.entries) == len(library.blocks)
    return {entry.key: {field.key: field.value for field in entry.fields} for entry in library.entries}


def test_bibtex_is_read_back() -> None:
    entry = bibtex(*RECORDS)["pmid:31092905"]

    assert entry["title"] == r"{Warp < weft \& <b>tension</b>}"
    assert (entry["year"], entry["month"], entry["doi"]) == ("2018", "aug", "10.5555/LOOM.1")
    assert entry["author"] == "{Ada Weaver} and others"
    assert entry["keywords"] == "loom, thread; double, Textiles, Humans"
    assert entry["note"] == "Preprint; Retracted Looms 2020"


def test_bibtex_keeps_hostile_text_inside_its_braces() -> None:
    """Everything TeX would act on is spelled out, and braces balance."""
    entries = bibtex(hostile_record(), full_record())
    entry = entries["doi:10.5555/A_5f__7b_B_7d__25_C_23_D"]

    assert len(entries) == 2
    assert entry["title"].startswith(
        r"{A {\textbraceleft}brace{\textbraceright} {\textbraceright}{\textbraceleft} {\textbackslash}end 50\% of \$x\_1\$ \& \#1"
    )
    assert entry["doi"] == "10.5555/A_%7BB%7D%C#D"


def ris(*records: Record) -> list[dict[str, Any]]:
    return rispy.loads(written("ris", *records).decode())


def test_ris_is_read_back() -> None:
    """A value stays on its line, whatever it holds."""
    first, second, third = ris(*RECORDS)

    assert first["type_of_reference"] == "UNPB"
    assert first["title"] == "Warp < weft & <b>tension</b>"
    assert first["authors"] == ["Weaver, Ada"]
    assert first["keywords"] == ["loom", "thread; double", "Textiles", "Humans"]
    assert (first["year"], first["doi"], first["accession_number"]) == ("2018", "10.5555/LOOM.1", "31092905")
    assert second["title"] == " ".join(HOSTILE.split())
    assert third["doi"] == "10.5555/NOWHERE"


def test_csl_is_cited_by_a_processor() -> None:
    """The items are cited in a style, each with its title."""
    items = json.loads(written("csl", *RECORDS))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        source = CiteProcJSON(items)
        style = CitationStylesStyle("harvard-cite-them-right", validate=False)
        bibliography = CitationStylesBibliography(style, source, formatter.plain)
        for item in items[:1]:
            bibliography.register(Citation([CitationItem(item["id"].lower())]))
        (cited,) = [str(one) for one in bibliography.bibliography()]

    assert "Weaver" in cited
    assert "Warp < weft" in cited
    assert "2018" in cited


def test_csl_items_have_the_members_and_types_of_its_schema() -> None:
    """As csl-data.json has them: dates are arrays of numbers, names have known members, nothing is empty."""
    first, _, third = json.loads(written("csl", *RECORDS))

    assert first["issued"] == {"date-parts": [[2018, 8, 30]]}
    assert first["author"] == [{"family": "Weaver", "given": "Ada"}]
    assert (first["type"], first["genre"]) == ("article", "preprint")
    assert (first["PMID"], first["PMCID"], first["DOI"]) == ("31092905", "PMC6519000", "10.5555/LOOM.1")
    assert third == {
        "id": "doi:10.5555/NOWHERE",
        "type": "article-journal",
        "DOI": "10.5555/NOWHERE",
        "URL": "https://doi.org/10.5555/NOWHERE",
    }
    assert json.loads(written("csl")) == []


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Ada Maria Weaver", ("Weaver", "Ada Maria")),
        ("Weaver, Ada", ("Weaver", "Ada")),
        ("Consortium", ("Consortium", "")),
    ],
)
def test_names_have_a_family_and_the_rest(name: str, expected: tuple[str, str]) -> None:
    assert expected == family_and_given(name)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.lists(anything, min_size=3, max_size=3), st.sampled_from(["bibtex", "ris", "csl", "bioc"]))
def test_any_text_leaves_two_entries_two(texts: list[str], name: str) -> None:
    """Nothing in a title, a journal or an abstract ends an entry or begins one."""
    title, journal, abstract = texts
    record = msgspec.structs.replace(
        full_record(),
        title=text(title),
        journal_title=journal,
        theAbstract=Part(type="europepmc", timestamp=AT, size=len(abstract), text=abstract),
        fulltext=Part(),
    )
    readers = {
        "bibtex": bibtex,
        "ris": ris,
        "csl": lambda *some: json.loads(written("csl", *some)),
        "bioc": lambda *some: collection(*some).documents,
    }

    assert len(readers[name](record, empty_record())) == 2


def test_keys_are_of_the_identifiers_and_differ() -> None:
    """`a_b` and `a b` are two DOIs."""
    keys = {
        reference_of(msgspec.structs.replace(empty_record(), doi=text(doi))).key
        for doi in ("10.1/A_B", "10.1/A B", "10.1/A,B", "10.1/A_2c_B")
    }

    assert len(keys) == 4
