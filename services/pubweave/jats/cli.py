"""`pubweave jats`: parse files, serve, cut out sections. Heavy imports stay inside functions: help must be instant."""

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pubweave.output.terminal import echo

if TYPE_CHECKING:
    from pubweave.jats.source import FetchedXml, GetXml
    from pubweave.jats.statistics import Statistics

BAD_INPUT = 2

jats = click.Group(
    "jats",
    help="Turn JATS articles into structured documents.",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)

_XML_DIR = click.option(
    "--xml-dir",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Take articles from this folder (PMC123.xml, PMC123.nxml, in subfolders too) instead of asking for them.",
)


@asynccontextmanager
async def _source(xml_dir: Path | None) -> "AsyncIterator[GetXml]":
    if xml_dir is not None:
        from pubweave.jats.source import folder

        yield folder(xml_dir)
    else:
        from pubweave.jats.fetching import fetched_articles

        async with fetched_articles() as get_xml:
            yield get_xml


def _fetch(pmcids: list[str], xml_dir: Path | None, use: "Callable[[str, FetchedXml], None]") -> None:
    """Ask for articles one after the other; each is used before the next is asked for, so that few are in memory."""
    import asyncio

    async def all_of_them() -> None:
        async with _source(xml_dir) as get_xml:
            for pmcid in pmcids:
                use(pmcid, await get_xml(pmcid))

    asyncio.run(all_of_them())


def _say(found: "Statistics", quiet: bool) -> None:
    if found.error:
        echo(f"{found.file}: {found.error}", err=True)
    elif not found.conserved:
        echo(f"{found.file}: text was lost or added; see the warnings in {found.out}", err=True)
    if not quiet:
        from pubweave.jats.encoding import ascii_json

        echo(ascii_json(found))


@jats.command(
    epilog="\b\nExamples:\n  pubweave jats parse PMC3339582.xml --out out\n  pubweave jats parse articles/ --out out --workers 2",
)
@click.argument("inputs", nargs=-1, required=True, metavar="FILE|DIR|ID...")
@click.option(
    "--out",
    "-o",
    default="out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the JSON files.",
)
@click.option("--workers", default=1, type=click.IntRange(1, 256), help="Processes that read side by side.")
@click.option("--plain", is_flag=True, help="Only the documented fields, without the additional ones.")
@click.option("--pretty", is_flag=True, help="Indent the JSON.")
@click.option("--quiet", "-q", is_flag=True, help="No statistics on stdout.")
@_XML_DIR
def parse(
    inputs: tuple[str, ...],
    out: Path,
    workers: int,
    plain: bool,
    pretty: bool,
    quiet: bool,
    xml_dir: Path | None,
) -> None:
    """Make OUT/33/pmc3339582.json of each article, and statistics, a line of JSON each, on stdout.

    A folder stands for all .xml and .nxml files below it; an ID (PMC3339582 or 3339582) is asked for.
    """
    from pubweave.jats.parsing import files_of, parse_bytes, parse_files
    from pubweave.jats.source import pmcid_of

    paths, pmcids, bad = [], [], []
    for given in inputs:
        path = Path(given)
        if path.exists():
            paths.append(path)
        elif (pmcid := pmcid_of(given)) is not None:
            pmcids.append(pmcid)
        else:
            bad.append(given)
    for given in bad:
        echo(f"{given} is neither a file nor a folder nor a PMCID", err=True)
    failed = 0
    files = (file for path in paths for file in files_of(path))
    for results in parse_files(files, out, workers=workers, extras=not plain, pretty=pretty):
        for found in results:
            failed += bool(found.error) or not found.conserved
            _say(found, quiet)

    def use(pmcid: str, fetched: "FetchedXml") -> None:
        nonlocal failed
        if fetched.outcome != "found":
            failed += 1
            echo(f"{pmcid}: {fetched.message or fetched.outcome}", err=True)
            return
        for found in parse_bytes(fetched.data, pmcid, out, extras=not plain, pretty=pretty):
            failed += bool(found.error) or not found.conserved
            _say(found, quiet)

    if pmcids:
        _fetch(pmcids, xml_dir, use)
    if bad:
        sys.exit(BAD_INPUT)
    if failed:
        sys.exit(1)


@jats.command(
    epilog="\b\nExamples:\n  pubweave jats serve\n  pubweave jats serve --xml-dir articles/",
)
@click.option("--host", default="127.0.0.1", help="Address to listen at.")
@click.option(
    "--port", default=8088, type=click.IntRange(0, 65535), help="Port to listen at; 0 takes a free one."
)
@click.option(
    "--workers", default=1, type=click.IntRange(0, 256), help="Processes that read; 0: in a thread."
)
@_XML_DIR
def serve(host: str, port: int, workers: int, xml_dir: Path | None) -> None:
    """Answer GET /parse/pmc/ID and POST /parse with structured documents."""
    import asyncio
    import signal

    from pubweave.jats.server import serve as run

    async def main() -> None:
        task = asyncio.current_task()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            if task is not None:
                loop.add_signal_handler(number, task.cancel)
        async with _source(xml_dir) as get_xml:
            await run(
                get_xml,
                host,
                port,
                workers,
                lambda at, on: echo(f"listening at http://{at}:{on}", err=True),
            )

    try:
        asyncio.run(main())
    except asyncio.CancelledError:
        return
    except OSError as problem:
        echo(f"cannot listen at {host}:{port}: {problem.strerror}", err=True)
        sys.exit(BAD_INPUT)


@jats.command(
    epilog="\b\nExamples:\n  pubweave jats section PMC3339582 1.3",
)
@click.argument("article", metavar="FILE|ID")
@click.argument("path")
@click.option(
    "--json", "as_json", is_flag=True, help="The sections as they stand in the document, not as text."
)
@_XML_DIR
def section(article: str, path: str, as_json: bool, xml_dir: Path | None) -> None:
    """Print the section at PATH: an id (4.2), a type (methods) or titles (Methods/Cell culture)."""
    from pubweave.core.reading.jats.plain import MalformedJats, articles, parse_xml
    from pubweave.core.reading.jats.read import read_document
    from pubweave.core.reading.jats.sections import all_sections, find_sections, text_of
    from pubweave.jats.encoding import ascii_json
    from pubweave.jats.source import pmcid_of

    if Path(article).is_file():
        data = Path(article).read_bytes()
    else:
        pmcid = pmcid_of(article)
        if pmcid is None:
            echo(f"{article} is neither a file nor a PMCID", err=True)
            sys.exit(BAD_INPUT)
        answers: list[FetchedXml] = []
        _fetch([pmcid], xml_dir, lambda _, answer: answers.append(answer))
        (fetched,) = answers
        if fetched.outcome != "found":
            echo(f"{pmcid}: {fetched.message or fetched.outcome}", err=True)
            sys.exit(1)
        data = fetched.data
    try:
        found = articles(parse_xml(data))
    except MalformedJats as refused:
        echo(f"{article}: {refused}", err=True)
        sys.exit(1)
    if not found:
        echo(f"{article}: there is no article in it", err=True)
        sys.exit(1)
    document = read_document(found[0])
    sections = find_sections(document, path)
    if not sections:
        known = [
            " / ".join(one.path) for one in all_sections(document) if isinstance(one.path, list) and one.path
        ]
        echo(f"{article} has no section {path!r}; it has: {'; '.join(dict.fromkeys(known))}", err=True)
        sys.exit(1)
    echo(ascii_json(sections) if as_json else text_of(sections))


@jats.command(
    epilog="\b\nExamples:\n  pubweave jats schema > document.schema.json",
)
def schema() -> None:
    """Print the JSON Schema of the documents; fields are marked documented, program or additional."""
    import json

    from pubweave.core.reading.jats.document import schema as made

    echo(json.dumps(made(), indent=1, ensure_ascii=False))
