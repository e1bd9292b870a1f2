"""Replacing what begins with an opening and ends with a closing, at a cost in proportion to the text.

An expression such as `<[^>]*>` reads to the end of the text from each `<` where no `>` follows, so a text of a
million `<` costs hours. Here nothing is looked for behind the last closing that there is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

COMMENT = "!--"
"""Among the names of elements: a comment."""


def sub_closed(
    pattern: re.Pattern[str], replacement: str | Callable[[re.Match[str]], str], text: str, closing: str = ">"
) -> str:
    """`pattern.sub(replacement, text)` for an expression of which every match ends with `closing`."""
    end = text.rfind(closing) + len(closing)
    if end < len(closing):
        return text
    return (
        pattern.sub(replacement, text)
        if end == len(text)
        else pattern.sub(replacement, text[:end]) + text[end:]
    )


def sub_elements(
    names: tuple[str, ...], replacement: Callable[[str, str, str], str] | None, text: str
) -> str:
    """The text with each element of these names replaced by what `replacement` makes of opening tag, inside and closing tag.

    The names are in lower case, as a serialised page has them; `COMMENT` is a comment. An element ends with the first closing
    tag of its name; one that does not end stays as it is. None leaves the elements out.
    """
    out: list[str] = []
    done = at = 0
    last = text.rfind(">") + 1
    open_names = names
    while open_names and (found := _opening(open_names).search(text, at, last)) is not None:
        name = found[1]
        closing = "-->" if name == COMMENT else f"</{name}>"
        end = text.find(closing, found.end())
        if end < 0:  # nor will it for any later one of this name
            open_names = tuple(one for one in open_names if one != name)
            at = found.start()
            continue
        out.append(text[done : found.start()])
        if replacement is not None:
            out.append(replacement(found[0], text[found.end() : end], closing))
        done = at = end + len(closing)
    if not done:
        return text
    out.append(text[done:])
    return "".join(out)


@lru_cache(maxsize=256)
def _opening(names: tuple[str, ...]) -> re.Pattern[str]:
    """The opening tag of any of these elements, its name in group 1; a comment's opening has no `>`."""
    first = "".join(sorted({name[0] for name in names}))
    return re.compile(rf"<(?=[{first}])({'|'.join(names)})(?:(?<=!--)|(?:\s[^>]*+)?>)")
