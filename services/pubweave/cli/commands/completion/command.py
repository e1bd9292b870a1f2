"""`pubweave completion`: what a shell needs to complete commands and options."""

from typing import Final

import click
from click.shell_completion import get_completion_class

from pubweave.cli.group import Command
from pubweave.cli.problems import Failed
from pubweave.output.terminal import echo

VARIABLE: Final = "_PUBWEAVE_COMPLETE"
"""By this environment variable the shell asks (click's shell completion)."""

_WHERE: Final = {
    "bash": "pubweave completion bash > ~/.local/share/bash-completion/completions/pubweave",
    "zsh": "pubweave completion zsh > ~/.zfunc/_pubweave   (with ~/.zfunc in fpath)",
    "fish": "pubweave completion fish > ~/.config/fish/completions/pubweave.fish",
}


@click.command(cls=Command, examples="\n".join(_WHERE.values()))
@click.argument("shell", type=click.Choice(list(_WHERE)))
def completion(shell: str) -> None:
    """Print the script that lets a shell complete commands, options and their values."""
    from pubweave.cli.main import root

    known = get_completion_class(shell)
    if known is None:
        raise Failed(f"this installation cannot complete in {shell}")
    echo(known(root, {}, "pubweave", VARIABLE).source())
