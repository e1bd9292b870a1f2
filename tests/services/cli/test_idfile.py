"""Lists of identifiers as they come from real machines."""

import io
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pubweave.input.identifier_lines import Problem, Understood
from pubweave.input.identifier_lists import (
    MAX_LINE,
    IdentifierSource,
    Item,
    items,
    of_arguments,
    raw_lines,
    source_of,
)
from pubweave.problems import UserError


def read(tmp_path: Path, content: bytes) -> list[Item]:
    file = tmp_path / "ids.txt"
    file.write_bytes(content)
    return list(items(source_of(str(file))))


def good(found: list[Item]) -> list[tuple[int, str]]:
    return [
        (item.number, item.result.identifiers.known()[0][1])
        for item in found
        if isinstance(item.result, Understood)
    ]


def bad(found: list[Item]) -> list[tuple[int, str]]:
    return [(item.number, item.result.sentence) for item in found if isinstance(item.result, Problem)]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"], ids=["LF", "CRLF", "CR"])
def test_every_line_end_counts_as_one(tmp_path: Path, end: bytes) -> None:
    """Files come from Linux, Windows and old Macs; line numbers are right in all."""
    found = read(tmp_path, end.join([b"# list", b"1", b"", b"PMC2", b"oops", b"10.3/x"]))

    assert good(found) == [(2, "1"), (4, "PMC2"), (6, "10.3/X")]
    assert [number for number, _ in bad(found)] == [5]


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [(b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")],
    ids=["UTF-8", "UTF-16 LE", "UTF-16 BE"],
)
def test_byte_order_marks_are_no_part_of_the_first_line(tmp_path: Path, mark: bytes, encoding: str) -> None:
    """Spreadsheets write them."""
    assert good(read(tmp_path, mark + "1\r\n10.1/é\r\n".encode(encoding))) == [(1, "1"), (2, "10.1/é")]


def test_mixed_lines_stand_side_by_side(tmp_path: Path) -> None:
    """Single identifiers and triplets in one file."""
    found = read(tmp_path, b"1\n2\tPMC3\n\t\t10.4/x\npmc5\n")

    assert good(found) == [(1, "1"), (2, "2"), (3, "10.4/X"), (4, "PMC5")]


def test_bad_lines_leave_the_good_ones_unharmed(tmp_path: Path) -> None:
    """Each bad line is named; a line that is not UTF-8 is one of them, and so is a very long one."""
    found = read(tmp_path, b"1\nfoo\n10.1/\xe9\n" + b"9" * (3 * MAX_LINE) + b"\n5\n")

    assert good(found) == [(1, "1"), (5, "5")]
    assert bad(found) == [
        (2, "'foo' is not a PMID, PMCID or DOI"),
        (3, "is not UTF-8 text"),
        (4, "is longer than 10,000 characters"),
    ]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"%PDF-1.7\n1\n", "it is a PDF"),
        (b"PK\x03\x04rest", "Office document"),
        (b"\x1f\x8b\x08rest", "compressed"),
        (b"SQLite format 3\0rest", "--db"),
        (b"1\n2\n\0\0\x01", "binary"),
    ],
)
def test_files_that_are_no_lists_are_refused_at_once(tmp_path: Path, content: bytes, words: str) -> None:
    with pytest.raises(UserError, match=words):
        read(tmp_path, content)


def test_folders_and_missing_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"is a folder"):
        list(items(source_of(str(tmp_path))))
    with pytest.raises(UserError, match=r"nowhere\.txt does not exist"):
        list(items(source_of(str(tmp_path / "nowhere.txt"))))
    with pytest.raises(UserError, match=r"cannot be read"):
        list(items(source_of("/proc/self/mem")))


@settings(derandomize=True, deadline=None, max_examples=150)
@given(
    st.text(alphabet=st.sampled_from("1\r\nP\t é"), max_size=60),
    st.lists(st.integers(min_value=1, max_value=7), min_size=1, max_size=8),
)
def test_lines_do_not_depend_on_how_the_bytes_arrive(text: str, sizes: list[int]) -> None:
    """A pipe may cut anywhere: inside a letter, between CR and LF."""
    content = text.encode()

    class Dribbling(io.BytesIO):
        turn = 0

        def read1(self, size: int | None = -1, /) -> bytes:
            self.turn += 1
            return self.read(sizes[self.turn % len(sizes)])

    expected = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if not expected[-1]:
        expected.pop()

    found = [line for _, line, _ in raw_lines(IdentifierSource("pipe"), Dribbling(content))]

    assert found == expected


def test_a_million_lines_take_no_memory() -> None:
    """What is read is never kept, whatever is between the line ends."""

    class Endless(io.RawIOBase):
        left = 120

        def read1(self, size: int = -1) -> bytes:
            self.left -= 1
            return b"31092905\n" * 7000 if self.left > 60 else b"x" * 63_000 if self.left >= 0 else b""

    def drained(lines: Iterator[object]) -> int:
        return sum(1 for _ in lines)

    tracemalloc.start()
    count = drained(raw_lines(IdentifierSource("pipe"), Endless()))  # type: ignore[arg-type]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert count == 59 * 7000 + 1
    assert peak < 3_000_000


def test_arguments_are_lines_too(tmp_path: Path) -> None:
    """A file given as an identifier is recognised; an empty argument is not silently dropped."""
    file = tmp_path / "ids.txt"
    file.write_text("1\n")

    found = list(of_arguments(("1", "", str(file))))

    assert good(found) == [(1, "1")]
    assert bad(found)[0] == (2, "is empty")
    assert f"give it with --ids {file}" in bad(found)[1][1]
