"""`pubweave doc`: one document from an address, printed and not stored (17.2, F-CLI-28…31)."""

import asyncio
import re
from collections.abc import Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from pubweave.cli.addresses import problem_of
from pubweave.cli.group import Command, GuessingGroup, Option
from pubweave.cli.options import OF_REQUESTS, in_effect, setting_options, typed
from pubweave.cli.problems import OK, UNFINISHED, Failed, Refused
from pubweave.cli.showing import FORMATS_OF_PAGES, check_format
from pubweave.output.terminal import say
from pubweave.runtimes.wiring import document, page_wishes

if TYPE_CHECKING:
    from pubweave.contract.exchange import Reply
    from pubweave.core.toolkit.webpage_asking import JavaScript
    from pubweave.core.webpage_record import WebpageRecord
    from pubweave.settings import Settings

_Result = TypeVar("_Result")

_ASKING: Final = (
    "timeout",
    "email",
    "user_agent",
    *OF_REQUESTS,
)
"""The settings that matter to a single question."""
_JAVASCRIPT: Final[dict[str, "JavaScript"]] = {
    "auto": "if-short",
    "": "if-short",
    "true": "always",
    "false": "never",
}
_TEXT: Final = re.compile(
    r"text/|.*[/+](?:xml|json|javascript|ecmascript|x-www-form-urlencoded|yaml)\b", re.I
)


@click.group(cls=GuessingGroup, context_settings={"help_option_names": ["-h", "--help"]})
def doc() -> None:
    """Print one document from an address; nothing is stored."""


@doc.command(
    cls=Command,
    examples="pubweave doc get https://bio.tools/bowtie2\npubweave doc get https://bio.tools/bowtie2 --javascript",
)
@click.argument("url", metavar="URL")
@click.option(
    "--javascript", is_flag=True, cls=Option, help="As the browser shows it when its scripts have run."
)
@setting_options(*_ASKING)
def get(url: str, javascript: bool, **options: Any) -> int:
    """Print a document as it comes: HTML, XML or other text."""
    settings = in_effect(options)
    print_reply(url, _heard(settings, document(settings, _checked(url), javascript=javascript)))
    return OK


@doc.command(cls=Command, examples="pubweave doc post https://example.org/find query=kinase format=xml")
@click.argument("url", metavar="URL")
@click.argument("pairs", nargs=-1, metavar="[NAME=VALUE]…")
@setting_options(*_ASKING)
def post(url: str, pairs: tuple[str, ...], **options: Any) -> int:
    """Print what an address answers to a POST of these pairs; a name without = gets an empty value."""
    settings = in_effect(options)
    form = tuple((name, value) for name, _, value in (pair.partition("=") for pair in pairs))
    if any(not name for name, _ in form):
        raise Refused("a pair has no name; pairs are name=value")
    print_reply(url, _heard(settings, document(settings, _checked(url), form=form)))
    return OK


@doc.command(
    cls=Command,
    examples="pubweave doc select https://bio.tools/bowtie2 --title h1 --content .description\n"
    "pubweave doc select https://example.org/manual.pdf --format json",
)
@click.argument("url", metavar="URL")
@click.option(
    "--title", cls=Option, default="", metavar="SELECTOR", help="Of the title; without it the page's own."
)
@click.option(
    "--content",
    cls=Option,
    default="",
    metavar="SELECTOR",
    help="Of the content, all matches; without it the cleaned page.",
)
@click.option(
    "--javascript",
    cls=Option,
    default="auto",
    metavar="WHEN",
    help="true, false, or auto: in the browser if the page is short or has a noscript element. [default: auto]",
)
@click.option(
    "--format",
    "format_",
    cls=Option,
    default="text",
    metavar="FORMAT",
    help=f"{', '.join(FORMATS_OF_PAGES)}. [default: text]",
)
@click.option("--plain", is_flag=True, cls=Option, help="Only address, title and content.")
@setting_options("webpage_min_length", "webpage_min_length_javascript", "classic_cleaning", *_ASKING)
def select(url: str, **options: Any) -> int:
    """Print a web page or PDF as these selectors read it; rules from files are not used.

    Selectors are those of rules: `pubweave rules` has commands to try them on saved pages.
    """
    context = click.get_current_context()
    when = options["javascript"].lower()
    if when not in _JAVASCRIPT:
        raise click.UsageError(f"--javascript: true, false or auto, not '{options['javascript']}'", context)
    check_format(options["format_"], FORMATS_OF_PAGES, context)
    settings = in_effect(options)
    selecting = selected(settings, _checked(url), options["title"], options["content"], _JAVASCRIPT[when])
    record = _heard(settings, selecting)
    print_page(record, settings, options["format_"], plain=options["plain"], argv=context.obj or ())
    return UNFINISHED if record.is_broken() and not record.content else OK


def _heard(settings: "Settings", work: Coroutine[Any, Any, _Result]) -> _Result:
    """Run it, and say warnings as the other commands do."""
    from pubweave.cli.logs import listening_as_set

    with listening_as_set(settings, say, typed()):
        return asyncio.run(work)


def _checked(url: str) -> str:
    """:raises Refused: it is no address"""
    problem = problem_of(url)
    if problem:
        raise Refused(problem)
    return url


def print_reply(url: str, reply: "Reply") -> None:
    """A document as UTF-8, whatever its encoding was.

    :raises Failed: there is none, or it is no text
    """
    from pubweave.core.reading.pages import decode_page
    from pubweave.output.out_file import Out

    if reply.outcome not in ("found", "empty") or reply.truncated:
        raise Failed(f"{url}: {reply.outcome}: {reply.evidence or 'no answer'}")
    kind = reply.content_type.partition(";")[0].strip().lower()
    if (kind and not _TEXT.match(kind)) or b"\0" in reply.body[:1024]:
        what = kind or "not text"
        raise Failed(f"{url} is {what}; pubweave page reads PDFs, and prints their text")
    with Out(None) as out:
        out.write(decode_page(reply.body, reply.content_type).text)


async def selected(
    settings: "Settings", url: str, title: str, content: str, javascript: "JavaScript"
) -> "WebpageRecord":
    """A page as selectors given by hand read it (F-CLI-31, F-WEB-23).

    :raises Refused: a selector is wrong
    """
    import msgspec

    from pubweave.core.reading.rules import RuleError, rules_from_selectors
    from pubweave.runtimes.wiring import pages_running

    try:
        rules = rules_from_selectors(title, content)
    except RuleError as problem:
        raise Refused(str(problem)) from problem
    wishes = msgspec.structs.replace(page_wishes(settings, "webpage"), javascript=javascript)
    async with pages_running(settings, create=False, in_memory=True) as pages:
        return await pages.read(url, wishes, rules)


def print_page(
    record: "WebpageRecord",
    settings: "Settings",
    format_: str,
    *,
    plain: bool,
    argv: tuple[str, ...],
    out: Path | None = None,
) -> None:
    """One page in one of the formats; JSON has it in the list `webpages` (A-29)."""
    from pubweave.output.formats import FORMATS, DocumentFrame
    from pubweave.output.out_file import Out
    from pubweave.output.publication import Selection
    from pubweave.runtimes.wiring import thresholds
    from pubweave.settings import scrubbed

    frame = DocumentFrame(
        argv=tuple(scrubbed(argv)), thresholds=thresholds(settings), lists=("webpages",), title="Web page"
    )
    writer = FORMATS[format_](Selection(plain=plain), frame)
    with Out(out) as to:
        for piece in (*writer.begin(), *writer.webpage(record, "webpage"), *writer.end()):
            to.write(piece)
