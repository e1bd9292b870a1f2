"""What the publications say: texts, people, terms. Everything is made when asked for, from the seed alone."""

from dataclasses import dataclass
from typing import NamedTuple

from simnet.draw import draw, pick
from simnet.facts import AbstractSize, Publication
from simnet.text import (
    EFO_TERMS,
    GIVEN,
    GO_TERMS,
    KEYWORDS,
    MAJOR_TOPICS,
    PLACES,
    QUALIFIERS,
    SURNAMES,
    SYNONYMS,
    Markup,
    prose,
    title,
)

HUGE_ABSTRACT_CHARACTERS = 2300
SHORT_ABSTRACT_CHARACTERS = 150
LABELS = ("Background", "Methods", "Results", "Conclusions")
CORRESPONDENCE = ("attribute", "note", "footnote", "surname", "address", "none")
"""How a full text marks its corresponding author: `corresp="yes"` with the e-mail in the contributor; a reference
to a `corresp` note; a reference to a footnote; only the surname in a `corresp` note; `corresp="yes"` with
`address/email`; not at all."""


class Author(NamedTuple):
    given: str
    surname: str
    orcid: str
    email: str

    @property
    def initials(self) -> str:
        return "".join(part[0] for part in self.given.replace("-", " ").split())

    @property
    def short(self) -> str:
        return f"{self.surname} {self.initials}"


class MeshTerm(NamedTuple):
    term: str
    ui: str
    major: bool
    qualifiers: tuple[tuple[str, str, str, bool], ...]
    """each (name, abbreviation, UI, major)"""


class MinedTerm(NamedTuple):
    """A term as annotations say it: each exact spelling with how often, its ontology address, and whether the
    annotations carry a `frequency` of their own."""

    name: str
    uri: str
    spellings: tuple[tuple[str, int], ...]
    frequency: bool

    @property
    def total(self) -> int:
        return sum(count for _, count in self.spellings)

    @property
    def term(self) -> str:
        """The most frequent exact spelling (never tied in this universe)."""
        return max(self.spellings, key=lambda spelling: spelling[1])[0]


@dataclass(frozen=True, slots=True)
class AbstractPart:
    """One labelled or unlabelled paragraph of an abstract."""

    label: str
    sentences: tuple[Markup, ...]

    @property
    def plain(self) -> str:
        return " ".join(sentence.plain for sentence in self.sentences)


def title_of(publication: Publication, prefix: str = "") -> Markup:
    """The title without its final full stop, after a prefix if there is one."""
    own = title(draw(publication.seed, "title", publication.index))
    return Markup(*(prefix + spelling for spelling in own))


def title_is_escaped(publication: Publication, share: float = 0.3) -> bool:
    """Whether Europe PMC's record has escaped tags in the title."""
    return (publication.index * 7) % 10 < share * 10


def abstract_of(publication: Publication, size: AbstractSize) -> tuple[AbstractPart, ...]:
    """The abstract in the given size: nothing, one short sentence, or paragraphs."""
    if size == "none":
        return ()
    rng = draw(publication.seed, "abstract", publication.index)
    stock = prose(publication.seed)
    if size == "short":
        for sentence in stock.abstract_sentences(rng, 40):
            if len(sentence.plain) < SHORT_ABSTRACT_CHARACTERS:
                return (AbstractPart("", (sentence,)),)
        raise AssertionError("no short sentence among forty")
    count = 6 + int(rng.random() * 6)
    article = publication.europepmc_fulltext or publication.pmc_fulltext
    if article is not None and article.body == "short" and size == "long":
        count = 6  # so that title, abstract and a short body stay below 2,000 characters together
    sentences = stock.abstract_sentences(rng, count)
    if size == "huge":
        while sum(len(sentence.plain) for sentence in sentences) < HUGE_ABSTRACT_CHARACTERS:
            sentences += stock.abstract_sentences(rng, 2)
    if not publication.structured:
        return (AbstractPart("", tuple(sentences)),)
    step = max(1, len(sentences) // 4)
    cuts = [
        sentences[:step],
        sentences[step : 2 * step],
        sentences[2 * step : 3 * step],
        sentences[3 * step :],
    ]
    return tuple(AbstractPart(label, tuple(part)) for label, part in zip(LABELS, cuts, strict=True) if part)


def authors_of(publication: Publication) -> tuple[Author, ...]:
    """One to nine authors; the first or the last has an e-mail address."""
    rng = draw(publication.seed, "authors", publication.index)
    count = 1 + int(rng.random() * rng.random() * 9)
    people = []
    for surname in rng.sample(SURNAMES, count):  # no two alike: a note that says a surname means one author
        given = pick(GIVEN, rng)
        if rng.random() < 0.3:
            given += f" {chr(65 + int(rng.random() * 26))}"
        digits = f"{int(rng.random() * 10**12):012d}"
        orcid = f"0000-{digits[:4]}-{digits[4:8]}-{digits[8:]}" if rng.random() < 0.4 else ""
        people.append(Author(given, surname, orcid, ""))
    who = 0 if rng.random() < 0.6 else count - 1
    person = people[who]
    local = "".join(c for c in f"{person.given[0]}{person.surname}".lower() if c.isascii() and c.isalpha())
    people[who] = person._replace(email=f"{local}{publication.index % 97}@uni-{pick(_TOWNS, rng)}.example")
    return tuple(people)


_TOWNS = ("tartu", "geneve", "kyoto", "uppsala", "lodz", "bogota")


def affiliation_of(publication: Publication) -> tuple[str, str, str]:
    """Department, institution and country of the first author."""
    rng = draw(publication.seed, "affiliation", publication.index)
    place = pick(PLACES, rng)
    return (f"Department of {pick(KEYWORDS, rng).title()}", f"University of {place}", f"{place} Region")


def correspondence_of(publication: Publication) -> str:
    """One of `CORRESPONDENCE`."""
    return CORRESPONDENCE[publication.index % len(CORRESPONDENCE)]


def keywords_of(publication: Publication, count: int | None = None) -> tuple[str, ...]:
    """The author's keywords, all different."""
    rng = draw(publication.seed, "keywords", publication.index)
    return tuple(rng.sample(KEYWORDS, publication.keywords if count is None else count))


def mesh_of(publication: Publication) -> tuple[MeshTerm, ...]:
    """The MeSH headings, all different; some with qualifiers, some major."""
    rng = draw(publication.seed, "mesh", publication.index)
    terms = []
    for term, ui in rng.sample(MAJOR_TOPICS, publication.mesh):
        qualifiers = ()
        major = rng.random() < 0.25
        if rng.random() < 0.4:
            name, short, number = pick(QUALIFIERS, rng)
            qualifiers = ((name, short, number, rng.random() < 0.3),)  # type: ignore[assignment]
        terms.append(MeshTerm(term, ui, major, qualifiers))
    return tuple(terms)


def efo_of(publication: Publication) -> tuple[MinedTerm, ...]:
    """Mined experimental methods, by falling count, no two counts equal."""
    return _mined(publication, "efo", EFO_TERMS, publication.efo)


def go_of(publication: Publication) -> tuple[MinedTerm, ...]:
    """Mined Gene Ontology terms, by falling count, no two counts equal."""
    return _mined(publication, "go", GO_TERMS, publication.go)


def _mined(
    publication: Publication, what: str, stock: tuple[tuple[str, str], ...], count: int
) -> tuple[MinedTerm, ...]:
    rng = draw(publication.seed, what, publication.index)
    frequency = rng.random() < 0.3
    terms = []
    total = 1 + int(rng.random() * 2)
    for name, uri in rng.sample(stock, count):
        spellings = SYNONYMS.get(name, (name,))
        if len(spellings) == 1 or total < 3:
            parts: tuple[tuple[str, int], ...] = ((pick(spellings, rng), total),)
        else:
            one, two = rng.sample(spellings, 2)
            less = (total - 1) // 2
            parts = ((one, total - less), (two, less)) if less else ((one, total),)
        terms.append(MinedTerm(name, uri, parts, frequency))
        total += 1 + int(rng.random() * 3)
    return tuple(reversed(terms))
