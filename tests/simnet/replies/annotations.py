"""Replies of the Annotations API (annotationsByArticleIds) and of its predecessor (textMinedTerms).

The XML form was seen with type Accession Numbers only; the same shape is used here for Experimental Methods and
Gene Ontology, as the documentation says.
"""

import json
from typing import Any
from xml.sax.saxutils import escape

from simnet import content
from simnet.content import MinedTerm
from simnet.draw import digest
from simnet.facts import Publication

EFO_TYPE, GO_TYPE = "Experimental Methods", "Gene Ontology"
OTHER_TYPES = {
    "Chemicals": ("Europe PMC", 56, "http://purl.obolibrary.org/obo/CHEBI_"),
    "Gene_Proteins": ("Europe PMC", 27, "https://www.uniprot.org/uniprotkb/P"),
    "Diseases": ("Europe PMC", 18, "http://linkedlifedata.com/resource/umls-concept/C"),
    "Organisms": ("Europe PMC", 8, "http://identifiers.org/taxonomy/"),
    "Anatomy": ("PheneBank", 4, "http://browser.ihtsdotools.org/?perspective=full&conceptId1="),
    "Organ Tissue": ("OntoGene", 3, "http://purl.obolibrary.org/obo/UBERON_"),
    "Resources": ("Europe PMC", 2, "https://identifiers.org/MIR:"),
}
"""Types that nobody here asks for: provider, annotations of an article (as recorded of an open one), addresses."""
_SECTIONS = (
    ("Abstract", "http://purl.org/dc/terms/abstract"),
    ("Introduction", "http://purl.org/orb/Introduction"),
    ("Methods", "http://purl.org/orb/Methods"),
    ("Results", "http://purl.org/orb/Results"),
    ("Discussion", "http://purl.org/orb/Discussion"),
)
Item = dict[str, Any]


def item(publication: Publication, asked: str, types: list[str]) -> Item | None:
    """What the service knows of one article, asked as `PMC:PMC123` or `MED:123`; nothing without annotations.

    No types means all types, which for an open article is 25 times what is asked for.
    """
    source = asked.partition(":")[0].upper()
    if publication.mined_under not in (source, "both"):
        return None
    annotations: list[Item] = []
    wanted = [kind.lower() for kind in types]
    if not wanted or EFO_TYPE.lower() in wanted:
        annotations += _annotations(publication, EFO_TYPE, content.efo_of(publication), "Metagenomics")
    if not wanted or GO_TYPE.lower() in wanted:
        annotations += _annotations(publication, GO_TYPE, content.go_of(publication), "Europe PMC")
    if not wanted or "accession numbers" in wanted:
        annotations += _accessions(publication)
    for kind, (provider, count, uri) in OTHER_TYPES.items():
        if not wanted or kind.lower() in wanted:
            annotations += _others(publication, kind, provider, count, uri)
    if not annotations:
        return None
    found: Item = {"source": "MED" if publication.ids.pmid else "PMC"}
    found["extId"] = publication.ids.pmid or publication.ids.pmcid
    if publication.ids.pmcid:
        found["pmcid"] = publication.ids.pmcid
    found["annotations"] = annotations
    return found


def _annotations(
    publication: Publication, kind: str, terms: tuple[MinedTerm, ...], provider: str
) -> list[Item]:
    found = []
    for number, term in enumerate(terms):
        for spelling, count in term.spellings:
            for copy in range(1 if term.frequency else count):
                section, uri = _SECTIONS[(publication.index + number + copy) % len(_SECTIONS)]
                one: Item = {}
                if section != "Abstract":
                    one["prefix"] = "samples were analysed by "
                one |= {"exact": spelling}
                if section != "Abstract":
                    one["postfix"] = " as described "
                one["tags"] = [{"name": term.name, "uri": term.uri}]
                if copy % 3 == 2:
                    one["tags"].append({"name": "thing", "uri": "http://www.w3.org/2002/07/owl#Thing"})
                one["id"] = (
                    f"http://europepmc.org/article/MED/{publication.index}#europepmc-"
                    f"{digest(publication.seed, publication.index, kind, spelling, copy):032x}"
                )
                one |= {"type": kind, "section": f"{section} ({uri})", "provider": provider}
                if term.frequency:
                    one["frequency"] = count
                if kind == GO_TYPE:
                    one["subType"] = "biological_process"
                found.append(one)
    # What a careful reader drops: no ontology address, no text, a count of nothing.
    if publication.index % 9 == 0:
        found.append(
            {"exact": "nameless method", "tags": [], "id": "http://europepmc.org/none", "type": kind}
        )
    if publication.index % 9 == 1:
        found.append(
            {
                "exact": "",
                "tags": [{"name": "x", "uri": "http://www.ebi.ac.uk/efo/EFO_0000001"}],
                "type": kind,
            }
        )
    if publication.index % 9 == 2:
        tags = [{"name": "y", "uri": "http://www.ebi.ac.uk/efo/EFO_0000002"}]
        found.append({"exact": "never", "tags": tags, "frequency": 0, "type": kind})
    return found


def _others(publication: Publication, kind: str, provider: str, count: int, uri: str) -> list[Item]:
    found = []
    for number in range(count):
        section, address = _SECTIONS[number % len(_SECTIONS)]
        name = f"{kind.split('_')[0].lower()} {number}"
        found.append(
            {
                "prefix": "or patients with the ",
                "exact": name,
                "postfix": " in a design for a",
                "tags": [{"name": name, "uri": f"{uri}{7 * number + 1000}"}],
                "id": f"http://europepmc.org/article/MED/{publication.index}#{provider.lower().replace(' ', '')}-"
                f"{digest(publication.seed, publication.index, kind, number):032x}",
                "type": kind,
                "section": f"{section} ({address})",
                "provider": provider,
            }
        )
    return found


def _accessions(publication: Publication) -> list[Item]:
    section, uri = _SECTIONS[2]
    return [
        {
            "prefix": "deposited as ",
            "exact": "1lml",
            "postfix": " in the archive",
            "tags": [{"name": "1lml", "uri": "http://identifiers.org/pdb/1lml"}],
            "id": f"http://europepmc.org/articles/{publication.ids.pmcid}#europepmc-{publication.index:032x}",
            "type": "Accession Numbers",
            "section": f"{section} ({uri})",
            "provider": "Europe PMC",
            "subType": "PDBe",
        }
    ]


def reply_json(items: list[Item]) -> bytes:
    """A bare array, as the service sends it."""
    return json.dumps(items, ensure_ascii=False, separators=(",", ":")).encode()


def reply_xml(items: list[Item]) -> bytes:
    """`List/item/annotations/annotation`, no declaration."""
    return f"<List>{''.join(_item_xml(item) for item in items)}</List>".encode()


def _item_xml(item: Item) -> str:
    head = "".join(f"<{name}>{item[name]}</{name}>" for name in ("source", "extId", "pmcid") if name in item)
    return (
        f"<item>{head}<annotations>{''.join(map(_annotation_xml, item['annotations']))}</annotations></item>"
    )


def _annotation_xml(annotation: Item) -> str:
    parts = []
    for name, value in annotation.items():
        if name == "tags":
            tags = (
                f"<tag><name>{escape(t['name'])}</name><uri>{escape(t['uri'])}</uri></tag>" for t in value
            )
            parts.append(f"<tags>{''.join(tags)}</tags>")
        else:
            parts.append(f"<{name}>{escape(str(value))}</{name}>")
    return f"<annotation>{''.join(parts)}</annotation>"


def text_mined_terms(publication: Publication | None, source: str, record_id: str, kind: str) -> bytes:
    """The older summary: `responseWrapper/semanticTypeList/semanticType/tmSummary` (from the documentation).

    :param kind: `EFO` or `GO_TERM`
    """
    known = publication is not None and publication.mined_under in (source, "both")
    terms = (content.efo_of if kind == "EFO" else content.go_of)(publication) if known and publication else ()
    shown = []
    for term in terms:
        number = term.uri.rsplit("/", 1)[-1]
        if kind == "EFO" and not number.startswith("EFO_"):
            continue
        db_id = number if kind == "EFO" else number.replace("GO_", "GO:")
        others = "".join(
            f"<altName>{escape(name)}</altName>" for name, _ in term.spellings if name != term.term
        )
        alternatives = f"<altNameList>{others}</altNameList>" if others else ""
        shown.append(
            f"<tmSummary><term>{escape(term.term)}</term><count>{term.total}</count>{alternatives}"
            f"<dbName>{'efo' if kind == 'EFO' else 'GO'}</dbName><dbIdList><dbId>{db_id}</dbId></dbIdList></tmSummary>"
        )
    body = ""
    if shown:
        body = (
            f"<semanticTypeList><semanticType><name>{kind}</name><total>{len(shown)}</total>{''.join(shown)}"
            "</semanticType></semanticTypeList>"
        )
    return (
        '<?xml version="1.0" encoding="UTF-8" standalone="yes"?><responseWrapper><version>6.9</version>'
        f"<hitCount>{len(shown)}</hitCount><request><id>{record_id}</id><source>{source}</source>"
        f"<semanticType>{kind}</semanticType><page>1</page><pageSize>25</pageSize></request>{body}</responseWrapper>"
    ).encode()
