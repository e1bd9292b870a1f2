"""`pubweave rules new`: a file of rules to begin with."""

import re
from pathlib import Path
from typing import Final

import click

from pubweave.cli.addresses import problem_of
from pubweave.cli.commands.rules.testing import SIZES
from pubweave.cli.group import Command, Option
from pubweave.cli.problems import Refused
from pubweave.output.terminal import echo

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
