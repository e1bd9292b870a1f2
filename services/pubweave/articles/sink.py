"""What is found goes into the pipeline: identifiers, and links with their types (L-53, F-LIB-13)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Protocol
from urllib.parse import unquote

import msgspec

from pubweave.articles.iterator import files
from pubweave.articles.iterator.files import ArticleFiles
from pubweave.core.identifiers import is_found_doi, normalise_doi

LINK = "link"
PDF_LINK = "pdf_link"

_PDF_ROLES = (files.ROLE_FULL_TEXT_PDF, "PdfPlus")
_PAGE_ROLES = (
    files.ROLE_FULL_TEXT_HTML,
    files.ROLE_FULL_TEXT_HTML_LANDING,
    files.ROLE_FULL_TEXT_MOBILE,
    files.ROLE_FULL_TEXT_PDF_LANDING,
    files.ROLE_ABSTRACT,
    files.ROLE_ARTICLE_METADATA,
)
_NOT_PAGES = re.compile(r"\.(ris|bib|bibtex|enw|xml|json|txt|epub|zip)($|\?)|[?&]format=(ris|bib)", re.I)
_DOI = re.compile(r"10\.[0-9]{4,9}(?:\.[0-9]{1,9}){0,4}/[^\s?#&\"<>]+")
_DOI_TAIL = re.compile(
    r"(?:/(?:full|fulltext|full-text|abstract|abs|pdf|epdf|pdfdirect|html|epub|xml|meta|references|figures|summary"
    r"|suppl|refs|media|article)|\.(?:full|pdf|html?|xml|epub|abstract|full-text|full\.pdf)|\+html){1,8}/?$",
    re.I,
)
_PMCID = re.compile(r"(?<![A-Za-z0-9])PMC[1-9][0-9]{0,9}(?![0-9])", re.I)
_PMID = re.compile(
    r"(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pubmed|/MED)/([1-9][0-9]{0,8})(?![0-9])"
)
_META = re.compile(rb"<meta\b[^>]*>", re.I)
_DOI_NAMES = ("citation_doi", "prism.doi", "dc.identifier", "dc.identifier.doi", "bepress_citation_doi")


class FoundArticle(msgspec.Struct):
    """An article as the pipeline wants it. Identifiers are empty where neither URL nor page tells them.

    `links` are (URL, type) pairs, the type being `link` or `pdf_link`; `roles` is all the iterator found.
    """

    doi: str
    pmcid: str
    pmid: str
    full_text_url: str | None
    links: list[tuple[str, str]]
    roles: dict[str, str] = {}

    @property
    def identifiers(self) -> dict[str, str]:
        """Those of `doi`, `pmcid`, `pmid` that are known."""
        known = {"doi": self.doi, "pmcid": self.pmcid, "pmid": self.pmid}

        return {kind: value for kind, value in known.items() if value}


class Sink(Protocol):
    """Takes found articles; `submit` is called once for each, `close` once at the end."""

    def submit(self, identifiers: dict[str, str], links: list[tuple[str, str]]) -> None:
        """One `fetch-requested` with its links. Never called without any identifier."""
        ...

    def close(self) -> None: ...


def found_article(article: ArticleFiles, page: Callable[[str], bytes | None] | None = None) -> FoundArticle:
    """What the pipeline needs to know of an article.

    `page` gives the content of a stored URL; it is asked only if the URLs tell no DOI and no PMCID.
    """
    roles = {role: url for role, url in article.roles.items() if isinstance(url, str)}
    urls = list(
        dict.fromkeys(([article.full_text_url] if article.full_text_url else []) + list(roles.values()))
    )
    doi, pmcid, pmid = _from_urls(urls)
    if page is not None and not doi and not pmcid:
        doi, pmcid, pmid = _from_pages(roles, article.full_text_url, page, pmid)

    return FoundArticle(doi, pmcid, pmid, article.full_text_url, links_of(article), roles)


def links_of(article: ArticleFiles) -> list[tuple[str, str]]:
    """Full text and metadata pages as `link`, PDFs as `pdf_link`, each URL once, full text first."""
    found: dict[str, str] = {}
    pdfs = {url for role in _PDF_ROLES if isinstance(url := article.roles.get(role), str)}
    if article.full_text_url is not None:
        found[article.full_text_url] = PDF_LINK if article.full_text_url in pdfs else LINK
    for role in _PAGE_ROLES:
        url = article.roles.get(role)
        if isinstance(url, str) and url not in pdfs and not _NOT_PAGES.search(url):
            found.setdefault(url, LINK)
    for role in _PDF_ROLES:
        url = article.roles.get(role)
        if isinstance(url, str):
            found.setdefault(url, PDF_LINK)

    return list(found.items())


def _from_urls(urls: list[str]) -> tuple[str, str, str]:
    dois: Counter[str] = Counter()
    pmcid = pmid = ""
    for url in urls:
        plain = unquote(url)
        match = _DOI.search(plain)
        if match is not None:
            doi = _DOI_TAIL.sub("", match.group()).rstrip("/.,;")
            if is_found_doi(doi):
                dois[normalise_doi(doi)] += 1
        if not pmcid and (found := _PMCID.search(plain)) is not None:
            pmcid = found.group().upper()
        if not pmid and (found := _PMID.search(plain)) is not None:
            pmid = found.group(1)
    # Most URLs agree; where they do not, the shortest has the least behind the DOI.
    best = min(dois, key=lambda doi: (-dois[doi], len(doi), doi), default="")

    return best, pmcid, pmid


def _from_pages(
    roles: dict[str, str], full_text_url: str | None, page: Callable[[str], bytes | None], pmid: str
) -> tuple[str, str, str]:
    order = [roles.get(role) for role in (files.ROLE_ARTICLE_METADATA, files.ROLE_ABSTRACT)]
    for url in dict.fromkeys([*order, roles.get(files.ROLE_FULL_TEXT_HTML), full_text_url]):
        content = page(url) if url is not None else None
        if content is None:
            continue
        tags = _meta_tags(content)
        doi = next((doi for name in _DOI_NAMES if (doi := _doi_in(tags.get(name, "")))), "")
        pmcid = _PMCID.search(tags.get("citation_pmcid", "") or "")
        pmid = tags.get("citation_pmid", "").strip() or pmid
        if doi or pmcid or pmid:
            return doi, pmcid.group().upper() if pmcid else "", pmid if pmid.isdigit() else ""

    return "", "", pmid


def _doi_in(text: str) -> str:
    match = _DOI.search(text)
    doi = match.group().rstrip(".,;") if match is not None else ""

    return normalise_doi(doi) if doi and is_found_doi(doi) else ""


def _meta_tags(content: bytes) -> dict[str, str]:
    """The first content of each named meta tag, names in small letters."""
    from selectolax.lexbor import LexborHTMLParser

    head = b"".join(_META.findall(content, 0, content.rfind(b">") + 1))
    found: dict[str, str] = {}
    for node in LexborHTMLParser(head).css("meta"):
        name = (node.attributes.get("name") or node.attributes.get("property") or "").lower()
        if name:
            found.setdefault(name, node.attributes.get("content") or "")

    return found
