"""Filters of identifier lists (17.4); whether something is in a database is for whoever has one to say."""

from collections.abc import Callable
from operator import attrgetter
from typing import Final, NamedTuple

from pubweave.cli.operations.selecting.comparing import finder, host_names, quick_host
from pubweave.cli.operations.selecting.model import PAGES, PUBLICATIONS, Filter, FilterCondition, Test
from pubweave.contract.values import Identifiers
from pubweave.contract.vocabulary import EntryKind
from pubweave.core.identifiers import doi_registrant


class ListedEntry(NamedTuple):
    """One entry of a list of identifiers: a publication's, or the start address of a web page or doc."""

    identifiers: Identifiers = Identifiers()
    provenance: Identifiers = Identifiers()
    """Where each identifier was found (F-ID-20)."""
    url: str = ""


_Maker = Callable[[FilterCondition], Test]


def _has(of: Callable[[ListedEntry], str]) -> _Maker:
    return lambda _: lambda listed: bool(of(listed))


def _found(of: Callable[[ListedEntry], str]) -> _Maker:
    def make(condition: FilterCondition) -> Test:
        finds = finder(condition.pattern)
        return lambda listed: finds(of(listed))

    return make


def _registrant(condition: FilterCondition) -> Test:
    registrants = frozenset(condition.words)
    return lambda listed: doi_registrant(listed.identifiers.doi) in registrants


def _host(condition: FilterCondition) -> Test:
    hosts = host_names(condition.words)
    return lambda listed: quick_host(listed.url) in hosts


_MAKERS: Final[dict[str, tuple[_Maker, frozenset[EntryKind]]]] = {
    **{
        name: (maker, PUBLICATIONS)
        for kind in ("pmid", "pmcid", "doi")
        for name, maker in (
            (f"has-{kind}", _has(attrgetter(f"identifiers.{kind}"))),
            (kind, _found(attrgetter(f"identifiers.{kind}"))),
            (f"{kind}-url", _found(attrgetter(f"provenance.{kind}"))),
        )
    },
    "doi-registrant": (_registrant, PUBLICATIONS),
    "url": (_found(attrgetter("url")), PAGES),
    "url-host": (_host, PAGES),
}


def listed_filter(condition: FilterCondition) -> Filter:
    """A filter whose `holds` is asked about `ListedEntry`.

    :raises KeyError: there is no such filter
    """
    positive = condition.name.removeprefix("not-")
    maker, kinds = _MAKERS[positive]
    test = maker(condition)
    if positive != condition.name:
        return Filter(condition.name, kinds, lambda listed: not test(listed), needs_texts=False)
    return Filter(condition.name, kinds, test, needs_texts=False)
