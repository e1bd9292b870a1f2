"""`pubweave man`: the manual pages, made from the commands themselves."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click

from pubweave.cli.group import Command
from pubweave.cli.problems import Refused
from pubweave.output.terminal import echo
from pubweave.version import NAME, URL, VERSION

_SECTION: Final = "1"


@click.command(cls=Command, examples="pubweave man --out man\nman -l man/pubweave-fetch.1")
@click.option(
    "--out", metavar="DIR", default="man", show_default=True, help="Where the pages go; made if missing."
)
def man(out: str) -> None:
    """Write a manual page for every command."""
    from pubweave.cli.main import root

    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        count = 0
        for name, text in pages(root):
            (folder / f"{name}.{_SECTION}").write_text(text, encoding="utf-8")
            count += 1
    except OSError as problem:
        raise Refused(
            f"the manual cannot be written to {folder}: {(problem.strerror or '').lower()}"
        ) from problem
    echo(f"{count} pages in {folder}; read one with: man -l {folder}/pubweave.{_SECTION}")


def pages(root: click.Group) -> Iterator[tuple[str, str]]:
    """(name, text in man's macros) of the root and of every command below it."""
    for context in contexts(click.Context(root, info_name="pubweave")):
        yield context.command_path.replace(" ", "-"), _page(context)


def contexts(context: click.Context) -> Iterator[click.Context]:
    """This command and all below it, each where it stands."""
    yield context
    command = context.command
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            if below is not None and not below.hidden:
                yield from contexts(click.Context(below, parent=context, info_name=name))


def _page(context: click.Context) -> str:
    command = context.command
    path = context.command_path
    short = (command.get_short_help_str(limit=200) or NAME).rstrip(".")
    lines = [
        f'.TH "{path.replace(" ", "-").upper()}" "{_SECTION}" "" "{NAME} {VERSION}" "{NAME}"',
        ".SH NAME",
        f"{_plain(path.replace(' ', '-'))} \\- {_plain(short)}",
        ".SH SYNOPSIS",
        f".B {_plain(path)}",
        _plain(" ".join(command.collect_usage_pieces(context))),
        ".SH DESCRIPTION",
        *_paragraphs(command.help or ""),
    ]
    if isinstance(command, click.Group):
        lines.append(".SH COMMANDS")
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            if below is not None and not below.hidden:
                lines += [".TP", f".B {_plain(name)}", _plain(below.get_short_help_str(limit=200))]
    records = [
        record for parameter in command.get_params(context) if (record := parameter.get_help_record(context))
    ]
    if records:
        lines.append(".SH OPTIONS")
        for spelling, sentence in records:
            lines += [".TP", f".B {_plain(spelling)}", _plain(sentence)]
    examples = getattr(command, "examples", "")
    if examples:
        lines += [".SH EXAMPLES", ".nf", *map(_plain, examples.strip("\n").splitlines()), ".fi"]
    return "\n".join([*lines, ".SH SEE ALSO", _plain(URL), ""])


def _paragraphs(text: str) -> Iterator[str]:
    for number, paragraph in enumerate(re.split(r"\n\s*\n", text.strip())):
        if number:
            yield ".PP"
        yield _plain(" ".join(paragraph.split()))


def _plain(text: str) -> str:
    """Text that man prints as it is: no macro begins a line, no backslash escapes, hyphens can be copied."""
    text = " ".join(text.split("\n")).replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text[:1] in (".", "'") else text
