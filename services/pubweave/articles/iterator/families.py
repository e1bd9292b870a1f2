"""Families of URLs by shape: what a plugin has missed, and the proposal of a first plugin.

A shape is the URL with its varying pieces made holes: `/full/{}` and `/pdf/{}.pdf` are shapes; URLs whose
holes hold the same values belong to one article.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable

import msgspec

from pubweave.articles.iterator import files

HOLE = "{}"
_PIECE = re.compile(
    r"10\.[0-9]{4,9}(?:\.[0-9]+)*(?=/|%2F)"  # the registrant of a DOI stays together
    r"|(?:(?<![A-Za-z])[A-Za-z]++)?[0-9][A-Za-z0-9]*+(?:[-.()][A-Za-z]*[0-9][A-Za-z0-9]*)*"  # whatever holds a digit
)
_SCHEME_HOST = re.compile(r"^[a-z][a-z0-9+.-]*://[^/?#]*", re.I)
_KEPT = re.compile(r"(?:mp[34]|h[1-6]|utf8|html5|pdf2|ipv[46]|v[0-9])$", re.I)

# Words in a URL that tell the role of what it names, the most telling first.
_ROLE_WORDS: tuple[tuple[str, str], ...] = (
    (r"\.ris\b|[/=_.-]ris\b", files.ROLE_CITATION_RIS),
    (r"\.bib(tex)?\b|[/=_.-]bib(tex)?\b", files.ROLE_CITATION_BIBTEX),
    (r"\.enw\b|endnote", files.ROLE_CITATION_ENDNOTE),
    (r"suppl", files.ROLE_SUPPLEMENTARY_MATERIALS),
    (r"\.epub\b|/epub\b", files.ROLE_FULL_TEXT_EPUB),
    (r"\.xml\b|/xml\b", files.ROLE_FULL_TEXT_XML),
    (r"pdf", files.ROLE_FULL_TEXT_PDF),
    (r"\bfig(ure)?s?\b|figures", files.ROLE_FIGURES),
    (r"\btables?\b", files.ROLE_TABLES),
    (r"\bref(erence)?s?\b", files.ROLE_REFERENCES),
    (r"abs(tract)?s?\b|summary", files.ROLE_ABSTRACT),
    (r"citation|\bcite\b", files.ROLE_CITATION),
    (r"metadata", files.ROLE_ARTICLE_METADATA),
    (r"full|html?\b|article|content|\bview\b", files.ROLE_FULL_TEXT_HTML),
)
_MAJOR_ORDER = (
    files.ROLE_FULL_TEXT_HTML,
    files.ROLE_FULL_TEXT_PDF,
    files.ROLE_FULL_TEXT_EPUB,
    files.ROLE_FULL_TEXT_XML,
    files.ROLE_ABSTRACT,
)


class Family(msgspec.Struct):
    """URLs of one shape: how many, and the first few in code point order."""

    shape: str
    count: int
    examples: list[str]


class Proposal(msgspec.Struct):
    """A proposed aspect: `regex` empty for a minor one; `shared` of `count` URLs belong to a major's article."""

    shape: str
    role: str
    regex: str
    replacement: str
    count: int
    shared: int


def shape_of(url: str) -> tuple[str, tuple[str, ...]]:
    """The shape of a URL without scheme and host, and what its holes hold."""
    host = _SCHEME_HOST.match(url)
    path = url[host.end() :] if host is not None else url
    values: list[str] = []

    def hole(match: re.Match[str]) -> str:
        if _KEPT.fullmatch(match.group()):
            return match.group()
        values.append(match.group())
        return HOLE

    return _PIECE.sub(hole, path), tuple(values)


class FamilyCounter:
    """Counts URLs by shape in bounded memory: beyond `most` shapes the rare ones are put together."""

    def __init__(self, most: int = 20_000, examples: int = 3) -> None:
        self._most = most
        self._examples = examples
        self._counts: Counter[str] = Counter()
        self._samples: dict[str, list[str]] = {}
        self.others = 0

    def add(self, url: str) -> None:
        shape, _ = shape_of(url)
        if shape not in self._counts and len(self._counts) >= self._most:
            self.others += 1
            return
        self._counts[shape] += 1
        samples = self._samples.setdefault(shape, [])
        if len(samples) < self._examples:
            samples.append(url)

    def families(self) -> list[Family]:
        """The families, largest first."""
        return [
            Family(shape, count, sorted(self._samples[shape]))
            for shape, count in sorted(self._counts.items(), key=lambda item: (-item[1], item[0]))
        ]


def role_of(shape: str) -> str | None:
    """The role that the words of a shape tell; None if they tell nothing."""
    # What stands in a hole tells nothing.
    plain = shape.replace(HOLE, "0").lower()

    return next((role for regex, role in _ROLE_WORDS if re.search(regex, plain)), None)


def propose(urls: Iterable[str], least_share: float = 0.2) -> list[Proposal]:
    """Aspects for the URLs of a site, majors first; empty where no two URLs look alike.

    A family is an aspect if its words tell a role and, save for the first, at least `least_share` of its URLs
    have the same holes as a URL of the first.
    """
    members: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for url in urls:
        shape, values = shape_of(url)
        if values:
            members[shape].add(values)
    told = {
        shape: role
        for shape in sorted(members, key=lambda shape: (-len(members[shape]), shape))
        if (role := role_of(shape)) is not None
    }
    majors = sorted(
        (shape for shape, role in told.items() if role in _MAJOR_ORDER),
        key=lambda shape: (_MAJOR_ORDER.index(told[shape]), -len(members[shape]), shape),
    )
    if not majors:
        return []
    # The largest family is what the site is about; the others are held against it.
    leader = max(majors, key=lambda shape: len(members[shape]))
    chosen: list[Proposal] = []
    for shape in [*majors, *(shape for shape, role in told.items() if role not in _MAJOR_ORDER)]:
        order = _fitting(members[leader], members[shape])
        if order is None:
            continue
        shared = len({tuple(values[at] for at in order) for values in members[leader]} & members[shape])
        if shape != leader and shared < least_share * min(len(members[shape]), len(members[leader])):
            continue
        is_major = told[shape] in _MAJOR_ORDER
        chosen.append(
            Proposal(
                shape,
                told[shape],
                _regex(shape, order) if is_major and _invertible(shape, order) else "",
                _replacement(shape, order),
                len(members[shape]),
                shared,
            )
        )

    return sorted(chosen, key=lambda each: not each.regex)


def _fitting(leader: set[tuple[str, ...]], other: set[tuple[str, ...]]) -> tuple[int, ...] | None:
    """Which hole of the leader each hole of the other repeats, from the URLs that share their last value."""
    by_last = {values[-1]: values for values in leader}
    votes: Counter[tuple[int, ...]] = Counter()
    for values in list(other)[:2000]:
        twin = by_last.get(values[-1]) or next((by_last[value] for value in values if value in by_last), None)
        if twin is not None and all(value in twin for value in values):
            votes[tuple(twin.index(value) for value in values)] += 1

    return max(votes, key=lambda order: (votes[order], order)) if votes else None


def _invertible(shape: str, order: tuple[int, ...]) -> bool:
    return sorted(order) == list(range(len(order)))


def _regex(shape: str, order: tuple[int, ...]) -> str:
    # Groups are numbered by the leader's holes; here they stand in this shape's order.
    parts = shape.split(HOLE)
    quoted = [re.sub(r"([\\.^$|?*+()\[\]{}])", r"\\\1", part) for part in parts]
    holes = [f"(?<h{number + 1}>[^/?&#]+?)" for number in order]

    return "".join(piece for pair in zip(quoted, [*holes, "$"], strict=True) for piece in pair)


def _replacement(shape: str, order: tuple[int, ...]) -> str:
    parts = [part.replace("\\", "\\\\").replace("$", "\\$") for part in shape.split(HOLE)]
    holes = [f"${{h{number + 1}}}" for number in order]

    return "".join(piece for pair in zip(parts, [*holes, ""], strict=True) for piece in pair)
