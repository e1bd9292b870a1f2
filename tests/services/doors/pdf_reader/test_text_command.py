"""`pubweave text`: pages, PDFs and articles in, texts out, failures named."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from pubweave.cli.commands.text.command import text
from pubweave.cli.commands.text.reading import Text, Texts, inputs_of, kind_of
from pubweave.cli.problems import Refused
from services.doors.pdf_reader.pdfs import one_page, pages_of

PAGE = b"""<!-- saved --><!DOCTYPE html><html><head><title>Ticks</title></head><body><nav><a href="/">Home</a></nav>
<main><h1>Ticks</h1><p>Ticks bite at night, and they bite in the day, and in the evening they bite as well.</p></main>
</body></html>"""
ARTICLE = b"""<?xml version="1.0"?><!DOCTYPE article PUBLIC "-//NLM//DTD JATS v1.0//EN" "x.dtd" [<!ENTITY a "b">]>
<article><front><article-meta><title-group><article-title>On mites</article-title></title-group></article-meta></front>
<body><p>Mites do not bite.</p></body></article>"""
PDF = pages_of(["Lice are alike."])


class Ran(NamedTuple):
    """A command that has run."""

    status: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def run(capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> Ran:
        capfdbinary.readouterr()
        status = text.main(list(arguments), prog_name="text", standalone_mode=False)
        captured = capfdbinary.readouterr()
        return Ran(status, captured.out.decode(), captured.err.decode())

    return call


KINDS = [
    (PDF, "pdf"),
    (b"\r\njunk\r\n" + PDF, "pdf"),
    (PAGE, "page"),
    (b"<html><body><article><p>x</p></article></body></html>", "page"),
    (b"<article class='post'><p>x</p></article>", "page"),
    (b"<article><front/></article>", "jats"),
    (b"  <div><p>a fragment</p></div>", "page"),
    (b"Some text <p>and a paragraph", "page"),
    (b'<?xml version="1.0"?>\n<html xmlns="http://www.w3.org/1999/xhtml"><p>x</p></html>', "page"),
    (ARTICLE, "jats"),
    (b"\xef\xbb\xbf" + ARTICLE, "jats"),
    ("\ufeff".encode("utf-16-le") + ARTICLE.decode().encode("utf-16-le"), "jats"),
    (b"<pmc-articleset><article><front/></article></pmc-articleset>", "jats"),
    (b'<?xml version="1.0"?><OAI-PMH><article/></OAI-PMH>', "jats"),
    (b'<?xml version="1.0"?><svg><title>x</title></svg>', "page"),
    (b'{"a": "<p>"}\x00', None),
    (b"just words", None),
    (b"", None),
    (b"<!--" * 20_000, None),
    (b"<!DOCTYPE " * 10_000, None),
]


@pytest.mark.parametrize(("data", "kind"), KINDS)
def test_the_content_says_what_it_is(data: bytes, kind: str | None) -> None:
    """Never the name."""
    assert kind == kind_of(data)


def test_every_kind_becomes_text(run: Run, tmp_path: Path) -> None:
    """One .txt for each, under the name of its file, in the folders it was in."""
    folder = tmp_path / "in"
    (folder / "sub").mkdir(parents=True)
    (folder / "page.html").write_bytes(PAGE)
    (folder / "sub" / "PMC1.xml").write_bytes(ARTICLE)
    (folder / "sub" / "10.1000.x").write_bytes(PDF)
    (folder / ".hidden").write_bytes(b"?")
    ran = run("in", "--out", "out", "--workers", "2")
    texts = {
        str(path.relative_to(tmp_path / "out")): path.read_text()
        for path in (tmp_path / "out").rglob("*.txt")
    }

    assert ran == Ran(0, "", "")
    assert texts.keys() == {"page.txt", "sub/PMC1.txt", "sub/10.1000.x.txt"}
    assert texts["sub/10.1000.x.txt"] == "Lice are alike.\n"
    assert texts["sub/PMC1.txt"] == "On mites\n\nMites do not bite.\n"
    assert "Ticks bite at night" in texts["page.txt"]
    assert "Home" not in texts["page.txt"]


def test_without_a_folder_texts_are_printed_in_order(run: Run, tmp_path: Path) -> None:
    """That of the command line."""
    (tmp_path / "b.pdf").write_bytes(PDF)
    (tmp_path / "a.xml").write_bytes(ARTICLE)

    assert run("b.pdf", "a.xml").out == "Lice are alike.\nOn mites\n\nMites do not bite.\n"


def test_failures_are_named_with_their_outcome(run: Run, tmp_path: Path) -> None:
    """On standard error, and the status says that there were some; the others are written."""
    files = {
        "scan.pdf": one_page(b""),
        "cut.pdf": PDF[:100],
        "note.txt": b"words",
        "void": b"",
        "good.pdf": PDF,
    }
    files["bad.xml"] = b"<article><body>"
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    ran = run(*files, "--out", "out")

    assert ran.status == 1
    assert [line.split(": ")[:2] for line in ran.err.splitlines()] == [
        ["scan.pdf", "empty"],
        ["cut.pdf", "malformed"],
        ["note.txt", "wrong-type"],
        ["void", "empty"],
        ["bad.xml", "malformed"],
    ]
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["good.txt"]


def test_what_is_not_there_is_refused_before_anything_is_written(run: Run, tmp_path: Path) -> None:
    """Each such thing is named."""
    (tmp_path / "a.pdf").write_bytes(PDF)
    with pytest.raises(
        Refused, match=r"no\.pdf: there is no such file or folder; .*'https://\[bad' is no web address"
    ):
        run("a.pdf", "no.pdf", "https://[bad", "--out", "out")

    assert not (tmp_path / "out").exists()


def test_texts_of_like_names_do_not_overwrite_one_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The suffix tells them apart, and at last a number."""
    monkeypatch.chdir(tmp_path)
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.pdf").write_bytes(PDF)
    (tmp_path / "A.html").write_bytes(PAGE)
    (tmp_path / "b.html").write_bytes(PAGE)
    names = [str(one.name) for one in inputs_of(["x/a.pdf", "y/a.pdf", "A.html", "b.html"])]

    assert names == ["a.pdf.txt", "a.pdf-2.txt", "A.html.txt", "b.txt"]


async def test_a_file_that_kills_its_reader_costs_one_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process died before it could answer; the next file is read."""
    file = tmp_path / "a.xml"
    file.write_bytes(ARTICLE)
    async with Texts(1) as texts:
        first = await texts.read(file)
        pool = texts._pool
        assert pool is not None
        for process in pool._processes.values():
            os.kill(process.pid, 9)
            process.join()
        again = await texts.read(file)

        assert first == again == Text("found", "On mites\n\nMites do not bite.")


async def test_a_file_that_is_too_long_is_not_read(tmp_path: Path) -> None:
    """100 MiB; the file here has holes instead of bytes."""
    with (tmp_path / "long.pdf").open("wb") as file:
        file.truncate((100 << 20) + 1)
    async with Texts(1) as texts:
        assert (await texts.read(tmp_path / "long.pdf")).outcome == "too-large"
