"""`pubweave jats`: the commands of the application of that name."""

from pubweave.cli.group import group_of
from pubweave.jats import cli

jats = group_of(cli.jats)
