"""The structured document: what the reader emits.

Three kinds of fields stand side by side, and the JSON Schema (`document.schema.json`) tells them apart:

* *documented*: BiTeM's documentation (rows B-10…B-62), in its spelling;
* *program*: the other spellings that BiTeM's own program uses, with equal values (A-32…A-40);
* *additional*: this project's, versioned by `Extras.version`.
"""

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from pubweave.core.reading.jats.descriptions import DESCRIPTIONS

EXTRAS_VERSION = 1

Texts = list[str]


class Content(
    msgspec.Struct, gc=False, rename={"table_columns_": "tableColumns", "table_values_": "tableValues"}
):
    """One content element of a section (B-30…B-53). Fields that its tag does not have are absent.

    `text` for paragraphs and all other elements, `label`/`caption`/`graphics`/`media`/`pmcid` for figures and tables.
    Supplementary material, pictures and films that stand alone have both: `text` begins with label and caption (B-31, B-32).
    The `text` of a reference that is given twice is the one for reading; the other is in `alternative`.
    """

    id: str
    tag: str
    text: str | UnsetType = UNSET
    label: str | UnsetType = UNSET
    caption: str | UnsetType = UNSET
    table_columns_: Texts | UnsetType = UNSET
    table_values_: list[Texts] | UnsetType = UNSET
    graphics: Texts | UnsetType = UNSET
    media: Texts | UnsetType = UNSET
    pmcid: str | UnsetType = UNSET
    xml: str | UnsetType = UNSET
    footer: str | UnsetType = UNSET
    xref_id: str | UnsetType = UNSET
    xref_url: str | UnsetType = UNSET
    rid: str | UnsetType = UNSET
    # the program's spellings
    table_columns: Texts | UnsetType = UNSET
    table_values: list[Texts] | UnsetType = UNSET
    # additional
    group_label: str | UnsetType = UNSET
    group_caption: str | UnsetType = UNSET
    group_copy: bool | UnsetType = UNSET
    attrib: str | UnsetType = UNSET
    permissions: str | UnsetType = UNSET
    asides: Texts | UnsetType = UNSET
    alternative: str | UnsetType = UNSET
    links: Texts | UnsetType = UNSET
    kind: str | UnsetType = UNSET


class Section(msgspec.Struct, gc=False):
    """A section, appendix, boxed text or part of the back matter, flattened (B-20…B-28).

    `path` (the titles from the top down) and `type` (canonical: introduction, methods, …) are additional.
    """

    id: str
    tag: str
    level: int
    implicit: bool
    label: str
    title: str
    caption: str
    contents: list[Content]
    path: Texts | UnsetType = UNSET
    type: str | UnsetType = UNSET
    xml_id: str | UnsetType = UNSET
    xml_title: str | UnsetType = UNSET
    kind: str | UnsetType = UNSET
    language: str | UnsetType = UNSET
    asides: Texts | UnsetType = UNSET


class Affiliation(msgspec.Struct, gc=False):
    """An affiliation as it stands in the article (B-10)."""

    id: str
    label: str
    name: str


class Author(msgspec.Struct, gc=False):
    """An author (B-10, B-11); `affiliations` are ids."""

    affiliations: Texts
    last_name: str
    first_name: str
    name: str
    initials: str


class Extra(msgspec.Struct, omit_defaults=True, gc=False):
    """An additional object: values that are empty are absent."""


class Role(Extra):
    """What somebody did; `credit` is the CRediT term, "" if it is none of the fourteen."""

    text: str
    credit: str = ""
    degree: str = ""


class Contributor(Extra):
    """Anybody named as contributor, author or not."""

    name: str
    surname: str = ""
    given_names: str = ""
    type: str = ""
    orcid: str = ""
    orcid_authenticated: bool = False
    affiliation_ids: Texts = []
    affiliations: Texts = []
    corresponding: bool = False
    emails: Texts = []
    phone: str = ""
    uri: str = ""
    roles: list[Role] = []
    equal: bool = False
    deceased: bool = False
    collective: bool = False
    member_of: str = ""


class ReferencePerson(Extra):
    """A person of a reference."""

    surname: str = ""
    given_names: str = ""
    name: str = ""
    role: str = ""


class Reference(Extra):
    """An entry of the reference list; its text stands in the content element `content`."""

    id: str
    content: str = ""
    label: str = ""
    type: str = ""
    people: list[ReferencePerson] = []
    et_al: bool = False
    title: str = ""
    source: str = ""
    publisher: str = ""
    year: str = ""
    volume: str = ""
    issue: str = ""
    first_page: str = ""
    last_page: str = ""
    elocation_id: str = ""
    doi: str = ""
    pmid: str = ""
    pmcid: str = ""
    other_ids: dict[str, str] = {}
    urls: Texts = []


class Citation(Extra):
    """A cross-reference in the text: `field` of content or section `content`, from `start` to `end` (characters).

    `dropped`: B-13 takes a superscript citation out of the text; then `start` == `end` is where it stood.
    """

    content: str
    field: str
    start: int
    end: int
    text: str
    kind: str
    rids: Texts
    dropped: bool = False


class Formula(Extra):
    """A formula, which B-13 takes out of the text: where it stood and what it says.

    `text` is linear text made from MathML or TeX, `tex` the TeX given, `raw` the letters as they stand in the XML
    (absent if `text` is the same).
    """

    content: str
    field: str
    offset: int
    display: bool
    text: str = ""
    tex: str = ""
    raw: str = ""
    label: str = ""
    id: str = ""
    graphics: Texts = []


class TableNote(Extra):
    """A note at a table's foot."""

    label: str
    text: str
    id: str = ""


class Grid(Extra):
    """A table as a rectangle: spans resolved by repeating the cell's text.

    `header_rows` rows from the top are headings. `cut`: the spans asked for more cells than are made
    (see `MAX_GRID_CELLS`); then the rows are as in the XML.
    """

    content: str
    rows: list[Texts]
    header_rows: int = 0
    notes: list[TableNote] = []
    cut: bool = False


class Award(Extra):
    """One source of money."""

    funder: str = ""
    funder_id: str = ""
    award_ids: Texts = []
    recipients: Texts = []


class Statement(Extra):
    """A typed piece of back or front matter: funding, data-availability, competing-interests, ethics,
    acknowledgements, author-contributions, consent, trial-registration, abbreviations, supplementary-material.

    `evidence` tells by what it was known: an attribute's value or a title.
    """

    type: str
    text: str
    title: str = ""
    section: str = ""
    evidence: str = ""


class Registration(Extra):
    """A clinical trial named in the article."""

    registry: str
    id: str
    evidence: str = ""


class Supplement(Extra):
    """A supplementary file."""

    content: str
    href: str
    label: str = ""
    caption: str = ""
    mimetype: str = ""


class Licence(Extra):
    """The licence as a code (`CC-BY-4.0`, …; "" if it is none known) with its evidence."""

    code: str = ""
    url: str = ""
    evidence: str = ""
    text: str = ""
    statement: str = ""
    holder: str = ""
    year: str = ""
    free_to_read: bool = False


class Related(Extra):
    """Another article or object that this one names (retraction, correction, preprint, …)."""

    type: str
    id: str = ""
    id_type: str = ""
    text: str = ""


class DatedEvent(Extra):
    """A date of the article's life: ISO, shortened where month or day are unknown."""

    type: str
    date: str
    text: str = ""


class TaggedText(Extra):
    """Metadata without a field of its own: nothing of the front is lost."""

    tag: str
    text: str
    kind: str = ""


class Dropped(Extra):
    """How many words left the flow for one reason (see `conservation.REASONS`)."""

    reason: str
    row: str
    words: int
    places: int


class Conservation(Extra):
    """The proof that nothing was lost: `holds` is checked on this very document.

    words_flow + the words of `dropped` are all words of the article, in document order. `reordered`: fields whose
    order inside one element differs from the XML's (a label after its caption), and abstracts that come after the own one.
    """

    holds: bool
    words_flow: int
    words_body_back: int
    dropped: list[Dropped] = []
    reordered: int = 0
    violations: Texts = []


class Extras(Extra):
    """The additional fields of a document, version `EXTRAS_VERSION`."""

    version: int
    form: str
    conservation: Conservation
    contributors: list[Contributor] = []
    references: list[Reference] = []
    citations: list[Citation] = []
    formulae: list[Formula] = []
    grids: list[Grid] = []
    awards: list[Award] = []
    statements: list[Statement] = []
    registrations: list[Registration] = []
    supplements: list[Supplement] = []
    licence: Licence = msgspec.field(default_factory=Licence)
    related: list[Related] = []
    dates: list[DatedEvent] = []
    subjects: Texts = []
    alternative_titles: list[TaggedText] = []
    issns: dict[str, str] = {}
    publisher: str = ""
    elocation_id: str = ""
    dropped_texts: list[TaggedText] = []
    front_matter: list[TaggedText] = []
    sub_articles: "list[Document]" = []


class Warning_(msgspec.Struct):
    """A problem met while reading, never fatal (B-06)."""

    code: str
    message: str


class Document(msgspec.Struct, rename={"id_": "_id"}):
    """One article (B-10). Texts are normalised (B-12); what is unknown is "" or []."""

    id_: Annotated[str, Meta(description="numeric part of the PMCID (A-32)")]
    pmcid: str
    pmid: str
    doi: str
    journal: str
    issue: str
    volume: str
    start_page: str
    end_page: str
    medline_pgn: str
    medline_ta: str
    affiliations: list[Affiliation]
    authors: list[Author]
    publication_date: str
    publication_date_alt: str
    publication_date_status: str
    publication_year: str
    article_type: str
    keywords: Texts
    full_title: str
    abstract: str
    body_sections: list[Section]
    back_sections: list[Section]
    float_sections: list[Section]
    # the program's spellings
    pubyear: str
    title: str
    language: str
    pmc_release_date: str
    archive_id: str
    manuscript_id: str
    other_id: str
    figures_in_body: int
    figures_in_back: int
    figures_in_float: int
    tables_in_body: int
    tables_in_back: int
    tables_in_float: int
    paragraphs_in_body: int
    paragraphs_in_back: int
    paragraphs_in_float: int
    # additional
    warnings: list[Warning_]
    pubweave: Extras


def schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of `Document`, each property marked documented, program or additional."""
    made = msgspec.json.schema(Document)
    program = {
        "Document": {
            "pubyear", "title", "language", "pmc_release_date", "archive_id", "manuscript_id", "other_id",
            *(name for name in Document.__struct_encode_fields__ if "_in_" in name),
        },
        "Content": {"table_columns", "table_values"},
    }  # fmt: skip
    additional = {
        "Document": {"warnings", "pubweave"},
        "Content": {"group_label", "group_caption", "group_copy", "attrib", "permissions", "asides", "alternative",
                    "links", "kind"},
        "Section": {"path", "type", "xml_id", "xml_title", "kind", "language", "asides"},
    }  # fmt: skip
    for name, definition in made["$defs"].items():
        for field, described in definition.get("properties", {}).items():
            if field in program.get(name, ()):
                origin = "program"
            elif name in (
                "Document",
                "Content",
                "Section",
                "Affiliation",
                "Author",
            ) and field not in additional.get(name, ()):
                origin = "documented"
            else:
                origin = "additional"
            described["x-origin"] = origin
            meaning = DESCRIPTIONS.get(name, {}).get(field)
            if meaning:
                described["description"] = meaning
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Pubweave JATS document",
        "x-extras-version": EXTRAS_VERSION,
        "x-differences": DIFFERENCES,
        **made,
    }


DIFFERENCES = [
    {"documented": "full_title", "program": "title", "row": "A-33", "decision": "both, equal"},
    {"documented": "publication_year", "program": "pubyear", "row": "A-33", "decision": "both, equal"},
    {"documented": "tableColumns, tableValues", "program": "table_columns, table_values", "row": "A-40",
     "decision": "both, equal"},
    {"documented": "_id: numeric part", "program": "_id: with PMC", "row": "A-32",
     "decision": "numeric; `pmcid` carries the prefix"},
    {"documented": "publication_date searched pmc-release, epub, ppub, collection, any",
     "program": "epub first, pmc-release in a field of its own", "row": "B-60",
     "decision": "the documented order; pmc_release_date beside it"},
    {"documented": "publication_date d-M-yyyy", "program": "yyyy-MM-dd", "row": "B-62", "decision": "the documented form"},
    {"documented": "children of body have level 1", "program": "body is a level-1 section, its children level 2",
     "row": "A-34", "decision": "level 1; a section for body only where content lies directly below it (B-25)"},
    {"documented": "abstract section implicit", "program": "not implicit", "row": "A-35", "decision": "implicit"},
    {"documented": "title of the abstract section is \"Abstract\"", "program": "the XML's title", "row": "B-28",
     "decision": "\"Abstract\"; the XML's own title in `xml_title`"},
    {"documented": "list_item, boxed_text", "program": "list-item, boxed-text", "row": "A-36", "decision": "XML names"},
    {"documented": "section titles as in the XML, often empty",
     "program": "default titles (References, Acknowledgments, …)", "row": "B-26",
     "decision": "as in the XML; `type` has the canonical name"},
    {"documented": "figures in lists not parsed", "program": "not parsed", "row": "A-39", "decision": "parsed"},
    {"documented": "fig-group: its tables", "program": "its figures", "row": "A-37", "decision": "its figures"},
]  # fmt: skip
