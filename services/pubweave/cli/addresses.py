"""Addresses of web pages and docs, as people give them: which are none, and why."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from pubweave.output.terminal import say

SCHEMES: Final = ("http", "https", "ftp")


class AddressLine(NamedTuple):
    """One line of the input."""

    number: int
    """Counted through all sources."""
    url: str


def addresses(urls: Sequence[str], files: Sequence[str]) -> tuple[list[AddressLine], int]:
    """Everything that can be fetched, in order, and how many lines are no addresses; these are named.

    :raises Refused: a source cannot be read at all
    """
    found: list[AddressLine] = []
    bad = 0
    for number, (source, what, at, text) in enumerate(_lines(urls, files), start=1):
        problem = problem_of(text)
        if problem:
            bad += 1
            say(f"{source} {what} {at}: {problem}")
        else:
            found.append(AddressLine(number, text))
    return found, bad


def _lines(urls: Sequence[str], files: Sequence[str]) -> Iterator[tuple[str, str, int, str]]:
    from pubweave.input.identifier_lists import opened, raw_lines, source_of

    for at, url in enumerate(urls, start=1):
        yield "command line", "argument", at, url.strip()
    for file in files:
        source = source_of(file)
        with opened(source) as stream:
            for at, text, _ in raw_lines(source, stream):
                text = text.strip()
                # A hash inside an address is part of it.
                if text and not text.startswith("#"):
                    yield source.name, "line", at, text.partition(" #")[0].rstrip()


def problem_of(url: str) -> str:
    """Why a line is no address; "" if it is one."""
    shown = repr(url[:80]) + ("…" if len(url) > 80 else "")
    if not url:
        return "it is empty"
    if any(letter.isspace() or not letter.isprintable() for letter in url):
        return f"{shown} holds a space or what cannot be printed; addresses have %20 there"
    try:
        split = urlsplit(url)
        host = split.hostname or ""
    except ValueError as problem:
        return f"{shown} is no web address: {problem}"
    if split.scheme.lower() in SCHEMES and host:
        return ""
    if "://" not in url and "." in url.partition("/")[0]:
        return f"{shown} is no web address; did you mean https://{url[:80]}?"
    return f"{shown} is no web address; they begin with https://, http:// or ftp://"
