"""`pubweave test`: what one resource or one rule gives, looked at and compared with a table (chapter 22)."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from pubweave.cli.group import Command, GuessingGroup, Option
from pubweave.cli.options import OF_REQUESTS, in_effect, setting_options, typed
from pubweave.cli.problems import OK, UNFINISHED, Failed, Refused
from pubweave.cli.showing import part_named, parts_option
from pubweave.output.terminal import echo, say

if TYPE_CHECKING:
    pass
from pubweave.cli.commands.test.trial import (
    ALIASES,
    TESTED,
    Tested,
    Trial,
    differences,
    matching,
    read_table,
    table_of,
)

_SETTINGS: Final = (
    "timeout",
    "email",
    "europepmc_email",
    "unpaywall_email",
    "ncbi_email",
    "ncbi_api_key",
    "user_agent",
    "journals_yaml",
    "webpages_yaml",
    "title_min_length",
    "keywords_min_size",
    "mined_terms_min_size",
    "abstract_min_length",
    "fulltext_min_length",
    "webpage_min_length",
    "webpage_min_length_javascript",
    "budgets",
    "connections_per_host",
    *OF_REQUESTS,
)


@click.group(name="test", cls=GuessingGroup, context_settings={"help_option_names": ["-h", "--help"]})
def trying() -> None:
    """Try one source, or the rules of one page, alone: nothing is stored, no other source is asked."""


def _named(word: str) -> Tested:
    from pubweave.settings import nearest

    tested = TESTED.get(ALIASES.get(word, word))
    if tested is None:
        near = nearest(word, list(TESTED))
        hint = f"did you mean {near}?" if near else f"there are: {', '.join(TESTED)}"
        raise Refused(f"there is no test of '{word}'; {hint}")
    return tested


@trying.command(
    "print",
    cls=Command,
    examples="pubweave test print europepmc 31092905\n"
    "pubweave test print site https://doi.org/10.1093/nar/gkz369 --journals-yaml mine.yaml",
)
@click.argument("resource")
@click.argument("identifier", metavar="PMID|PMCID|DOI|URL")
@parts_option("--fetch-part", "fetch_part", "What is tried", "Only these parts.")
@parts_option("--not-fetch-part", "not_fetch_part", "What is tried", "All parts but these.")
@setting_options(*_SETTINGS)
def print_(resource: str, identifier: str, **options: Any) -> int:
    """Print what RESOURCE alone gives, in text with its metadata, as `pubweave test run` looks at it.

    RESOURCE is one of europepmc, europepmc-xml, europepmc-html, europepmc-mined, pmc-xml, pmc-html, pubmed-xml,
    pubmed-html, oadoi, site and webpage, or another source by its name.
    """
    tested = _named(resource)

    async def show(trial: "Trial") -> int:
        answer = await trial.ask(identifier)
        if answer.problem:
            raise Failed(f"{identifier}: {answer.problem}")
        echo(answer.text, nl=False)
        return OK

    return _tried(tested, options, show)


@trying.command(
    "run",
    cls=Command,
    examples="pubweave test run europepmc\npubweave test run site journals.csv --regex nature",
)
@click.argument("resource")
@click.argument("table", required=False, metavar="[FILE]")
@click.option(
    "--regex",
    cls=Option,
    default=None,
    metavar="REGEX",
    help="Only lines whose identifier or address matches (a pattern of Java, found anywhere).",
)
@parts_option("--fetch-part", "fetch_part", "What is tried", "Compare only these parts; fields are always.")
@parts_option("--not-fetch-part", "not_fetch_part", "What is tried", "Compare all parts but these.")
@setting_options(*_SETTINGS)
def run(resource: str, table: str | None, regex: str | None, **options: Any) -> int:
    """Compare what RESOURCE gives today with the sizes in a table.

    The table is a CSV file (otherwise that of PubFetcher's name in the working folder, europepmc.csv,
    journals.csv, …, or the one that comes with Pubweave): a heading, then a line each with the expected number of characters or elements. Each
    difference is a line; the last line is OK or their number. Exit status: 0 all as expected, 1 not.
    """
    tested = _named(resource)
    lines = list(read_table(Path(table) if table else table_of(tested), tested))
    wanted = matching(lines, regex, tested)

    async def compare(trial: "Trial") -> int:
        mismatches = 0
        for number, line in enumerate(wanted, start=1):
            say(f"{tested.name} {number}/{len(wanted)}: {line['id']}")
            answer = await trial.ask(line["id"])
            for told in differences(line, answer, trial.columns):
                mismatches += 1
                echo(f"{line['id']}: {told}")
        echo("OK" if not mismatches else f"{mismatches} mismatches in {len(wanted)} tests")
        return UNFINISHED if mismatches else OK

    return _tried(tested, options, compare)


def _tried(tested: Tested, options: dict[str, Any], work: Callable[[Trial], Awaitable[int]]) -> int:
    from pubweave.cli.logs import listening_as_set
    from pubweave.contract.vocabulary import PART_NAMES

    context = click.get_current_context()
    wanted = tuple(map(part_named, options.pop("fetch_part")))
    unwanted = tuple(map(part_named, options.pop("not_fetch_part")))
    if wanted and unwanted:
        raise click.UsageError("--fetch-part and --not-fetch-part exclude each other", context)
    parts = wanted or tuple(name for name in PART_NAMES if name not in unwanted)
    settings = in_effect(options)
    if tested.resource == "unpaywall" and not (settings.text("unpaywall_email") or settings.text("email")):
        raise Refused("Unpaywall wants an e-mail address; --email sets yours")

    async def go() -> int:
        from pubweave.runtimes.embedded.alone import Asker
        from pubweave.runtimes.wiring import system_config

        async with Asker(system_config(settings, create=False)) as asker:
            return await work(Trial(tested, settings, parts, asker))

    with listening_as_set(settings, say, typed(context)):
        return asyncio.run(go())
