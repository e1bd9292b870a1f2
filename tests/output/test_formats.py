"""Every format is a writer of pieces, and all of them can be used alike."""

import json
import tracemalloc
from pathlib import Path

import pytest

from output.records import empty_record, full_page, full_record
from pubweave.output.formats import FORMATS, DocumentFrame, NotInThisFormat, Writer, format_of_file
from pubweave.output.publication import Envelope, Selection
from pubweave.output.writer import EVERY_LIST


def written(writer: Writer) -> bytes:
    """A whole output of two publications."""
    pieces = [
        *writer.begin(),
        *writer.publication(full_record(), Envelope(version=3)),
        *writer.publication(empty_record()),
        *writer.end(),
    ]
    return b"".join(piece.encode() if isinstance(piece, str) else piece for piece in pieces)


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_says_what_it_is(name: str) -> None:
    writer = FORMATS[name]

    assert writer.name == name
    assert writer.sentence
    assert all(suffix.startswith(".") for suffix in writer.suffixes)
    assert "/" in writer.media_type
    assert writer.holds <= EVERY_LIST
    assert "publications" in writer.holds


def test_no_two_formats_share_a_suffix() -> None:
    suffixes = [suffix for writer in FORMATS.values() for suffix in writer.suffixes]

    assert len(set(suffixes)) == len(suffixes)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a.json", "json"), ("A.JSONL", "jsonl"), ("a.txt", "text"), ("a", ""), ("json", "")],
)
def test_a_file_name_promises_a_format(name: str, expected: str) -> None:
    assert expected == format_of_file(name)


@pytest.mark.parametrize("name", FORMATS)
def test_a_list_that_has_no_place_is_refused_before_anything_is_written(name: str) -> None:
    """One sentence that names the format."""
    for absent in EVERY_LIST - FORMATS[name].holds:
        with pytest.raises(NotInThisFormat, match=f"^{name} has no place for "):
            FORMATS[name](Selection(), DocumentFrame(lists=(absent,)))


def test_json_shows_empty_lists_that_were_asked_for_in_their_order() -> None:
    """A-28, whatever comes before or after them."""
    writer = FORMATS["json"](
        Selection(), DocumentFrame(lists=("docUrls", "publicationTopHosts", "publications", "publicationIds"))
    )
    pieces = [*writer.begin(), *writer.publication(full_record()), *writer.end()]
    parsed = json.loads("".join(map(str, pieces)))

    assert list(parsed) == [
        "version",
        "argv",
        "publicationIds",
        "docUrls",
        "publications",
        "publicationTopHosts",
    ]
    assert (parsed["publicationIds"], parsed["docUrls"], parsed["publicationTopHosts"]) == ([], [], [])
    assert len(parsed["publications"]) == 1


def test_json_holds_identifiers_addresses_and_hosts() -> None:
    """F-JSON-02 and F-JSON-11."""
    writer = FORMATS["json"](
        Selection(plain=True),
        DocumentFrame(lists=("publicationIds", "webpageUrls", "docUrls", "publicationTopHosts")),
    )
    pieces = [
        *writer.begin(),
        *writer.identifiers(full_record()),
        *writer.address("https://loom.example/", "webpage"),
        *writer.address("https://loom.example/manual", "doc"),
        *writer.hosts("publication", [("loom.example", 3), ("yarn.example", 1)]),
        *writer.end(),
    ]
    parsed = json.loads("".join(map(str, pieces)))

    assert parsed["publicationIds"] == [{"pmid": "31092905", "pmcid": "PMC6519000", "doi": "10.5555/LOOM.1"}]
    assert parsed["webpageUrls"] == ["https://loom.example/"]
    assert parsed["docUrls"] == ["https://loom.example/manual"]
    assert parsed["publicationTopHosts"] == [
        {"count": 3, "host": "loom.example"},
        {"count": 1, "host": "yarn.example"},
    ]


def test_json_does_not_go_back_to_a_list_that_is_over() -> None:
    """It would be the same member twice."""
    writer = FORMATS["json"](Selection(), DocumentFrame(lists=("publicationIds", "publications")))
    list(writer.publication(full_record()))

    with pytest.raises(ValueError, match="publicationIds is over"):
        list(writer.identifiers(full_record()))


def test_json_lines_are_elements_of_the_document() -> None:
    lines = written(FORMATS["jsonl"](Selection())).decode().splitlines()
    document = json.loads(written(FORMATS["json"](Selection())))

    assert document["publications"] == [json.loads(line) for line in lines]


def test_text_has_a_line_between_two_entries_only() -> None:
    """F-TXT-06."""
    shown = written(FORMATS["text"](Selection(plain=True))).decode()

    assert shown.count("-" * 80) == 1
    assert not shown.startswith("-")
    assert shown.endswith("\n")


def test_text_of_one_line_each_has_none() -> None:
    """F-TXT-05."""
    assert written(FORMATS["text"](Selection(plain=True, parts=("pmid",)))).decode().splitlines() == [
        "31092905\t\t",
        "\t\t",
    ]


def test_hosts_in_text_are_host_tab_count() -> None:
    """F-TOP-01."""
    writer = FORMATS["text"](Selection(), DocumentFrame(lists=("publicationTopHosts",)))

    assert list(writer.hosts("publication", [("loom.example", 3)])) == ["loom.example\t3\n"]


def test_pages_have_lists_of_their_own() -> None:
    """F-JSON-03, in JSON; text keeps the order."""
    frame = DocumentFrame(lists=("publications", "webpages", "docs"))
    json_writer, text_writer = (
        FORMATS["json"](Selection(plain=True), frame),
        FORMATS["text"](Selection(), frame),
    )
    document = json.loads(
        "".join(
            map(str, [*json_writer.begin(), *json_writer.webpage(full_page(), "doc"), *json_writer.end()])
        )
    )
    shown = "".join(
        map(str, [*text_writer.publication(full_record()), *text_writer.webpage(full_page(), "webpage")])
    )

    assert (document["publications"], document["webpages"]) == ([], [])
    assert [one["title"] for one in document["docs"]] == ["Loom <beta> & friends"]
    assert shown.index("31092905") < shown.index("-" * 80) < shown.index("Loom <beta>")


def test_lines_of_pages_say_which_they_are() -> None:
    """Without the lists of the document nothing else would."""
    writer = FORMATS["jsonl"](Selection(), DocumentFrame(lists=("webpages", "docs")))
    lines = [*writer.webpage(full_page(), "webpage"), *writer.webpage(full_page(), "doc")]

    assert [json.loads(line)["kind"] for line in lines] == ["webpage", "doc"]


@pytest.mark.parametrize("name", FORMATS)
def test_memory_does_not_grow_with_the_number_of_records(name: str) -> None:
    """F-JSON-13: pieces go out as they are made; the ten thousandth record needs no more than the thousandth."""
    writer = FORMATS[name](Selection())
    small = empty_record()
    list(writer.begin())
    for _ in range(1_000):
        for _ in writer.publication(small):
            pass
    tracemalloc.start()
    try:
        for _ in range(1_000):
            for _ in writer.publication(small):
                pass
        grown, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert grown < 60_000, f"{grown} bytes more for 1,000 records"
    list(writer.end())


def test_the_page_of_formats_names_them_all() -> None:
    """docs/formats.md: every format with its endings."""
    page = (Path(__file__).parents[2] / "docs" / "formats.md").read_text()

    for name, writer in FORMATS.items():
        (row,) = [line for line in page.splitlines() if line.startswith(f"| `{name}` |")]
        assert row.split("|")[2].split() == list(writer.suffixes)
        assert ("no" if not writer.selects else "yes") == row.split("|")[4].strip()


@pytest.mark.parametrize("name", ["text", "html", "json", "jsonl", "csv"])
def test_a_line_that_is_not_finished_says_so(name: str) -> None:
    """What is parked must not look like a publication without a title; what is finished needs no word."""
    words = {"json": '"outcome": "parked"', "jsonl": '"outcome":"parked"', "csv": "parked"}.get(
        name, "arked: too late"
    )

    def shown(envelope: Envelope | None) -> str:
        return "".join(map(str, FORMATS[name](Selection()).publication(full_record(), envelope)))

    assert words in shown(Envelope(outcome="parked", note="too late"))
    assert "too late" not in shown(Envelope(outcome="finished"))
