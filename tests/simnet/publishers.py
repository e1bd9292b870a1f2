"""The publishers of the universe: real hosts and address patterns, invented journals.

`doi` and the addresses are templates; `{n}` is the eight-digit number of the article (unique in the universe),
`{year}` its year. Hosts and patterns are facts about the real sites; everything a page says is made here.
"""

import re
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

Vocabulary = Literal["citation", "eprints", "bepress", "dc", "og", "twitter", "meta"]
"""The seven vocabularies of meta tags (chapter 11), in the order in which they are read."""


class Publisher(NamedTuple):
    """One publisher's site.

    `page` and `pdf` are paths on `host`; `hop` is a path there too that only redirects to `page` (or empty). Where the
    text is not on `page` itself, `full` is the path of the page that has it.
    """

    key: str
    name: str
    host: str
    doi: str
    page: str
    pdf: str
    hop: str = ""
    full: str = ""


class Repository(NamedTuple):
    """An archive of copies: invented hosts, each speaking one vocabulary of meta tags."""

    key: str
    host: str
    page: str
    pdf: str
    vocabulary: Vocabulary


class Journal(NamedTuple):
    """One invented journal of one publisher."""

    title: str
    abbreviation: str
    issn: str
    essn: str
    nlm_id: str
    publisher: Publisher


PUBLISHERS: tuple[Publisher, ...] = (
    Publisher("plos", "Public Library of Science", "journals.plos.org", "10.1371/journal.pone.{n}", "/plosone/article?id={doi}", "/plosone/article/file?id={doi}&type=printable"),
    Publisher("bmc", "BioMed Central", "bmcbioinformatics.biomedcentral.com", "10.1186/s{n}-x", "/articles/{doi}", "/counter/pdf/{doi}", "/{doi}"),
    Publisher("springer", "Springer", "link.springer.com", "10.1007/s{n}-7", "/article/{doi}", "/content/pdf/{doi}.pdf", "/{doi}"),
    Publisher("nature", "Nature Publishing Group", "www.nature.com", "10.1038/s{n}-w", "/articles/s{n}-w", "/articles/s{n}-w.pdf"),
    Publisher("wiley", "John Wiley & Sons", "onlinelibrary.wiley.com", "10.1002/ece3.{n}", "/doi/{doi}", "/doi/pdfdirect/{doi}", "/doi/abs/{doi}", full="/doi/full/{doi}"),
    Publisher("wiley-sici", "Wiley-VCH", "febs.onlinelibrary.wiley.com", "10.1002/(SICI)1099-0690({n})7:1<1::AID-EJOC1>3.0.CO;2-A", "/doi/{doi}", "/doi/pdf/{doi}", full="/doi/full/{doi}"),
    Publisher("elsevier", "Elsevier", "www.sciencedirect.com", "10.1016/j.cell.{year}.{n}", "/science/article/pii/S{n}", "/science/article/pii/S{n}/pdfft"),
    Publisher("oup", "Oxford University Press", "academic.oup.com", "10.1093/nar/gk{n}", "/nar/article/48/W1/W1/{n}", "/nar/article-pdf/48/W1/W1/{n}.pdf", "/nar/lookup/doi/{doi}"),
    Publisher("tandf", "Taylor & Francis", "www.tandfonline.com", "10.1080/{n}.{year}.1", "/doi/full/{doi}", "/doi/pdf/{doi}"),
    Publisher("sage", "SAGE Publications", "journals.sagepub.com", "10.1177/{n}", "/doi/{doi}", "/doi/pdf/{doi}"),
    Publisher("frontiers", "Frontiers Media", "www.frontiersin.org", "10.3389/fmicb.{year}.{n}", "/articles/{doi}/full", "/articles/{doi}/pdf"),
    Publisher("mdpi", "MDPI", "www.mdpi.com", "10.3390/ijms{n}", "/1422-0067/22/1/{n}", "/1422-0067/22/1/{n}/pdf", full="/1422-0067/22/1/{n}/htm"),
    Publisher("hindawi", "Hindawi", "www.hindawi.com", "10.1155/{year}/{n}", "/journals/bmri/{year}/{n}/", "/journals/bmri/{year}/{n}.pdf"),
    Publisher("elife", "eLife Sciences Publications", "elifesciences.org", "10.7554/eLife.{n}", "/articles/{n}", "/download/{n}/article.pdf"),
    Publisher("peerj", "PeerJ", "peerj.com", "10.7717/peerj.{n}", "/articles/{n}/", "/articles/{n}.pdf"),
    Publisher("f1000", "F1000 Research", "f1000research.com", "10.12688/f1000research.{n}.1", "/articles/{n}/v1", "/articles/{n}/v1/pdf"),
    Publisher("pnas", "National Academy of Sciences", "www.pnas.org", "10.1073/pnas.{n}", "/doi/full/{doi}", "/doi/pdf/{doi}"),
    Publisher("science", "American Association for the Advancement of Science", "www.science.org", "10.1126/science.ab{n}", "/doi/{doi}", "/doi/pdf/{doi}"),
    Publisher("bmj", "BMJ Publishing Group", "www.bmj.com", "10.1136/bmj.m{n}", "/content/370/bmj.m{n}", "/content/bmj/370/bmj.m{n}.full.pdf"),
    Publisher("jama", "American Medical Association", "jamanetwork.com", "10.1001/jama.{year}.{n}", "/journals/jama/fullarticle/{n}", "/journals/jama/articlepdf/{n}/jama.pdf"),
    Publisher("nejm", "Massachusetts Medical Society", "www.nejm.org", "10.1056/NEJMoa{n}", "/doi/full/{doi}", "/doi/pdf/{doi}"),
    Publisher("cell", "Cell Press", "www.cell.com", "10.1016/j.molcel.{year}.{n}", "/molecular-cell/fulltext/S{n}", "/molecular-cell/pdf/S{n}.pdf"),
    Publisher("lancet", "The Lancet", "www.thelancet.com", "10.1016/S0140-6736(20){n}-X", "/article/S{n}/fulltext", "/action/showPdf?pii=S{n}"),
    Publisher("acs", "American Chemical Society", "pubs.acs.org", "10.1021/acs.jproteome.{n}", "/doi/{doi}", "/doi/pdf/{doi}"),
    Publisher("rsc", "Royal Society of Chemistry", "pubs.rsc.org", "10.1039/d0mb{n}a", "/en/content/articlelanding/{year}/mb/d0mb{n}a", "/en/content/articlepdf/{year}/mb/d0mb{n}a", full="/en/content/articlehtml/{year}/mb/d0mb{n}a"),
    Publisher("asm", "American Society for Microbiology", "journals.asm.org", "10.1128/mBio.{n}-20", "/doi/{doi}", "/doi/pdf/{doi}"),
    Publisher("iop", "IOP Publishing", "iopscience.iop.org", "10.1088/1361-6560/ab{n}", "/article/{doi}", "/article/{doi}/pdf", full="/article/{doi}/meta"),
    Publisher("aps", "American Physical Society", "journals.aps.org", "10.1103/PhysRevE.{n}", "/pre/abstract/{doi}", "/pre/pdf/{doi}"),
    Publisher("royal", "The Royal Society", "royalsocietypublishing.org", "10.1098/rspb.{n}", "/doi/{doi}", "/doi/pdf/{doi}"),
    Publisher("cup", "Cambridge University Press", "www.cambridge.org", "10.1017/S{n}", "/core/journals/parasitology/article/{n}", "/core/services/aop-cambridge-core/content/view/S{n}"),
    Publisher("karger", "S. Karger", "karger.com", "10.1159/{n}", "/Article/Abstract/{n}", "/Article/Pdf/{n}"),
    Publisher("thieme", "Georg Thieme Verlag", "www.thieme-connect.com", "10.1055/s-0040-{n}", "/products/ejournals/abstract/{doi}", "/products/ejournals/pdf/{doi}.pdf"),
    Publisher("lww", "Wolters Kluwer", "journals.lww.com", "10.1097/MD.{n}", "/md-journal/Fulltext/{year}/{n}.aspx", "/md-journal/pdf/{n}.pdf"),
    Publisher("scielo", "SciELO", "www.scielo.br", "10.1590/1414-431X{n}", "/j/bjmbr/a/{n}/?lang=en", "/j/bjmbr/a/{n}/?format=pdf&lang=en"),
    Publisher("jstage", "J-STAGE", "www.jstage.jst.go.jp", "10.1292/jvms.{n}", "/article/jvms/83/1/83_{n}/_article", "/article/jvms/83/1/83_{n}/_pdf"),
    Publisher("pensoft", "Pensoft Publishers", "zookeys.pensoft.net", "10.3897/zookeys.{n}", "/article/{n}/", "/article/{n}/download/pdf/"),
    Publisher("copernicus", "Copernicus Publications", "bg.copernicus.org", "10.5194/bg-18-{n}-2021", "/articles/18/{n}/2021/", "/articles/18/{n}/2021/bg-18-{n}-2021.pdf"),
    Publisher("aacr", "American Association for Cancer Research", "aacrjournals.org", "10.1158/0008-5472.CAN-{n}", "/cancerres/article/81/1/1/{n}", "/cancerres/article-pdf/81/1/1/{n}.pdf"),
    Publisher("biorxiv", "bioRxiv", "www.biorxiv.org", "10.1101/{year}.03.04.{n}", "/content/{doi}v1", "/content/{doi}v1.full.pdf", full="/content/{doi}v1.full"),
    Publisher("zenodo", "Zenodo", "zenodo.org", "10.5281/zenodo.{n}", "/records/{n}", "/records/{n}/files/article.pdf"),
)  # fmt: skip

REPOSITORIES: tuple[Repository, ...] = (
    Repository("eprints", "eprints.uni-tartu.example", "/id/eprint/{n}/", "/{n}/1/accepted.pdf", "eprints"),
    Repository("bepress", "commons.uni-lodz.example", "/biology/{n}", "/cgi/viewcontent.cgi?article={n}", "bepress"),
    Repository("dublin", "archive.uni-kyoto.example", "/items/{n}", "/items/{n}/files/text.pdf", "dc"),
    Repository("graph", "preprints.uni-uppsala.example", "/paper/{n}", "/paper/{n}/download", "og"),
    Repository("generic", "library.uni-bogota.example", "/record/{n}", "/record/{n}/fulltext.pdf", "meta"),
    Repository("highwire", "research.uni-geneve.example", "/publication/{n}", "/publication/{n}/file", "citation"),
)  # fmt: skip

LINKING_HUB = "linkinghub.elsevier.com"
"""Where DOIs of Elsevier lead: it goes on by JavaScript alone (F-DOI-09)."""
HUBBED = ("elsevier", "cell")
"""Publishers whose DOIs lead to the hub."""
BY_JAVASCRIPT = ("elsevier",)
"""Publishers whose pages are empty before their scripts have run."""
ROBOTS = {
    "lww": "User-agent: *\nDisallow: /\n",
    "karger": "User-agent: *\nAllow: /Journal/\nDisallow: /Article/\n",
    "acs": "User-agent: *\nDisallow: /doi/pdf/\nDisallow: /action/\n",
    "asm": "User-agent: *\nDisallow: /doi/pdf/\n",
    "graph": "User-agent: *\nDisallow: /*/download\nAllow: /paper/\n",
}
"""robots.txt by key of the site; open where not listed."""
_REFUSED = {
    "lww": re.compile("/"),
    "karger": re.compile("/Article/"),
    "acs": re.compile("/doi/pdf/|/action/"),
    "asm": re.compile("/doi/pdf/"),
    "graph": re.compile("/.*/download"),
}
"""The paths that these keep from everybody, as patterns."""

BY_KEY = {publisher.key: publisher for publisher in PUBLISHERS}
BY_HOST = {publisher.host: publisher for publisher in PUBLISHERS}
REPOSITORY_BY_KEY = {repository.key: repository for repository in REPOSITORIES}
REPOSITORY_BY_HOST = {repository.host: repository for repository in REPOSITORIES}


def refuses(url: str) -> bool:
    """Whether the robots.txt of the host keeps this address from everybody."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    site = BY_HOST.get(host) or REPOSITORY_BY_HOST.get(host)
    return site is not None and site.key in _REFUSED and _REFUSED[site.key].match(parts.path) is not None


_FIELDS = (
    "Comparative Genomics",
    "Membrane Biology",
    "Clinical Measurement",
    "Field Ecology",
    "Protein Dynamics",
)
_FORMS = (
    ("Journal of {}", "J {}"),
    ("Annals of {}", "Ann {}"),
    ("{} Letters", "{} Lett"),
    ("Advances in {}", "Adv {}"),
)


def _abbreviate(field: str) -> str:
    return " ".join(word[:5].rstrip("aeiou") if len(word) > 5 else word for word in field.split())


def _journals() -> tuple[Journal, ...]:
    ordinary = [publisher for publisher in PUBLISHERS if publisher.key not in ("biorxiv", "zenodo", "f1000")]
    journals = []
    for number in range(74):
        publisher = ordinary[number % len(ordinary)]
        field = _FIELDS[number % len(_FIELDS)]
        full, short = _FORMS[(number // len(_FIELDS)) % len(_FORMS)]
        series = "" if number < 20 else f" {chr(65 + number % 6)}"
        journals.append(
            Journal(
                full.format(field) + series,
                short.format(_abbreviate(field)) + series,
                f"{1200 + number:04d}-{3000 + 7 * number:04d}",
                f"{2200 + number:04d}-{1000 + 11 * number:04d}",
                f"10{1000000 + 37 * number}",
                publisher,
            )
        )
    return tuple(journals)


JOURNALS: tuple[Journal, ...] = _journals()
F1000 = Journal("F1000Research", "F1000Res", "2046-1402", "2046-1402", "101594320", BY_KEY["f1000"])
