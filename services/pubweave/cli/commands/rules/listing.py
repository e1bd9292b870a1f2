"""`pubweave rules list`: the sites and web pages that have rules."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from pubweave.cli.commands.rules.book import book_of
from pubweave.cli.group import Command
from pubweave.cli.options import format_option, setting_options
from pubweave.output.terminal import echo, screen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.table import Table

    from pubweave.core.reading.rules import RuleBook
    from pubweave.core.reading.rules.model import Verified


class ListedRule(NamedTuple):
    """One set of rules, as the list shows it."""

    name: str
    kind: str
    """`site` or `webpage`."""
    checked: str
    verified: dict[str, dict[str, str]] | None
    """Keys that a recorded page has shown to be right, each with the page and the day; None: your own rules."""
    patterns: int
    keys: tuple[str, ...]
    file: str


@click.command("list", cls=Command, examples="pubweave rules list\npubweave rules list nature --format json")
@click.argument("word", required=False, metavar="[WORD]")
@format_option()
@setting_options("journals_yaml", "webpages_yaml")
def list_(word: str | None, format_: str, **options: Any) -> None:
    """List the sites and web pages that have rules, built in or your own; with WORD those whose name or file has it.

    `verified` are the keys that a recorded page of the site has shown to be right; the others are made of what is
    known of the platform. json has the page and the day of each.
    """
    found = [
        one
        for one in listed(book_of(options))
        if not word or word.lower() in f"{one.name} {one.file}".lower()
    ]
    if format_ == "json":
        import orjson

        echo(orjson.dumps([one._asdict() for one in found], option=orjson.OPT_INDENT_2))
        return

    screen().print(_table(found))
    sites = sum(one.kind == "site" for one in found)
    verified = sum(bool(one.verified) for one in found)
    keys = sum(len(one.verified) for one in found if one.verified)
    every = sum(len(one.keys) for one in found)
    echo(
        f"{sites} sites, {len(found) - sites} web pages; {keys} of {every} keys verified, in {verified} of them"
    )


def listed(book: "RuleBook") -> list[ListedRule]:
    """Sites by name, then web page rules by file."""
    patterns: dict[str, int] = {}
    for _, name in book.patterns:
        patterns[name] = patterns.get(name, 0) + 1
    sites = [
        ListedRule(
            site.name,
            "site",
            site.checked,
            _shown(site.verified),
            patterns.get(site.name, 0),
            tuple(site.values),
            site.file,
        )
        for site in sorted(book.sites.values(), key=lambda site: site.name)
    ]
    pages = [
        ListedRule(
            Path(rule.file).stem if rule.checked else pattern.text,
            "webpage",
            rule.checked,
            _shown(rule.verified),
            1,
            tuple(rule.values),
            rule.file,
        )
        for pattern, rule in book.webpages
    ]
    return [*sites, *sorted(pages, key=lambda page: page.name)]


def _shown(verified: "Mapping[str, Verified] | bool | None") -> dict[str, dict[str, str]] | None:
    """What a file says of its keys; one that only says yes or no names no page."""
    if verified is None:
        return None
    if isinstance(verified, bool):
        return {}
    return {key: {"page": one.page, "day": one.day} for key, one in verified.items()}


def _table(found: list[ListedRule]) -> "Table":
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for heading in ("name", "for", "checked", "verified keys", "other keys"):
        table.add_column(heading, overflow="fold")
    for one in found:
        verified = "yours" if one.verified is None else ", ".join(one.verified) or "none"
        rest = [key for key in one.keys if not one.verified or key not in one.verified]
        table.add_row(one.name, one.kind, one.checked, verified, ", ".join(rest))
    return table
