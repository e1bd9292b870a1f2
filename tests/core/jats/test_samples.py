"""A whole article of our own against the document it must become, field by field."""

import json
from pathlib import Path

import pytest

from core.jats.making import plain
from pubweave.core.reading.jats.plain import articles, parse_xml
from pubweave.core.reading.jats.read import read_document

SAMPLES = Path(__file__).parent / "samples"
EXPECTED = json.loads((SAMPLES / "PMC900001.json").read_text())


@pytest.fixture(scope="module")
def found() -> dict[str, object]:
    (article,) = articles(parse_xml((SAMPLES / "PMC900001.xml").read_bytes()))
    made: dict[str, object] = plain(read_document(article))
    return made


@pytest.mark.parametrize("field", [field for field in EXPECTED if field != "pubweave"])
def test_documented_fields_of_the_sample(found: dict[str, object], field: str) -> None:
    """Nothing of the contract changes unnoticed."""
    assert found[field] == EXPECTED[field]


@pytest.mark.parametrize("field", list(EXPECTED["pubweave"]))
def test_additional_fields_of_the_sample(found: dict[str, dict[str, object]], field: str) -> None:
    """Nor of the additional fields, whose version would have to rise."""
    assert found["pubweave"][field] == EXPECTED["pubweave"][field]


def test_the_sample_has_no_field_that_is_not_expected(found: dict[str, dict[str, object]]) -> None:
    """Both lists of fields are whole."""
    assert (set(found), set(found["pubweave"])) == (set(EXPECTED), set(EXPECTED["pubweave"]))
