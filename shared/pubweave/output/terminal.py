"""Where text meets people: what others have sent must not steer a terminal, nor make a line read otherwise than it is.

Titles, addresses, error bodies and identifiers come from strangers. Terminals obey escapes and the C1 controls, and
bidirectional controls turn text around. They are replaced by U+FFFD wherever text goes to a terminal or to standard error, and in
everything that is laid out for people. Data for programs (JSON and the like, in files and pipes) stay as they are.
"""

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from rich.console import Console

_CONTROLS: Final = dict.fromkeys(
    (
        *(code for code in range(0x20) if code not in (0x09, 0x0A)),
        *range(0x7F, 0xA0),  # DEL and C1
        0x061C, 0x200E, 0x200F,  # marks of direction
        *range(0x2028, 0x202F),  # separators of lines and paragraphs, embeddings and overrides
        *range(0x2066, 0x206A),  # isolates
        *range(0xD800, 0xE000),  # lone surrogates
    ),
    "\N{REPLACEMENT CHARACTER}",
)  # fmt: skip


class Styled(str):
    """A text with escapes of our own; what it holds of others has been through `for_people` already."""

    __slots__ = ()


def for_people(text: str) -> str:
    """The text without anything that steers a terminal; line feeds and tabs stay."""
    if isinstance(text, Styled) or (text.isascii() and text.isprintable()):
        return text
    return text.translate(_CONTROLS)


def echo(message: Any = "", *, nl: bool = True, err: bool = False) -> None:
    """`click.echo`; on standard error and on a terminal `for_people`, and otherwise as it is."""
    import click

    if err or on_terminal():
        if isinstance(message, bytes):
            message = message.decode("utf-8", "replace")
        message = for_people(message if isinstance(message, str) else str(message))
    # Not even what looks like a colour is taken out of data.
    click.echo(message, nl=nl, err=err, color=None if isinstance(message, Styled) else True)


def said(sentence: str) -> str:
    """The sentence as this program says it, beside the results."""
    whole = f"pubweave: {sentence}"
    return Styled(whole) if isinstance(sentence, Styled) else whole


def say(sentence: str) -> None:
    """A sentence for the user, beside the results."""
    echo(said(sentence), err=True)


def on_terminal() -> bool:
    """Standard output is one."""
    return sys.stdout is not None and not sys.stdout.closed and sys.stdout.isatty()


def screen(**options: Any) -> "Console":
    """A console of Rich, for files of text as well, whose text is `for_people`, and which reads brackets as brackets."""
    from rich.console import Console
    from rich.segment import Segment

    class Screen(Console):
        def _render_buffer(self, buffer: Iterable[Segment]) -> str:
            return super()._render_buffer(
                one if one.control else Segment(for_people(one.text), one.style) for one in buffer
            )

    return Screen(**{"markup": False, **options})
