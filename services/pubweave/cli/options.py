"""Options that several commands share, and those that are made from the list of settings."""

from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

from pubweave.cli.group import Option
from pubweave.output.terminal import say
from pubweave.settings import BY_NAME, GROUPS, SETTINGS, Setting, Settings, load, scrubbed

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

_METAVARS: Final = {"integer": "NUMBER", "file": "FILE", "folder": "DIR", "text": "TEXT"}

OF_REQUESTS: Final = (
    "allow_addresses",
    "deny_hosts",
    "record",
    "replay",
    "log",
    "log_format",
    "log_layout",
)
"""The settings that matter to every command that asks somebody."""

_EVERYWHERE: Final = [setting for setting in SETTINGS if setting.group != "bus"]


def _help(setting: Setting) -> str:
    details = []
    if setting.unit:
        details.append(setting.unit)
    if setting.minimum is not None:
        details.append(f"at least {setting.minimum}")
    if setting.default != "" and setting.kind != "switch":
        details.append(f"default: {setting.default}")
    return setting.sentence + (f"  [{'; '.join(details)}]" if details else "")


def option_of(setting: Setting) -> Callable[[Decorated], Decorated]:
    """A setting as an option. Its value is checked when everything is put together (`in_effect`)."""
    also = [f"--{setting.legacy}"] if setting.legacy and f"--{setting.legacy}" != setting.option else []
    heading = GROUPS[setting.group]
    if setting.kind == "switch":
        spelling = setting.option if not setting.default else f"{setting.option}/--no-{setting.option[2:]}"
        return click.option(
            spelling,
            setting.name,
            cls=Option,
            heading=heading,
            default=None,
            is_flag=True,
            help=_help(setting),
        )
    return click.option(
        setting.option,
        setting.name,
        cls=Option,
        also=also,
        heading=heading,
        metavar=_METAVARS[setting.kind],
        help=_help(setting),
    )


def setting_options(*names: str) -> Callable[[Decorated], Decorated]:
    """These settings as options, in this order; if none is named, all but those of the bus."""

    def decorate(function: Decorated) -> Decorated:
        for setting in reversed([BY_NAME[name] for name in names] or _EVERYWHERE):
            function = option_of(setting)(function)
        return function

    return decorate


def format_option(json_is: str = "json, for programs.") -> Callable[[Decorated], Decorated]:
    """`--format text|json`, of commands that tell something to people or programs; the parameter is `format_`."""
    return click.option(
        "--format",
        "format_",
        cls=Option,
        type=click.Choice(["text", "json"]),
        default="text",
        help=f"text, for people; {json_is}",
    )


def in_effect(options: dict[str, object]) -> Settings:
    """What is in effect with these options; notices go to the user.

    :raises SettingsProblem: main says it and exits with status 2
    """
    settings, notices = load({name: value for name, value in options.items() if name in BY_NAME})
    for notice in notices:
        say(notice)
    return settings


def typed(context: click.Context | None = None) -> tuple[str, ...]:
    """The command line as it was typed, secrets scrubbed."""
    return tuple(scrubbed((context or click.get_current_context()).obj or ()))


def program() -> str:
    """What to type to run this program again: `pubweave`, or as it was typed if that is not on the PATH."""
    import os
    import shutil
    import sys
    from pathlib import Path

    if shutil.which("pubweave"):
        return "pubweave"
    if Path(sys.argv[0]).name == "pubweave":
        return sys.argv[0]
    beside = os.path.relpath(Path(sys.executable).parent / "pubweave")
    return beside if os.path.exists(beside) and not beside.startswith("..") else "python -m pubweave.cli.main"
