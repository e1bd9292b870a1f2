"""Character sets that strangers name: what is none is passed over."""

import encodings.aliases

import pytest

from pubweave.core.reading.charset import decode_page
from pubweave.core.reading.jats.plain import MalformedJats, parse_xml

NAMES = sorted(
    {
        *encodings.aliases.aliases,
        *encodings.aliases.aliases.values(),
        "undefined",
        "idna",
        "punycode",
        "unicode_escape",
    }
)


@pytest.mark.parametrize("name", [*NAMES, "x" * 5000, "a\x00b", "..", "é"])
def test_any_name_gives_a_text(name: str) -> None:
    """Whatever a header or page names as its character set, the page is read; where it is none, as what the bytes are."""
    body = b"<html><body>na\xc3\xafve \xff text" + b"a-" * 2000
    decoded = decode_page(body, f"text/html; charset={name}")
    assert decoded.text
    assert body.decode(decoded.charset, "replace") == decoded.text


@pytest.mark.parametrize(
    "name", ["undefined", "idna", "punycode", "unicode_escape", "raw_unicode_escape", "utf_7"]
)
def test_odd_names_fall_back(name: str) -> None:
    """Codecs that are no character sets of the web are passed over, in the header and on the page."""
    body = "<p>naïve".encode()
    assert decode_page(body, f"text/html; charset={name}").charset == "utf-8"
    assert decode_page(b"<meta charset='" + name.encode() + b"'>" + body).text.endswith("naïve")


@pytest.mark.parametrize("name", ["undefined", "idna", "punycode", "base64", "nonsense"])
def test_articles_with_odd_names_are_read_or_refused(name: str) -> None:
    """An article whose declaration names an odd character set is read as UTF-8, or refused as malformed; nothing else happens."""
    body = f"<?xml version='1.0' encoding='{name}'?><article><body><p>naïve</p></body></article>".encode()
    try:
        assert "".join(parse_xml(body).itertext()) == "naïve"
    except MalformedJats:
        pytest.fail("it could have been read")
