"""A seeded universe of publications: who they are, who knows what about them, who is wrong.

`Universe(seed, size).publication(i)` is computed when asked for and depends on `(seed, i)` alone, so a universe
of a million costs no more memory than one of ten. Identifiers carry the number of their publication (scrambled),
so they are looked up by arithmetic. Contents (texts, authors, terms) are in `simnet.content`.
"""

from collections.abc import Iterator
from functools import lru_cache

from simnet.facts import Ids, Publication
from simnet.kinds import Draft
from simnet.numbers import EIGHT_DIGITS, MASK, MAX_SIZE, PMCID_BASE, PMID_BASE, unscramble
from simnet.profile import STANDARD, Profile

_KIND_STRIDE = 387
"""Coprime to 1000: a thousand consecutive publications meet each kind its exact number of times."""


class Universe:
    """All publications of a seed, by number and by identifier.

    :raises ValueError: the size is not in 1…4,194,304
    """

    def __init__(
        self, seed: int = 1, size: int = 2000, profile: Profile = STANDARD, cache: int = 4096
    ) -> None:
        if not 1 <= size <= MAX_SIZE:
            raise ValueError(f"a universe has 1 to {MAX_SIZE} publications, not {size}")
        self.seed = seed
        self.size = size
        self.profile = profile
        self._kinds = _kind_table(profile)
        self.publication = lru_cache(maxsize=cache)(self._publication)

    def __iter__(self) -> Iterator[Publication]:
        return (self.publication(i) for i in range(self.size))

    def _publication(self, index: int) -> Publication:
        if not 0 <= index < self.size:
            raise IndexError(index)
        kind = self._kinds[(index * _KIND_STRIDE + self.seed * 13) % 1000]
        return Draft(self.seed, index, kind, self.profile).finish()

    def submissions(self, count: int | None = None, start: int = 0) -> list[Ids]:
        """What a user submits, one for each publication, in order."""
        end = self.size if count is None else min(self.size, start + count)
        return [self.publication(i).submitted for i in range(start, end)]

    def examples(self, count: int) -> list[str]:
        """Identifiers to show somebody what comes out: mostly complete records, found by PMID, PMCID and DOI in turn, then a
        preprint, a retracted article and one whose PMCID only PubMed tells."""
        special = {"preprint": "", "retracted": "", "pmcid-late-pubmed": ""}
        complete: list[str] = []
        for publication in self:
            for name in (publication.kind, publication.notice):
                if name in special and not special[name]:
                    special[name] = next(filter(None, publication.submitted))
            if _is_complete(publication) and len(complete) < count:
                complete.append(publication.ids[len(complete) % 3])
            if len(complete) == count and all(special.values()):
                break
        extra = [one for one in special.values() if one][: count // 2]
        found = [*complete[: count - len(extra)], *extra][:count]
        others = (next(filter(None, ids)) for ids in self.submissions(2 * count))
        return [*found, *(one for one in others if one not in found)][:count]

    def by_pmid(self, pmid: str) -> Publication | None:
        """The publication that this PMID (true, wrong or of a twin) belongs to."""
        return self._at((int(pmid) - PMID_BASE) >> 2) if pmid.isdigit() else None

    def by_pmcid(self, pmcid: str) -> Publication | None:
        """The same for a PMCID, with or without prefix, any case."""
        digits = pmcid.upper().removeprefix("PMC")
        return self._at((int(digits) - PMCID_BASE) >> 2) if digits.isdigit() else None

    def by_doi(self, doi: str) -> Publication | None:
        """The same for a DOI, any case."""
        found = EIGHT_DIGITS.search(doi)
        return self._at(int(found[0]) >> 2) if found else None

    def by_number(self, record_id: str) -> Publication | None:
        """The publication of a Europe PMC record id that is neither PMID nor PMCID (PPR…, IND…)."""
        digits = record_id.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        return self._at(int(digits) >> 2) if digits.isdigit() else None

    def owner(self, ids: Ids) -> Publication | None:
        """The publication somebody means who submits these identifiers."""
        if ids.pmid and (found := self.by_pmid(ids.pmid)):
            return found
        if ids.pmcid and (found := self.by_pmcid(ids.pmcid)):
            return found
        return self.by_doi(ids.doi) if ids.doi else None

    def _at(self, number: int) -> Publication | None:
        if not 0 <= number <= MASK:
            return None
        index = unscramble(number)
        return self.publication(index) if index < self.size else None


def _kind_table(profile: Profile) -> tuple[str, ...]:
    table = [kind for kind, (count, _) in profile.kinds.items() for _ in range(count)]
    if len(table) > 1000:
        raise ValueError(f"the kinds of the profile are {len(table)} per thousand")
    return tuple(table + ["plain"] * (1000 - len(table)))


def _is_complete(publication: Publication) -> bool:
    """Whether Europe PMC alone has every part of it."""
    article = publication.europepmc_fulltext
    return (
        publication.kind == "plain"
        and not publication.notice
        and article is not None
        and article.body == "full"
        and all(publication.ids)
        and any(
            record.keywords > 1
            and record.mesh
            and publication.mesh > 1
            and record.abstract == "long"
            and record.mined
            for record in publication.records
        )
        and publication.mined_under == "both"
        and min(publication.efo, publication.go) > 0
    )
