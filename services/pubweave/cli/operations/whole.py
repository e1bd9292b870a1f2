"""A command that takes the whole grammar of operations."""

from typing import TYPE_CHECKING

import click

from pubweave.cli.group import Command
from pubweave.cli.operations.helping import Style, options_about, options_help
from pubweave.output.terminal import echo

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class Whole(Command):
    """A command that reads its arguments itself. Words after `--help` choose among its options."""

    style: Style = "modern"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        from pubweave.cli.operations.grammar import HELP

        if not ctx.resilient_parsing and any(word in HELP for word in args):
            some = options_about((word for word in args if not word.startswith("-")), self.style)
            echo("\n".join(some) if some else ctx.get_help())
            ctx.exit()
        ctx.args = list(args)
        return ctx.args

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        from pubweave.cli.operations.completing import completed

        return completed(ctx.args, incomplete, self.style)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage(ctx.command_path, "OPTION …")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write("\n")
        for line in options_help(self.style):
            formatter.write(line + "\n")
