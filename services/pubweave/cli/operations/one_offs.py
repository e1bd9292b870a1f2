"""Rows of 17.2 and 17.14: what is done once, before and after the pipeline."""

from typing import Final

from pubweave.cli.operations.model import MANY, Operation
from pubweave.cli.operations.rows import command, flag, one

ONE_OFF_ROWS: Final[tuple[Operation, ...]] = (
    command(
        "F-CLI-20",
        "db-init",
        "database",
        "database",
        "library.db",
        "db init",
        "Make an empty database; an error if it exists.",
    ),
    command(
        "F-CLI-21",
        "db-commit",
        "database",
        "database",
        "library.db",
        "db commit",
        "Move what an abrupt end left beside a database into it.",
    ),
    command(
        "F-CLI-22",
        "db-compact",
        "database",
        "database",
        "library.db",
        "db compact",
        "Give back the space of outdated records.",
    ),
    command(
        "F-CLI-23",
        "db-publications-size",
        "database",
        "database",
        "library.db",
        "db size --publications",
        "Print how many publications a database has.",
    ),
    command(
        "F-CLI-24",
        "db-webpages-size",
        "database",
        "database",
        "library.db",
        "db size --webpages",
        "Print how many web pages a database has.",
    ),
    command(
        "F-CLI-25",
        "db-docs-size",
        "database",
        "database",
        "library.db",
        "db size --docs",
        "Print how many docs a database has.",
    ),
    command(
        "F-CLI-26",
        "db-publications-map",
        "database",
        "database",
        "library.db",
        "db map",
        "Print which identifier leads to which primary one.",
    ),
    command(
        "F-CLI-27",
        "db-publications-map-reverse",
        "database",
        "database",
        "library.db",
        "db map --reverse",
        "Print each primary identifier with all identifiers of its publication and where they are from.",
    ),
    command(
        "F-CLI-28",
        "fetch-document",
        "document",
        "url",
        "https://loom.example/",
        "doc get",
        "Print a document as it comes, without JavaScript.",
    ),
    command(
        "F-CLI-29",
        "fetch-document-javascript",
        "document",
        "url",
        "https://loom.example/",
        "doc get --javascript",
        "Print a document after its JavaScript has run.",
    ),
    command(
        "F-CLI-30",
        "post-document",
        "document",
        "word",
        "https://loom.example/find name value",
        "doc post",
        "Print what an address answers to a POST of these pairs; a last name without value gets an empty one.",
        count=(1, MANY),
        metavars="URL [NAME VALUE] …",
    ),
    command(
        "F-CLI-31",
        "fetch-webpage-selector",
        "document",
        "word",
        "https://loom.example/ h1 '#main' ''",
        "doc select",
        "Print a web page as these selectors read it; an empty one means the page's own title, or all of its text.",
        count=(4, 4),
        metavars="URL TITLE CONTENT JAVASCRIPT",
    ),
    command(
        "F-CLI-32",
        "scrape-site",
        "rules",
        "word",
        "https://www.nature.com/articles/x",
        "rules site",
        "Print the name of the site whose rules an article page is read by, or null.",
        metavars="URL",
    ),
    command(
        "F-CLI-33",
        "scrape-selector",
        "rules",
        "word",
        "https://www.nature.com/articles/x abstract",
        "rules selector",
        "Print the selector in force for a key at an address, or null.",
        count=(2, 2),
        metavars="URL KEY",
    ),
    command(
        "F-CLI-34",
        "scrape-javascript",
        "rules",
        "word",
        "https://www.nature.com/articles/x",
        "rules javascript",
        "Print whether the rules send an article page to the browser: true or false.",
        metavars="URL",
    ),
    command(
        "F-CLI-35",
        "scrape-webpage",
        "rules",
        "word",
        "https://github.com/edamontology/pubfetcher",
        "rules webpage",
        "Print the rules for a web page or doc, or null.",
        metavars="URL",
    ),
    command(
        "F-CLI-36", "is-pmid", "identifier", "word", "31092905", "id is-pmid", "Say whether a text is a PMID."
    ),
    command(
        "F-CLI-37",
        "is-pmcid",
        "identifier",
        "word",
        "PMC6519000",
        "id is-pmcid",
        "Say whether a text is a PMCID.",
    ),
    command(
        "F-CLI-38",
        "extract-pmcid",
        "identifier",
        "word",
        "PMC6519000",
        "id extract-pmcid",
        "Print the digits of a PMCID; nothing if it is none.",
    ),
    command(
        "F-CLI-39",
        "is-doi",
        "identifier",
        "word",
        "10.1093/nar/gkz369",
        "id is-doi",
        "Say whether a text is a DOI.",
    ),
    command(
        "F-CLI-40",
        "normalise-doi",
        "identifier",
        "word",
        "doi:10.1093/nar/gkz369",
        "id normalise-doi",
        "Print a DOI without prefix, in upper case.",
    ),
    command(
        "F-CLI-41",
        "extract-doi-registrant",
        "identifier",
        "word",
        "10.1093/nar/gkz369",
        "id registrant",
        "Print the registrant of a DOI; nothing if it is none.",
    ),
    command(
        "F-CLI-42",
        "escape-html",
        "escape",
        "word",
        "'a<b'",
        "escape html",
        "Print a text with &, < and > escaped.",
    ),
    command(
        "F-CLI-43",
        "escape-html-attribute",
        "escape",
        "word",
        "'a b'",
        "escape attribute",
        "Print a text as an HTML attribute needs it: all but letters and digits escaped.",
    ),
    command(
        "F-CLI-44",
        "check-publication-id",
        "escape",
        "word",
        "10.1093/nar/gkz369",
        "id check",
        "Print an identifier as PMID, PMCID and DOI divided by tabs; an error if it is none.",
    ),
    command(
        "F-CLI-45",
        "check-publication-ids",
        "escape",
        "word",
        "31092905 PMC6519000 ''",
        "id check",
        "The same for a PMID, a PMCID and a DOI, of which some may be empty.",
        count=(3, 3),
        metavars="PMID PMCID DOI",
    ),
    command(
        "F-CLI-46",
        "check-url",
        "escape",
        "word",
        "https://loom.example/a",
        "id check-url",
        "Print a web address as it is understood; an error if it is none.",
        metavars="URL",
    ),
)

_TESTED: Final = (
    ("F-CLI-280", "europepmc-xml", "PMCID", "PMC6519000", "Europe PMC's full text"),
    ("F-CLI-281", "europepmc-html", "PMCID", "PMC6519000", "Europe PMC's page"),
    ("F-CLI-282", "pmc-xml", "PMCID", "PMC6519000", "PubMed Central"),
    ("F-CLI-283", "pmc-html", "PMCID", "PMC6519000", "PubMed Central's page"),
    ("F-CLI-284", "pubmed-xml", "PMID", "31092905", "PubMed"),
    ("F-CLI-285", "pubmed-html", "PMID", "31092905", "PubMed's page"),
    ("F-CLI-286", "europepmc", "PMID", "31092905", "Europe PMC"),
    ("F-CLI-287", "europepmc-mined", "PMID", "31092905", "Europe PMC's mined terms"),
    ("F-CLI-288", "oadoi", "DOI", "10.1093/nar/gkz369", "Unpaywall"),
    ("F-CLI-289", "site", "URL", "https://www.nature.com/articles/x", "the page of an article and its rules"),
    ("F-CLI-290", "webpage", "URL", "https://loom.example/", "a web page and its rules"),
)


def _tests() -> tuple[Operation, ...]:
    found: list[Operation] = []
    for feature, name, metavar, example, of in _TESTED:
        found.append(
            one(
                feature,
                f"print-{name}",
                "test",
                "word",
                example,
                f"Print what {of} alone gives, as its test looks at it.",
            )._replace(metavars=metavar)
        )
        found.append(
            flag(
                feature,
                f"test-{name}",
                "test",
                f"Compare what {of} gives today with the table that is kept of it.",
            )
        )
        if metavar == "URL":
            found.append(
                one(
                    feature,
                    f"test-{name}-regex",
                    "test",
                    "regex",
                    "'nature'",
                    f"The same, only for the lines of the table whose address matches ({of}).",
                )
            )
    return tuple(found)


TEST_ROWS: Final = _tests()
