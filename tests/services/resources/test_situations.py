"""Every situation in the services' folders: the events expected, field by field."""

import msgspec
import pytest

from pubweave.contract.field_candidate import FieldCandidate
from pubweave.contract.gate_flag import GateFlag
from pubweave.contract.part_candidate import PartCandidate
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.resource_done import ResourceDone
from pubweave.contract.resources import DECLARATIONS
from pubweave.contract.vocabulary import TYPE_NAMES
from pubweave.doors.fetcher.budgets import load_budgets
from services.resources.situations import HOME, RESOURCES, play, service_of, shown, situations

EVERYWHERE = {"found", "not-there", "blocked", "broken-reply", "odd-text"}
BATCHES = {one.name for one in DECLARATIONS if one.batching.max_needs > 1}
SALVAGED = {"pubmed_xml", "pmc", "europepmc_fulltext"}


@pytest.mark.parametrize(
    "folder", situations(), ids=lambda folder: f"{folder.parent.parent.name}-{folder.name}"
)
def test_a_situation_brings_the_events_that_stand_beside_it(folder):
    """What a service says in a situation is what its `events.jsonl` says, field by field."""
    expected = [msgspec.json.decode(line) for line in (folder / "events.jsonl").read_bytes().splitlines()]
    said = msgspec.json.decode(msgspec.json.encode([shown(event) for event in play(folder)]))
    for wanted, event in zip(expected, said, strict=False):
        for field in sorted(wanted.keys() | event.keys()):
            assert wanted.get(field) == event.get(field), (wanted["kind"], field)

    assert len(expected) == len(said)


@pytest.mark.parametrize(
    "folder", situations(), ids=lambda folder: f"{folder.parent.parent.name}-{folder.name}"
)
def test_an_answer_is_whole(folder):
    """All findings of a need share the answer that its one outcome names, are numbered and counted."""
    events = [event for event in play(folder) if not isinstance(event, ReplyWanted)]
    ends = {event.need: event for event in events if isinstance(event, ResourceDone)}

    assert sum(isinstance(event, ResourceDone) for event in events) == len(ends)
    for need, end in ends.items():
        findings = [event for event in events if event.need == need and event is not end]

        assert end.found == len(findings)
        assert [event.place.position for event in findings] == list(range(len(findings)))
        assert {event.answer for event in findings} <= {end.answer}


@pytest.mark.parametrize("resource", RESOURCES)
def test_every_service_shows_the_situations_that_everybody_meets(resource):
    """found, not-there, blocked, broken-reply, odd-text; batches also batch-lost; sets of XML also truncated."""
    wanted = EVERYWHERE | ({"batch-lost"} if resource in BATCHES else set())
    wanted |= {"truncated"} if resource in SALVAGED else set()

    assert wanted - {folder.name for folder in (HOME / resource / "fixtures").iterdir()} == set()


@pytest.mark.parametrize("resource", RESOURCES)
def test_a_service_has_the_name_of_its_folder_and_tells_its_story(resource):
    service = service_of(resource)

    assert resource == service.name
    assert service.story.endswith(".")
    assert service.batching.max_needs >= 1


@pytest.mark.parametrize("resource", RESOURCES)
def test_what_a_service_gives_and_asks_is_what_its_folder_declares(resource):
    """Parts, open access and gates are those of its rows; types are declared by somebody; an API is asked in the name of the
    family whose budget holds for its address."""
    budgets = load_budgets()
    given = {word for one in DECLARATIONS if one.name == resource for row in one.rows for word in row.gives}
    for folder in situations():
        if folder.parent.parent.name != resource:
            continue
        for event in play(folder):
            if isinstance(event, ReplyWanted) and event.request.family:
                assert event.request.family in budgets.families
                # Situations with an address of their own are in no family by it.
                assert budgets.family_of(event.request.url) in (event.request.family, "")
            if isinstance(event, PartCandidate):
                assert event.type in TYPE_NAMES
                assert not given or event.part in given
            if isinstance(event, FieldCandidate) and event.field == "oa" and given:
                assert "oa" in given
            if isinstance(event, GateFlag):
                assert event.gate in given
