"""`pubweave settings`: every setting, what it is, who set it."""

from typing import Any

import click

from pubweave.cli.group import Command
from pubweave.cli.options import format_option, in_effect, setting_options
from pubweave.output.terminal import echo, screen


@click.command(
    cls=Command,
    examples="pubweave settings\npubweave settings timeout email\nPUBWEAVE_TIMEOUT=30000 pubweave settings timeout\n"
    "pubweave settings --format json",
)
@click.argument("names", nargs=-1, metavar="[NAME]…")
@format_option("json, with everything that is known of each.")
@setting_options()
def settings(names: tuple[str, ...], format_: str, **options: Any) -> None:
    """List every setting: the value in effect, where it comes from, its default, unit and sentence.

    Each can be set as an option of fetch, as an environment variable, and as a key in pubweave.toml (in this
    folder, or in ~/.config/pubweave/). The first of these that says something wins.
    """
    from pubweave.settings import BY_NAME, GROUPS, SETTINGS, canonical, nearest, shown

    effective = in_effect(options)
    chosen = []
    for name in names:
        known = canonical(name.removeprefix("PUBWEAVE_"))
        if known not in BY_NAME:
            near = nearest(known, BY_NAME)
            hint = f"; did you mean {near}?" if near else ""
            raise click.UsageError(f"there is no setting {name!r}{hint}", click.get_current_context())
        chosen.append(BY_NAME[known])
    chosen = chosen or list(SETTINGS)
    if format_ == "json":
        import orjson

        echo(
            orjson.dumps(
                [
                    {
                        "id": setting.name,
                        "label": setting.label,
                        "description": setting.sentence,
                        "type": setting.kind,
                        "unit": setting.unit,
                        "default": setting.default,
                        "min": setting.minimum,
                        "max": None,
                        "group": setting.group,
                        "option": setting.option,
                        "environment": setting.variable,
                        "legacy": setting.legacy,
                        "value": shown(setting, effective.effective(setting.name).value)
                        if setting.secret
                        else effective.effective(setting.name).value,
                        "origin": effective.effective(setting.name).origin,
                    }
                    for setting in chosen
                ],
                option=orjson.OPT_INDENT_2,
            ).decode()
        )
        return
    from rich.table import Table
    from rich.text import Text

    console = screen()
    for group, heading in GROUPS.items():
        of_group = [setting for setting in chosen if setting.group == group]
        if not of_group:
            continue
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        for setting in of_group:
            value, origin = effective.effective(setting.name)
            line = Text(shown(setting, value) or "(empty)", "green" if origin != "default" else "")
            line.append(f" {setting.unit}" if setting.unit else "", "dim")
            if origin == "default":
                line.append("  default", "dim")
            else:
                default = shown(setting, setting.default) or "empty"
                line.append(f"  from {origin}", "green").append(f" (default: {default})", "dim")
            table.add_row(Text(setting.name, "bold cyan"), line)
            table.add_row("", Text(setting.sentence, "dim"))
        console.print(Text(heading, "bold underline"))
        console.print(table)
        console.print()
    console.print(
        Text(
            "Set one as --timeout 30000, PUBWEAVE_TIMEOUT=30000, or timeout = 30000 in pubweave.toml.", "dim"
        )
    )
