"""api.unpaywall.org/v2/<doi>: data standard 2, replies of 2025 (some values are the word "deprecated")."""

import json
from typing import Any

from simnet import content
from simnet.facts import Publication, Unpaywall


def found(publication: Publication, facts: Unpaywall, doi: str) -> bytes:
    """What Unpaywall knows of a DOI; the DOI comes back in lower case."""
    locations = [_location(place, number, publication) for number, place in enumerate(facts.locations)]
    old = publication.index % 5 == 0
    preprint = publication.kind == "preprint"
    answer: dict[str, Any] = {
        "doi": doi.lower(),
        "doi_url": f"https://doi.org/{doi.lower()}",
        "title": content.title_of(publication).plain if facts.title else None,
        "genre": "posted-content" if preprint else "journal-article",
        "is_paratext": False,
        "published_date": publication.date,
        "year": publication.year,
        "journal_name": None if preprint else publication.journal.title,
        "journal_issns": None if preprint else f"{publication.journal.issn},{publication.journal.essn}",
        "journal_issn_l": None if preprint else publication.journal.issn,
        "journal_is_oa": facts.status == "gold",
        "journal_is_in_doaj": facts.status == "gold",
        "publisher": publication.journal.publisher.name,
        "is_oa": facts.is_oa,
        "oa_status": facts.status,
        "has_repository_copy": any("pmc" in place[0].lower() for place in facts.locations),
        "best_oa_location": locations[0] if locations else None,
        "first_oa_location": locations[-1] if locations else None,
        "oa_locations": locations,
        "updated": "2025-03-01T02:38:52.695109",
        "data_standard": 2,
        "z_authors": [
            _author(author, number, old) for number, author in enumerate(content.authors_of(publication))
        ],
    }
    if not old:
        answer["oa_locations_embargoed"] = []
    return json.dumps(answer, ensure_ascii=False).encode()


def _location(place: tuple[str, str, str], number: int, publication: Publication) -> dict[str, Any]:
    url, landing, pdf = place
    repository = "pmc" in url.lower()
    return {
        "updated": "deprecated",
        "url": url,
        "url_for_pdf": pdf or None,
        "url_for_landing_page": landing or None,
        "evidence": "deprecated",
        "license": "cc-by" if publication.index % 2 else None,
        "version": "publishedVersion",
        "host_type": "repository" if repository else "publisher",
        "is_best": number == 0,
        "pmh_id": f"oai:pubmedcentral.nih.gov:{publication.index}" if repository else None,
        "endpoint_id": "ac9de7698155b820de7" if repository else None,
        "repository_institution": "National Institutes of Health" if repository else None,
        "oa_date": publication.date,
    }


def _author(author: content.Author, number: int, old: bool) -> dict[str, Any]:
    if not old:
        return {
            "author_position": "first" if number == 0 else "middle",
            "raw_author_name": f"{author.given} {author.surname}",
            "is_corresponding": bool(author.email),
            "raw_affiliation_strings": ["Department of Measurement"],
        }
    shown: dict[str, Any] = {"given": author.given, "family": author.surname}
    shown["sequence"] = "first" if number == 0 else "additional"
    if author.orcid:
        shown |= {"ORCID": f"http://orcid.org/{author.orcid}", "authenticated-orcid": False}
    shown["affiliation"] = [{"name": "Department of Measurement"}]
    return shown


def not_found(doi: str) -> bytes:
    """The body of a 404."""
    return json.dumps(
        {
            "HTTP_status_code": 404,
            "error": True,
            "message": f"'{doi}' isn't in Unpaywall. See https://support.unpaywall.org",
        }
    ).encode()


def bad_email() -> bytes:
    """The body of a 422: no usable e-mail address."""
    return json.dumps(
        {"HTTP_status_code": 422, "error": True, "message": "Email address required in API call"}
    ).encode()
