"""Corresponding authors of a JATS article (F-CA-01…04)."""

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

import msgspec

from pubweave.core.reading.emails import (
    EMAIL,
    MAX_NAMES,
    MAX_NOTE_CHARACTERS,
    Affiliated,
    alike,
    emails_of_affiliations,
    match_emails,
)
from pubweave.core.reading.jats.text import attribute, parts_text, plain_text

if TYPE_CHECKING:
    from collections.abc import Iterable

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


MAX_NOTES: Final = 20
"""In how many notes what several authors share is sought."""

_EMAIL_SAID: Final = re.compile(r"e-?mails?(?:\s++address(?:es)?)?\s*+(?:[:;.]\s*+)?(\S{1,100}@\S+)", re.I)
_PHONE_SAID: Final = re.compile(
    r"(?<![a-z])(?:tel(?:ephone)?|phone|mobile|ph)\b(?:\s*+(?:no|number|nr))?\.?(?:\s*+(?:[/&,]|and|or)\s*+(?:tele)?fax\b\.?)?"
    r"\s*+(?:[:.]\s*+)?(\+?[(\d][\d\s().+/\u2010-\u2015\u2212-]{4,60}\d)",
    re.I,
)
_NOT_FOR_LETTERS: Final = frozenset(
    {"equal", "con", "deceased", "present-address", "conflict", "coi-statement"}
)


def _clean_email(text: str) -> str:
    text = text.strip().removeprefix("mailto:")[:MAX_NOTE_CHARACTERS]
    found = EMAIL.search(text)
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
            for email in EMAIL.findall(text):
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

    Several authors and e-mails of a common note are matched by name; what fits nobody is left out, unless nobody at all
    could be told: then the e-mails for letters stand alone.
    """
    found = dict.fromkeys(author for _, author in corresponding(meta) if author.name or author.email)
    if not found:
        notes = (note for notes in meta.findall("author-notes") for note in notes.iter("corresp"))
        found = dict.fromkeys(
            PlainAuthor(email=email) for note in notes for email in _ways(note, free_text=True).emails
        )
    return tuple(found)


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
        return _by_address(meta, contributors, corresp)

    names = [_full_name(contributor) for contributor in chosen]
    ways = [_ways(contributor, free_text=False) for contributor in chosen]
    read: dict[Element, _AuthorNote] = {}
    shared = Counter(rid for contributor in chosen for rid in set(_references(contributor)))
    cited = [
        [notes[rid] for rid in dict.fromkeys(_references(contributor)) if rid in notes]
        for contributor in chosen
    ]
    pool = dict.fromkeys((*corresp, *(note for some in cited for note in some)))
    for note in pool:
        read[note] = _AuthorNote(plain_text(note)[:MAX_NOTE_CHARACTERS], _ways(note, free_text=True))
    for mine, some in zip(ways, cited, strict=True):
        for note in some:
            found = read[note].ways
            if shared[note.get("id", "")] <= 1 and len(found.emails) <= 1:
                mine.emails.extend(email for email in found.emails if email not in mine.emails)
                mine.phones.extend(found.phones)
                mine.uris.extend(found.uris)

    common: dict[str, tuple[str, str]] = {}
    for one in read.values():
        phones, uris = _of_emails(one, one.ways.phones), _of_emails(one, one.ways.uris)
        for email, phone, uri in zip(one.ways.emails, phones, uris, strict=True):
            common.setdefault(email, (phone, uri))
    used = {email for way in ways for email in way.emails}
    free = [email for email in common if email not in used]
    _share_out(free, chosen, names, ways, cited, contributors, plain_join(corresp))

    authors = []
    for name, contributor, way, some in zip(names, chosen, ways, cited, strict=True):
        email = way.emails[0] if way.emails else ""
        phone, uri = common.get(email, ("", ""))
        said = [read[note] for note in (some or corresp)[:MAX_NOTES] if note in read]
        surname = person_name(contributor)[1]
        own_uris = (found for found in way.uris if "orcid.org" not in found)
        author = PlainAuthor(
            name=name,
            orcid=_orcid(contributor),
            email=email,
            phone=next(iter(way.phones), phone) or _shared(said, "phones", surname),
            uri=next(own_uris, uri) or _shared(said, "uris", surname),
        )
        authors.append((contributor, author))
    return authors


class _AuthorNote(msgspec.Struct):
    """A note to which authors refer, or that names them."""

    text: str
    ways: _Ways


def _of_emails(note: _AuthorNote, values: list[str]) -> list[str]:
    """For each e-mail of a note the telephone (or address) that is its own, "" if none can be told.

    As many as e-mails follow their order; of several others each belongs to the e-mail next to it. A single one is
    everybody's (see `_shared`).
    """
    emails = note.ways.emails
    if len(values) == len(emails):
        return values
    own = [""] * len(emails)
    if len(values) > 1 and emails:
        places = [note.text.find(email) for email in emails]
        for value in values:
            at = note.text.find(value)
            nearest = min(range(len(emails)), key=lambda number: abs(places[number] - at))
            own[nearest] = own[nearest] or value
    return own


def _shared(notes: list[_AuthorNote], kind: str, surname: str) -> str:
    """The one telephone (or address) of a note that several share, unless it stands before the name of this author:
    then it is that of somebody named before."""
    for note in notes:
        values: list[str] = getattr(note.ways, kind)
        if len(values) == 1 and (len(note.ways.emails) != 1 or kind == "phones"):
            named = note.text.find(surname) if surname else -1
            if not 0 <= note.text.find(values[0]) < named:
                return values[0]
    return ""


def _share_out(
    free: list[str],
    chosen: list["Element"],
    names: list[str],
    ways: list[_Ways],
    cited: list[list["Element"]],
    contributors: list["Element"],
    said: str,
) -> None:
    """Give the e-mails of common notes to those from whose names they are made (F-CA-03).

    A note may name authors whom nothing flags: they come after those in `chosen`, if an e-mail is made from their names.
    """
    if not free:
        return
    without = [place for place, way in enumerate(ways) if not way.emails]
    flagged = set(chosen)
    said = said[: MAX_NOTES * MAX_NOTE_CHARACTERS]
    others = [
        contributor
        for contributor in contributors
        if contributor not in flagged
        and len(person_name(contributor)[1]) > 2
        and person_name(contributor)[1] in said
    ]
    asked = [names[place] for place in without]
    also = [_full_name(contributor) for contributor in others]
    found = alike(asked + also, free) if also else match_emails(asked, free)
    if not any(found[len(asked) :]):
        found = match_emails(asked, free)
    for place, email in zip(without, found, strict=False):
        if email:
            ways[place].emails.append(email)
    for contributor, name, email in zip(others, also, found[len(asked) :], strict=False):
        if email:
            chosen.append(contributor)
            names.append(name)
            ways.append(_Ways([email], [], []))
            cited.append([])


def _by_address(
    meta: "Element", contributors: list["Element"], corresp: list["Element"]
) -> list[tuple["Element", PlainAuthor]]:
    """Where nobody is marked: those from whose names the e-mails for letters are made; else those who stand there with an
    e-mail of their own; else those whose affiliations have one."""
    found = []
    names = [_full_name(contributor) for contributor in contributors]
    said = list(dict.fromkeys(email for note in corresp for email in _ways(note, free_text=True).emails))
    for contributor, name, email in zip(contributors, names, match_emails(names, said), strict=True):
        if email:
            found.append((contributor, PlainAuthor(name, _orcid(contributor), email)))
    if found:
        return found
    for contributor in contributors:
        ways = _ways(contributor, free_text=False)
        if ways.emails:
            uri = next((uri for uri in ways.uris if "orcid.org" not in uri), "")
            phone = next(iter(ways.phones), "")
            author = PlainAuthor(_full_name(contributor), _orcid(contributor), ways.emails[0], phone, uri)
            found.append((contributor, author))
    if found:
        return found
    texts = {aff.get("id", ""): text for aff in meta.iter("aff") if "@" in (text := parts_text(aff))}
    if not texts:
        return []
    affiliated = [
        Affiliated(
            _full_name(contributor),
            [texts[rid] for rid in _references(contributor) if rid in texts]
            + [parts_text(aff) for aff in contributor.iter("aff")],
        )
        for contributor in contributors
    ]
    emails, _ = emails_of_affiliations(affiliated)
    return [
        (contributor, PlainAuthor(_full_name(contributor), _orcid(contributor), email))
        for contributor, email in zip(contributors, emails, strict=True)
        if email
    ]
