"""Rules that people write: which site a page belongs to and which selectors read it (chapters 15 and 16).

`load_rules` makes one `RuleBook` of all files or refuses with the place; the book answers look-ups by address and
says which pattern won and which lost.
"""

from pubweave.core.reading.rules.errors import RuleError
from pubweave.core.reading.rules.loading import RuleFile, load_rules, rules_from_selectors
from pubweave.core.reading.rules.model import (
    SITE_KEYS,
    WEBPAGE_KEYS,
    RuleBook,
    Site,
    SiteFound,
    Tried,
    WebpageFound,
    WebpageRule,
)

__all__ = [
    "SITE_KEYS",
    "WEBPAGE_KEYS",
    "RuleBook",
    "RuleError",
    "RuleFile",
    "Site",
    "SiteFound",
    "Tried",
    "WebpageFound",
    "WebpageRule",
    "load_rules",
    "rules_from_selectors",
]
