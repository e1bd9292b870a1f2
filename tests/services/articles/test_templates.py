"""LOCKSS printf templates: what they expand to, and what is wrong with one (L-22, L-26, S28 … S30)."""

import pytest

from pubweave.articles.iterator.templates import (
    Parameters,
    ParamType,
    TemplateError,
    expand_regex,
    expand_urls,
    parse_template,
)

PARAMETERS = Parameters(
    {
        "base_url": "http://h.org/",
        "journal_id": "j.a b",
        "year": "2006",
        "volume": "3",
        "issues": "1, 2",
        "many": "{1-3},x",
        "vols": "3-5",
        "names": "a-c",
        "wide": "1-500",
        "one": "7",
    },
    {
        "base_url": ParamType.URL,
        "year": ParamType.YEAR,
        "volume": ParamType.INT,
        "issues": ParamType.SET,
        "many": ParamType.SET,
        "vols": ParamType.NUM_RANGE,
        "names": ParamType.RANGE,
        "wide": ParamType.NUM_RANGE,
        "one": ParamType.NUM_RANGE,
        "unset": ParamType.STRING,
    },
)


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ('"^%sfull/", base_url', r"^http\:\/\/h\.org\/full/"),
        ('"%s", journal_id', r"j\.a( |\+|%20)b"),
        ('"%d-%s", volume, year', "3-2006"),
        ('"/%s/", issues', "/(?:1|2)/"),
        ('"/%s/", many', "/(?:1|2|3|x)/"),
        ('"/%s/", vols', r"/(\d+)/"),
        ('"/%s/", names', "/(.*)/"),
        ('"/%03d/%%20", volume', "/003/%20"),
        ('"%s%s", base_url,journal_id', r"http\:\/\/h\.org\/j\.a( |\+|%20)b"),
        ('"no arguments %d"', "no arguments %d"),
        ("bare /full/", "bare /full/"),
        ('"%s", url_host(base_url)', r"h\.org"),
        ('"%s", add_www(base_url)', r"http\:\/\/www\.h\.org\/"),
        ('"%s", short_year(year)', "06"),
    ],
)
def test_a_pattern_template_quotes_values(template: str, expected: str) -> None:
    """Texts are quoted, numbers are not, sets are alternatives, ranges are groups."""
    assert expected == expand_regex(parse_template(template), PARAMETERS)


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ('"%s%s/", base_url, journal_id', ["http://h.org/j.a b/"]),
        ('"v%d/i%s/", vols, issues', ["v3/i1/", "v4/i1/", "v5/i1/", "v3/i2/", "v4/i2/", "v5/i2/"]),
        ('"v%d", one', ["v7"]),
        ('"v%d", volume', ["v3"]),
        ("http://h.org/", ["http://h.org/"]),
    ],
)
def test_a_root_template_enumerates(template: str, expected: list[str]) -> None:
    """Sets and ranges of numbers give their product, the last varying slowest."""
    assert expected == expand_urls(parse_template(template), PARAMETERS)


def test_a_range_of_more_than_a_hundred_numbers_is_cut() -> None:
    """As the Java program cuts it: the lowest and the hundred that follow."""
    roots = expand_urls(parse_template('"v%d", wide'), PARAMETERS)

    assert roots is not None
    assert (roots[0], roots[-1], len(roots)) == ("v1", "v101", 101)


def test_a_parameter_without_value_gives_nothing() -> None:
    """Neither a regular expression nor a root (18)."""
    assert expand_regex(parse_template('"%s", unset'), PARAMETERS) is None
    assert expand_urls(parse_template('"%s", unset'), PARAMETERS) is None


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ('"%d", base_url', "%d wants a number"),
        ('"%d", vols', "%d wants a number"),
        ('"%s%s", base_url', "too few arguments"),
        ('"%q", base_url', "%q is not a conversion"),
        ('"%s", nobody', "parameter nobody is not declared"),
        ('"%s", strange(base_url)', "function strange is not known"),
    ],
)
def test_a_bad_pattern_template_is_said_to_be_bad(template: str, reason: str) -> None:
    """The reason names what does not fit."""
    with pytest.raises(TemplateError, match=reason):
        expand_regex(parse_template(template), PARAMETERS)


def test_a_range_of_strings_is_no_root() -> None:
    """Nobody can enumerate it (16)."""
    with pytest.raises(TemplateError, match="range of strings"):
        expand_urls(parse_template('"%s", names'), PARAMETERS)


@pytest.mark.parametrize(
    ("value", "kind", "reason"),
    [
        ("x", ParamType.INT, "whole number"),
        ("20x6", ParamType.YEAR, "whole number"),
        ("5-3", ParamType.NUM_RANGE, "ends before it begins"),
        ("a-b", ParamType.NUM_RANGE, "range of numbers"),
    ],
)
def test_a_value_must_fit_its_type(value: str, kind: ParamType, reason: str) -> None:
    """Said with the parameter's name."""
    with pytest.raises(TemplateError, match=f"parameter p .*{reason}"):
        Parameters({"p": value}, {"p": kind})
