"""Rows of 17.3 to 17.6: lists of identifiers, and how content is got for them."""

from typing import Final

from pubweave.cli.operations.model import MANY, Operation, Stage
from pubweave.cli.operations.rows import both, flag, one, some

_KINDS: Final = (("pub", "publications"), ("web", "web pages"), ("doc", "docs"))
_NAMES: Final = (("pmid", "PMID", "'^3'"), ("pmcid", "PMCID", "'^PMC6'"), ("doi", "DOI", "'(?i)nmeth'"))


def _adding() -> tuple[Operation, ...]:
    return (
        some(
            "F-CLI-50", "pub", "add", "identifier", "31092905 PMC6519000", "Add publications by identifier."
        ),
        some("F-CLI-51", "web", "add", "url", "https://loom.example/", "Add web pages by address."),
        some("F-CLI-52", "doc", "add", "url", "https://loom.example/doc", "Add docs by address."),
        some(
            "F-CLI-53",
            "pub-file",
            "add",
            "file",
            "publications.tsv",
            "Add publications from text files: PMID, PMCID and DOI a line, divided by tabs; "
            "an identifier alone will do.",
        ),
        some(
            "F-CLI-54",
            "web-file",
            "add",
            "file",
            "pages.txt",
            "Add web pages from text files with an address a line.",
        ),
        some(
            "F-CLI-55",
            "doc-file",
            "add",
            "file",
            "docs.txt",
            "Add docs from text files with an address a line.",
        ),
        *(
            some(
                f"F-CLI-{56 + number}",
                f"{kind}-db",
                "add",
                "database",
                "library.db",
                f"Add all {what} of databases.",
            )
            for number, (kind, what) in enumerate(_KINDS)
        ),
    )


def _filtering() -> tuple[Operation, ...]:
    rows: list[Operation] = []
    stage: Stage = "filter-ids"
    for number, (name, label, example) in enumerate(_NAMES):
        first = 70 + 3 * number
        rows += both(
            flag(f"F-CLI-{first}", f"has-{name}", stage, f"Keep publications that have a {label}."),
            f"Keep publications without a {label}.",
        )
        rows += both(
            one(
                f"F-CLI-{first + 1}",
                name,
                stage,
                "regex",
                example,
                f"Keep publications whose {label} matches.",
            ),
            f"Keep publications whose {label} does not match.",
        )
        rows += both(
            one(
                f"F-CLI-{first + 2}",
                f"{name}-url",
                stage,
                "regex",
                "'europepmc'",
                f"Keep publications where the place that the {label} is from matches.",
            ),
            f"Keep publications where the place that the {label} is from does not match.",
        )
    rows += both(
        some(
            "F-CLI-79",
            "doi-registrant",
            stage,
            "word",
            "1038 1093",
            "Keep publications whose DOI is of one of these registrants.",
        ),
        "Keep publications whose DOI is of none of these registrants.",
    )
    rows += both(
        one("F-CLI-80", "url", stage, "regex", "'^https'", "Keep web pages and docs whose address matches."),
        "Keep web pages and docs whose address does not match.",
    )
    rows += both(
        some(
            "F-CLI-81",
            "url-host",
            stage,
            "host",
            "github.com bioconductor.org",
            "Keep web pages and docs at one of these hosts.",
        ),
        "Keep web pages and docs at none of these hosts.",
    )
    rows += both(
        one(
            "F-CLI-82",
            "in-db",
            stage,
            "database",
            "other.db",
            "Keep what a database has; of a publication it must know every identifier.",
        ),
        "Keep what a database does not have.",
    )
    return tuple(rows)


LIST_ROWS: Final[tuple[Operation, ...]] = (
    *_adding(),
    *_filtering(),
    flag(
        "F-CLI-90",
        "asc-ids",
        "sort-ids",
        "Sort: PMIDs by number, then PMCIDs, then DOIs by registrant; addresses by alphabet.",
    ),
    flag("F-CLI-91", "desc-ids", "sort-ids", "Sort the other way round."),
    one("F-CLI-92", "head-ids", "limit-ids", "count", "10", "Keep the first of each of the three lists."),
    one("F-CLI-93", "tail-ids", "limit-ids", "count", "10", "Keep the last of each of the three lists."),
    one(
        "F-CLI-94",
        "remove-ids",
        "remove-ids",
        "database",
        "library.db",
        "Remove from a database what the lists name.",
    ),
    flag("F-CLI-95", "out-ids", "out-ids", "Print the lists."),
    one(
        "F-CLI-96",
        "txt-ids-pub",
        "out-ids",
        "file",
        "publications.tsv",
        "Write the publications' identifiers.",
    ),
    one("F-CLI-97", "txt-ids-web", "out-ids", "file", "pages.txt", "Write the addresses of the web pages."),
    one("F-CLI-98", "txt-ids-doc", "out-ids", "file", "docs.txt", "Write the addresses of the docs."),
    flag("F-CLI-99", "count-ids", "out-ids", "Print how many the lists have."),
    one("F-CLI-110", "db", "get", "database", "library.db", "Load the entries from a database."),
    flag("F-CLI-111", "fetch", "get", "Fetch the entries anew; nothing is stored."),
    one(
        "F-CLI-112",
        "fetch-put",
        "get",
        "database",
        "library.db",
        "Fetch the entries anew and put each into a database at once, over what is there.",
    ),
    one(
        "F-CLI-113",
        "db-fetch",
        "get",
        "database",
        "library.db",
        "Load the entries from a database; fetch what is not there or may be fetched again, and store it.",
    ),
    one(
        "F-CLI-114",
        "db-fetch-end",
        "get",
        "database",
        "library.db",
        "The same, and nothing goes on down the pipeline.",
    ),
    some(
        "F-CLI-120",
        "fetch-part",
        "getting",
        "part",
        "title theAbstract",
        "Fetch only these parts; identifiers are kept whenever they are found.",
        dashes=2,
    ),
    some(
        "F-CLI-121", "not-fetch-part", "getting", "part", "fulltext", "Fetch all parts but these.", dashes=2
    ),
    flag(
        "F-CLI-122",
        "pre-filter",
        "getting",
        "Filter each entry as it comes, so that --limit counts those that pass.",
        dashes=2,
    ),
    one(
        "F-CLI-123",
        "limit",
        "getting",
        "count",
        "3",
        "Get at most so many publications, web pages and docs; 0 is no limit.",
        dashes=2,
    ),
    one(
        "F-CLI-124",
        "threads",
        "getting",
        "count",
        "16",
        "How many entries are worked on at once by --db-fetch and --db-fetch-end; otherwise as in_flight says.",
        dashes=2,
    ),
)

assert all(row.most in (0, 1, MANY) for row in LIST_ROWS)
