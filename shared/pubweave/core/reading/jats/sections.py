"""Titles as paths, canonical types, and finding sections by path."""

import functools
import re
from typing import TYPE_CHECKING, Final

from pubweave.core.reading.jats.conservation import WITH_ALL_TEXT
from pubweave.core.reading.jats.document import Document, Section

if TYPE_CHECKING:
    from collections.abc import Iterator

_BY_TAG: Final = {
    "title": "title", "abstract": "abstract", "trans-abstract": "abstract", "ref-list": "references",
    "ack": "acknowledgements", "app": "appendix", "bio": "biography", "glossary": "abbreviations", "fn-group": "footnotes",
    "boxed-text": "box", "floats-group": "floats",
}  # fmt: skip

FURTHER_ABSTRACT: Final = "further-abstract"
"""The type of highlights, teasers, graphical and plain-language abstracts."""
_ABSTRACTS: Final = frozenset({"abstract", FURTHER_ABSTRACT})

# Sentences of the titles met, the narrow ones first; each is tried on a title in lower case without its number.
_TITLES: Final = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        ("data-availability", r"(?:data|materials?|code|software)\b.*\b(?:availab|access|sharing|deposit)|availability of (?:the )?(?:data|code|materials?|supporting)|^accession (?:numbers?|codes?)|^code availability|data archiving"),
        ("competing-interests", r"(?:conflicts?|conflicting|competing|declarations?|disclosures?)\b.*\binterests?|^disclosures?$|^disclosure statement|^competing|financial disclosure|declaration of (?:competing|conflicting)|conflict d.int|conflicto|conflito"),
        ("author-contributions", r"\bcontributions?\b.*\b(?:authors?|statement)|\bauthors?['’]?s?['’]? contribution|^contributors?$|^contributorship|credit author"),
        ("trial-registration", r"trial registration|clinical trial number|^registration"),
        ("ethics", r"\bethic|institutional review board|animal (?:welfare|rights|care)|human (?:and animal )?rights"),
        ("consent", r"\bconsent\b"),
        ("funding", r"\bfund(?:ing|ers?)\b|financial support|^grants?\b|^sponsor|financiamiento|financiamento|role of the (?:funding|sponsor)"),
        ("acknowledgements", r"acknowledge?ment|^thanks|agradecimientos?|agradecimentos?|remerciements|danksagung"),
        ("abbreviations", r"^(?:list of )?abbreviations?|^glossary|^nomenclature|abbreviations used"),
        ("supplementary-material", r"supplement(?:ary|al)|supporting information|additional (?:files?|information)|^electronic supplement|^appendix a\.? supplement"),
        ("publisher-note", r"publisher['’]?s note|^disclaimer"),
        ("ai-use", r"generative ai|artificial intelligence.*\buse|\bai[- ](?:use|assist|statement|generated)|use of (?:generative )?ai\b"),
        ("peer-review", r"peer review|^reviewers?['’]? "),
        ("references", r"^references?$|^bibliograph|^literature cited|^works cited|^referências|^referencias"),
        ("results-discussion", r"^results?\b.*\b(?:and|&|,)\s*discussions?|^findings and discussion|^resultados e discuss|^resultados y discus"),
        ("discussion-conclusions", r"^discussions?\b.*\b(?:and|&)\s*conclusions?"),
        ("case-report", r"^case\b|^case (?:presentation|report|description|stud)|^clinical (?:case|presentation)"),
        ("methods", r"^(?:the )?(?:materials?|methods?|patients?|subjects?|participants?|experimental|methodology|procedures?|study design|star|statistical|data (?:collection|analysis|and methods))\b|\bmethods?\b|^metodolog|^m[ée]todo|^materia(?:l|is|les) e|^méthodes|^materiales y"),
        ("introduction", r"^introdu|^background|^preface|^introducción|^introdução|^rationale|^objectives?$|^aims?\b|^purpose"),
        ("results", r"^(?:main |key |the )?(?:results?|findings?|outcomes?)\b|^resultados?|^résultats"),
        ("discussion", r"^discuss|^general discussion|^discuss[ãi]|^comments?$|^interpretation|^limitations?|strengths and limitations"),
        ("conclusions", r"^(?:concluding|conclusions?|summary|final remarks|perspectives?|outlook|future (?:directions|work))\b|^considerações finais|^conclus"),
    )
)  # fmt: skip

_BY_KIND: Final = {
    "intro": "introduction", "introduction": "introduction", "background": "introduction", "methods": "methods",
    "method": "methods", "materials": "methods", "materials|methods": "methods", "materials and methods": "methods",
    "subjects": "methods", "results": "results", "results|discussion": "results-discussion", "discussion": "discussion",
    "discussion|conclusions": "discussion-conclusions", "conclusions": "conclusions", "conclusion": "conclusions",
    "cases": "case-report", "supplementary-material": "supplementary-material", "data-availability": "data-availability",
    "data availability": "data-availability", "data-availability-statement": "data-availability",
    "coi-statement": "competing-interests", "conflict": "competing-interests", "coi": "competing-interests",
    "competing-interests": "competing-interests", "funding": "funding", "funding-information": "funding",
    "financial-disclosure": "funding", "supported-by": "funding", "ethics-statement": "ethics", "ethics": "ethics",
    "author-contributions": "author-contributions", "author-contribution": "author-contributions",
    "acknowledgement": "acknowledgements", "acknowledgment": "acknowledgements", "abbreviations": "abbreviations",
    "transcript": "transcript", "publishers-note": "publisher-note", "disclaimer": "publisher-note",
}  # fmt: skip

_NUMBER = re.compile(
    r"^(?:(?:section|chapter|box|appendix)\s+)?(?:[0-9ivx]+(?:\.[0-9]+)*[.):]?|[a-z][.):])\s+"
)


@functools.lru_cache(maxsize=8192)
def type_of_title(title: str) -> str:
    """The canonical type that a section's title names; "" if none."""
    text = _NUMBER.sub("", title.strip().lower(), count=1).strip(" .:*")
    if not text or len(text) > 90:
        return ""
    for kind, pattern in _TITLES:
        if pattern.search(text):
            return kind
    return ""


def is_aside(section: Section) -> bool:
    """Whether a section is an abstract that is not the article's own: highlights, a teaser, a picture, …"""
    return section.tag == "abstract" and not section.implicit


def type_of_section(section: Section) -> str:
    """The canonical type of one section by attribute, element name or title; "" if none tells."""
    kind = section.kind
    if isinstance(kind, str) and section.tag in ("sec", "notes", "app"):
        found = _BY_KIND.get(kind.lower().strip())
        if found:
            return found
    named = _BY_TAG.get(section.tag, "")
    if named == "abstract" and is_aside(section):
        return FURTHER_ABSTRACT
    if named and named not in ("box", "appendix", "footnotes", "biography", "abbreviations"):
        return named
    return type_of_title(section.title or section.caption) or named


def mark(sections: list[Section]) -> None:
    """Give every section its path of titles and its type; a subsection without a type of its own has its parent's."""
    above: list[tuple[int, str, str]] = []
    cache: dict[str, str] = {}
    for section in sections:
        while above and above[-1][0] >= section.level:
            above.pop()
        name = section.title or section.caption or section.label
        if section.tag == "wrap":
            name = ""
        key = f"{section.tag}\0{section.implicit}\0{section.kind}\0{name}"
        own = cache.get(key)
        if own is None:
            own = cache[key] = type_of_section(section)
        inherited = above[-1][2] if above else ""
        # the results of an abstract are not the article's results
        section.type = inherited if inherited in _ABSTRACTS else own or inherited
        section.path = [title for _, title, _ in above if title] + ([name] if name else [])
        above.append((section.level, name, section.type))


def all_sections(document: Document) -> "Iterator[Section]":
    """Body, back and float sections of a document in this order."""
    yield from document.body_sections
    yield from document.back_sections
    yield from document.float_sections


def _matches(section: Section, wanted: str, *, first: bool) -> bool:
    if first and section.type in _ABSTRACTS and section.tag == "sec":
        # the parts of an abstract are found below it (abstract/results) or by id only
        return wanted == section.id
    if is_aside(section) and wanted == section.tag:
        return False
    name = section.title or section.caption or section.label
    return wanted == section.id or wanted == name.lower() or wanted == section.type or wanted == section.tag


def find_sections(document: Document, path: str) -> list[Section]:
    """The sections under a path, each with its subsections, in document order; [] if there are none.

    A path is an id (`4.2`), or steps with `/` between, each a title (case does not matter), a canonical type or an
    element name: `methods`, `Materials and Methods/Cell culture`, `ref-list`.
    """
    steps = [step.strip().lower() for step in path.strip("/").split("/") if step.strip()]
    if not steps:
        return list(all_sections(document))
    found: list[Section] = []
    for sections in (document.body_sections, document.back_sections, document.float_sections):
        depth: list[tuple[int, int]] = []
        taken = 0
        for section in sections:
            if taken and section.level > taken:
                found.append(section)
                continue
            taken = 0
            while depth and depth[-1][0] >= section.level:
                depth.pop()
            done = depth[-1][1] if depth else 0
            if _matches(section, steps[done], first=not done):
                done += 1
                if done == len(steps):
                    found.append(section)
                    taken = section.level
                    continue
            depth.append((section.level, done))
    return found


def text_of(sections: list[Section]) -> str:
    """Sections as plain text, blocks set apart by an empty line."""
    blocks: list[str] = []
    for section in sections:
        head = " ".join(part for part in (section.label, section.title or section.caption) if part)
        if head:
            blocks.append(head)
        for content in section.contents:
            parts = (
                [content.text]
                if content.tag in WITH_ALL_TEXT
                else [content.label, content.caption, content.text]
            )
            if content.table_columns_:
                parts.append("\t".join(content.table_columns_))
            if content.table_values_:
                parts.extend("\t".join(row) for row in content.table_values_)
            parts.append(content.footer)
            text = "\n".join(part for part in parts if isinstance(part, str) and part)
            if text:
                blocks.append(text)
    return "\n\n".join(blocks)
