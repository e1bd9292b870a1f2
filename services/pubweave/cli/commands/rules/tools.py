"""`pubweave rules list|check|try|new|test`: what people who write rules need."""

import asyncio
import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from pubweave.cli.group import Command, Option
from pubweave.cli.options import format_option, in_effect, setting_options
from pubweave.cli.problems import BAD_INPUT, OK, UNFINISHED, Failed, Refused
from pubweave.output.terminal import echo, screen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.table import Table

    from pubweave.core.reading.pages import PageFindings
    from pubweave.core.reading.rules import RuleBook, RuleFile
    from pubweave.core.reading.rules.model import Verified

EXCERPT: Final = 70
"""Characters of a text that are shown of it."""

SIZES: Final = "pages.csv"
"""Beside rules: what each rule gives of its page."""

SITE_COLUMNS: Final = (
    "pmid",
    "pmcid",
    "doi",
    "title",
    "keywords",
    "abstract",
    "fulltext",
    "links",
    "corresp",
    "id",
)
WEBPAGE_COLUMNS: Final = ("title", "content", "license", "language", "id")


class Listed(NamedTuple):
    """One set of rules, as the list shows it."""

    name: str
    kind: str
    """`site` or `webpage`."""
    checked: str
    verified: dict[str, dict[str, str]] | None
    """Keys that a recorded page has shown to be right, each with the page and the day; None: your own rules."""
    patterns: int
    keys: tuple[str, ...]
    file: str


@click.command("list", cls=Command, examples="pubweave rules list\npubweave rules list nature --format json")
@click.argument("word", required=False, metavar="[WORD]")
@format_option()
@setting_options("journals_yaml", "webpages_yaml")
def list_(word: str | None, format_: str, **options: Any) -> None:
    """List the sites and web pages that have rules, built in or your own; with WORD those whose name or file has it.

    `verified` are the keys that a recorded page of the site has shown to be right; the others are made of what is
    known of the platform. json has the page and the day of each.
    """
    from pubweave.cli.commands.rules.command import book_of

    found = [
        one
        for one in listed(book_of(options))
        if not word or word.lower() in f"{one.name} {one.file}".lower()
    ]
    if format_ == "json":
        import orjson

        echo(orjson.dumps([one._asdict() for one in found], option=orjson.OPT_INDENT_2))
        return

    screen().print(_table(found))
    sites = sum(one.kind == "site" for one in found)
    verified = sum(bool(one.verified) for one in found)
    keys = sum(len(one.verified) for one in found if one.verified)
    every = sum(len(one.keys) for one in found)
    echo(
        f"{sites} sites, {len(found) - sites} web pages; {keys} of {every} keys verified, in {verified} of them"
    )


def listed(book: "RuleBook") -> list[Listed]:
    """Sites by name, then web page rules by file."""
    patterns: dict[str, int] = {}
    for _, name in book.patterns:
        patterns[name] = patterns.get(name, 0) + 1
    sites = [
        Listed(
            site.name,
            "site",
            site.checked,
            _shown(site.verified),
            patterns.get(site.name, 0),
            tuple(site.values),
            site.file,
        )
        for site in sorted(book.sites.values(), key=lambda site: site.name)
    ]
    pages = [
        Listed(
            Path(rule.file).stem if rule.checked else pattern.text,
            "webpage",
            rule.checked,
            _shown(rule.verified),
            1,
            tuple(rule.values),
            rule.file,
        )
        for pattern, rule in book.webpages
    ]
    return [*sites, *sorted(pages, key=lambda page: page.name)]


def _shown(verified: "Mapping[str, Verified] | bool | None") -> dict[str, dict[str, str]] | None:
    """What a file says of its keys; one that only says yes or no names no page."""
    if verified is None:
        return None
    if isinstance(verified, bool):
        return {}
    return {key: {"page": one.page, "day": one.day} for key, one in verified.items()}


def _table(found: list[Listed]) -> "Table":
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for heading in ("name", "for", "checked", "verified keys", "other keys"):
        table.add_column(heading, overflow="fold")
    for one in found:
        verified = "yours" if one.verified is None else ", ".join(one.verified) or "none"
        rest = [key for key in one.keys if not one.verified or key not in one.verified]
        table.add_row(one.name, one.kind, one.checked, verified, ", ".join(rest))
    return table


@click.command(
    cls=Command,
    examples="pubweave rules check journals.yaml webpages.yaml\npubweave rules check rules/sites/*.yaml",
)
@click.argument("files", nargs=-1, required=True, metavar="FILE…", type=click.Path(path_type=Path))
def check(files: tuple[Path, ...]) -> int:
    """Say whether files of rules can be used: PubFetcher's journals.yaml and webpages.yaml, or one site a file.

    What is wrong is told with file, section, position and key. Exit status 2 if anything is.
    """
    from pubweave.core.reading.rules import RuleError, load_rules

    bad = 0
    for path in files:
        try:
            book = load_rules([rule_file(path)])
        except RuleError as problem:
            bad += 1
            echo(str(problem), err=True)
        else:
            counts = (
                f"{len(book.sites)} sites, {len(book.patterns)} addresses, {len(book.webpages)} web pages"
            )
            echo(f"{path}: good; {counts}, {len(book.javascript)} for the browser")
            for notice in book.notices:
                echo(notice, err=True)
    return BAD_INPUT if bad else OK


def rule_file(path: Path) -> "RuleFile":
    """A file of rules of the kind that its content shows.

    :raises RuleError: it cannot be read
    """
    from pubweave.core.reading.rules import RuleError, RuleFile

    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        sentence = getattr(problem, "strerror", None) or str(problem)
        raise RuleError(str(path), "all", f"the file cannot be read: {sentence.lower()}") from problem
    if re.search(r"^(?:urls|article|webpage):", text, re.MULTILINE) and not re.search(
        r"^---", text, re.MULTILINE
    ):
        return RuleFile("site", str(path), text)
    return RuleFile("journals" if re.search(r"^---", text, re.MULTILINE) else "webpages", str(path), text)


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
    from pubweave.cli.commands.rules.command import book_of

    book = book_of(options)
    body, address, kind = _page(page, url, options)
    _show(body, address, kind, book)


def _page(page: str, url: str | None, options: dict[str, Any]) -> tuple[bytes, str, str]:
    """(bytes, address by which rules are found, media type)."""
    from pubweave.cli.commands.page.command import problem_of

    path = Path(page)
    if path.is_file():
        if url is None:
            raise Refused(f"where was {page}? Rules are found by the address: --url URL")
        if problem := problem_of(url):
            raise Refused(problem)
        return path.read_bytes(), url, ""
    if problem := problem_of(page):
        raise Refused(f"{problem}, and there is no such file")
    from pubweave.cli.commands.doc.command import document

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


_SKELETON: Final = """\
name: {name}
checked: {day}
verified: false
example: {url}
urls:
  - {pattern}
article:
  title: h1
  abstract: .abstract p
  # fulltext: .article-body p, .article-body figcaption
  # pdf_a: a.pdf[href]
"""
_PAGE: Final = """\
<!DOCTYPE html>
<html lang="en">
<head><title>Folding of widgets under stress</title></head>
<body>
<nav>Unwanted menu</nav>
<h1>Folding of widgets under stress</h1>
<div class="abstract"><p>We folded one hundred widgets under stress.</p><p>All of them held.</p></div>
<footer>Unwanted footer</footer>
</body>
</html>
"""


@click.command(
    cls=Command,
    examples="pubweave rules new example-press https://press.example.com/article/1\n"
    "pubweave rules new mine https://press.example.com/article/1 --folder my-rules --page saved.html",
)
@click.argument("name")
@click.argument("url")
@click.option("--folder", cls=Option, default=".", metavar="DIR", help="Where the files go.  [default: here]")
@click.option(
    "--page", cls=Option, metavar="FILE", help="A saved page to begin with; otherwise a small made-up one."
)
def new(name: str, url: str, folder: str, page: str | None) -> None:
    """Begin the rules of a site: NAME.yaml, the page that tests it (pages/NAME.html), and what they give (pages.csv).

    Nothing that is there is overwritten.
    """
    import datetime
    from urllib.parse import urlsplit

    from pubweave.cli.commands.page.command import problem_of

    if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", name):
        raise Refused(f"'{name}' is no name for rules: small letters, digits and hyphens")
    if problem := problem_of(url):
        raise Refused(problem)
    rules, saved = Path(folder, f"{name}.yaml"), Path(folder, "pages", f"{name}.html")
    for path in (rules, saved):
        if path.exists():
            raise Refused(f"{path} is there already; choose another name or folder")
    host = re.escape((urlsplit(url).hostname or "").removeprefix("www."))
    text = _SKELETON.format(name=name, url=url, pattern=f"{host}/", day=datetime.date.today().isoformat())
    try:
        body = Path(page).read_bytes() if page else _PAGE.encode()
        saved.parent.mkdir(parents=True, exist_ok=True)
        rules.write_text(text, encoding="utf-8")
        saved.write_bytes(body)
    except OSError as error:
        raise Refused(f"{error.filename}: {(error.strerror or '').lower()}") from error
    echo(f"{rules}: say which elements are what")
    echo(f"{saved}: the page that tests it")
    echo(f"then: pubweave rules test {folder} --keep   (writes {SIZES}; look at it)")


@click.command(
    cls=Command,
    examples="pubweave rules test\npubweave rules test my-rules\npubweave rules test my-rules --keep",
)
@click.argument("folder", required=False, metavar="[DIR]", type=click.Path(path_type=Path))
@click.option(
    "--keep", is_flag=True, cls=Option, help=f"Write what comes now into {SIZES} instead of comparing."
)
def test(folder: Path | None, keep: bool) -> int:
    """Read the page beside each file of rules, and compare what comes with pages.csv.

    Without DIR the built-in rules are tested. Nothing is fetched. Each difference is a line; the last line is OK or their
    number. Exit status: 0 all as expected, 1 not.
    """
    from pubweave.adapters.rule_files import own_rules_folder

    folders = (
        [folder] if folder is not None else [own_rules_folder() / name for name in ("sites", "webpages")]
    )
    tests = mismatches = 0
    for one in folders:
        if not one.is_dir():
            raise Refused(f"there is no folder {one}")
        came = dict(page_sizes_of(one))
        if keep:
            write_sizes(one / SIZES, came)
            echo(f"{one / SIZES}: {len(came)} lines")
            continue
        expected = read_sizes(one / SIZES)
        for name in sorted(came.keys() | expected.keys()):
            tests += 1
            for told in _differences(expected.get(name), came.get(name)):
                mismatches += 1
                echo(f"{name}: {told}")
    if not keep:
        echo("OK" if not mismatches else f"{mismatches} mismatches in {tests} tests")
    return UNFINISHED if mismatches else OK


def _differences(expected: dict[str, str] | None, came: dict[str, str] | None) -> Iterator[str]:
    if came is None:
        yield "there are no such rules, or no page beside them"
    elif expected is None:
        yield f"no line in {SIZES}; --keep writes one"
    else:
        for column, size in came.items():
            if expected.get(column) != size:
                yield f"{column}: expected {expected.get(column, 'nothing')}, actual {size}"


def page_sizes_of(folder: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """What each file of rules gives of the page beside it, by the name of the file.

    :raises Refused: a file cannot be used
    """
    from pubweave.core.reading.pages import read_page, read_webpage
    from pubweave.core.reading.rules import RuleError, load_rules

    for path in sorted(folder.glob("*.yaml")):
        page = folder / "pages" / f"{path.stem}.html"
        try:
            file = rule_file(path)
            book = load_rules([file])
        except RuleError as problem:
            raise Refused(str(problem)) from problem
        example = re.search(r"^example: *(\S+)$", file.text, re.MULTILINE)
        if not page.is_file() or example is None:
            continue
        url, body = example[1], page.read_bytes()
        if book.webpages:
            tool = read_webpage(body, url, book)
            yield (
                path.stem,
                {
                    "title": str(len(tool.title)),
                    "content": str(len(tool.content)),
                    "license": str(len(tool.license)),
                    "language": str(len(tool.language)),
                    "id": url,
                },
            )
        else:
            yield path.stem, {**_article_sizes(read_page(body, url, book, "doi", meta=False)), "id": url}


def _article_sizes(findings: "PageFindings") -> dict[str, str]:
    from pubweave.output.authors import authors_text

    identifiers: dict[str, str] = {one.kind: one.value for one in reversed(findings.identifiers)}
    parts: dict[str, str | tuple[str, ...]] = {one.part: one.content for one in reversed(findings.parts)}
    authors = authors_text(one for found in findings.authors for one in found.authors)
    return {
        **{kind: str(len(identifiers.get(kind, ""))) for kind in ("pmid", "pmcid", "doi")},
        **{
            column: str(len(parts.get(part, "")))
            for column, part in (
                ("title", "title"),
                ("keywords", "keywords"),
                ("abstract", "theAbstract"),
                ("fulltext", "fulltext"),
            )
        },
        "links": str(len(findings.links)),
        "corresp": str(len(authors)),
    }


def write_sizes(path: Path, sizes: dict[str, dict[str, str]]) -> None:
    """One line for each set of rules, its name first."""
    columns = WEBPAGE_COLUMNS if all("content" in one for one in sizes.values()) else SITE_COLUMNS
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("name", *columns))
        for name, one in sorted(sizes.items()):
            writer.writerow((name, *(one.get(column, "0") for column in columns)))


def read_sizes(path: Path) -> dict[str, dict[str, str]]:
    """:raises Refused: it is not there"""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return {row.pop("name"): row for row in csv.DictReader(file)}
    except (OSError, KeyError) as problem:
        raise Refused(
            f"{path} cannot be read; pubweave rules test {path.parent} --keep makes it"
        ) from problem
