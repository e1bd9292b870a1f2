"""The whole chain over the recorded pages of publishers, Unpaywall's records and the resolver's answers."""

import asyncio
from collections import Counter

import pytest

from e2e.recorded_web import Came, RecordedWeb, fetch_all, table
from shared_data import needs_shared_data

pytestmark = needs_shared_data

FINAL_AT_LEAST = {"title": 67, "theAbstract": 62, "fulltext": 40}
"""Parts that are final by the recorded pages; these floors may only rise."""


@pytest.fixture(scope="module")
def web() -> RecordedWeb:
    return RecordedWeb()


@pytest.fixture(scope="module")
def came(web: RecordedWeb) -> list[Came]:
    return asyncio.run(fetch_all(web))


def test_recorded_pages_become_what_they_are(web: RecordedWeb, came: list[Came]) -> None:
    """Articles give their text, abstract pages never a final one, walls and unknown DOIs nothing; every DOI has an end."""
    print("\n".join(table(came)))
    of_doi = {
        one.page.name: next(outcome for resource, outcome, _ in one.outcomes if resource == "doi")
        for one in came
        if one.page is not None
    }
    final = Counter(
        part for one in came if one.page is not None for part in FINAL_AT_LEAST if one.is_final(part)
    )
    print(dict(final), Counter(of_doi.values()))

    assert len(came) == len(web.lines())
    for one in came:
        if one.page is None:
            continue
        if one.page.label == "article":
            assert of_doi[one.page.name] == "found"
        elif one.page.label == "bot-wall":
            assert of_doi[one.page.name] == "blocked"
            assert {one.type_of(part) for part in FINAL_AT_LEAST} == {"na"}
        else:
            assert of_doi[one.page.name] == "abstract-only"
            assert not one.is_final("fulltext"), one.page.name
    assert {part: (final[part], least) for part, least in FINAL_AT_LEAST.items() if final[part] < least} == {}


def test_recorded_records_of_unpaywall_count(web: RecordedWeb, came: list[Came]) -> None:
    """Where only Unpaywall knows a DOI, its title and openness are in the record, and its links have been tried."""
    only_there = [
        one for one in came if one.page is None and ("unpaywall", "found") in {n[:2] for n in one.outcomes}
    ]

    assert len(only_there) >= 40
    assert sum(one.type_of("title") == "oadoi" for one in only_there) >= 40
    assert sum(one.done.record is not None and one.done.record.oa for one in only_there) >= 20
    assert any(resource in ("links", "pdf") for one in only_there for resource, _, _ in one.outcomes)
    assert {one.done.settled.outcome for one in came if one.done.settled.identifiers.doi in web.unknown} == {
        "known-nowhere"
    }
