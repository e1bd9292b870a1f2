"""When a page may be fetched, and what each fetch leaves (T-072, T-073 for pages: F-WEB-30…32, F-CAN-01…07)."""

from itertools import product
from random import Random
from typing import Final, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pubweave.contract.digests import quick_digest
from pubweave.contract.values import BlobRef, Cooldowns, RunSettings, Thresholds
from pubweave.contract.webpage_accepted import WebpageAccepted
from pubweave.contract.webpage_put import WebpagePut
from pubweave.contract.webpage_read import WebpageRead
from pubweave.contract.webpage_removed import WebpageRemoved
from pubweave.core.merging.webpage_fold import Folded, WebpageFact, accept, fold, need_of, page_key
from pubweave.core.webpage_record import WebpageRecord, encode_webpage

URL: Final = "https://tool.example/"
KEY: Final = page_key("webpage", URL)
NOW: Final = 1_795_269_600_000
MINUTE: Final = 60_000
SMALL: Final = RunSettings(thresholds=Thresholds(webpageMinLength=20))


class Gave(NamedTuple):
    """What a page gave, by the words of 13.1 that the table below is made of."""

    title: str
    content: str
    status: int
    exception: bool = False


# Which of the four kinds each is stands in its name; `final` needs 20 characters and no error.
GIVES: Final = {
    "empty": Gave("", "", 200),
    "empty-error": Gave("", "", 503, True),
    "partial": Gave("Tool", "short", 200),
    "partial-untexted": Gave("A title of more than twenty", "", 200),
    "partial-broken": Gave("Tool", "c" * 30, 404),
    "final": Gave("Tool", "c" * 30, 200),
    "final-other": Gave("Tool", "d" * 40, 203),
}


def accepted(run: int, epoch: int = 1, *, resets: bool = True, at: int = NOW) -> WebpageAccepted:
    return WebpageAccepted(
        publication=KEY,
        entry="webpage",
        url=URL,
        epoch=epoch,
        run=run,
        accepted_at=at,
        settings=SMALL,
        resets=resets,
    )


def read(name: str, run: int, epoch: int = 1, at: int = NOW) -> WebpageRead:
    gave = GIVES[name]
    return WebpageRead(
        publication=KEY,
        entry="webpage",
        url=URL,
        need=f"{KEY}/{epoch}.{run}",
        epoch=epoch,
        run=run,
        fetched_at=at,
        outcome="found" if gave.status < 300 else "unavailable",
        evidence=name,
        fetch_exception=gave.exception,
        final_url=URL,
        status_code=gave.status,
        title=gave.title,
        content=gave.content,
    )


def facts_of(names: list[str]) -> list[WebpageFact]:
    facts: list[WebpageFact] = []
    for run, name in enumerate(names, start=1):
        facts += [accepted(run, at=NOW + run), read(name, run, at=NOW + run * 1000)]
    return facts


# The table of F-WEB-31 by hand: (new, old) -> whose content stays. Nothing here is taken from the code.
KEPT: Final = {
    ("final", "final"): "new",
    ("final", "partial"): "new",
    ("final", "empty"): "new",
    ("partial", "final"): "old",
    ("partial", "partial"): "new",
    ("partial", "empty"): "new",
    ("empty", "final"): "old",
    ("empty", "partial"): "old",
    ("empty", "empty"): "new",
}


def kind_of(name: str) -> str:
    return name.partition("-")[0]


@settings(derandomize=True, max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(sorted(GIVES)), min_size=1, max_size=6))
def test_what_stays_is_what_the_table_says(names: list[str]) -> None:
    """T-072: over any sequence of fetches, against the table written by hand."""
    stays = names[0]
    for name in names[1:]:
        if KEPT[kind_of(name), kind_of(stays)] == "new":
            stays = name
    record = fold(facts_of(names)).record

    assert record is not None
    assert (record.title, record.content, record.status_code) == GIVES[stays][:3]


@settings(derandomize=True, max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(sorted(GIVES)), min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_order_of_arrival_and_repeats_change_nothing(names: list[str], random: Random) -> None:
    """Design law 1, for pages."""
    facts = facts_of(names)
    shuffled = facts + random.choices(facts, k=3)
    random.shuffle(shuffled)

    assert fold(shuffled) == fold(facts)


def test_a_good_page_outlives_an_empty_one_but_its_counters_go_on() -> None:
    """T-072, F-WEB-32, A-49: the content stays; counter, flag and outcome are those of the new attempt."""
    folded = fold(
        [
            accepted(1),
            read("final", 1, at=NOW + 5),
            accepted(2, resets=False, at=NOW + 1000),
            read("empty-error", 2, at=NOW + 1005),
        ]
    )
    record = folded.record

    assert record is not None
    assert (record.content, record.status_code, record.content_time) == ("c" * 30, 200, NOW + 5)
    assert (record.fetch_time, record.retry_counter) == (NOW, 1)
    assert (record.fetch_exception, record.outcome) == (True, "unavailable")
    assert folded.reason == "fetch 1.2: unavailable, the content before is kept"
    assert folded.version == 2


def test_content_time_is_when_content_was_set() -> None:
    """F-WEB-15; without content it was never set."""
    assert [fold(facts_of([name])).record.content_time for name in ("final", "empty")] == [NOW + 1000, 0]  # type: ignore[union-attr]


def test_a_reset_sets_the_time_and_a_retry_counts() -> None:
    """F-CAN-02 and F-CAN-03."""
    facts = [accepted(1), read("empty", 1), accepted(2, resets=False, at=NOW + 9), read("empty", 2)]
    once = fold(facts).record
    again = fold([*facts, accepted(3, at=NOW + 99), read("empty", 3)]).record

    assert once is not None
    assert again is not None
    assert (once.fetch_time, once.retry_counter) == (NOW, 1)
    assert (again.fetch_time, again.retry_counter) == (NOW + 99, 0)


class Page:
    """A page that always gives the same, asked again and again at times of the test's choosing."""

    def __init__(self, name: str, cooldowns: Cooldowns = Cooldowns()) -> None:  # noqa: B008
        self._name, self._cooldowns = name, cooldowns
        self._facts: list[WebpageFact] = []

    def fetch(self, at_ms: int) -> bool:
        """Whether it was fetched."""
        run = accept(fold(self._facts), "webpage", URL, SMALL, self._cooldowns, at_ms)
        if run is not None:
            self._facts += [run, read(self._name, run.run, at=at_ms)]
        return run is not None

    @property
    def retry_counter(self) -> int:
        record = fold(self._facts).record
        assert record is not None
        return record.retry_counter


@pytest.mark.parametrize(
    ("name", "cooldown_min"), [("empty", 720), ("partial", 10_080), ("partial-broken", 10_080)]
)
def test_an_unfinished_page_is_fetched_once_and_three_times_again(name: str, cooldown_min: int) -> None:
    """T-073 for pages (F-CAN-07): 1+3 fetches, then none until the cooldown is over, which resets the counter."""
    page = Page(name)

    assert [page.fetch(NOW + second) for second in range(5)] == [True, True, True, True, False]
    assert page.retry_counter == 3
    assert not page.fetch(NOW + cooldown_min * MINUTE - 1)
    assert page.fetch(NOW + cooldown_min * MINUTE)
    assert page.retry_counter == 0


def test_a_page_that_failed_for_a_while_has_the_shortest_wait_that_applies() -> None:
    """Condition 4 beside condition 2."""
    page = Page("empty-error", Cooldowns(retryLimit=0, emptyCooldown=-1, fetchExceptionCooldown=10))

    assert [page.fetch(NOW + minute * MINUTE) for minute in (0, 9, 10)] == [True, False, True]


def test_a_final_page_is_never_fetched_again() -> None:
    """F-CAN-05."""
    page = Page("final")

    assert [page.fetch(NOW + year * 525_600 * MINUTE) for year in range(4)] == [True, False, False, False]


def test_updates_can_be_switched_off() -> None:
    """F-CAN-06."""
    never = Cooldowns(emptyCooldown=-1, nonFinalCooldown=-1, fetchExceptionCooldown=-1, retryLimit=0)
    for name, later in product(GIVES, (1, 10**12)):
        page = Page(name, never)

        assert [page.fetch(NOW), page.fetch(NOW + later)] == [True, False], name


def test_a_larger_threshold_makes_a_page_unfinished() -> None:
    """The thresholds of the new run decide what is final."""
    folded = fold([accepted(1), read("final", 1)])
    demanding = RunSettings(thresholds=Thresholds(webpageMinLength=1000))

    assert accept(folded, "webpage", URL, SMALL, Cooldowns(), NOW) is None
    assert accept(folded, "webpage", URL, demanding, Cooldowns(), NOW) is not None


def test_a_fresh_fetch_takes_the_place_of_whatever_is_stored() -> None:
    """F-CLI-111, F-CLI-112: the answer opens a new epoch; even an empty one stays."""
    facts: list[WebpageFact] = [accepted(1), read("final", 1)]
    run = accept(fold(facts), "webpage", URL, SMALL, Cooldowns(), NOW + 5, fresh=True)
    assert run is not None
    record = fold([*facts, run, read("empty", run.run, run.epoch)]).record

    assert (run.epoch, run.run) == (2, 1)
    assert record is not None
    assert (record.content, record.fetch_time, record.retry_counter) == ("", NOW + 5, 0)


def test_a_page_that_was_put_goes_on_from_what_was_put() -> None:
    """A put opens an epoch; later fetches are judged against it."""
    given_ = WebpageRecord(URL, URL, status_code=200, title="Tool", content="p" * 50, fetch_time=7)
    put = WebpagePut(publication=KEY, entry="webpage", epoch=2, record=_raw(given_), put_at=NOW)
    facts: list[WebpageFact] = [accepted(1), read("partial", 1), put]
    after = fold([*facts, accepted(1, epoch=2, resets=False), read("empty", 1, epoch=2)]).record

    assert fold(facts).record == given_
    assert after is not None
    assert (after.content, after.fetch_time, after.retry_counter) == ("p" * 50, 7, 1)


def test_a_page_that_was_removed_is_as_if_never_fetched() -> None:
    """Nothing before counts; the number of versions goes on."""
    removed = WebpageRemoved(publication=KEY, entry="webpage", epoch=2, removed_at=NOW + 1)
    folded = fold([accepted(1), read("final", 1), removed])
    run = accept(folded, "webpage", URL, SMALL, Cooldowns(), NOW + 2)

    assert folded == Folded(None, 2, 0, 2, "removed", NOW + 1)
    assert run is not None
    assert (run.epoch, run.run, run.resets) == (2, 1, True)


def test_long_contents_count_by_their_length_in_characters() -> None:
    """A content among the blobs makes a page final, too."""
    blob = BlobRef(digest=quick_digest("x"), bytes=9000)
    long = WebpageRead(
        publication=KEY,
        entry="webpage",
        url=URL,
        need=KEY,
        epoch=1,
        run=1,
        fetched_at=NOW,
        outcome="found",
        final_url=URL,
        status_code=200,
        blob=blob,
        blob_size=4500,
    )
    record = fold([accepted(1), long]).record

    assert record is not None
    assert record.is_final(4500)
    assert not record.is_final(4501)
    assert record.content_time == NOW


def test_a_need_names_its_run_and_its_address() -> None:
    """The same question has the same id; another run is another question."""
    need = need_of(accepted(2))

    assert (need.need, need.resource) == (f"{KEY}/1.2", "webpages")
    assert need.link is not None
    assert need.link.url == URL
    assert need_of(accepted(3)).need != need.need


def _raw(record: WebpageRecord):  # type: ignore[no-untyped-def]
    import msgspec

    return msgspec.Raw(encode_webpage(record))
