"""`pubweave rules`: which rules are in force for an address (F-CLI-32 to F-CLI-35)."""

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from pubweave.cli.commands.rules.beginning import new
from pubweave.cli.commands.rules.book import book_of
from pubweave.cli.commands.rules.checking import check
from pubweave.cli.commands.rules.listing import list_
from pubweave.cli.commands.rules.testing import test
from pubweave.cli.commands.rules.trying import try_
from pubweave.cli.group import Command, GuessingGroup
from pubweave.cli.options import setting_options
from pubweave.cli.problems import Refused
from pubweave.output.terminal import echo

if TYPE_CHECKING:
    pass


@click.group(cls=GuessingGroup, context_settings={"help_option_names": ["-h", "--help"]})
def rules() -> None:
    """Say which rules are in force for an address, built in or your own; list, check, try, begin and test them."""


def _is_address(text: str) -> bool:
    try:
        return bool(urlsplit(text).hostname)
    except ValueError:
        return False


@rules.command(cls=Command, examples="pubweave rules site https://www.nature.com/articles/nmeth.1")
@click.argument("url")
@setting_options("journals_yaml", "webpages_yaml")
def site(url: str, **options: Any) -> None:
    """Print the name of the site whose rules read an article page; null if there is none, or no such address."""
    found = book_of(options).site_for(url).site if _is_address(url) else None
    echo(found.name if found is not None else "null")


@rules.command(
    cls=Command, examples="pubweave rules selector https://www.nature.com/articles/nmeth.1 abstract"
)
@click.argument("url")
@click.argument("key")
@setting_options("journals_yaml", "webpages_yaml")
def selector(url: str, key: str, **options: Any) -> None:
    """Print the value of a KEY of a site's rules (title, abstract, fulltext, pdf_src, …); null if there is none."""
    from pubweave.core.reading.rules import SITE_KEYS
    from pubweave.settings import nearest

    if key not in (*SITE_KEYS, "theAbstract"):
        near = nearest(key, SITE_KEYS)
        raise Refused(
            f"there is no key '{key}'; "
            + (f"did you mean {near}?" if near else f"there are: {', '.join(SITE_KEYS)}")
        )
    value = book_of(options).selector(url, key) if _is_address(url) else None
    echo("null" if value is None else value)


@rules.command(
    cls=Command, examples="pubweave rules javascript https://www.sciencedirect.com/science/article/pii/x"
)
@click.argument("url")
@setting_options("journals_yaml", "webpages_yaml")
def javascript(url: str, **options: Any) -> None:
    """Say whether the rules send an article page to the browser: true or false."""
    wanted = _is_address(url) and book_of(options).wants_javascript(url) is not None
    echo("true" if wanted else "false")


@rules.command(cls=Command, examples="pubweave rules webpage https://github.com/edamontology/pubfetcher")
@click.argument("url")
@setting_options("journals_yaml", "webpages_yaml")
def webpage(url: str, **options: Any) -> None:
    """Print the rules for a web page or doc, one key a line; null if there are none."""
    found = book_of(options).webpage_for(url).rule if _is_address(url) else None
    if found is None:
        echo("null")
        return
    for key, value in found.values.items():
        echo(f"{key}: {value}")


for _tool in (list_, check, try_, new, test):
    rules.add_command(_tool)
