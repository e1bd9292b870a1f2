"""What went wrong, for people: one sentence and an exit status."""

from typing import Final

import click

from pubweave.problems import UserError

OK: Final = 0
UNFINISHED: Final = 1
"""Some could not be finished; they are named."""
BAD_INPUT: Final = 2
"""Something that was given cannot be used; each such thing is named."""


class Refused(click.ClickException, UserError):
    """Bad input that the command line itself finds. The text is one sentence that names the place; nothing has been written."""

    exit_code = BAD_INPUT


class Failed(click.ClickException):
    """The work could not be done, though what was given is fine."""

    exit_code = UNFINISHED
