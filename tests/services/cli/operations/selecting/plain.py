"""Entries as plain dictionaries in the shape of chapter 18.2, and each filter over them, written from the
specification alone. Nothing here knows how filters are made in the program."""

import random
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

Plain = dict[str, Any]

LADDER = [
    "europepmc",
    "europepmc_xml",
    "europepmc_html",
    "pubmed_xml",
    "pubmed_html",
    "pmc_xml",
    "pmc_html",
    "doi",
    "link",
    "link_oadoi",
    "citation",
    "eprints",
    "bepress",
    "link_citation",
    "link_eprints",
    "dc",
    "og",
    "twitter",
    "meta",
    "link_meta",
    "external",
    "oadoi",
    "pdf_europepmc",
    "pdf_pmc",
    "pdf_doi",
    "pdf_link",
    "pdf_oadoi",
    "pdf_citation",
    "pdf_eprints",
    "pdf_bepress",
    "pdf_meta",
    "webpage",
    "na",
]
FINAL = LADDER[:10]
PARTS = ["pmid", "pmcid", "doi", "title", "keywords", "mesh", "efo", "go", "theAbstract", "fulltext"]
MINIMUM = dict(zip(PARTS, (1, 1, 1, 4, 2, 2, 1, 1, 200, 2000), strict=True))
LISTS = ("keywords", "mesh", "efo", "go")
HOUR = 3_600_000
START = 1_700_000_000_000


def time(moment: int) -> str:
    return datetime.fromtimestamp(moment / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def publications(count: int, seed: int) -> list[Plain]:
    return [_publication(number, random.Random(1000 * seed + number)) for number in range(1, count + 1)]


def _part(name: str, chance: random.Random, content: Any) -> Plain:
    type_ = chance.choice(["europepmc", "pubmed_xml", "doi", "citation", "pdf_doi", "webpage", "oadoi"])
    member = "list" if name in LISTS else "content"
    if not content:
        return {member: content, "type": "na", "url": "", "timestamp": START}
    url = chance.choice(
        ["https://www.ebi.ac.uk/europepmc/x", "https://EUTILS.ncbi.nlm.nih.gov/y", "http://www.nature.com/z"]
    )
    return {member: content, "type": type_, "url": url, "timestamp": START + chance.randrange(6) * HOUR}


def _publication(number: int, chance: random.Random) -> Plain:
    some = chance.choice
    word = some(["genome", "Genome", "protein", ""])
    text = some(["", "short", f"{word} " * 60, f"{word} text " * 250])
    contents: Plain = {
        "pmid": str(number) if number % 4 else "",
        "pmcid": f"PMC{number}" if number % 3 else "",
        "doi": f"10.{some(['1038', '1093', '12688'])}/X.{number}" if number % 5 or not number % 12 else "",
        "title": some(["", "Abc", f"The {word} of species {number}"]),
        "keywords": [some(["genome", "cell"]) + str(n) for n in range(chance.randrange(4))],
        "mesh": [
            {"term": some(["Genome", "Humans"]) + str(n), "majorTopic": bool(n % 2), "uniqueId": ""}
            for n in range(chance.randrange(3))
        ],
        "efo": [
            {"term": some(["assay", "genome"]), "count": 2, "uri": "http://www.ebi.ac.uk/efo/1"}
            for _ in range(chance.randrange(3))
        ],
        "go": [
            {"term": "binding", "count": 1, "uri": "http://purl.obolibrary.org/obo/GO_1"}
            for _ in range(chance.randrange(2))
        ],
        "theAbstract": some([text, text[:150]]).strip(),
        "fulltext": text.strip(),
    }
    empty = number % 7 == 0
    result: Plain = {
        "fetchTime": START + chance.randrange(5) * HOUR,
        "retryCounter": chance.randrange(4),
        "fetchException": some([True, False, False]),
        "oa": some([True, False]),
        "journalTitle": some(["", "Nature", "Nature Methods", "Cell"]),
        "pubDate": some([-1, START - 10 * HOUR, START]),
        "citationsCount": some([-1, 0, 1, 5, 9]),
        "citationsTimestamp": some([-1, START, START + HOUR]),
        "correspAuthor": [
            {
                "name": some(["", "Ann Lee", "Bo Smith"]),
                "orcid": some(["", "https://orcid.org/0000-0002-1"]),
                "email": some(["", "a@ebi.ac.uk", "b@x.org"]),
                "phone": some(["", "+44 1", "+49 2"]),
                "uri": some(["", "https://lab.example/"]),
            }
            for _ in range(chance.randrange(3))
        ],
        "visitedSites": [
            {
                "url": f"https://{some(['www.nature.com', 'Academic.oup.com', 'x.org'])}/articles/{number}-{n}",
                "type": some(["doi", "link_oadoi", "pdf_doi", "link_citation", "pdf_oadoi"]),
                "from": some(["", "https://doi.org/x", "https://api.unpaywall.org/v2/x"]),
                "timestamp": START + chance.randrange(4) * HOUR,
            }
            for n in range(chance.randrange(4))
        ],
        "preprint": some([True, False, False]),
    }
    for name, content in contents.items():
        kept = content if not empty or name in PARTS[:3] else ([] if name in LISTS else "")
        result["abstract" if name == "theAbstract" else name] = _part(name, chance, kept)
    return result | _perfect(number) if number % 11 == 0 else result


def _perfect(number: int) -> Plain:
    """Ten parts that are all final."""
    term = {"term": "genome", "count": 1, "uri": "http://www.ebi.ac.uk/efo/1"}
    mesh = {"term": "Genome", "majorTopic": True, "uniqueId": "D016678"}
    contents: Plain = {
        "pmid": str(number),
        "pmcid": f"PMC{number}",
        "doi": f"10.1038/X.{number}",
        "title": "All is there",
        "keywords": ["genome", "cell"],
        "mesh": [mesh, mesh],
        "efo": [term],
        "go": [term],
        "abstract": "text " * 60,
        "fulltext": "text " * 500,
    }
    return {
        name: {
            "list" if name in LISTS else "content": content,
            "type": "europepmc",
            "url": "https://www.ebi.ac.uk/europepmc/x",
            "timestamp": START,
        }
        for name, content in contents.items()
    }


def webpages(count: int, seed: int) -> list[Plain]:
    return [_webpage(number, random.Random(7000 * seed + number)) for number in range(1, count + 1)]


def _webpage(number: int, chance: random.Random) -> Plain:
    some = chance.choice
    status = some([200, 204, 404, 503, 0])
    content = some(["", "tiny", "Download the tool. " * 20])
    return {
        "startUrl": f"{some(['http', 'https'])}://{some(['www.github.com', 'Bioconductor.org', 'x.org'])}/{number}",
        "finalUrl": some(["", f"https://github.com/docs/{number}", f"https://www.x.org/{number}"]),
        "contentType": some(["", "text/html", "application/pdf"]),
        "statusCode": status,
        "title": some(["", "A workflow", "Tools of a trade that nobody ever names aloud, at length"]),
        "content": content,
        "contentTime": START + chance.randrange(4) * HOUR,
        "license": some(["", "GPL-3.0", "MIT"]),
        "language": some(["", "Python", "Python, C"]),
        "fetchTime": START + chance.randrange(5) * HOUR,
        "retryCounter": chance.randrange(4),
        "fetchException": some([True, False, False]),
    }


# What parts and entries are (chapters 3, 4 and 13).


def part(entry: Plain, name: str) -> Plain:
    found: Plain = entry["abstract" if name == "theAbstract" else name]
    return found


def size(entry: Plain, name: str) -> int:
    return len(part(entry, name)["list" if name in LISTS else "content"])


def usable_part(entry: Plain, name: str) -> bool:
    if name == "fulltext" and part(entry, name)["type"] in ("webpage", "na"):
        return False
    return size(entry, name) >= MINIMUM[name]


def final_part(entry: Plain, name: str) -> bool:
    return part(entry, name)["type"] in FINAL and usable_part(entry, name)


def better(one: str, other: str) -> bool:
    return LADDER.index(one) < LADDER.index(other) and not (one in FINAL and other in FINAL)


def lesser(one: str, other: str) -> bool:
    return one != other and not (one in FINAL and other in FINAL) and not better(one, other)


def is_page(entry: Plain) -> bool:
    return "startUrl" in entry


def broken(page: Plain) -> bool:
    return not 200 <= page["statusCode"] <= 299 and (page["statusCode"] != 0 or page["finalUrl"] == "")


def empty(entry: Plain) -> bool:
    if is_page(entry):
        return entry["title"] == "" and entry["content"] == ""
    return all(size(entry, name) == 0 for name in PARTS[3:])


def usable(entry: Plain) -> bool:
    if is_page(entry):
        return len(entry["title"]) + len(entry["content"]) >= 50
    return any(usable_part(entry, name) for name in PARTS[3:])


def final(entry: Plain) -> bool:
    if is_page(entry):
        return not broken(entry) and usable(entry) and entry["content"] != ""
    return all(final_part(entry, name) for name in ("title", "theAbstract", "fulltext"))


def plain_texts(entry: Plain) -> str:
    if is_page(entry):
        return "\n".join((entry["startUrl"], entry["title"], entry["content"]))
    texts: list[str] = []
    for name in PARTS:
        texts += elements(entry, name)
    return "\n".join(texts)


def elements(entry: Plain, name: str) -> list[str]:
    if name not in LISTS:
        return [part(entry, name)["content"]]
    return [one if isinstance(one, str) else one["term"] for one in part(entry, name)["list"]]


def host(url: str) -> str:
    return re.sub(r"^www\.", "", (urlsplit(url).hostname or "").lower())


def ms(text: str) -> int:
    return int(datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000)


# The filters: (entry, values, parts) -> does it pass. Negative ones follow below.

Test = Callable[[Plain, list[str], list[str]], bool]

_AUTHOR = {
    f"corresp-author-{name}": (
        lambda entry, values, _, name=name: any(
            re.search(values[0], one[name]) for one in entry["correspAuthor"]
        )
    )
    for name in ("name", "orcid", "email", "phone", "uri")
}
_AUTHOR_EMPTY = {
    f"corresp-author-{name}-empty": (
        lambda entry, _, __, name=name: all(one[name] == "" for one in entry["correspAuthor"])
    )
    for name in ("name", "orcid", "email", "phone", "uri")
}


def numbers(name: str, of: Callable[[Plain], int]) -> dict[str, Test]:
    return {
        name: lambda entry, values, _: of(entry) in [int(value) for value in values],
        f"{name}-more": lambda entry, values, _: of(entry) > int(values[0]),
        f"{name}-less": lambda entry, values, _: of(entry) < int(values[0]),
    }


def times(name: str, of: Callable[[Plain], int]) -> dict[str, Test]:
    return {
        f"{name}-more": lambda entry, values, _: of(entry) >= ms(values[0]),
        f"{name}-less": lambda entry, values, _: of(entry) <= ms(values[0]),
    }


def text(name: str, member: str) -> dict[str, Test]:
    return {
        name: lambda entry, values, _: re.search(values[0], entry[member]) is not None,
        f"{name}-empty": lambda entry, _, __: entry[member] == "",
    }


def some_site(test: Callable[[Plain, list[str]], bool]) -> Test:
    return lambda entry, values, _: any(test(site, values) for site in entry["visitedSites"])


def hosts(values: list[str]) -> list[str]:
    return [re.sub(r"^www\.", "", value.lower()) for value in values]


EVERY_KIND: dict[str, Test] = {
    **times("fetch-time", lambda entry: entry["fetchTime"]),
    **numbers("retry-counter", lambda entry: entry["retryCounter"]),
    "fetch-exception": lambda entry, _, __: entry["fetchException"],
    "empty": lambda entry, _, __: empty(entry),
    "usable": lambda entry, _, __: usable(entry),
    "final": lambda entry, _, __: final(entry),
    "grep": lambda entry, values, _: re.search(values[0], plain_texts(entry)) is not None,
}

PUBLICATIONS: dict[str, Test] = {
    "totally-final": lambda entry, _, __: all(final_part(entry, name) for name in PARTS),
    "oa": lambda entry, _, __: entry["oa"],
    "preprint": lambda entry, _, __: entry["preprint"],
    **text("journal-title", "journalTitle"),
    **times("pub-date", lambda entry: entry["pubDate"]),
    **numbers("citations-count", lambda entry: entry["citationsCount"]),
    **times("citations-timestamp", lambda entry: entry["citationsTimestamp"]),
    **_AUTHOR,
    **_AUTHOR_EMPTY,
    **numbers("corresp-author-size", lambda entry: len(entry["correspAuthor"])),
    "visited": some_site(lambda site, values: re.search(values[0], site["url"]) is not None),
    "visited-host": some_site(lambda site, values: host(site["url"]) in hosts(values)),
    "visited-type": some_site(lambda site, values: site["type"] in values),
    "visited-type-more": some_site(lambda site, values: better(site["type"], values[0])),
    "visited-type-less": some_site(lambda site, values: lesser(site["type"], values[0])),
    "visited-type-final": some_site(lambda site, _: site["type"] in FINAL),
    "visited-type-pdf": some_site(lambda site, _: site["type"].startswith("pdf")),
    "visited-from": some_site(lambda site, values: re.search(values[0], site["from"]) is not None),
    "visited-from-host": some_site(lambda site, values: host(site["from"]) in hosts(values)),
    "visited-time-more": some_site(lambda site, values: site["timestamp"] >= ms(values[0])),
    "visited-time-less": some_site(lambda site, values: site["timestamp"] <= ms(values[0])),
    **numbers("visited-size", lambda entry: len(entry["visitedSites"])),
}

OF_A_PART: dict[str, Callable[[Plain, str, list[str]], bool]] = {
    "part-empty": lambda entry, name, _: size(entry, name) == 0,
    "part-usable": lambda entry, name, _: usable_part(entry, name),
    "part-final": lambda entry, name, _: final_part(entry, name),
    "part-content": lambda entry, name, values: any(
        re.search(values[0], one) for one in elements(entry, name)
    ),
    "part-size": lambda entry, name, values: size(entry, name) in [int(value) for value in values],
    "part-size-more": lambda entry, name, values: size(entry, name) > int(values[0]),
    "part-size-less": lambda entry, name, values: size(entry, name) < int(values[0]),
    "part-type": lambda entry, name, values: part(entry, name)["type"] in values,
    "part-type-more": lambda entry, name, values: better(part(entry, name)["type"], values[0]),
    "part-type-less": lambda entry, name, values: lesser(part(entry, name)["type"], values[0]),
    "part-type-final": lambda entry, name, _: part(entry, name)["type"] in FINAL,
    "part-type-pdf": lambda entry, name, _: part(entry, name)["type"].startswith("pdf"),
    "part-url": lambda entry, name, values: re.search(values[0], part(entry, name)["url"]) is not None,
    "part-url-host": lambda entry, name, values: host(part(entry, name)["url"]) in hosts(values),
    "part-time-more": lambda entry, name, values: part(entry, name)["timestamp"] >= ms(values[0]),
    "part-time-less": lambda entry, name, values: part(entry, name)["timestamp"] <= ms(values[0]),
}

PAGES: dict[str, Test] = {
    "broken": lambda page, _, __: broken(page),
    **{"start-url": text("start-url", "startUrl")["start-url"]},
    "start-url-host": lambda page, values, _: host(page["startUrl"]) in hosts(values),
    **text("final-url", "finalUrl"),
    "final-url-host": lambda page, values, _: host(page["finalUrl"]) in hosts(values),
    **text("content-type", "contentType"),
    **numbers("status-code", lambda page: page["statusCode"]),
    "title": text("title", "title")["title"],
    **numbers("title-size", lambda page: len(page["title"])),
    "content": text("content", "content")["content"],
    **numbers("content-size", lambda page: len(page["content"])),
    **times("content-time", lambda page: page["contentTime"]),
    **text("license", "license"),
    **text("language", "language"),
    "has-scrape": lambda page, _, __: host(page["finalUrl"]) == "github.com",
}


def passes(name: str, entry: Plain, values: list[str], parts: list[str]) -> bool:
    """Whether an entry passes a filter, by its option without dashes. Those of other kinds pass (17.10)."""
    positive = name.removeprefix("not-")
    if positive in OF_A_PART:
        if is_page(entry):
            return True
        wanted = positive == name
        return all(OF_A_PART[positive](entry, part_, values) is wanted for part_ in parts)
    if (positive in PUBLICATIONS and is_page(entry)) or (positive in PAGES and not is_page(entry)):
        return True
    test = (EVERY_KIND | PUBLICATIONS | PAGES)[positive]
    return bool(test(entry, values, parts)) is (positive == name)
