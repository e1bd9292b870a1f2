"""Pages of publishers and repositories: articles, abstracts, landing pages, walls; what each says, and its HTML.

`said` is the description that expectations are made of, `html` the bytes; a test holds them together. A page of a site
with a layout (`layouts.py`) has the site's own markup; the others differ in their meta tags.
"""

from base64 import b64encode
from dataclasses import dataclass, field, replace
from html import escape
from typing import Literal, NamedTuple

from simnet import content
from simnet.draw import draw
from simnet.facts import Page, Publication
from simnet.publishers import BY_KEY, REPOSITORY_BY_KEY, Vocabulary
from simnet.replies.layouts import LAYOUTS, Layout
from simnet.text import Markup, prose

HEADINGS = ("Introduction", "Materials and methods", "Results", "Discussion")
PARAGRAPHS = 3
"""In each section."""
TEXT_SIZE = 6000
"""About as many characters has the text of an article page; certainly more than 4,000."""
LEFT_OUT = "This entry of the list of references stands on the page only"
ADDRESSES: dict[Vocabulary, tuple[str, str]] = {
    "citation": ("link_citation", "pdf_citation"),
    "eprints": ("link_eprints", "pdf_eprints"),
    "bepress": ("na", "pdf_bepress"),
    "meta": ("link_meta", "pdf_meta"),
}
"""Types of the links of a vocabulary: to a page, to a PDF (F-META-03)."""
WRONG_KEYWORDS = {("bmc", "dc")}
WRONG_ABSTRACTS = {
    ("nature", "dc"),
    ("nature", "og"),
    ("nature", "twitter"),
    ("nature", "meta"),
    ("wiley", "og"),
    ("wiley-sici", "og"),
}
"""(site, vocabulary) whose tags are known to be wrong (F-META-08)."""


class SaidPart(NamedTuple):
    """`type` is `page` where it is that of the page itself; `source` says whose words they are."""

    part: Literal["title", "keywords", "theAbstract", "fulltext"]
    type: str
    size: int
    source: object


@dataclass
class Said:
    """What a page says, in the order of the specification: by rules, by meta tags, then without rules."""

    by_rules: bool
    ids: list[tuple[Literal["pmid", "pmcid", "doi"], str, str]] = field(default_factory=list)
    """(kind, value, type)"""
    parts: list[SaidPart] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)
    """(address, type); `page` and `pdf` are the page's own type and its PDF counterpart"""
    email: str = ""


class PageText(NamedTuple):
    """Where a text comes from, for expectations."""

    page: Page
    body: bool


def rendered(page: Page) -> Page:
    """A page as it is when its scripts have run: the article, without the tags that its head never had."""
    return replace(page, face="article", vocabularies=(), more=()) if page.face == "script" else page


def layout_of(page: Page) -> Layout | None:
    """The layout of the page's site, if it has one."""
    return LAYOUTS.get(page.site)


def has_text(page: Page, full: bool) -> bool:
    """Whether the text stands on the page (`full`: on its text page)."""
    layout = layout_of(page)
    if page.face != "article" or (layout is not None and not layout.text):
        return False
    return full or not page.full_url


def email_of(publication: Publication, page: Page) -> str:
    """The corresponding author's address, where the page says it: one in three."""
    if publication.index % 3 or page.face not in ("article", "abstract"):
        return ""
    return next(author.email for author in content.authors_of(publication) if author.email)


def said(publication: Publication, page: Page, full: bool = False) -> Said:
    """What an article, abstract or landing page says (walls say nothing). `full`: its text page."""
    layout, text = layout_of(page), has_text(page, full)
    found = Said(by_rules=layout is not None)
    email = email_of(publication, page)
    abstract = page.abstract if page.face != "landing" else "none"
    keywords = page.keywords if page.face != "landing" else 0
    if layout is not None:
        if layout.doi and page.ids.doi:
            found.ids.append(("doi", page.ids.doi, "page"))
        found.parts.append(SaidPart("title", "page", 40, "page"))
        if layout.keywords and keywords:
            found.parts.append(SaidPart("keywords", "page", keywords, keywords))
        if abstract != "none":
            found.parts.append(SaidPart("theAbstract", "page", _SIZES[abstract], abstract))
        if text:
            found.parts.append(SaidPart("fulltext", "page", TEXT_SIZE, PageText(page, True)))
        if page.full_url and not full:
            found.links.append((page.full_url, "page"))
        if layout.pdf_by_address or (layout.pdf and page.face != "landing"):
            found.links.append((page.pdf_url, "pdf"))
        found.email = email if layout.email or "citation" in page.vocabularies else ""
    _by_meta_tags(publication, page, found, abstract, keywords)
    if layout is None:
        found.parts.append(SaidPart("title", "webpage", 40, "head"))
        found.parts.append(SaidPart("fulltext", "webpage", 500, "cleaned"))
    return found


_SIZES = {"none": 0, "short": 100, "long": 1000, "huge": 2300}


def _by_meta_tags(publication: Publication, page: Page, found: Said, abstract: str, keywords: int) -> None:
    for vocabulary in page.vocabularies:
        if vocabulary in ("citation", "eprints") and page.ids.pmid:
            found.ids.append(("pmid", page.ids.pmid, vocabulary))
        if vocabulary == "citation" and page.ids.pmcid:
            found.ids.append(("pmcid", page.ids.pmcid, vocabulary))
        if vocabulary in ("citation", "bepress", "dc", "meta") and page.ids.doi:
            found.ids.append(("doi", page.ids.doi, vocabulary))
    more = list(page.more)
    for vocabulary in _spoken(page):
        says_parts = vocabulary in page.vocabularies
        if says_parts:
            found.parts.append(SaidPart("title", vocabulary, 40, "page"))
        if (
            says_parts
            and keywords
            and vocabulary in ("citation", "eprints", "dc", "meta")
            and (page.site, vocabulary) not in WRONG_KEYWORDS
        ):
            found.parts.append(SaidPart("keywords", vocabulary, keywords, keywords))
        if (
            says_parts
            and abstract != "none"
            and vocabulary != "bepress"
            and (page.site, vocabulary) not in WRONG_ABSTRACTS
        ):
            whole = vocabulary not in ("og", "twitter")
            size = _SIZES[abstract] if whole else 100
            found.parts.append(SaidPart("theAbstract", vocabulary, size, abstract if whole else "cut"))
        link, pdf = ADDRESSES.get(vocabulary, ("", ""))
        if vocabulary == "citation":
            if says_parts and _links_itself(publication):
                found.links.append((page.url, link))
            found.links += [(address, link) for name, address in more if name == "citation_fulltext_html_url"]
            found.links += [(address, pdf) for name, address in more if name == "citation_pdf_url"]
            if says_parts:
                found.links.append((page.pdf_url, pdf))
            if not found.email and says_parts and layout_of(page) is None:
                found.email = email_of(publication, page)
        elif vocabulary == "eprints":
            found.links.append((page.pdf_url, link))
        elif vocabulary in ("bepress", "meta"):
            found.links.append((page.pdf_url, pdf))


def _spoken(page: Page) -> tuple[Vocabulary, ...]:
    """The vocabularies of the page's tags, in order; further links are HighWire tags."""
    own = page.vocabularies
    return own if not page.more or "citation" in own else ("citation", *own)


def _links_itself(publication: Publication) -> bool:
    return publication.index % 2 == 0


# -- HTML ---------------------------------------------------------------------------------------------------------


def text_of(publication: Publication) -> list[list[list[Markup]]]:
    """Sections of paragraphs of sentences: the text as the page has it."""
    rng = draw(publication.seed, "page text", publication.index)
    stock = prose(publication.seed)
    return [[stock.abstract_sentences(rng, 5) for _ in range(PARAGRAPHS)] for _ in HEADINGS]


def first_and_last(publication: Publication) -> tuple[str, str]:
    """The first and the last sentence of the text as plain text."""
    sections = text_of(publication)
    return sections[0][0][0].plain, sections[-1][-1][-1].plain


def html(publication: Publication, page: Page, full: bool = False) -> bytes:
    """The HTML of an article, abstract or landing page."""
    title, layout = content.title_of(publication), layout_of(page) or _BARE
    site = escape(_site_name(page))
    abstract = page.abstract if page.face != "landing" else "none"
    keywords = content.keywords_of(publication, page.keywords if page.face != "landing" else 0)
    head = "".join(
        f'<meta {_named(name)} content="{escape(value)}">\n'
        for name, value in _tags(publication, page, abstract, keywords)
    )
    shown = [layout.title.format(title.pubmed)]
    if layout.doi and page.ids.doi:
        shown.append(layout.doi.format(escape(page.ids.doi)))
    if abstract != "none":
        shown.append(layout.abstract.format(_abstract(publication, abstract, layout)))
    if keywords and layout.keywords:
        shown.append(
            layout.keywords.format(
                layout.separator.join(layout.keyword.format(escape(word)) for word in keywords)
            )
        )
    if has_text(page, full):
        shown.append(layout.text.format(_sections(publication, layout)))
        shown.append(f"<section id='references'><h2>References</h2><ol><li>{LEFT_OUT}.</li></ol></section>")
    if layout.pdf and page.face != "landing":
        shown.append(layout.pdf.format(escape(page.pdf_url)))
    if page.also:
        shown.append(f"<p>Also known as https://doi.org/{escape(page.also)}</p>")
    email = email_of(publication, page)
    if layout.email and email:
        shown.append(layout.email.format(escape(email)))
    kind = "article" if has_text(page, full) else "page"
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n<title>{escape(title.plain)} | {site}</title>\n{head}</head>\n'
        f'<body class="{kind}"><nav><ul><li><a href="/">Home</a></li><li><a href="/about">About {site}</a></li></ul></nav>\n'
        f"<article>{''.join(shown)}</article>\n<footer><p>© {publication.year} {site}</p></footer></body></html>"
    ).encode()


_BARE = Layout(
    title="<h1>{}</h1>",
    abstract="<section><h2>Abstract</h2>{}</section>",
    text="<div>{}</div>",
    pdf='<p><a href="{}">Download PDF</a></p>',
    doi="<p>DOI: {}</p>",
)


def _site_name(page: Page) -> str:
    return BY_KEY[page.site].name if page.site in BY_KEY else REPOSITORY_BY_KEY[page.site].host


def _named(name: str) -> str:
    """Open Graph names stand in `property`."""
    return f'property="{name}"' if name.startswith("og:") else f'name="{name}"'


def _abstract(publication: Publication, size: str, layout: Layout) -> str:
    paragraphs = []
    for part in content.abstract_of(publication, size):  # type: ignore[arg-type]
        label = f"<b>{part.label}</b> " if part.label else ""
        paragraphs.append(
            layout.abstract_paragraph.format(label + " ".join(one.pubmed for one in part.sentences))
        )
    return "".join(paragraphs)


def _sections(publication: Publication, layout: Layout) -> str:
    return "".join(
        layout.section.format(
            heading=heading,
            number=number,
            paragraphs="".join(
                layout.paragraph.format(" ".join(one.pubmed for one in sentences)) for sentences in paragraphs
            ),
        )
        for number, (heading, paragraphs) in enumerate(zip(HEADINGS, text_of(publication), strict=True), 1)
    )


def _tags(
    publication: Publication, page: Page, abstract: str, keywords: tuple[str, ...]
) -> list[tuple[str, str]]:
    """The meta tags in the order of the vocabularies."""
    title = content.title_of(publication).plain
    text = " ".join(part.plain for part in content.abstract_of(publication, abstract))  # type: ignore[arg-type]
    tags: list[tuple[str, str]] = []
    for vocabulary in page.vocabularies:
        tags += _VOCABULARIES[vocabulary](publication, page, title, text, keywords)
    return tags if "citation" in page.vocabularies else [*tags, *page.more]


Tags = list[tuple[str, str]]


def _citation(publication: Publication, page: Page, title: str, text: str, keywords: tuple[str, ...]) -> Tags:
    tags = [("citation_title", title), ("citation_journal_title", publication.journal.title)]
    tags += [
        ("citation_author", f"{author.given} {author.surname}") for author in content.authors_of(publication)
    ]
    if email := email_of(publication, page):
        tags.append(("citation_author_email", email))
    tags.append(("citation_publication_date", publication.date.replace("-", "/")))
    if page.ids.doi:
        tags.append(("citation_doi", ("doi:" if publication.index % 5 == 0 else "") + page.ids.doi))
    if page.ids.pmid:
        tags.append(("citation_pmid", page.ids.pmid))
    if page.ids.pmcid:
        tags.append(("citation_pmcid", page.ids.pmcid))
    if keywords:
        tags.append(("citation_keywords", "; ".join(keywords)))
    if text:
        tags.append(("citation_abstract", text))
    if _links_itself(publication):
        tags.append(("citation_fulltext_html_url", page.url))
    return [*tags, *page.more, ("citation_pdf_url", page.pdf_url)]


def _eprints(publication: Publication, page: Page, title: str, text: str, keywords: tuple[str, ...]) -> Tags:
    tags = [("eprints.title", title), ("eprints.document_url", page.pdf_url)]
    tags += [("eprints.pubmed_id", page.ids.pmid)] if page.ids.pmid else []
    tags += [("eprints.keywords", ", ".join(keywords))] if keywords else []
    return tags + ([("eprints.abstract", text)] if text else [])


def _bepress(publication: Publication, page: Page, title: str, text: str, keywords: tuple[str, ...]) -> Tags:
    tags = [("bepress_citation_title", title), ("bepress_citation_pdf_url", page.pdf_url)]
    return tags + ([("bepress_citation_doi", page.ids.doi)] if page.ids.doi else [])


def _dublin_core(
    publication: Publication, page: Page, title: str, text: str, keywords: tuple[str, ...]
) -> Tags:
    name = ("DC.", "dc.", "DC:")[publication.index % 3]
    tags = [(name + "title", title)]
    tags += [(name + "identifier", page.ids.doi)] if page.ids.doi else []
    tags += [(name + "subject", word) for word in keywords]
    return tags + ([(name + "description", text)] if text else [])


def _open_graph(
    publication: Publication, page: Page, title: str, text: str, keywords: tuple[str, ...]
) -> Tags:
    return [("og:title", title)] + ([("og:description", text[:_CUT])] if text else [])


def _twitter(publication: Publication, page: Page, title: str, text: str, keywords: tuple[str, ...]) -> Tags:
    return [("twitter:title", title)] + ([("twitter:description", text[:_CUT])] if text else [])


def _generic(publication: Publication, page: Page, title: str, text: str, keywords: tuple[str, ...]) -> Tags:
    tags = [("title", title), ("fulltext_pdf", page.pdf_url)]
    tags += [("doi", page.ids.doi)] if page.ids.doi else []
    tags += [("keywords", "|".join(keywords))] if keywords else []
    return tags + ([("description", text)] if text else [])


_CUT = 140
"""Descriptions for networks are cut in the middle of a sentence, as they are everywhere."""
_VOCABULARIES = {
    "citation": _citation,
    "eprints": _eprints,
    "bepress": _bepress,
    "dc": _dublin_core,
    "og": _open_graph,
    "twitter": _twitter,
    "meta": _generic,
}


def _shown_by_script(publication: Publication, page: Page) -> str:
    """A script that puts the article into the page; nothing of it can be read without running it."""
    if page.face != "script":
        return ""
    whole = html(publication, rendered(page)).decode()
    body = whole[whole.index("<article>") : whole.index("<footer>")]
    packed = b64encode(body.encode()).decode()
    unpack = "new TextDecoder().decode(Uint8Array.from(atob(packed), c => c.charCodeAt(0)))"
    return f"const packed = '{packed}'; document.getElementById('root').innerHTML = {unpack};"


def wall(publication: Publication, page: Page) -> tuple[int, bytes]:
    """Status and HTML of what stands there instead of the article."""
    site = escape(_site_name(page))
    title = escape(content.title_of(publication).plain[::-1])
    inside = {
        "other": f"<title>{title}</title><meta name='citation_title' content='{title}'>"
        f"<meta name='citation_doi' content='10.5555/other'></head><body><h1>{title}</h1>",
        "login": f"<title>Log in | {site}</title></head><body><h1>Log in to your account</h1><form action='/login'>"
        "<input name='user'><input type='password' name='secret'><button>Log in</button></form>",
        "consent": f"<title>Before you continue to {site}</title></head><body><h1>We value your privacy</h1>"
        "<p>We and our partners store information on your device.</p><button>Accept cookies</button>",
        "bot": "<title>Just a moment...</title></head><body><h2>Checking if the site connection is secure</h2>"
        "<div class='cf-turnstile' id='cf-challenge'></div><noscript>Enable JavaScript and cookies to continue</noscript>",
        "soft-404": f"<title>Page not found | {site}</title></head><body><h1>Page not found</h1><p>The page you are looking "
        "for does not exist or has been moved.</p>",
        "gone": f"<title>404 Not Found | {site}</title></head><body><h1>Not Found</h1>",
        "script": f"<title>{site}</title></head><body><div id='root'></div><noscript>You need to enable JavaScript to run "
        f"this app.</noscript><script>{_shown_by_script(publication, page)}</script>",
    }[page.face]
    status = {"gone": 404, "bot": 403 if publication.index % 2 else 200}.get(page.face, 200)
    return status, f"<!DOCTYPE html><html><head><meta charset='utf-8'>{inside}</body></html>".encode()
