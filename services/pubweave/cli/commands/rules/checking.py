"""`pubweave rules check`: whether files of rules can be used."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pubweave.cli.group import Command
from pubweave.cli.problems import BAD_INPUT, OK
from pubweave.output.terminal import echo

if TYPE_CHECKING:
    from pubweave.core.reading.rules import RuleFile


@click.command(
    cls=Command,
    examples="pubweave rules check journals.yaml webpages.yaml\npubweave rules check rules/sites/*.yaml",
)
@click.argument("files", nargs=-1, required=True, metavar="FILE…", type=click.Path(path_type=Path))
def check(files: tuple[Path, ...]) -> int:
    """Say whether files of rules can be used: PubFetcher's journals.yaml and webpages.yaml, or one site a file.

    What is wrong is told with file, section, position and key. Exit status 2 if anything is.
    """
    from pubweave.core.reading.rules import RuleError, load_rules

    bad = 0
    for path in files:
        try:
            book = load_rules([rule_file(path)])
        except RuleError as problem:
            bad += 1
            echo(str(problem), err=True)
        else:
            counts = (
                f"{len(book.sites)} sites, {len(book.patterns)} addresses, {len(book.webpages)} web pages"
            )
            echo(f"{path}: good; {counts}, {len(book.javascript)} for the browser")
            for notice in book.notices:
                echo(notice, err=True)
    return BAD_INPUT if bad else OK


def rule_file(path: Path) -> "RuleFile":
    """A file of rules of the kind that its content shows.

    :raises RuleError: it cannot be read
    """
    from pubweave.core.reading.rules import RuleError, RuleFile

    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        sentence = getattr(problem, "strerror", None) or str(problem)
        raise RuleError(str(path), "all", f"the file cannot be read: {sentence.lower()}") from problem
    if re.search(r"^(?:urls|article|webpage):", text, re.MULTILINE) and not re.search(
        r"^---", text, re.MULTILINE
    ):
        return RuleFile("site", str(path), text)
    return RuleFile("journals" if re.search(r"^---", text, re.MULTILINE) else "webpages", str(path), text)
