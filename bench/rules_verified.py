"""Which keys of which rules a recorded page shows to be right.

    python bench/rules_verified.py [--keep DAY]

For each recorded page that a rule reads by its address: `title` is right if it is the title that the page's tags tell (or
stands in its `<title>`), `doi`, `pmid` and `pmcid` if they are the page's own, `fulltext` by the measure of
bench/pages_fulltext.py, a link if it is an address that stands on the page, an e-mail or name if it is one, an abstract
or keyword if it has the size of one. The pages written by hand beside the rules show nothing. `--keep DAY` writes
`verified:` into the files: for each key the newest page that shows it, and the day on which it was looked at.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from functools import cache

from pages_fulltext import DATA, ROOT, Labelled, is_recent, labelled, measured, rules
from pubweave.core.reading.layout import text_of
from pubweave.core.reading.pages import Page, PageFindings, WebpageFindings, read_page, read_webpage
from pubweave.core.reading.rules import RuleBook, RuleFile, load_rules

SITES = ROOT / "rules" / "sites"
WEBPAGES = ROOT / "rules" / "webpages"
_TITLE_TAGS = ("citation_title", "dc.title", "og.title", "eprints.title", "bepress_citation_title")

# Recorded web pages that do not tell their address, by the name of the rules they are for.
WEBPAGES_OF = {
    "bioconductor-vignette": "bioconductor-vignette__",
    "bitbucket": "bitbucket__",
    "cran-vignette": "cran-vignette__",
    "docker-docs": "docs.docker.com.install",
    "github-repository": "github__",
    "jvndb": "postlight_jvndb",
    "pkgdown": "europepmc_docs_",
    "read-the-docs": "readthedocs__",
    "sourceforge-files": "sourceforge__",
    "wikidata": "pyami_test_resources_",
    "wikipedia-en": "wikipedia__",
}


def letters(text: str) -> str:
    """Letters and digits alone."""
    return "".join(filter(str.isalnum, text.lower()))


def shown(page: Labelled, book: RuleBook) -> tuple[str, set[str]]:
    """(name of the rules that read an article page, the keys that it shows to be right)."""
    body = page.body()
    parsed = Page(body, page.url, "text/html")
    found = read_page(parsed, page.url, book, "doi", meta=False)
    if not found.site:
        return "", set()
    return found.site, set(_keys(page, parsed, found, book)) & set(book.sites[found.site].values)


def _keys(page: Labelled, parsed: Page, found: PageFindings, book: RuleBook) -> Iterator[str]:
    site = book.sites[found.site]
    for identifier in found.identifiers:
        if identifier.kind != "doi" or identifier.value.lower() == page.doi.lower():
            yield identifier.source
    told = [letters(text)[:60] for _, text in parsed.meta.values(_TITLE_TAGS)]
    title = letters(parsed.first_text(site.selectors, "title"))[:60]
    if len(title) > 10 and (title in told or title in letters(parsed.title)):
        yield "title"
    if len(letters(parsed.first_text(site.selectors, "subtitle"))) > 10:
        yield "subtitle"
    for part in found.parts:
        if part.part == "keywords" and len(part.content) > 1 and max(map(len, part.content)) < 100:
            yield part.source
        if part.part == "theAbstract" and 150 <= len(part.content) <= 8000:
            yield part.source
    if page.first and any(one.is_right and one.is_final for one in measured([page], book)):
        yield "fulltext"
    on_page = {parsed.absolute(node) for node in parsed.tree.css("a[href], link[href]")}
    for link in found.links:
        if link.source.endswith("_a") or link.link.url in on_page:
            yield link.source
            if link.source.endswith("_src"):
                yield link.source.replace("_src", "_dst")
    authors = [author for read in found.authors for author in read.authors]
    if any(author.email for author in authors):
        yield "corresp_author_emails"
    if any(len(author.name.split()) >= 2 for author in authors):
        yield "corresp_author_names"


def shown_of_tools() -> Iterator[tuple[str, str, set[str]]]:
    """(name of the rules, page, the keys that it shows to be right) of recorded pages of tools and databases."""
    for name, start in WEBPAGES_OF.items():
        text = (WEBPAGES / f"{name}.yaml").read_text()
        everywhere = re.sub(r"urls:\n(?:  - .*\n)+", "urls:\n  - ^.\n", text)
        book = load_rules([RuleFile("site", f"{name}.yaml", everywhere)])
        for page in labelled():
            if page.path.startswith(f"webpages/{start}"):
                found = read_webpage(page.body(), page.url, book)
                bare = Page(page.body(), page.url)
                ((_, rule),) = book.webpages
                yield name, page.name, _tool_keys(found, bare) & set(rule.values)


def _tool_keys(found: WebpageFindings, bare: Page) -> set[str]:
    text = text_of(bare.tree.body) if bare.tree.body is not None else ""
    keys = set()
    if found.title and letters(found.title) in letters(f"{bare.title} {text}"):
        keys.add("title")
    if len(found.content) >= 200 and not found.unmatched:
        keys.add("content")
    if 2 <= len(found.license) <= 80:
        keys.add("license")
    if 1 <= len(found.language) <= 200:
        keys.add("language")
    return keys


@cache
def verified() -> dict[str, dict[str, str]]:
    """For each file of rules the keys that are shown to be right, each with a page."""
    book = rules()
    found: dict[str, dict[str, str]] = {}
    pages = [
        page for page in labelled() if page.path.startswith("publisher-html/") and (DATA / page.path).exists()
    ]
    for page in sorted(pages, key=lambda page: (is_recent(page), page.name)):
        site, keys = shown(page, book)
        for key in keys:
            found.setdefault(site, {})[key] = page.name
    for name, page_name, keys in shown_of_tools():
        for key in keys:
            found.setdefault(name, {})[key] = page_name
    return found


def keep(day: str) -> None:
    """Write what was found into the files of the rules."""
    for path in (*sorted(SITES.glob("*.yaml")), *sorted(WEBPAGES.glob("*.yaml"))):
        text = path.read_text()
        keys = [
            key
            for key in re.findall(
                r"^  (\w+):", text.split("\narticle:")[-1].split("\nwebpage:")[-1], re.MULTILINE
            )
            if key in verified().get(path.stem, {})
        ]
        lines = "".join(f"  {key}: {verified()[path.stem][key]} {day}\n" for key in keys)
        block = f"verified:\n{lines}" if keys else "verified: false\n"
        path.write_text(re.sub(r"^verified:.*\n(?:  .*\n)*", block, text, count=1, flags=re.MULTILINE))


def main() -> None:
    """Verify and print."""
    options = argparse.ArgumentParser()
    options.add_argument("--keep", metavar="DAY", help="write them into the files")
    chosen = options.parse_args()
    for name, keys in sorted(verified().items()):
        print(f"{name}: {', '.join(f'{key} ({page})' for key, page in sorted(keys.items()))}")
    if chosen.keep:
        keep(chosen.keep)


if __name__ == "__main__":
    main()
