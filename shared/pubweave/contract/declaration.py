"""The form of `declaration.py`, in which the folder of a resource says everything that the resource is.

`make generate` gathers the declarations of all folders into `resources.py` and `resource_names.py` beside this file.
Vocabulary, chain, settings, labels, budgets, schemas, compose blocks and manifests are made from there, so nothing of a
resource is written down twice. `problems` says what is wrong with them; the first of its laws is that a resource
which nobody asks is a mistake.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, Literal, NamedTuple, TypeVar

from pubweave.contract.resource_names import ResourceName, TypeName
from pubweave.contract.vocabulary import GateName, IdentifierKind, PageKind, PartName

ARTICLE: Final[frozenset[PartName]] = frozenset(
    {"pmid", "pmcid", "doi", "title", "keywords", "theAbstract", "fulltext"}
)
"""What an article's page or full text says of it."""
PUBMED: Final[frozenset[PartName]] = frozenset({"pmid", "pmcid", "doi", "title", "mesh", "theAbstract"})
"""What is asked of a PubMed record; its keywords alone are no reason to."""

Asked = Literal["by-chain", "by-links", "for-pages", "by-tests"]
"""Who asks a resource: the chain, by its rows; the list of links, when the chain is over; whoever wants a web page or a
doc read; or test operations only, and no run ever (F-DIS-01)."""


class ChainRow(NamedTuple):
    """One row of the chain (chapter 9): when a resource is asked, and with what."""

    rank: int
    """Where its answers stand among all others. An id that stored places hold, never to be changed; in tens, so that
    another row can come between."""
    resource: ResourceName
    asks: tuple[IdentifierKind, ...]
    """Identifiers to ask with, best first; each value once, and no more after a success."""
    skipped_when_final: frozenset[PartName]
    """Not asked when all requested parts of this set are final (F-NEED-01…12)."""
    gives: frozenset[str]
    """What its answer may set: parts, `oa`, gates. What it does not give, it cannot change."""
    gate: GateName | None = None
    """Europe PMC must have said so."""
    also_for_oa: bool = False
    """Asked too while a full text is requested and the publication is not known to be open access."""
    also_for_identifiers: bool = False
    """Asked too when only identifiers were requested and one of them is not final."""
    needs_all_settled: bool = False
    """Its further hops depend on what is missing, so it waits for every pending answer."""


class Type(NamedTuple):
    """What a value that the resource gives is marked with (chapter 4.1)."""

    name: TypeName
    rank: int
    """Its place in the order of types, the best first. In tens, so that another type can come between."""
    label: str
    """What people read."""
    final: bool = False
    """Nothing is asked for a part that has it; only the specification's ten are."""
    pdf: TypeName | None = None
    """The type of what a PDF gives that a page of this type leads to (F-TY-06)."""


class SourceAddress(NamedTuple):
    """Where the source is: the setting `address_<name>` and `context.addresses.<name>`."""

    name: str
    url: str
    """Without a slash at the end."""
    sentence: str
    """What is there, for the list of settings."""
    probe: str = ""
    """What `pubweave doctor` asks there, path and query: small, any answer will do. Empty: it does not ask."""


class Budget(NamedTuple):
    """How often an API family may be asked, over all its addresses. 0 means no limit of that kind."""

    family: str
    """What a resource writes into `Request.family`."""
    at: tuple[str, ...] = ()
    """Hosts, or hosts with a path prefix, without scheme; the longest match wins."""
    source: str = ""
    """Where the figures come from."""
    as_of: str = ""
    """When they were looked up: year and month."""
    requests: int = 0
    """Starts allowed in any window of `seconds`."""
    seconds: float = 1
    with_key: int = 0
    """`requests` for those who have set `key`."""
    key: str = ""
    """The setting that earns `with_key`: an API key, or an e-mail address."""
    connections: int = 0
    """Requests at a time over the whole family; 0: the limit per host holds."""
    daily_quota: int = 0
    """Requests per day (UTC), kept over restarts."""

    def starts(self, *, keyed: bool) -> int:
        """Requests per window; 0 without limit. Slower than one a second is said with a longer window."""
        return self.with_key if keyed and self.with_key else self.requests


class Batching(NamedTuple):
    """How needs are gathered before the resource is asked with them as one work."""

    max_needs: int = 1
    """So many at most are gathered."""
    linger_ms: int = 0
    """How long a first need waits for company while others are on their way."""
    per_request: int = 0
    """How many identifiers one request may carry; 0: as many as are gathered."""

    @property
    def most(self) -> int:
        """Identifiers in one request."""
        return self.per_request or self.max_needs


class Declaration(NamedTuple):
    """Everything that a resource is, but the function that asks and reads."""

    name: ResourceName
    """That of its folder."""
    label: str
    """What people read, in `explain`, `status` and reports."""
    story: str
    """One sentence: what it asks for what."""
    asked: Asked = "by-chain"
    on: bool = True
    """Asked unless somebody says otherwise; one that is off is asked where the setting `resources` names it."""
    rows: tuple[ChainRow, ...] = ()
    """Its rows of the chain."""
    entry: PageKind | None = None
    """What it reads, if it is asked for pages."""
    types: tuple[Type, ...] = ()
    addresses: tuple[SourceAddress, ...] = ()
    budgets: tuple[Budget, ...] = ()
    """Families that are its own; it may ask under those of other resources too."""
    batching: Batching = Batching()
    slow_to_read: bool = False
    """Reads web pages or JATS: its replies are read in a process beside from a few KB on (runtimes/readers)."""


OWN_TYPES: Final = (
    Type("external", 210, "Supplied by the user"),
    Type("na", 1_000, "Nothing"),
)
"""Types that no resource gives."""

LINKS_RANK: Final = 100
"""Where links stand, which follow the chain: all rows come before."""


def in_order(declarations: Iterable[Declaration]) -> tuple[Declaration, ...]:
    """By the chain; after it who follows links, reads pages, and serves tests."""
    kinds: tuple[Asked, ...] = ("by-chain", "by-links", "for-pages", "by-tests")
    return tuple(
        sorted(
            declarations,
            key=lambda one: (
                kinds.index(one.asked),
                min((row.rank for row in one.rows), default=0),
                one.name,
            ),
        )
    )


def types_of(declarations: Iterable[Declaration]) -> tuple[Type, ...]:
    """All types, best first."""
    declared = (one for declaration in declarations for one in declaration.types)
    return tuple(sorted((*OWN_TYPES, *declared), key=lambda one: one.rank))


def problems(declarations: Sequence[Declaration]) -> list[str]:
    """What is wrong with them, a sentence each; empty if they can be used."""
    found = [sentence for one in declarations for sentence in _alone(one)]
    rows = [row for one in declarations for row in one.rows]
    types = types_of(declarations)
    found += _twice("the name", declarations, lambda one: one.name)
    found += _twice("the label", declarations, lambda one: one.label)
    found += _twice("the rank of a row", rows, lambda row: row.rank)
    found += _twice("the type", types, lambda one: one.name)
    found += _twice("the rank of a type", types, lambda one: one.rank)
    found += _twice("the label of a type", types, lambda one: one.label)
    found += _twice("the address", [a for one in declarations for a in one.addresses], lambda one: one.name)
    found += _twice("the budget", [b for one in declarations for b in one.budgets], lambda one: one.family)
    given = {word for row in rows for word in row.gives}
    found += [
        f"{row.resource}: nobody gives the gate {row.gate} of the row {row.rank}, so it is never asked."
        for row in rows
        if row.gate is not None and row.gate not in given
    ]
    final = [one.final for one in types]
    if final != sorted(final, reverse=True):
        found.append("A final type stands below one that is not final.")
    known = {one.name for one in types}
    found += [
        f"The type {one.name} leads to PDFs of the type {one.pdf}, which nobody declares."
        for one in types
        if one.pdf is not None and one.pdf not in known
    ]
    return found


def _alone(one: Declaration) -> Iterator[str]:
    """What is wrong with a declaration by itself."""
    name = one.name
    if not name.isidentifier() or name != name.lower():
        yield f"{name}: a name is lower case, with underscores."
    if one.asked == "by-chain" and not one.rows:
        yield f"{name}: nobody asks it: it declares no row of the chain."
    if one.asked != "by-chain" and one.rows:
        yield f"{name}: it is asked {one.asked} and declares rows of the chain."
    if (one.asked == "for-pages") != (one.entry is not None):
        yield f"{name}: `entry` says what a resource reads that is asked for pages, and only that."
    if not one.label or not one.story.endswith("."):
        yield f"{name}: it wants a label, and a story of one sentence."
    for row in one.rows:
        yield from _of_row(name, row)
    for address in one.addresses:
        if not address.url.startswith(("http://", "https://")) or address.url.endswith("/"):
            yield f"{name}: {address.url} is no address without a slash at the end."
    for budget in one.budgets:
        if not (budget.at and budget.source and budget.as_of):
            yield f"{name}: the budget {budget.family} does not say where it holds, who says so, and since when."
        if bool(budget.with_key) != bool(budget.key):
            yield f"{name}: the budget {budget.family} has `with_key` without `key`, or the other way round."
    if one.batching.max_needs < 1 or one.batching.most > one.batching.max_needs:
        yield f"{name}: a request carries {one.batching.most} of {one.batching.max_needs} needs gathered."


def _of_row(name: str, row: ChainRow) -> Iterator[str]:
    if row.resource != name:
        yield f"{name}: its row {row.rank} is one of {row.resource}."
    if not 0 < row.rank < LINKS_RANK:
        yield f"{name}: the rank {row.rank} is not between 1 and {LINKS_RANK - 1}."
    if not row.asks:
        yield f"{name}: nobody asks its row {row.rank}: there is no identifier to ask with."
    if not (row.skipped_when_final or row.also_for_oa or row.also_for_identifiers):
        yield f"{name}: nobody asks its row {row.rank}: nothing that may be lacking is a reason to."
    if not row.gives:
        yield f"{name}: its row {row.rank} gives nothing."


_T = TypeVar("_T")


def _twice(what: str, among: Iterable[_T], of: Callable[[_T], object]) -> Iterator[str]:
    seen = set()
    for one in among:
        value = of(one)
        if value in seen:
            yield f"{what[0].upper()}{what[1:]} {value} is declared twice."
        seen.add(value)
