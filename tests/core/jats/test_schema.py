"""The JSON Schema of the document: fresh, true of real and of small documents, and honest about where fields come from."""

import json
from pathlib import Path

import jsonschema
import msgspec
import pytest

from core.jats.making import article, plain, read
from pubweave.core.reading.jats import document
from pubweave.core.reading.jats.descriptions import DESCRIPTIONS
from pubweave.core.reading.jats.document import DIFFERENCES, Document, schema
from pubweave.core.reading.jats.plain import articles, parse_xml
from pubweave.core.reading.jats.read import read_document
from shared_data import needs_shared_data, shared_data

STORED = Path(document.__file__).with_name("document.schema.json")


def test_the_stored_schema_is_fresh() -> None:
    """It is what the code gives; `pubweave jats schema` prints it anew."""
    assert json.loads(STORED.read_text()) == schema()


@pytest.mark.parametrize(
    "name",
    ["_id", "pmcid", "pmid", "doi", "journal", "issue", "volume", "start_page", "end_page", "medline_pgn", "medline_ta",
     "affiliations", "authors", "publication_date", "publication_date_alt", "publication_date_status", "publication_year",
     "pubyear", "article_type", "keywords", "full_title", "abstract", "body_sections", "back_sections", "float_sections"],
)  # fmt: skip
def test_t128_every_documented_field_is_required(name: str) -> None:
    """B-10: all fields of the table are always there."""
    found = schema()["$defs"]["Document"]

    assert name in found["required"]
    assert found["properties"][name]["x-origin"] == ("program" if name == "pubyear" else "documented")


def test_additional_fields_are_marked_and_versioned() -> None:
    """What is this project's own says so, and has a version."""
    found = schema()

    assert found["$defs"]["Document"]["properties"]["pubweave"]["x-origin"] == "additional"
    assert found["$defs"]["Section"]["properties"]["path"]["x-origin"] == "additional"
    assert found["$defs"]["Content"]["properties"]["tableColumns"]["x-origin"] == "documented"
    assert found["$defs"]["Content"]["properties"]["table_columns"]["x-origin"] == "program"
    assert found["x-extras-version"] == document.EXTRAS_VERSION
    assert {one["row"] for one in DIFFERENCES} >= {
        "A-32",
        "A-33",
        "A-34",
        "A-35",
        "A-36",
        "A-37",
        "A-39",
        "A-40",
    }


def test_a_small_document_is_valid_and_comes_back() -> None:
    """What is written can be checked by anybody and read again into the same Structs."""
    found = read(
        article(meta="<abstract><p>x</p></abstract>", body="<p>x <xref ref-type='bibr' rid='r'>1</xref></p>")
    )
    data = msgspec.json.encode(found)
    jsonschema.validate(json.loads(data), schema())

    assert plain(msgspec.json.decode(data, type=Document)) == plain(found)


@needs_shared_data
def test_t128_recorded_articles_are_valid() -> None:
    """Real articles, one of every tenth file, hold to the schema."""
    validator = jsonschema.Draft202012Validator(schema())
    for path in sorted(shared_data("europepmc-fulltext").glob("PMC*.xml"))[::10]:
        for root in articles(parse_xml(path.read_bytes())):
            problems = [error.message[:200] for error in validator.iter_errors(plain(read_document(root)))]

            assert (path.name, problems) == (path.name, [])


def test_every_field_of_ours_says_what_it_is() -> None:
    """No field beyond the specification's stands there without a sentence, and no sentence without its field."""
    found = schema()["$defs"]
    ours = {
        (struct, field): described.get("description", "")
        for struct, definition in found.items()
        for field, described in definition.get("properties", {}).items()
        if described["x-origin"] != "documented"
    }

    assert [place for place, said in ours.items() if not said] == []
    assert {(struct, field) for struct, fields in DESCRIPTIONS.items() for field in fields} == set(ours)


def test_the_documentation_names_every_field_in_place() -> None:
    """docs/jats.md tells what stands in sections and contents beside the specification's fields."""
    told = (Path(__file__).parents[3] / "docs" / "jats.md").read_text()
    ours = {
        field
        for struct in ("Section", "Content")
        for field, described in schema()["$defs"][struct]["properties"].items()
        if described["x-origin"] == "additional"
    }

    assert [field for field in sorted(ours) if f"`{field}`" not in told] == []
