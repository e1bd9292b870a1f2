"""`pubweave escape`: a text as HTML needs it (F-CLI-42, F-CLI-43)."""

import click

from pubweave.cli.group import Command, GuessingGroup
from pubweave.output.terminal import echo


@click.group(cls=GuessingGroup, context_settings={"help_option_names": ["-h", "--help"]})
def escape() -> None:
    """Escape a text for HTML. Each command prints one line."""


@escape.command(cls=Command, examples="pubweave escape html 'a<b & c'      # a&lt;b &amp; c")
@click.argument("string")
def html(string: str) -> None:
    """Print STRING with &, < and > escaped, for text between tags."""
    from pubweave.output.html_escape import escape_text

    echo(escape_text(string))


@escape.command(cls=Command, examples="pubweave escape attribute 'a b'      # a&#32;b")
@click.argument("string")
def attribute(string: str) -> None:
    """Print STRING with every ASCII character but letters and digits escaped, for values of attributes."""
    from pubweave.output.html_escape import escape_attribute

    echo(escape_attribute(string))
