"""E-mail addresses in texts, and whose they are (F-CA-03, F-CA-09)."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from pubweave.contract.values import CorrespAuthor

MAX_NAMES: Final = 300
"""Among how many names and addresses a match is sought."""

MAX_NOTE_CHARACTERS: Final = 5000
"""How much of a text is searched for addresses: the patterns take time of the square of a word's length."""

EMAIL: Final = re.compile(r"[A-Za-z0-9_.+%'&/=-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,9}[A-Za-z]{2,24}")

_CERTAIN_LETTERS: Final = 4
"""A part of a name that is as long tells whose an address is, also where it stands with somebody else."""


def emails_in(text: str) -> list[str]:
    """The addresses in a text, in order, each once."""
    found: dict[str, None] = {}
    end = 0
    at = text.find("@", 0, MAX_NOTE_CHARACTERS)
    while at >= 0:
        # most of an affiliation is far from its address: the pattern starts at the word that has the sign
        match = EMAIL.search(text, max(end, at - 64, text.rfind(" ", 0, at)), MAX_NOTE_CHARACTERS)
        if match is None:
            break
        found.setdefault(match[0].strip(".'/"))
        end = match.end()
        at = text.find("@", end, MAX_NOTE_CHARACTERS)
    return list(found)


# -- how well an address fits a name: passes of decreasing strictness; the more letters are explained, the better; 0: not at all

_Fit = Callable[[str, list[str]], int]


def _whole(local: str, words: list[str]) -> int:
    if len(local) != sum(map(len, words)):
        return 0
    named = ("".join(words), "".join(words[1:] + words[:1]), "".join(words[-1:] + words[:-1]))
    return len(local) if local in named else 0


def _part(local: str, words: list[str]) -> int:
    letters = 0
    for word in words:
        if word in local and len(word) >= 2:
            letters += len(word)
    return letters


def _same_initials(local: str, words: list[str]) -> int:
    if len(local) != len(words):
        return 0
    given = "".join(word[0] for word in words)
    return len(given) if local in (given, given[-1:] + given[:-1]) else 0


def _shortened(local: str, words: list[str]) -> int:
    best = 0
    for word in words:
        # a longer beginning can only be there where the shortest is
        if word[:3] in local:
            best = max(best, next((size for size in range(len(word) - 1, 2, -1) if word[:size] in local), 0))
    return best


_PASSES: Final[tuple[_Fit, ...]] = (_whole, _part, _same_initials, _shortened)


def _letters(text: str) -> str:
    if text.isascii() and text.isalpha():
        return text.lower()
    return "".join(letter for letter in unicodedata.normalize("NFD", text.lower()) if letter.isalpha())


def _words(name: str) -> list[str]:
    parts = name.replace("-", " ").replace(".", " ").split()
    return [letters for word in parts if (letters := _letters(word))]


def _local(email: str) -> str:
    return _letters(email.partition("@")[0])


def match_emails(names: Sequence[str], emails: Sequence[str]) -> list[str]:
    """For each name its e-mail among `emails` ("" if none fits); each e-mail goes to one name (F-CA-03).

    One name and one e-mail need no likeness. Within a pass the pair that explains most letters is taken first: "li"
    fits half of all addresses.
    """
    return list(emails) if len(names) == len(emails) == 1 else alike(names, emails)


def alike(names: Sequence[str], emails: Sequence[str]) -> list[str]:
    """As `match_emails`, by the letters alone."""
    given = [""] * len(names)
    left = {email: _local(email) for email in list(dict.fromkeys(emails))[:MAX_NAMES]}
    words = {place: _words(name) for place, name in enumerate(names[:MAX_NAMES])}
    for fits in _PASSES:
        pairs = [
            (-score, place, number, email)
            for place, parts in words.items()
            for number, (email, local) in enumerate(left.items())
            if (score := fits(local, parts))
        ]
        for _, place, _, email in sorted(pairs):
            if place in words and email in left:
                given[place] = email
                del words[place], left[email]
    return given


# -- addresses in affiliations


class Affiliated(NamedTuple):
    """An author with the texts of the affiliations; `name` is "" for nobody."""

    name: str
    affiliations: Sequence[str]
    orcid: str = ""


def authors_with_emails(authors: Sequence[Affiliated]) -> tuple[CorrespAuthor, ...]:
    """Those of the authors whose e-mail address stands in an affiliation (F-CA-09), in their order; then addresses that
    fit nobody, by themselves."""
    found, nobodys = emails_of_affiliations(authors)
    return (
        *(
            CorrespAuthor(name=author.name, orcid=author.orcid, email=email)
            for author, email in zip(authors, found, strict=True)
            if email
        ),
        *(CorrespAuthor(email=email) for email in nobodys),
    )


def emails_of_affiliations(authors: Sequence[Affiliated]) -> tuple[list[str], list[str]]:
    """For each author the address found in affiliations ("" if none), and the addresses that fit nobody.

    An address goes to the author it is made from, first among those with whom it stands; it may stand with another
    (until 2013 PubMed had the first author's affiliation only, with the address for letters). Made from nobody's
    name, it belongs to the one author with whom it stands; if there are several, to nobody that could be told.
    """
    holders: dict[str, list[int]] = {}
    spelt: dict[str, str] = {}
    for place, author in enumerate(authors):
        for email in (email for text in author.affiliations for email in emails_in(text)):
            key = email.lower()
            spelt.setdefault(key, email)
            if (here := holders.setdefault(key, []))[-1:] != [place]:
                here.append(place)
    found = [""] * len(authors)
    if not holders:
        return found, []
    names = _NameWords([author.name for author in authors])
    nobodys: list[str] = []
    for email, places in list(holders.items())[:MAX_NAMES]:
        owner = _owner(_local(email), places, names)
        if owner is None:
            nobodys.append(spelt[email])
        elif not found[owner]:
            found[owner] = spelt[email]
    return found, nobodys


class _NameWords(dict[int, list[str]]):
    """The words of names by their place, each taken apart when it is first looked at."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self._names = names

    def __missing__(self, place: int) -> list[str]:
        words = self[place] = _words(self._names[place])
        return words

    def places(self) -> range:
        return range(min(len(self._names), MAX_NAMES))


def _owner(local: str, places: Sequence[int], names: _NameWords) -> int | None:
    # a long part of the name of one with whom it stands needs no look at all others
    certain_here = any(_fits_certainly(_part, local, names[place]) for place in places)
    for fits in _PASSES:
        best = max(((fits(local, names[place]), -place) for place in places), default=(0, 0))
        if not certain_here and fits in (_whole, _part):
            certain = ((_fits_certainly(fits, local, names[place]), -place) for place in names.places())
            best = max(best, max(certain, default=(0, 0)))
        if best[0]:
            return -best[1]
    return places[0] if len(places) == 1 else None


def _fits_certainly(fits: _Fit, local: str, parts: list[str]) -> int:
    if fits is _whole:
        return fits(local, parts) if len(local) >= _CERTAIN_LETTERS else 0
    return fits(local, [part for part in parts if len(part) >= _CERTAIN_LETTERS])
