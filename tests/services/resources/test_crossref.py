"""Crossref, a source beyond the specification: off by default, and it overrules nobody."""

import json

import pytest

from pubweave import registry
from pubweave.adapters.sqlite.storage import SqliteStorage
from pubweave.contract.field_candidate import FieldCandidate
from pubweave.contract.values import Identifiers, Place, RunSettings
from pubweave.core.merging.fold import Draft
from pubweave.resources.crossref.reading import MalformedReply, read_abstract, read_list, read_one
from pubweave.runtimes.embedded.explain import explain
from pubweave.runtimes.embedded.jobs import JobSettings, Line
from pubweave.runtimes.embedded.system import EmbeddedSystem
from pubweave.runtimes.wiring import system_config
from pubweave.settings import load
from services.resources.small_internet import DOI, Body, Internet, fetched, search_for, search_result
from shared_data import needs_shared_data, shared_data

WORK = {
    "DOI": DOI.lower(),
    "type": "journal-article",
    "title": ["What Crossref calls it"],
    "abstract": f"<jats:title>Abstract</jats:title><jats:p>{'Reed warblers nest. ' * 20}</jats:p>",
    "container-title": ["Journal of Crossref"],
    "published": {"date-parts": [[2019, 5]]},
    "is-referenced-by-count": 12,
}
THERE = Body(json.dumps({"status": "ok", "message": WORK}).encode(), "application/json")
ADDRESS = f"https://api.crossref.org/works/{DOI}"
WITH = (*registry.ON, "crossref")


async def test_it_is_not_asked_unless_somebody_says_so() -> None:
    """Without it a record is what it was before there was Crossref."""
    ran = await fetched(Internet({ADDRESS: THERE}))

    assert "crossref" not in ran.outcomes
    assert "crossref" not in registry.ON
    assert "crossref" in registry.RESOURCES
    assert ran.record.title.text == ran.record.journal_title == ""
    assert not ran.record.known


async def test_it_gives_what_nobody_else_has() -> None:
    """Title, abstract, journal, date and count of a DOI that only Crossref knows."""
    internet = Internet({ADDRESS: THERE})
    ran = await fetched(internet, resources=WITH)
    record = ran.record

    assert ran.outcomes["crossref"] == ["found"]
    assert internet.count(ADDRESS) == 1
    assert (record.title.type, record.title.text) == ("crossref", "What Crossref calls it")
    assert (record.theAbstract.type, record.theAbstract.url) == ("crossref", ADDRESS)
    assert record.theAbstract.text.startswith("Reed warblers nest. Reed")
    assert (record.journal_title, record.pub_date, record.citations_count) == (
        "Journal of Crossref",
        1_556_668_800_000,
        12,
    )
    assert record.known


async def test_it_overrules_nobody() -> None:
    """Where Europe PMC has a title only, Crossref's abstract comes beside it and everything else stays."""
    known = search_result(
        id="1", doi=DOI, title="Europe PMC's title.", citedByCount="3", firstPublicationDate="2018-01-02"
    )
    before = await fetched(Internet({search_for(f"doi:{DOI}"): known}))
    after = await fetched(Internet({search_for(f"doi:{DOI}"): known, ADDRESS: THERE}), resources=WITH)

    assert before.outcomes["europepmc"] == ["found"]
    assert (before.record.title.text, before.record.theAbstract.text) == ("Europe PMC's title.", "")
    assert after.outcomes["crossref"] == ["found"]
    assert (after.record.title.text, after.record.title.type) == ("Europe PMC's title.", "europepmc")
    assert (after.record.citations_count, after.record.pub_date) == (3, before.record.pub_date)
    assert after.record.theAbstract.type == "crossref"


async def test_what_was_asked_is_explained_whoever_is_asked_today() -> None:
    """By a job that asked Crossref alone, with settings that do not ask it."""
    storage = SqliteStorage.in_memory()
    async with EmbeddedSystem.over(storage, Internet({ADDRESS: THERE}), resources=("crossref",)) as system:
        finished = [one async for one in system.run_job([Line(1, Identifiers(doi=DOI))], JobSettings())]
    explained = await explain(storage.store, storage.blobs, DOI, "title")
    await storage.close()

    assert finished[0].record is not None
    assert explained is not None
    (ladder,) = explained.ladders
    assert [(rung.type, rung.excerpt) for rung in ladder.rungs] == [("crossref", "What Crossref calls it")]


def test_its_count_gives_way_and_is_renewed() -> None:
    """A count of Europe PMC stays whatever Crossref counts later; without one Crossref's newest holds."""

    def count(number: int, run: int, *, gives_way: bool) -> FieldCandidate:
        place = Place(1, run, 1, 1, 95 if gives_way else 10, 0)
        marks = ("until-better",) if gives_way else ()
        return FieldCandidate(
            "p", "n", "a", place, run, field="citationsCount", url="u", number=number, marks=marks
        )

    draft = Draft()
    seen = []
    for number, gives_way in ((12, True), (13, True), (3, False), (14, True), (4, False)):
        draft.take(count(number, len(seen) + 1, gives_way=gives_way), RunSettings())
        seen.append(draft.citations_count)

    assert seen == [12, 13, 3, 3, 4]


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ("", registry.ON),
        ("+crossref", WITH),
        ("-doi", tuple(name for name in registry.ON if name != "doi")),
        ("+crossref, -doi", tuple(name for name in WITH if name != "doi")),
        ("crossref,europepmc", ("europepmc", "crossref")),
        ("europepmc,+crossref", ("europepmc", "crossref")),
    ],
)
def test_the_setting_names_sources_one_more_or_one_less(given: str, asked: tuple[str, ...]) -> None:
    """`resources`: a list for these only, `+name` and `-name` for one more or less than otherwise."""
    settings, _ = load({"resources": given, "db": "x.db"}, {})
    found = system_config(settings, create=True).resources

    assert set(registry.ON if found is None else found) == set(asked)


def test_a_source_that_is_none_is_refused_with_its_sign() -> None:
    """And the nearest is named."""
    from pubweave.problems import UserError

    settings, _ = load({"resources": "+crosref", "db": "x.db"}, {})
    with pytest.raises(UserError, match="there is no source 'crosref'; did you mean crossref"):
        system_config(settings, create=True)


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("Plain.", "Plain."),
        ("<jats:p>One.</jats:p><jats:p>Two.</jats:p>", "One.\n\nTwo."),
        ("<jats:title>ABSTRACT</jats:title><jats:p>One.</jats:p>", "One."),
        ("<ns3:p>H<ns3:sub>2</ns3:sub>O, p &lt; 0.05</ns3:p>", "H2O, p < 0.05"),
        ("<sec><title>AIMS</title><p>To see.</p></sec>", "AIMS\n\nTo see."),
        ("<jats:p>&lt;p&gt;twice &amp;amp; escaped&lt;/p&gt;</jats:p>", "twice & escaped"),
        ("<jats:p>never closed", "never closed"),
        ("<jats:p/>", ""),
        ('<!DOCTYPE x [<!ENTITY e "boom">]><jats:p>&e;</jats:p>', '<!DOCTYPE x [<!ENTITY e "boom">]> &e;'),
    ],
)  # fmt: skip
def test_abstracts_come_as_text(markup: str, text: str) -> None:
    """JATS whose prefixes nobody declares, plain text, and what only looks like either."""
    assert read_abstract(markup) == text


@needs_shared_data
def test_recorded_works_are_read() -> None:
    """Every work of the recorded replies that has a DOI; abstracts and titles keep no mark-up."""
    works = []
    for path in sorted(shared_data("crossref").glob("*.json")):
        body = path.read_bytes()
        try:
            message = json.loads(body).get("message")
        except (ValueError, AttributeError):
            continue
        if not isinstance(message, dict):
            continue
        if "items" not in message:
            if "DOI" in message:
                works.append(read_one(body))
            continue
        found = read_list(body)
        assert len(found) == sum("DOI" in item for item in message["items"]), path.name
        works += found

    assert len(works) > 400
    assert sum(bool(work.plain_abstract) for work in works) > 100
    for work in works:
        assert not {"<jats:", "<p>", "&lt;", "&amp;"} & {
            sign
            for sign in ("<jats:", "<p>", "&lt;", "&amp;")
            if sign in work.plain_abstract + work.plain_title
        }, work.doi


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"message": []}', b'{"message": {"items": 3}}', b"\xff", b"Resource not found."])  # fmt: skip
def test_what_holds_no_work_is_said_to_be_broken(body: bytes) -> None:
    """Never taken for an answer."""
    for read in (read_one, read_list):
        with pytest.raises(MalformedReply):
            read(body)
