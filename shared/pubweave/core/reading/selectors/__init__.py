"""jsoup's selector dialect on Lexbor (F-SELX-01…03).

`compile_selector` reads a selector once. Where plain CSS says the same, the look-up is one call of Lexbor; what
Lexbor lacks (`:contains`, `:matches`, `[a~=regex]`, `:eq` …) is a filter on the elements that the rest of the
selector leaves. Differences from jsoup are listed in docs/writing-rules.md.
"""

from pubweave.core.reading.selectors.engine import Selector, compile_selector
from pubweave.core.reading.selectors.errors import SelectorError
from pubweave.core.reading.selectors.patterns import PatternTooSlow

__all__ = ["PatternTooSlow", "Selector", "SelectorError", "compile_selector"]
