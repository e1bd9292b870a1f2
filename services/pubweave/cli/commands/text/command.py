"""`pubweave text`: the clean text of pages, PDFs and JATS articles, on the disk or at an address. What it is, its content says."""

import asyncio
from pathlib import Path
from typing import Any

import click

from pubweave.cli.commands.text.reading import inputs_of, read_all
from pubweave.cli.group import Command
from pubweave.cli.options import setting_options
from pubweave.cli.problems import OK, UNFINISHED


@click.command(
    cls=Command,
    examples="pubweave text paper.pdf > paper.txt\npubweave text downloads --out texts --workers 2\n"
    "pubweave text https://example.org/manual.pdf",
)
@click.argument("inputs", nargs=-1, required=True, metavar="FILE|DIR|URL...")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the texts, one .txt for each file, named after it; without it all go to standard output.",
)
@click.option("--workers", default=1, type=click.IntRange(1, 64), help="Processes that read side by side.")
@setting_options(
    "classic_cleaning", "timeout", "email", "user_agent", "allow_addresses", "deny_hosts", "record", "replay"
)
def text(inputs: tuple[str, ...], out: Path | None, workers: int, **options: Any) -> int:
    """Print or write the clean text of web pages, PDFs and JATS articles.

    What a file or the answer of an address is, its content says, not its name. What gives no text is named on
    standard error, each with its outcome; the exit status is then 1. Nothing is stored: pubweave page does that, and
    reads pages by rules.
    """
    files = inputs_of(inputs)
    failed = asyncio.run(read_all(files, out, workers, options))
    return UNFINISHED if failed else OK
