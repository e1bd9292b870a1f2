"""Rows of 17.11 to 17.13: order, limits, what is done with the result and how it is put out."""

from typing import Final

from pubweave.cli.operations.model import Operation
from pubweave.cli.operations.rows import flag, one, some

END_ROWS: Final[tuple[Operation, ...]] = (
    flag("F-CLI-240", "asc", "sort", "Sort by identifiers, or by start address."),
    flag("F-CLI-241", "desc", "sort", "Sort by identifiers, or by start address, the other way round."),
    flag("F-CLI-242", "asc-time", "sort", "Sort by time of fetching, oldest first."),
    flag("F-CLI-243", "desc-time", "sort", "Sort by time of fetching, newest first."),
    one(
        "F-CLI-244",
        "head",
        "limit",
        "count",
        "10",
        "Keep the first of each kind, and of each list of top hosts.",
    ),
    one(
        "F-CLI-245",
        "tail",
        "limit",
        "count",
        "10",
        "Keep the last of each kind, and of each list of top hosts.",
    ),
    one(
        "F-CLI-250",
        "update-citations-count",
        "end",
        "database",
        "library.db",
        "Ask how often the publications are cited now, and put those that could be asked into a database.",
    ),
    one(
        "F-CLI-251",
        "put",
        "end",
        "database",
        "other.db",
        "Put the entries into a database, over what is there.",
    ),
    one("F-CLI-252", "remove", "end", "database", "library.db", "Remove the entries from a database."),
    flag("F-CLI-253", "out", "end", "Print the entries."),
    one("F-CLI-254", "txt-pub", "end", "file", "publications.txt", "Write the publications."),
    one("F-CLI-255", "txt-web", "end", "file", "pages.txt", "Write the web pages."),
    one("F-CLI-256", "txt-doc", "end", "file", "docs.txt", "Write the docs."),
    flag("F-CLI-257", "count", "end", "Print how many entries of each kind there are."),
    flag("F-CLI-258", "out-top-hosts", "end", "Print which hosts occur how often, most frequent first."),
    one(
        "F-CLI-259",
        "txt-top-hosts-pub",
        "end",
        "file",
        "hosts.tsv",
        "Write the hosts visited for publications.",
    ),
    one("F-CLI-260", "txt-top-hosts-web", "end", "file", "hosts.tsv", "Write the hosts of the web pages."),
    one("F-CLI-261", "txt-top-hosts-doc", "end", "file", "hosts.tsv", "Write the hosts of the docs."),
    flag("F-CLI-262", "count-top-hosts", "end", "Print how many different hosts there are of each kind."),
    flag("F-CLI-263", "part-table", "end", "Print how many parts are of which type, as CSV."),
    flag("F-CLI-270", "plain", "output", "Leave the metadata out.", dashes=2),
    one(
        "F-CLI-271",
        "format",
        "output",
        "format",
        "json",
        "The format of what is put out; otherwise text.",
        dashes=2,
    ),
    some(
        "F-CLI-272",
        "out-part",
        "output",
        "part",
        "pmid title",
        "Put out only these parts of publications, whatever is fetched.",
        dashes=2,
    ),
    flag(
        "OURS", "quiet", "output", "Say nothing while it works but errors; the log has everything.", dashes=2
    ),
)
