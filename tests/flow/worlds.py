"""Small worlds: one publication, and what every resource would answer about it. Pure and seeded.

A world says for (resource, identifier kind, value) - or (resource, "link", address) - what is found there.
Wrong, late and contradicting identifiers, short and long contents, failures and links are common in it, so
that every branch of the chain is taken often.
"""

import random
from dataclasses import dataclass, field

from pubweave.contract.exchange import Reply, Request, Work
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.values import (
    CorrespAuthor,
    Identifiers,
    Link,
    MeshTerm,
    MinedTerm,
    RunSettings,
    Thresholds,
    VisitedSite,
)
from pubweave.contract.vocabulary import CONTENT_PARTS, PART_NAMES, RESOURCE_NAMES
from pubweave.core.politeness import host_of
from pubweave.core.toolkit.answering import NeedAnswer, wanted
from pubweave.core.toolkit.service import Batching, Context, Said, Service

THRESHOLDS = Thresholds(abstractMinLength=20, fulltextMinLength=50)
"""Small, so that contents can be."""

CHAIN_RESOURCES = (
    "europepmc",
    "europepmc_fulltext",
    "europepmc_mined",
    "pubmed_xml",
    "pubmed_html",
    "pmc",
    "doi",
    "unpaywall",
    "links",
    "pdf",
)


@dataclass
class Known:
    """What one resource answers to one question. Contents are given by their sizes."""

    outcome: str = "found"
    success: bool = True
    fetch_exception: bool = False
    parts: list[tuple[str, str, int | str, tuple[str, ...]]] = field(default_factory=list)
    """(part, type, size or identifier, marks), in order."""
    oa: bool = False
    journal: str = ""
    gates: dict[str, bool] = field(default_factory=dict)
    links: list[tuple[str, str]] = field(default_factory=list)
    """(address, type)."""
    visited: str = ""
    """The page's address; for a DOI, the one it leads to."""
    tried: tuple[str, ...] = ()
    author: str = ""
    author_mark: str = ""


@dataclass
class World:
    seed: int
    supplied: Identifiers
    settings: RunSettings
    known: dict[tuple[str, str, str], Known]

    def answer(self, resource: str, kind: str, value: str) -> Known:
        return self.known.get((resource, kind, value), Known(outcome="absent", success=False))


def text_of(resource: str, part: str, size: int) -> str:
    """A content of this size that tells who gave it."""
    return (f"{resource}-{part}-" * (size // 4 + 1))[:size]


def arbitrary_world(seed: int) -> World:
    rng = random.Random(seed)
    doi = rng.choice(["10.1/A", "10.1/A", "10.12688/F1000RESEARCH.1.1", ""])
    true = {
        "pmid": rng.choice(["11", "11", "11", ""]),
        "pmcid": rng.choice(["PMC21", "PMC21", ""]),
        "doi": doi,
    }
    if not any(true.values()):
        true["pmid"] = "11"
    wrong = {
        "pmid": "12",
        "pmcid": "PMC22",
        "doi": rng.choice(["10.1/B", (doi or "10.1/A") + ".2", "10.1/A-3"]),
    }
    known: dict[tuple[str, str, str], Known] = {}

    def identifiers(type_: str, chance: float) -> list[tuple[str, str, int | str, tuple[str, ...]]]:
        found: list[tuple[str, str, int | str, tuple[str, ...]]] = []
        for kind in ("pmid", "pmcid", "doi"):
            if rng.random() < chance:
                value = wrong[kind] if rng.random() < 0.15 else true[kind]
                if value:
                    found.append((kind, type_, value, ()))
        return found

    def contents(type_: str, parts: tuple[str, ...]) -> list[tuple[str, str, int | str, tuple[str, ...]]]:
        found: list[tuple[str, str, int | str, tuple[str, ...]]] = []
        sizes = {"title": (0, 3, 8, 9), "theAbstract": (0, 10, 15, 30), "fulltext": (0, 30, 40, 60, 70, 1200)}
        for part in parts:
            size = rng.choice(sizes.get(part, (0, 1, 2, 3)))
            capped = part == "fulltext" and type_ in ("europepmc_xml", "pmc_xml") and rng.random() < 0.2
            if size:
                found.append((part, type_, size, ("never-final",) if capped else ()))
        return found

    def add(resource: str, kind: str, value: str, known_there: Known) -> None:
        if value:
            if rng.random() < 0.15:
                known_there = Known(outcome="unavailable", success=False, fetch_exception=rng.random() < 0.7)
            known[(resource, kind, value)] = known_there

    # What is drawn for pages and links alone does not shift the rest.
    web = random.Random(seed + 9_000_000)
    crowded = web.random() < 0.4
    addresses = [f"https://host{n}.org/page" for n in range(4)]
    files = [f"https://host{n % 4}.org/file?number={n}" for n in range(14)] if crowded else []
    odd = [
        "http://[broken",
        "javascript:void(0)",
        "https://dx.doi.org/10.1/A",
        "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC21/",
        "https://pmc.ncbi.nlm.nih.gov/articles/PMC22",
        "https://pubmed.ncbi.nlm.nih.gov/11/",
        "https://europepmc.org/abstract/MED/11",
        "https://pubmedcentralcanada.ca/pmcc/articles/PMC21",
        "https://host0.org/page#part",
        "https://host1.org/page?view=1",
        "ftp://host2.org/page",
    ]
    link_types = ("link_oadoi", "link_citation", "link_meta", "pdf_oadoi", "pdf_citation", "pdf_doi", "doi")

    def some_links(most: int) -> list[tuple[str, str]]:
        found = [
            (
                rng.choice([*addresses, "https://doi.org/10.1/A", "https://europepmc.org/articles/PMC21"]),
                rng.choice(link_types),
            )
            for _ in range(rng.randrange(most + 1))
        ]
        found += [(web.choice(odd), web.choice(link_types)) for _ in range(web.randrange(3))]
        found += [(file, web.choice(("pdf_oadoi", "pdf_citation"))) for file in files]
        web.shuffle(found)
        return found

    for kind in ("pmid", "pmcid", "doi"):
        for value in dict.fromkeys((true[kind], wrong[kind])):
            if rng.random() < 0.7:
                add(
                    "europepmc",
                    kind,
                    value,
                    Known(
                        parts=identifiers("europepmc", 0.7)
                        + contents("europepmc", ("title", "keywords", "mesh", "theAbstract")),
                        oa=rng.random() < 0.5,
                        journal=rng.choice(["", "J1"]),
                        gates={"isOpenAccess": rng.random() < 0.7, "hasTextMinedTerms": rng.random() < 0.7},
                    ),
                )
    for value in dict.fromkeys((true["pmcid"], wrong["pmcid"])):
        for resource, type_ in (("europepmc_fulltext", "europepmc_xml"), ("pmc", "pmc_xml")):
            if rng.random() < 0.7:
                add(
                    resource,
                    "pmcid",
                    value,
                    Known(
                        parts=identifiers(type_, 0.4)
                        + contents(type_, ("title", "keywords", "theAbstract", "fulltext")),
                        journal=rng.choice(["", "J2"]),
                    ),
                )
    for kind in ("pmid", "pmcid"):
        for value in dict.fromkeys((true[kind], wrong[kind])):
            for part in ("efo", "go"):
                if value and rng.random() < 0.5:
                    add(
                        f"europepmc_mined:{part}",
                        kind,
                        value,
                        Known(parts=[(part, "europepmc", rng.randrange(1, 4), ())]),
                    )
    for value in dict.fromkeys((true["pmid"], wrong["pmid"])):
        for resource in ("pubmed_xml", "pubmed_html"):
            if rng.random() < 0.7:
                add(
                    resource,
                    "pmid",
                    value,
                    Known(
                        parts=identifiers(resource, 0.6)
                        + contents(resource, ("title", "keywords", "mesh", "theAbstract")),
                    ),
                )

    def marked(
        found: list[tuple[str, str, int | str, tuple[str, ...]]],
    ) -> list[tuple[str, str, int | str, tuple[str, ...]]]:
        """As meta tags say it (F-META-05), as Zenodo says it (F-ID-41), as a page without the text says it."""
        return [
            (
                part,
                type_,
                content,
                (
                    *marks,
                    *(("if-better-type",) if web.random() < 0.3 else ()),
                    *(("variant-of-known",) if part == "doi" and web.random() < 0.2 else ()),
                    *(("never-final",) if part == "fulltext" and web.random() < 0.2 else ()),
                ),
            )
            for part, type_, content, marks in found
        ]

    def page(type_: str, address: str) -> Known:
        meta = rng.choice(["citation", "dc", "og", type_, "webpage"])
        return Known(
            author=web.choice(["", "", f"author of {address}"]),
            author_mark=("if-empty", "until-better", "")[web.randrange(3)],
            parts=marked(
                identifiers(type_, 0.3) + contents(meta, ("title", "keywords", "theAbstract", "fulltext"))
            ),
            links=some_links(3),
            visited=address,
            tried=(address,) if rng.random() < 0.5 else (),
        )

    for value in dict.fromkeys((true["doi"], wrong["doi"])):
        if rng.random() < 0.7:
            add("doi", "doi", value, page("doi", rng.choice(addresses)))
        if rng.random() < 0.7:
            add(
                "unpaywall",
                "doi",
                value,
                Known(
                    parts=[("title", "oadoi", 8, ())] * rng.randrange(2)
                    + (
                        [("pmcid", "link_oadoi", true["pmcid"], ("unless-external",))]
                        if true["pmcid"] and rng.random() < 0.4
                        else []
                    ),
                    oa=rng.random() < 0.5,
                    journal=web.choice(["", "J3"]),
                    links=some_links(4),
                ),
            )
    for file in files:
        for type_ in ("pdf_oadoi", "pdf_citation"):
            if web.random() < 0.1:
                fulltext: list[tuple[str, str, int | str, tuple[str, ...]]] = [("fulltext", type_, 60, ())]
                known[("pdf", f"link:{type_}", file)] = Known(parts=fulltext)
    for address in addresses:
        for type_ in link_types:
            if rng.random() < 0.7:
                resource = "pdf" if type_.startswith("pdf_") else "links"
                parts = (
                    contents(type_, ("title", "fulltext"))
                    if resource == "pdf"
                    else page(type_, address).parts
                )
                add(
                    resource,
                    f"link:{type_}",
                    address,
                    Known(
                        parts=parts,
                        links=some_links(2) if resource == "links" else [],
                        visited=address if resource == "links" else "",
                    ),
                )

    if all(true.values()) and web.random() < 0.5:  # all but keywords is known at once (F-NEED-10)
        everything: list[tuple[str, str, int | str, tuple[str, ...]]] = [
            *((kind, "europepmc", true[kind], ()) for kind in ("pmid", "pmcid", "doi")),
            *(("title", "europepmc", 8, ()), ("theAbstract", "europepmc", 30, ())),
            ("fulltext", "europepmc", 60, ()),
        ]
        for kind in ("pmid", "pmcid", "doi"):
            known[("europepmc", kind, true[kind])] = Known(parts=everything)
        if ("unpaywall", "doi", true["doi"]) in known:
            known["unpaywall", "doi", true["doi"]].links += [(addresses[0], "link_oadoi")]

    supplied = {
        kind: true[kind] if rng.random() < 0.8 else wrong[kind]
        for kind in ("pmid", "pmcid", "doi")
        if rng.random() < 0.5
    }
    supplied = {kind: value for kind, value in supplied.items() if value}
    if not supplied:
        kind = next(kind for kind in ("pmid", "pmcid", "doi") if true[kind])
        supplied = {kind: true[kind]}
    selection = rng.random()
    if selection < 0.6:
        parts = PART_NAMES
    elif selection < 0.75:
        parts = ("pmid", "pmcid", "doi")
    else:
        parts = tuple(part for part in PART_NAMES if rng.random() < 0.5) or CONTENT_PARTS
    return World(seed, Identifiers(**supplied), RunSettings(parts=parts, thresholds=THRESHOLDS), known)


def named_in(url: str) -> list[tuple[str, str]]:
    """The identifiers that the worlds' addresses of the PMC family name."""
    return {
        "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC21/": [("pmcid", "PMC21")],
        "https://pmc.ncbi.nlm.nih.gov/articles/PMC22": [("pmcid", "PMC22")],
        "https://pubmed.ncbi.nlm.nih.gov/11/": [("pmid", "11")],
        "https://europepmc.org/abstract/MED/11": [("pmid", "11")],
        "https://europepmc.org/articles/PMC21": [("pmcid", "PMC21")],
        "https://pubmedcentralcanada.ca/pmcc/articles/PMC21": [("pmcid", "PMC21")],
    }.get(url, [])


def question(need: NeedsPart) -> tuple[str, str, str]:
    """Under which key of a world a need's answer stands."""
    if need.link is not None:
        return (need.resource, f"link:{need.link.type}", need.link.url)
    resource = f"europepmc_mined:{need.missing[0]}" if need.resource == "europepmc_mined" else need.resource
    return (resource, need.ask or "", need.value)


def say(need: NeedsPart, known: Known, reply: Reply) -> list[Said]:
    """The answer of a world as the events of a resource service."""
    answer = NeedAnswer(need, reply)
    if need.resource == "doi" and host_of(known.visited) in need.visited_hosts:  # F-DOI-08
        return answer.done("skipped")
    for part, type_, content, marks in known.parts:
        address = f"{need.resource}:{need.value}"
        if isinstance(content, str) or part in ("title", "theAbstract", "fulltext"):
            text = content if isinstance(content, str) else text_of(need.resource, part, content)
            answer.text(part, type_, address, text, marks)  # type: ignore[arg-type]
        elif part == "keywords":
            words = tuple(f"{need.resource} {n}" for n in range(content))
            answer.keywords(type_, address, words, marks)  # type: ignore[arg-type]
        elif part == "mesh":
            answer.mesh(type_, address, tuple(MeshTerm(f"{need.resource} {n}") for n in range(content)))  # type: ignore[arg-type]
        else:
            answer.terms(part, type_, address, tuple(MinedTerm(f"t{n}", 1, f"u{n}") for n in range(content)))  # type: ignore[arg-type]
    if known.oa:
        answer.field("oa", need.resource, flag=True)
    if known.journal:
        answer.field("journalTitle", need.resource, text=known.journal)
    for gate, is_open in known.gates.items():
        answer.gate(gate, is_open)  # type: ignore[arg-type]
    if known.visited:
        type_ = need.link.type if need.link is not None else "doi"
        answer.field("visitedSite", need.resource, site=VisitedSite(url=known.visited, type=type_))
    if known.author:
        author = CorrespAuthor(name=known.author)
        marks_of_author = (known.author_mark,) if known.author_mark else ()
        answer.field("correspAuthor", need.resource, authors=(author,), marks=marks_of_author)  # type: ignore[arg-type]
    for url, type_ in known.links:
        answer.link(url, type_, need.resource)  # type: ignore[arg-type]
        for kind, value in named_in(url):
            answer.text(kind, type_, f"{need.resource}:", value, ("unless-external",))  # type: ignore[arg-type]
    return answer.done(  # type: ignore[arg-type]
        known.outcome,  # type: ignore[arg-type]
        success=known.success,
        fetch_exception=known.fetch_exception,
        tried=known.tried,
    )


def services(worlds: dict[str, World]) -> list[Service]:
    """Resource services that ask the door once per need; `worlds` by the need's publication or "" for all."""

    def service(name: str) -> Service:
        def step(work: Work, reply: Reply | None, context: Context) -> list[Said]:
            if reply is None:
                return [
                    wanted(Request(url="https://world.test/" + "/".join(question(need))), name, (need,))  # type: ignore[arg-type]
                    for need in work.needs
                ]
            (need,) = work.needs
            world = worlds.get(need.publication) or worlds[""]
            return say(need, world.answer(*question(need)), reply)

        return Service(name=name, story="A world answers.", step=step, batching=Batching())  # type: ignore[arg-type]

    return [service(name) for name in RESOURCE_NAMES if name in CHAIN_RESOURCES]


__all__ = [
    "CHAIN_RESOURCES",
    "Known",
    "Link",
    "World",
    "arbitrary_world",
    "question",
    "say",
    "services",
    "text_of",
]
