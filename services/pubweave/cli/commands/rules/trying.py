"""`pubweave rules try`: what each key of the rules gives on a page, beside what its meta tags give."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from pubweave.cli.addresses import problem_of
from pubweave.cli.commands.rules.book import book_of
from pubweave.cli.group import Command, Option
from pubweave.cli.options import in_effect, setting_options
from pubweave.cli.problems import Failed, Refused
from pubweave.output.terminal import echo
from pubweave.runtimes.wiring import document

if TYPE_CHECKING:
    from pubweave.core.reading.pages import PageFindings
    from pubweave.core.reading.rules import RuleBook


EXCERPT: Final = 70
"""Characters of a text that are shown of it."""


@click.command(
    "try",
    cls=Command,
    examples="pubweave rules try https://www.nature.com/articles/nmeth.1\n"
    "pubweave rules try saved.html --url https://press.example.com/article/1 --journals-yaml mine.yaml",
)
@click.argument("page", metavar="URL|FILE")
@click.option("--url", cls=Option, metavar="URL", help="Where a saved page was: rules are found by it.")
@setting_options(
    "journals_yaml", "webpages_yaml", "timeout", "email", "user_agent", "allow_addresses", "replay", "browser"
)
def try_(page: str, url: str | None, **options: Any) -> None:
    """Show what each key of the rules gives on an article page, side by side with what its meta tags give.

    The page is fetched as a run would, or read from a file with the address that it had.
    """
    book = book_of(options)
    body, address, kind = _page(page, url, options)
    _show(body, address, kind, book)


def _page(page: str, url: str | None, options: dict[str, Any]) -> tuple[bytes, str, str]:
    """(bytes, address by which rules are found, media type)."""
    path = Path(page)
    if path.is_file():
        if url is None:
            raise Refused(f"where was {page}? Rules are found by the address: --url URL")
        if problem := problem_of(url):
            raise Refused(problem)
        return path.read_bytes(), url, ""
    if problem := problem_of(page):
        raise Refused(f"{problem}, and there is no such file")
    settings = in_effect(options)
    reply = asyncio.run(document(settings, page))
    if reply.outcome not in ("found", "empty"):
        raise Failed(f"{page}: {reply.outcome}: {reply.evidence or 'no answer'}")
    return reply.body, url or reply.final_url or page, reply.content_type


def _show(body: bytes, url: str, content_type: str, book: "RuleBook") -> None:
    from pubweave.core.reading.pages import judge_page, read_page

    found = book.site_for(url)
    by_rules = (
        read_page(body, url, book, "doi", content_type=content_type, meta=False) if found.site else None
    )
    by_meta = read_page(body, url, book, "doi", content_type=content_type)
    verdict = judge_page(body, url, content_type=content_type)
    echo(f"{url}: {verdict.kind}, {verdict.evidence}")
    for tried in found.tried:
        echo(f"{tried.verdict:5} {tried.target}: {tried.pattern} ({tried.file})")
    if found.site is None:
        echo("no rules for this address; pubweave rules new begins some")
    keys = by_rules.keys if by_rules is not None else ()
    for key in keys:
        echo(f"{key.key:22} {key.elements} elements, {key.size} characters  {key.problem or key.rule}")
    missed = [
        key for key in (found.site.values if found.site else ()) if key not in {one.key for one in keys}
    ]
    for name in missed:
        echo(f"{name:22} nothing selected  {found.site.values[name] if found.site else ''}")
    there = verdict.running.body if verdict.kind == "article" else 0
    if by_rules is not None and 2 * by_rules.body_size < there:
        echo(
            f"fulltext gives {by_rules.body_size} of {there} characters of running text: a fetch takes the cleaned page instead"
        )
    echo("")
    for name, rules, meta in sides(by_rules, by_meta):
        echo(f"{name}")
        echo(f"  rules  {rules}")
        echo(f"  meta   {meta}")


def sides(by_rules: "PageFindings | None", both: "PageFindings") -> Iterator[tuple[str, str, str]]:
    """(part, what rules give, what meta tags give), each as its size and beginning."""
    ruled = _contents(by_rules) if by_rules is not None else {}
    tagged = _contents(both)
    for name in ("pmid", "pmcid", "doi", "title", "keywords", "theAbstract", "fulltext", "links", "authors"):
        mine = ruled.get(name, [])
        others = [one for one in tagged.get(name, []) if one not in mine]
        if mine or others:
            yield name, _excerpt(mine), _excerpt(others)


def _contents(findings: "PageFindings") -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for identifier in findings.identifiers:
        found.setdefault(identifier.kind, []).append(identifier.value)
    for part in findings.parts:
        text = part.content if isinstance(part.content, str) else "; ".join(part.content)
        found.setdefault(part.part, []).append(text)
    for link in findings.links:
        found.setdefault("links", []).append(f"{link.link.type} {link.link.url}")
    for authors in findings.authors:
        found.setdefault("authors", []).extend(
            " ".join(word for word in (one.name, one.email) if word) for one in authors.authors
        )
    return found


def _excerpt(texts: list[str]) -> str:
    if not texts:
        return "–"
    text = " | ".join(" ".join(one.split()) for one in texts)
    size = sum(map(len, texts))
    return f"{size:6}  {text[:EXCERPT]}{'…' if len(text) > EXCERPT else ''}"
