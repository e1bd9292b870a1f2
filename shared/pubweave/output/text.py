"""Plain text for consoles and editors (chapter 18.3)."""

from collections.abc import Iterator
from typing import Final

from pubweave.contract.values import Identifiers, MeshTerm, MinedTerm
from pubweave.contract.vocabulary import IDENTIFIER_KINDS, PartName
from pubweave.core.record import Part, Record
from pubweave.output.authors import author_words
from pubweave.output.labels import PART_LABELS, TYPE_LABELS
from pubweave.output.publication import EVERYTHING, LISTS, Envelope, Selection
from pubweave.output.times import date, instant

SEPARATOR: Final = "-" * 80
_LONG: Final[frozenset[PartName]] = frozenset({"theAbstract", "fulltext"})
_INDENT: Final = "    "


def _mesh(term: MeshTerm) -> str:
    return term.term + ("*" if term.majorTopic else "") + (f" [{term.uniqueId}]" if term.uniqueId else "")


def _mined(term: MinedTerm) -> str:
    return f"{term.term} ({term.count})" + (f" [{term.uri}]" if term.uri else "")


def elements(name: PartName, part: Part, *, plain: bool) -> list[str]:
    """The elements of a list part; plain ones without what metadata adds."""
    match name:
        case "keywords":
            return list(part.words)
        case "mesh":
            return [term.term if plain else _mesh(term) for term in part.mesh]
        case _:
            return [term.term if plain else _mined(term) for term in part.terms]


def bare(name: PartName, part: Part) -> str:
    """A part's content alone: the text, or `[a; b; c]` (F-TXT-03)."""
    if name in LISTS:
        return "[" + "; ".join(elements(name, part, plain=True)) + "]"
    return part.text


def one_line(text: str) -> str:
    """Line breaks and tabs as single spaces, for layouts of one line per entry."""
    return " ".join(text.split())


def _moment(unix_ms: int) -> str:
    return f"{instant(unix_ms)} ({unix_ms})"


def _part_lines(name: PartName, part: Part) -> Iterator[str]:
    """F-TXT-02: label in capitals, content, then indented type, url, timestamp, size."""
    label = PART_LABELS[name].upper()
    if name in LISTS:
        yield f"{label}: {'; '.join(elements(name, part, plain=False))}".rstrip()
    elif name in _LONG and not part.is_empty:
        yield f"{label}:"
        yield part.text
    else:
        yield f"{label}: {part.text}".rstrip()
    yield f"{_INDENT}type: {TYPE_LABELS[part.type]}"
    yield f"{_INDENT}url: {part.url}".rstrip()
    yield f"{_INDENT}timestamp: {_moment(part.timestamp)}"
    yield f"{_INDENT}size: {part.size}"


def _field_lines(record: Record) -> Iterator[str]:
    yield f"OPEN ACCESS: {_yes(record.oa)}"
    yield f"JOURNAL TITLE: {record.journal_title}".rstrip()
    yield f"PUBLICATION DATE: {date(record.pub_date)} ({record.pub_date})"
    yield f"CITATIONS COUNT: {record.citations_count}"
    yield f"{_INDENT}timestamp: {_moment(record.citations_timestamp)}"
    yield f"CORRESPONDING AUTHORS: {'; '.join(map(author_words, record.corresp_author))}".rstrip()
    if record.preprint:
        yield "PREPRINT: yes"
    for tie in record.relations:
        yield f"RELATION: {tie.kind} {tie.source} {tie.id} {tie.doi}".rstrip()
    for notice in record.notices:
        yield f"NOTICE: {notice.kind} {notice.source} {notice.id} {notice.reference}".rstrip()
    yield f"FETCH TIME: {_moment(record.fetch_time)}"
    yield f"RETRY COUNTER: {record.retry_counter}"
    yield f"FETCH EXCEPTION: {_yes(record.fetch_exception)}"
    yield "VISITED SITES:"
    for site in record.visited_sites:
        yield f"{_INDENT}{site.url}"
        yield f"{_INDENT * 2}type: {TYPE_LABELS[site.type]}"
        yield f"{_INDENT * 2}from: {site.from_}".rstrip()
        yield f"{_INDENT * 2}timestamp: {_moment(site.timestamp)}"


def _yes(flag: bool) -> str:
    return "yes" if flag else "no"


def one_line_each(selection: Selection) -> bool:
    """Whether each publication is one line (F-TXT-04, F-TXT-05)."""
    chosen = selection.parts
    only_ids = bool(chosen) and all(name in IDENTIFIER_KINDS for name in chosen)
    single = len(set(chosen)) == 1 and chosen[0] not in _LONG
    return selection.plain and (only_ids or single)


def triplet(identifiers: Identifiers) -> str:
    """`pmid<TAB>pmcid<TAB>doi`."""
    return f"{identifiers.pmid}\t{identifiers.pmcid}\t{identifiers.doi}"


def outcome_words(envelope: Envelope | None) -> str:
    """What became of the submitted line, where it is not simply finished: `parked: not finished at its deadline`."""
    if envelope is None or envelope.outcome in ("", "finished"):
        return ""
    return ": ".join(word for word in (envelope.outcome, envelope.note) if word)


def publication_text(
    record: Record, selection: Selection = EVERYTHING, envelope: Envelope | None = None
) -> str:
    """One publication; ends with a line end. `between` stands between two."""
    chosen = selection.shown_parts
    if one_line_each(selection):
        if all(name in IDENTIFIER_KINDS for name in chosen):
            known = record.identifiers
            return (
                triplet(Identifiers(**{kind: known.get(kind) for kind in IDENTIFIER_KINDS if kind in chosen}))
                + "\n"
            )
        (name,) = chosen
        return one_line(bare(name, record.part(name))) + "\n"
    if selection.plain:
        return _plain_text(record, chosen)
    blocks = ["\n".join(_part_lines(name, record.part(name))) for name in chosen]
    if selection.with_fields:
        outcome = outcome_words(envelope)
        blocks.append("\n".join([*([f"OUTCOME: {outcome}"] if outcome else []), *_field_lines(record)]))
    return "\n\n".join(blocks) + "\n"


def _plain_text(record: Record, chosen: tuple[PartName, ...]) -> str:
    """F-TXT-03: the identifiers in brackets, then each part as it is."""
    blocks = []
    identifiers = [record.part(name).text for name in chosen if name in IDENTIFIER_KINDS]
    if identifiers:
        blocks.append(f"[{', '.join(identifiers)}]")
    blocks += [bare(name, record.part(name)) for name in chosen if name not in IDENTIFIER_KINDS]
    return "\n\n".join(blocks) + "\n"


def between(selection: Selection) -> str:
    """What stands between two publications (F-TXT-06)."""
    return "" if one_line_each(selection) else f"\n{SEPARATOR}\n\n"


def identifiers_text(record: Record, *, plain: bool) -> str:
    """A line of an identifier list: the triplet, or `[ids] (provenance)` (F-CLI-100)."""
    if plain:
        return triplet(record.identifiers) + "\n"
    known, where = record.identifiers, record.provenance
    return (
        f"[{', '.join(value for _, value in known.known())}] ({', '.join(url for _, url in where.known())})\n"
    )
