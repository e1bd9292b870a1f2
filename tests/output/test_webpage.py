"""Web pages and docs in JSON and text (T-107: F-JSON-09, F-JSON-10, F-TXT-07)."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pubweave.output
from pubweave.contract.values import Thresholds
from pubweave.core.webpage_record import WebpageRecord
from pubweave.output.json_document import document
from pubweave.output.webpage import webpage_object, webpage_text
from pubweave.output.webpage_reading import NotWebpages, read_webpages

SCHEMA = Path(pubweave.output.__file__).parent / "schemas" / "webpages.schema.json"
USUAL = Thresholds()
PAGE = WebpageRecord(
    start_url="http://tool.example/",
    final_url="https://tool.example/home",
    content_type="text/html; charset=utf-8",
    status_code=200,
    title="Aligner",
    content="Aligns sequences.\n\nQuickly.",
    content_time=1_795_269_601_250,
    license="MIT",
    language="C, Rust",
    fetch_time=1_795_269_600_000,
    retry_counter=1,
    outcome="found",
    rules_version="0123456789abcdef",
)
MEMBERS = [
    "fetchTime",
    "fetchTimeHuman",
    "retryCounter",
    "fetchException",
    "startUrl",
    "finalUrl",
    "contentType",
    "statusCode",
    "contentTime",
    "contentTimeHuman",
    "license",
    "language",
    "titleLength",
    "contentLength",
    "title",
    "empty",
    "usable",
    "final",
    "broken",
    "content",
    "pubweave",
]


def valid(instance: object) -> bool:
    return jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text())).is_valid(instance)


def printed(*records: WebpageRecord, name: str = "webpages", plain: bool = False) -> dict[str, Any]:
    objects = [webpage_object(record, USUAL, plain=plain) for record in records]
    parsed: dict[str, Any] = json.loads("".join(document(["page"], name, objects)))
    return parsed


def test_members_stand_in_the_order_of_the_specification() -> None:
    """F-JSON-09; our own member comes last."""
    assert list(webpage_object(PAGE, USUAL)) == MEMBERS


def test_plain_pages_are_three_members() -> None:
    """F-JSON-10."""
    assert webpage_object(PAGE, USUAL, plain=True) == {
        "startUrl": PAGE.start_url,
        "title": PAGE.title,
        "content": PAGE.content,
    }


def test_flags_and_times_are_computed() -> None:
    """F-PT-34 for pages: nothing derived is stored, everything derived is shown."""
    found = webpage_object(PAGE, Thresholds(webpageMinLength=100))

    assert found["fetchTimeHuman"] == "2026-11-21T14:00:00.000Z"
    assert found["contentTimeHuman"] == "2026-11-21T14:00:01.250Z"
    assert (found["titleLength"], found["contentLength"]) == (7, 27)
    assert (found["empty"], found["usable"], found["final"], found["broken"]) == (False, False, False, False)


def test_a_page_that_is_not_there_is_broken() -> None:
    """T-069: status 404 makes `broken` true."""
    assert webpage_object(WebpageRecord("http://a.example/", status_code=404), USUAL)["broken"] is True


@pytest.mark.parametrize("name", ["webpages", "docs"])
@pytest.mark.parametrize("plain", [False, True])
def test_output_is_what_the_schema_says(name: str, plain: bool) -> None:
    """T-107."""
    assert valid(printed(PAGE, WebpageRecord("ftp://a.example/b.pdf"), name=name, plain=plain))


def test_the_schema_refuses_what_is_not_specified() -> None:
    """So the test above can fail."""
    told = printed(PAGE)
    for change in ({"colour": "red"}, {"broken": "no"}, {"fetchTimeHuman": "yesterday"}):
        assert not valid({**told, "webpages": [{**told["webpages"][0], **change}]})
    assert not valid({"version": told["version"], "argv": []})


def test_plain_text_is_address_title_and_content() -> None:
    """F-TXT-07."""
    assert (
        webpage_text(PAGE, plain=True) == "http://tool.example/\n\nAligner\n\nAligns sequences.\n\nQuickly.\n"
    )


def test_text_has_what_json_has() -> None:
    """F-TXT-01: all but the derived flags."""
    told = webpage_text(PAGE)
    shown = webpage_object(PAGE, USUAL)

    for name in MEMBERS:
        if name not in ("empty", "usable", "final", "broken", "pubweave", "fetchException"):
            assert str(shown[name]) in told, name
    assert not any(word in told for word in ("usable", "broken", "True", "False"))


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
pages = st.builds(
    WebpageRecord,
    start_url=texts.filter(str.strip),
    final_url=texts,
    content_type=texts,
    status_code=st.integers(0, 999),
    title=texts,
    content=texts,
    content_time=st.integers(0, 2**42),
    license=texts,
    language=texts,
    fetch_time=st.integers(0, 2**42),
    retry_counter=st.integers(0, 99),
    fetch_exception=st.booleans(),
    outcome=texts,
    evidence=texts,
    rules_version=texts,
)


@settings(derandomize=True, max_examples=100, deadline=None)
@given(st.lists(pages, max_size=4), st.sampled_from(["webpages", "docs"]))
def test_what_was_written_reads_back(records: list[WebpageRecord], name: Any) -> None:
    """An export fills a database again, whatever the pages hold."""
    objects = [webpage_object(record, USUAL) for record in records]
    body = "".join(document(["export"], name, objects)).encode()

    assert list(read_webpages(body, name)) == records
    assert valid(json.loads(body))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"<html>", "no JSON document"),
        (b"{}", "no member 'webpages'"),
        (b'{"webpages":{}}', "webpages: "),
        (b'{"webpages":[{"startUrl":"http://a/","title":"","content":""}]}', "number 1: "),
        (b"\xff\xfe", "no JSON document"),
    ],
)
def test_what_is_no_page_is_refused_with_its_place(body: bytes, words: str) -> None:
    """One sentence, and nothing half read."""
    with pytest.raises(NotWebpages, match=words):
        list(read_webpages(body, "webpages"))
