"""`pubweave status`: everything that was asked, by what became of it."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from pubweave.cli.group import Command, Option
from pubweave.cli.options import format_option, in_effect, setting_options
from pubweave.cli.places import on_kafka
from pubweave.cli.problems import OK, UNFINISHED, Refused
from pubweave.output.terminal import echo, screen

if TYPE_CHECKING:
    from rich.table import Table

    from pubweave.runtimes.embedded.explain import Status


@click.command(
    cls=Command,
    examples="pubweave status\npubweave status --db other.db --format json\n"
    "pubweave status --cluster --job 019a8c… --kafka kafka:9092",
)
@click.option(
    "--cluster",
    is_flag=True,
    cls=Option,
    help="What was submitted on Kafka, by reading its topics: what is settled, what is on its way and where, and what "
    "hangs and why.",
)
@click.option("--job", default="", cls=Option, metavar="NAME", help="With --cluster: only this job.")
@format_option()
@setting_options("db")
@on_kafka
def status(cluster: bool, job: str, format_: str, **options: Any) -> int:
    """Count submitted identifiers, questions to sources and requests to hosts, each by what became of it, and
    prove that nothing is missing.

    Also works while a fetch is running. Exit status 1 if the numbers do not add up; with --cluster, if something hangs.
    """
    from pubweave.runtimes.wiring import database

    settings = in_effect(options)
    if job and not cluster:
        raise Refused("--job names a job of a cluster: add --cluster")
    if cluster:
        from pubweave.cli.cluster_status import cluster_status

        return cluster_status(settings, job, format_)
    path = database(settings)
    counted = asyncio.run(_counted(path))
    if format_ == "json":
        import msgspec

        named = msgspec.structs.replace(counted, submissions=_submissions(counted), needs=_needs(counted))
        echo(msgspec.json.format(msgspec.json.encode(named), indent=2).decode())
    else:
        _show(path, counted)
    return OK if counted.reconciled else UNFINISHED


async def _counted(path: Path) -> "Status":
    from pubweave.runtimes.embedded.explain import status as counted
    from pubweave.runtimes.wiring import reading

    async with reading(path) as storage:
        return await counted(storage.store)


def _submissions(counted: "Status") -> dict[str, int]:
    return {word or "no outcome yet": count for word, count in counted.submissions.items()}


def _needs(counted: "Status") -> dict[str, dict[str, int]]:
    return {
        resource: {word or "sent": count for word, count in by_outcome.items()}
        for resource, by_outcome in counted.needs.items()
    }


def _show(path: Path, counted: "Status") -> None:
    from rich.text import Text

    from pubweave.output.labels import RESOURCE_LABELS

    console = screen()
    pages = "".join(
        f", {count:,} {what}"
        for count, what in ((counted.webpages, "web pages"), (counted.docs, "docs"))
        if count
    )
    console.print(Text(f"{path}: {counted.publications:,} publications{pages}", "bold"), soft_wrap=True)
    console.print()
    console.print(_table("Submitted identifiers", {"": _submissions(counted)}))
    labels = {str(name): label for name, label in RESOURCE_LABELS.items()}
    needs = {labels.get(name, name): by_outcome for name, by_outcome in _needs(counted).items()}
    if needs:
        console.print(_table("Questions to sources", needs))
    if counted.attempts:
        console.print(_table("Requests to hosts", counted.attempts))
    if counted.unfinished_jobs:
        many = len(counted.unfinished_jobs)
        console.print(
            f"{many} {'job is' if many == 1 else 'jobs are'} not finished: {', '.join(counted.unfinished_jobs[:5])}"
            f"{' …' if many > 5 else ''}; the same command goes on.",
            style="yellow",
            highlight=False,
        )
    if counted.reconciled:
        console.print("✔ The numbers add up: everything asked has exactly one outcome.", style="green")
    for difference in counted.differences:
        console.print(Text(f"✘ {difference}", "red"), soft_wrap=True)


MOST_COLUMNS: Final = 4
"""Outcomes that stand side by side on a usual screen; more are told in words."""


def _table(title: str, rows: dict[str, dict[str, int]]) -> "Table":
    """One row a name, one column an outcome that occurs, sums last; in words where there are too many."""
    from rich import box
    from rich.table import Table

    leading = [word for word in ("sent", "found", "finished") if any(word in row for row in rows.values())]
    words = leading + sorted({word for row in rows.values() for word in row} - set(leading))
    named = any(rows)
    table = Table(
        title=title, title_justify="left", title_style="bold cyan", box=box.SIMPLE_HEAD, header_style="dim"
    )
    if named:
        table.add_column("", no_wrap=True)
    if len(words) > MOST_COLUMNS:
        table.add_column("sent" if "sent" in words else "all", justify="right", style="bold")
        table.add_column("of these", overflow="fold")
        for name, row in rows.items():
            counted = sorted(row.items(), key=lambda one: (one[0] not in leading, -one[1], one[0]))
            told = [f"{count:,} {word}" for word, count in counted if count and word != "sent"]
            total = row.get("sent") or sum(row.values())
            table.add_row(*([name] if named else []), f"{total:,}", ", ".join(told))
        return table
    for word in words:
        table.add_column(word, justify="right")
    summed = "sent" not in words and len(words) > 1
    if summed:
        table.add_column("all", justify="right", style="bold")
    for name, row in rows.items():
        cells = [f"{row[word]:,}" if row.get(word) else "·" for word in words]
        table.add_row(*([name] if named else []), *cells, *([f"{sum(row.values()):,}"] if summed else []))
    return table
