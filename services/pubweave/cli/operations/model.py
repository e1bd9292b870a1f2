"""One row of the table of operations."""

from typing import Final, Literal, NamedTuple

Argument = Literal[
    "none",
    "regex",
    "time",
    "count",
    "integer",
    "part",
    "type",
    "format",
    "word",
    "host",
    "identifier",
    "url",
    "file",
    "database",
]

ARGUMENTS: Final[dict[Argument, tuple[str, str]]] = {
    "none": ("", ""),
    "regex": ("REGEX", "a regular expression of Java, found anywhere in the text"),
    "time": ("TIME", "an instant such as 2018-08-31T13:37:51Z"),
    "count": ("N", "a whole number, not negative"),
    "integer": ("N", "a whole number"),
    "part": (
        "PART",
        "one of pmid, pmcid, doi, title, keywords, mesh, efo, go, theAbstract (or abstract), fulltext",
    ),
    "type": ("TYPE", "one of the types of parts, such as europepmc_xml"),
    "format": ("FORMAT", "text, html or json, or another that docs/formats.md has"),
    "word": ("TEXT", "a text"),
    "host": ("HOST", "a host; case and a leading www. do not matter"),
    "identifier": ("ID", "a PMID, PMCID or DOI"),
    "url": ("URL", "a web address"),
    "file": ("FILE", "a file"),
    "database": ("DB", "a database file"),
}
"""How an argument is called in help, and what it is."""

Stage = Literal[
    "database",
    "document",
    "rules",
    "identifier",
    "escape",
    "add",
    "filter-ids",
    "sort-ids",
    "limit-ids",
    "remove-ids",
    "out-ids",
    "get",
    "getting",
    "filter",
    "filter-publications",
    "filter-parts",
    "filter-pages",
    "sort",
    "limit",
    "end",
    "output",
    "test",
]

STAGES: Final[dict[Stage, str]] = {
    "database": "Databases",
    "document": "Single documents",
    "rules": "Rules in force",
    "identifier": "Single identifiers",
    "escape": "Escaping",
    "add": "Add identifiers",
    "filter-ids": "Filter identifiers",
    "sort-ids": "Sort identifiers",
    "limit-ids": "Limit identifiers",
    "remove-ids": "Remove by identifier",
    "out-ids": "Put identifiers out",
    "get": "Get content",
    "getting": "How content is got",
    "filter": "Filter content of every kind",
    "filter-publications": "Filter publications",
    "filter-parts": "Filter publications by their parts",
    "filter-pages": "Filter web pages and docs",
    "sort": "Sort content",
    "limit": "Limit content",
    "end": "What is done with the result",
    "output": "How it is put out",
    "test": "Tests of resources and rules",
}
"""In the order in which they happen, whatever the order of options (F-CLI-10, F-CLI-11)."""

ONE_OFFS: Final[frozenset[Stage]] = frozenset(("database", "document", "rules", "identifier", "escape"))
FILTERS: Final[frozenset[Stage]] = frozenset(
    ("filter", "filter-publications", "filter-parts", "filter-pages")
)


class Operation(NamedTuple):
    """One option."""

    feature: str
    """Its number in the specification; `HEAD` for what only newer versions of PubFetcher have, `OURS` for
    what none has."""
    name: str
    """Without dashes; unique."""
    stage: Stage
    argument: Argument
    least: int
    most: int
    """How many arguments; `MANY` is without limit."""
    sentence: str
    """What it does, for people."""
    example: str
    """Arguments as they are typed in an example."""
    dashes: int = 1
    """Of the legacy spelling."""
    negates: str = ""
    """The name of the option whose condition this one turns around."""
    companion: str = ""
    """The name of the option that must be given with it."""
    metavars: str = ""
    """Where the arguments differ among themselves."""
    command: tuple[str, ...] = ()
    """Of a one-off: the modern command that does it; its arguments follow."""

    @property
    def legacy(self) -> str:
        return "-" * self.dashes + self.name

    @property
    def spelling(self) -> str:
        """In `pubweave pipe`."""
        return f"--{self.name}"

    @property
    def arguments(self) -> str:
        """For help: `REGEX`, `HOST …`."""
        if self.metavars:
            return self.metavars
        metavar = ARGUMENTS[self.argument][0]
        return f"{metavar} …" if self.most > 1 else metavar


MANY: Final = 1_000_000_000
