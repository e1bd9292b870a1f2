"""From one article to its structured document, with the proof that nothing was lost."""

from typing import TYPE_CHECKING, Final

from pubweave.core.reading.jats.abstracts import own_abstracts
from pubweave.core.reading.jats.conservation import (
    REASONS,
    WITH_ALL_TEXT,
    check_emitted,
    check_part,
    raw_bytes,
    raw_text,
)
from pubweave.core.reading.jats.document import (
    EXTRAS_VERSION,
    Conservation,
    Document,
    Dropped,
    Extras,
    Section,
    TaggedText,
    Warning_,
)
from pubweave.core.reading.jats.errors import MalformedJats
from pubweave.core.reading.jats.extras import fill, form_of
from pubweave.core.reading.jats.front import medline_pgn, read_front
from pubweave.core.reading.jats.plain import front_of, meta_of
from pubweave.core.reading.jats.text import XML, one_line
from pubweave.core.reading.jats.walking.walker import Walker

if TYPE_CHECKING:
    from lxml import etree

    Element = etree._Element

SUB_ARTICLES: Final = frozenset({"sub-article", "response"})
_FRONTS: Final = frozenset({"front", "front-stub", "book-part-meta", "processing-meta"})
_FLOATS: Final = frozenset({"floats-group", "floats-wrap"})
_TITLE_PIECES: Final = frozenset(
    {"article-title", "title", "subtitle", "trans-title-group", "trans-title", "trans-subtitle"}
)
_ABSTRACTS: Final = frozenset({"abstract", "trans-abstract"})
_MAX_DEPTH_OF_SUB_ARTICLES: Final = 20


class _Account:
    """Adds up the checks of the parts of one article."""

    __slots__ = ("dropped", "reordered", "violations", "words_body_back", "words_flow")

    def __init__(self) -> None:
        self.dropped: list[tuple[str, str]] = []
        self.violations: list[str] = []
        self.words_flow = self.words_body_back = self.reordered = 0

    def close(self, name: str, source: bytes, walker: Walker, sections: list[Section]) -> None:
        ledger = walker.ledger
        violation, blanks = check_part(name, source, ledger.pieces)
        if violation:
            self.violations.append(violation)
        violation, reordered = check_emitted(sections, ledger.flow)
        if violation:
            self.violations.append(f"{name}, {violation}")
        self.reordered += reordered
        # a piece has a word more than blanks, unless it goes on with the word before it
        words = (
            blanks
            + len(ledger.pieces)
            - ledger.glued
            - sum(text.count(" ") + 1 for _, text in ledger.dropped)
        )
        self.words_flow += words
        if name != "front":
            self.words_body_back += words
        self.dropped += ledger.dropped

    def report(self) -> Conservation:
        counts: dict[str, list[int]] = {}
        for reason, text in self.dropped:
            count = counts.setdefault(reason, [0, 0])
            count[0] += text.count(" ") + 1 if text else 0
            count[1] += 1
        return Conservation(
            holds=not self.violations,
            words_flow=self.words_flow,
            words_body_back=self.words_body_back,
            dropped=[
                Dropped(reason, row, *counts[reason]) for reason, row in REASONS.items() if reason in counts
            ],
            reordered=self.reordered,
            violations=self.violations,
        )


class _Abstracts:
    """The abstracts of an article: its own are the first sections after the title (B-10), whatever stands before them."""

    __slots__ = ("_first", "_order", "_own", "_texts")

    def __init__(self, article: "Element", meta: "Element") -> None:
        found = [one for one in meta if one.tag in _ABSTRACTS]
        self._own = own_abstracts(article, meta)
        # sorting is stable: false, the article's own, comes before true
        self._order = sorted(found, key=lambda one: one not in self._own)
        self._first = 0
        self._texts: dict[str, None] = {}

    @property
    def text(self) -> str:
        """The article's own, on one line; given twice it is one."""
        return " ".join(filter(None, self._texts))

    def walk(self, element: "Element", walker: Walker) -> None:
        if not self._first:
            self._first = walker.reserve(len(self._order))
        own = element in self._own
        start = len(walker.sections)
        walker.abstract(element, self._first + self._order.index(element), own=own)
        if own:
            self._texts.setdefault(_text_of(walker.sections[start:]))


def _text_of(sections: list[Section]) -> str:
    return " ".join(
        part
        for section in sections
        for part in (
            section.label,
            "" if section.tag == "abstract" else section.title,
            *(
                text
                for content in section.contents
                for text in (
                    (content.text,)
                    if content.tag in WITH_ALL_TEXT
                    else (content.label, content.caption, content.text)
                )
                if isinstance(text, str)
            ),
        )
        if part
    )


def _walk_front(article: "Element", walker: Walker) -> tuple[str, str]:
    """Title and abstract sections; everything else of the front is metadata. Gives full title and abstract."""
    front, meta = front_of(article), meta_of(article)
    title = ""
    if front is None or meta is None:
        return title, ""
    abstracts = _Abstracts(article, meta)
    drop = walker.ledger.drop

    def metadata(element: "Element") -> None:
        text = " ".join(raw_text(element).split())
        if text:
            drop("metadata", text)

    for child in front:
        if child is not meta and front is not meta:
            if isinstance(child.tag, str):
                metadata(child)
            _stray(child.tail, walker)
            continue
        if front is meta:
            break
        _stray(meta.text, walker)
        for one in meta:
            title = _walk_meta(one, walker, title, abstracts)
            _stray(one.tail, walker)
        _stray(meta.tail, walker)
    if front is meta:
        for one in meta:
            title = _walk_meta(one, walker, title, abstracts)
            _stray(one.tail, walker)
    walker.sections.sort(key=lambda section: int(section.id.partition(".")[0]))
    return title, abstracts.text


def _walk_meta(one: "Element", walker: Walker, title: str, abstracts: _Abstracts) -> str:
    tag = one.tag
    if tag == "title-group":
        given = one.find("article-title") is not None or one.find("title") is not None
        pieces = {
            child for child in one if child.tag in _TITLE_PIECES or (child.tag == "alt-title" and not given)
        }
        if not pieces or title:
            _metadata(one, walker)
            return title
        # the ledger keeps document order: pieces before, amid and after what is left out
        run: list[Element] = []
        _stray(one.text, walker)
        for child in one:
            if child in pieces:
                run.append(child)
            elif isinstance(child.tag, str):
                _title_run(run, walker)
                reason = "alternative-title" if child.tag == "alt-title" else "metadata"
                text = " ".join(raw_text(child).split())
                if text:
                    walker.ledger.drop(reason, text)
            if child.tail and not child.tail.isspace():
                _title_run(run, walker)
                _stray(child.tail, walker)
        _title_run(run, walker)
        return _titles(walker)
    if tag in _ABSTRACTS:
        abstracts.walk(one, walker)
    elif isinstance(tag, str):
        _metadata(one, walker)
    return title


def _stray(text: "str | None", walker: Walker) -> None:
    """Text between metadata elements, where none may stand."""
    if text and not text.isspace():
        walker.ledger.drop("metadata", " ".join(text.split()))


def _metadata(element: "Element", walker: Walker) -> None:
    text = " ".join(raw_text(element).split())
    if text:
        walker.ledger.drop("metadata", text)


def _title_run(run: "list[Element]", walker: Walker) -> None:
    if run:
        walker.title(run)
        run.clear()


def _titles(walker: Walker) -> str:
    return " ".join(
        str(content.text)
        for section in walker.sections
        if section.tag == "title"
        for content in section.contents
    )


def read_document(article: "Element", *, extras: bool = True) -> Document:
    """Read one article as `articles` gives it.

    :param extras: false leaves the additional fields empty but for the conservation report (bulk work that wants the
        documented fields only)
    """
    try:
        return _read(article, extras, 0)
    except RecursionError:
        raise MalformedJats("the document is nested too deep to be read") from None


def _read(article: "Element", extras: bool, depth: int) -> Document:
    front = read_front(article)
    walker = Walker(front.pmcid, extras=extras)
    account = _Account()

    walker.begin()
    title, abstract = _walk_front(article, walker)
    body_sections = walker.sections
    source = front_of(article)
    raws: list[bytes] = []
    if source is not None:
        raws.append(raw_bytes(source))
        account.close("front", raws[-1], walker, body_sections)

    counts: dict[str, tuple[int, int, int]] = {}
    parts: dict[str, list[Section]] = {"body": [], "floats": [], "back": []}
    named = (
        ("body", [child for child in article if child.tag == "body"]),
        ("floats", [child for child in article if _is_float(child)]),
        ("back", [child for child in article if child.tag == "back"]),
    )
    for name, elements in named:
        walker.begin()
        for element in elements:
            if name == "floats" and element.tag not in _FLOATS:
                walker.element(element, "floats-group")
            else:
                walker.part(element, str(element.tag))
        if elements:
            raws.append(b"".join(map(raw_bytes, elements)))
            account.close(name, raws[-1], walker, walker.sections)
        parts[name] = walker.sections
        counts[name] = (walker.figures, walker.tables, walker.paragraphs)

    warnings = front.warnings
    if not parts["body"]:
        warnings.append(Warning_("no-body", "the article has no body text"))
    conservation = account.report()
    for violation in conservation.violations:
        warnings.append(Warning_("conservation", violation))

    made = Extras(version=EXTRAS_VERSION, form="", conservation=conservation)
    document = Document(
        id_=front.pmcid.removeprefix("PMC"),
        pmcid=front.pmcid,
        pmid=front.pmid,
        doi=front.doi,
        journal=front.journal,
        issue=front.issue,
        volume=front.volume,
        start_page=front.start_page,
        end_page=front.end_page,
        medline_pgn=medline_pgn(front.start_page, front.end_page),
        medline_ta=front.medline_ta,
        affiliations=front.affiliations,
        authors=front.authors,
        publication_date=front.date.text,
        publication_date_alt=front.date.alternative,
        publication_date_status=front.date.status,
        publication_year=front.date.year,
        article_type=article.get("article-type") or article.get("book-part-type") or "",
        keywords=front.keywords,
        full_title=title,
        abstract=abstract,
        body_sections=[*body_sections, *parts["body"]],
        back_sections=parts["back"],
        float_sections=parts["floats"],
        pubyear=front.date.year,
        title=title,
        language=article.get(XML + "lang") or "",
        pmc_release_date=front.pmc_release_date,
        archive_id=front.other.get("archive", ""),
        manuscript_id=front.other.get("manuscript", ""),
        other_id=front.other.get("other", ""),
        figures_in_body=counts["body"][0],
        figures_in_back=counts["back"][0],
        figures_in_float=counts["floats"][0],
        tables_in_body=counts["body"][1],
        tables_in_back=counts["back"][1],
        tables_in_float=counts["floats"][1],
        paragraphs_in_body=counts["body"][2],
        paragraphs_in_back=counts["back"][2],
        paragraphs_in_float=counts["floats"][2],
        warnings=warnings,
        pubweave=made,
    )
    made.form = form_of(document, article)
    if extras:
        fill(made, document, article, walker, walker.notes, raws)
        made.dropped_texts = [
            TaggedText(reason, text)
            for reason, text in account.dropped
            if reason in ("table-in-figure", "abstract-title")
        ]
        inner = [child for child in article if child.tag in SUB_ARTICLES]
        if depth < _MAX_DEPTH_OF_SUB_ARTICLES:
            made.sub_articles = [_read(child, extras, depth + 1) for child in inner]
        elif inner:
            warnings.append(
                Warning_(
                    "sub-articles",
                    f"sub-articles nested more than {_MAX_DEPTH_OF_SUB_ARTICLES} deep are given as text",
                )
            )
            made.dropped_texts += [TaggedText(str(child.tag), one_line(raw_text(child))) for child in inner]
    return document


def _is_float(child: "Element") -> bool:
    """Floats, and whatever else a broken dialect puts beside body and back."""
    tag = child.tag
    return (
        isinstance(tag, str)
        and tag not in _FRONTS
        and tag not in SUB_ARTICLES
        and tag not in ("body", "back")
    )
