"""A web of a few addresses as the fetcher would bring them, and the embedded system over it.

The rows of the specification's table are tried on it: what is asked, in which order, and what the record is then.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import unquote, urljoin, urlsplit

import msgspec

from pubweave.adapters.sqlite.storage import SqliteStorage
from pubweave.contract.exchange import Reply
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.values import Identifiers, Link, RunSettings
from pubweave.contract.vocabulary import PartName, ResourceName
from pubweave.core.reading.rules import RuleBook, RuleFile, load_rules
from pubweave.core.record import Record
from pubweave.core.toolkit.service import Context
from pubweave.doors.fetcher.bodies import is_pdf_type, judged
from pubweave.doors.fetcher.outcomes import CASES, case_of_status, flags
from pubweave.doors.pdf_reader import PdfReader
from pubweave.ports import Clock
from pubweave.runtimes.doors import Doors, Rendering
from pubweave.runtimes.embedded.jobs import Finished, JobSettings, Line
from pubweave.runtimes.embedded.system import EmbeddedSystem

DOI = "10.5555/X"
RESOLVER = f"https://doi.org/{DOI}"
PAGE = "https://site.example/a/1"
UNPAYWALL = f"https://api.unpaywall.org/v2/{DOI}"
FETCHED_AT = 1_700_000_000_000

SENTENCE = "Nests above the water of the lake were counted every week, and every week there were a few more of them. "
BODY = "".join(
    f"<h2>{name}</h2><p>{SENTENCE * 6}</p><p>{SENTENCE * 6}</p>" for name in ("Methods", "Results")
)
ABSTRACT = SENTENCE * 3
RULES = """
^https?://(www\\.)?site\\.example/: Site
---
Site:
  pmid: .pmid
  doi: .doi
  title: h1
  keywords: .kw
  abstract: .abs
  fulltext: .body p
  fulltext_a: a.full
  pdf_a: a.pdf
  corresp_author_names: .name
  corresp_author_emails: a.mail
---
- site\\.example/scripted/
"""


def rules(text: str = RULES) -> RuleBook:
    return load_rules([RuleFile("journals", "rules.yaml", text)])


def page(
    *,
    title: str = "Nests above water",
    abstract: str = ABSTRACT,
    body: str = BODY * 2,
    more: str = "",
    head: str = "",
    doi: str = DOI,
) -> str:
    """An article's page in the shape of `RULES`; what is empty is not on it."""
    shown = f"<h1>{title}</h1>" if title else ""
    shown += f"<h2>Abstract</h2><p class=abs>{abstract}</p>" if abstract else ""
    shown += f"<div class=body>{body}</div>" if body else ""
    return (
        f"<html><head><title>{title} | Site</title>{head}</head>"
        f"<body><main>{shown}{more}<p>https://doi.org/{doi}</p></main></body></html>"
    )


@dataclass(frozen=True)
class To:
    """A redirect."""

    url: str
    status: int = 302


@dataclass(frozen=True)
class Case:
    """A failure: a row of the fetcher's table."""

    name: str


@dataclass(frozen=True)
class Body:
    """Any content."""

    content: bytes
    type: str


@dataclass
class Internet:
    """Addresses, and what is there: HTML, a redirect, a failure, other content; anything else is 404."""

    there: dict[str, str | To | Case | Body]
    asked: list[str] = field(default_factory=list)
    """Every request, redirects too, without query where that holds an e-mail address."""
    wanted: list[ReplyWanted] = field(default_factory=list)

    async def fetch(self, wanted: ReplyWanted) -> Reply:
        self.wanted.append(wanted)
        request, url = wanted.request, wanted.request.url
        for _ in range(10):
            shown = url.partition("?email=")[0]
            self.asked.append(shown)
            found = self.there.get(unquote(shown)) or _empty_answer(url)
            if isinstance(found, To) and request.follow_redirects:
                url = urljoin(url, found.url)
                continue
            return _reply(wanted, url, found)
        return _reply(wanted, url, Case("redirect-loop"))

    def hosts(self) -> list[str]:
        """The hosts asked, in order, each time."""
        return [urlsplit(url).hostname or "" for url in self.asked]

    def count(self, url: str) -> int:
        return self.asked.count(url)


def _empty_answer(url: str) -> str | Case | Body:
    """The APIs know nothing unless a test says so."""
    host = urlsplit(url).hostname
    if host == "www.ebi.ac.uk":
        return Body(
            b"<responseWrapper><hitCount>0</hitCount><resultList/></responseWrapper>", "application/xml"
        )
    if host == "eutils.ncbi.nlm.nih.gov":
        return Body(b"<PubmedArticleSet/>" if "pubmed" in url else b"<pmc-articleset/>", "text/xml")
    return Case("absent")


def _reply(wanted: ReplyWanted, url: str, found: str | To | Case | Body) -> Reply:
    base = Reply(outcome="found", url=wanted.request.url, final_url=url, status=200, fetched_at=FETCHED_AT)
    if isinstance(found, To):
        return msgspec.structs.replace(base, status=found.status, headers=(("location", found.url),))
    if isinstance(found, Case):
        case = CASES[found.name]
        publication, web = flags(case, url)
        status = next(
            (code for code in range(400, 600) if case_of_status(code, {}, url, follow=True) is case), 0
        )
        return msgspec.structs.replace(
            base, outcome=case.outcome, status=status, final_url=url if status else "",
            fetch_exception=publication, web_fetch_exception=web, evidence=case.seen,
        )  # fmt: skip
    content = found if isinstance(found, Body) else Body(found.encode(), "text/html; charset=utf-8")
    case, evidence = judged(wanted.request.expect, content.type, content.content)
    assert case.name != "pdf-instead" or is_pdf_type(content.type)
    return msgspec.structs.replace(
        base, outcome=case.outcome, content_type=content.type, body=content.content, evidence=evidence
    )


def search_result(**fields: str) -> Body:
    """Europe PMC's answer with one record."""
    shown = "".join(f"<{name}>{value}</{name}>" for name, value in {"source": "MED", **fields}.items())
    return Body(
        f"<responseWrapper><hitCount>1</hitCount><resultList><result>{shown}</result></resultList></responseWrapper>".encode(),
        "application/xml",
    )


def search_for(query: str) -> str:
    """The address of Europe PMC's single question."""
    return f"https://www.ebi.ac.uk/europepmc/webservices/rest/search?resulttype=core&format=xml&query={query}"


@dataclass
class Ran:
    """What came of one line."""

    finished: Finished
    record: Record
    outcomes: dict[str, list[str]]
    """Need outcomes by resource, in order of their places."""


async def fetched(
    internet: Internet,
    identifiers: Identifiers | None = None,
    *,
    parts: tuple[PartName, ...] | None = None,
    links: Iterable[Link] = (),
    context: Context | None = None,
    renderer: Rendering | None = None,
    resources: Iterable[ResourceName] | None = None,
    clock: Clock | None = None,
) -> Ran:
    """Fetch one publication with the real resources, the real PDF reader and this internet."""
    from pubweave.runtimes.rows import load_state

    context = context or Context(rules=rules(), unpaywall_email="ada@lake.example")
    storage = SqliteStorage.in_memory()
    settings = RunSettings(parts=parts) if parts is not None else RunSettings()
    try:
        async with PdfReader() as reader:
            doors = Doors(internet, reader, renderer)
            async with EmbeddedSystem.over(
                storage, doors, context, resources=resources, second_chance=False, clock=clock
            ) as system:
                line = Line(1, identifiers or Identifiers(doi=DOI), links=tuple(links))
                (finished,) = [one async for one in system.run_job([line], JobSettings(settings=settings))]
        assert finished.record is not None
        state = await load_state(storage.store, finished.record.publication)
        outcomes: dict[str, list[str]] = {}
        for need in sorted(state.sent.values(), key=lambda need: need.place):
            done = state.answers[need.need].done
            outcomes.setdefault(need.resource, []).append(done.outcome if done is not None else "")
        return Ran(finished, finished.record, outcomes)
    finally:
        await storage.close()
