"""`pubweave text` with web addresses: the same readers, fed by the fetcher."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pubweave.cli.commands.text.reading import inputs_of
from services.cli.conftest import Cli
from services.doors.pdf_reader.pdfs import pages_of
from webpages.site import Said, Site, html, running_site

ARTICLE = (
    b'<?xml version="1.0"?><article><front><article-meta><title-group><article-title>On mites</article-title>'
    b"</title-group></article-meta></front><body><p>Mites do not bite.</p></body></article>"
)


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setenv("PUBWEAVE_ALLOW_ADDRESSES", "127.0.0.0/8")
    with running_site() as site:
        yield site


def test_what_an_address_gives_is_told_by_its_content(cli: Cli, site: Site) -> None:
    """A page, a PDF that calls itself something else, an article and plain text; files beside them."""
    pdf = pages_of(["Lice are alike."])
    site.pages |= {
        "/page": html(text="Ticks bite at night and in the day, and in the evening they bite as well."),
        "/manual": Said(pdf, 200, "application/octet-stream"),
        "/article": Said(ARTICLE, 200, "application/xml"),
        "/feed": Said(
            b"<rss><channel><title>Bites</title><item><title>Fleas</title></item></channel></rss>",
            200,
            "text/xml",
        ),
        "/readme": Said("Käfer\r\n".encode("latin-1"), 200, "text/plain; charset=latin-1"),
    }
    Path("here.pdf").write_bytes(pdf)
    ran = cli("text", *(f"{site.url}{path}" for path in site.pages), "here.pdf", "--out", "texts")
    texts = {path.name.partition("_")[2] or path.name: path.read_text() for path in Path("texts").iterdir()}

    assert (ran.status, ran.out) == (0, "")
    assert texts["page.txt"].startswith("Ticks bite at night")
    assert texts["manual.txt"] == texts["here.txt"] == "Lice are alike.\n"
    assert "Mites do not bite." in texts["article.txt"]
    assert texts["feed.txt"] == "Bites\n\nFleas\n"
    assert texts["readme.txt"] == "Käfer\n"
    assert not Path("pubweave.db").exists()


def test_what_gives_no_text_is_named_with_its_outcome(cli: Cli, site: Site) -> None:
    """Exit status 1; the others are there all the same."""
    site.pages |= {"/picture": Said(b"\x89PNG\x00", 200, "image/png"), "/page": html(text="Words of it.")}
    urls = [f"{site.url}/{name}" for name in ("gone", "picture", "page")]
    ran = cli("text", *urls)

    assert ran.status == 1
    assert ran.out == "Words of it.\n"
    assert ran.err.splitlines() == [
        f"{urls[0]}: absent: HTTP 404",
        f"{urls[1]}: wrong-type: neither a page, a PDF nor a JATS article",
    ]


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://a.example/b/manual.pdf", "a.example_manual.txt"),
        ("https://a.example/", "a.example.txt"),
        ("https://a.example/x/?id=1&v=2", "a.example_x-id-1-v-2.txt"),
        ("https://a.example/%2e%2e%2fetc%2Fpasswd", "a.example_..-etc-passwd.txt"),
        ("https://ä.example/ö.html", "ä.example_ö.txt"),
    ],
)
def test_texts_of_addresses_have_names_that_a_disk_takes(url: str, name: str) -> None:
    """Of host and last part; nothing in an address leads out of the folder."""
    (one,) = inputs_of([url])

    assert str(one.name) == name


def test_addresses_with_one_name_get_two_files(cli: Cli, site: Site) -> None:
    """None overwrites another."""
    site.pages |= {"/a/x.html": html(text="First of two."), "/b/x.html": html(text="Second of two.")}
    cli("text", f"{site.url}/a/x.html", f"{site.url}/b/x.html", "--out", "texts")

    assert sorted(path.read_text() for path in Path("texts").iterdir()) == [
        "First of two.\n",
        "Second of two.\n",
    ]
