"""What can be wrong with what a person gave; each text is one sentence that names the place."""

import click


class BadInput(click.ClickException):
    """Bad input: exit status 2."""

    exit_code = 2


class NotPossible(click.ClickException):
    """The work could not be done, though what was given is fine: exit status 1."""

    exit_code = 1
