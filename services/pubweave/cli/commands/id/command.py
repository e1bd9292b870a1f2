"""`pubweave id`: checks and conversions of single identifiers (F-CLI-36 to F-CLI-46)."""

from collections.abc import Callable
from urllib.parse import urlsplit

import click

from pubweave.cli.group import Command, GuessingGroup
from pubweave.cli.problems import Refused
from pubweave.output.terminal import echo


@click.group(cls=GuessingGroup, name="id", context_settings={"help_option_names": ["-h", "--help"]})
def ids() -> None:
    """Check and normalise identifiers. Each command prints one line."""


def _command(name: str, example: str) -> Callable[[Callable[..., None]], click.Command]:
    def decorate(function: Callable[..., None]) -> click.Command:
        command = click.command(name, cls=Command, examples=example)(function)
        ids.add_command(command)
        return command

    return decorate


def _say(answer: bool) -> None:
    echo("true" if answer else "false")


@_command("is-pmid", "pubweave id is-pmid 31092905")
@click.argument("string")
def is_pmid(string: str) -> None:
    """Say whether STRING is a PMID."""
    from pubweave.core import identifiers

    _say(identifiers.is_pmid(string))


@_command("is-pmcid", "pubweave id is-pmcid PMC6519000")
@click.argument("string")
def is_pmcid(string: str) -> None:
    """Say whether STRING is a PMCID."""
    from pubweave.core import identifiers

    _say(identifiers.is_pmcid(string))


@_command("is-doi", "pubweave id is-doi https://doi.org/10.1093/nar/gkz369")
@click.argument("string")
def is_doi(string: str) -> None:
    """Say whether STRING is a DOI."""
    from pubweave.core import identifiers

    _say(identifiers.is_doi(string))


@_command("extract-pmcid", "pubweave id extract-pmcid PMC6519000      # 6519000")
@click.argument("string")
def extract_pmcid(string: str) -> None:
    """Print the digits of a PMCID; nothing if it is none."""
    from pubweave.core import identifiers

    echo(identifiers.pmcid_digits(string))


@_command("normalise-doi", "pubweave id normalise-doi doi:10.1093/nar/gkz369      # 10.1093/NAR/GKZ369")
@click.argument("string")
def normalise_doi(string: str) -> None:
    """Print a DOI without prefix, in upper case.

    Whether it is valid is not checked.
    """
    from pubweave.core import identifiers

    echo(identifiers.normalise_doi(string))


@_command("registrant", "pubweave id registrant 10.1093/nar/gkz369      # 1093")
@click.argument("string")
def registrant(string: str) -> None:
    """Print the registrant of a DOI; nothing if it is none."""
    from pubweave.core import identifiers

    echo(identifiers.doi_registrant(string))


@_command(
    "check",
    "pubweave id check 10.1093/nar/gkz369\npubweave id check 31092905 PMC6519000 ''",
)
@click.argument("strings", nargs=-1, required=True, metavar="STRING | PMID PMCID DOI")
def check(strings: tuple[str, ...]) -> None:
    """Print identifiers as PMID<TAB>PMCID<TAB>DOI.

    Give one identifier, or PMID, PMCID and DOI together, of which some may be empty ('').
    """
    from pubweave.contract.values import Identifiers
    from pubweave.core import identifiers

    if len(strings) == 1:
        found = identifiers.check_one(strings[0])
        if found is None:
            raise Refused(_suggestion(strings[0]))
    elif len(strings) == 3:
        pmid, pmcid, doi = strings
        checks = (identifiers.is_pmid, identifiers.is_pmcid, identifiers.is_doi)
        for text, valid, name in zip(strings, checks, ("PMID", "PMCID", "DOI"), strict=True):
            if text and not valid(text):
                raise Refused(f"'{text}' is not a {name}")
        if not any(strings):
            raise Refused("all three identifiers are empty")
        found = Identifiers(pmid=pmid, pmcid=pmcid, doi=identifiers.normalise_doi(doi))
    else:
        raise click.UsageError("give one identifier, or three: PMID PMCID DOI", click.get_current_context())
    echo(f"{found.pmid}\t{found.pmcid}\t{found.doi}")


def _suggestion(text: str) -> str:
    from pubweave.input.identifier_lines import Problem, Understood, parse

    match parse(text):
        case Problem(sentence):
            return sentence
        case Understood(meant, _):
            ((_, value),) = meant.known()
            return f"'{text}' is not an identifier; did you mean {value}?"
        case _:
            return f"'{text}' is not a PMID, PMCID or DOI"


@_command("check-url", "pubweave id check-url https://loom.example/a")
@click.argument("string", metavar="URL")
def check_url(string: str) -> None:
    """Print a web address as it is understood."""
    text = string.strip()
    try:
        split = urlsplit(text)
        split.port  # noqa: B018  # raises for a port that is none
    except ValueError as problem:
        raise Refused(f"'{string}' is not a web address: {str(problem).lower()}") from None
    spaced = any(letter.isspace() for letter in text)
    if split.scheme not in ("http", "https", "ftp") or not split.hostname or spaced:
        raise Refused(f"'{string}' is not a web address: it must be http://, https:// or ftp:// and a host")
    echo(split.geturl())
