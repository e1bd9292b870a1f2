"""The oracle: the sequential chain of the specification as a plain loop, written from its text alone.

Imports nothing of the project but its data types. It asks one resource after the other, fills parts as it
goes, and knows nothing of places, folds or events.
"""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from flow.worlds import Known, World, named_in

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
FINAL_TYPES = set(LADDER[:10])
IDS = ("pmid", "pmcid", "doi")
ARTICLE = ("pmid", "pmcid", "doi", "title", "keywords", "theAbstract", "fulltext")
PARTS = (*IDS, "title", "keywords", "mesh", "efo", "go", "theAbstract", "fulltext")


def better(one: str, other: str) -> bool:
    if one in FINAL_TYPES and other in FINAL_TYPES:
        return False
    return LADDER.index(one) < LADDER.index(other)


def version_of(longer: str, shorter: str) -> bool:
    rest = longer[len(shorter) :]
    return longer.startswith(shorter) and len(rest) > 1 and rest[0] in "._-" and rest[1:].isdigit()


@dataclass
class Filled:
    type: str = "na"
    size: int = 0
    value: str = ""
    by: str = ""
    capped: bool = False


@dataclass
class Publication:
    parts: dict[str, Filled] = field(default_factory=lambda: {part: Filled() for part in PARTS})
    oa: bool = False
    journal: str = ""
    author: str = ""
    author_gives_way: bool = False
    visited: list[str] = field(default_factory=list)
    exception: bool = False


class Oracle:
    def __init__(self, world: World, max_links: int = 10) -> None:
        self.max_links = max_links
        self.begin(world)
        self.pub = Publication()
        self.asks: list[tuple[str, str, str]] = []
        self.branches: set[str] = set()

    def begin(self, world: World) -> None:
        """What is asked for from now on, and what the resources answer."""
        self.world = world
        self.wants = set(world.settings.parts)
        self.limits = world.settings.thresholds

    # what is there

    def usable(self, part: str) -> bool:
        filled = self.pub.parts[part]
        if part == "fulltext" and filled.type in ("webpage", "na"):
            return False
        least = {
            "title": self.limits.titleMinLength,
            "keywords": self.limits.keywordsMinSize,
            "mesh": self.limits.keywordsMinSize,
            "efo": self.limits.minedTermsMinSize,
            "go": self.limits.minedTermsMinSize,
            "theAbstract": self.limits.abstractMinLength,
            "fulltext": self.limits.fulltextMinLength,
        }.get(part, 1)
        return filled.size >= least

    def is_final(self, part: str) -> bool:
        filled = self.pub.parts[part]
        return filled.type in FINAL_TYPES and self.usable(part) and not filled.capped

    def all_final(self, *parts: str) -> bool:
        return all(self.is_final(part) for part in parts if part in self.wants)

    def id(self, kind: str) -> str:
        return self.pub.parts[kind].value

    def ids(self) -> dict[str, str]:
        return {kind: self.id(kind) for kind in IDS}

    # filling

    def fill(self, by: str, part: str, type_: str, content: int | str, marks: tuple[str, ...]) -> None:
        old = self.pub.parts[part]
        if self.is_final(part):
            return
        if "if-better-type" in marks and not better(type_, old.type):
            self.branches.add("F-META-05")
            return
        if part in IDS:
            assert isinstance(content, str)
            if "unless-external" in marks:
                self.branches.add("F-LNK-04 known" if old.value else "F-LNK-04 taken")
                if old.value:
                    return
            if better(type_, old.type):
                keep = old.value and (
                    "variant-of-known" in marks
                    or version_of(old.value, content)
                    or version_of(content, old.value)
                    or (
                        part == "doi"
                        and old.value.startswith("10.12688/F1000RESEARCH.")
                        and content.startswith("10.12688/F1000RESEARCH.")
                    )
                )
                if keep and old.value != content:
                    self.branches.add("F-ID-41")
                self.pub.parts[part] = Filled(type_, 1, old.value if keep else content, by)
            return
        if part not in self.wants:
            return
        size = int(content)
        capped = "never-final" in marks
        both_final = type_ in FINAL_TYPES and old.type in FINAL_TYPES
        if old.size and capped and not old.capped and old.type != "webpage":
            return
        if part == "fulltext" and size < 1000 <= old.size:
            self.branches.add("no-text")
            return
        stands_for_none = part == "fulltext" and 0 < old.size < 1000 <= size and "if-better-type" not in marks
        if stands_for_none and not capped:
            self.branches.add("has-body")
            self.pub.parts[part] = Filled(type_, size, "", by, capped)
            return
        if old.capped and not capped and type_ != "webpage" and size > old.size:
            self.branches.add("has-body")
            self.pub.parts[part] = Filled(type_, size, "", by, capped)
            return
        if better(type_, old.type) or (both_final and (size > old.size or (old.capped and not capped))):
            if both_final and size > old.size:
                self.branches.add("F-FILL-04")
            self.pub.parts[part] = Filled(type_, size, "", by, capped)

    def take(self, by: str, known: Known) -> None:
        self.pub.exception = self.pub.exception or known.fetch_exception
        for address in known.tried:
            self.tried.add(site(address))
        for part, type_, content, marks in known.parts:
            self.fill(by, part, type_, content, marks)
        self.pub.oa = self.pub.oa or known.oa
        self.pub.journal = self.pub.journal or known.journal
        better = self.pub.author_gives_way and not known.author_mark
        if known.author and (better or not self.pub.author):
            self.branches.add("F-CA-09" if better else "F-CA-07")
            self.pub.author = known.author
            self.pub.author_gives_way = known.author_mark == "until-better"
        if known.visited and site(known.visited) not in map(site, self.pub.visited):
            self.pub.visited.append(known.visited)
        for gate, is_open in known.gates.items():
            self.gates.setdefault(gate, is_open)
        for address, type_ in known.links:
            self.collect(address, type_)
            for kind, value in named_in(address):
                self.fill(by, kind, type_, value, ("unless-external",))

    def ask(self, resource: str, kind: str, value: str) -> Known:
        self.asks.append((resource, kind, value))
        known = self.world.answer(resource, kind, value)
        if resource == "doi":
            self.branches.add("F-DOI-01" if known.success else "F-DOI-01 leads nowhere")
            text_wanted = "fulltext" in self.wants and not self.is_final("fulltext")
            if not text_wanted and host(known.visited) in map(host, self.pub.visited):
                self.branches.add("F-DOI-08")
                return Known(outcome="skipped", success=False)
        self.take(resource.partition(":")[0], known)
        return known

    def ask_by(self, resource: str, *kinds: str) -> None:
        """Ask with the first identifier that was not tried, until one succeeds."""
        while resource not in self.done:
            untried = [
                (kind, self.id(kind))
                for kind in kinds
                if self.id(kind) and (resource, kind, self.id(kind)) not in self.asked
            ]
            if not untried or self.skip(resource):
                return
            kind, value = untried[0]
            self.asked.add((resource, kind, value))
            if self.ask(resource, kind, value).success:
                self.done.add(resource)

    # the chain

    def skip(self, resource: str) -> bool:
        oa_enough = self.pub.oa or "fulltext" not in self.wants
        match resource:
            case "europepmc":
                return self.all_final(*PARTS) and oa_enough
            case "europepmc_fulltext":
                return not self.gates.get("isOpenAccess") or self.all_final(
                    "pmid", "doi", "title", "keywords", "theAbstract", "fulltext"
                )
            case "europepmc_mined:efo":
                return not self.gates.get("hasTextMinedTerms") or self.all_final("efo")
            case "europepmc_mined:go":
                return not self.gates.get("hasTextMinedTerms") or self.all_final("go")
            case "pubmed_xml":
                return self.all_final("pmid", "pmcid", "doi", "title", "mesh", "theAbstract")
            case "pubmed_html":
                return self.all_final("title", "theAbstract")
            case "unpaywall":
                lacks_id = self.wants <= set(IDS) and not self.all_final(*IDS)
                return self.all_final("title", "theAbstract", "fulltext") and oa_enough and not lacks_id
            case _:
                return self.all_final(*ARTICLE)

    def one_pass(self) -> None:
        self.ask_by("europepmc", "pmid", "pmcid", "doi")
        self.ask_by("europepmc_fulltext", "pmcid")
        self.ask_by("europepmc_mined:efo", "pmcid", "pmid")
        self.ask_by("europepmc_mined:go", "pmcid", "pmid")
        self.ask_by("pubmed_xml", "pmid")
        self.ask_by("pubmed_html", "pmid")
        self.ask_by("pmc", "pmcid")
        self.ask_by("doi", "doi")
        self.ask_by("unpaywall", "doi")

    def run(self) -> Publication:
        """One fetch of the publication; a second call is a second fetch of what is there then."""
        for kind, value in self.world.supplied.known():
            if better("external", self.pub.parts[kind].type):
                self.pub.parts[kind] = Filled("external", 1, value, "")
        self.pub.exception = False
        restarts = 0
        while self.generation():
            restarts += 1
            self.branches.add("F-CHG-01")
            kept = {kind: self.pub.parts[kind] for kind in IDS}
            exception = self.pub.exception
            self.pub = Publication()
            self.pub.parts.update(kept)
            self.pub.exception = exception
            if restarts == 10:
                break
        return self.pub

    def generation(self) -> bool:
        """Fetch until nothing is left; True if an identifier changed and all must begin anew."""
        self.gates: dict[str, bool] = {}
        self.done: set[str] = set()
        self.asked: set[tuple[str, str, str]] = set()
        self.links: list[tuple[str, str]] = []
        self.tried: set[tuple[str, str, str]] = set()
        self.followed = 0
        before = self.ids()
        again = True
        while True:
            if again:
                self.one_pass()
            else:
                link = self.next_link()
                if link is None:
                    return False
                self.follow(*link)
            after = self.ids()
            if any(value and after[kind] != value for kind, value in before.items()):
                return True
            again = sum(map(bool, after.values())) > sum(map(bool, before.values()))
            if again:
                self.branches.add("F-CHAIN-04")
            before = after

    # links

    def collect(self, address: str, type_: str) -> None:
        try:
            scheme = urlsplit(address).scheme
        except ValueError:
            scheme = ""
        if scheme not in ("http", "https", "ftp"):
            self.branches.add("F-LNK-03 malformed")
            return
        if host(address) in ("doi.org", "dx.doi.org"):
            self.branches.add("F-LNK-03 DOI")
            return
        if host(address) in PMC_FAMILY:
            self.branches.add("F-LNK-03 PMC family")
            return
        if site(address) in self.tried:
            self.branches.add("F-LNK-03 tried")
            return
        for index, (known, known_type) in enumerate(self.links):
            if site(known) == site(address):
                if not better(type_, known_type):
                    self.branches.add("F-LNK-03 listed")
                    return
                self.branches.add("F-LNK-05")
                del self.links[index]
                break
        rank = -1 if type_ in FINAL_TYPES else LADDER.index(type_)
        place = 0
        while place < len(self.links):
            other = self.links[place][1]
            if (-1 if other in FINAL_TYPES else LADDER.index(other)) > rank:
                break
            place += 1
        if place < len(self.links):
            self.branches.add("F-LNK-06")
        self.links.insert(place, (address, type_))

    def next_link(self) -> tuple[str, str] | None:
        four = [part for part in ("title", "keywords", "theAbstract", "fulltext") if part in self.wants]
        while self.links:
            address, type_ = self.links[0]
            if self.followed >= self.max_links:
                self.branches.add("F-LNK-10")
                break
            if self.all_final(*(IDS if self.wants <= set(IDS) else four)):
                self.branches.add("F-NEED-12")
                break
            if four:
                filled = [self.pub.parts[part] for part in four]
                worst = max(("na" if part.capped else part.type for part in filled), key=LADDER.index)
                if not better(type_, worst):
                    self.branches.add("F-LNK-07")
                    break
            self.links.pop(0)
            self.tried.add(site(address))
            if type_.startswith("pdf_"):
                useless = self.all_final("fulltext")
            else:
                useless = self.all_final(
                    *(part for part in ARTICLE if part != "keywords" or type_ != "link_oadoi")
                )
            if useless:
                self.branches.add("F-NEED-11" if type_.startswith("pdf_") else "F-NEED-10")
                continue
            self.followed += 1
            return address, type_
        self.links = []
        return None

    def follow(self, address: str, type_: str) -> None:
        self.branches.add("F-LNK-09" if type_.startswith("pdf_") else "F-LNK-08")
        self.ask("pdf" if type_.startswith("pdf_") else "links", f"link:{type_}", address)


PMC_FAMILY = (
    "europepmc.org",
    "ncbi.nlm.nih.gov",
    "pmc.ncbi.nlm.nih.gov",
    "pubmed.ncbi.nlm.nih.gov",
    "pubmedcentralcanada.ca",
)


def host(address: str) -> str:
    return (urlsplit(address).hostname or "").removeprefix("www.")


def site(address: str) -> tuple[str, str, str]:
    split = urlsplit(address)
    return split.netloc, split.path, split.query
