"""What a robots.txt says to us (RFC 9309 2.2)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pubweave.doors.fetcher.robots_rules import RobotsLine, product_token, rules_for

SITE = "https://press.example"


def refusing(content: str, path: str, token: str = "pubweave") -> str:
    return rules_for(content.encode(), token).refusing_line(SITE + path)


@pytest.mark.parametrize(
    ("content", "path", "line"),
    [
        pytest.param("User-agent: *\nDisallow: /a", "/b", "", id="no rule fits"),
        pytest.param("User-agent: *\nDisallow: /a", "/a/b", "line 2, Disallow: /a", id="a beginning fits"),
        pytest.param("User-agent: *\nDisallow:", "/a", "", id="an empty rule forbids nothing"),
        pytest.param("User-agent: *\nDisallow: /\nAllow: /a", "/a/b", "", id="the longer rule wins"),
        pytest.param("User-agent: *\nDisallow: /a\nAllow: /a", "/a", "", id="of equals the allowing one"),
        pytest.param("User-agent: *\nDisallow: /*.pdf$", "/x.pdf", "line 2, Disallow: /*.pdf$", id="* and $"),
        pytest.param("User-agent: *\nDisallow: /*.pdf$", "/x.pdf?a=1", "", id="$ is the very end"),
        pytest.param(
            "user-AGENT : *\r\nDISallow :/a # why\r\n", "/a", "line 2, Disallow: /a", id="odd letters"
        ),
        pytest.param("\ufeffUser-agent: *\nDisallow: /a", "/a", "line 2, Disallow: /a", id="byte order mark"),
        pytest.param("Disallow: /", "/a", "", id="a rule of no group is nobody's"),
        pytest.param("<html><body>Not found</body></html>", "/a", "", id="a page instead"),
        pytest.param("User-agent: *\nDisallow: /a%2fb", "/a%2Fb", "line 2, Disallow: /a%2fb", id="escapes"),
        pytest.param("User-agent: *\nDisallow: /", "/robots.txt", "", id="the file itself"),
        pytest.param(
            "User-agent: *\nDisallow: /a\nDisallow: /a/b\nDisallow: /a/b/c",
            "/a/b/x",
            "line 3, Disallow: /a/b",
            id="the line told is the longest that fits",
        ),
    ],
)
def test_a_rule_decides(content: str, path: str, line: str) -> None:
    """The longest rule that fits decides, and is told with its line."""
    assert refusing(content, path) == line


@pytest.mark.parametrize(
    ("content", "path", "line"),
    [
        pytest.param(
            "User-agent: *\nDisallow: /\nUser-agent: pubweave\nDisallow: /a", "/b", "", id="our own"
        ),
        pytest.param(
            "User-agent: pubweave\nDisallow: /a\n\nUser-agent: x\nDisallow: /b\n\nUser-agent: PubWeave/2\nDisallow: /c",
            "/c",
            "line 8, Disallow: /c",
            id="all groups that name us, as one",
        ),
        pytest.param(
            "User-agent: pub\nDisallow: /\nUser-agent: weave\nDisallow: /", "/a", "", id="parts of our name"
        ),
        pytest.param(
            "User-agent: x\nUser-agent: pubweave\nSitemap: /s\nDisallow: /a",
            "/a",
            "line 4, Disallow: /a",
            id="two names",
        ),
        pytest.param(
            "User-agent: *\nDisallow: /\nUser-agent: pubweave\n", "/a", "", id="named, and nothing forbidden"
        ),
    ],
)
def test_the_group_that_names_us_counts(content: str, path: str, line: str) -> None:
    """RFC 9309 2.2.1: whole names, letters of either case; `*` only where nobody names us."""
    assert refusing(content, path) == line


def test_a_crawl_delay_is_read() -> None:
    """Seconds, also parts of one; anything else is passed over."""
    assert rules_for(b"User-agent: *\nCrawl-delay: 2.5", "x").crawl_delay_s == 2.5
    assert rules_for(b"User-agent: *\nCrawl-delay: soon", "x").crawl_delay_s == 0
    assert rules_for(b"User-agent: y\nCrawl-delay: 9", "x").crawl_delay_s == 0


def test_our_name_is_that_of_the_header() -> None:
    """Who changes the User-Agent is addressed by the new name."""
    assert product_token("pubweave/0.1.0 (+https://x.example)") == "pubweave"
    assert product_token("NiceBot/2 pubweave") == "nicebot"
    assert product_token("") == "pubweave"


def test_what_follows_500_kib_is_left_out() -> None:
    """RFC 9309 2.5."""
    content = b"User-agent: *\nDisallow: /a\n" + b"# \n" * 200_000 + b"Disallow: /b\n"

    assert rules_for(content, "x").lines == (RobotsLine(2, "disallow", "/a"),)


@settings(derandomize=True, deadline=None, max_examples=200)
@given(
    st.lists(
        st.sampled_from(["", "User-agent: *", "Disallow: /a*b", "Allow: /", "Disallow: /a$b", ":", "# x"])
    )
)
def test_the_line_told_forbids_by_itself(lines: list[str]) -> None:
    """Whatever stands there, the line that is told is one of the file, at its place."""
    told = refusing("\n".join(lines), "/a$b")
    if told:
        number, rule = told.removeprefix("line ").split(", ", 1)
        assert lines[int(number) - 1] == rule
