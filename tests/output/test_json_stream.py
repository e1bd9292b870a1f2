"""JSON of any size is read element by element, in pieces of any size."""

import io
import json
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from output.records import empty_record, full_page, full_record
from pubweave.core.record import Record
from pubweave.output.formats import FORMATS, DocumentFrame
from pubweave.output.json_stream import NotJson, elements
from pubweave.output.publication import Selection
from pubweave.output.reading import NotPublications, read_publications
from pubweave.output.reading_stream import read_entries

WANTED = ("publications", "docs")


def dribbling(body: bytes, size: int) -> Callable[[int], bytes]:
    """Gives at most `size` bytes at a time, whatever is asked for."""
    stream = io.BytesIO(body)
    return lambda wanted: stream.read(min(wanted, size))


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@settings(derandomize=True, deadline=None, max_examples=150)
@given(
    st.dictionaries(st.sampled_from([*WANTED, "argv", "other"]), st.lists(values, max_size=4), max_size=4),
    st.integers(1, 40),
    st.sampled_from([None, 2]),
    st.booleans(),
    st.sampled_from([b"", b"\xef\xbb\xbf", b"\n "]),
)
def test_the_elements_are_those_of_the_whole(
    lists: dict[str, list[Any]], size: int, indent: int | None, ascii_only: bool, before: bytes
) -> None:
    """Whatever the pieces, the layout and what stands between; numbers are not cut where a piece ends."""
    document = {"version": {"name": "x"}, **lists, "last": 1234567}
    body = before + json.dumps(document, indent=indent, ensure_ascii=ascii_only).encode()
    expected = [(name, value) for name, values in lists.items() if name in WANTED for value in values]

    assert list(elements(dribbling(body, size), WANTED)) == expected


@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    st.lists(st.dictionaries(st.text(max_size=3), values, min_size=1, max_size=3), min_size=1, max_size=4),
    st.integers(1, 40),
)
def test_lines_are_given_whole(objects: list[dict[str, Any]], size: int) -> None:
    body = "\n".join(json.dumps({"pmid": "1", **one}) for one in objects).encode()

    assert list(elements(dribbling(body, size), WANTED)) == [("", {"pmid": "1", **one}) for one in objects]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "does not begin"),
        (b"[]", "does not begin"),
        (b'{"version": 1', "'the end'|the end stands where"),
        (b'{"version": 1, "publications": [1, 2', "the end stands where"),
        (b'{"version": 1, "publications": [1 2]}', "character 34: '2' stands where"),
        (b'{"version": 1, "publications": [{"a": }]}', "Expecting value"),
        (b'{"version": 1} {}', "something stands after the document"),
        (b'{"version": NaN}', "NaN is no JSON"),
        (b'{"version": "\xff"}', "no UTF-8"),
        (b'{"version": ' + b"[" * 100_000, "character 13"),
        (b'{"pmid": "1"}\n2', "a line is no object"),
    ],
)
@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_what_is_no_json_is_told_with_its_place(body: bytes, words: str, size: int) -> None:
    if size == 1 and len(body) > 1_000:
        size = 1_000
    with pytest.raises(NotJson, match=words):
        list(elements(dribbling(body, size), WANTED))


def written(name: str) -> bytes:
    writer = FORMATS[name](Selection(), DocumentFrame(lists=("publications", "webpages", "docs")))
    pieces = [
        *writer.begin(),
        *writer.publication(full_record()),
        *writer.publication(empty_record()),
        *writer.webpage(full_page(), "webpage"),
        *writer.webpage(full_page(), "doc"),
        *writer.end(),
    ]
    return "".join(map(str, pieces)).encode()


@pytest.mark.parametrize("name", ["json", "jsonl"])
def test_entries_come_back_as_they_were(name: str) -> None:
    """All kinds, each as what it is, in both formats."""
    kinds, entries = zip(*read_entries(dribbling(written(name), 1_000)), strict=True)

    assert kinds == ("publication", "publication", "webpage", "doc")
    assert list(entries[:2]) == list(read_publications(written("json")))
    assert entries[2] == entries[3] == full_page()


def test_an_entry_that_cannot_be_read_is_named_after_those_before_it() -> None:
    document = json.loads(written("json"))
    del document["publications"][1]["oa"]
    reading = read_entries(dribbling(json.dumps(document).encode(), 100))

    assert isinstance(next(reading)[1], Record)
    with pytest.raises(NotPublications, match=r"^publication 2: oa is missing$"):
        next(reading)


def test_plain_output_cannot_be_put() -> None:
    writer = FORMATS["json"](Selection(plain=True))
    body = "".join(map(str, [*writer.begin(), *writer.publication(full_record()), *writer.end()])).encode()

    with pytest.raises(NotPublications, match="--plain"):
        list(read_entries(dribbling(body, 100)))


def test_memory_does_not_grow_with_the_document() -> None:
    """The thousandth entry needs no more than the tenth."""
    one = b"," + json.dumps({"content": "x" * 20_000}).encode()

    def peak_of(count: int) -> int:
        def body() -> Iterator[bytes]:
            yield b'{"version": 1, "publications": [1'
            for _ in range(count):
                yield one
            yield b"]}"

        pieces = body()
        tracemalloc.start()
        try:
            assert sum(1 for _ in elements(lambda _: next(pieces, b""), WANTED)) == count + 1
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak_of(1_000) < 1.5 * peak_of(20)
