"""The PubMed page (new design), as far as F-PMH-03 describes it; no page of that design was recorded."""

from html import escape

from simnet import content
from simnet.facts import Publication


def page(publication: Publication) -> bytes:
    """The page of one article."""
    facts = publication.pubmed
    assert facts is not None
    ids = facts.ids
    title = content.title_of(publication).pubmed + "."
    own = f'<li><span class="identifier pubmed"><span class="id-label">PMID: </span><strong class="current-id" title="PubMed ID">{ids.pmid}</strong></span></li>'
    if ids.pmcid:
        own += f'<li><span class="identifier pmc"><span class="id-label">PMCID: </span><a class="id-link" target="_blank" href="https://www.ncbi.nlm.nih.gov/pmc/articles/{ids.pmcid}/">{ids.pmcid}</a></span></li>'
    if ids.doi:
        doi = escape(ids.doi)
        own += f'<li><span class="identifier doi"><span class="id-label">DOI: </span><a class="id-link" target="_blank" href="https://doi.org/{doi}">{doi}</a></span></li>'
    authors = "".join(
        f'<span class="authors-list-item"><a class="full-name" href="/?term={escape(a.surname)}">{escape(a.given)} {escape(a.surname)}</a></span>'
        for a in content.authors_of(publication)
    )
    parts = content.abstract_of(publication, publication.page_abstract)
    paragraphs = "".join(
        "<p>"
        + (f'<strong class="sub-title">{part.label}:</strong> ' if part.label else "")
        + " ".join(sentence.pubmed for sentence in part.sentences)
        + "</p>"
        for part in parts
    )
    keywords = ""
    if facts.keywords:
        words = "; ".join(map(escape, content.keywords_of(publication, facts.keywords)))
        keywords = f'<p><strong class="sub-title">Keywords:</strong> {words}.</p>'
    mesh = ""
    if facts.mesh:
        buttons = []
        for term in content.mesh_of(publication):
            shown = term.term + (" / " + term.qualifiers[0][0] if term.qualifiers else "")
            shown += "*" if term.major else ""
            buttons.append(
                f'<li><button class="keyword-actions-trigger trigger keyword-link">{shown}</button></li>'
            )
        listed = "".join(buttons)
        mesh = f'<div class="mesh-terms keywords-section" id="mesh-terms"><h2 class="title">MeSH terms</h2><ul class="keywords-list">{listed}</ul></div>'
    abstract = (
        f'<div class="abstract" id="abstract"><h2 class="title">Abstract</h2><div class="abstract-content selected" id="eng-abstract">{paragraphs}</div>{keywords}</div>'
        if parts
        else '<div class="abstract" id="abstract"><em class="empty-abstract">No abstract available</em></div>'
    )
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{escape(content.title_of(publication).plain)} - PubMed</title>'
        f'<meta name="citation_title" content="{escape(content.title_of(publication).plain)}."><meta name="citation_pmid" content="{ids.pmid}">'
        '</head><body><main class="article-page" id="article-page"><aside class="page-sidebar">Save, e-mail, share</aside>'
        '<div class="article-details" id="article-details"><header class="heading" id="heading"><div class="full-view" id="full-view-heading">'
        f'<div class="article-citation"><button class="journal-actions-trigger">{escape(publication.journal.abbreviation)}</button><span class="cit">{publication.year};1(2):3-9.</span></div>'
        f'<h1 class="heading-title">\n    {title}\n</h1><div class="authors"><div class="authors-list">{authors}</div></div>'
        f'<ul class="identifiers" id="full-view-identifiers">{own}</ul></div></header>{abstract}{mesh}'
        '<div class="similar-articles" id="similar"><h2 class="title">Similar articles</h2><ul><li>Another article entirely.</li></ul></div>'
        "</div></main><footer>National Library of Medicine</footer></body></html>"
    ).encode()


def no_result(term: str) -> bytes:
    """What PubMed shows when nothing is found (status 200): a page of search results without any."""
    return (
        f'<!DOCTYPE html><html lang="en"><head><title>{escape(term)} - Search Results - PubMed</title>'
        '<meta name="log_resultcount" content="0"></head><body><main class="search-page">'
        '<div class="query-error-message usa-alert"><span class="usa-alert-text">Your search was processed without '
        "automatic term mapping because it retrieved zero results.</span></div></main></body></html>"
    ).encode()
