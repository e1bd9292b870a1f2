"""`pubweave articles`: the commands of the application of that name."""

from pubweave.articles import cli
from pubweave.cli.group import group_of

articles = group_of(cli.articles)
