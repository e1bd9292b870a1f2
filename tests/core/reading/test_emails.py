"""E-mail addresses in affiliations, and whose they are (F-CA-09)."""

import contextlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pubweave.contract.values import CorrespAuthor
from pubweave.core.reading.emails import Affiliated, emails_in, emails_of_affiliations
from pubweave.resources.europepmc import reading as europepmc
from pubweave.resources.pubmed_xml import reading as pubmed
from shared_data import needs_shared_data, shared_data


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Uni, Town, Japan. ann@x.ac.jp", ["ann@x.ac.jp"]),
        ("Uni, Town. Electronic address: ann@x.ac.jp.", ["ann@x.ac.jp"]),
        ("Uni, Town, USA; email: a.b-c@x.edu.", ["a.b-c@x.edu"]),
        ("<ann@x.org>, (bo@y.org); ann@x.org", ["ann@x.org", "bo@y.org"]),
        ("Uni @ Town", []),
        ("Uni, Town", []),
    ],
)
def test_addresses_as_affiliations_have_them(text: str, expected: list[str]) -> None:
    """With and without words before, a full stop after, each once."""
    assert emails_in(text) == expected


@pytest.mark.parametrize(
    ("authors", "expected", "nobodys"),
    [
        ([("Ann Noun", "Uni. noun@x.org"), ("Bo Verb", "Uni")], ["noun@x.org", ""], []),
        ([("Ann Noun", "Uni. wennstrom@x.org"), ("Jan Wennström", "")], ["", "wennstrom@x.org"], []),
        ([("Ann Noun", "Uni. info@x.org"), ("Bo Verb", "Uni")], ["info@x.org", ""], []),
        ([("Ann Noun", "Uni. boverb7@x.org"), ("Bo Verb", "Uni. boverb7@x.org")], ["", "boverb7@x.org"], []),
        ([("Ann Noun", "Uni. info@x.org"), ("Bo Verb", "Uni. info@x.org")], ["", ""], ["info@x.org"]),
        ([("Li Na", "Uni. alinasmith@x.org"), ("Alina Smith", "Uni")], ["", "alinasmith@x.org"], []),
        ([("Li Na", "Uni. lina@x.org"), ("Alina Smith", "Uni")], ["lina@x.org", ""], []),
        ([("Ann Noun", "Uni. noun@x.org; Lab. NOUN@x.org; ann@y.org")], ["noun@x.org"], []),
        ([("Ann Noun", "Uni. an@x.org"), ("Bo Verb", "Uni. bv@x.org")], ["an@x.org", "bv@x.org"], []),
        ([("Ann Noun", "Uni")], [""], []),
        ([], [], []),
    ],
    ids=["with whom it stands", "with the first, another's", "made from no name", "with all", "with all, nobody's",
         "another's, surely", "short names", "several", "initials", "none", "nobody"],
)  # fmt: skip
def test_an_address_goes_to_the_author_it_is_made_from(
    authors: list[tuple[str, str]], expected: list[str], nobodys: list[str]
) -> None:
    """First among those with whom it stands; made from no name, to the only one with whom it stands."""
    found = emails_of_affiliations([Affiliated(name, [text]) for name, text in authors])

    assert found == (expected, nobodys)


NAMES = st.sampled_from(["Ann Noun", "Bo Verb", "Li Na", "Alina Smith", "", "Jan Wennström"])
TEXTS = st.sampled_from(
    ["Uni", "noun@x.org", "Lab. lina@x.org", "info@x.org and bo@y.org", "@", "smith@x.org."]
)


@given(st.lists(st.tuples(NAMES, st.lists(TEXTS, max_size=3)), max_size=6))
@settings(derandomize=True, deadline=None)
def test_no_address_is_doubled_or_invented(authors: list[tuple[str, list[str]]]) -> None:
    """Each goes to one author or to nobody; only an author's second address can be left out."""
    found, nobodys = emails_of_affiliations([Affiliated(*author) for author in authors])
    there = {email for _, texts in authors for text in texts for email in emails_in(text)}
    given_ = [email for email in found if email] + nobodys

    assert len(found) == len(authors)
    assert len(given_) == len(set(given_))
    assert set(given_) <= there
    assert bool(given_) == bool(there)


JSON = {
    "id": "1",
    "affiliation": "Uni. noun@x.org",
    "authorList": {
        "author": [
            {"fullName": "Noun A", "firstName": "Ann", "lastName": "Noun",
             "authorId": {"type": "ORCID", "value": "0000-0000-0000-0001"}},
            {"fullName": "Verb B", "firstName": "Bo", "lastName": "Verb",
             "authorAffiliationDetailsList": {"authorAffiliation": [{"affiliation": "Lab. Electronic address: bo@x.org."}]}},
            {"collectiveName": "The group"},
        ]
    },
}  # fmt: skip
XML = """<responseWrapper><resultList><result><id>1</id><affiliation>Uni. noun@x.org</affiliation><authorList>
<author><fullName>Noun A</fullName><firstName>Ann</firstName><lastName>Noun</lastName><authorId type="ORCID">0000-0000-0000-0001</authorId>
</author><author><fullName>Verb B</fullName><firstName>Bo</firstName><lastName>Verb</lastName><authorAffiliationDetailsList>
<authorAffiliation><affiliation>Lab. Electronic address: bo@x.org.</affiliation></authorAffiliation></authorAffiliationDetailsList></author>
<author><collectiveName>The group</collectiveName></author></authorList></result></resultList></responseWrapper>"""


def answered(result: object) -> bytes:
    return json.dumps({"resultList": {"result": [result]}}).encode()


def test_both_forms_of_europepmc_give_the_same_authors() -> None:
    """The record's own affiliation is the first author's; names, ORCID iD and address of each."""
    expected = (
        CorrespAuthor(name="Ann Noun", orcid="0000-0000-0000-0001", email="noun@x.org"),
        CorrespAuthor(name="Bo Verb", email="bo@x.org"),
    )

    assert europepmc.read_json(answered(JSON)).records[0].authors == expected
    assert europepmc.read_xml(XML.encode()).records[0].authors == expected


@pytest.mark.parametrize(
    "authors", [{"author": "a@x.org"}, ["a@x.org"], "a@x.org", None, {"author": [{"authorId": "a@x.org"}]}]
)
def test_a_list_of_authors_in_an_odd_form_costs_the_authors_only(authors: object) -> None:
    """The record is read."""
    (record,) = europepmc.read_json(answered({**JSON, "affiliation": None, "authorList": authors})).records

    assert (record.id, record.authors) == ("1", ())


@needs_shared_data
def test_recorded_replies_of_pubmed() -> None:
    """65 and more recorded records have an address; by eye, the people whose they are."""
    found = {}
    for path in sorted(shared_data("pubmed-efetch").glob("*.xml")):
        with contextlib.suppress(pubmed.MalformedPubmedReply):
            found |= {one.pmid: one.authors for one in pubmed.read(path.read_bytes())[0] if one.authors}
    told = {
        "11442735": [("J L Wennström", "wennstrom@odontologi.gu.se")],  # stands with the first author
        "37655634": [("Jianyun Zhang", "jianyunz@hznu.edu.cn")],  # stands with all six
        "35649368": [("Yi-Jia Li", "yili@coh.org"), ("Hua Yu", "hyu@coh.org")],
        "14729922": [("Robert C Edgar", "bob@drive5.com")],  # made from a nickname
        "37787043": [("Hong Liu", "lh64@buaa.edu.cn"), ("Yue Yi", "yueyi@bit.edu.cn")],
        "37733615": [("Rui Wang", "17786126601@163.com"), ("Chuan-Chao Wang", "wang@xmu.edu.cn")],
    }

    assert {pmid: [(one.name, one.email) for one in found[pmid]] for pmid in told} == told
    assert len(found) >= 60


@needs_shared_data
def test_recorded_replies_of_europepmc() -> None:
    """Two authors with an address each; one whose address stands with several affiliations."""
    records = europepmc.read_json(
        shared_data("europepmc-search", "search_cancer_core.json").read_bytes()
    ).records
    found = {one.id: [(author.name, author.email) for author in one.authors] for one in records}

    assert found["40527231"] == [
        ("Yan Zhou", "zhouyan9893@fjzlhospital.com"), ("Chuanben Chen", "chenchuanben2010@126.com"),
    ]  # fmt: skip
    assert found["40524053"] == [("Junpu Wang", "wang-jp2013@csu.edu.cn")]
