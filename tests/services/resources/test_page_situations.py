"""Every situation in the folders of `webpages` and `docs`: the events expected, field by field."""

from pathlib import Path

import msgspec
import pytest

from pubweave import registry
from pubweave.contract.vocabulary import PageKind
from pubweave.contract.webpage_read import WebpageRead
from services.resources.page_situations import EVERYWHERE, FOLDERS, play, shown, situations


@pytest.mark.parametrize(
    ("entry", "folder"), situations(), ids=[f"{entry}-{folder.name}" for entry, folder in situations()]
)
def test_a_situation_brings_the_events_that_stand_beside_it(entry: PageKind, folder: Path) -> None:
    """What a service says in a situation is what its `events.jsonl` says; its last word is the one outcome."""
    expected = [msgspec.json.decode(line) for line in (folder / "events.jsonl").read_bytes().splitlines()]
    played = play(entry, folder)
    said = msgspec.json.decode(msgspec.json.encode([shown(event) for event in played]))
    for wanted, event in zip(expected, said, strict=False):
        for field in sorted(wanted.keys() | event.keys()):
            assert wanted.get(field) == event.get(field), (wanted["kind"], field)

    assert len(expected) == len(said)
    assert [isinstance(event, WebpageRead) for event in played] == [False] * (len(played) - 1) + [True]


@pytest.mark.parametrize("entry", FOLDERS)
def test_every_service_shows_the_situations_that_everybody_meets(entry: PageKind) -> None:
    """found, not-there, blocked, broken-reply, odd-text; and what only pages meet."""
    assert EVERYWHERE - {folder.name for folder in FOLDERS[entry].iterdir()} == set()


@pytest.mark.parametrize("entry", FOLDERS)
def test_a_service_has_the_name_of_its_folder_and_tells_its_story(entry: PageKind) -> None:
    """As every service."""
    service = registry.page_service(entry)

    assert service.name == FOLDERS[entry].parent.name
    assert service.story.endswith(".")
