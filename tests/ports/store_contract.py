"""What every `Store` promises."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from ports.failing import failing_batch
from pubweave.ports import Attempt, Row, StorageProblem, Store, StoredJob, StoredRecord, StoredSubmission


async def all_of(rows: AsyncIterator[object]) -> list[object]:
    return [row async for row in rows]


def submission(line: int, publication: str = "", outcome: str = "", job: str = "job1") -> StoredSubmission:
    settled = b'{"settled":true}' if outcome else b""
    return StoredSubmission(job, line, b'{"line":%d}' % line, publication, settled, outcome)


def job(name: str, created_at: int, key: str = "", finished_at: int = 0) -> StoredJob:
    return StoredJob(name, key, "corr", created_at, b"{}", lines=3, finished_at=finished_at)


def record(publication: str, version: int = 1, body: bytes = b"{}", removed: bool = False) -> StoredRecord:
    return StoredRecord(publication, version, body, f"reason {version}", 1000 + version, removed)


class StoreContract:
    @pytest.fixture
    async def store(self) -> Store:
        raise NotImplementedError("the adapter's class gives an empty store")

    # State of publications.

    async def test_keeps_rows_in_the_order_they_came(self, store: Store) -> None:
        """Rows come back as they were added, those of each publication by themselves."""
        await store.add_rows("p", [Row("f" * 32, b"1"), Row("a" * 32, b"2")])
        await store.add_rows("q", [Row("a" * 32, b"other")])
        await store.add_rows("p", [Row("p/1.1.1.1", b"")])

        assert await store.rows("p") == [Row("f" * 32, b"1"), Row("a" * 32, b"2"), Row("p/1.1.1.1", b"")]
        assert await store.rows("q") == [Row("a" * 32, b"other")]
        assert await store.rows("nobody") == []

    async def test_skips_rows_that_are_there(self, store: Store) -> None:
        """State only grows: the first row under an id stays, in one call or in several."""
        await store.add_rows("p", [Row("1", b"first"), Row("1", b"second")])
        await store.add_rows("p", [Row("2", b"new"), Row("1", b"third")])
        await store.add_rows("p", [])

        assert await store.rows("p") == [Row("1", b"first"), Row("2", b"new")]

    async def test_adds_rows_that_are_known_to_be_new(self, store: Store) -> None:
        """Whoever has read the rows may say so; the order is that of adding, and the first of two in one call stays."""
        await store.add_rows("p", [Row("2", b"a")])
        await store.add_rows("p", [Row("1", b"b"), Row("3", b"c"), Row("1", b"d")], new=True)

        assert await store.rows("p") == [Row("2", b"a"), Row("1", b"b"), Row("3", b"c")]

    async def test_drops_the_rows_of_one_publication(self, store: Store) -> None:
        """Erasing one publication leaves the others; it can begin anew."""
        await store.add_rows("p", [Row("1", b"x")])
        await store.add_rows("q", [Row("1", b"y")])
        await store.drop_rows("p")
        await store.drop_rows("p")

        assert await store.rows("p") == []
        assert await store.rows("q") == [Row("1", b"y")]

        await store.add_rows("p", [Row("2", b"z"), Row("1", b"x")])

        assert await store.rows("p") == [Row("2", b"z"), Row("1", b"x")]

    # Who is who.

    async def test_knows_who_holds_an_identifier(self, store: Store) -> None:
        """The last to hold it has it; the same text of another kind is another identifier."""
        await store.hold("p", [("pmid", "1"), ("doi", "10.1/a")])
        await store.hold("q", [("pmcid", "1"), ("doi", "10.1/a")])

        assert await store.holders([("pmid", "1"), ("pmcid", "1"), ("doi", "10.1/a"), ("doi", "1")]) == {
            ("pmid", "1"): "p",
            ("pmcid", "1"): "q",
            ("doi", "10.1/a"): "q",
        }
        assert await store.holders([]) == {}

    async def test_releases_only_what_is_its_own(self, store: Store) -> None:
        """Releasing leaves what another holds, and is safe to repeat."""
        await store.hold("p", [("pmid", "1"), ("pmid", "2")])
        await store.hold("q", [("pmid", "2")])
        await store.release("p", [("pmid", "1"), ("pmid", "2"), ("pmid", "3")])
        await store.release("p", [("pmid", "1")])

        assert await store.holders([("pmid", "1"), ("pmid", "2")]) == {("pmid", "2"): "q"}

    async def test_follows_redirects_to_the_end(self, store: Store) -> None:
        """A key that ended in another, which ended in a third, leads to the third."""
        await store.redirect("c", "b")
        await store.redirect("b", "a")

        assert [await store.resolve(key) for key in ("a", "b", "c", "d")] == ["a", "a", "a", "d"]

    async def test_redirects_in_a_circle_end(self, store: Store) -> None:
        """A fault elsewhere does not hang the store."""
        await store.redirect("a", "b")
        await store.redirect("b", "a")

        assert await store.resolve("a") in {"a", "b"}

    async def test_lists_all_aliases(self, store: Store) -> None:
        """Ordered by publication, then PMID, PMCID, DOI; however many there are."""
        assert await all_of(store.aliases()) == []

        for number in range(600):
            await store.hold(f"{number:04d}", [("doi", f"10.1/{number}"), ("pmid", str(number))])
        aliases = await all_of(store.aliases())

        assert aliases == [
            alias
            for number in range(600)
            for alias in (("pmid", str(number), f"{number:04d}"), ("doi", f"10.1/{number}", f"{number:04d}"))
        ]

    # Finished records.

    async def test_gives_the_newest_version(self, store: Store) -> None:
        """An older version that arrives late never hides a newer one."""
        await store.put_record(record("p", 2, b"new"))
        await store.put_record(record("p", 1, b"old"))

        assert await store.record("p") == record("p", 2, b"new")
        assert await store.record("nobody") is None

    async def test_the_same_version_again_changes_nothing_else(self, store: Store) -> None:
        """A replay puts the same versions again."""
        for version in (1, 2, 1, 2):
            await store.put_record(record("p", version))

        assert await store.record("p") == record("p", 2)
        assert await store.count() == 1

    async def test_lists_records_in_order(self, store: Store) -> None:
        """By publication, each once, tombstones left out, from anywhere; however many there are."""
        names = [f"{number:04d}" for number in range(130)]
        for name in reversed(names):
            await store.put_record(record(name))
        await store.put_record(record("0007", 2, b"", removed=True))
        kept = [name for name in names if name != "0007"]

        assert await all_of(store.records()) == [record(name) for name in kept]
        assert await all_of(store.records(after="0006")) == [record(name) for name in kept[7:]]
        assert await store.count() == len(kept)

    async def test_a_tombstone_is_a_record_that_says_so(self, store: Store) -> None:
        """Removed: still there to be asked for, counted no more; put again, it is back."""
        await store.put_record(record("p", 1, b"x"))
        await store.put_record(record("p", 2, b"", removed=True))

        assert await store.record("p") == record("p", 2, b"", removed=True)
        assert await store.count() == 0

        await store.put_record(record("p", 3, b"y"))

        assert await store.record("p") == record("p", 3, b"y")
        assert await store.count() == 1

    async def test_keeps_kinds_of_records_apart(self, store: Store) -> None:
        """A publication, a web page and a doc of the same name are three."""
        await store.put_record(record("x", 1, b"publication"))
        await store.put_record(record("x", 2, b"page"), "webpage")
        await store.put_record(record("x", 3, b"doc"), "doc")
        await store.drop_record("x", "webpage")
        found = await store.record("x"), await store.record("x", "webpage"), await store.record("x", "doc")

        assert found == (record("x", 1, b"publication"), None, record("x", 3, b"doc"))
        assert await all_of(store.records("doc")) == [record("x", 3, b"doc")]
        assert [await store.count(), await store.count("webpage"), await store.count("doc")] == [1, 0, 1]

    async def test_keeps_long_records(self, store: Store) -> None:
        """A record with a full text of a megabyte comes back whole."""
        body = b"\x00long\xff" * 200_000
        await store.put_record(record("p", 1, body))

        assert await store.record("p") == record("p", 1, body)

    # Jobs and their lines.

    async def test_keeps_jobs(self, store: Store) -> None:
        """A job comes back as put, and is replaced by the next put; all are listed, the oldest first."""
        await store.put_job(job("b", 2))
        await store.put_job(job("a", 1))
        await store.put_job(job("b", 2, finished_at=9))

        assert await store.job("b") == job("b", 2, finished_at=9)
        assert await store.job("c") is None
        assert await all_of(store.jobs()) == [job("a", 1), job("b", 2, finished_at=9)]

    async def test_finds_the_unfinished_job_of_a_key(self, store: Store) -> None:
        """The newest one that is not finished; finished ones and other keys do not count."""
        await store.put_job(job("a", 1, "k"))
        await store.put_job(job("b", 2, "k"))
        await store.put_job(job("c", 3, "k", finished_at=5))
        await store.put_job(job("d", 4, "other"))
        found = await store.unfinished_job("k")

        assert found == job("b", 2, "k")
        assert await store.unfinished_job("unheard-of") is None

    async def test_keeps_lines_in_order(self, store: Store) -> None:
        """Lines come back in order, from anywhere, those of other jobs left out; however many there are."""
        for line in reversed(range(1100)):
            await store.put_submission(submission(line, outcome="" if line % 2 else "finished"))
        await store.put_submission(submission(0, job="job0"))
        await store.put_submission(submission(0, job="job2"))

        assert await all_of(store.submissions("job1")) == [
            submission(line, outcome="" if line % 2 else "finished") for line in range(1100)
        ]
        assert await all_of(store.submissions("job1", unsettled=True, after=501)) == [
            submission(line) for line in range(503, 1100, 2)
        ]
        assert await store.submission("job1", 4) == submission(4, outcome="finished")
        assert await store.submission("job1", 1100) is None
        assert await store.last_line("job1") == 1099
        assert await store.last_line("nothing") == -1

    async def test_a_settled_line_is_never_unsettled(self, store: Store) -> None:
        """What a crash repeats late does not reopen a line; a better word about it replaces the first."""
        await store.put_submission(submission(1))
        await store.put_submission(submission(1, "p"))
        await store.put_submission(submission(1, "p", "parked"))
        await store.put_submission(submission(1, "p"))

        assert await store.submission("job1", 1) == submission(1, "p", "parked")

        await store.put_submission(submission(1, "q", "finished"))

        assert await store.submission("job1", 1) == submission(1, "q", "finished")

    async def test_knows_which_lines_wait_for_a_publication(self, store: Store) -> None:
        """Unsettled lines of all jobs, in order of submission."""
        await store.put_submission(submission(2, "p"))
        await store.put_submission(submission(1, "p", job="job2"))
        await store.put_submission(submission(1, "p"))
        await store.put_submission(submission(3, "p", "finished"))
        await store.put_submission(submission(4, "q"))

        assert await store.submissions_of("p") == [
            submission(1, "p"),
            submission(2, "p"),
            submission(1, "p", job="job2"),
        ]

    async def test_counts_outcomes(self, store: Store) -> None:
        """Of one job or of all; those without an outcome count under the empty word."""
        for line, outcome in enumerate(["finished", "", "finished", "parked"]):
            await store.put_submission(submission(line, outcome=outcome))
        await store.put_submission(submission(0, outcome="finished", job="job2"))

        assert await store.outcomes("job1") == {"finished": 2, "": 1, "parked": 1}
        assert await store.outcomes() == {"finished": 3, "": 1, "parked": 1}
        assert await store.outcomes("nothing") == {}

    # What is under way and how the outside behaves.

    async def test_keeps_what_is_pending(self, store: Store) -> None:
        """Questions on their way, the last body of each, until they are dropped."""
        await store.put_pending("a", b"1")
        await store.put_pending("b", b"2")
        await store.put_pending("a", b"3")
        await store.put_pending("c", b"4")
        await store.drop_pending(["b", "unheard-of"])
        await store.drop_pending([])

        assert sorted(await store.pending()) == [("a", b"3"), ("c", b"4")]

    async def test_keeps_what_was_answered(self, store: Store) -> None:
        """The last answer to a question is there until it is dropped; what was never answered is empty."""
        await store.put_answer("a", b"1")
        await store.put_answer("a", b"\x00" * 70_000)
        await store.put_answer("b", b"2")
        await store.drop_answers(["b", "unheard-of"])
        await store.drop_answers([])

        assert [await store.answer(ask) for ask in "abc"] == [b"\x00" * 70_000, b"", b""]

    async def test_counts_attempts(self, store: Store) -> None:
        """By host and outcome; the same question asked twice counts twice."""
        one = Attempt("ask", "europepmc", "ebi.ac.uk", "found", 200, 1, 2, 300)
        other = Attempt("ask", "europepmc", "ebi.ac.uk", "timeout", 0, 1, 2, evidence="15 s")
        await store.add_attempts([one, one, other])
        await store.add_attempts([])

        assert await store.attempts() == {("ebi.ac.uk", "found"): 2, ("ebi.ac.uk", "timeout"): 1}

    async def test_counts_needs(self, store: Store) -> None:
        """Counts add up."""
        await store.count_needs({("pmc", ""): 2, ("pmc", "found"): 1})
        await store.count_needs({("pmc", ""): 1})
        await store.count_needs({})

        assert await store.needs() == {("pmc", ""): 3, ("pmc", "found"): 1}

    async def test_books_quotas(self, store: Store) -> None:
        """The number is absolute, by family and day."""
        await store.book_quota("unpaywall", "2026-11-21", 10)
        await store.book_quota("unpaywall", "2026-11-21", 20)
        await store.book_quota("unpaywall", "2026-11-22", 5)

        assert await store.quota("unpaywall", "2026-11-21") == 20
        assert await store.quota("unpaywall", "2026-11-22") == 5
        assert await store.quota("ncbi", "2026-11-21") == 0

    async def test_keeps_values_of_its_own(self, store: Store) -> None:
        """A value by name; none is the empty text."""
        await store.set_meta("creator", "one")
        await store.set_meta("creator", "another")

        assert await store.meta("creator") == "another"
        assert await store.meta("unheard-of") == ""

    # Batches.

    async def test_what_a_batch_wrote_is_there(self, store: Store) -> None:
        """Inside the batch and after it."""
        async with store.batch():
            await store.add_rows("p", [Row("1", b"x")])

            assert await store.rows("p") == [Row("1", b"x")]

        assert await store.rows("p") == [Row("1", b"x")]

    async def test_an_empty_batch_is_nothing(self, store: Store) -> None:
        """Neither by itself nor in another."""
        async with store.batch(), store.batch():
            pass

        assert await all_of(store.jobs()) == []

    async def test_batches_of_tasks_do_not_mix(self, store: Store) -> None:
        """A batch that waits inside does not let another task's writes in between get lost or stop it."""
        reached = asyncio.Event()
        go_on = asyncio.Event()

        async def slow() -> None:
            async with store.batch():
                await store.add_rows("p", [Row("1", b"")])
                reached.set()
                await go_on.wait()
                await store.add_rows("p", [Row("2", b"")])

        async def quick() -> None:
            await reached.wait()
            go_on.set()
            async with store.batch():
                await store.add_rows("q", [Row("1", b"")])
            await store.add_rows("q", [Row("2", b"")])

        await asyncio.gather(slow(), quick())

        assert await store.rows("p") == [Row("1", b""), Row("2", b"")]
        assert await store.rows("q") == [Row("1", b""), Row("2", b"")]

    async def test_close_is_safe_to_repeat(self, store: Store) -> None:
        """Closing a closed store is nothing."""
        await store.close()
        await store.close()


class UndoingStoreContract(StoreContract):
    """The promises of those stores that can undo a batch."""

    async def test_an_exception_undoes_the_batch(self, store: Store) -> None:
        """Nothing of it is left, in any table; what was there before is."""
        await store.add_rows("p", [Row("0", b"before")])
        await store.hold("p", [("pmid", "1")])
        await store.put_pending("ask", b"before")
        await store.put_record(record("p", 1))

        async with failing_batch(store):
            await store.add_rows("p", [Row("1", b"x")])
            await store.add_rows("q", [Row("1", b"x")])
            await store.hold("q", [("pmid", "1"), ("pmid", "2")])
            await store.release("q", [("pmid", "1")])
            await store.redirect("p", "q")
            await store.put_record(record("p", 2))
            await store.put_record(record("q", 1))
            await store.drop_record("p")
            await store.put_job(job("a", 1))
            await store.put_submission(submission(1))
            await store.drop_pending(["ask"])
            await store.put_pending("new", b"")
            await store.add_attempts([Attempt("ask", "u", "h", "found", 200, 1, 2)])
            await store.count_needs({("pmc", ""): 1})
            await store.book_quota("ncbi", "today", 1)
            await store.set_meta("creator", "x")
            await store.drop_rows("p")

        assert await store.rows("p") == [Row("0", b"before")]
        assert await store.rows("q") == []
        assert await all_of(store.aliases()) == [("pmid", "1", "p")]
        assert await store.resolve("p") == "p"
        assert await all_of(store.records()) == [record("p", 1)]
        assert await all_of(store.jobs()) == []
        assert await store.outcomes() == {}
        assert await store.pending() == [("ask", b"before")]
        assert (await store.attempts(), await store.needs()) == ({}, {})
        assert (await store.quota("ncbi", "today"), await store.meta("creator")) == (0, "")

    async def test_goes_on_after_an_undone_batch(self, store: Store) -> None:
        """The next batch is whole."""
        async with failing_batch(store):
            await store.add_rows("p", [Row("1", b"x")])
        async with store.batch():
            await store.add_rows("p", [Row("1", b"y")])

        assert await store.rows("p") == [Row("1", b"y")]

    async def test_a_batch_in_a_batch_belongs_to_it(self, store: Store) -> None:
        """What the inner one wrote goes when the outer one fails."""
        async with failing_batch(store), store.batch():
            await store.add_rows("p", [Row("1", b"x")])

        assert await store.rows("p") == []

    async def test_a_failed_inner_batch_undoes_the_whole(self, store: Store) -> None:
        """Even where its exception was caught: half a batch is never stored, and the outer one says so."""
        outer = store.batch()
        await outer.__aenter__()
        await store.add_rows("p", [Row("1", b"x")])
        async with failing_batch(store):
            await store.add_rows("p", [Row("2", b"x")])
        with pytest.raises(StorageProblem, match="nothing of it was"):
            await store.add_rows("p", [Row("3", b"x")])
        with pytest.raises(StorageProblem, match="nothing of it was"):
            await outer.__aexit__(None, None, None)

        assert await store.rows("p") == []

    async def test_a_cancelled_task_undoes_its_batch(self, store: Store) -> None:
        """And lets the next one in."""
        inside = asyncio.Event()

        async def stopped() -> None:
            async with store.batch():
                await store.add_rows("p", [Row("1", b"x")])
                inside.set()
                await asyncio.Event().wait()

        task = asyncio.ensure_future(stopped())
        await inside.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await store.add_rows("p", [Row("2", b"y")])

        assert await store.rows("p") == [Row("2", b"y")]

    async def test_tasks_started_inside_a_batch_write_into_it(self, store: Store) -> None:
        """They do not wait for their own batch."""
        async with failing_batch(store):
            await asyncio.gather(*(store.add_rows("p", [Row(str(number), b"")]) for number in range(3)))

        assert await store.rows("p") == []

    async def test_writes_of_other_tasks_do_not_fall_with_a_batch(self, store: Store) -> None:
        """A write from outside, made while a batch is open, waits for its end and then stays."""
        inside = asyncio.Event()

        async def outsider() -> None:
            await inside.wait()
            await store.add_rows("q", [Row("1", b"kept")])

        task = asyncio.ensure_future(outsider())
        await asyncio.sleep(0)  # it starts before the batch, so it is not inside
        async with failing_batch(store):
            await store.add_rows("p", [Row("1", b"gone")])
            inside.set()
            for _ in range(5):
                await asyncio.sleep(0)

            assert not task.done()
        await task

        assert await store.rows("p") == []
        assert await store.rows("q") == [Row("1", b"kept")]
