"""`pubweave explain`: every candidate of a value, and the rule that decided."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from pubweave.cli.group import Command
from pubweave.cli.options import format_option, in_effect, setting_options
from pubweave.cli.problems import OK, Failed
from pubweave.output.terminal import echo, screen

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from pubweave.runtimes.embedded.explain import Explanation, Ladder, Rung

FIELDS: Final = [
    "oa",
    "journalTitle",
    "pubDate",
    "citationsCount",
    "correspAuthor",
    "visitedSite",
    "preprint",
    "relation",
    "notice",
]


@click.command(
    cls=Command,
    examples="pubweave explain 31092905\npubweave explain 31092905 title\n"
    "pubweave explain 10.1093/nar/gkz369 citationsCount --format json",
)
@click.argument("identifier")
@click.argument("part", required=False, default="")
@format_option("json, with everything.")
@setting_options("db")
def explain(identifier: str, part: str, format_: str, **options: Any) -> int:
    """Say where a value comes from: all that was found, in the order in which it was tested, and the rule that
    decided each time.

    IDENTIFIER is a PMID, PMCID, DOI or the key of a publication; PART one of the ten parts or a field; without
    it everything is told, and what each source answered.
    """
    from pubweave.runtimes.wiring import database

    settings = in_effect(options)
    wanted = _part(part)
    meant = _meant(identifier)
    explanation = asyncio.run(_explained(database(settings), meant or identifier, wanted))
    if explanation is None:
        if not meant:
            raise Failed(
                f"'{identifier}' is no PMID, PMCID or DOI, and no key of {database(settings)} either"
            )
        raise Failed(
            f"'{identifier}' is not in {database(settings)}; `pubweave fetch {identifier}` fetches it"
        )
    if format_ == "json":
        import msgspec

        echo(msgspec.json.format(msgspec.json.encode(explanation), indent=2).decode())
        return OK

    console = screen()
    for block in _blocks(explanation, wanted):
        console.print(block)
    return OK


def _part(word: str) -> str:
    from pubweave.contract.vocabulary import PART_NAMES
    from pubweave.settings import nearest

    known = (*PART_NAMES, *FIELDS)
    lowered = {"abstract": "theAbstract"} | {name.lower(): name for name in known}
    if not word or word.lower() in lowered:
        return lowered.get(word.lower(), "")
    near = nearest(word, (*known, "abstract"))
    hint = f"did you mean {near}?" if near else f"there are: {', '.join(known)}"
    raise click.UsageError(f"there is no part or field '{word}'; {hint}", click.get_current_context())


def _meant(identifier: str) -> str:
    """The identifier that was probably typed: `pmc1` means PMC1 here too; "" if it is none."""
    from pubweave.input.identifier_lines import Understood, parse

    parsed = parse(identifier)
    if isinstance(parsed, Understood):
        return parsed.identifiers.known()[0][1]
    return ""


async def _explained(path: Path, identifier: str, part: str) -> "Explanation | None":
    from pubweave.runtimes.embedded.explain import explain as explained
    from pubweave.runtimes.wiring import reading

    async with reading(path) as storage:
        return await explained(storage.store, storage.blobs, identifier, part)


def _blocks(explanation: "Explanation", part: str) -> "list[RenderableType]":
    from rich.text import Text

    from pubweave.cli.pretty import identifiers_line, safe
    from pubweave.output.text import one_line

    record = explanation.record
    head = Text(safe(one_line(record.title.text)) or "(no title found)", "bold")
    version = f"version {explanation.version}" if explanation.version else "not finished yet"
    key = Text(f"{version} of {record.publication}", "dim")
    if explanation.version and explanation.reason:
        key.append(f" · last change: {explanation.reason}", "dim")
    blocks: list[RenderableType] = [head, identifiers_line(record), key]
    if explanation.redirected_from:
        blocks.append(Text(f"{explanation.redirected_from} turned out to be this publication", "yellow"))
    blocks.append(Text())
    for ladder in explanation.ladders:
        blocks += _ladder(ladder)
    if not explanation.ladders:
        what = f"for {part}" if part else "at all"
        blocks += [Text(f"Nothing was found {what}.", "yellow"), Text()]
    blocks += _needs(explanation)
    return blocks


def _ladder(ladder: "Ladder") -> "list[RenderableType]":
    from rich.table import Table
    from rich.text import Text

    from pubweave.output.labels import PART_LABELS

    label = {str(name): label for name, label in PART_LABELS.items()}.get(ladder.part, ladder.part)
    blocks: list[RenderableType] = [Text(label, "bold cyan")]
    if not ladder.rungs:
        return [*blocks, Text("  nothing was found", "dim"), Text()]
    table = Table(box=None, show_header=False, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for rung in ladder.rungs:
        table.add_row(*_rung(rung))
    return [*blocks, table, Text()]


def _rung(rung: "Rung") -> "tuple[Text, Text]":
    """✔ what the record has, ↑ what it had for a while, · what never counted."""
    from rich.text import Text

    from pubweave.cli.pretty import safe
    from pubweave.output.labels import RESOURCE_LABELS, TYPE_LABELS
    from pubweave.output.text import one_line
    from pubweave.output.times import instant

    mark = (
        Text(" ✔", "bold green") if rung.wins else Text(" ↑", "yellow") if rung.taken else Text(" ·", "dim")
    )
    resources = {str(name): label for name, label in RESOURCE_LABELS.items()}
    types = {str(name): label for name, label in TYPE_LABELS.items()}
    source = types.get(rung.type) or resources.get(rung.resource, rung.resource)
    text = Text(source or "supplied", "bold" if rung.wins else "")
    text.append(f"  {rung.size:,}" if rung.type else "", "dim")
    text.append(f"  {_place(rung.place)}  {instant(rung.at)}", "dim")
    excerpt = safe(one_line(rung.excerpt))
    if excerpt:
        text.append("\n" + excerpt + ("…" if rung.size > len(rung.excerpt) and rung.type else ""))
    text.append("\n" + rung.rule, "green" if rung.taken else "dim")
    if rung.scraping_rule:
        text.append(f" (rule {rung.scraping_rule})", "dim")
    if rung.url:
        text.append("\n" + safe(rung.url), "blue")
    return mark, text


def _place(place: "tuple[int, ...]") -> str:
    """Where it stands in the chain: run and pass; generation and epoch only where there was more than one."""
    epoch, run, generation, pass_, *_ = place
    words = [f"run {run}", f"pass {pass_}"]
    if generation > 1:
        words.append(f"generation {generation}")
    if epoch > 1:
        words.append(f"epoch {epoch}")
    return ", ".join(words)


def _needs(explanation: "Explanation") -> "list[RenderableType]":
    from rich.table import Table
    from rich.text import Text

    from pubweave.cli.pretty import safe
    from pubweave.output.labels import RESOURCE_LABELS

    if not explanation.needs:
        return []
    table = Table(box=None, header_style="dim", padding=(0, 2, 0, 0), pad_edge=False)
    for heading in ("  asked", "with", "answer", "evidence"):
        table.add_column(heading, overflow="fold")
    for need in explanation.needs:
        labels = {str(name): label for name, label in RESOURCE_LABELS.items()}
        style = (
            "green"
            if need.outcome in ("found", "abstract-only", "rule-missed")
            else "dim"
            if need.outcome
            else "yellow"
        )
        table.add_row(
            "  " + labels.get(need.resource, need.resource),
            safe(need.asked_with),
            Text(need.outcome or "no answer yet", style),
            Text(safe(need.evidence), "dim"),
        )
    return [Text("What was asked", "bold cyan"), table]
