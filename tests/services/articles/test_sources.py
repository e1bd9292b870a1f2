"""Sources: every kind of input gives the same rows, and what is broken is said with its place."""

import gzip
from collections.abc import Callable
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

import pytest

from pubweave.articles.problems import BadInput
from pubweave.articles.sources import StoredUrl, UrlList, open_source, row_of
from shared_data import needs_shared_data, shared_data


def entries(path: Path | str, **more: object) -> list[StoredUrl]:
    return [entry for source in open_source(str(path), **more) for entry in source.entries()]  # type: ignore[arg-type]


def pairs(path: Path | str, **more: object) -> list[tuple[str, str]]:
    return [(entry.url, entry.media_type) for entry in entries(path, **more)]


def warc_record(kind: str, url: str, block: bytes, **headers: str) -> bytes:
    """One record of a WARC file, written by hand."""
    fields = {
        "WARC-Type": kind,
        "WARC-Record-ID": f"<urn:uuid:{uuid5(NAMESPACE_URL, kind + url)}>",
        "WARC-Date": headers.pop("date", "2026-01-01T00:00:00Z"),
        "Content-Type": headers.pop("content_type", "application/http; msgtype=response"),
        "Content-Length": str(len(block)),
    }
    if url:
        fields["WARC-Target-URI"] = url
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())

    return b"WARC/1.0\r\n" + head.encode() + b"\r\n" + block + b"\r\n\r\n"


def http_block(status: str, content_type: str, body: bytes) -> bytes:
    return f"HTTP/1.1 {status} X\r\nContent-Type: {content_type}\r\n\r\n".encode() + body


def write_warc(path: Path, records: list[tuple[str, str, bytes, str]]) -> None:
    """`records` are (URL, status, body, content type); each packed by itself if the name says so."""
    made = [warc_record("warcinfo", "", b"software: test\r\n", content_type="application/warc-fields")]
    for url, status, body, content_type in records:
        made.append(warc_record("response", url, http_block(status, content_type, body)))
        made.append(warc_record("request", url, b"GET / HTTP/1.1\r\n\r\n"))
    zipped = path.name.endswith(".gz")
    path.write_bytes(b"".join(gzip.compress(each) if zipped else each for each in made))


RECORDS = [
    ("http://h.org/full/1", "200", b"<p>one</p>", "text/html; charset=utf-8"),
    ("http://h.org/pdf/1.pdf", "200", b"%PDF-1.4", "application/pdf"),
    ("http://h.org/old", "301", b"", "text/html"),
    ("http://h.org/gone", "404", b"no", "text/html"),
]


@pytest.mark.parametrize("zipped", [False, True])
def test_a_list_of_urls(tmp_path: Path, zipped: bool) -> None:
    """One a line, perhaps with a media type; blank lines and comments are let pass, gzip is seen."""
    text = b"http://h.org/1\n\n# a comment\nhttp://h.org/a b\ttext/html\r\n  http://h.org/2  \nhttp://h.org/x\x01y\n"
    path = tmp_path / "list"
    path.write_bytes(gzip.compress(text) if zipped else text)
    source = open_source(str(path))[0]
    rows = [row for batch in source.rows() for row in batch]

    assert pairs(path) == [("http://h.org/1", ""), ("http://h.org/a b", "text/html"), ("http://h.org/2", "")]
    assert rows == [row_of(entry) for entry in entries(path)]
    assert source.refused == 1


def test_a_list_of_bare_urls_takes_the_short_way_to_the_same_rows(tmp_path: Path) -> None:
    """The fast path and the careful one agree."""
    path = tmp_path / "list"
    path.write_text("".join(f"http://h.org/{number}/x#{number}\n" for number in range(50_000)))
    source = open_source(str(path))[0]

    assert isinstance(source, UrlList)
    assert [row for batch in source.rows() for row in batch] == [row_of(entry) for entry in source.entries()]


@pytest.mark.parametrize("name", ["x.warc", "x.warc.gz", "nameless"])
def test_a_warc_gives_what_has_content(tmp_path: Path, name: str) -> None:
    """Responses with status 2xx, with the media type of their header; known by name or by its first bytes."""
    write_warc(tmp_path / name, RECORDS)
    source = open_source(str(tmp_path / name))[0]
    found = list(source.entries())

    assert [(entry.url, entry.media_type) for entry in found] == [
        ("http://h.org/full/1", "text/html; charset=utf-8"),
        ("http://h.org/pdf/1.pdf", "application/pdf"),
    ]
    assert source.read(row_of(found[0]).split("\x01")[3]) == b"<p>one</p>"


def test_resources_and_revisits_of_a_warc_exist(tmp_path: Path) -> None:
    """A resource record is content; a revisit says that a page exists, its body lies elsewhere."""
    path = tmp_path / "x.warc"
    resource = warc_record("resource", "http://h.org/r", b"r", content_type="text/plain")
    path.write_bytes(resource + warc_record("revisit", "http://h.org/v", http_block("200", "text/html", b"")))

    assert [(entry.url, entry.media_type, bool(entry.locator)) for entry in entries(path)] == [
        ("http://h.org/r", "text/plain", True),
        ("http://h.org/v", "text/html", False),
    ]


def test_a_damaged_record_costs_itself_and_is_told_with_its_place(tmp_path: Path) -> None:
    """Not a traceback, not silence, and not the rest of the file."""
    path = tmp_path / "x.warc.gz"
    write_warc(path, [(f"http://h.org/{number}", "200", b"<p>", "text/html") for number in range(5)])
    data = path.read_bytes()
    third = data.index(
        gzip.compress(warc_record("response", "http://h.org/2", http_block("200", "text/html", b"<p>")))
    )
    path.write_bytes(data[: third + 30] + b"\0" * 40 + data[third + 70 :])
    source = open_source(str(path))[0]

    assert [entry.url for entry in source.entries()] == [f"http://h.org/{number}" for number in (0, 1, 3, 4)]
    [damage] = source.damaged
    assert damage.startswith(f"{path}: what begins at byte {third} cannot be unpacked")


@pytest.mark.parametrize("zipped", [False, True])
def test_a_cdx_index(tmp_path: Path, zipped: bool) -> None:
    """Fields as its header says; failures and redirects are left out."""
    text = (
        b" CDX N b a m s k r M S V g\n"
        b"org,h)/full/1 20260101000000 http://h.org/full/1 text/html 200 AAA - - 100 0 x.warc.gz\n"
        b"org,h)/old 20260101000000 http://h.org/old text/html 301 AAA - - 100 99 x.warc.gz\n"
        b"org,h)/v 20260102000000 http://h.org/v warc/revisit - AAA - - 100 199 x.warc.gz\n"
    )
    path = tmp_path / ("x.cdx.gz" if zipped else "x.cdx")
    path.write_bytes(gzip.compress(text) if zipped else text)

    assert pairs(path) == [("http://h.org/full/1", "text/html"), ("http://h.org/v", "")]


def test_a_cdxj_index_finds_the_pages_of_its_warc(tmp_path: Path) -> None:
    """Offset and file name lead to the content."""
    write_warc(tmp_path / "x.warc", RECORDS)
    offset = next(entry.locator.split("\x1f")[1] for entry in entries(tmp_path / "x.warc"))
    (tmp_path / "x.cdxj").write_text(
        'org,h)/full/1 20260101000000 {"url": "http://h.org/full/1", "mime": "text/html", "status": "200",'
        f' "offset": "{offset}", "filename": "x.warc"}}\n'
    )
    source = open_source(str(tmp_path / "x.cdxj"))[0]
    entry = next(iter(source.entries()))

    assert (entry.url, entry.media_type) == ("http://h.org/full/1", "text/html")
    assert source.read(row_of(entry).split("\x01")[3]) == b"<p>one</p>"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("x.cdx", "org,h)/ 2026 http://h.org/\n", "line 1 has 3 fields, not 11"),
        ("x.cdx", " CDX N b\norg,h)/ 2026\n", "no field a"),
        ("x.cdxj", "org,h)/ 2026 {nonsense\n", "line 1 is not a CDXJ line"),
        ("x.xml", "<urlset><url><loc>http://h.org/1</loc></url>", "is not XML"),
        ("x.xml", "<other/>", "neither a sitemap nor an OAI-PMH reply"),
    ],
)
def test_a_broken_index_is_told_with_its_line(tmp_path: Path, name: str, text: str, said: str) -> None:
    """File, line, reason."""
    (tmp_path / name).write_text(text)

    with pytest.raises(BadInput) as refused:
        entries(tmp_path / name)

    assert refused.value.format_message().startswith(str(tmp_path / name))
    assert said in refused.value.format_message()


def test_a_folder_is_a_mirror(tmp_path: Path) -> None:
    """Named by host and path, or below the base URL given."""
    (tmp_path / "h.org" / "full").mkdir(parents=True)
    (tmp_path / "h.org" / "full" / "1.html").write_text("<p>")
    (tmp_path / "h.org" / "1.pdf").write_text("%PDF")

    assert pairs(tmp_path) == [
        ("http://h.org/1.pdf", "application/pdf"),
        ("http://h.org/full/1.html", "text/html"),
    ]
    assert pairs(tmp_path / "h.org", base_url="https://x.org/") == [
        ("https://x.org/1.pdf", "application/pdf"),
        ("https://x.org/full/1.html", "text/html"),
    ]
    source = open_source(str(tmp_path))[0]
    assert source.read("h.org/1.pdf") == b"%PDF"


def test_a_folder_of_warcs_is_its_warcs(tmp_path: Path) -> None:
    """And if there are indexes, these."""
    write_warc(tmp_path / "a.warc", RECORDS[:1])
    write_warc(tmp_path / "b.warc.gz", RECORDS[1:])

    assert [url for url, _ in pairs(tmp_path)] == ["http://h.org/full/1", "http://h.org/pdf/1.pdf"]
    (tmp_path / "all.cdx").write_text(" CDX a m s\nhttp://h.org/c text/html 200\n")
    assert [url for url, _ in pairs(tmp_path)] == ["http://h.org/c"]


SITEMAP = (
    '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    "<url><loc> http://h.org/full/{0} </loc><lastmod>2026-01-01</lastmod></url>"
    '<url><loc>http://h.org/pdf/{0}.pdf?a=1&amp;b=2</loc><image:image xmlns:image="i"><image:loc>no</image:loc></image:image></url>'
    "</urlset>"
)
INDEX = (
    '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    "<sitemap><loc>http://h.org/maps/one.xml.gz</loc></sitemap>"
    "<sitemap><loc>http://h.org/maps/two.xml</loc></sitemap></sitemapindex>"
)


def test_a_sitemap_and_an_index_of_sitemaps(tmp_path: Path) -> None:
    """Children are taken from the same folder, packed or not; other `loc` elements are not URLs of the site."""
    (tmp_path / "one.xml.gz").write_bytes(gzip.compress(SITEMAP.format(1).encode()))
    (tmp_path / "two.xml").write_text(SITEMAP.format(2))
    (tmp_path / "index.xml").write_text(INDEX)
    expected = [f"http://h.org/{path}" for n in (1, 2) for path in (f"full/{n}", f"pdf/{n}.pdf?a=1&b=2")]

    assert [url for url, _ in pairs(tmp_path / "index.xml")] == expected


def test_children_of_a_sitemap_elsewhere_are_fetched_or_named(tmp_path: Path) -> None:
    """Without a fetcher the missing child is an error; with one it is asked for."""
    (tmp_path / "index.xml").write_text(INDEX)
    asked: list[str] = []

    def fetch(address: str) -> bytes:
        asked.append(address)
        data = SITEMAP.format(len(asked)).encode()
        return gzip.compress(data) if address.endswith(".gz") else data

    with pytest.raises(BadInput, match=r"names the sitemap http://h\.org/maps/one\.xml\.gz"):
        entries(tmp_path / "index.xml")
    assert len(entries(tmp_path / "index.xml", fetch=fetch)) == 4
    assert asked == ["http://h.org/maps/one.xml.gz", "http://h.org/maps/two.xml"]


OAI = (
    '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords><record><header><identifier>oai:h:1</identifier>'
    '</header><metadata><oai_dc:dc xmlns:oai_dc="o" xmlns:dc="http://purl.org/dc/elements/1.1/">'
    "<dc:identifier>http://h.org/view/{0}</dc:identifier><dc:identifier>10.1/x</dc:identifier>"
    "<dc:relation>http://h.org/view/{0}/pdf</dc:relation></oai_dc:dc></metadata></record>{1}</ListRecords></OAI-PMH>"
)


def test_an_oai_pmh_reply(tmp_path: Path) -> None:
    """Web addresses of its records; the next reply is fetched where that is possible."""
    (tmp_path / "one.xml").write_text(OAI.format(1, "<resumptionToken>more</resumptionToken>"))
    fetch: Callable[[str], bytes] = lambda token: OAI.format(2, "<resumptionToken/>").encode()  # noqa: E731

    assert [url for url, _ in pairs(tmp_path / "one.xml")] == [
        "http://h.org/view/1",
        "http://h.org/view/1/pdf",
    ]
    assert [url for url, _ in pairs(tmp_path / "one.xml", fetch=fetch)][2:] == [
        "http://h.org/view/2",
        "http://h.org/view/2/pdf",
    ]


def test_entities_of_a_sitemap_are_not_resolved(tmp_path: Path) -> None:
    """A sitemap cannot read files."""
    secret = tmp_path / "secret"
    secret.write_text("http://h.org/secret")
    (tmp_path / "x.xml").write_text(
        f'<!DOCTYPE urlset [<!ENTITY e SYSTEM "file://{secret}">]><urlset><url><loc>&e;</loc></url>'
        "<url><loc>http://h.org/1</loc></url></urlset>"
    )

    assert [url for url, _ in pairs(tmp_path / "x.xml")] == ["http://h.org/1"]


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    """By name."""
    with pytest.raises(BadInput, match="nowhere: no such file or folder"):
        open_source(str(tmp_path / "nowhere"))


def test_packed_data_that_breaks_off_is_refused(tmp_path: Path) -> None:
    """A list that ends in the middle of its packing."""
    data = gzip.compress(
        "\n".join(f"http://h.org/{number * 7919 % 1000003}" for number in range(50_000)).encode()
    )
    (tmp_path / "x.gz").write_bytes(data[: len(data) // 2])

    with pytest.raises(BadInput, match="cannot be read to its end"):
        entries(tmp_path / "x.gz")


@needs_shared_data
@pytest.mark.parametrize(
    ("name", "urls"),
    [
        ("example.warc", ["http://example.com/"]),
        ("example.warc.gz", ["http://example.com/"]),
        ("example.arc.gz", ["http://example.com/"]),
        ("example-iana.org-chunked.warc", ["http://www.iana.org/"]),
    ],
)
def test_recorded_warcs_are_read(name: str, urls: list[str]) -> None:
    """WARC and ARC, packed or not."""
    assert {entry.url for entry in entries(shared_data("warc", name))} == set(urls)


@needs_shared_data
@pytest.mark.parametrize(
    "path", ["example-trunc.warc", "example-bad.warc.gz.bad", "example-space-in-url.arc"]
)
def test_recorded_broken_warcs_end_in_a_sentence(path: str) -> None:
    """What is there is read, or the place is told; never a traceback."""
    [source] = open_source(str(shared_data("warc", path)))
    found = list(source.entries())

    assert all(entry.url.startswith("http") for entry in found)
    assert found or path in source.damaged[0]


def test_broken_utf8_is_no_url(tmp_path: Path) -> None:
    """It is counted, not turned into another URL; other letters than ASCII are kept."""
    (tmp_path / "list").write_bytes(
        "http://h.org/é\n".encode() + b"http://h.org/\xff\nhttp://h.org/\xe2\x80\xa8x\n"
    )
    source = open_source(str(tmp_path / "list"))[0]

    assert [row for batch in source.rows() for row in batch] == [row_of(StoredUrl("http://h.org/é"))]
    assert source.refused == 2


def test_a_line_without_end_is_refused(tmp_path: Path) -> None:
    """Memory stays bounded whatever the file is."""
    (tmp_path / "list").write_bytes(b"x" * (2 << 20))

    with pytest.raises(BadInput, match=r"has a line of more than 65,536 bytes"):
        entries(tmp_path / "list")
