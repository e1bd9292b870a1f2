"""DataCite, a source beyond the specification: off by default, and it overrules nobody."""

import json

import pytest

from pubweave import registry
from pubweave.core.types import is_better
from pubweave.resources.datacite.reading import MalformedDataCiteReply, read
from services.resources.small_internet import DOI, Body, Internet, fetched
from shared_data import needs_shared_data, shared_data

ADDRESS = f"https://api.datacite.org/dois/{DOI}"
RECORD = {
    "doi": DOI.lower(),
    "titles": [{"title": "What DataCite calls it"}],
    "descriptions": [{"description": "<p>Reed warblers nest.</p>", "descriptionType": "Abstract"}],
    "subjects": [{"subject": "reeds"}, {"subject": "nests"}],
    "publicationYear": 2019,
    "types": {"resourceTypeGeneral": "Preprint"},
}


async def test_it_is_asked_where_somebody_says_so() -> None:
    """Else not; what it gives is worse than what Crossref gives."""
    there = Body(json.dumps({"data": {"attributes": RECORD}}).encode(), "application/json")
    without = await fetched(Internet({ADDRESS: there}))
    ran = await fetched(Internet({ADDRESS: there}), resources=(*registry.ON, "datacite"))

    assert "datacite" not in without.outcomes
    assert ran.outcomes["datacite"] == ["found"]
    assert (ran.record.title.type, ran.record.title.text) == ("datacite", "What DataCite calls it")
    assert (ran.record.theAbstract.text, ran.record.keywords.words) == (
        "Reed warblers nest.",
        ("reeds", "nests"),
    )
    assert ran.record.preprint
    assert is_better("crossref", "datacite")
    assert not is_better("datacite", "oadoi")


@needs_shared_data
def test_recorded_records_are_read() -> None:
    """All of them, also those whose descriptions are numbers and lists; none keeps mark-up."""
    found = []
    for path in sorted(shared_data("datacite").glob("*.json")):
        told = json.loads(path.read_bytes())
        data = told.get("data", told)
        records = data if isinstance(data, list) else [data]
        found += [read(json.dumps({"data": one}).encode()) for one in records if "attributes" in one]

    assert len(found) > 60
    assert all(one.issued_ms != -1 for one in found)
    assert sum(bool(one.abstract) for one in found) > 40
    assert not [one.doi for one in found if "<p>" in one.abstract or "<" in one.title]


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{}", b'{"data": []}', b'{"data": {"attributes": {}}}', b"\xff"]
)
def test_what_holds_no_record_is_said_to_be_broken(body: bytes) -> None:
    """Never taken for an answer."""
    with pytest.raises(MalformedDataCiteReply):
        read(body)
