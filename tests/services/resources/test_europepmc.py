"""Europe PMC: which result is taken, and how its texts are read."""

import json
from urllib.parse import unquote
from xml.sax.saxutils import escape

import pytest

from pubweave.contract.exchange import Reply
from pubweave.contract.values import Identifiers
from pubweave.resources.europepmc.handler import _choose
from pubweave.resources.europepmc.query import bracketed_query, quoted_query, spec_query
from pubweave.resources.europepmc.reading import MalformedSearchReply, plain, read_json, read_xml
from services.resources.builders import arbitrary_need, found, outcomes, run
from services.resources.situations import service_of


def records(*given):
    results = [{"id": str(number), "source": source, **ids} for number, (source, ids) in enumerate(given)]
    return read_json(
        json.dumps({"hitCount": len(results), "resultList": {"result": results}}).encode()
    ).records


KNOWN = Identifiers(pmid="1", pmcid="PMC1", doi="10.5555/A")
F1000 = Identifiers(doi="10.12688/F1000RESEARCH.1.1")


@pytest.mark.parametrize(
    ("known", "given", "chosen"),
    [
        (KNOWN, [], None),
        # F-EPMC-07: a single result is taken as it is
        (KNOWN, [("ETH", {"pmid": "2"})], 0),
        # F-EPMC-06: MED before PMC before PPR before others, wherever they stand
        (KNOWN, [("AGR", {}), ("PPR", {}), ("PMC", {}), ("MED", {})], 3),
        (KNOWN, [("AGR", {}), ("PPR", {}), ("PMC", {})], 2),
        (KNOWN, [("AGR", {}), ("PPR", {})], 1),
        (KNOWN, [("AGR", {}), ("CBA", {})], 0),
        (KNOWN, [("MED", {}), ("MED", {})], 0),
        # contradictions are dropped, for each kind of identifier
        (KNOWN, [("MED", {"pmid": "2"}), ("AGR", {"pmid": "1"})], 1),
        (KNOWN, [("MED", {"pmcid": "PMC2"}), ("AGR", {"pmcid": "PMC1"})], 1),
        (KNOWN, [("MED", {"doi": "10.5555/b"}), ("AGR", {"doi": "10.5555/a"})], 1),
        (KNOWN, [("MED", {"doi": "10.5555/b"}), ("PMC", {"pmid": "2"})], None),
        # what is not known cannot be contradicted
        (Identifiers(pmid="1"), [("PMC", {}), ("MED", {"pmid": "1", "doi": "10.5555/b"})], 1),
        # a version suffix is a contradiction here, two F1000Research DOIs are not
        (KNOWN, [("MED", {"doi": "10.5555/a.2"}), ("AGR", {})], 1),
        (F1000, [("AGR", {}), ("PPR", {"doi": "10.12688/f1000research.1.2"})], 1),
        (F1000, [("AGR", {}), ("PPR", {"doi": "10.5555/b"})], 0),
    ],
)
def test_of_several_results_the_best_that_fits_is_taken(known, given, chosen):
    """F-EPMC-06 and F-EPMC-07, row by row."""
    taken = _choose(records(*given), known)

    assert (None if chosen is None else str(chosen)) == (taken.record and taken.record.id)
    assert taken.evidence


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Plain.", "Plain."),
        ("  two\n lines ", "two lines"),
        ("<i>TP53</i> &amp; H<sub>2</sub>O", "TP53 & H2O"),
        ("&lt;i&gt;TP53&lt;/i&gt;", "TP53"),
        ("p < 0.05 and q>1", "p < 0.05 and q>1"),
        ("p &lt; 0.05", "p < 0.05"),
        ("a<b and c>d", "a<b and c>d"),
        ('x<span class="y">z</span>', "xz"),
        ("<h4>Aim</h4>To see.<h4>Methods</h4>We saw.", "Aim. To see. Methods. We saw."),
        ("<p>One.</p><p>Two.</p>", "One. Two."),
        ("a<br/>b", "a b"),
        ("&#945;&#x3b2;&beta;", "αββ"),
        ("?a=1&copy=2&lt", "?a=1&copy=2&lt"),
        ("Ca<sup>2+</sup>", "Ca2+"),
        ("<unknown>kept</unknown>", "<unknown>kept</unknown>"),
        ("", ""),
    ],
)
def test_titles_and_abstracts_are_read_as_a_person_reads_them(text, expected):
    """F-SEL-07, F-FILL-08, fault 33: headings are sentences, known markup goes, entities are characters."""
    assert expected == plain(text)


RECORD = {
    "id": "31000001",
    "source": "MED",
    "pmid": "31000001",
    "pmcid": "PMC7000001",
    "doi": "10.5555/a",
    "title": "On <i>E. coli</i> &amp; others.",
    "journalInfo": {"journal": {"title": "J & co", "issn": "1"}},
    "pubTypeList": {"pubType": ["Review", "Retracted Publication"]},
    "meshHeadingList": {
        "meshHeading": [
            {"majorTopic_YN": "N", "descriptorName": "Humans"},
            {
                "majorTopic_YN": "Y",
                "descriptorName": "Yeasts",
                "meshQualifierList": {"meshQualifier": [{"majorTopic_YN": "N", "qualifierName": "genetics"}]},
            },
        ]
    },
    "keywordList": {"keyword": ["one", "two <b>bold</b>"]},
    "abstractText": "<h4>Aim</h4>See.",
    "citedByCount": 3,
    "isOpenAccess": "Y",
    "inEPMC": "N",
    "hasPDF": "Y",
    "hasTextMinedTerms": "N",
    "firstPublicationDate": "2020-01-02",
    "commentCorrectionList": {
        "commentCorrection": [{"id": "7", "source": "MED", "reference": "J. 2020", "type": "Retraction in"}]
    },
}


def as_xml(value):
    if isinstance(value, dict):
        return "".join(
            "".join(f"<{name}>{as_xml(one)}</{name}>" for one in (item if isinstance(item, list) else [item]))
            for name, item in value.items()
        )
    return escape(str(value))


def test_json_and_xml_say_the_same():
    """A record read from the batch's JSON is the one read from the single question's XML."""
    body = json.dumps({"version": "6.9", "hitCount": 1, "resultList": {"result": [RECORD]}}).encode()
    xml = f"<responseWrapper><hitCount>1</hitCount><resultList><result>{as_xml(RECORD)}</result></resultList></responseWrapper>"

    assert read_json(body) == read_xml(xml.encode())
    assert read_json(body).records[0].title == "On E. coli & others."
    assert read_json(body).records[0].mesh == (("Humans", False), ("Yeasts", True))


@pytest.mark.parametrize(
    "body", [b"", b"{}", b'{"version":"6.9"}', b"[]", b"<html/>", b'{"resultList":{"result":{}}}', b"\xff"]
)
def test_a_reply_without_a_result_list_is_malformed(body):
    """A bare version number has been seen with status 200; it is no word about any publication."""
    with pytest.raises(MalformedSearchReply):
        read_json(body)
    with pytest.raises(MalformedSearchReply):
        read_xml(body)


def test_queries_name_every_identifier_once_and_escape_what_the_language_reads():
    """F-EPMC-02 for one; OR of quoted terms for many; brackets of their own for what those lost."""
    needs = (
        arbitrary_need("europepmc", "pmid", pmid="1"),
        arbitrary_need("europepmc", "pmid", pmid="2"),
        arbitrary_need("europepmc", "pmid", pmid="1"),
        arbitrary_need("europepmc", "pmcid", pmcid="PMC3"),
        arbitrary_need("europepmc", "doi", doi='10.5555/A"(B)'),
    )

    assert [spec_query(needs[0]), spec_query(needs[3])] == ["ext_id:1 src:med", "pmcid:PMC3"]
    assert quoted_query(needs) == 'ext_id:"1" OR ext_id:"2" OR pmcid:"PMC3" OR doi:"10.5555/A\\"(B)"'
    assert (
        bracketed_query(needs)
        == '(ext_id:1 AND src:med) OR (ext_id:2 AND src:med) OR (pmcid:PMC3) OR (doi:"10.5555/A\\"(B)")'
    )


def test_hits_that_do_not_come_are_a_failure_not_an_absence():
    """A reply that counts hits and shows none says nothing about the publication (design law 3)."""
    need = arbitrary_need("europepmc", "pmid", pmid="1")
    body = b"<responseWrapper><hitCount>1</hitCount><resultList/></responseWrapper>"
    nothing = b"<responseWrapper><hitCount>0</hitCount><resultList/></responseWrapper>"
    step = service_of("europepmc").step

    events, asked = run(step, [need], lambda wanted: found(wanted, body))
    healed, _ = run(step, [need], lambda wanted: found(wanted, nothing))

    assert (outcomes(events), len(asked)) == ({"need-1": "malformed"}, 2)
    assert outcomes(healed) == {"need-1": "absent"}


@pytest.mark.parametrize("how_many", [1, 2])
def test_a_doi_that_the_query_language_refuses_is_asked_for_in_quotes(how_many):
    """A bare DOI with brackets or quotes may be answered with 400; that is no last word about it, and of one without
    such characters 400 is."""
    odd = arbitrary_need("europepmc", "doi", doi="10.1/(SICI)1<1::A>3.0;2-2")
    plain_one = arbitrary_need("europepmc", "doi", number=2, doi="10.1/PLAIN")

    def reply_to(wanted):
        query = dict(wanted.request.form).get("query") or unquote(wanted.request.url)
        if wanted.request.method == "POST":
            return found(wanted, b'{"hitCount":0,"resultList":{"result":[]}}')
        if '"' not in query:
            return Reply(outcome="http-error", url=wanted.request.url, status=400)
        return found(wanted, b"<responseWrapper><hitCount>0</hitCount><resultList/></responseWrapper>")

    events, _ = run(service_of("europepmc").step, [odd, plain_one][:how_many], reply_to)

    assert outcomes(events) == {"need-1": "absent", **({"need-2": "http-error"} if how_many == 2 else {})}
