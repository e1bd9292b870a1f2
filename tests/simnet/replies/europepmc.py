"""Europe PMC search replies (version 6.9): XML and JSON, core, lite and idlist.

The record is made once as plain Python values in the JSON key order of the real service; the XML form is the
same tree with the element names that the XML has (ISSN, ESSN, NLMid, ISOAbbreviation as in replies of 2015-19).
Texts are HTML inside a string: real `<i>` in JSON, escaped once in XML.
"""

import json
from base64 import b64encode
from typing import Any
from urllib.parse import quote
from xml.sax.saxutils import escape

from simnet import content
from simnet.draw import draw
from simnet.facts import Publication, Record

_XML_NAMES = {"issn": "ISSN", "essn": "ESSN", "nlmid": "NLMid", "isoabbreviation": "ISOAbbreviation"}
_LISTS = {
    "fullTextIdList": "fullTextId",
    "authorIdList": "authorId",
    "dataLinksTagsList": "dataLinkstag",
    "tmAccessionTypeList": "accessionType",
    "pubTypeList": "pubType",
    "keywordList": "keyword",
}

Value = dict[str, Any]


def _flag(value: bool) -> str:
    return "Y" if value else "N"


_TITLE_PREFIXES = {"retracted": "RETRACTED: ", "erratum": "Correction: ", "retraction-notice": "Retraction: "}
_PARTNER_PREFIXES = {
    "retracted": "Retraction: ",
    "has-erratum": "Erratum: ",
    "concern": "Expression of concern: ",
    "has-preprint": "",
    "preprint-of": "",
    "erratum": "",
    "retraction-notice": "RETRACTED: ",
}
"""Title of the record at the other end of a relation, by the notice of the publication."""


def title_text(publication: Publication, record: Record) -> str:
    """The title as this record says it: markup real or escaped, a full stop unless it is a preprint."""
    prefix = _TITLE_PREFIXES.get(publication.notice, "")
    if record.twin:
        prefix = _PARTNER_PREFIXES.get(publication.notice, "Comment on: ")
    title = content.title_of(publication, prefix)
    text = title.html
    if content.title_is_escaped(publication) and title.html != title.plain:
        text = title.html.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text if record.source == "PPR" else text + "."


def abstract_html(publication: Publication, record: Record) -> str:
    """The abstract with `<h4>` headings, bare comparison signs and inline tags, as Europe PMC keeps it."""
    parts = content.abstract_of(publication, record.abstract)
    return "".join(
        (f"<h4>{part.label}</h4>" if part.label else "")
        + " ".join(sentence.html for sentence in part.sentences)
        for part in parts
    )


_RELATIONS = {
    "retracted": ("Retraction in", "Retraction of"),
    "retraction-notice": ("Retraction of", "Retraction in"),
    "erratum": ("Erratum for", "Erratum in"),
    "has-erratum": ("Erratum in", "Erratum for"),
    "concern": ("Expression of concern in", "Expression of concern for"),
    "has-preprint": ("Preprint in", "Preprint of"),
    "preprint-of": ("Preprint of", "Preprint in"),
}
"""Notice of the publication → the word its record has for the partner, and the partner's for it."""


def relation(publication: Publication, record: Record) -> list[Value]:
    """The comments and corrections of a record, as Europe PMC says them; each end names the other."""
    if publication.notice not in _RELATIONS:
        return []
    kind = _RELATIONS[publication.notice][1 if record.twin else 0]
    partner = next(other for other in publication.records if other.twin != record.twin)
    found: Value = {"id": partner.id, "source": partner.source}
    preprint = "Preprint" in kind
    if partner.source != "PPR":
        found["reference"] = f"{publication.journal.abbreviation}. {publication.year + 1} Feb;12(3):101-109"
    found["type"] = kind
    if preprint:
        found["note"] = "CrossRef Pre-print loader"
    found["orderIn"] = 10001 if preprint else 1
    return [found]


def partner_id(publication: Publication) -> str:
    """The identifier of the notice, article or preprint that a publication is related to."""
    return next((record.id for record in publication.records if record.twin), "")


def publication_types(publication: Publication, record: Record) -> list[str]:
    """Publication types as Europe PMC lists them."""
    if record.source == "PPR":
        return ["Preprint"]
    own = {
        "retracted": "Retracted Publication",
        "retraction-notice": "Retraction of Publication",
        "erratum": "Published Erratum",
    }
    others = {
        "retracted": "Retraction of Publication",
        "retraction-notice": "Retracted Publication",
        "has-erratum": "Published Erratum",
    }
    name = (others if record.twin else own).get(publication.notice)
    extra = [name] if name else []
    return (
        [*extra, "research-article", "Journal Article"] if record.ids.pmcid else [*extra, "Journal Article"]
    )


def core(publication: Publication, record: Record) -> Value:
    """One result of a core reply."""
    ids, journal = record.ids, publication.journal
    rng = draw(publication.seed, "record", publication.index)
    authors = content.authors_of(publication)
    department, institution, country = content.affiliation_of(publication)
    affiliation = f"{department}, {institution}, {country}."
    full_text = bool(ids.pmcid) or record.source == "PPR"
    found: Value = {"id": record.id, "source": record.source}
    if ids.pmid:
        found["pmid"] = ids.pmid
    if ids.pmcid:
        found["pmcid"] = ids.pmcid
    if full_text:
        found["fullTextIdList"] = {"fullTextId": [ids.pmcid or record.id]}
    if ids.doi:
        found["doi"] = ids.doi.lower() if publication.index % 2 else ids.doi
    found["title"] = title_text(publication, record)
    found["authorString"] = ", ".join(author.short for author in authors) + "."
    found["authorList"] = {"author": [_author(author, affiliation) for author in authors]}
    if publication.index % 23 == 0:
        found["authorList"]["author"].append({"collectiveName": "The Field Study Group"})
    orcids = sorted(author.orcid for author in authors if author.orcid)
    if orcids:
        found["authorIdList"] = {"authorId": [{"type": "ORCID", "value": orcid} for orcid in orcids]}
    if rng.random() < 0.2:
        found["dataLinksTagsList"] = {"dataLinkstag": ["altmetrics", "supporting_data"]}
    if record.source != "PPR":
        found["journalInfo"] = {
            **({"issue": str(1 + publication.index % 12)} if rng.random() < 0.8 else {}),
            "volume": str(1 + publication.year - 1990),
            "journalIssueId": 3_000_000 + publication.index,
            "dateOfPublication": f"{publication.year} Jul"
            if publication.index % 3
            else f"{publication.year} ",
            "monthOfPublication": 7 if publication.index % 3 else 0,
            "yearOfPublication": publication.year,
            "printPublicationDate": f"{publication.year}-{7 if publication.index % 3 else 1:02d}-01",
            "journal": {
                "title": journal.title,
                "medlineAbbreviation": journal.abbreviation,
                "isoabbreviation": journal.abbreviation,
                "issn": journal.issn,
                "nlmid": journal.nlm_id,
                "essn": journal.essn,
            },
        }
    found["pubYear"] = str(publication.year)
    if record.source != "PPR":
        found["pageInfo"] = f"{100 + publication.index % 800}-{110 + publication.index % 800}"
    abstract = abstract_html(publication, record)
    if abstract:
        found["abstractText"] = abstract
    found["affiliation"] = affiliation
    if record.source != "PPR":
        found["publicationStatus"] = "ppublish"
        found["language"] = "fre" if publication.translated else "eng"
        found["pubModel"] = "Print-Electronic"
    found["pubTypeList"] = {"pubType": publication_types(publication, record)}
    if record.source == "PPR":
        found["bookOrReportDetails"] = {"publisher": "bioRxiv", "yearOfPublication": publication.year}
    elif publication.kind == "book":
        found["bookOrReportDetails"] = {
            "publisher": "University of Washington, Seattle",
            "yearOfPublication": publication.year,
        }
    if rng.random() < 0.25:
        found["grantsList"] = {
            "grant": [
                {
                    "grantId": f"EMBO-{publication.index}",
                    "agency": "Ministry of Trade &amp; Measurement",
                    "orderIn": 0,
                },
                {"agency": "Wellcome Trust", "orderIn": 0},
            ]
        }
    if record.mesh:
        found["meshHeadingList"] = {"meshHeading": [_mesh(term) for term in content.mesh_of(publication)]}
    if record.keywords:
        found["keywordList"] = {"keyword": list(content.keywords_of(publication, record.keywords))}
    if record.mesh and rng.random() < 0.4:
        found["chemicalList"] = {"chemical": [{"name": "Hydrogen Sulfide", "registryNumber": "YY9FVM7NSN"}]}
    if record.source == "MED":
        found["subsetList"] = {"subset": [{"code": "IM", "name": "Index Medicus"}]}
    found["fullTextUrlList"] = {"fullTextUrl": _urls(publication, record)}
    related = relation(publication, record)
    if related:
        found["commentCorrectionList"] = {"commentCorrection": related}
    found |= _flags(publication, record)
    found |= {
        "dateOfCompletion": f"{publication.year}-12-01",
        "dateOfCreation": publication.date,
        "firstIndexDate": publication.date,
        "dateOfRevision": f"{publication.year + 1}-01-15",
        "electronicPublicationDate": publication.date,
        "firstPublicationDate": publication.date,
    }
    if full_text:
        found["fullTextReceivedDate"] = f"{publication.year}-12-24"
    if publication.index % 5 == 0:
        del found["dateOfCompletion"]
    return found


def _author(author: content.Author, affiliation: str) -> Value:
    mail = f" Electronic address: {author.email}." if author.email else ""
    found: Value = {
        "fullName": author.short,
        "firstName": author.given,
        "lastName": author.surname,
        "initials": author.initials,
    }
    if author.orcid:
        found["authorId"] = {"type": "ORCID", "value": author.orcid}
    found["authorAffiliationDetailsList"] = {"authorAffiliation": [{"affiliation": affiliation + mail}]}
    return found


def _mesh(term: content.MeshTerm) -> Value:
    found: Value = {"majorTopic_YN": _flag(term.major), "descriptorName": term.term}
    if term.qualifiers:
        found["meshQualifierList"] = {
            "meshQualifier": [
                {"abbreviation": short, "qualifierName": name, "majorTopic_YN": _flag(major)}
                for name, short, _, major in term.qualifiers
            ]
        }
    return found


def _urls(publication: Publication, record: Record) -> list[Value]:
    def url(availability: str, code: str, style: str, site: str, address: str) -> Value:
        return {
            "availability": availability,
            "availabilityCode": code,
            "documentStyle": style,
            "site": site,
            "url": address,
        }

    urls = []
    if record.ids.doi:
        urls.append(url("Subscription required", "S", "doi", "DOI", f"https://doi.org/{record.ids.doi}"))
    if record.ids.pmcid:
        open_access = ("Open access", "OA") if record.open_access else ("Free", "F")
        base = f"https://europepmc.org/articles/{record.ids.pmcid}"
        urls.append(url(*open_access, "html", "Europe_PMC", base))
        if publication.index % 5:
            urls.append(url(*open_access, "pdf", "Europe_PMC", base + "?pdf=render"))
    return urls or [url("Free", "F", "html", "Unpaywall", f"https://repository.example/{publication.index}")]


def _flags(publication: Publication, record: Record) -> Value:
    in_pmc = bool(record.ids.pmcid)
    flags: Value = {
        "isOpenAccess": _flag(record.open_access),
        "inEPMC": _flag(in_pmc),
        "inPMC": _flag(in_pmc),
        "hasPDF": _flag(in_pmc and publication.index % 5 > 0),
        "hasBook": _flag(publication.kind == "book"),
        "hasSuppl": "N",
        "citedByCount": publication.citations,
        "hasData": "N",
        "hasReferences": _flag(in_pmc),
        "hasTextMinedTerms": _flag(record.mined),
        "hasDbCrossReferences": "N",
        "hasLabsLinks": _flag(publication.index % 2 == 0),
        "hasEvaluations": "N",
    }
    if record.open_access:
        flags["license"] = ("cc by", "cc by-nc", "cc0")[publication.index % 3]
    flags |= {
        "authMan": _flag(record.manuscript),
        "epmcAuthMan": "N",
        "nihAuthMan": _flag(record.manuscript),
        "hasTMAccessionNumbers": _flag(publication.index % 5 == 1),
    }
    if publication.index % 5 == 1:
        flags["tmAccessionTypeList"] = {"accessionType": ["pdb", "gen"]}
    if record.manuscript:
        flags["manuscriptId"] = f"NIHMS{100000 + publication.index}"
    return flags


def lite(publication: Publication, record: Record) -> Value:
    """One result of a lite reply."""
    ids, journal = record.ids, publication.journal
    found: Value = {"id": record.id, "source": record.source}
    found |= {name: value for name, value in (("pmid", ids.pmid), ("pmcid", ids.pmcid)) if value}
    if ids.pmcid:
        found["fullTextIdList"] = {"fullTextId": [ids.pmcid]}
    if ids.doi:
        found["doi"] = ids.doi.lower() if publication.index % 2 else ids.doi
    found["title"] = title_text(publication, record)
    found["authorString"] = ", ".join(author.short for author in content.authors_of(publication)) + "."
    if record.source != "PPR":
        found |= {
            "journalTitle": journal.abbreviation,
            "issue": str(1 + publication.index % 12),
            "journalVolume": str(1 + publication.year - 1990),
        }
    found["pubYear"] = str(publication.year)
    if record.source != "PPR":
        found["journalIssn"] = f"{journal.issn.lower()}; {journal.essn.lower()}; "
    found["pubType"] = "; ".join(kind.lower() for kind in publication_types(publication, record))
    flags = _flags(publication, record)
    for name in (
        "isOpenAccess",
        "inEPMC",
        "inPMC",
        "hasPDF",
        "hasBook",
        "hasSuppl",
        "citedByCount",
        "hasReferences",
    ):
        found[name] = flags[name]
    for name in ("hasTextMinedTerms", "hasDbCrossReferences", "hasLabsLinks", "hasTMAccessionNumbers"):
        found[name] = flags[name]
    found |= {"firstIndexDate": publication.date, "firstPublicationDate": publication.date}
    return found


def idlist(record: Record) -> Value:
    """One result of an idlist reply."""
    ids = record.ids
    found: Value = {"id": record.id, "source": record.source}
    found |= {name: value for name, value in (("pmid", ids.pmid), ("pmcid", ids.pmcid)) if value}
    return found


def reply_json(envelope: Value, results: list[Value]) -> bytes:
    """The whole JSON reply."""
    body = {**envelope, "resultList": {"result": results}}
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


def reply_xml(envelope: Value, results: list[Value]) -> bytes:
    """The whole XML reply, without line breaks as the service sends it."""
    head = (
        '<?xml version="1.0" encoding="UTF-8" standalone="yes"?><responseWrapper '
        'xmlns:slx="http://www.scholix.org" xmlns:epmc="https://www.europepmc.org/data">'
    )
    body = "".join(_element(name, value) for name, value in envelope.items())
    found = "".join(_element("result", result) for result in results)
    return f"{head}{body}<resultList>{found}</resultList></responseWrapper>".encode()


def _element(name: str, value: Any) -> str:
    name = _XML_NAMES.get(name, name)
    if isinstance(value, dict):
        if name == "authorId":
            return f'<authorId type="{value["type"]}">{value["value"]}</authorId>'
        return f"<{name}>{''.join(_element(key, child) for key, child in value.items())}</{name}>"
    if isinstance(value, list):
        return "".join(_element(name, child) for child in value)
    if isinstance(value, bool):
        value = "true" if value else "false"
    return f"<{name}>{escape(str(value))}</{name}>"


def envelope(
    query: str, hits: int, result_type: str, cursor: str, page_size: int, following: str, get: bool
) -> Value:
    """What stands before the results. `following` is the next cursor, empty on the last page."""
    found: Value = {"version": "6.9", "hitCount": hits}
    if following:
        found["nextCursorMark"] = following
        if get:
            found["nextPageUrl"] = (
                "https://www.ebi.ac.uk/europepmc/webservices/rest/search?query="
                f"{quote(query)}&cursorMark={quote(following)}&resultType={result_type}"
            )
    found["request"] = {
        "queryString": query,
        "resultType": result_type,
        "cursorMark": cursor,
        "pageSize": page_size,
        "sort": "",
        "synonym": False,
    }
    return found


def cursor_of(offset: int) -> str:
    """An opaque cursor for an offset."""
    return b64encode(f"AoIIP{offset}".encode()).decode()
