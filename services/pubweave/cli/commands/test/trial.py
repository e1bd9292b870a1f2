"""One resource, or the rules of one page, tried alone, and compared with a table."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from pubweave.cli.problems import Refused
from pubweave.contract.resources import DECLARATIONS

if TYPE_CHECKING:
    from pubweave.contract.values import Identifiers, Link, RunSettings
    from pubweave.contract.vocabulary import PartName, ResourceName
    from pubweave.core.webpage_record import WebpageRecord
    from pubweave.runtimes.embedded.alone import Alone, Asker
    from pubweave.settings import Settings


class Tested(NamedTuple):
    """What can be tried alone, with the table it is compared with (F-TST-03)."""

    name: str
    resource: "ResourceName | None"
    """None: web pages."""
    wants: str
    """What it is asked with."""
    table: str
    columns: tuple[str, ...]
    """The first one, or of addresses the last one, is asked with."""


_ARTICLE: Final = ("pmid", "pmcid", "doi", "title", "keywords")


_OF_PUBFETCHER: Final = frozenset(
    {
        "europepmc",
        "europepmc_fulltext",
        "europepmc_mined",
        "pmc",
        "pubmed_xml",
        "pubmed_html",
        "unpaywall",
        "doi",
    }
)
"""Resources whose tables have PubFetcher's names and columns; the page of a DOI is tried as `site`."""


TESTED: Final[dict[str, Tested]] = {
    one.name: one
    for one in (
        Tested(
            "europepmc",
            "europepmc",
            "PMID",
            "europepmc.csv",
            ("id", *_ARTICLE, "mesh", "abstract", "journal", "date", "oa", "html", "pdf", "mined"),
        ),
        Tested(
            "europepmc-xml",
            "europepmc_fulltext",
            "PMCID",
            "europepmc-xml.csv",
            ("id", *_ARTICLE, "abstract", "fulltext", "corresp", "journal"),
        ),
        Tested(
            "europepmc-html",
            "europepmc_html",
            "PMCID",
            "europepmc-html.csv",
            ("id", *_ARTICLE, "abstract", "fulltext", "corresp", "links"),
        ),
        Tested("europepmc-mined", "europepmc_mined", "PMID", "europepmc-mined.csv", ("id", "efo", "go")),
        Tested(
            "pmc-xml",
            "pmc",
            "PMCID",
            "pmc-xml.csv",
            ("id", *_ARTICLE, "abstract", "fulltext", "corresp", "journal"),
        ),
        Tested(
            "pmc-html",
            "pmc_html",
            "PMCID",
            "pmc-html.csv",
            ("id", *_ARTICLE, "abstract", "fulltext", "corresp", "links"),
        ),
        Tested(
            "pubmed-xml",
            "pubmed_xml",
            "PMID",
            "pubmed-xml.csv",
            ("id", *_ARTICLE, "mesh", "abstract", "journal", "date"),
        ),
        Tested(
            "pubmed-html", "pubmed_html", "PMID", "pubmed-html.csv", ("id", *_ARTICLE, "mesh", "abstract")
        ),
        Tested("oadoi", "unpaywall", "DOI", "oadoi.csv", ("id", "oa", "links", "title", "journal")),
        Tested(
            "site",
            "links",
            "URL",
            "journals.csv",
            (*_ARTICLE, "abstract", "fulltext", "links", "corresp", "id"),
        ),
        *(
            Tested(
                one.name.replace("_", "-"),
                one.name,
                one.rows[0].asks[0].upper(),
                f"{one.name}.csv",
                ("id", *_ARTICLE, "abstract", "journal", "date"),
            )
            for one in DECLARATIONS
            if one.asked == "by-chain" and one.name not in _OF_PUBFETCHER
        ),
        Tested("webpage", None, "URL", "webpages.csv", ("title", "content", "license", "language", "id")),
    )
}


ALIASES: Final = {"unpaywall": "oadoi"}


def table_of(tested: Tested) -> Path:
    """The user's own table, or the built-in one."""
    from pubweave.adapters.rule_files import own_rules_folder

    own, built_in = Path(tested.table), own_rules_folder() / "tests" / tested.table
    return built_in if not own.is_file() and built_in.is_file() else own


def matching(lines: list[dict[str, str]], regex: str | None, tested: Tested) -> list[dict[str, str]]:
    if regex is None:
        return lines
    from pubweave.core.reading.java_regex import JavaRegexError
    from pubweave.core.reading.selectors.patterns import compile_pattern

    try:
        pattern = compile_pattern(regex)
    except JavaRegexError as problem:
        raise Refused(f"--regex: {problem}") from None
    found = [line for line in lines if pattern.find(line["id"]) is not None]
    if not found:
        raise Refused(f"no line of the table of {tested.name} matches {regex}")
    return found


def read_table(path: Path, tested: Tested) -> Iterator[dict[str, str]]:
    """The lines of a table by column (F-TST-01): the heading, empty lines and comments are passed over.

    :raises Refused: it is not there, or a line has another number of columns
    """
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        raise Refused(
            f"the table {path} cannot be read: {getattr(problem, 'strerror', None) or problem}"
        ) from None
    for number, line in enumerate(text.splitlines(), start=1):
        if number == 1 or not line.strip() or line.startswith("#"):
            continue
        cells = line.split(",", len(tested.columns) - 1)
        if len(cells) != len(tested.columns):
            raise Refused(
                f"{path} line {number} has {len(cells)} columns instead of {len(tested.columns)}: "
                f"{', '.join(tested.columns)}"
            )
        yield {column: cell.strip() for column, cell in zip(tested.columns, cells, strict=True)}


class TryResult(NamedTuple):
    """What one try gave."""

    text: str
    """For people."""
    sizes: Mapping[str, str]
    """By column."""
    problem: str = ""
    """Why there is nothing."""


def differences(line: Mapping[str, str], answer: TryResult, columns: tuple[str, ...]) -> Iterator[str]:
    """A sentence for each column that is not as expected (F-TST-06), and why, where there is no answer at all."""
    why = f" ({answer.problem})" if answer.problem else ""
    told = [
        f"{column}: expected {line[column]}, actual {answer.sizes[column]}{why}"
        for column in columns
        if line[column] != answer.sizes[column]
    ]
    yield from told or ([answer.problem] if answer.problem else ())


class Trial:
    """Asks one resource again and again."""

    def __init__(
        self, tested: Tested, settings: "Settings", parts: tuple["PartName", ...], asker: "Asker"
    ) -> None:
        from pubweave.runtimes.wiring import run_settings

        self._tested = tested
        self._settings = settings
        self._run: RunSettings = run_settings(settings, parts)
        self._asker = asker
        unwanted = {"abstract" if name == "theAbstract" else name for name in _unwanted(parts)}
        self.columns = tuple(name for name in tested.columns if name != "id" and name not in unwanted)

    async def ask(self, identifier: str) -> TryResult:
        """:raises Refused: it is nothing to ask with"""
        from pubweave.output.text import publication_text

        if self._tested.resource is None:
            return await self._page(identifier)
        resource, identifiers, link = self._question(identifier)
        alone = await self._asker.ask(resource, identifiers, self._run, link)
        good = alone.outcome in (
            "found",
            "abstract-only",
            "rule-missed",
            "empty",
        )  # nothing mined is an answer, too
        problem = "" if good else f"{alone.outcome}: {alone.evidence}"
        return TryResult(publication_text(alone.record), publication_sizes(alone), problem)

    def _question(self, identifier: str) -> tuple["ResourceName", "Identifiers", "Link | None"]:
        from pubweave.cli.addresses import problem_of
        from pubweave.contract.values import Identifiers, Link
        from pubweave.core.identifiers import check_one, is_doi

        assert self._tested.resource is not None
        if self._tested.wants == "URL" and not is_doi(identifier):
            problem = problem_of(identifier)
            if problem:
                raise Refused(problem)
            return self._tested.resource, Identifiers(), Link(url=identifier, type="doi")
        found = check_one(identifier)
        wanted = "doi" if self._tested.wants == "URL" else self._tested.wants.lower()
        if found is None or not getattr(found, wanted):
            raise Refused(f"'{identifier}' is not a {self._tested.wants}")
        return ("doi" if self._tested.wants == "URL" else self._tested.resource), found, None

    async def _page(self, url: str) -> TryResult:
        from pubweave.cli.addresses import problem_of
        from pubweave.output.webpage import webpage_text
        from pubweave.runtimes.wiring import page_wishes, pages_running

        problem = problem_of(url)
        if problem:
            raise Refused(problem)
        async with pages_running(self._settings, create=False, in_memory=True) as pages:
            page = await pages.read(url, page_wishes(self._settings, "webpage"))
        broken = page.is_broken() and not page.content
        return TryResult(
            webpage_text(page), page_sizes(page), f"{page.outcome}: {page.evidence}" if broken else ""
        )


def _unwanted(parts: tuple["PartName", ...]) -> set[str]:
    from pubweave.contract.vocabulary import PART_NAMES

    return {name for name in PART_NAMES if name not in parts and name not in ("pmid", "pmcid", "doi")}


def publication_sizes(alone: "Alone") -> dict[str, str]:
    """What the columns of a table say of a publication (F-TST-02, F-TST-04)."""
    from pubweave.output.authors import authors_text
    from pubweave.output.publication import json_key
    from pubweave.output.times import date

    record = alone.record
    sizes = {json_key(name): part.size for name, part in record.parts()}
    flags = {
        "oa": record.oa,
        "html": alone.gates.get("inEPMC", False),
        "pdf": alone.gates.get("hasPDF", False),
        "mined": alone.gates.get("hasTextMinedTerms", False),
    }
    return {
        **{name: str(size) for name, size in sizes.items()},
        **{name: "1" if flag else "0" for name, flag in flags.items()},
        "journal": str(len(record.journal_title)),
        "date": date(record.pub_date),
        "corresp": str(len(authors_text(record.corresp_author))),
        "links": str(len(alone.links)),
    }


def page_sizes(page: "WebpageRecord") -> dict[str, str]:
    """The same of a web page."""
    return {
        "title": str(len(page.title)),
        "content": str(page.content_size),
        "license": str(len(page.license)),
        "language": str(len(page.language)),
    }
