"""Corresponding authors of a JATS article (F-CA-01…04)."""

import re
import unicodedata
from collections import Counter
from typing import TYPE_CHECKING, Final

import msgspec

from pubweave.core.reading.jats.text import attribute, plain_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lxml import etree

    Element = etree._Element


class PlainAuthor(msgspec.Struct, frozen=True):
    """A corresponding author; an unknown value is ""."""

    name: str = ""
    orcid: str = ""
    email: str = ""
    phone: str = ""
    uri: str = ""


class _Ways(msgspec.Struct):
    """Ways to reach somebody, as found in one place."""

    emails: list[str]
    phones: list[str]
    uris: list[str]


MAX_NOTE_CHARACTERS: Final = 5000
"""How much of a note is searched for addresses: the patterns take time of the square of a word's length."""

MAX_NAMES: Final = 300
"""Among how many names and addresses a match is sought."""

_EMAIL: Final = re.compile(r"[A-Za-z0-9_.+%'&/=-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,9}[A-Za-z]{2,24}")
_EMAIL_SAID: Final = re.compile(r"e-?mails?(?:\s++address(?:es)?)?\s*+(?:[:;.]\s*+)?(\S{1,100}@\S+)", re.I)
_PHONE_SAID: Final = re.compile(
    r"(?:tel(?:ephone)?|phone|mobile)\b(?:\s*+(?:no|number|nr))?\.?\s*+(?:[:.]\s*+)?(\+?[(\d][\d\s().+/–-]{4,}\d)",
    re.I,
)
_NOT_FOR_LETTERS: Final = frozenset(
    {"equal", "con", "deceased", "present-address", "conflict", "coi-statement"}
)


def _clean_email(text: str) -> str:
    text = text.strip().removeprefix("mailto:")[:MAX_NOTE_CHARACTERS]
    found = _EMAIL.search(text)
    return found[0].rstrip(".") if found else ""


def _ways(element: "Element", *, free_text: bool) -> _Ways:
    ways = _Ways([], [], [])

    def add(values: list[str], value: str) -> None:
        if value and len(values) < MAX_NAMES and value not in values:
            values.append(value)

    for tag, values in (("email", ways.emails), ("phone", ways.phones), ("uri", ways.uris)):
        for found in element.iter(tag):
            text = plain_text(found)
            add(
                values,
                _clean_email(text) or text if tag == "email" else text or attribute(found, "href"),
            )
    for link in element.iter("ext-link"):
        href = attribute(link, "href")
        if link.get("ext-link-type") == "email" or href.startswith("mailto:") or "@" in plain_text(link):
            add(ways.emails, _clean_email(plain_text(link)) or _clean_email(href))
        elif link.get("ext-link-type") == "uri":
            add(ways.uris, href or plain_text(link))
    if free_text:
        text = plain_text(element)[:MAX_NOTE_CHARACTERS]
        for said in _EMAIL_SAID.findall(text):
            add(ways.emails, _clean_email(said))
        if not ways.emails:
            for email in _EMAIL.findall(text):
                add(ways.emails, _clean_email(email))
        if not ways.phones:
            for phone in _PHONE_SAID.findall(text):
                add(ways.phones, phone.strip())
    return ways


def person_name(contributor: "Element") -> tuple[str, str]:
    """Given names and surname of a contributor; a group or a plain string is all "surname"."""
    for holder in contributor.iter("name", "string-name", "collab", "anonymous"):
        if holder.tag == "anonymous":
            return "", "Anonymous"
        surname, given = holder.find("surname"), holder.find("given-names")
        if surname is None and given is None:
            return "", plain_text(holder, without=frozenset({"contrib-group", "contrib"}))
        return plain_text(given), plain_text(surname)
    surname, given = contributor.find("surname"), contributor.find("given-names")
    return plain_text(given), plain_text(surname)


def _full_name(contributor: "Element") -> str:
    return " ".join(part for part in person_name(contributor) if part)


def _orcid(contributor: "Element") -> str:
    for found in contributor.iter("contrib-id"):
        if (found.get("contrib-id-type") or "").lower() == "orcid":
            return plain_text(found)
    for found in contributor.iter("ext-link", "uri"):
        href = attribute(found, "href") or plain_text(found)
        if "orcid.org/" in href:
            return href
    return ""


def _references(contributor: "Element", kinds: "Iterable[str] | None" = None) -> list[str]:
    wanted = frozenset(kinds) if kinds else None
    return [
        rid
        for xref in contributor.iter("xref")
        if wanted is None or xref.get("ref-type") in wanted
        for rid in (xref.get("rid") or "").split()
    ]


def _letters(text: str) -> str:
    return "".join(letter for letter in unicodedata.normalize("NFD", text.lower()) if letter.isalpha())


def _initials(words: list[str]) -> str:
    return "".join(word[0] for word in words if word)


def _whole(local: str, words: list[str]) -> bool:
    return local in ("".join(words), "".join(words[1:] + words[:1]), "".join(words[-1:] + words[:-1]))


def _part(local: str, words: list[str]) -> bool:
    return any(len(word) >= 2 and word in local for word in words)


def _same_initials(local: str, words: list[str]) -> bool:
    given = _initials(words)
    return bool(given) and local in (given, given[-1:] + given[:-1])


def _shortened(local: str, words: list[str]) -> bool:
    return any(word[:size] in local for word in words for size in range(len(word) - 1, 2, -1))


_PASSES: Final[tuple["Callable[[str, list[str]], bool]", ...]] = (_whole, _part, _same_initials, _shortened)


def match_emails(names: list[str], emails: list[str]) -> list[str]:
    """For each name its e-mail among `emails` ("" if none fits); each e-mail goes to one name (F-CA-03)."""
    if len(names) == 1 and len(emails) == 1:
        return list(emails)
    given = [""] * len(names)
    left = list(dict.fromkeys(emails))[:MAX_NAMES]
    words = [
        [_letters(word) for word in re.split(r"[\s.-]+", name) if _letters(word)]
        for name in names[:MAX_NAMES]
    ]
    local = {email: _letters(email.partition("@")[0]) for email in left}
    for fits in _PASSES:
        for place, parts in enumerate(words):
            if given[place]:
                continue
            fitting = [email for email in left if fits(local[email], parts)]
            if fitting:
                # the longest fitting part wins: "li" fits half of all addresses
                given[place] = max(
                    fitting,
                    key=lambda email: max((len(part) for part in parts if part in local[email]), default=0),
                )
                left.remove(given[place])
    return given


def _chosen(
    contributors: list["Element"], notes: "dict[str, Element]", corresp: list["Element"]
) -> list["Element"]:
    flagged = [
        contributor
        for contributor in contributors
        if (contributor.get("corresp") or "").lower() == "yes" or _references(contributor, ("corresp",))
    ]
    if flagged:
        return flagged
    noted = [
        contributor
        for contributor in contributors
        if any(
            rid in notes and notes[rid].tag == "fn" and notes[rid].get("fn-type") not in _NOT_FOR_LETTERS
            for rid in _references(contributor, ("author-notes",))
        )
    ]
    if noted:
        return noted
    ids = {element.get("id") for element in corresp} - {None}
    words = plain_join(corresp)
    return [
        contributor
        for contributor in contributors
        if ids.intersection(_references(contributor))
        or (len(person_name(contributor)[1]) > 1 and person_name(contributor)[1] in words)
    ]


def plain_join(elements: list["Element"]) -> str:
    """The texts of several elements, set apart by a blank."""
    return " ".join(plain_text(element) for element in elements)


def corresponding_authors(meta: "Element") -> tuple[PlainAuthor, ...]:
    """The corresponding authors that an `article-meta` names, with e-mail, phone and uri where they can be told.

    Several authors and e-mails of a common note are matched by name; what fits nobody is left out.
    """
    return tuple(dict.fromkeys(author for _, author in corresponding(meta) if author.name or author.email))


def corresponding(meta: "Element") -> list[tuple["Element", PlainAuthor]]:
    """The contributors to whom letters go, each with what `corresponding_authors` says of them."""
    contributors = [
        contributor
        for group in meta.findall("contrib-group")
        for contributor in group.iter("contrib")
        if (contributor.get("contrib-type") or "author") in ("author", "corresp", "collab")
    ]
    author_notes = meta.findall("author-notes")
    corresp = [found for notes in author_notes for found in notes.iter("corresp")]
    corresp += [found for group in meta.findall("contrib-group") for found in group.iter("corresp")]
    notes = {
        found.get("id", ""): found
        for place in author_notes
        for found in place.iter("corresp", "fn", "p")
        if found.get("id")
    }
    notes |= {found.get("id", ""): found for found in corresp if found.get("id")}
    chosen = _chosen(contributors, notes, corresp)
    if not chosen:
        return []

    names = [_full_name(contributor) for contributor in chosen]
    ways = [_ways(contributor, free_text=False) for contributor in chosen]
    common: dict[str, tuple[str, str]] = {}
    loose_phones: list[str] = []
    loose_uris: list[str] = []
    pool = dict.fromkeys(corresp)
    known: dict[Element, _Ways] = {}

    def said(note: "Element") -> _Ways:
        if note not in known:
            known[note] = _ways(note, free_text=True)
        return known[note]

    shared = Counter(rid for contributor in chosen for rid in set(_references(contributor)))
    for place, contributor in enumerate(chosen):
        for rid in dict.fromkeys(_references(contributor)):
            note = notes.get(rid)
            if note is None:
                continue
            pool.setdefault(note)
            elsewhere = shared[rid] > 1
            found = said(note)
            if not elsewhere and len(found.emails) <= 1:
                mine = ways[place]
                mine.emails.extend(email for email in found.emails if email not in mine.emails)
                mine.phones.extend(found.phones)
                mine.uris.extend(found.uris)
    for note in pool:
        found = said(note)
        for number, email in enumerate(found.emails):
            same_count = len(found.phones) == len(found.emails)
            phone = found.phones[number] if same_count else ""
            uri = found.uris[number] if len(found.uris) == len(found.emails) else ""
            common.setdefault(email, (phone, uri))
        if not found.emails:
            loose_phones += found.phones
            loose_uris += found.uris

    without = [place for place, way in enumerate(ways) if not way.emails]
    used = {email for way in ways for email in way.emails}
    free = [email for email in common if email not in used]
    for place, email in zip(without, match_emails([names[place] for place in without], free), strict=True):
        if email:
            ways[place].emails.append(email)

    authors = []
    for name, contributor, way in zip(names, chosen, ways, strict=True):
        email = way.emails[0] if way.emails else ""
        phone, uri = common.get(email, ("", ""))
        if len(chosen) == 1:
            phone = phone or next(iter(loose_phones), "")
            uri = uri or next(iter(loose_uris), "")
        author = PlainAuthor(
            name=name,
            orcid=_orcid(contributor),
            email=email,
            phone=way.phones[0] if way.phones else phone,
            uri=next((found for found in way.uris if "orcid.org" not in found), uri),
        )
        authors.append((contributor, author))
    return authors
