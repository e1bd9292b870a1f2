"""The additional fields: what the specification's document does not say and the article does."""

import re
from typing import TYPE_CHECKING, Any, Final

from pubweave.core.reading.jats.conservation import raw_text
from pubweave.core.reading.jats.corresponding import corresponding, person_name
from pubweave.core.reading.jats.document import (
    Award,
    Citation,
    Content,
    Contributor,
    DatedEvent,
    Document,
    Extras,
    Licence,
    Registration,
    Related,
    Role,
    Statement,
    Supplement,
    TaggedText,
)
from pubweave.core.reading.jats.formulae import read_formula
from pubweave.core.reading.jats.front import affiliation_elements, children_by_tag, contributors, iso_date
from pubweave.core.reading.jats.plain import front_of, meta_of
from pubweave.core.reading.jats.sections import all_sections, mark, text_of, type_of_title
from pubweave.core.reading.jats.tables import read_grid
from pubweave.core.reading.jats.text import XML, attribute, one_line, parts_text, plain_text

if TYPE_CHECKING:
    from lxml import etree

    from pubweave.core.reading.jats.walking.booking import PlaceNote
    from pubweave.core.reading.jats.walking.walker import Walker

    Element = etree._Element

_LABEL: Final = frozenset({"label"})
_ORCID = re.compile(r"\d{4}-\d{4}-\d{4}-\d{3}[\dXx]")
_EMAIL = re.compile(r"[^\s<>()\[\],;:@]{1,128}@[^\s<>()\[\],;:@]{1,255}\.[A-Za-z]{2,24}")

CREDIT_ROLES: Final = (
    "Conceptualization", "Data curation", "Formal analysis", "Funding acquisition", "Investigation", "Methodology",
    "Project administration", "Resources", "Software", "Supervision", "Validation", "Visualization",
    "Writing – original draft", "Writing – review & editing",
)  # fmt: skip
"""The fourteen terms of the Contributor Role Taxonomy (ANSI/NISO Z39.104)."""


def _credit_key(text: str) -> str:
    return "".join(letter for letter in text.lower().replace("&", "and") if letter.isalpha())


_CREDIT: Final = {
    **{_credit_key(role): role for role in CREDIT_ROLES},
    "writingoriginaldraftpreparation": "Writing – original draft",
    "writingreviewediting": "Writing – review & editing",
    "conceptualisation": "Conceptualization",
    "visualisation": "Visualization",
}


def _roles(contributor: "Element") -> list[Role]:
    found = []
    for role in contributor.iterfind("role"):
        text = plain_text(role)
        address = role.get("vocab-term-identifier") or role.get("content-type") or ""
        credit = (
            _CREDIT.get(_credit_key(role.get("vocab-term") or ""), "")
            or _CREDIT.get(_credit_key(text), "")
            or (
                _CREDIT.get(_credit_key(address.rstrip("/").rpartition("/")[2]), "")
                if "credit" in address
                else ""
            )
        )
        if text or credit:
            found.append(Role(text, credit, role.get("degree-contribution") or ""))
    return found


def read_contributors(meta: "Element") -> list[Contributor]:
    """Everybody named, with affiliations resolved; who gets letters has `corresponding` and an address."""
    texts = {
        aff.get("id") or "": parts_text(aff, _LABEL).strip(" ,;")
        for aff in affiliation_elements(meta)
        if aff.get("id")
    }
    letters = dict(corresponding(meta))
    loose = [parts_text(aff, _LABEL).strip(" ,;") for aff in meta.iterfind("aff")]
    equal_notes = {
        note.get("id")
        for notes in meta.iterfind("author-notes")
        for note in notes.iter("fn")
        if note.get("fn-type") == "equal" or "contributed equally" in raw_text(note)
    } - {None}
    found: list[Contributor] = []
    beside: dict[Element | None, list[str]] = {}
    for element in contributors(meta):
        given, surname = person_name(element)
        collective = element.find("collab") is not None or element.find("collab-alternatives") is not None
        made = Contributor(
            " ".join(part for part in (given, surname) if part),
            surname="" if collective else surname,
            given_names=given,
            type=element.get("contrib-type") or "",
            affiliation_ids=[],
            affiliations=[],
            emails=[],
            roles=_roles(element),
            equal=(element.get("equal-contrib") or "").lower() == "yes",
            deceased=(element.get("deceased") or "").lower() == "yes",
            collective=collective,
        )
        own: list[str] = []
        for child in element:
            tag: Any = child.tag
            if tag == "xref":
                rids = (child.get("rid") or "").split()
                if child.get("ref-type") == "aff":
                    made.affiliation_ids.extend(rids)
                elif not equal_notes.isdisjoint(rids):
                    made.equal = True
            elif tag == "aff":
                own.append(parts_text(child, _LABEL).strip(" ,;"))
            elif tag == "contrib-id" and (child.get("contrib-id-type") or "").lower() == "orcid":
                orcid = _ORCID.search(plain_text(child))
                made.orcid = orcid[0].upper() if orcid else ""
                made.orcid_authenticated = child.get("authenticated") == "true"
            elif tag in ("uri", "ext-link") and not made.orcid:
                orcid = _ORCID.search((attribute(child, "href") or "") + " " + plain_text(child))
                made.orcid = orcid[0].upper() if orcid else ""
        made.affiliations = own + [texts[rid] for rid in made.affiliation_ids if texts.get(rid)]
        if not made.affiliations and not collective:
            group = next(element.iterancestors("contrib-group"), None)
            if group not in beside:
                affs = () if group is None else group.iterfind("aff")
                beside[group] = [parts_text(aff, _LABEL).strip(" ,;") for aff in affs]
            # one affiliation for all needs no references to it
            made.affiliations = beside[group] or (loose if len(loose) == 1 else [])
        author = letters.get(element)
        if author is not None:
            made.corresponding = True
            made.phone, made.uri = author.phone, author.uri
            if author.email:
                made.emails.append(author.email)
        for email in element.iter("email"):
            address = _EMAIL.search(plain_text(email)[:500])
            if address and address[0] not in made.emails:
                made.emails.append(address[0])
        for holder in element.iterancestors("collab"):
            made.member_of = plain_text(holder, frozenset({"contrib-group"}))
        found.append(made)
    return found


def _awards(meta: "Element") -> tuple[list[Award], list[Statement]]:
    awards, statements = [], []
    for group in meta.iterfind("funding-group"):
        for award in group.iterfind("award-group"):
            names: list[str] = []
            funder_id = ""
            for source in award.iterfind("funding-source"):
                holder = source.find("institution-wrap")
                institution = source.find(".//institution")
                names.append(parts_text(source if institution is None else institution))
                for identifier in (holder if holder is not None else source).iter("institution-id"):
                    funder_id = funder_id or plain_text(identifier)
                funder_id = funder_id or attribute(source, "href")
            awards.append(
                Award(
                    "; ".join(name for name in names if name),
                    funder_id,
                    [plain_text(one) for one in award.iterfind("award-id") if plain_text(one)],
                    [
                        plain_text(one)
                        for one in award.iterfind("principal-award-recipient")
                        if plain_text(one)
                    ],
                )
            )
        for statement in group.iterfind("funding-statement"):
            text = plain_text(statement)
            if text:
                statements.append(Statement("funding", text, evidence="funding-statement"))
    return awards, statements


_NOTE_TYPES: Final = {
    "conflict": "competing-interests", "coi-statement": "competing-interests", "financial-disclosure": "funding",
    "supported-by": "funding", "con": "author-contributions", "participating-researchers": "author-contributions",
    "ethics-statement": "ethics", "abbr": "abbreviations", "data-availability": "data-availability",
}  # fmt: skip
_STATEMENTS: Final = frozenset(
    {
        "funding", "data-availability", "competing-interests", "ethics", "acknowledgements", "author-contributions",
        "consent", "trial-registration", "abbreviations", "supplementary-material", "publisher-note", "peer-review",
    }
)  # fmt: skip
_LEAD = re.compile(r"^([A-Z][^.:]{3,60})[.:]\s")


def _note_type(kind: str, text: str) -> tuple[str, str]:
    found = _NOTE_TYPES.get(kind.lower())
    if found:
        return found, f"fn-type={kind}"
    lead = _LEAD.match(text)
    found = type_of_title(lead[1]) if lead else ""
    return (found, f"lead: {lead[1]}") if lead and found in _STATEMENTS else ("", "")


def _statements(document: Document, meta: "Element | None") -> list[Statement]:
    found: list[Statement] = []
    sections = list(all_sections(document))
    place = 0
    while place < len(sections):
        section = sections[place]
        kind = section.type if isinstance(section.type, str) else ""
        end = place + 1
        while end < len(sections) and sections[end].level > section.level:
            end += 1
        if kind in _STATEMENTS:
            block = sections[place:end]
            inner = [one for one in block[1:] if one.type in _STATEMENTS and one.type != kind]
            text = text_of([one for one in block if one not in inner])
            title = section.title or section.caption
            evidence = (
                f"type={section.kind}"
                if isinstance(section.kind, str)
                else f"<{section.tag}> {title}".strip()
            )
            found.append(Statement(kind, text.removeprefix(title).strip(), title, section.id, evidence))
            place = place + 1 if inner else end
            continue
        for content in section.contents:
            if content.tag == "fn" and isinstance(content.text, str):
                kind, evidence = _note_type(
                    content.kind if isinstance(content.kind, str) else "", content.text
                )
                if kind:
                    found.append(Statement(kind, content.text, "", section.id, evidence))
        place += 1
    if meta is not None:
        for notes in meta.iterfind("author-notes"):
            for note in notes.iter("fn"):
                text = plain_text(note, _LABEL)
                kind, evidence = _note_type(note.get("fn-type") or "", text)
                if kind and text:
                    found.append(Statement(kind, text, "", "", evidence))
        for custom in meta.iter("custom-meta"):
            name = plain_text(custom.find("meta-name"))
            kind = type_of_title(name)
            if kind in _STATEMENTS:
                found.append(Statement(kind, plain_text(custom.find("meta-value")), name, "", "custom-meta"))
    return [one for one in found if one.text]


_REGISTRIES: Final = (
    ("ClinicalTrials.gov", "NCT", re.compile(r"\bNCT\s?(\d{8})\b"), "NCT{}"),
    ("ISRCTN", "ISRCTN", re.compile(r"\bISRCTN\s?(\d{8})\b"), "ISRCTN{}"),
    ("EU Clinical Trials Register", "EudraCT", re.compile(r"EudraCT[^0-9]{0,30}(\d{4}-\d{6}-\d{2})"), "{}"),
    ("ChiCTR", "ChiCTR", re.compile(r"\bChiCTR[ -]?((?:[A-Z]{3,4}[ -]?)?\d{8,10})\b"), "ChiCTR{}"),
    ("ANZCTR", "ACTRN", re.compile(r"\bACTRN\s?(\d{14})\b"), "ACTRN{}"),
    ("DRKS", "DRKS", re.compile(r"\bDRKS\s?(\d{8})\b"), "DRKS{}"),
    ("UMIN-CTR", "UMIN", re.compile(r"\bUMIN\s?(\d{9})\b"), "UMIN{}"),
    ("CTRI", "CTRI", re.compile(r"\bCTRI/(\d{4}/\d{2,3}/\d{6})\b"), "CTRI/{}"),
    ("IRCT", "IRCT", re.compile(r"\bIRCT\s?(\d{8,14}N\d{1,3})\b"), "IRCT{}"),
    ("jRCT", "jRCT", re.compile(r"\bjRCT(s?\d{9,10})\b"), "jRCT{}"),
    ("PROSPERO", "CRD42", re.compile(r"\b(CRD42\d{6,10})\b"), "{}"),
)


_WITH_CT: Final = tuple(sign.encode() for _, sign, _, _ in _REGISTRIES if "CT" in sign)
_OTHERS: Final = tuple(sign.encode() for _, sign, _, _ in _REGISTRIES if "CT" not in sign)


def _signs_in(raw: bytes) -> set[str]:
    """The signs of registries that stand in a text. Most texts have none, and without `CT` eight need not be sought."""
    sought = (*_OTHERS, *_WITH_CT) if b"CT" in raw else _OTHERS
    return {sign.decode() for sign in sought if sign in raw}


def _registrations(document: Document, raws: list[bytes]) -> list[Registration]:
    # hardly any article has one, and most show that at a look at their bytes
    signs = set[str]().union(*map(_signs_in, raws))
    if not signs:
        return []
    found: dict[str, Registration] = {}
    contents = [
        (content.id, content.text)
        for section in all_sections(document)
        if section.tag != "ref-list"
        for content in section.contents
        if isinstance(content.text, str)
    ]
    for registry, sign, pattern, form in _REGISTRIES:
        if sign in signs:
            for number, text in contents:
                if sign in text:
                    for one in pattern.findall(text):
                        name = form.format(one)
                        found.setdefault(name, Registration(registry, name, number))
    return list(found.values())


_LICENCE_URL = re.compile(
    r"creativecommons\.org/(?:licen[cs]es/(by(?:-nc)?(?:-sa|-nd)?|by-nd-nc)(?:/(\d\.\d))?(?:/([a-z]{2,3}|igo)\b)?"
    r"|publicdomain/(zero|mark)(?:/(\d\.\d))?)",
    re.I,
)
_CC_CODE = re.compile(
    r"\bCC[ -](BY(?:[ -]NC)?(?:[ -](?:SA|ND))?|0)\b(?:[ -]?(?:v(?:ersion)? ?)?(\d\.\d))?", re.I
)
_VERSION = re.compile(r"\b([1-4]\.0)\b")


def _licence_by_url(text: str) -> tuple[str, str]:
    found = _LICENCE_URL.search(text)
    if not found:
        return "", ""
    kind, version, place, public, public_version = found.groups()
    if public:
        code = "CC0" if public.lower() == "zero" else "PDM"
        return f"{code}-{public_version or '1.0'}", found[0]
    kind = "by-nc-nd" if kind.lower() == "by-nd-nc" else kind.lower()
    parts = ["CC", kind.upper(), *([version] if version else [])]
    if place and place.lower() not in ("legalcode", "deed"):
        parts.append(place.upper())
    return "-".join(parts), found[0]


def _licence_by_words(text: str) -> tuple[str, str]:
    found = _CC_CODE.search(text)
    if found:
        kind, version = found[1].upper().replace(" ", "-"), found[2]
        return (
            f"CC0-{version or '1.0'}"
            if kind == "0"
            else "-".join(["CC", kind, *([version] if version else [])])
        ), found[0]
    lower = text.lower()
    start = lower.find("creative commons")
    if start < 0:
        return ("", "")
    if "zero" in lower[start : start + 60] or "public domain dedication" in lower:
        return "CC0-1.0", text[start : start + 60]
    words = lower[start : start + 200].replace("-", "").replace(" ", "")
    if "attribution" not in words:
        return "", ""
    code = "CC-BY" + ("-NC" if "noncommercial" in words else "")
    code += "-SA" if "sharealike" in words else "-ND" if "noderiv" in words else ""
    version = _VERSION.search(text, start, start + 250)
    return code + (f"-{version[1]}" if version else ""), text[start : start + 80]


def read_licence(meta: "Element") -> Licence:
    """The licence as a code, with the words or address by which it was known."""
    made = Licence()
    for permissions in meta.iterfind("permissions"):
        made.statement = made.statement or plain_text(permissions.find("copyright-statement"))
        made.holder = made.holder or plain_text(permissions.find("copyright-holder"))
        made.year = made.year or plain_text(permissions.find("copyright-year"))
        for licence in permissions.iterfind("license"):
            made.text = made.text or parts_text(licence)
            addresses = [attribute(licence, "href")]
            for found in licence.iter("{*}license_ref", "ext-link", "uri"):
                addresses += [attribute(found, "href"), plain_text(found)]
            for address in addresses:
                code, evidence = _licence_by_url(address)
                if code and not made.code:
                    made.code, made.url, made.evidence = code, address, evidence
            if not made.url:
                made.url = next((address for address in addresses if address.startswith("http")), "")
        for found in permissions.iter("{*}license_ref"):
            code, evidence = _licence_by_url(plain_text(found))
            if code and not made.code:
                made.code, made.url, made.evidence = code, plain_text(found), evidence
        if next(permissions.iter("{*}free_to_read"), None) is not None:
            made.free_to_read = True
        if not made.code:
            for text in (made.text, made.statement):
                made.code, made.evidence = _licence_by_url(text)
                if not made.code:
                    made.code, made.evidence = _licence_by_words(text)
                if made.code:
                    break
    if not made.statement:
        made.statement = plain_text(meta.find("copyright-statement"))
        if not made.code:
            made.code, made.evidence = _licence_by_words(made.statement)
    return made


def _related(meta: "Element") -> list[Related]:
    found = []
    for element in meta.iter("related-article", "related-object"):
        kind = (
            element.get("related-article-type")
            or element.get("related-object-type")
            or element.get("link-type")
            or ""
        )
        address = attribute(element, "href") or element.get("object-id") or ""
        id_type = element.get("ext-link-type") or element.get("object-id-type") or ""
        found.append(Related(kind, address, id_type, plain_text(element)))
    return found


def _dates(meta: "Element") -> list[DatedEvent]:
    found = []
    for element in meta.iter("pub-date", "date"):
        holder = element.getparent()
        if element.tag == "date" and (
            holder is None or holder.tag not in ("history", "event", "pub-history")
        ):
            continue
        kind = element.get("date-type") or element.get("pub-type") or element.get("publication-format") or ""
        if holder is not None and holder.tag == "event":
            kind = holder.get("event-type") or kind
        when = iso_date(element)
        text = "" if when else plain_text(element)
        if when or text:
            found.append(DatedEvent(kind, when, text))
    return found


def _supplements(walker: "Walker", article: "Element") -> list[Supplement]:
    found = []
    for element, content in walker.supplements:
        label, caption = content.label or "", content.caption or ""
        places = [(element, attribute(element, "href"))]
        places += [
            (one, attribute(one, "href")) for one in element.iter("media", "graphic", "ext-link", "uri")
        ]
        for place, href in places:
            if href:
                mime = "/".join(part for part in (place.get("mimetype"), place.get("mime-subtype")) if part)
                inner = place.find("caption") if place is not element else None
                own = plain_text(inner) if inner is not None else caption or content.text or ""
                found.append(Supplement(content.id, href, label, own, mime))
    for body in article.iterfind("body"):
        for one in body.iter("inline-supplementary-material"):
            href = attribute(one, "href")
            if href:
                mime = "/".join(part for part in (one.get("mimetype"), one.get("mime-subtype")) if part)
                found.append(Supplement("", href, plain_text(one), "", mime))
    return found


def _citation(note: "PlaceNote") -> Citation:
    element: Element = note.element
    kind = element.get("ref-type") or ""
    text = note.text if not note.dropped else one_line(raw_text(element))
    return Citation(
        note.content,
        note.field,
        note.start,
        note.end,
        text,
        "reference" if kind == "bibr" else kind,
        (element.get("rid") or "").split(),
        note.dropped,
    )


_READ_ELSEWHERE: Final = frozenset(
    {
        "article-id", "title-group", "contrib-group", "aff", "aff-alternatives", "pub-date", "volume", "issue", "fpage",
        "lpage", "elocation-id", "permissions", "abstract", "trans-abstract", "kwd-group", "funding-group", "history",
        "pub-history", "article-categories", "related-article",
    }
)  # fmt: skip


def _links(content: Content, pmcid: str) -> list[str]:
    base = f"https://europepmc.org/articles/{pmcid}/bin/"
    graphics = content.graphics if isinstance(content.graphics, list) else []
    return [base + (href if "." in href[-5:] else href + ".jpg") for href in graphics]


def fill(
    extras: Extras,
    document: Document,
    article: "Element",
    walker: "Walker",
    notes: "list[PlaceNote]",
    raws: list[bytes],
) -> None:
    """Fill the additional fields of one article; `raws` is the text of its parts, as bytes."""
    front, meta = front_of(article), meta_of(article)
    for sections in (document.body_sections, document.back_sections, document.float_sections):
        mark(sections)
    for note in notes:
        if note.kind == "formula":
            extras.formulae.append(read_formula(note))
        else:
            extras.citations.append(_citation(note))
    extras.references = walker.references
    for element, content in walker.grids:
        grid = read_grid(element, content)
        if grid is not None:
            extras.grids.append(grid)
    if document.pmcid:
        for section in all_sections(document):
            for content in section.contents:
                if content.graphics:
                    content.links = _links(content, document.pmcid)
    extras.supplements = _supplements(walker, article)
    statements = _statements(document, meta)
    if meta is not None and front is not None:
        extras.contributors = read_contributors(meta)
        extras.awards, funding = _awards(meta)
        statements += funding
        extras.licence = read_licence(meta)
        extras.related = _related(meta)
        extras.dates = _dates(meta)
        for subject in meta.iterfind("article-categories"):
            extras.subjects = list(dict.fromkeys(plain_text(one) for one in subject.iter("subject")))
        for group in meta.iterfind("title-group"):
            for title in group.iter("alt-title", "trans-title", "trans-subtitle", "fn"):
                kind = title.get("alt-title-type") or title.get(XML + "lang") or ""
                extras.alternative_titles.append(TaggedText(str(title.tag), plain_text(title), kind))
        journal = front.find("journal-meta")
        if journal is not None:
            for issn in journal.iterfind("issn"):
                extras.issns[issn.get("pub-type") or issn.get("publication-format") or "issn"] = plain_text(
                    issn
                )
            extras.publisher = plain_text(journal.find("publisher/publisher-name"))
        children = children_by_tag(meta)
        extras.elocation_id = plain_text(children["elocation-id"][0]) if "elocation-id" in children else ""
        for tag, elements in children.items():
            if isinstance(tag, str) and tag not in _READ_ELSEWHERE:
                for element in elements:
                    text = parts_text(element)
                    if text:
                        extras.front_matter.append(TaggedText(tag, text, element.get("content-type") or ""))
    extras.statements = statements
    extras.registrations = _registrations(document, raws)


def form_of(document: Document, article: "Element") -> str:
    """`full-text`, `scanned`, `abstract-only` or `front-only`: what there is of the article."""
    body = article.find("body")
    front = {
        section.id.partition(".")[0]
        for section in document.body_sections
        if section.level == 1 and section.tag in ("title", "abstract", "trans-abstract")
    }
    has_text = any(
        section.contents or section.title
        for section in document.body_sections
        if section.id.partition(".")[0] not in front
    )
    if body is not None:
        children = [child for child in body if isinstance(child.tag, str)]
        if children and all(child.tag in ("supplementary-material", "graphic") for child in children):
            return "scanned"
    if has_text:
        return "full-text"
    return "abstract-only" if document.abstract else "front-only"
