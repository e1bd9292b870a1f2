"""`pubweave id …` (F-CLI-36 to F-CLI-46): one line each, or one sentence."""

import pytest

from services.cli.conftest import Cli


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("is-pmid", "31092905"), "true"),
        (("is-pmid", "0123"), "false"),
        (("is-pmid", ""), "false"),
        (("is-pmcid", "PMC6519000"), "true"),
        (("is-pmcid", "pmc6519000"), "false"),
        (("is-doi", "https://doi.org/10.1093/nar/gkz369"), "true"),
        (("is-doi", "10.1093"), "false"),
        (("extract-pmcid", "PMC6519000"), "6519000"),
        (("extract-pmcid", "6519000"), ""),
        (("normalise-doi", "doi:10.1093/nar/gkz369"), "10.1093/NAR/GKZ369"),
        (("normalise-doi", "nothing é"), "NOTHING é"),
        (("registrant", "10.1093/nar/gkz369"), "1093"),
        (("registrant", "nothing"), ""),
        (("check", "31092905"), "31092905\t\t"),
        (("check", "doi:10.1/x"), "\t\t10.1/X"),
        (("check", "1", "PMC2", "10.3/x"), "1\tPMC2\t10.3/X"),
        (("check", "", "PMC2", ""), "\tPMC2\t"),
        (("check-url", " https://loom.example/a?b#c "), "https://loom.example/a?b#c"),
        (("check-url", "ftp://loom.example/a.pdf"), "ftp://loom.example/a.pdf"),
    ],
)
def test_the_answer_is_one_line(cli: Cli, arguments: tuple[str, ...], expected: str) -> None:
    ran = cli("id", *arguments)

    assert (ran.status, ran.out, ran.err) == (0, expected + "\n", "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("check", "pmc1"), "did you mean PMC1?"),
        (("check", "hello"), "'hello' is not"),
        (("check", "1\t2"), "should hold a PMCID"),
        (("check", "", "", ""), "all three identifiers are empty"),
        (("check", "1", "2", ""), "'2' is not a PMCID"),
        (("check", "1", "PMC2"), "one identifier, or three"),
        (("check",), "missing argument"),
        (("check-url", "loom.example"), "not a web address"),
        (("check-url", "https://"), "not a web address"),
        (("check-url", "https://a:b/"), "not a web address"),
        (("check-url", "https://[1/"), "not a web address"),
        (("is-pmidd", "1"), "did you mean 'is-pmid'?"),
    ],
)
def test_what_is_none_is_refused(cli: Cli, arguments: tuple[str, ...], words: str) -> None:
    """Exit status 2, one sentence."""
    ran = cli("id", *arguments)

    assert (ran.status, ran.out) == (2, "")
    assert words in ran.err
    assert ran.err.count("\n") == 1
