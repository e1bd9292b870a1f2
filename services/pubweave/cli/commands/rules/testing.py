"""`pubweave rules test`: whether rules still give of their pages what they gave."""

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from pubweave.cli.commands.rules.checking import rule_file
from pubweave.cli.group import Command, Option
from pubweave.cli.problems import OK, UNFINISHED, Refused
from pubweave.output.terminal import echo

if TYPE_CHECKING:
    from pubweave.core.reading.pages import PageFindings


SIZES: Final = "pages.csv"
"""Beside rules: what each rule gives of its page."""

SITE_COLUMNS: Final = (
    "pmid",
    "pmcid",
    "doi",
    "title",
    "keywords",
    "abstract",
    "fulltext",
    "links",
    "corresp",
    "id",
)
WEBPAGE_COLUMNS: Final = ("title", "content", "license", "language", "id")


@click.command(
    cls=Command,
    examples="pubweave rules test\npubweave rules test my-rules\npubweave rules test my-rules --keep",
)
@click.argument("folder", required=False, metavar="[DIR]", type=click.Path(path_type=Path))
@click.option(
    "--keep", is_flag=True, cls=Option, help=f"Write what comes now into {SIZES} instead of comparing."
)
def test(folder: Path | None, keep: bool) -> int:
    """Read the page beside each file of rules, and compare what comes with pages.csv.

    Without DIR the built-in rules are tested. Nothing is fetched. Each difference is a line; the last line is OK or their
    number. Exit status: 0 all as expected, 1 not.
    """
    from pubweave.adapters.rule_files import own_rules_folder

    folders = (
        [folder] if folder is not None else [own_rules_folder() / name for name in ("sites", "webpages")]
    )
    tests = mismatches = 0
    for one in folders:
        if not one.is_dir():
            raise Refused(f"there is no folder {one}")
        came = dict(page_sizes_of(one))
        if keep:
            write_sizes(one / SIZES, came)
            echo(f"{one / SIZES}: {len(came)} lines")
            continue
        expected = read_sizes(one / SIZES)
        for name in sorted(came.keys() | expected.keys()):
            tests += 1
            for told in _differences(expected.get(name), came.get(name)):
                mismatches += 1
                echo(f"{name}: {told}")
    if not keep:
        echo("OK" if not mismatches else f"{mismatches} mismatches in {tests} tests")
    return UNFINISHED if mismatches else OK


def _differences(expected: dict[str, str] | None, came: dict[str, str] | None) -> Iterator[str]:
    if came is None:
        yield "there are no such rules, or no page beside them"
    elif expected is None:
        yield f"no line in {SIZES}; --keep writes one"
    else:
        for column, size in came.items():
            if expected.get(column) != size:
                yield f"{column}: expected {expected.get(column, 'nothing')}, actual {size}"


def page_sizes_of(folder: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """What each file of rules gives of the page beside it, by the name of the file.

    :raises Refused: a file cannot be used
    """
    from pubweave.core.reading.pages import read_page, read_webpage
    from pubweave.core.reading.rules import RuleError, load_rules

    for path in sorted(folder.glob("*.yaml")):
        page = folder / "pages" / f"{path.stem}.html"
        try:
            file = rule_file(path)
            book = load_rules([file])
        except RuleError as problem:
            raise Refused(str(problem)) from problem
        example = re.search(r"^example: *(\S+)$", file.text, re.MULTILINE)
        if not page.is_file() or example is None:
            continue
        url, body = example[1], page.read_bytes()
        if book.webpages:
            tool = read_webpage(body, url, book)
            yield (
                path.stem,
                {
                    "title": str(len(tool.title)),
                    "content": str(len(tool.content)),
                    "license": str(len(tool.license)),
                    "language": str(len(tool.language)),
                    "id": url,
                },
            )
        else:
            yield path.stem, {**_article_sizes(read_page(body, url, book, "doi", meta=False)), "id": url}


def _article_sizes(findings: "PageFindings") -> dict[str, str]:
    from pubweave.output.authors import authors_text

    identifiers: dict[str, str] = {one.kind: one.value for one in reversed(findings.identifiers)}
    parts: dict[str, str | tuple[str, ...]] = {one.part: one.content for one in reversed(findings.parts)}
    authors = authors_text(one for found in findings.authors for one in found.authors)
    return {
        **{kind: str(len(identifiers.get(kind, ""))) for kind in ("pmid", "pmcid", "doi")},
        **{
            column: str(len(parts.get(part, "")))
            for column, part in (
                ("title", "title"),
                ("keywords", "keywords"),
                ("abstract", "theAbstract"),
                ("fulltext", "fulltext"),
            )
        },
        "links": str(len(findings.links)),
        "corresp": str(len(authors)),
    }


def write_sizes(path: Path, sizes: dict[str, dict[str, str]]) -> None:
    """One line for each set of rules, its name first."""
    columns = WEBPAGE_COLUMNS if all("content" in one for one in sizes.values()) else SITE_COLUMNS
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("name", *columns))
        for name, one in sorted(sizes.items()):
            writer.writerow((name, *(one.get(column, "0") for column in columns)))


def read_sizes(path: Path) -> dict[str, dict[str, str]]:
    """:raises Refused: it is not there"""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return {row.pop("name"): row for row in csv.DictReader(file)}
    except (OSError, KeyError) as problem:
        raise Refused(
            f"{path} cannot be read; pubweave rules test {path.parent} --keep makes it"
        ) from problem
