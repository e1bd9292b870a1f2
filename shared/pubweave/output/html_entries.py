"""Publications, web pages and docs as parts of an HTML page (chapter 18.4)."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlsplit

from pubweave.contract.values import MeshTerm, MinedTerm
from pubweave.contract.vocabulary import CONTENT_PARTS, IDENTIFIER_KINDS, IdentifierKind, PartName
from pubweave.core.identifiers import link_to
from pubweave.core.record import Part, Record
from pubweave.core.webpage_record import WebpageRecord
from pubweave.output.authors import author_words
from pubweave.output.html_escape import escape_attribute, escape_text, is_linked, link, paragraphs
from pubweave.output.labels import NOTICE_LABELS, PART_LABELS, TYPE_LABELS
from pubweave.output.publication import LISTS, Envelope, Selection
from pubweave.output.text import outcome_words
from pubweave.output.times import date, instant

if TYPE_CHECKING:
    from pubweave.core.reading.jats.document import Document

_RELATIONS: Final = {"preprint-of": "Preprint of", "has-preprint": "Has the preprint"}
_SHOWN_AT_ONCE: Final = 24
"""Of a longer list the rest is folded away."""
_FOLDED_FROM: Final = 6_000
"""A content of more characters is folded away, unless it is all that was asked for."""


@lru_cache(maxsize=1024)  # the parts of a record often share times and addresses
def time(unix_ms: int) -> str:
    """To the minute for the eye; everything for machines and for who points at it."""
    exact = instant(unix_ms)
    return f'<time datetime="{exact}" title="{exact} ({unix_ms})">{exact[:10]}&nbsp;{exact[11:16]}&nbsp;UTC</time>'


def _host(url: str) -> str:
    try:
        return urlsplit(url).netloc.rpartition("@")[2].removeprefix("www.")
    except ValueError:
        return ""


@lru_cache(maxsize=1024)
def _address(url: str) -> str:
    """A source: a link that shows its host, or the text that it is ("Pubweave 0.1.0")."""
    return (
        f'<a href="{escape_attribute(url)}" title="{escape_attribute(url)}">{escape_text(_host(url))}</a>'
        if is_linked(url)
        else escape_text(url)
    )


def _identifier(kind: IdentifierKind, value: str) -> str:
    """A link to the article; in a DOI `#`, `?`, `%` and the like do not mean what they mean in addresses."""
    return link(link_to(kind, quote(value, safe="/:;()!*'@$&=+,~")), value)


def _measured(name: PartName, part: Part) -> str:
    unit = ("element" if part.size == 1 else "elements") if name in LISTS else "characters"
    return f"{part.size:,} {unit}"


def _source(name: PartName, part: Part) -> str:
    """Where a part comes from: type, url, time, size."""
    where = " · ".join(word for word in (_address(part.url), _measured(name, part)) if word)
    said = (escape_text(TYPE_LABELS[part.type]), where, time(part.timestamp))
    return f'<p class="source">{"<br>".join(said)}</p>'


def mesh_link(term: MeshTerm) -> str:
    """F-HTML-06."""
    wanted = quote(f'"{term.uniqueId or term.term}"', safe="")
    return f"https://www.ncbi.nlm.nih.gov/mesh/?term={wanted}"


def _mesh(term: MeshTerm) -> str:
    star = "*" if term.majorTopic else ""
    major = ' class="major" title="major topic"' if term.majorTopic else ""
    return f"<li{major}>{link(mesh_link(term), term.term)}{star}</li>"


def _mined(term: MinedTerm) -> str:
    return f"<li>{link(term.uri, term.term)} <small>({term.count})</small></li>"


def _listed(elements: list[str]) -> str:
    """A list, the rest of a long one folded away."""
    first = f'<ul class="words">{"".join(elements[:_SHOWN_AT_ONCE])}</ul>'
    rest = elements[_SHOWN_AT_ONCE:]
    if not rest:
        return first
    return f'{first}<details><summary>{len(rest):,} more</summary><ul class="words">{"".join(rest)}</ul></details>'


def _content(name: PartName, part: Part, *, folded: bool) -> str:
    match name:
        case "keywords":
            return _listed([f"<li>{escape_text(word)}</li>" for word in part.words])
        case "mesh":
            return _listed(list(map(_mesh, part.mesh)))
        case "efo" | "go":
            return _listed(list(map(_mined, part.terms)))
        case "pmid" | "pmcid" | "doi":
            return f"<p>{_identifier(name, part.text)}</p>"
        case _:
            body = paragraphs(part.text, headings=name == "fulltext")
            return _folded(body, f"{part.size:,} characters") if folded else body


def _folded(body: str, what: str) -> str:
    return f"<details><summary>Read the text ({what})</summary>\n{body}</details>"


def _structured(
    document: "Document", shown: Iterable[PartName], part: Part, number: int, *, folded: bool
) -> str:
    """A full text in its sections; what has a place of its own on the page is not repeated."""
    from pubweave.output.html_document import document_html, shown_sections

    there = set(shown)
    sections = shown_sections(
        document, with_title="title" not in there, with_abstract="theAbstract" not in there
    )
    if not any(section.contents for section in sections):
        return _content("fulltext", part, folded=folded)
    body = document_html(sections, document, number)
    what = f"{len(sections):,} section{'s' * (len(sections) != 1)}, {part.size:,} characters"
    return _folded(body, what) if folded else body


def _section(label: str, source: str, content: str) -> str:
    return (
        f'<section class="part"><div class="label"><h3>{escape_text(label)}</h3>{source}</div>\n'
        f'<div class="content">{content}</div></section>\n'
    )


def _part(name: PartName, part: Part, content: str, *, plain: bool) -> str:
    return _section(PART_LABELS[name], "" if plain else _source(name, part), content)


def _identifiers(record: Record, kinds: Iterable[PartName]) -> str:
    links = [
        f"<span>{PART_LABELS[kind]} {_identifier(kind, value)}</span>"
        for kind in IDENTIFIER_KINDS
        if kind in kinds and (value := record.part(kind).text)
    ]
    return f'<p class="ids">{" ".join(links)}</p>\n' if links else ""


def _facts(record: Record) -> str:
    said = [escape_text(record.journal_title)]
    if record.pub_date != -1:
        said.append(f'<time datetime="{date(record.pub_date)}">{date(record.pub_date)}</time>')
    if record.citations_count >= 0:
        times = "time" if record.citations_count == 1 else "times"
        said.append(f"Cited {record.citations_count:,} {times}")
    return "".join(f"<span>{word}</span>" for word in said if word)


def _flags(record: Record, envelope: Envelope | None) -> str:
    outcome = outcome_words(envelope)
    flags = [("bad", outcome[:1].upper() + outcome[1:])] if outcome and record.known else []
    flags += [("bad", NOTICE_LABELS.get(notice.kind, notice.kind)) for notice in record.notices]
    flags += [("good", "Open access")] if record.oa else []
    flags += [("", "Preprint")] if record.preprint else []
    flags += [] if record.known else [("bad", "No source knows it")]
    flags += [("", "Last fetch met a problem")] if record.fetch_exception else []
    items = "".join(
        f'<li class="{kind}">{escape_text(word)}</li>' if kind else f"<li>{escape_text(word)}</li>"
        for kind, word in flags
    )
    return f'<ul class="flags">{items}</ul>\n' if items else ""


def _defined(pairs: Iterable[tuple[str, str]]) -> str:
    return "<dl>" + "".join(f"<dt>{term}</dt><dd>{told}</dd>" for term, told in pairs) + "</dl>\n"


def _field_pairs(record: Record) -> Iterator[tuple[str, str]]:
    """The fields of F-TXT-02, all of them."""
    yield "Open access", _yes(record.oa)
    yield "Journal title", escape_text(record.journal_title)
    yield "Publication date", f"{date(record.pub_date)} ({record.pub_date})"
    yield "Citations count", str(record.citations_count)
    yield "Counted", time(record.citations_timestamp)
    yield (
        "Corresponding authors",
        "<br>".join(author_words(one, escape_text, link) for one in record.corresp_author),
    )
    for tie in record.relations:
        doi = _identifier("doi", tie.doi) if tie.doi else ""
        said = " ".join(word for word in (escape_text(f"{tie.source} {tie.id}".strip()), doi) if word)
        yield escape_text(_RELATIONS.get(tie.kind, tie.kind)), said
    for notice in record.notices:
        said = f"{notice.source} {notice.id} {notice.reference}".strip()
        yield escape_text(NOTICE_LABELS.get(notice.kind, notice.kind)), escape_text(said)
    yield "Fetch time", time(record.fetch_time)
    yield "Retry counter", str(record.retry_counter)
    yield "Fetch exception", _yes(record.fetch_exception)


def _yes(flag: bool) -> str:
    return "yes" if flag else "no"


def _sources_table(record: Record, names: Iterable[PartName]) -> str:
    rows = "".join(
        f"<tr><th>{PART_LABELS[name]}</th><td>{escape_text(TYPE_LABELS[part.type])}</td>"
        f"<td>{link(part.url) if part.url else ''}</td><td>{time(part.timestamp)}</td>"
        f'<td class="number">{part.size:,}</td></tr>\n'
        for name in names
        for part in (record.part(name),)
    )
    return (
        '<div class="scroll"><table><tr><th>Part</th><th>Type</th><th>Address</th><th>Time</th>'
        f'<th class="number">Size</th></tr>\n{rows}</table></div>\n'
    )


def _sites_table(record: Record) -> str:
    rows = "".join(
        f"<tr><td>{link(site.url)}</td><td>{escape_text(TYPE_LABELS[site.type])}</td>"
        f"<td>{link(site.from_) if site.from_ else ''}</td><td>{time(site.timestamp)}</td></tr>\n"
        for site in record.visited_sites
    )
    return (
        f"<details><summary>Visited sites ({len(record.visited_sites):,})</summary>\n"
        '<div class="scroll"><table><tr><th>Address</th><th>Type</th><th>From</th><th>Time</th></tr>\n'
        f"{rows}</table></div></details>\n"
        if rows
        else ""
    )


def publication_html(
    record: Record, selection: Selection, number: int, envelope: Envelope | None = None
) -> str:
    """One publication as an article of the page; `number` counts the entries. A full text whose structured document
    the envelope brings is shown in its sections, unless it is wanted plain."""
    shown = selection.shown_parts
    title = record.title.text if "title" in shown else ""
    classes = "entry plain" if selection.plain else "entry"
    pieces = [f'<article class="{classes}" id="e{number}">\n<header>\n']
    if "title" in shown:
        untitled = ' class="untitled"' if not title else ""
        pieces.append(f"<h2{untitled}>{escape_text(title) or 'No title found'}</h2>\n")
    pieces.append(_identifiers(record, shown))
    if selection.with_fields:
        pieces += [f'<p class="facts">{_facts(record)}</p>\n', _flags(record, envelope)]
    pieces.append("</header>\n")
    contents = [name for name in shown if name in CONTENT_PARTS and name != "title"]
    for name in contents:
        part = record.part(name)
        if not part.is_empty:
            folded = part.size > _FOLDED_FROM and len(contents) > 1
            document = envelope.document if envelope is not None and name == "fulltext" else None
            if document is not None and not selection.plain:
                content = _structured(document, shown, part, number, folded=folded)
            else:
                content = _content(name, part, folded=folded)
            pieces.append(_part(name, part, content, plain=selection.plain))
    missing = [PART_LABELS[name] for name in shown if record.part(name).is_empty and name != "title"]
    if missing and not selection.plain:
        pieces.append(f'<p class="missing">Not found: {", ".join(missing)}</p>\n')
    if not selection.plain:
        pieces += _behind(record, selection)
    pieces.append("</article>\n")
    return "".join(pieces)


def _behind(record: Record, selection: Selection) -> Iterator[str]:
    """What is folded away: the source of every part, and the fields."""
    yield '<details class="more"><summary>Where everything comes from</summary>\n'
    if selection.with_fields:
        yield _defined(_field_pairs(record))
    yield _sources_table(record, selection.shown_parts)
    yield "</details>\n"
    if selection.with_fields:
        yield _sites_table(record)


def identifiers_row(record: Record, kinds: Iterable[str]) -> str:
    """A row of the table of identifiers (F-HTML-02)."""
    cells = "".join(
        f"<td>{_identifier(kind, value) if kind in kinds and value else ''}</td>"
        for kind in IDENTIFIER_KINDS
        for value in (record.part(kind).text,)
    )
    return f'<tr class="entry">{cells}</tr>\n'


def identifiers_item(record: Record) -> str:
    """An item of the list of identifiers, each with its provenance (F-CLI-100)."""
    said = [
        f"{PART_LABELS[kind]} {_identifier(kind, part.text)}" + (f" ({link(part.url)})" if part.url else "")
        for kind in IDENTIFIER_KINDS
        for part in (record.part(kind),)
        if part.text
    ]
    return f'<li class="entry">{"<br>".join(said)}</li>\n'


def address_item(url: str) -> str:
    return f'<li class="entry">{link(url)}</li>\n'


def webpage_html(record: WebpageRecord, *, plain: bool, number: int) -> str:
    """One web page or doc as an article of the page."""
    untitled = ' class="untitled"' if not record.title else ""
    classes = "entry plain" if plain else "entry"
    body = paragraphs(record.content)
    if record.content_size > _FOLDED_FROM and not plain:
        body = f"<details><summary>Read the text ({record.content_size:,} characters)</summary>\n{body}</details>"
    source = "" if plain else _page_source(record)
    pieces = [
        f'<article class="{classes}" id="e{number}">\n<header>\n',
        f"<h2{untitled}>{escape_text(record.title) or 'No title found'}</h2>\n",
        f'<p class="ids"><span>{link(record.start_url)}</span></p>\n</header>\n',
        _section("Content", source, body) if body else "",
    ]
    if not plain:
        pieces += [
            '<details class="more"><summary>How it was fetched</summary>\n',
            _defined(_page_pairs(record)),
            "</details>\n",
        ]
    return "".join([*pieces, "</article>\n"])


def _page_source(record: WebpageRecord) -> str:
    said = [_address(record.final_url), time(record.content_time), f"{record.content_size:,} characters"]
    return f'<p class="source">{"<br>".join(word for word in said if word)}</p>'


def _page_pairs(record: WebpageRecord) -> Iterator[tuple[str, str]]:
    yield "Start URL", link(record.start_url)
    yield "Final URL", link(record.final_url) if record.final_url else ""
    yield "Content type", escape_text(record.content_type)
    yield "Status code", str(record.status_code)
    yield "Content time", time(record.content_time)
    yield "License", escape_text(record.license)
    yield "Language", escape_text(record.language)
    yield "Title length", f"{len(record.title):,}"
    yield "Content length", f"{record.content_size:,}"
    yield "Fetch time", time(record.fetch_time)
    yield "Retry counter", str(record.retry_counter)
    yield "Fetch exception", _yes(record.fetch_exception)
    if record.outcome:
        yield "Outcome", escape_text(": ".join(word for word in (record.outcome, record.evidence) if word))
