"""Annotations, PubMed records and dates: rows of tables."""

import pytest

from pubweave.core.reading.dates import date_parts_ms, iso_date_ms
from pubweave.resources.europepmc_mined.reading import (
    Annotation,
    MalformedAnnotations,
    mined_terms,
    read_json,
    read_old_summary,
    read_xml,
)
from pubweave.resources.pubmed_xml.reading import MalformedPubmedReply, read

DAY_MS = 86_400_000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1970-01-01", 0),
        ("1970-01-02", DAY_MS),
        ("1969-12-31", -DAY_MS),
        ("2020-02-29", 18_321 * DAY_MS),
        (" 1970-01-02\n", DAY_MS),
        ("2019-02-29", -1),
        ("2019-13-01", -1),
        ("2019", -1),
        ("2019-1-1", -1),
        ("0000-01-01", -1),
        ("١٩٧٠-01-01", -1),
        ("", -1),
    ],
)
def test_a_date_is_the_day_at_midnight_utc_or_unknown(text, expected):
    """F-PT-22."""
    assert expected == iso_date_ms(text)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (("1970", "1", "2"), DAY_MS),
        (("1970", "01", ""), 0),
        (("1971", "", "7"), 365 * DAY_MS),
        (("1971", "", ""), 365 * DAY_MS),
        (("", "1", "1"), -1),
        (("1970", "Jan", "1"), -1),
    ],
)
def test_a_date_in_parts_is_completed(parts, expected):
    """F-PMX-04: missing day 01, missing month 01-01, missing year no date; month names are not read."""
    assert expected == date_parts_ms(*parts)


def annotation(exact, uri="u", frequency=1):
    return Annotation("Gene Ontology", exact, uri, frequency)


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        ([], []),
        # the count is the sum of frequencies, the term the most frequent spelling
        ([annotation("Cell"), annotation("cell"), annotation("cell")], [("cell", 3, "u")]),
        ([annotation("Cell", frequency=5), annotation("cell"), annotation("cell")], [("Cell", 7, "u")]),
        # a tie of spellings: the first seen
        ([annotation("b"), annotation("a")], [("b", 2, "u")]),
        # largest count first; a tie of terms: the first seen
        ([annotation("x", "1"), annotation("y", "2"), annotation("y", "2")], [("y", 2, "2"), ("x", 1, "1")]),
        ([annotation("y", "2"), annotation("x", "1")], [("y", 1, "2"), ("x", 1, "1")]),
        # no text, no address, a count below 1: dropped
        (
            [
                annotation(" "),
                annotation("x", ""),
                annotation("x", frequency=0),
                annotation("x", frequency=-1),
            ],
            [],
        ),
    ],
)
def test_annotations_are_grouped_by_address(annotations, expected):
    """F-MIN-03, F-MIN-04."""
    assert expected == [(term.term, term.count, term.uri) for term in mined_terms(annotations)]


@pytest.mark.parametrize(
    ("item", "names"),
    [
        ({"source": "MED", "extId": "1", "pmcid": "PMC2"}, ("MED:1", "PMC:PMC2")),
        ({"source": "MED", "extId": "1", "pmcid": "2"}, ("MED:1", "PMC:PMC2")),
        ({"source": "MED", "extId": "1"}, ("MED:1",)),
        ({"source": "PMC", "extId": "PMC2", "pmcid": "2"}, ("PMC:PMC2",)),
        ({"source": "PMC", "extId": "2"}, ("PMC:2", "PMC:PMC2")),
        ({}, ()),
    ],
)
def test_an_annotated_article_answers_to_all_its_names(item, names):
    """Articles asked by PMCID come back under their PMID, with a PMCID that may lack its prefix."""
    fields = "".join(f"<{name}>{value}</{name}>" for name, value in item.items())
    xml = read_xml(f"<List><item>{fields}<annotations/></item></List>".encode())
    quoted = ",".join(f'"{name}":"{value}"' for name, value in item.items())

    assert names == xml[0].names
    assert xml == read_json(f"[{{{quoted}}}]".encode())


@pytest.mark.parametrize(("given", "expected"), [("", 1), ("3", 3), ("0", 0), ("-2", -2), ("many", 1)])
def test_a_frequency_counts_as_one_unless_it_is_a_number(given, expected):
    """F-MIN-03."""
    xml = f"<List><item><annotations><annotation><frequency>{given}</frequency></annotation></annotations></item></List>"

    assert expected == read_xml(xml.encode())[0].annotations[0].frequency


@pytest.mark.parametrize(
    ("database", "id_", "uri"),
    [
        ("EFO", "0000001", "http://www.ebi.ac.uk/efo/EFO_0000001"),
        ("EFO", "EFO_0000001", "http://www.ebi.ac.uk/efo/EFO_0000001"),
        ("efo", "EFO:0000001", "http://www.ebi.ac.uk/efo/EFO_0000001"),
        ("GO", "GO:0005634", "http://purl.obolibrary.org/obo/GO_0005634"),
        ("GO_TERM", "0005634", "http://purl.obolibrary.org/obo/GO_0005634"),
    ],
)
def test_older_terms_get_the_addresses_of_today(database, id_, uri):
    """D-13."""
    xml = (
        "<responseWrapper><semanticTypeList><semanticType><tmSummary><term>x</term><count>2</count>"
        f"<dbName>{database}</dbName><dbIdList><dbId>{id_}</dbId></dbIdList></tmSummary></semanticType>"
        "</semanticTypeList></responseWrapper>"
    )

    assert [("x", 2, uri)] == [(term.term, term.count, term.uri) for term in read_old_summary(xml.encode())]


@pytest.mark.parametrize("body", [b"", b"{}", b"<html/>", b"<List><item>", b'{"error":"x"}', b"not found"])
def test_what_is_no_list_of_articles_is_malformed(body):
    for reader in (read_json, read_xml, read_old_summary):
        with pytest.raises(MalformedAnnotations):
            reader(body)


def pubmed(*pmids, end="</PubmedArticleSet>"):
    records = "".join(
        f"<PubmedArticle><MedlineCitation><PMID>{pmid}</PMID><Article><ArticleTitle>T</ArticleTitle></Article>"
        "</MedlineCitation></PubmedArticle>"
        for pmid in pmids
    )
    return f"<?xml version='1.0'?><PubmedArticleSet>{records}{end}".encode()


def test_a_cut_set_is_read_up_to_its_last_whole_record():
    """Wherever a reply breaks off: the records that ended before are read, and the cut is told."""
    whole = pubmed("1", "2", "3")
    for length in range(len(whole) + 1):
        part = whole[:length]
        ended = part.count(b"</PubmedArticle>")
        if not ended:
            with pytest.raises(MalformedPubmedReply):
                read(part)
            continue
        records, cut = read(part)

        assert [str(number) for number in range(1, ended + 1)] == [record.pmid for record in records]
        assert cut == (length < len(whole))


def test_an_empty_set_is_whole():
    assert read(pubmed()) == ((), False)


@pytest.mark.parametrize("body", [b"", b"<html/>", b"<eFetchResult><ERROR>no</ERROR></eFetchResult>", b"{}"])
def test_what_is_no_set_of_records_is_malformed(body):
    with pytest.raises(MalformedPubmedReply):
        read(body)
