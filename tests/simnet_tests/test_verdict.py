"""The verdict finds every difference, and only those."""

from collections.abc import Callable
from typing import Any

import pytest

from simnet.chain import API
from simnet.expectation import Expected, expected
from simnet.universe import Universe
from simnet.verdict import Records, differences


@pytest.fixture(scope="module")
def outcomes(universe: Universe) -> list[Expected]:
    return expected(universe, universe.submissions(500), resources=API)


@pytest.fixture
def complete(outcomes: list[Expected]) -> Expected:
    """What must come out of a publication whose ten parts all become final."""
    return next(one for one in outcomes if not one.not_final and len(one.final) == 10 and one.corresponding)


def right(one: Expected) -> dict[str, Any]:
    """A record that says just what is expected, in the JSON of chapter 18.2 as far as the verdict reads it."""
    record: dict[str, Any] = {
        "journalTitle": one.journal_title,
        "pubDateHuman": one.pub_date,
        "citationsCount": one.citations,
        "oa": one.oa,
        "correspAuthor": [{"name": one.corresponding[0], "email": one.corresponding[1]}]
        if one.corresponding
        else [],
    }
    for part, final in one.final.items():
        value: dict[str, Any] = {"type": final.type, "final": True, "size": 1}
        exact: Any = final.exact
        if part in ("theAbstract", "fulltext"):
            value["content"] = "\n\n".join(final.contains)
        elif part == "keywords":
            value["list"] = list(exact)
        elif part == "mesh":
            value["list"] = [{"term": t, "majorTopic": m, "uniqueId": u} for t, m, u in exact]
        elif part in ("efo", "go"):
            value["list"] = [{"term": t, "count": c, "uri": u} for t, c, u in exact]
        else:
            value["content"] = exact.upper() if part == "doi" else exact
        record["abstract" if part == "theAbstract" else part] = value
    return record


def test_a_right_record_has_no_difference(complete: Expected) -> None:
    """Nothing is said of what is as expected."""
    assert differences(complete, right(complete)) == []


WRONGS: dict[str, Callable[[dict[str, Any]], object]] = {
    "pmid": lambda r: r["pmid"].update(content="1"),
    "doi": lambda r: r["doi"].update(content=r["doi"]["content"] + ".2"),
    "title": lambda r: r["title"].update(content=r["title"]["content"][1:]),
    "keywords": lambda r: r["keywords"]["list"].reverse(),
    "mesh": lambda r: r["mesh"]["list"].pop(),
    "efo": lambda r: r["efo"]["list"][0].update(count=999),
    "go": lambda r: r["go"]["list"][0].update(uri="http://x"),
    "theAbstract": lambda r: r["abstract"].update(content=r["abstract"]["content"][30:]),
    "fulltext": lambda r: r["fulltext"].update(content=r["fulltext"]["content"] + " documentclass"),
    "type": lambda r: r["fulltext"].update(type="pdf_doi"),
    "not final": lambda r: r["title"].update(final=False),
    "journalTitle": lambda r: r.update(journalTitle=""),
    "pubDate": lambda r: r.update(pubDateHuman="1969-12-31"),
    "citationsCount": lambda r: r.update(citationsCount=-1),
    "oa": lambda r: r.update(oa=not r["oa"]),
    "correspAuthor": lambda r: r["correspAuthor"].clear(),
}


@pytest.mark.parametrize("what", WRONGS)
def test_each_wrong_is_found(complete: Expected, what: str) -> None:
    """One value changed, one difference said, with its name."""
    record = right(complete)
    WRONGS[what](record)
    [said] = differences(complete, record)

    assert what in said or what == "type"


def test_a_missing_record_is_found(complete: Expected) -> None:
    """No record is a difference; a record is found by any of its identifiers."""
    record = right(complete)

    assert Records([]).of(complete) is None
    assert Records([record]).of(complete) is record
    assert "no record" in differences(complete, None)[0]


def test_what_cannot_be_final_is_found(outcomes: list[Expected]) -> None:
    """A part that no resource can complete must not be final."""
    one = next(one for one in outcomes if one.not_final == {"keywords"} and one.corresponding)
    record = right(one)
    record["keywords"] = {"type": "europepmc", "final": True, "size": 2, "list": ["a", "b"]}

    assert ["keywords is final but cannot be" in said for said in differences(one, record)] == [True]
