"""Statistics of an article (B-07): what its XML has, and what the reader made of it."""

from typing import TYPE_CHECKING

import msgspec

from pubweave.core.reading.jats.document import Document

if TYPE_CHECKING:
    from lxml import etree


class Statistics(msgspec.Struct, omit_defaults=True):
    """One article in numbers; `body_children` is the sequence of child elements of body, runs counted (`sec*5`)."""

    file: str = ""
    out: str = ""
    pmcid: str = ""
    form: str = ""
    abstracts: int = 0
    body_paragraphs: int = 0
    body_sections: int = 0
    figure_parents: dict[str, int] = {}
    table_parents: dict[str, int] = {}
    body_children: list[str] = []
    words: int = 0
    dropped: dict[str, int] = {}
    conserved: bool = True
    sub_articles: int = 0
    warnings: list[str] = []
    error: str = ""


def _parents(body: "etree._Element", tag: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    for found in body.iter(tag):
        parent = found.getparent()
        name = str(parent.tag) if parent is not None else ""
        counts[name] = counts.get(name, 0) + 1
    return counts


def _runs(tags: list[str]) -> list[str]:
    runs: list[tuple[str, int]] = []
    for tag in tags:
        if runs and runs[-1][0] == tag:
            runs[-1] = (tag, runs[-1][1] + 1)
        else:
            runs.append((tag, 1))
    return [tag if count == 1 else f"{tag}*{count}" for tag, count in runs]


def statistics(article: "etree._Element", document: Document) -> Statistics:
    """Count an article and the document made of it."""
    found = Statistics(
        pmcid=document.pmcid,
        form=document.pubweave.form,
        abstracts=sum(1 for section in document.body_sections if section.tag == "abstract"),
        figure_parents={},
        table_parents={},
        body_children=[],
        words=document.pubweave.conservation.words_flow,
        dropped={one.reason: one.words for one in document.pubweave.conservation.dropped},
        conserved=document.pubweave.conservation.holds,
        sub_articles=len(document.pubweave.sub_articles),
        warnings=[warning.code for warning in document.warnings],
    )
    for body in article.iterfind("body"):
        found.body_paragraphs += sum(1 for _ in body.iter("p"))
        found.body_sections += sum(1 for _ in body.iter("sec"))
        for tag, counts in (("fig", found.figure_parents), ("table-wrap", found.table_parents)):
            for name, count in _parents(body, tag).items():
                counts[name] = counts.get(name, 0) + count
        found.body_children += _runs([str(child.tag) for child in body if isinstance(child.tag, str)])
    return found
