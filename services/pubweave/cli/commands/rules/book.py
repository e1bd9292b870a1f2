"""The rules that `pubweave rules` looks at."""

from typing import TYPE_CHECKING, Any

from pubweave.cli.options import in_effect
from pubweave.problems import UserError

if TYPE_CHECKING:
    from pubweave.core.reading.rules import RuleBook


def book_of(options: dict[str, Any]) -> "RuleBook":
    """:raises UserError: a file of rules cannot be used; the text says where"""
    from pubweave.adapters.rule_files import load_rule_book
    from pubweave.core.reading.rules import RuleError

    settings = in_effect(options)
    try:
        return load_rule_book(settings.path("journals_yaml"), settings.path("webpages_yaml"))
    except RuleError as problem:
        raise UserError(str(problem)) from problem
