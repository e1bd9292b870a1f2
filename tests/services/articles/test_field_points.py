"""What the Java program really does, point by point; the numbers are those of the field notes and their S cases."""

import pytest

from pubweave.articles.iterator.definition import Definition, Pattern
from services.articles.made import (
    ABSTRACT,
    BASE,
    FULL,
    PDF,
    at,
    both_walks,
    major,
    minor,
    visited,
    walked,
)


def test_s01_the_earlier_aspect_owns_the_article() -> None:
    """A PDF whose HTML exists emits nothing; without HTML it is the article (20)."""
    found = walked(["full/1", "pdf/1.pdf", "pdf/2.pdf"], FULL, PDF)

    assert found == [
        ("full/1", {"FullTextHtml": "full/1", "FullTextPdfFile": "pdf/1.pdf"}),
        ("pdf/2.pdf", {"FullTextPdfFile": "pdf/2.pdf"}),
    ]


def test_s02_a_minor_aspect_in_front_swallows_articles() -> None:
    """A major defers to the URL of an earlier minor aspect, which never emits (21)."""
    assert walked(["full/1", "abs/1", "full/2"], ABSTRACT, FULL) == [("full/2", {"FullTextHtml": "full/2"})]


def test_s03_a_role_once_set_is_kept() -> None:
    """Of two aspects with the same role the earlier fills it (31)."""
    found = walked(["full/1", "a/1", "b/1"], FULL, minor("/a/$1", "Abstract"), minor("/b/$1", "Abstract"))

    assert found == [("full/1", {"FullTextHtml": "full/1", "Abstract": "a/1"})]


def test_s04_only_the_first_match_is_replaced() -> None:
    """What stands before and behind the first match stays (25)."""
    found = walked(
        ["x/full/7/full/8", "x/abs/7/full/8", "x/full/7/abs/8"],
        major(r"/full/(\d+)", "/full/$1", "H"),
        ABSTRACT,
    )

    assert found == [
        ("x/abs/7/full/8", {"H": "x/abs/7/full/8"}),
        ("x/full/7/abs/8", {"H": "x/full/7/abs/8"}),
        ("x/full/7/full/8", {"H": "x/full/7/full/8", "Abstract": "x/abs/7/full/8"}),
    ]


def test_s05_the_first_existing_replacement_wins() -> None:
    """Replacements are tried in their order (26)."""
    found = walked(["full/1", "b/1", "c/1"], FULL, minor(["/a/$1", "/b/$1", "/c/$1"], "Abstract"))

    assert found == [("full/1", {"FullTextHtml": "full/1", "Abstract": "b/1"})]


def test_s06_two_urls_of_one_aspect_both_emit() -> None:
    """Nothing removes what one aspect owns twice (23)."""
    aspect = major(r"/full/(\d+)", "/full/$1", "FullTextHtml")
    found = [url for url, _ in walked(["full/1?v=2", "full/1", "full/1.html"], aspect)]

    assert found == ["full/1", "full/1.html", "full/1?v=2"]


def test_s06_unique_leaves_the_repeats_out() -> None:
    """With `unique` the URL with something behind the match is left out where the bare one exists."""
    aspect = major(r"/full/(\d+)", "/full/$1", "FullTextHtml")
    urls = ["full/1?v=2", "full/1", "full/1.html", "full/2?v=1"]
    found = [url for url, _ in walked(urls, aspect, unique=True)]

    assert found == ["full/1", "full/2?v=1"]


def test_s07_two_patterns_of_one_aspect_do_not_defer_to_each_other() -> None:
    """Deference is to earlier aspects only (23)."""
    aspect = major([r"/full/(\d+)$", r"/html/(\d+)$"], ["/full/$1", "/html/$1"], "FullTextHtml")
    found = [url for url, _ in walked(["html/1", "full/1"], aspect)]

    assert found == ["full/1", "html/1"]


def test_s09_existence_is_letter_for_letter() -> None:
    """A case-blind pattern does not make the store case-blind (27)."""
    found = walked(
        ["pdf/ABC.pdf", "full/abc"],
        major("/full/([a-z]+)$", "/full/$1", "H", flags=2),
        major("/pdf/([a-z]+)[.]pdf$", "/pdf/$1.pdf", "P", flags=2),
    )

    assert found == [("full/abc", {"H": "full/abc"}), ("pdf/ABC.pdf", {"P": "pdf/ABC.pdf"})]


@pytest.mark.parametrize("root", ["http://h.org/a", "http://h.org/a/"])
def test_s10_s11_a_root_is_a_node_with_or_without_its_slash(root: str) -> None:
    """A root takes itself and what follows a slash, nothing that merely begins like it (2)."""
    urls = ["a", "a/x", "ab", "a.html", "a?x=1", "b/a/x"]

    assert visited(urls, roots=(root,)) == ["a", "a/x"]


def test_s12_overlapping_roots_give_the_same_article_twice() -> None:
    """Roots are walked one after another; `unique` leaves out the second time (3)."""
    roots = (BASE + "a", BASE + "a/b")

    assert visited(["a/b/1"], roots=roots) == ["a/b/1", "a/b/1"]
    assert visited(["a/b/1"], roots=roots, unique=True) == ["a/b/1"]


def test_s12_more_roots_than_a_few_keep_their_order() -> None:
    """The way of many roots is no other way than that of few."""
    roots = tuple(BASE + each for each in ("d", "c", "b", "a", "b"))

    assert visited(["a/1", "b/2", "b/1", "c/1", "d/1"], roots=roots) == [
        "d/1",
        "c/1",
        "b/1",
        "b/2",
        "a/1",
        "b/1",
        "b/2",
    ]


def test_s13_without_roots_the_whole_unit_is_walked() -> None:
    """Other hosts too (4)."""
    assert visited(["x", "https://b.org/1", "http://a.org/1"]) == ["http://a.org/1", "x", "https://b.org/1"]


def test_s14_include_lets_ancestors_through() -> None:
    """Include is tried from the start and passes what only ends too early (7)."""
    include = Pattern("http://h.org/vol3/iss(1|2)/")
    urls = ["vol", "vol3", "vol3/iss1/x", "vol3/iss3/x", "x/vol3/iss1/y"]

    assert visited(urls, include=include) == ["vol", "vol3", "vol3/iss1/x"]


def test_s15_exclude_is_tried_from_the_start() -> None:
    """Exclude refuses what begins with a match, not what holds one (8)."""
    urls = ["vol3/iss1/x", "vol4/x", "x/http://h.org/vol3/iss1"]

    assert visited(urls, exclude=Pattern("http://h.org/vol3/iss1")) == ["vol4/x", "x/http://h.org/vol3/iss1"]


def test_s16_with_include_exclude_is_ignored() -> None:
    """Both given is no error (8)."""
    both = {"include": Pattern("http://h.org/vol3/"), "exclude": Pattern("http://h.org/vol3/iss1")}

    assert visited(["vol3/iss1/x", "vol4/y"], **both) == ["vol3/iss1/x"]


def test_s17_s33_the_general_pattern_is_searched_anywhere() -> None:
    """No implicit anchors (9)."""
    assert visited(["a/full/1", "full", "b"], pattern=Pattern("full")) == ["a/full/1", "full"]


def test_s18_media_types_are_compared_without_parameters() -> None:
    """Equal save for case, parameters and blanks; not known is not equal (11)."""
    urls = [
        (BASE + "1", "TEXT/HTML; charset=UTF-8"),
        (BASE + "2", " text/html"),
        (BASE + "3", "application/xhtml+xml"),
        (BASE + "4", ""),
    ]
    found = both_walks(urls, Definition(media_types=("text/html",)))

    assert [article.full_text_url for article in found] == at("1", "2")


def test_several_media_types_may_be_wanted() -> None:
    """Beyond the manual: one of several is enough (L-25)."""
    urls = [(BASE + "1", "text/xml"), (BASE + "2", "application/xml"), (BASE + "3", "text/html")]
    found = both_walks(urls, Definition(media_types=("text/xml", "application/xml")))

    assert [article.full_text_url for article in found] == at("1", "2")


def test_s19_no_owner_no_article() -> None:
    """A URL that only a minor aspect could name emits nothing (19)."""
    assert walked(["abs/1"], FULL, ABSTRACT) == []


def test_s20_full_text_may_be_emptied_by_its_order() -> None:
    """None of the roles set: emitted without full text (32)."""
    assert walked(["full/1"], FULL, full_text_order=("FullTextPdfFile",)) == [
        (None, {"FullTextHtml": "full/1"})
    ]


def test_s21_s40_role_from_others_overwrites_only_with_something() -> None:
    """In declared order, seeing what earlier entries did; without a source nothing changes (33)."""
    others = (("A", ("Nope", "FullTextHtml")), ("B", ("A",)), ("FullTextHtml", ("Nope",)))

    assert walked(["full/1"], FULL, role_from_others=others) == [
        ("full/1", {"FullTextHtml": "full/1", "A": "full/1", "B": "full/1"})
    ]
    assert walked(
        ["full/1", "abs/1"], FULL, ABSTRACT, role_from_others=(("FullTextHtml", ("Abstract",)),)
    ) == [("full/1", {"FullTextHtml": "abs/1", "Abstract": "abs/1"})]


def test_s22_a_role_made_last_is_never_full_text() -> None:
    """The full-text order runs before roles from others (34)."""
    more = {"full_text_order": ("M",), "role_from_others": (("M", ("FullTextHtml",)),)}

    assert walked(["full/1"], FULL, **more) == [(None, {"FullTextHtml": "full/1", "M": "full/1"})]


def test_s23_s24_counting_fills_nothing() -> None:
    """Only the owner's roles and the full-text order, which may empty the full text (35)."""
    more = {"role_from_others": (("M", ("FullTextHtml",)),), "counting_only": True}

    assert walked(["full/1", "abs/1"], FULL, ABSTRACT, **more) == [("full/1", {"FullTextHtml": "full/1"})]
    assert walked(["full/1", "abs/1"], FULL, ABSTRACT, full_text_order=("Abstract",), **more) == [
        (None, {"FullTextHtml": "full/1"})
    ]


def test_s25_a_group_without_part_gives_nothing() -> None:
    """Unmatched groups are empty in a replacement (28)."""
    found = walked(
        ["full/1", "abs/1-"], major(r"/full/(\d+)(x)?$", "/full/$1", "H"), minor("/abs/$1-$2", "A")
    )

    assert found == [("full/1", {"H": "full/1", "A": "abs/1-"})]


def test_s27_a_missing_group_costs_that_url_only() -> None:
    """The URL is skipped, the walk goes on (28, 29)."""
    bad = minor("/abs/$7", "Abstract")
    broken = major(r"/full/(\d+)$", "/full/$1", "H")
    fine = major(r"/x/(a)(a)(a)(a)(a)(a)(\d)$", "/x/$7", "X")

    assert walked(["full/1", "x/aaaaaa2"], broken, fine, bad) == [("x/aaaaaa2", {"X": "x/aaaaaa2"})]


def test_s27_a_replacement_that_is_not_reached_breaks_nothing() -> None:
    """An earlier replacement that exists ends the questions before the bad one (26, 28)."""
    assert walked(["full/1", "abs/1"], FULL, minor(["/abs/$1", "/abs/$7"], "A")) == [
        ("full/1", {"FullTextHtml": "full/1", "A": "abs/1"})
    ]


def test_s31_the_order_is_that_of_the_path_tree() -> None:
    """A node before its children, children before siblings that go on with other characters (5)."""
    order = ["A", "a", "a/b", "a/b/c", "a/b-c", "a-b", "a.b", "a1", "a10", "a2", "a?q=1", "b"]

    assert visited(sorted(order)) == order
    assert visited(reversed(order)) == order


def test_s32_emission_follows_the_walk_not_the_aspects() -> None:
    """The order of aspects decides who owns, not who comes first (6)."""
    aspects = (major(r"/z/(\d+)$", "/z/$1", "Z"), major(r"/a/(\d+)$", "/a/$1", "A"))

    assert [url for url, _ in walked(["z/1", "a/2"], *aspects)] == ["a/2", "z/1"]


def test_s34_flags_belong_to_the_pattern() -> None:
    """2 is case-blind, 0 is not (9)."""
    assert visited(["FULL/1", "full/2"], pattern=Pattern("/full/", 2)) == ["FULL/1", "full/2"]
    assert visited(["FULL/1", "full/2"], pattern=Pattern("/full/")) == ["full/2"]


def test_s37_deference_is_to_minor_aspects_too() -> None:
    """Every earlier aspect is asked, major or minor (20)."""
    found = walked(["full/1", "pdf/1.pdf", "abs/1"], FULL, ABSTRACT, PDF)

    assert found == [
        ("full/1", {"FullTextHtml": "full/1", "Abstract": "abs/1", "FullTextPdfFile": "pdf/1.pdf"})
    ]
    assert walked(["pdf/1.pdf", "abs/1"], FULL, ABSTRACT, PDF) == []


def test_s38_s39_filling_uses_the_owner_s_match() -> None:
    """Replacements that are not inverse lose a rendition (22)."""
    aspects = (
        major(r"/full/(\d)/(\d)$", "/full/$1/$2", "H"),
        major(r"/pdf/(\d)_(\d)$", "/pdf/$2_$1", "P"),
    )

    assert walked(["full/1/2", "pdf/1_2"], *aspects) == [("full/1/2", {"H": "full/1/2"})]


def test_an_aspect_may_have_several_roles() -> None:
    """All roles of an aspect are set together, each only where it is free (31)."""
    found = walked(
        ["full/1", "abs/1"], major(r"/full/(\d+)$", "/full/$1", "H", "M"), minor("/abs/$1", "A", "M")
    )

    assert found == [("full/1", {"H": "full/1", "M": "full/1", "A": "abs/1"})]


def test_a_walked_url_outside_the_roots_can_still_fill_a_role() -> None:
    """Roots limit what is walked, not what exists."""
    found = walked(
        ["full/1", "http://other.org/pdf/1"],
        FULL,
        minor("http://other.org/pdf/$1", "P"),
        roots=(BASE + "full",),
    )

    assert found == [("full/1", {"FullTextHtml": "full/1"})]
    whole = major(r"^http://h\.org/full/(\d+)$", "http://h.org/full/$1", "H")

    assert walked(
        ["full/1", "http://other.org/pdf/1"],
        whole,
        minor("http://other.org/pdf/$1", "P"),
        roots=(BASE + "full",),
    ) == [("full/1", {"H": "full/1", "P": "http://other.org/pdf/1"})]


def test_the_owner_s_own_replacement_is_never_asked() -> None:
    """Not even a broken one does harm where only later aspects are filled (30, 31)."""
    assert walked(["full/1"], major(r"/full/(\d+)$", "/full/$9", "H")) == [("full/1", {"H": "full/1"})]


def test_role_from_others_sees_an_owner_s_role_that_was_overwritten() -> None:
    """Later entries see what earlier ones did, to the owner's roles too (33)."""
    others = (("FullTextHtml", ("Abstract",)), ("B", ("FullTextHtml",)))

    assert walked(["full/1", "abs/1"], FULL, ABSTRACT, role_from_others=others) == [
        ("full/1", {"FullTextHtml": "abs/1", "Abstract": "abs/1", "B": "abs/1"})
    ]


def test_unique_keeps_what_the_shorter_url_could_not_be() -> None:
    """The URL without what follows the match must pass the general pattern itself."""
    aspect = major(r"/full/(\d+)", "/full/$1", "H")
    found = [url for url, _ in walked(["full/1", "full/1?v=2"], aspect, unique=True, pattern=Pattern("v="))]

    assert found == ["full/1?v=2"]


@pytest.mark.parametrize(
    ("regex", "replacement", "url", "filled"),
    [
        (r"^http://h\.org/x/(\d)|y/(\d)", "$1$2", "a/y/2", "a/2"),
        (r"y/(\d)|x/(\d)$", "$1$2", "y/2/b", "2/b"),
        (r"(?:^http://h\.org/x/(\d)|y/(\d))$", "$1$2", "a/y/2", "a/2"),
        (r"y/(\d)\\Z", "$1", r"y/2\Z/b", "2/b"),
        (r"y/(\d)\z", "$1", "y/2", "2"),
        (r"^http://h\.org/y/(\d)$", "http://h.org/$1", "y/2", "2"),
    ],
)
def test_what_stands_around_the_match_is_kept(regex: str, replacement: str, url: str, filled: str) -> None:
    """Whatever the anchors of the pattern seem to promise (25)."""
    found = walked([url, filled], major(regex, "$0", "H"), minor(replacement, "A"))

    assert (url, {"H": url, "A": filled}) in found
