"""The door of the reader: what becomes a tree, what is mended, what is refused."""

import pytest

from pubweave.core.reading.jats.plain import MalformedJats, articles, complete_articles, parse_xml, read_plain
from pubweave.core.reading.jats.text import plain_text
from pubweave.core.reading.jats.xml import MAX_BYTES


def text_of(data: bytes) -> str:
    return plain_text(parse_xml(data))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"<a>&alpha;&nbsp;&le; &amp; &#946;</a>", "α ≤ & β"),
        (b"<a>5&deg;C &Scaron;&ccaron; &b.alpha; &agr;</a>", "5°C Šč 𝛂 α"),
        (b"<a>&nosuchname; stays</a>", "&nosuchname; stays"),
        (b"<a><![CDATA[&alpha; <raw>]]> &beta;</a>", "&alpha; <raw> β"),
        (b"<a><!-- <![CDATA[ &alpha; -->&beta;<?x &gamma;?><![CDATA[<!--]]>&delta;</a>", "β<!--δ"),
        (b'<!DOCTYPE a SYSTEM "http://example.org/a.dtd"><a>x&thinsp;y &foo;</a>', "x y &foo;"),
        (b'<!DOCTYPE a [<!ENTITY co "<b>Acme</b> &copy;">]><a>by &co;.</a>', "by Acme ©."),
    ],
)
def test_named_entities_become_characters_without_a_dtd(data: bytes, expected: str) -> None:
    """Every ISO and HTML name is a character; a name of the document's own is its text; others survive as written."""
    assert text_of(data) == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'\n\n<?xml version="1.0"?>\n<a>blank line first</a>', "blank line first"),
        ("<a>wrong label: café</a>".encode("latin-1"), "wrong label: café"),
        ('<?xml version="1.0" encoding="ISO-8859-1"?><a>café</a>'.encode("latin-1"), "café"),
        ('<?xml version="1.0" encoding="ascii"?><a>“café”</a>'.encode(), "“café”"),
        ('<?xml version="1.0" encoding="UTF-16"?><a>&eacute;té</a>'.encode("utf-16"), "été"),
        ("\ufeff<a>marked</a>".encode(), "marked"),
        (b"<a>AT&T & co &#x1; x\x0b</a>", "AT&T & co x"),
        (b'<a xlink:href="u"><mml:mi>y</mml:mi></a>', "y"),
    ],
)
def test_common_breakages_are_mended(data: bytes, expected: str) -> None:
    """Blank lines, wrong encodings, bare ampersands, control characters and undeclared prefixes cost no document."""
    assert text_of(data) == expected


def bomb() -> bytes:
    rows = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 50}">' for n in range(1, 5))
    return f'<!DOCTYPE a [<!ENTITY l0 "{"x" * 50}">{rows}]><a>&l4;</a>'.encode()


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"not xml at all", id="not XML"),
        pytest.param(b"<a><b></a>", id="crossed tags"),
        pytest.param(b"<a>" * 300 + b"</a>" * 300, id="300 levels deep"),
        pytest.param(b'<a b="' + b"x" * 10_500_000 + b'"/>', id="an attribute of 10 MB"),
        pytest.param(bomb(), id="billion laughs"),
        pytest.param(b'<!DOCTYPE a [<!ENTITY a "&b;"><!ENTITY b "&a;">]><a>&a;</a>', id="entities in a ring"),
        pytest.param(b"<!DOCTYPE a [" + b" " * (2 << 20) + b"]><a/>", id="endless DTD"),
        pytest.param(b"<a>&alpha;" + b"<!-- " * 200_000, id="comments that never end"),
        pytest.param(b"<a>&alpha;" + b"<![CDATA[ " * 200_000, id="CDATA that never ends"),
        pytest.param(b"<?xml " * 200_000, id="declarations that never end"),
        pytest.param(b"<!DOCTYPE a [" + b"<!ENTITY x '" * 50_000, id="entities that never end"),
    ],
)
def test_hostile_and_broken_documents_are_refused_with_a_sentence(data: bytes) -> None:
    """One exception, one sentence, no partial tree."""
    with pytest.raises(MalformedJats) as refused:
        parse_xml(data)

    assert str(refused.value)


def test_a_document_beyond_the_size_limit_is_refused_before_it_is_parsed() -> None:
    """Size is looked at first."""
    with pytest.raises(MalformedJats, match="11 bytes, more than the 10"):
        parse_xml(b"<a>long</a>", max_bytes=10)

    assert MAX_BYTES < 1 << 30


def test_external_entities_are_never_read(tmp_path) -> None:  # type: ignore[no-untyped-def]
    """A file named by an entity is not opened: its name stays where it was written."""
    secret = tmp_path / "secret"
    secret.write_text("secret words")
    data = f'<!DOCTYPE a [<!ENTITY x SYSTEM "file://{secret}"><!ENTITY % p SYSTEM "{secret}">%p;]><a>&x;</a>'

    assert text_of(data.encode()) == "&x;"


ARTICLE = "<article><front><article-meta><article-id pub-id-type='pmc'>{}</article-id></article-meta></front></article>"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", ""),
        ("<?xml version='1.0'?><pmc-articleset>", "</pmc-articleset>"),
        ("<OAI-PMH xmlns='http://oai'><record><metadata>", "</metadata></record></OAI-PMH>"),
        ("<o:OAI-PMH xmlns:o='http://oai'><o:metadata>", "</o:metadata></o:OAI-PMH>"),
    ],
)
def test_articles_are_found_in_every_wrapper(before: str, after: str) -> None:
    """Bare, in an article set, in OAI, with OAI's default namespace spilt over the article."""
    (article,) = articles(parse_xml((before + ARTICLE.format("12") + after).encode()))

    assert read_plain(article).pmcid == "PMC12"


def test_a_namespace_around_jats_is_taken_off() -> None:
    """Feeds that put JATS into a namespace are read all the same; MathML keeps its own."""
    data = b"<j:article xmlns:j='http://jats' xmlns:m='http://www.w3.org/1998/Math/MathML'><j:body><m:mi/></j:body></j:article>"
    (article,) = articles(parse_xml(data))

    assert [str(element.tag) for element in article.iter()] == [
        "article",
        "body",
        "{http://www.w3.org/1998/Math/MathML}mi",
    ]


@pytest.mark.parametrize("cut", [1, 40, 120])
def test_whole_articles_of_a_truncated_reply_are_saved(cut: int) -> None:
    """What was complete before the cut is kept, the cut is told, the torn article is not passed off as whole."""
    whole = (
        f"<pmc-articleset>{ARTICLE.format(1)}{ARTICLE.format(2)}{ARTICLE.format(3)}</pmc-articleset>".encode()
    )
    kept = 3 if cut < len("</pmc-articleset>") + 1 else 2

    found, was_cut = complete_articles(whole[:-cut])

    assert ([read_plain(one).pmcid for one in found], was_cut) == ([f"PMC{n + 1}" for n in range(kept)], True)
    assert [read_plain(one).pmcid for one in complete_articles(whole)[0]] == ["PMC1", "PMC2", "PMC3"]
    assert complete_articles(whole)[1] is False
