"""Rows of 17.7 to 17.10: filters of content."""

from typing import Final

from pubweave.cli.operations.model import Argument, Operation, Stage
from pubweave.cli.operations.rows import both, flag, one, some, with_parts

_TIME: Final = "2026-01-31T00:00:00Z"


def _numbers(
    feature: str, name: str, stage: Stage, what: str, of: str, *, features: str = "", integer: bool = False
) -> tuple[Operation, ...]:
    """In a list, not in it, more, less."""
    argument: Argument = "integer" if integer else "count"
    after = features or feature
    return (
        *both(
            some(feature, name, stage, argument, "0 1", f"Keep {what} with one of these numbers as {of}."),
            f"Keep {what} with none of these numbers as {of}.",
        ),
        one(after, f"{name}-more", stage, argument, "1", f"Keep {what} with more than that as {of}."),
        one(
            _next(after) if after == "F-CLI-133" else after,
            f"{name}-less",
            stage,
            argument,
            "5",
            f"Keep {what} with less than that as {of}.",
        ),
    )


def _next(feature: str) -> str:
    return f"F-CLI-{int(feature.rpartition('-')[2]) + 1}"


def _times(
    feature: str, name: str, stage: Stage, what: str, of: str, *, second: str = ""
) -> tuple[Operation, ...]:
    return (
        one(feature, f"{name}-more", stage, "time", _TIME, f"Keep {what} with {of} at that time or later."),
        one(
            second or feature,
            f"{name}-less",
            stage,
            "time",
            _TIME,
            f"Keep {what} with {of} at that time or earlier.",
        ),
    )


def _state(feature: str, name: str, stage: Stage, what: str, is_: str, is_not: str) -> tuple[Operation, ...]:
    return both(flag(feature, name, stage, f"Keep {what} {is_}."), f"Keep {what} {is_not}.")


def _text(feature: str, name: str, stage: Stage, example: str, what: str, of: str) -> tuple[Operation, ...]:
    return both(
        one(feature, name, stage, "regex", example, f"Keep {what} whose {of} matches."),
        f"Keep {what} whose {of} does not match.",
    )


def _every_kind() -> tuple[Operation, ...]:
    stage: Stage = "filter"
    return (
        *_times(
            "F-CLI-130", "fetch-time", stage, "entries", "their first fetch or last reset", second="F-CLI-131"
        ),
        *_numbers("F-CLI-132", "retry-counter", stage, "entries", "number of retries", features="F-CLI-133"),
        *_state(
            "F-CLI-135",
            "fetch-exception",
            stage,
            "entries",
            "whose last fetch met a technical failure",
            "whose last fetch met no technical failure",
        ),
        *_state("F-CLI-136", "empty", stage, "entries", "without content", "with content"),
        *_state(
            "F-CLI-137",
            "usable",
            stage,
            "entries",
            "with enough content to be of use",
            "without enough content to be of use",
        ),
        *_state("F-CLI-138", "final", stage, "entries", "that are final", "that are not final"),
        *_text("F-CLI-139", "grep", stage, "'(?i)transposon'", "entries", "whole plain text"),
    )


_AUTHOR: Final = (
    ("name", "name", "'Smith'"),
    ("orcid", "ORCID iD", "'0000-0002'"),
    ("email", "e-mail address", "'@ebi'"),
    ("phone", "telephone number", "'^\\+44'"),
    ("uri", "web page", "'github'"),
)


def _authors() -> tuple[Operation, ...]:
    stage: Stage = "filter-publications"
    rows: list[Operation] = []
    for number, (name, label, example) in enumerate(_AUTHOR):
        feature = f"F-CLI-{158 + 2 * number}"
        rows += both(
            one(
                feature,
                f"corresp-author-{name}",
                stage,
                "regex",
                example,
                f"Keep publications where the {label} of some corresponding author matches.",
            ),
            f"Keep publications where the {label} of no corresponding author matches.",
        )
        rows += both(
            flag(
                _next(feature),
                f"corresp-author-{name}-empty",
                stage,
                f"Keep publications where no corresponding author has a {label}.",
            ),
            f"Keep publications where some corresponding author has a {label}.",
        )
    return tuple(rows)


def _publications() -> tuple[Operation, ...]:
    stage: Stage = "filter-publications"
    what = "publications"
    return (
        *_state(
            "F-CLI-150",
            "totally-final",
            stage,
            what,
            "of which all ten parts are final",
            "with a part not final",
        ),
        *_state("F-CLI-151", "oa", stage, what, "that are Open Access", "that are not Open Access"),
        *_text("F-CLI-152", "journal-title", stage, "'^Nature'", what, "journal title"),
        *_state(
            "F-CLI-153", "journal-title-empty", stage, what, "without a journal title", "with a journal title"
        ),
        *_times("F-CLI-154", "pub-date", stage, what, "their publication date"),
        *_numbers("F-CLI-155", "citations-count", stage, what, "number of citations", features="F-CLI-156"),
        *_times("F-CLI-157", "citations-timestamp", stage, what, "their citations counted"),
        *_authors(),
        *_numbers(
            "F-CLI-168",
            "corresp-author-size",
            stage,
            what,
            "number of corresponding authors",
            features="F-CLI-169",
        ),
        *_visited(),
    )


def _visited() -> tuple[Operation, ...]:
    stage: Stage = "filter-publications"
    what = "Keep publications for which"
    return (
        *both(
            one("F-CLI-170", "visited", stage, "regex", "'nature'", f"{what} some visited address matches."),
            f"{what} no visited address matches.",
        ),
        *both(
            some(
                "F-CLI-171",
                "visited-host",
                stage,
                "host",
                "nature.com",
                f"{what} one of these hosts was visited.",
            ),
            f"{what} none of these hosts was visited.",
        ),
        *both(
            some(
                "F-CLI-172",
                "visited-type",
                stage,
                "type",
                "doi link_oadoi",
                f"{what} a site of one of these types was visited.",
            ),
            f"{what} no site of these types was visited.",
        ),
        one(
            "F-CLI-173",
            "visited-type-more",
            stage,
            "type",
            "citation",
            f"{what} a site of a better type was visited.",
        ),
        one(
            "F-CLI-173",
            "visited-type-less",
            stage,
            "type",
            "doi",
            f"{what} a site of a lesser type was visited.",
        ),
        *both(
            flag("F-CLI-174", "visited-type-final", stage, f"{what} a site of a final type was visited."),
            f"{what} no site of a final type was visited.",
        ),
        *both(
            flag("F-CLI-175", "visited-type-pdf", stage, f"{what} a site of a PDF type was visited."),
            f"{what} no site of a PDF type was visited.",
        ),
        *both(
            one(
                "F-CLI-176",
                "visited-from",
                stage,
                "regex",
                "'unpaywall'",
                f"{what} the place where some visited address was found matches.",
            ),
            f"{what} the place of no visited address matches.",
        ),
        *both(
            some(
                "F-CLI-177",
                "visited-from-host",
                stage,
                "host",
                "doi.org",
                f"{what} some visited address was found at one of these hosts.",
            ),
            f"{what} no visited address was found at these hosts.",
        ),
        one(
            "F-CLI-178",
            "visited-time-more",
            stage,
            "time",
            _TIME,
            f"{what} some site was visited at that time or later.",
        ),
        one(
            "F-CLI-178",
            "visited-time-less",
            stage,
            "time",
            _TIME,
            f"{what} some site was visited at that time or earlier.",
        ),
        *_numbers(
            "F-CLI-179",
            "visited-size",
            stage,
            "publications",
            "number of visited sites",
            features="F-CLI-180",
        ),
    )


def _parts() -> tuple[Operation, ...]:
    stage: Stage = "filter-parts"
    each, none = "Keep publications of which each listed part", "Keep publications of which no listed part"
    return (
        *both(
            some("F-CLI-190", "part-empty", stage, "part", "fulltext", f"{each} is empty."),
            f"{none} is empty.",
        ),
        *both(
            some("F-CLI-191", "part-usable", stage, "part", "title theAbstract", f"{each} is usable."),
            f"{none} is usable.",
        ),
        *both(
            some("F-CLI-192", "part-final", stage, "part", "title fulltext", f"{each} is final."),
            f"{none} is final.",
        ),
        *with_parts(
            one(
                "F-CLI-193",
                "part-content",
                stage,
                "regex",
                "'(?i)genome'",
                f"{each} matches; of a list some element must.",
            ),
            f"{none} matches.",
        ),
        *with_parts(
            some("F-CLI-194", "part-size", stage, "count", "0 1", f"{each} has one of these sizes."),
            f"{none} has one of these sizes.",
        ),
        *with_parts(
            one(
                "F-CLI-195",
                "part-size-more",
                stage,
                "count",
                "100",
                f"{each} is larger: in characters, or in elements of a list.",
            )
        ),
        *with_parts(one("F-CLI-196", "part-size-less", stage, "count", "100", f"{each} is smaller.")),
        *with_parts(
            some(
                "F-CLI-197", "part-type", stage, "type", "europepmc doi", f"{each} is of one of these types."
            ),
            f"{none} is of one of these types.",
        ),
        *with_parts(
            one("F-CLI-198", "part-type-more", stage, "type", "citation", f"{each} is of a better type.")
        ),
        *with_parts(one("F-CLI-199", "part-type-less", stage, "type", "doi", f"{each} is of a lesser type.")),
        *with_parts(
            flag("F-CLI-200", "part-type-final", stage, f"{each} is of a final type."),
            f"{none} is of a final type.",
        ),
        *with_parts(
            flag("F-CLI-201", "part-type-pdf", stage, f"{each} is of a PDF type."),
            f"{none} is of a PDF type.",
        ),
        *with_parts(
            one(
                "F-CLI-202",
                "part-url",
                stage,
                "regex",
                "'^https://www.ebi'",
                f"{each} is from an address that matches.",
            ),
            f"{none} is from an address that matches.",
        ),
        *with_parts(
            some(
                "F-CLI-203",
                "part-url-host",
                stage,
                "host",
                "ebi.ac.uk",
                f"{each} is from one of these hosts.",
            ),
            f"{none} is from one of these hosts.",
        ),
        *with_parts(
            one(
                "F-CLI-204",
                "part-time-more",
                stage,
                "time",
                _TIME,
                f"{each} was fetched at that time or later.",
            )
        ),
        *with_parts(
            one(
                "F-CLI-205",
                "part-time-less",
                stage,
                "time",
                _TIME,
                f"{each} was fetched at that time or earlier.",
            )
        ),
    )


def _pages() -> tuple[Operation, ...]:
    stage: Stage = "filter-pages"
    what = "web pages and docs"

    def hosts(feature: str, name: str, of: str) -> tuple[Operation, ...]:
        return both(
            some(feature, name, stage, "host", "github.com", f"Keep {what} with {of} at one of these hosts."),
            f"Keep {what} with {of} at none of these hosts.",
        )

    def nothing(feature: str, name: str, of: str) -> tuple[Operation, ...]:
        return _state(feature, name, stage, what, f"without {of}", f"with {of}")

    return (
        *_state("F-CLI-210", "broken", stage, what, "that could not be fetched", "that could be fetched"),
        *_text("F-CLI-211", "start-url", stage, "'^https'", what, "start address"),
        *hosts("F-CLI-212", "start-url-host", "a start address"),
        *_text("F-CLI-213", "final-url", stage, "'/docs/'", what, "final address"),
        *hosts("F-CLI-214", "final-url-host", "a final address"),
        *nothing("F-CLI-215", "final-url-empty", "a final address"),
        *_text("F-CLI-216", "content-type", stage, "'^text/html'", what, "Content-Type"),
        *nothing("F-CLI-217", "content-type-empty", "a Content-Type"),
        *_numbers("F-CLI-218", "status-code", stage, what, "status", features="F-CLI-219", integer=True),
        *_text("F-CLI-220", "title", stage, "'(?i)workflow'", what, "title"),
        *_numbers("F-CLI-221", "title-size", stage, what, "length of the title", features="F-CLI-222"),
        *_text("F-CLI-223", "content", stage, "'(?i)download'", what, "content"),
        *_numbers("F-CLI-224", "content-size", stage, what, "length of the content", features="F-CLI-225"),
        *_times("F-CLI-226", "content-time", stage, what, "their content set"),
        *_text("F-CLI-227", "license", stage, "'(?i)gpl'", what, "licence"),
        *nothing("F-CLI-228", "license-empty", "a licence"),
        *_text("F-CLI-229", "language", stage, "'Python'", what, "programming language"),
        *nothing("F-CLI-230", "language-empty", "a programming language"),
        *_state(
            "F-CLI-231",
            "has-scrape",
            stage,
            what,
            "for whose final address there are rules (also decides which top hosts are shown)",
            "for whose final address there are no rules (also decides which top hosts are shown)",
        ),
    )


FILTER_ROWS: Final[tuple[Operation, ...]] = (
    *_every_kind(),
    *_publications(),
    # Of newer versions of PubFetcher.
    *_state(
        "HEAD",
        "preprint",
        "filter-publications",
        "publications",
        "that are preprints",
        "that are no preprints",
    ),
    *_parts(),
    *_pages(),
)
