"""The recorded pages of publishers, Unpaywall's records and the DOI resolver's answers, beside the replies of the interfaces,
as one door: what was recorded is answered at the address it has, all else is not there.

`python -m e2e.recorded_web [N]` (in tests/) fetches every DOI that leads to one of them through the whole chain and prints
what came of each, and the first words of N records, to be compared with the pages by eye.
"""

import asyncio
import gzip
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import msgspec
from selectolax.lexbor import LexborHTMLParser

from e2e.recorded import Recorded
from pubweave.adapters.rule_files import load_rule_book
from pubweave.adapters.sqlite import SqliteStorage
from pubweave.contract.exchange import Reply
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.values import Identifiers, Thresholds
from pubweave.contract.vocabulary import PART_NAMES
from pubweave.core.record import is_final
from pubweave.core.toolkit.service import Context
from pubweave.doors.pdf_reader import PdfReader
from pubweave.resources.pubmed_html.reading import NoRecordPage
from pubweave.resources.pubmed_html.reading import read_page as read_pubmed_page
from pubweave.runtimes.doors import Doors
from pubweave.runtimes.embedded.explain import explain
from pubweave.runtimes.embedded.jobs import Finished, Line
from pubweave.runtimes.embedded.system import EmbeddedSystem
from shared_data import shared_data

LABELS = Path(__file__).resolve().parents[1] / "core" / "reading" / "recorded_pages.tsv"
_SAYS_ITS_ADDRESS = (
    ("link[rel=canonical]", "href"),
    ('meta[property="og:url"]', "content"),
    ("meta[name=citation_fulltext_html_url]", "content"),
    ("meta[name=citation_public_url]", "content"),
    ("meta[name=citation_abstract_html_url]", "content"),
)
WALLED = {"10.1080/23311932.2015.1117749": "cloudflare__TFOnline_23311932.2015.1117749.html"}
"""DOI → the wall that was recorded where it leads."""


ADDRESSES = {
    "10.1038/NMAT2493": "http://www.nature.com/nmat/journal/v8/n8/full/nmat2493.html",
    "10.1038/NMETH0408-293": "http://www.nature.com/nmeth/journal/v5/n4/full/nmeth0408-293.html",
    "10.1038/NNANO.2014.93": "http://www.nature.com/nnano/journal/v9/n8/full/nnano.2014.93.html",
    "10.1038/SREP01011": "http://www.nature.com/srep/2012/121218/srep01011/full/srep01011.html",
    "10.1038/SREP01041": "http://www.nature.com/srep/2013/130108/srep01041/full/srep01041.html",
    "10.1186/1746-6148-10-144": "http://www.biomedcentral.com/1746-6148/10/144",
    "10.1371/JOURNAL.PBIO.0000021": "http://www.plosbiology.org/article/info%3Adoi%2F10.1371%2Fjournal.pbio.0000021",
    "10.1371/JOURNAL.PBIO.1001461": "http://www.plosbiology.org/article/info%3Adoi%2F10.1371%2Fjournal.pbio.1001461",
    "10.5061/DRYAD.18": "http://datadryad.org/resource/doi:10.5061/dryad.18",
    "10.5061/DRYAD.7898": "http://datadryad.org/resource/doi:10.5061/dryad.7898",
    "10.5194/ACP-15-1013-2015": "http://www.atmos-chem-phys.net/15/1013/2015/acp-15-1013-2015.html",
}
"""DOI → where its page was, for saved pages that do not say it themselves."""
ADDRESSES_BY_NAME = {
    "apa__arc0000029": "https://psycnet.apa.org/fulltext/2016-30455-001.html",
    "copernicus__biogenic": "http://www.atmos-chem-phys.net/13/1689/2013/acp-13-1689-2013.html",
    "dlib__dlib_05vanhyning": "http://www.dlib.org/dlib/may17/vanhyning/05vanhyning.html",
    "ieee__ieee-explore": "http://ieeexplore.ieee.org/xpls/abs_all.jsp?arnumber=793383",
    "lingbuzz__Lingbuzz_008324": "https://ling.auf.net/lingbuzz/008324",
    "pos__PoS_LATTICE_2013_001": "https://pos.sissa.it/187/001/",
    "usenix__USENIX_bulekov": "https://www.usenix.org/conference/usenixsecurity22/presentation/bulekov",
    "usenix__USENIX_goyal": "https://www.usenix.org/conference/nsdi22/presentation/goyal",
}
"""The same for pages that no recorded DOI leads to, by the name of the file."""


class Page(msgspec.Struct, frozen=True):
    """A recorded page: what a person says it is, where it is, its bytes."""

    name: str
    label: str
    url: str
    body: bytes
    status: int = 200


class RecordedWeb(Recorded):
    """An index of the recorded pages by DOI and address, and a door over it."""

    def __init__(self) -> None:
        super().__init__()
        self.rules = load_rule_book()
        self.pages: dict[str, Page] = {}
        """By normalised DOI."""
        lines = [line.split("\t") for line in LABELS.read_text().splitlines() if not line.startswith("#")]
        labels = {line[0].rsplit("/", 1)[-1]: line for line in lines}
        for path in sorted(shared_data("publisher-html").glob("*.html")):
            body = path.read_bytes()
            _, label, _, doi, *_ = labels.get(path.name, ("", "", "", ""))
            doi = doi.upper()
            if doi and doi not in self.pages:
                self.pages[doi] = Page(path.stem, label, self._address(body, doi), body)
        for doi, name in WALLED.items():
            body = shared_data("http-errors", name).read_bytes()
            self.pages[doi] = Page(name, "bot-wall", f"https://www.tandfonline.com/doi/full/{doi}", body, 403)
        self.by_address = {_folded(page.url): page for page in self.pages.values()}
        self.without_doi = list(self._without_doi())
        self.by_address |= {_folded(page.url): page for page in self.without_doi}
        self.old_pages = dict(self._old_pages())
        self.pages_of_pmc = dict(self._pages_of_pmc())
        self.unpaywall: dict[str, bytes] = {}
        for path in sorted(shared_data("unpaywall").glob("unpaywall_*10.*.json")):
            record = json.loads(path.read_bytes())
            if "oa_locations" in record:
                self.unpaywall[record["doi"].upper()] = path.read_bytes()
        for path in sorted(shared_data("unpaywall").glob("unpaywall_search_*.json")):
            for found in json.loads(path.read_bytes())["results"]:
                self.unpaywall.setdefault(
                    found["response"]["doi"].upper(), json.dumps(found["response"]).encode()
                )
        self.unknown = {
            path.stem.split("_", 1)[1].rsplit("_", 1)[0].replace("_", "/").upper(): path.read_bytes()
            for path in sorted(shared_data("doi-org").glob("*_404.html"))
        }

    def _old_pages(self) -> Iterator[tuple[str, bytes]]:
        """Pages of PubMed and Europe PMC by PMID or PMCID."""
        paths = [
            *sorted(shared_data("html-pubmed-pmc-epmc").glob("*.html")),
            *sorted(shared_data("publisher-html").glob("pubmed__*.html")),
        ]
        for path in paths:
            body = path.read_bytes()
            if path.stem.startswith("europepmc__"):
                yield path.stem.removeprefix("europepmc__"), body
                continue
            try:
                yield read_pubmed_page(body).pmid, body
            except NoRecordPage:
                continue

    def _pages_of_pmc(self) -> Iterator[tuple[str, bytes]]:
        """Pages of PMC by the PMCID that stands in their addresses; its page of waiting is none."""
        paths = [
            *shared_data("html-pubmed-pmc-epmc").glob("*_pmc_*.html"),
            *shared_data("publisher-html").glob("pmc__*"),
        ]
        for path in sorted(paths):
            body = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            tree = LexborHTMLParser(body)
            said = [
                node.attributes.get(name) or ""
                for selector, name in _SAYS_ITS_ADDRESS
                for node in tree.css(selector)
            ]
            named = next((found[0] for url in said if (found := re.search(r"PMC\d+", url))), "")
            if named:
                yield named, body

    def _without_doi(self) -> Iterator[Page]:
        """Pages that no DOI leads to and whose address our rules know; one an address."""
        named = {page.name for page in self.pages.values()}
        taken = set(self.by_address)
        for path in sorted(shared_data("publisher-html").glob("*.html")):
            body = path.read_bytes()
            url = ADDRESSES_BY_NAME.get(path.stem) or self._address(body, path.stem)
            known = self.rules.site_for(url).site is not None
            if path.stem not in named and known and _folded(url) not in taken:
                taken.add(_folded(url))
                yield Page(path.stem, "", url, body)

    def _address(self, body: bytes, doi: str) -> str:
        """Where the page says that it is, best an address that our rules know."""
        tree = LexborHTMLParser(body)
        said = [
            url
            for selector, attribute in _SAYS_ITS_ADDRESS
            for node in tree.css(selector)
            if (url := (node.attributes.get(attribute) or "").strip()).startswith("http")
        ]
        known = [url for url in said if self.rules.site_for(url).site is not None]
        elsewhere = [ADDRESSES[doi]] if doi in ADDRESSES else [f"https://page.example/{doi}"]
        return (known or said or elsewhere)[0]

    def lines(self) -> list[Line]:
        """Every DOI that leads to a recorded page, record or 404."""
        dois = dict.fromkeys([*self.pages, *self.unpaywall, *self.unknown])
        return [Line(number, Identifiers(doi=doi)) for number, doi in enumerate(dois, start=1)]

    async def fetch(self, wanted: ReplyWanted) -> Reply:
        request = wanted.request
        parts = urlsplit(request.url)
        reply = Reply(outcome="found", url=request.url, final_url=request.url, status=200, fetched_at=1)
        absent = msgspec.structs.replace(reply, outcome="absent", status=404)
        if parts.hostname == "doi.org":
            page = self.pages.get(unquote(parts.path).lstrip("/").upper())
            if page is None:
                return absent
            return msgspec.structs.replace(reply, status=302, headers=(("location", page.url),))
        if parts.hostname == "api.unpaywall.org":
            record = self.unpaywall.get(unquote(parts.path).removeprefix("/v2/").upper())
            return (
                absent
                if record is None
                else msgspec.structs.replace(reply, body=record, content_type="application/json")
            )
        of_pmc = re.search(r"/pmc/articles/(PMC\d+)/?$", parts.path)
        if of_pmc is not None and (body := self.pages_of_pmc.get(of_pmc[1])):
            return msgspec.structs.replace(reply, body=body, content_type="text/html")
        if body := self.old_pages.get(parts.query.removeprefix("term=") or parts.path.rpartition("/")[2]):
            return msgspec.structs.replace(reply, body=body, content_type="text/html")
        if page := self.by_address.get(_folded(request.url)):
            return msgspec.structs.replace(
                reply,
                outcome="found" if page.status < 400 else "blocked",
                status=page.status,
                body=page.body,
                content_type="text/html",
            )
        return await super().fetch(wanted)


def _folded(url: str) -> str:
    return re.sub(r"^https?://(www\.)?", "", url).lower()


class Came(msgspec.Struct, frozen=True):
    """What came of one DOI: its record, and how each page resource ended."""

    done: Finished
    page: Page | None
    outcomes: tuple[tuple[str, str, str], ...]
    """(resource, outcome, evidence)"""

    def type_of(self, part: str) -> str:
        assert self.done.record is not None
        return self.done.record.part(part).type  # type: ignore[arg-type]

    def is_final(self, part: str) -> bool:
        assert self.done.record is not None
        return is_final(part, self.done.record.part(part), Thresholds())  # type: ignore[arg-type]


async def fetch_all(web: RecordedWeb) -> list[Came]:
    """One job over everything, through the whole chain."""
    storage = SqliteStorage.in_memory()
    context = Context(unpaywall_email="ada@lake.example", rules=web.rules)
    came = []
    async with PdfReader() as pdf_reader:
        system = EmbeddedSystem.over(storage, Doors(web, pdf_reader), context, second_chance=False)
        async with system:
            done = sorted([one async for one in system.run_job(web.lines())], key=lambda one: one.line)
            for line, one in zip(web.lines(), done, strict=True):
                told = await explain(storage.store, storage.blobs, line.identifiers.doi)
                ended = () if told is None else told.needs
                came.append(
                    Came(
                        one,
                        web.pages.get(line.identifiers.doi),
                        tuple((need.resource, need.outcome, need.evidence) for need in ended),
                    )
                )
    await storage.close()
    return came


def table(came: list[Came]) -> list[str]:
    """One line a recorded page: what it is, how its DOI ended, which part has which type and size."""
    lines = []
    for one in came:
        record = one.done.record
        if one.page is None or record is None:
            continue
        ended = next((outcome for resource, outcome, _ in one.outcomes if resource == "doi"), "not asked")
        parts = [
            f"{name} {part.type}{'' if is_final(name, part, Thresholds()) else '?'} {part.size}"
            for name in PART_NAMES[3:]
            for part in [record.part(name)]
            if not part.is_empty
        ]
        lines.append(f"{one.page.name[:44]:44} {one.page.label:13} {ended:13} {' | '.join(parts)}")
    return lines


def main() -> None:
    web = RecordedWeb()
    came = asyncio.run(fetch_all(web))
    print("\n".join(table(came)))
    print(Counter((resource, outcome) for one in came for resource, outcome, _ in one.outcomes))
    with_page = [one for one in came if one.page is not None and one.done.record is not None]
    for one in with_page[:: max(1, len(with_page) // int(sys.argv[1]))] if len(sys.argv) > 1 else []:
        record, page = one.done.record, one.page
        assert record is not None
        assert page is not None
        print(f"\n== {page.name} ({page.label}) {page.url}\n{record.identifiers.known()}")
        print(f"  title    {record.title.text!r} [{record.title.type}]")
        print(f"  keywords {record.keywords.words} [{record.keywords.type}]")
        print(
            f"  abstract {record.theAbstract.text[:250]!r} … {record.theAbstract.text[-120:]!r} [{record.theAbstract.type}]"
        )
        text = record.fulltext.text
        print(f"  text     {len(text)}: {text[:200]!r} … {text[-200:]!r} [{record.fulltext.type}]")
        print(f"  authors  {record.corresp_author}")
        print(
            f"  ended    {[(resource, outcome) for resource, outcome, _ in one.outcomes if resource in ('doi', 'links', 'pdf', 'unpaywall')]}"
        )


if __name__ == "__main__":
    main()
