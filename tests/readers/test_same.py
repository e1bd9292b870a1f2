"""What a resource says does not depend on where it reads: every recorded situation, in a process beside and here."""

import logging
import os
import pickle
from dataclasses import dataclass

import msgspec
import pytest

from flow.judge import whole_chain
from pubweave import registry
from pubweave.contract.exchange import Work
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.webpage_read import WebpageRead
from pubweave.core.reading.rules import RuleFile, load_rules, rules_from_selectors
from pubweave.core.toolkit.service import Context
from pubweave.core.toolkit.webpage_asking import first_work
from pubweave.runtimes.readers.messages import Nonsense, ReaderNote, StepAnswer, answer_of, pickled
from pubweave.runtimes.readers.pool import Readers
from pubweave.runtimes.readers.settings import ReadersSettings
from pubweave.runtimes.steps import Here
from readers import planted
from readers.test_harm import AT_THE_PAGE, PATH, reply_of
from services.resources import page_situations, situations
from services.resources.small_internet import RULES, page, rules

EVERYTHING_BESIDE = ReadersSettings(workers=1, dear_bytes=1, long_bytes=1)

processes_find_the_planted_readers = PATH


async def test_every_situation_is_the_same_beside() -> None:
    """Of every resource of publications; the very same events, digests and times included."""
    beside = 0
    async with Readers(EVERYTHING_BESIDE) as readers:
        for folder in situations.situations():
            service = situations.service_of(folder.parent.parent.name)
            context = msgspec.structs.replace(situations._context(folder), structured_documents=True)
            needs = situations._needs(folder)
            said = await Here().said(service, Work(resource=service.name, needs=needs), None, context)
            wanted = [one for one in said if isinstance(one, ReplyWanted)]
            for number, one in enumerate(wanted, start=1):
                reply = situations._reply(folder, number, one)
                here = await Here().said(service, one.work, reply, context)
                assert await readers.said(service, one.work, reply, context) == here, folder
                beside += bool(reply.body)
                wanted += [further for further in here if isinstance(further, ReplyWanted)]
        assert readers.started == 1
    assert beside > 50


async def test_every_situation_of_a_page_is_the_same_beside() -> None:
    """Of web pages and docs."""
    beside = 0
    async with Readers(EVERYTHING_BESIDE) as readers:
        for entry, folder in page_situations.situations():
            book = folder / "rules.yaml"
            context = Context(
                rules=load_rules([RuleFile("webpages", book.name, book.read_text("utf-8"))])
                if book.exists()
                else None
            )
            service = registry.page_service(entry)
            need = msgspec.json.decode((folder / "need.json").read_bytes(), type=NeedsPart)
            (one,) = await Here().page_said(service, first_work(need), None, context, 0)
            number = 0
            while isinstance(one, ReplyWanted):
                number += 1
                reply = situations._reply(folder, number, one)
                here = await Here().page_said(service, one.work, reply, context, 0)
                assert await readers.page_said(service, one.work, reply, context, 0) == here, folder
                beside += bool(reply.body)
                (one,) = here
    assert beside > 10


async def test_a_step_that_breaks_is_told_as_here(caplog: pytest.LogCaptureFixture) -> None:
    """The same outcome, the same line in the log, with the place where it broke."""
    reply = reply_of(page(more=planted.evil("break")))
    here = await Here().said(planted.doi(), AT_THE_PAGE, reply, Context())
    caplog.clear()
    async with Readers(EVERYTHING_BESIDE) as readers:
        assert await readers.said(planted.doi(), AT_THE_PAGE, reply, Context()) == here

    (told,) = [one for one in caplog.records if one.levelno == logging.ERROR]
    assert "The resource doi broke on a reply for 1 needs" in told.message
    assert "planted.py" in told.message


async def test_rules_that_change_reach_the_process() -> None:
    """From the next reply on, and those that were in force before again when they are asked with."""
    other = rules(RULES.replace("h1", "h2"))
    reply = reply_of(page(more="<h2>Another title</h2>" + planted.LONG, abstract="", body=""))
    async with Readers(EVERYTHING_BESIDE) as readers:
        for book in (rules(), other, None, other):
            context = Context(rules=book)
            here = await Here().said(planted.doi(), AT_THE_PAGE, reply, context)
            assert await readers.said(planted.doi(), AT_THE_PAGE, reply, context) == here
        assert readers.started == 1


def test_rules_are_made_anew_elsewhere() -> None:
    """They are sent as they are written, and are the same rules then."""
    for book in (rules(), rules_from_selectors("h1", "p"), whole_chain().rules):
        again = pickle.loads(pickle.dumps(book))

        assert again == book
        assert book is not None
        assert again.version == book.version


@dataclass
class Order:
    """What a process that an attacker has taken over would send."""

    def __reduce__(self) -> tuple[object, ...]:
        return os.system, ("true",)


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"no pickle",
        pickle.dumps(Order()),
        pickle.dumps(StepAnswer([Order()], [], 1)),  # type: ignore[list-item]
        pickle.dumps(["not an answer"]),
        pickle.dumps(StepAnswer([], [], 1))[:-5],
        b"cpubweave.contract.codec\nmsgspec\n.",
        b"cpubweave.contract.codec\nCodec\n.",
    ],
)
def test_a_process_says_nothing_but_what_resources_say(frame: bytes) -> None:
    """What hostile bytes could make of it calls nothing here."""
    with pytest.raises(Nonsense):
        answer_of(frame)


def test_what_resources_say_comes_through() -> None:
    """Also what JSON cannot hold."""
    read = WebpageRead(
        publication="p", entry="webpage", url="u", need="n", epoch=1, run=1, fetched_at=1, outcome="found",
        title="half a pair: \ud800", content="\x00",
    )  # fmt: skip
    answer = StepAnswer([read], [ReaderNote("a.logger", logging.ERROR, "text")], 7)

    assert answer_of(pickled(answer)) == answer
