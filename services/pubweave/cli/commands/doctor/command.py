"""`pubweave doctor`: look at everything that a fetch needs, and say what to do where something is missing."""

import asyncio
from typing import TYPE_CHECKING, Any

import click

from pubweave.cli.group import Command, Option
from pubweave.cli.options import format_option, in_effect, setting_options
from pubweave.cli.problems import OK, UNFINISHED
from pubweave.output.terminal import Styled, echo, for_people

if TYPE_CHECKING:
    from pubweave.settings import Settings
from pubweave.cli.commands.doctor.looks import CheckResult, look


@click.command(
    cls=Command,
    examples="pubweave doctor\npubweave doctor --offline\npubweave doctor --bus --kafka kafka:9092\npubweave doctor --format json",
)
@click.option("--offline", is_flag=True, cls=Option, help="Ask nobody: look only at this machine.")
@click.option("--bus", is_flag=True, cls=Option, help="Look for Kafka and Cassandra, too.")
@format_option()
@setting_options()
@setting_options("kafka", "prefix", "cassandra", "keyspace")
def doctor(offline: bool, bus: bool, format_: str, **options: Any) -> int:
    """Look at settings, files, disk, clock, network, browser and PDF reader, and say what to do.

    Every source is asked one small question, in its turn and within its budget. Exit status 1 if something would keep
    a fetch from working; warnings are no reason.
    """
    settings = in_effect(options)
    findings = asyncio.run(_told(settings, offline=offline, bus=bus, as_text=format_ == "text"))
    if format_ == "json":
        import orjson

        echo(orjson.dumps([one._asdict() for one in findings], option=orjson.OPT_INDENT_2))
    else:
        counts = {state: sum(one.state == state for one in findings) for state in ("problem", "warning")}
        echo(
            "all is well"
            if not any(counts.values())
            else ", ".join(f"{count} {state}{'s' * (count != 1)}" for state, count in counts.items())
        )
    return UNFINISHED if any(one.state == "problem" for one in findings) else OK


async def _told(settings: "Settings", *, offline: bool, bus: bool, as_text: bool) -> list[CheckResult]:
    findings = []
    async for one in look(settings, offline=offline, bus=bus):
        findings.append(one)
        if as_text:
            colour = {"ok": "green", "warning": "yellow", "problem": "red"}[one.state]
            state = click.style(f"{one.state:8}", fg=colour)
            echo(Styled(f"{state}{for_people(f'{one.what}: {one.said}')}"))
            if one.advice:
                echo(f"{'':8}→ {one.advice}")
    return findings
