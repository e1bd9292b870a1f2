"""What every `Log` promises. An adapter's test class inherits this and makes the log."""

import pytest

from ports.streams import STREAMS, Stream, digest, entry
from pubweave.ports import Entry, Log


class LogContract:
    @pytest.fixture
    async def log(self) -> Log:
        raise NotImplementedError("the adapter's class gives an empty log")

    @pytest.mark.parametrize("stream", STREAMS, ids=lambda stream: stream.name)
    async def test_holds_awkward_streams(self, log: Log, stream: Stream) -> None:
        """Each id once, as first appended, in the order of appending."""
        for entries in stream.appends:
            await log.append("facts", entries)

        assert tuple(logged.entry.id for logged in await log.read("facts")) == stream.ids

    @pytest.mark.parametrize("stream", STREAMS, ids=lambda stream: stream.name)
    async def test_holds_the_same_after_everything_is_appended_again(self, log: Log, stream: Stream) -> None:
        """Appending is safe to repeat."""
        for entries in stream.appends:
            await log.append("facts", entries)
        before = await log.read("facts")
        for entries in stream.appends:
            await log.append("facts", entries)

        assert await log.read("facts") == before

    @pytest.mark.parametrize("stream", STREAMS, ids=lambda stream: stream.name)
    async def test_gives_entries_back_as_they_were(self, log: Log, stream: Stream) -> None:
        """Every member byte for byte; of repeats the first."""
        first: dict[str, Entry] = {}
        for entries in stream.appends:
            await log.append("facts", entries)
            for given in entries:
                first.setdefault(given.id, given)

        assert [logged.entry for logged in await log.read("facts")] == [first[id_] for id_ in stream.ids]

    async def test_offsets_grow(self, log: Log) -> None:
        """Offsets are above 0 and grow within the topic, whatever was skipped."""
        await log.append("facts", [entry("1"), entry("1"), entry("2")])
        await log.append("facts", [entry("2"), entry("3")])
        offsets = [logged.offset for logged in await log.read("facts")]

        assert offsets == sorted(set(offsets))
        assert offsets[0] > 0

    async def test_reads_on_after_an_offset(self, log: Log) -> None:
        """`after` and `limit` page through a topic without loss or repetition."""
        given = [entry(digest(number)) for number in range(10)]
        await log.append("facts", given)
        pages = []
        after = 0
        while page := await log.read("facts", after, limit=3):
            pages.append([logged.entry for logged in page])
            after = page[-1].offset

        assert [len(page) for page in pages] == [3, 3, 3, 1]
        assert [one for page in pages for one in page] == given

    async def test_keeps_topics_apart(self, log: Log) -> None:
        """The same id and key in two topics are two entries."""
        await log.append("facts", [entry("1"), entry("2")])
        await log.append("others", [entry("2")])

        assert [logged.entry.id for logged in await log.read("facts")] == ["1", "2"]
        assert [logged.entry.id for logged in await log.read("others")] == ["2"]
        assert await log.read("unheard-of") == []

    async def test_gives_the_entries_of_a_key(self, log: Log) -> None:
        """All entries of one key of one topic, in order, with their offsets."""
        await log.append("facts", [entry("3", "a"), entry("1", "b"), entry("2", "a")])
        await log.append("others", [entry("4", "a")])
        everything = await log.read("facts")

        assert await log.of_key("facts", "a") == [everything[0], everything[2]]
        assert await log.of_key("facts", "nobody") == []
        assert await log.of_key("unheard-of", "a") == []

    async def test_remembers_how_far_a_group_is(self, log: Log) -> None:
        """Each group has its own offset in each topic; it starts at 0 and never goes back."""
        assert await log.committed("merger", "facts") == 0

        await log.commit("merger", "facts", 7)
        await log.commit("merger", "facts", 3)
        await log.commit("scheduler", "facts", 1)

        assert await log.committed("merger", "facts") == 7
        assert await log.committed("scheduler", "facts") == 1
        assert await log.committed("merger", "others") == 0

    async def test_erases_a_key(self, log: Log) -> None:
        """Erased entries are not given any more, others are; how many is said."""
        await log.append("facts", [entry("1", "a"), entry("2", "b"), entry("3", "a")])

        assert await log.erase("facts", "a") == 2
        assert [logged.entry.id for logged in await log.read("facts")] == ["2"]
        assert await log.of_key("facts", "a") == []
        assert await log.erase("facts", "a") == 0
        assert await log.erase("unheard-of", "a") == 0

    async def test_ids_of_erased_entries_stay_taken(self, log: Log) -> None:
        """What was erased does not come back by a repeat; new facts do."""
        await log.append("facts", [entry("1", "a")])
        await log.erase("facts", "a")
        await log.append("facts", [entry("1", "a"), entry("2", "a")])

        assert [logged.entry.id for logged in await log.read("facts")] == ["2"]

    async def test_reading_an_erased_page_goes_on(self, log: Log) -> None:
        """Erased entries do not use up the limit, so an empty page means the end."""
        await log.append("facts", [entry(str(number), "a" if number < 5 else "b") for number in range(7)])
        await log.erase("facts", "a")

        assert [logged.entry.id for logged in await log.read("facts", limit=1)] == ["5"]
