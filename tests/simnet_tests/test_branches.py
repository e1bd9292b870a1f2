"""Every branch of the rules occurs often enough in the standard universe to be tested by it."""

from collections import Counter

import pytest

from simnet.chain import ALL, API, EVERYTHING, Walk, is_version, namesakes, rivals, walk
from simnet.facts import Ids
from simnet.query import run
from simnet.replies.europepmc import relation
from simnet.universe import Universe

LEAST = 20

BRANCHES = """
F-NEED-01 asked by pmid
F-NEED-01 asked by pmcid
F-NEED-01 asked by doi
F-NEED-01 skipped: succeeded before
F-NEED-02 asked
F-NEED-02 skipped: gate
F-NEED-02 skipped: final
F-NEED-02 skipped: no identifier
F-NEED-02 skipped: tried
F-NEED-03 asked
F-NEED-03 skipped: gate
F-NEED-03 skipped: final
F-NEED-03 skipped: no identifier
F-NEED-03 skipped: tried
F-NEED-04 asked
F-NEED-04 skipped: gate
F-NEED-04 skipped: final
F-NEED-04 skipped: no identifier
F-NEED-04 skipped: tried
F-NEED-05 asked
F-NEED-05 skipped: final
F-NEED-05 skipped: no identifier
F-NEED-06 asked
F-NEED-06 skipped: final
F-NEED-06 skipped: no identifier
F-NEED-07 asked
F-NEED-07 skipped: final
F-NEED-07 skipped: no identifier
F-NEED-07 skipped: tried
F-NEED-08 asked
F-NEED-08 skipped: final
F-NEED-08 skipped: no identifier
F-NEED-09 asked
F-NEED-09 skipped: final
F-NEED-09 skipped: no identifier
F-CHG none
F-CHG-01 restart
F-CHG-01 pmid changed
F-CHG-01 pmcid changed
F-CHG-01 doi changed
F-CHG-03 new identifier, another pass
F-ID-40 pmid replaced by europepmc
F-ID-40 pmcid replaced by europepmc
F-ID-40 doi replaced by europepmc
F-ID-40 doi replaced by europepmc_xml
F-ID-40 doi replaced by pubmed_xml
F-ID-40 doi replaced by citation
F-EPMC-04 no result
F-EPMC-07 one result
F-EPMC-06 several results
F-EPMC-06 dropped: pmid contradicts
F-EPMC-06 dropped: pmcid contradicts
F-EPMC-06 dropped: doi contradicts
F-EPMC-06 another F1000Research DOI tolerated
F-EPMC-06 MED
F-EPMC-06 PMC
F-EPMC-06 PPR
F-EPMC-06 first of the others
F-EPMC-06 none left
F-ID-41 kept: `.` suffix on the new one
F-ID-41 kept: `.` suffix on the old one
F-ID-41 kept: `_` suffix on the new one
F-ID-41 kept: `_` suffix on the old one
F-ID-41 kept: `-` suffix on the new one
F-ID-41 kept: `-` suffix on the old one
F-ID-41 kept: F1000Research
F-ID-41 kept: zenodo
""".strip().splitlines()
"""F-NEED-01 cannot be skipped as final in a first run."""

OF_PAGES = """
F-NEED-08 asked
F-NEED-08 skipped: final
F-NEED-08 skipped: no identifier
F-NEED-08 skipped: succeeded before
F-NEED-08 skipped: tried
F-NEED-09 asked
F-NEED-09 skipped: final
F-NEED-09 skipped: no identifier
F-NEED-09 skipped: succeeded before
F-NEED-09 skipped: tried
F-NEED-10 page wanted
F-NEED-10 skipped: final
F-NEED-11 PDF wanted
F-NEED-11 skipped: final
F-NEED-12 links looked at
F-NEED-12 skipped: final
F-DOI-01 redirect
F-DOI-01 relative Location
F-DOI-01 no redirect
F-DOI-01 no Location
F-DOI-01 unknown DOI
F-DOI-02 further redirect
F-DOI-03 DOI is a PDF
F-DOI-04 rules
F-DOI-05 no rules
F-DOI-06 meta tags: citation
F-DOI-06 meta tags: eprints
F-DOI-06 meta tags: bepress
F-DOI-06 meta tags: dc
F-DOI-06 meta tags: og
F-DOI-06 meta tags: twitter
F-DOI-06 meta tags: meta
F-DOI-07 visited
F-DOI-09 linking hub
F-UPW-03 open access
F-UPW-03 not open access
F-UPW-03 title
F-UPW-03 journal
F-UPW-03 journal kept
F-UPW-04 page
F-UPW-04 PDF
F-UPW-04 the address is the PDF's
F-UPW-04 null
F-UPW-05 unknown DOI
F-LNK-01 from Unpaywall
F-LNK-01 from a page
F-LNK-03 DOI link
F-LNK-03 PMC family
F-LNK-03 listed
F-LNK-03 tried
F-LNK-03 malformed
F-LNK-04 identifier known
F-LNK-04 identifier taken
F-LNK-05 moves up
F-LNK-06 before a lesser one
F-LNK-07 discarded
F-LNK-08 page followed
F-LNK-08 page read
F-LNK-09 PDF followed
F-LNK-10 limit
F-EXC-05 link is a PDF
DOI page: article
DOI page: abstract
DOI page: landing
DOI page: login
DOI page: consent
DOI page: bot
DOI page: soft-404
DOI page: gone
DOI page: other
DOI page: script
link page: article
link page: abstract
link page: bot
link page: gone
robots.txt refuses the DOI page
robots.txt refuses the PDF
PDF: text
PDF: scanned
PDF: locked
PDF: broken
PDF: login
PDF: wrong
""".strip().splitlines()
"""At least twenty times in a thousand publications. F-DOI-08 needs a second fetch of what is stored."""


def walks(universe: Universe, resources: frozenset[str] = EVERYTHING) -> list[Walk]:
    found = [walk(universe, ids, resources=resources) for ids in universe.submissions()]
    return [one for one in found if one is not None]


@pytest.fixture(scope="module")
def counts(universe: Universe) -> Counter[str]:
    total: Counter[str] = Counter()
    for one in walks(universe):
        total.update(one.branches)
    return total


def test_every_branch_occurs_at_least_twenty_times(
    counts: Counter[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """F-NEED, F-CHG, F-EPMC-06 and F-ID-41, branch by branch; the counts are printed."""
    with capsys.disabled():
        print("\nbranches in the standard universe of 2,000:")
        for branch in BRANCHES:
            print(f"{counts[branch]:6d}  {branch}")

    assert {branch: counts[branch] for branch in BRANCHES if counts[branch] < LEAST} == {}


def test_every_branch_of_pages_and_links_occurs_twenty_times_in_a_thousand(
    universe: Universe, capsys: pytest.CaptureFixture[str]
) -> None:
    """F-NEED-08 to 12, F-DOI, F-UPW, F-LNK and what stands at the addresses; the counts are printed."""
    counts: Counter[str] = Counter()
    for ids in universe.submissions(1000):
        one = walk(universe, ids)
        assert one is not None
        counts.update(one.branches)
    counts["F-LNK-04 identifier taken"] = counts["F-LNK-04 pmcid taken"] + counts["F-LNK-04 pmid taken"]
    with capsys.disabled():
        print("\nbranches of pages and links in a thousand publications:")
        for branch in OF_PAGES:
            print(f"{counts[branch]:6d}  {branch}")

    assert {branch: counts[branch] for branch in OF_PAGES if counts[branch] < LEAST} == {}


def test_the_interfaces_alone_meet_the_same_rules(universe: Universe) -> None:
    """Without publishers and Unpaywall, each need of an API resource is still asked and skipped often."""
    total: Counter[str] = Counter()
    for one in walks(universe, API):
        total.update(one.branches)
    of_interfaces = [branch for branch in BRANCHES if branch[:9] in {f"F-NEED-0{n}" for n in range(1, 8)}]

    assert {branch: total[branch] for branch in of_interfaces if total[branch] < LEAST} == {}


def test_restarts_come_to_an_end(universe: Universe) -> None:
    """An identifier changes to a better type only, so three generations are always enough."""
    assert max(one.generations for one in walks(universe)) <= 3


def test_a_resource_is_asked_once_for_an_identifier_in_a_generation(universe: Universe) -> None:
    """The sequential chain repeats no question, except after a restart, and for a page that turns out to be a PDF."""
    twice = []
    for one in walks(universe):
        count = Counter(
            (ask.resource, ask.id.lower(), ask.generation)
            for ask in one.asked
            if ask.resource != "publisher_pdf"
        )
        twice += [(one.publication.index, key) for key, times in count.items() if times > 1]

    assert twice == []


def test_identifiers_only_ask_less(universe: Universe) -> None:
    """With only identifiers requested, mined terms are not asked for."""
    for ids in universe.submissions(200):
        found = walk(universe, ids, parts=("pmid", "pmcid", "doi"))

        assert found is not None
        assert "annotations" not in {ask.resource for ask in found.asked}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("10.1/a", "10.1/a.2", True),
        ("10.1/a_12", "10.1/A", True),
        ("10.1/a-1", "10.1/a", True),
        ("10.1/a", "10.1/a_v1", False),
        ("10.1/a", "10.1/ab", False),
        ("10.1/a.1.2", "10.1/a", False),
        ("10.12688/f1000research.1.1", "10.12688/F1000RESEARCH.1.2", True),
        ("10.12688/f1000research.1.1", "10.1/a", False),
    ],
)
def test_what_is_a_version(old: str, new: str, expected: bool) -> None:
    """F-ID-41, both ways round."""
    assert expected == is_version(old, new)


def test_nobody_is_asked_about_what_is_not_requested(universe: Universe) -> None:
    """All parts are the ten of the specification."""
    assert len(ALL) == 10
    assert walk(universe, Ids(pmid="1")) is None


def test_namesakes_are_one_publication(universe: Universe) -> None:
    """Each group has two or three identifiers of one publication; some learn of the others late only."""
    groups = namesakes(universe, 200)
    owners = [{universe.owner(ids) for ids in group} for group in groups]

    assert len(groups) == 200
    assert all(len(found) == 1 for found in owners)
    assert {next(iter(found)).kind for found in owners} > {"plain", "pmcid-late-pubmed"}  # type: ignore[union-attr]


def test_rivals_claim_one_doi(universe: Universe) -> None:
    """Two PMIDs, each with its own record at Europe PMC, one DOI."""
    pairs = rivals(universe)
    dois = [
        {record.ids.doi for ids in pair for _, record in run(universe, f"ext_id:{ids.pmid} src:med")[1]}
        for pair in pairs
    ]

    assert len(pairs) >= 20
    assert all(len(found) == 1 and "" not in found for found in dois)


def test_relations_lead_to_records_that_lead_back(universe: Universe) -> None:
    """Retractions, errata, expressions of concern and preprints name each other, and both are found."""
    seen: Counter[str] = Counter()
    for publication in universe:
        if not publication.notice:
            continue
        own = publication.records[0]
        [there] = relation(publication, own)
        [(_, partner)] = run(universe, f"ext_id:{there['id']} src:{there['source']}")[1]
        [back] = relation(publication, partner)
        assert (back["id"], back["source"]) == (own.id, own.source)
        seen[there["type"]] += 1

    assert set(seen) == {
        "Retraction in",
        "Retraction of",
        "Erratum for",
        "Erratum in",
        "Expression of concern in",
        "Preprint in",
        "Preprint of",
    }
    assert min(seen.values()) >= 5
