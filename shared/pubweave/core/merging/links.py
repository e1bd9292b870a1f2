"""The list of links of one run: what gets on it, in which order, and when it ends (chapter 12)."""

from typing import Final

from pubweave.contract.values import Link, RunSettings
from pubweave.contract.vocabulary import PartName, TypeName
from pubweave.core.addresses import is_pmc_family, is_web_address
from pubweave.core.merging.fold import Draft, same_site
from pubweave.core.politeness import host_of
from pubweave.core.types import FINAL, PDF, RANK, is_better

_DOI_HOSTS: Final = frozenset({"doi.org", "dx.doi.org"})
_FOUR: Final[tuple[PartName, ...]] = ("title", "keywords", "theAbstract", "fulltext")
_PAGE: Final[frozenset[PartName]] = frozenset(
    {"pmid", "pmcid", "doi", "title", "keywords", "theAbstract", "fulltext"}
)


def _order(link: Link) -> int:
    """Final types are equal and on top; others by the ladder (F-LNK-06)."""
    return 0 if link.type in FINAL else RANK[link.type]


class LinkList:
    """Links of one run and generation in the order to be followed; sorting is stable, so equals keep
    the order of place."""

    __slots__ = ("followed", "links", "tried")

    def __init__(self) -> None:
        self.links: list[Link] = []
        self.tried: set[tuple[str, str, str]] = set()
        self.followed = 0

    def mark_tried(self, url: str) -> None:
        """F-NET-04: not to be fetched again for this publication."""
        self.tried.add(same_site(url))

    def add(self, link: Link) -> None:
        """Take a link on, unless chapter 12 refuses it; the same link with a better type moves up."""
        if not is_web_address(link.url) or host_of(link.url) in _DOI_HOSTS or is_pmc_family(link.url):
            return
        site = same_site(link.url)
        if site in self.tried:
            return
        for index, known in enumerate(self.links):
            if same_site(known.url) == site:
                if not is_better(link.type, known.type):
                    return
                del self.links[index]
                break
        self.links.append(link)
        self.links.sort(key=_order)

    def next(self, draft: Draft, settings: RunSettings, max_links: int) -> Link | None:
        """The next link to follow, taken off the list; None ends the phase and discards the rest."""
        while self.links:
            link = self.links[0]
            if (
                self.followed >= max_links
                or not _phase_goes_on(draft, settings)
                or not _worth(link, draft, settings)
            ):
                break
            self.links.pop(0)
            self.mark_tried(link.url)
            if not _is_skipped(link, draft, settings):
                self.followed += 1
                return link
        self.links.clear()
        return None


def _lacks(parts: frozenset[PartName] | tuple[PartName, ...], draft: Draft, settings: RunSettings) -> bool:
    return any(settings.wants(part) and not draft.is_final(part, settings.thresholds) for part in parts)


def _phase_goes_on(draft: Draft, settings: RunSettings) -> bool:
    """F-NEED-12."""
    if settings.identifiers_only():
        return _lacks(("pmid", "pmcid", "doi"), draft, settings)
    return _lacks(_FOUR, draft, settings)


def _worth(link: Link, draft: Draft, settings: RunSettings) -> bool:
    """F-LNK-07 with A-16: better than the worst type of the requested ones of the four parts."""
    wanted = [draft.parts[part] for part in _FOUR if settings.wants(part)]
    # An article without its body is as good as none.
    types: list[TypeName] = ["na" if part.never_final else part.type for part in wanted]
    return not types or is_better(link.type, max(types, key=RANK.__getitem__))


def _is_skipped(link: Link, draft: Draft, settings: RunSettings) -> bool:
    """F-NEED-10 and F-NEED-11."""
    if link.type in PDF:
        return not _lacks(("fulltext",), draft, settings)
    return not _lacks(_PAGE - {"keywords"} if link.type == "link_oadoi" else _PAGE, draft, settings)
