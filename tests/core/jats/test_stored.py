"""Structured documents are made of stored articles: the same as if they had been made at once."""

from pathlib import Path

import msgspec
import pytest

from pubweave.core.reading.jats.document import Document
from pubweave.core.reading.jats.plain import articles, parse_xml, read_plain
from pubweave.core.reading.jats.read import read_document
from pubweave.core.reading.jats.stored import Unreadable, document_in, source_of
from shared_data import SHARED_DATA, needs_shared_data, shared_data

SAMPLE = (Path(__file__).parent / "samples" / "PMC900001.xml").read_bytes()
RECORDED = (
    sorted(
        path
        for path in SHARED_DATA.rglob("*.xml")
        if b"<article" in (start := path.read_bytes()[:4096]) or b"<pmc-articleset" in start
    )
    if SHARED_DATA is not None
    else []
)
MADE = msgspec.json.Encoder()


def the_same(reply: bytes) -> int:
    """How many articles of a reply give the same document when they are read again."""
    found = articles(parse_xml(reply))
    for article in found:
        read_plain(article)
        stored = source_of(article)
        at_once = MADE.encode(read_document(article))
        assert MADE.encode(document_in(stored)) == at_once
    return len(found)


def test_an_article_read_again_gives_the_same_document() -> None:
    """Alone, and as one of several with namespaces that their wrapper declares."""
    assert the_same(SAMPLE) == 1
    article = b"<article><front/><body><p><x:a>\xc3\xa9 &lt; \xf0\x9d\x9b\xbc</x:a> b</p></body></article>"
    assert (
        the_same(b"<pmc-articleset xmlns:x='urn:x'>" + 2 * (article + b" tail ") + b"</pmc-articleset>") == 2
    )


@needs_shared_data
@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.name)
def test_recorded_articles_read_again_give_the_same_documents(path: Path) -> None:
    """Articles as they came from Europe PMC and PMC."""
    assert shared_data() in path.parents
    the_same(path.read_bytes())


def test_a_document_that_was_stored_itself_is_read() -> None:
    """As releases before 0.2 have put it."""
    (article,) = articles(parse_xml(SAMPLE))
    made: Document = read_document(article)
    assert document_in(MADE.encode(made)) == made


@pytest.mark.parametrize(
    "stored",
    [b"", b'{"of": "another version"}', b"<html></html>", b"<article><body>", b"<article>" + b"<sec>" * 300],
)
def test_what_holds_no_document_is_unreadable(stored: bytes) -> None:
    """One error, whatever is wrong with it."""
    with pytest.raises(Unreadable):
        document_in(stored)
