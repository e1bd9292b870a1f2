"""Answers are kept, so that nothing is asked twice because somebody crashed (design law 6)."""

import asyncio

import msgspec
import pytest

from pubweave.adapters.clock import ManualClock, SystemClock
from pubweave.adapters.memory import MemoryBlobs, MemoryStore
from pubweave.adapters.sqlite import SqliteStorage
from pubweave.contract.exchange import Reply
from pubweave.doors.fetcher import FetcherDoor, FetcherSettings
from pubweave.doors.fetcher.answers import StoredAnswers
from pubweave.ports import Blobs, Store
from services.doors.fetcher.loopback import LOOPBACK, Server, reply_bytes, says, wanted

SETTINGS = FetcherSettings(allow_addresses=LOOPBACK, no_budgets=True)


def a_reply(body: bytes) -> Reply:
    return Reply("found", "http://a/", "http://b/", 200, "text/html", (("etag", "x"),), body, attempts=2)


@pytest.mark.parametrize("body", [b"", b"\xff\x00 short", b"long \xff" * 50_000])
async def test_an_answer_comes_back_as_it_was(body: bytes) -> None:
    """Short and long, any bytes, a long body by its place; in another process, too."""
    store, blobs, clock = MemoryStore(), MemoryBlobs(), ManualClock()
    given = await StoredAnswers(store, blobs, clock).remember("one", a_reply(body))
    found = await StoredAnswers(store, blobs, clock).recall("one")

    assert found == given
    if given.blob is not None:
        given = msgspec.structs.replace(given, body=await blobs.get(given.blob.digest), blob=None)
    assert given == a_reply(body)
    assert await StoredAnswers(store, blobs, clock).recall("two") is None


async def test_an_answer_whose_content_is_gone_is_asked_anew() -> None:
    """Erased means erased; so does an answer that nobody can read."""
    store, blobs, clock = MemoryStore(), MemoryBlobs(), ManualClock()
    answers = StoredAnswers(store, blobs, clock)
    await answers.remember("one", a_reply(b"x" * 100_000))
    for digest in list(blobs._contents):
        await blobs.delete(digest)
    await store.put_answer("two", b"of another age")

    assert (await answers.recall("one"), await answers.recall("two")) == (None, None)


async def test_old_answers_are_dropped() -> None:
    """After their time, many at once; those of late stay."""
    store, clock = MemoryStore(), ManualClock()
    answers = StoredAnswers(store, MemoryBlobs(), clock, kept_s=60)
    for number in range(600):
        await answers.remember(f"old {number}", a_reply(b""))
    await clock.advance(61)
    await answers.remember("young", a_reply(b""))
    left = [number for number in range(600) if await store.answer(f"old {number}")]

    assert left == list(range(500, 600))
    assert await store.answer("young")


async def test_answers_have_a_number_that_they_do_not_exceed_by_much() -> None:
    """However many questions there are, the memory for them is bounded."""
    store, clock = MemoryStore(), ManualClock()
    answers = StoredAnswers(store, MemoryBlobs(), clock, most_kept=1_000)
    for number in range(3_000):
        await answers.remember(str(number), a_reply(b""))

    assert sum([bool(await store.answer(str(number))) for number in range(3_000)]) <= 1_000


@pytest.mark.network
@pytest.mark.parametrize("kind", ["memory", "sqlite"])
async def test_a_question_that_comes_again_after_a_crash_is_not_asked_again(kind: str) -> None:
    """A fetcher that is killed between its answer and the acknowledgement: the next one gives the same reply, times
    and all, and the server is asked once."""
    storage = SqliteStorage.in_memory()
    store: Store = MemoryStore() if kind == "memory" else storage.store
    blobs: Blobs = MemoryBlobs() if kind == "memory" else storage.blobs
    replies = []
    async with Server(says(reply_bytes(b"x" * 100_000))).running() as server:
        for _ in range(2):
            answers = StoredAnswers(store, blobs, SystemClock())
            # Not left in order, as at a crash: nothing of the fetcher's own is written at its end.
            async with FetcherDoor(
                SETTINGS, SystemClock(), store, answered=answers, environment={}
            ) as fetcher:
                replies.append(await fetcher.fetch(wanted(server.url, ask="the same")))
        others = await asyncio.gather(*(fetcher_asks(server.url, store, blobs) for _ in range(2)))
    await storage.close()

    assert replies[0] == replies[1]
    assert {reply.outcome for reply in others} == {"found"}
    assert len(server.asked) == 3


async def fetcher_asks(url: str, store: Store, blobs: Blobs) -> Reply:
    """Another process with a question of its own."""
    answers = StoredAnswers(store, blobs, SystemClock())
    async with FetcherDoor(SETTINGS, SystemClock(), store, answered=answers, environment={}) as fetcher:
        return await fetcher.fetch(wanted(url, ask=f"another {id(answers)}"))
