"""When a web page is empty, usable, broken, final, and when it replaces another (F-WEB-02…05, 31)."""

from itertools import product

from pubweave.core.webpage_record import WebpageRecord, decode_webpage, encode_webpage, replaces

URL = "https://tool.example/"
EMPTY = WebpageRecord(URL, URL, "text/html", 200)
SHORT = WebpageRecord(URL, URL, "text/html", 200, "Tool", "short")
LONG = WebpageRecord(URL, URL, "text/html", 200, "Tool", "x" * 50)
LONG_BUT_BROKEN = WebpageRecord(URL, URL, "text/html", 404, "Tool", "x" * 50)


def test_broken_is_a_status_outside_200_to_299_or_none_without_a_final_address() -> None:
    """F-WEB-04, each corner."""
    statuses = {0: True, 199: True, 200: False, 299: False, 300: True, 404: True}
    for status, broken_without in statuses.items():
        assert WebpageRecord(URL, "", status_code=status).is_broken() is broken_without
        assert WebpageRecord(URL, URL, status_code=status).is_broken() is (broken_without and status != 0)


def test_usable_counts_title_and_content_final_wants_content() -> None:
    """F-WEB-03 and F-WEB-05."""
    assert LONG.is_usable(54)
    assert not LONG.is_usable(55)
    assert not WebpageRecord(URL, URL, status_code=200, title="t" * 99).is_final(50)
    assert not LONG_BUT_BROKEN.is_final(50)


def test_what_replaces_what_is_the_table_of_the_specification() -> None:
    """F-WEB-31: final always; not empty over non-final; empty only over empty."""
    kinds = {"empty": EMPTY, "short": SHORT, "final": LONG, "broken": LONG_BUT_BROKEN}
    kept = {
        ("empty", "short"),
        ("empty", "final"),
        ("empty", "broken"),
        ("short", "final"),
        ("broken", "final"),
    }
    for new, old in product(kinds, kinds):
        assert replaces(kinds[new], kinds[old], 50) is ((new, old) not in kept), (new, old)


def test_a_stored_page_reads_back() -> None:
    """The bytes hold every field."""
    assert decode_webpage(encode_webpage(LONG)) == LONG
