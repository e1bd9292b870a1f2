"""The markup of article pages, site by site: where a site puts title, abstract, keywords, text, files and addresses.

Each layout is made of the site's own class names and ids (facts about the sites) around texts that are made here. Sites
without a layout have pages that differ in their meta tags only.
"""

from typing import NamedTuple


class Layout(NamedTuple):
    """Templates with `{}` for what stands inside; an empty template: the site does not show it.

    `says_doi`: the page shows its DOI where rules for it find it. `pdf_by_address` and `full_by_address`: the address of
    the file or of the text page is made from the page's own address; elsewhere it is only a link.
    """

    title: str
    abstract: str
    abstract_paragraph: str = "<p>{}</p>"
    text: str = ""
    section: str = "<section><h2>{heading}</h2>{paragraphs}</section>"
    paragraph: str = "<p>{}</p>"
    keywords: str = ""
    keyword: str = ""
    separator: str = " "
    pdf: str = ""
    email: str = ""
    doi: str = ""
    pdf_by_address: bool = False


_SPRINGER = Layout(
    title='<h1 class="c-article-title">{}</h1>',
    abstract='<section aria-labelledby="Abs1"><h2 id="Abs1">Abstract</h2><div id="Abs1-content">{}</div></section>',
    text='<div class="main-content">{}</div>',
    section='<section data-title="{heading}"><div><h2>{heading}</h2><div class="c-article-section__content">{paragraphs}</div></div></section>',
    keywords='<div data-title="Keywords"><ul>{}</ul></div>',
    keyword='<li class="c-article-subject-list__subject"><span>{}</span></li>',
    pdf='<div class="c-pdf-download"><a data-article-pdf="true" href="{}">Download PDF</a></div>',
    email='<p id="corresponding-author-list">Correspondence to <a href="mailto:{0}">{0}</a>.</p>',
)
_ATYPON = Layout(
    title="<header><h1>{}</h1></header>",
    abstract='<section id="abstract" role="doc-abstract"><h2>Abstract</h2>{}</section>',
    abstract_paragraph='<div role="paragraph">{}</div>',
    text='<section id="bodymatter">{}</section>',
    paragraph='<div role="paragraph">{}</div>',
    pdf='<div class="format"><a id="downloadPdfUrl" class="btn--pdf" href="{}">PDF</a></div>',
    email='<div class="core-authors-notes">To whom correspondence may be addressed: <a href="mailto:{}">e-mail</a></div>',
)
_SILVERCHAIR = Layout(
    title='<h1 class="wi-article-title article-title-main">{}</h1>',
    abstract='<h2 class="abstract-title">Abstract</h2><section class="abstract">{}</section>',
    abstract_paragraph='<p class="chapter-para">{}</p>',
    text='<div class="article-body"><div class="widget-items">{}</div></div>',
    section='<h2 class="section-title">{heading}</h2>{paragraphs}',
    paragraph='<p class="chapter-para">{}</p>',
    keywords='<div class="kwd-group">{}</div>',
    keyword='<a class="kwd-part" href="/search?q=k">{}</a>',
    pdf='<a class="al-link pdf article-pdfLink" href="{}">PDF</a>',
    email='<div class="info-author-correspondence"><a href="mailto:{}">e-mail</a></div>',
)
_HIGHWIRE = Layout(
    title='<h1 class="highwire-cite-title" id="page-title">{}</h1>',
    abstract='<div class="section abstract" id="abstract-1"><h2>Abstract</h2>{}</div>',
    text='<div class="fulltext-view">{}</div>',
    section='<div class="section"><h2>{heading}</h2>{paragraphs}</div>',
    keywords='<ul class="kwd-group">{}</ul>',
    keyword='<li class="kwd">{}</li>',
    pdf='<a class="article-dl-pdf-link pdf-link" href="{}">Download PDF</a>',
    email='<li class="corresp">Correspondence: <a href="mailto:{}">e-mail</a></li>',
)
_WILEY = Layout(
    title='<h1 class="citation__title">{}</h1>',
    abstract='<section class="article-section article-section__abstract"><h2>Abstract</h2><div class="article-section__content">{}</div></section>',
    text='<section class="article-section article-section__full">{}</section>',
    section='<section class="article-section__content"><h2>{heading}</h2>{paragraphs}</section>',
    keywords='<div class="keywords"><ul>{}</ul></div>',
    keyword='<li><a href="/action/doSearch">{}</a></li>',
    pdf='<a class="coolBar__ctrl pdf-download" href="{}">PDF</a>',
    email='<div class="author-info"><a class="sm-account__link" href="mailto:{}">e-mail</a></div>',
)

LAYOUTS: dict[str, Layout] = {
    "plos": Layout(
        title='<h1 id="artTitle">{}</h1>',
        abstract='<div class="abstract toc-section abstract-type-"><h2>Abstract</h2>{}</div>',
        section='<div class="section toc-section"><h2>{heading}</h2>{paragraphs}</div>',
        text='<div id="artText">{}</div>',
        pdf='<a id="downloadPdf" href="{}">Download PDF</a>',
        email='<div class="author_meta"><a href="mailto:{}">e-mail</a></div>',
        pdf_by_address=True,
    ),
    "bmc": _SPRINGER,
    "springer": _SPRINGER,
    "nature": _SPRINGER,
    "wiley": _WILEY,
    "wiley-sici": _WILEY,
    "elsevier": Layout(
        title='<h1 id="screen-reader-main-title"><span class="title-text">{}</span></h1>',
        abstract='<div id="abstracts"><div class="abstract author"><h2>Abstract</h2>{}</div></div>',
        text='<div id="body">{}</div>',
        keywords='<div class="keywords-section"><h2>Keywords</h2>{}</div>',
        keyword='<div class="keyword"><span>{}</span></div>',
        email='<a class="auth_mail" href="mailto:{}">e-mail</a>',
        doi='<a class="doi" href="https://doi.org/{0}">https://doi.org/{0}</a>',
    ),
    "oup": _SILVERCHAIR,
    "tandf": Layout(
        title='<h1><span class="NLM_article-title hlFld-title">{}</span></h1>',
        abstract='<div class="abstractSection abstractInFull"><h2>Abstract</h2>{}</div>',
        text='<div class="hlFld-Fulltext">{}</div>',
        section='<div class="NLM_sec"><h2>{heading}</h2>{paragraphs}</div>',
        keywords='<div class="abstractKeywords">{}</div>',
        keyword='<a href="/keyword">{}</a>',
        pdf='<a class="show-pdf" href="{}">PDF</a>',
        email='<div class="corr-email"><a href="mailto:{}">e-mail</a></div>',
    ),
    "sage": _ATYPON,
    "frontiers": Layout(
        title='<div class="JournalAbstract"><h1>{}</h1></div>',
        abstract='<div class="JournalAbstract"><h2>Abstract</h2>{}</div>',
        text='<div class="JournalFullText">{}</div>',
        section="<h2>{heading}</h2>{paragraphs}",
        pdf='<a class="download-files-pdf" href="{}">PDF</a>',
        pdf_by_address=True,
    ),
    "mdpi": Layout(
        title='<h1 class="title hypothesis_container">{}</h1>',
        abstract='<section class="html-abstract" id="html-abstract"><h2>Abstract</h2>{}</section>',
        abstract_paragraph='<div class="html-p">{}</div>',
        text='<div class="html-body">{}</div>',
        section="<section><h2>{heading}</h2>{paragraphs}</section>",
        paragraph='<div class="html-p">{}</div>',
        keywords='<span itemprop="keywords">{}</span>',
        keyword="{}",
        separator="; ",
        pdf='<a class="UD_ArticlePDF" href="{}">Download PDF</a>',
        email='<div class="art-affiliations"><a href="mailto:{}">e-mail</a></div>',
        doi='<div class="bib-identity"><a href="https://doi.org/{0}">{0}</a></div>',
    ),
    "hindawi": Layout(
        title='<div class="middle_content"><h2>{}</h2></div>',
        abstract='<div class="xml-content"><h4 class="header">Abstract</h4>{}</div>',
        text="{}",
        section='<div class="xml-content"><h4 id="sec{number}">{heading}</h4>{paragraphs}</div>',
        pdf='<a class="full_text_pdf" href="{}">Full-Text PDF</a>',
    ),
    "elife": Layout(
        title='<h1 class="content-header__title">{}</h1>',
        abstract='<section class="article-section" id="abstract"><h2>Abstract</h2>{}</section>',
        abstract_paragraph='<p class="paragraph">{}</p>',
        section='<section class="article-section" id="s{number}"><h2>{heading}</h2>{paragraphs}</section>',
        text="{}",
        paragraph='<p class="paragraph">{}</p>',
        pdf='<a class="article-download-links-list__link" href="{}">Article PDF</a>',
        email='<div class="author-details__section"><a href="mailto:{}">e-mail</a></div>',
    ),
    "peerj": Layout(
        title='<h1 class="article-title">{}</h1>',
        abstract='<div class="abstract"><h2>Abstract</h2>{}</div>',
        text='<main><div class="body">{}</div></main>',
        section='<section class="sec" id="sec-{number}"><h2>{heading}</h2>{paragraphs}</section>',
        keywords='<dl class="article-subjects"><dt>Keywords</dt>{}</dl>',
        keyword='<dd><a class="kwd">{}</a></dd>',
        pdf='<a class="pdf article-download-pdf" href="{}">PDF</a>',
        pdf_by_address=True,
    ),
    "f1000": Layout(
        title='<h1 class="article-title js-article-title">{}</h1>',
        abstract='<div class="article-abstract" id="article-abstract"><h2>Abstract</h2>{}</div>',
        text='<div class="generated-article-body">{}</div>',
        keywords='<p class="article-subtitle-keywords">{}</p>',
        keyword="{}",
        separator=", ",
        pdf='<a class="pdf-download" href="{}">PDF</a>',
        email='<div class="article-information"><a href="mailto:{}">e-mail</a></div>',
    ),
    "pnas": _ATYPON,
    "science": _ATYPON,
    "bmj": _HIGHWIRE,
    "cell": Layout(
        title='<h1 class="article-header__title">{}</h1>',
        abstract='<section id="author-abstract"><h2>Summary</h2>{}</section>',
        abstract_paragraph='<div role="paragraph">{}</div>',
        text='<section id="bodymatter">{}</section>',
        paragraph='<div role="paragraph">{}</div>',
        keywords='<div class="keywords__list">{}</div>',
        keyword='<a href="/k">{}</a>',
        pdf='<a class="article-tools__item__pdf" href="{}">PDF</a>',
        email='<div class="article-header__corresp"><a href="mailto:{}">e-mail</a></div>',
    ),
    "acs": Layout(
        title='<h1 class="article_header-title"><span class="hlFld-Title">{}</span></h1>',
        abstract='<div class="article_abstract-content"><h2>Abstract</h2>{}</div>',
        abstract_paragraph='<p class="articleBody_abstractText">{}</p>',
        text='<div class="article_content">{}</div>',
        paragraph='<div class="NLM_p">{}</div>',
        keywords='<div class="keyword-group">{}</div>',
        keyword='<a href="/k">{}</a>',
        pdf='<div class="article_header-btn--pdf"><a href="{}">PDF</a></div>',
        email='<div class="corresp"><a href="mailto:{}">e-mail</a></div>',
    ),
    "rsc": Layout(
        title='<h1 class="capsule__title">{}</h1>',
        abstract='<div class="abstract"><h2>Abstract</h2><div class="capsule__text">{}</div></div>',
        text='<div id="pnlArticleContent">{}</div>',
        section="<h2>{heading}</h2>{paragraphs}",
        paragraph='<p class="otherpara">{}</p>',
        pdf='<a class="btn btn--pdf" href="{}">PDF</a>',
        pdf_by_address=True,
    ),
    "asm": _ATYPON,
    "iop": Layout(
        title='<h1 class="wd-jnl-art-title">{}</h1>',
        abstract='<div class="article-text wd-jnl-art-abstract"><h2>Abstract</h2>{}</div>',
        text='<div class="wd-jnl-art-full-text">{}</div>',
        section='<h2>{heading}</h2><div class="article-text">{paragraphs}</div>',
        pdf='<a class="wd-jnl-art-pdf-button-main" href="{}">PDF</a>',
        email='<p class="wd-jnl-art-email-addresses"><a href="mailto:{}">e-mail</a></p>',
    ),
    "aps": Layout(
        title='<div class="title-wrapper"><h1>{}</h1></div>',
        pdf='<div class="title-wrapper"><a href="{}">PDF</a></div>',
        abstract='<section class="abstract"><h2>Abstract</h2><div class="content" id="abstract-section-content">{}</div></section>',
    ),
    "royal": _ATYPON,
    "cup": Layout(
        title='<div id="maincontent"><h1>{}</h1></div>',
        abstract='<div class="abstract-content"><h2>Abstract</h2><div class="abstract">{}</div></div>',
        text='<div class="body">{}</div>',
        section='<div class="sec"><h2>{heading}</h2>{paragraphs}</div>',
        keywords='<div class="keywords">{}</div>',
        keyword='<a class="keyword" href="/k">{}</a>',
        pdf='<div class="actions"><a data-pdf-content-id="S1" href="{}">PDF</a></div>',
    ),
    "karger": _SILVERCHAIR,
    "scielo": Layout(
        title='<h1 class="article-title">{}</h1>',
        abstract='<div class="articleSection articleSection--abstract" data-anchor="Abstract"><h3>Abstract</h3>{}</div>',
        text="{}",
        section='<div class="articleSection" data-anchor="Text"><h3>{heading}</h3>{paragraphs}</div>',
        pdf='<div id="ModalDownloads"><a href="{}">Download PDF (English)</a></div>',
        email='<p class="corresp"><a href="mailto:{}">e-mail</a></p>',
    ),
    "jstage": Layout(
        title='<div class="global-article-title">{}</div>',
        abstract='<div id="article-overiew-abstract-wrap"><h2>Abstract</h2>{}</div>',
        pdf='<a class="thirdlevel-pdf-btn" href="{}">Download PDF</a>',
    ),
    "pensoft": Layout(
        title='<h1 class="articleTitle">{}</h1>',
        abstract='<div class="abstract"><h2>Abstract</h2>{}</div>',
        pdf='<a class="download-pdf" href="{}">PDF</a>',
    ),
    "copernicus": Layout(
        title='<div class="title"><h1>{}</h1></div>',
        abstract='<div class="abstract-content"><h2>Abstract</h2>{}</div>',
        text='<div class="fulltext">{}</div>',
        section='<div class="section"><h2>{heading}</h2>{paragraphs}</div>',
        pdf='<a class="pdf-icon" href="{}">Article (PDF)</a>',
    ),
    "aacr": _SILVERCHAIR,
    "biorxiv": _HIGHWIRE,
    "jama": Layout(
        title='<h1 class="meta-article-title">{}</h1>',
        abstract='<div class="widget-instance-AMA_Fulltext_Abstract"><div id="AbstractSection">{}</div></div>',
        text='<div class="widget-instance-AMA_ArticleFulltext_New"><div class="article-full-text">{}</div></div>',
        section='<div class="h3 cb section-type-section">{heading}</div>{paragraphs}',
        paragraph='<p class="para">{}</p>',
        pdf='<a class="js-pdfaccess" href="{}">Download PDF</a>',
        email='<div class="article-full-text"><p>Corresponding author: <a href="mailto:{0}">{0}</a>.</p></div>',
    ),
    "zenodo": Layout(
        title='<h1 id="record-title">{}</h1>',
        abstract='<section id="description"><h2>Description</h2>{}</section>',
        keywords='<div id="keywords">{}</div>',
        keyword='<a class="ui label" href="/k">{}</a>',
        pdf='<a class="filename" href="{}">article.pdf</a>',
        doi='<span class="doi"><a class="doi" href="https://doi.org/{0}">{0}</a></span>',
    ),
}  # fmt: skip
"""By publisher key."""
