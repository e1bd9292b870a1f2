"""Whole articles in JATS, as Europe PMC (fullTextXML) and PMC (efetch db=pmc) send them.

Three dialects, after the replies of 2015-18 (DOCTYPE, bare PMCID digits), 2019 (no DOCTYPE) and 2025-26
(`processing-meta`, prefixed PMCID or bare, `pmcaid`). What a reader must take and must leave out carries marks
(`kept_marks`, `left_out_marks`) so that a test can look for them.
"""

from functools import lru_cache
from xml.sax.saxutils import escape

from simnet import content
from simnet.content import Author
from simnet.draw import draw, pick
from simnet.facts import FullText, Publication
from simnet.publishers import JOURNALS
from simnet.text import REFERENCES_ALWAYS, SUBJECTS, SURNAMES, Markup, prose

_DOCTYPE_2015 = (
    '<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Archiving and Interchange DTD v1.1 20151215//EN" '
    '"JATS-archivearticle1.dtd"> \n'
)
_DOCTYPE_2025 = (
    '<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Archiving and Interchange DTD with MathML3 v1.3 '
    '20210610//EN" "JATS-archivearticle1-3-mathml3.dtd">\n'
)
_NAMESPACES = (
    'xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:mml="http://www.w3.org/1998/Math/MathML" '
    'xmlns:ali="http://www.niso.org/schemas/ali/1.0/"'
)
_SET_HEAD = (
    '<?xml version="1.0"  ?><!DOCTYPE pmc-articleset PUBLIC "-//NLM//DTD ARTICLE SET 2.0//EN" '
    '"https://dtd.nlm.nih.gov/ncbi/pmc/articleset/nlm-articleset-2.0.dtd"><pmc-articleset>'
)
_FORBIDDEN = "<!--The publisher of this article does not allow downloading of the full text in XML form.-->"
_TEX = (
    "\\documentclass[12pt]{minimal} \\usepackage{amsmath} \\setlength{\\oddsidemargin}{-69pt} "
    "\\begin{document}$$ E_{t} = \\frac{m}{c^{2}} $$\\end{document}"
)
_MATHML = (
    '<mml:math id="M%d"><mml:mrow><mml:msub><mml:mi>E</mml:mi><mml:mrow><mml:mi>t</mml:mi></mml:mrow></mml:msub>'
    "<mml:mo>=</mml:mo><mml:mfrac><mml:mrow><mml:mi>m</mml:mi></mml:mrow><mml:mrow><mml:msup><mml:mi>c</mml:mi>"
    "<mml:mn>2</mml:mn></mml:msup></mml:mrow></mml:mfrac><mml:mtext> units</mml:mtext></mml:mrow></mml:math>"
)

Section = tuple[str, list[list[Markup]], "list[Section]"]
"""Title, paragraphs (each a list of sentences), subsections."""


# -- what the body says -----------------------------------------------------------------------------------------------


def body_of(publication: Publication, facts: FullText) -> list[Section]:
    """The sections of the body: about 30-75 paragraphs when full, one of one or two sentences when short."""
    rng = draw(publication.seed, "body", publication.index)
    stock = prose(publication.seed)
    if facts.body in ("none", "restricted"):
        return []
    if facts.body == "short":
        return [("", [stock.abstract_sentences(rng, 1 + publication.index % 2)], [])]

    def paragraphs(count: int) -> list[list[Markup]]:
        return [stock.paragraph(rng, 3 + int(rng.random() * 4)) for _ in range(count)]

    size = 2 + int(rng.random() * 6)
    if publication.index % 19 == 0:  # a letter: paragraphs straight in the body
        return [("", paragraphs(16), [])]
    subject = pick(SUBJECTS, rng)
    deep: list[Section] = [("Blinding", paragraphs(1), []), (f"Measuring {subject}", paragraphs(size), [])]
    return [
        ("Introduction", paragraphs(3 + size), []),
        (
            "Materials and methods",
            paragraphs(1),
            [("Strains and data", paragraphs(size), []), ("Statistics", paragraphs(2), deep)],
        ),
        (
            "Results",
            paragraphs(1),
            [(f"Effects on {pick(SUBJECTS, rng)}", paragraphs(2 + size), []) for _ in range(3)],
        ),
        ("Discussion", paragraphs(3 + size), []),
        ("Conclusions", paragraphs(2), []),
    ]


def first_and_last(publication: Publication, facts: FullText) -> tuple[str, str]:
    """The first and the last sentence of the body as plain text; empty without a body."""
    sections = body_of(publication, facts)
    if not sections:
        return "", ""
    return sections[0][1][0][0].plain, sections[-1][1][-1][-1].plain


def kept_marks(publication: Publication, facts: FullText) -> list[str]:
    """Phrases outside the paragraphs of the body that the full text must have (F-PT-09)."""
    if facts.body != "full":
        return []
    number = publication.index
    kept = [
        f"Figure caption remark {number}.",
        f"Table caption remark {number}.",
        f"Table cell remark {number}",
    ]
    if number % 4 == 0:
        kept.append(f"Glossary remark {number}.")
    if number % 5 == 0 and number % 19:
        kept.append(f"Supplementary remark {number}.")
    if number % 6 == 0:
        kept.append(f"Back matter section remark {number}.")
    return kept


def left_out_marks(publication: Publication, facts: FullText) -> list[str]:
    """Phrases that the full text must not have: acknowledgements, footnotes, references, TeX, copyright."""
    number = publication.index
    return [
        f"Acknowledgement remark {number}.",
        f"Footnote remark {number}.",
        "A cited study of",
        "documentclass",
        f"Copyright remark {number}",
        f"Appendix remark {number}.",
        f"Sub-article remark {number}.",
    ]


# -- the article ------------------------------------------------------------------------------------------------------


def full_text_xml(publication: Publication, facts: FullText) -> bytes:
    """The reply of fullTextXML."""
    head = {"2015": _DOCTYPE_2015, "2019": "", "2025": _DOCTYPE_2025}[facts.dialect]
    if facts.dialect == "2019" and publication.index % 4 == 0:
        head = "\n"
    return (head + article(publication, facts)).encode()


def article_set(articles: list[tuple[Publication, FullText]]) -> bytes:
    """The reply of efetch db=pmc."""
    return (_SET_HEAD + "".join(article(*one) for one in articles) + "</pmc-articleset>").encode()


def article(publication: Publication, facts: FullText) -> str:
    """One `article` element."""
    kind = "research-article"
    if publication.notice in ("erratum", "retraction-notice"):
        kind = "correction" if publication.notice == "erratum" else "retraction"
    attributes = f' article-type="{kind}"'
    if facts.dialect == "2025":
        attributes = f' dtd-version="1.3" xml:lang="en"{attributes}'
    instructions = "<?properties open_access?>" if facts.dialect != "2019" else ""
    if facts.dialect == "2015":
        instructions += "<?DTDIdentifier.IdentifierType public?><?SourceDTD.Version 1.0?>"
    processing = ""
    if facts.dialect == "2025":
        processing = (
            '<processing-meta base-tagset="archiving" mathml-version="3.0" table-model="xhtml" tagset-family="jats">'
            "<restricted-by>pmc</restricted-by></processing-meta>"
        )
    front = f"<front>{_journal_meta(publication)}{_article_meta(publication, facts)}</front>"
    if facts.body == "restricted":
        return f"<article {_NAMESPACES}{attributes}>{instructions}{processing}{front}{_FORBIDDEN}</article>"
    floats = _floats_group(publication) if facts.body == "full" and publication.index % 7 == 0 else ""
    return (
        f"<article {_NAMESPACES}{attributes}>{instructions}{processing}{front}{_body(publication, facts)}"
        f"{_back(publication, facts)}{floats}{_sub_article(publication, facts)}</article>"
    )


def _journal_meta(publication: Publication) -> str:
    journal = publication.journal
    short = escape(journal.abbreviation)
    abbreviated = ""
    if publication.index % 4 == 0:
        abbreviated = f'<abbrev-journal-title abbrev-type="pubmed">{short}</abbrev-journal-title>'
    place = "<publisher-loc>London</publisher-loc>" if publication.index % 4 == 1 else ""
    return (
        f'<journal-meta><journal-id journal-id-type="nlm-ta">{short}</journal-id><journal-id '
        f'journal-id-type="iso-abbrev">{short}</journal-id><journal-title-group><journal-title>'
        f"{escape(journal.title)}</journal-title>{abbreviated}</journal-title-group>"
        f'<issn pub-type="ppub">{journal.issn}</issn><issn pub-type="epub">{journal.essn}</issn>'
        f"<publisher><publisher-name>{escape(journal.publisher.name)}</publisher-name>{place}</publisher></journal-meta>"
    )


def _ids(publication: Publication, facts: FullText) -> str:
    digits = facts.ids.pmcid.removeprefix("PMC")
    if facts.pmcid_form == "bare":
        shown = f'<article-id pub-id-type="pmcid">{digits}</article-id>'
    elif facts.pmcid_form == "pmc":
        shown = f'<article-id pub-id-type="pmc">{digits}</article-id>'
    else:
        shown = (
            f'<article-id pub-id-type="pmcid">PMC{digits}</article-id>'
            f'<article-id pub-id-type="pmcid-ver">PMC{digits}.1</article-id>'
            f'<article-id pub-id-type="pmcaid">{digits}</article-id><article-id pub-id-type="pmcaiid">{digits}</article-id>'
        )
    if facts.ids.pmid:
        shown += f'<article-id pub-id-type="pmid">{facts.ids.pmid}</article-id>'
    if facts.manuscript:
        shown = f'<article-id pub-id-type="manuscript">NIHMS{publication.index}</article-id>' + shown
    shown += f'<article-id pub-id-type="publisher-id">ART-{publication.index}</article-id>'
    if facts.ids.doi:
        shown += f'<article-id pub-id-type="doi">{escape(facts.ids.doi)}</article-id>'
    return shown


def _article_meta(publication: Publication, facts: FullText) -> str:
    number, year = publication.index, publication.year
    version = ""
    if facts.dialect == "2025" and number % 4 == 0:
        version = (
            '<article-version vocab="JAV" article-version-type="VoR">Version of Record</article-version>'
        )
    nested = "<subj-group><subject>Measurement</subject></subj-group>" if number % 9 == 0 else ""
    title = content.title_of(publication).jats
    alternative = (
        f'<alt-title alt-title-type="running-head">Short title {number}</alt-title>'
        if number % 7 == 0
        else ""
    )
    translated = ""
    if number % 11 == 0:
        translated = '<trans-title-group xml:lang="fr"><trans-title>De la mesure des choses</trans-title></trans-title-group>'
    issue_id = f'<issue-id pub-id-type="publisher-id">i{number}</issue-id>' if number % 12 == 0 else ""
    pages = f"<fpage>{100 + number % 800}</fpage><lpage>{110 + number % 800}</lpage>"
    if number % 2:
        pages = f"<elocation-id>e{number}</elocation-id>"
    related = ""
    if number % 9 == 2 or publication.notice in ("erratum", "retraction-notice"):
        kind = "retracted-article" if publication.notice == "retraction-notice" else "corrected-article"
        related = f'<related-article related-article-type="{kind}" ext-link-type="doi" id="ra1" xlink:href="10.5555/r.{number}"/>'
    self_uri = f'<self-uri content-type="pdf" xlink:href="article-{number}.pdf"/>' if number % 3 == 0 else ""
    history = "".join(
        f'<date date-type="{kind}"><day>{publication.day}</day><month>{publication.month}</month><year>{year}</year></date>'
        for kind in ("received", "accepted")
    )
    events = ""
    if facts.dialect == "2025" and number % 3 == 0:
        events = (
            f'<pub-history><event event-type="pmc-release"><date><day>{publication.day:02d}</day>'
            f"<month>{publication.month:02d}</month><year>{year}</year></date></event></pub-history>"
        )
    return (
        f'<article-meta>{_ids(publication, facts)}{version}<article-categories><subj-group subj-group-type="heading">'
        f"<subject>Research Article</subject>{nested}</subj-group></article-categories><title-group><article-title>{title}"
        f"</article-title>{alternative}{translated}</title-group>{_contributors(publication)}"
        f"{_dates(publication)}<volume>{1 + year - 1990}</volume><issue>{1 + number % 12}</issue>{issue_id}{pages}"
        f"<history>{history}</history>{events}{_permissions(publication)}{self_uri}{related}"
        f"{_abstract(publication, facts)}{_keywords(publication, facts)}{_funding(publication)}{_counts(publication)}"
        "</article-meta>"
    )


def _dates(publication: Publication) -> str:
    year, month, day = publication.year, publication.month, publication.day
    collection = f'<pub-date pub-type="collection"><year>{year}</year></pub-date>'
    if publication.index % 8 == 0:
        collection = f'<pub-date pub-type="ppub"><season>Jan-Mar</season><year>{year}</year></pub-date>'
    return f'{collection}<pub-date pub-type="epub"><day>{day}</day><month>{month}</month><year>{year}</year></pub-date>'


def _contributors(publication: Publication) -> str:
    """Authors, affiliations and notes; the corresponding author is marked in one of six ways."""
    authors = content.authors_of(publication)
    how = content.correspondence_of(publication)
    department, institution, country = map(escape, content.affiliation_of(publication))
    inside = publication.index % 3 == 0
    shown = "".join(_contributor(publication, author, how) for author in authors)
    if publication.index % 23 == 0:
        shown += '<contrib contrib-type="author"><collab>The Field Study Group</collab></contrib>'
    form = publication.index % 5
    if form == 0:
        place = (
            f'<label>1</label><institution-wrap><institution-id institution-id-type="ROR">https://ror.org/0{publication.index}'
            f"</institution-id><institution>{institution}</institution></institution-wrap>, <country>{country}</country>"
        )
    elif form == 1:
        place = f"<label>1</label><addr-line>{department}</addr-line>, <institution>{institution}</institution>, <country>{country}</country>"
    elif form == 2:
        place = f"<sup>1</sup>{department}, {institution}, {country}"
    elif form == 3:
        place = f"<label>1</label><institution>{department}, {institution}</institution>, <addr-line>{country}</addr-line>"
    else:
        place = f"<label>1</label>{department}, {institution}, {country}"
    affiliation = f'<aff id="aff1">{place}</aff>'
    group = f"<contrib-group>{shown}{affiliation if inside else ''}</contrib-group>{'' if inside else affiliation}"
    return group + _author_notes(publication, authors, how)


def _contributor(publication: Publication, author: Author, how: str) -> str:
    flag = ' corresp="yes"' if author.email and how in ("attribute", "address") else ""
    orcid = ""
    if author.orcid:
        orcid = f'<contrib-id contrib-id-type="orcid">https://orcid.org/{author.orcid}</contrib-id>'
    given, surname = escape(author.given), escape(author.surname)
    shown = f"<name><surname>{surname}</surname><given-names>{given}</given-names></name>"
    role = "<role>Formal analysis</role>" if publication.index % 10 == 0 else ""
    mark = "<sup>1</sup>" if publication.index % 3 == 1 else "1"
    links = f'<xref ref-type="aff" rid="aff1">{mark}</xref>'
    mail = ""
    if author.email and how == "attribute":
        mail = f"<email>{author.email}</email>"
    if author.email and how == "address":
        mail = f"<address><email>{author.email}</email></address>"
    if author.email and how == "note":
        links += '<xref ref-type="corresp" rid="cor1">*</xref>'
    if author.email and how == "footnote":
        links += '<xref ref-type="author-notes" rid="fn1">✉</xref>'
    return f'<contrib contrib-type="author"{flag}>{orcid}{shown}{role}{mail}{links}</contrib>'


def _author_notes(publication: Publication, authors: tuple[Author, ...], how: str) -> str:
    author = next(author for author in authors if author.email)
    name = escape(f"{author.given} {author.surname}")
    phone = f"Tel: +372-{5_000_000 + publication.index}, "
    equal = (
        f'<fn fn-type="equal" id="fn9"><label>†</label><p><bold>Note:</bold> these authors contributed equally '
        f"(Footnote remark {publication.index}.)</p></fn>"
        if publication.index % 4 == 0
        else ""
    )
    if how == "note":
        heading = "<bold>Correspondence:</bold> " if publication.index // 6 % 2 else "<label>*</label>"
        return (
            f'<author-notes><corresp id="cor1">{heading}{phone}E-mail: <email>{author.email}</email></corresp>{equal}'
            "</author-notes>"
        )
    if how == "surname":
        return (
            f'<author-notes><corresp id="cor1">Correspondence to {name}. E-mail: <email>{author.email}</email></corresp>'
            f"{equal}</author-notes>"
        )
    if how == "footnote":
        return (
            f'<author-notes><fn id="fn1"><label>✉</label><p>Corresponding author: {name} <email>{author.email}</email>'
            f"</p></fn>{equal}</author-notes>"
        )
    return f"<author-notes>{equal}</author-notes>" if equal else ""


def _permissions(publication: Publication) -> str:
    number, year = publication.index, publication.year
    holder = "<copyright-holder>The Authors</copyright-holder>" if number % 3 == 0 else ""
    address = "https://creativecommons.org/licenses/by/4.0/"
    reference = (
        f'<ali:license_ref specific-use="textmining">{address}</ali:license_ref>' if number % 4 == 2 else ""
    )
    return (
        f"<permissions><copyright-statement>© {year} The Authors. Copyright remark {number}</copyright-statement>"
        f"<copyright-year>{year}</copyright-year>{holder}<license>{reference}<license-p>This is an open access article "
        f'under the <ext-link ext-link-type="uri" xlink:href="{address}">CC BY</ext-link> license.</license-p></license>'
        "</permissions>"
    )


def _abstract(publication: Publication, facts: FullText) -> str:
    parts = content.abstract_of(publication, facts.abstract)
    if not parts:
        return ""
    title = "<title>Abstract</title>" if publication.index % 3 == 0 else ""
    if parts[0].label:
        inner = "".join(
            f"<sec><title>{part.label}</title><p>{' '.join(s.jats for s in part.sentences)}</p></sec>"
            for part in parts
        )
    else:
        inner = "".join(f"<p>{' '.join(s.jats for s in part.sentences)}</p>" for part in parts)
    translated = ""
    if publication.index % 11 == 0:
        translated = '<trans-abstract xml:lang="fr"><title>Résumé</title><p>Nous avons mesuré toutes choses avec soin.</p></trans-abstract>'
    return f"<abstract>{title}{inner}</abstract>{translated}"


def _keywords(publication: Publication, facts: FullText) -> str:
    if not facts.keywords:
        return ""
    title = "<title>Keywords</title>" if publication.index % 2 else ""
    words = "".join(
        f"<kwd>{escape(word).replace('in situ', '<italic>in situ</italic>')}</kwd>"
        for word in content.keywords_of(publication, facts.keywords)
    )
    return f'<kwd-group kwd-group-type="author">{title}{words}</kwd-group>'


def _funding(publication: Publication) -> str:
    if publication.index % 5:
        return ""
    source = "<funding-source>Wellcome Trust</funding-source>"
    if publication.index % 10 == 0:
        source = (
            '<funding-source><institution-wrap><institution-id institution-id-type="FundRef">10.13039/100010269'
            "</institution-id><institution>Wellcome Trust</institution></institution-wrap></funding-source>"
        )
    return (
        f"<funding-group><award-group>{source}<award-id>W{publication.index}</award-id></award-group>"
        "<funding-statement>This work was funded.</funding-statement></funding-group>"
    )


def _counts(publication: Publication) -> str:
    shown = ""
    if publication.index % 3 == 0:
        shown = (
            '<counts><fig-count count="2"/><table-count count="1"/><equation-count count="1"/><ref-count count="20"/>'
            '<page-count count="11"/><word-count count="5000"/></counts>'
        )
    if publication.index % 4 == 0:
        shown += (
            "<custom-meta-group><custom-meta><meta-name>pmc-status-live</meta-name><meta-value>yes</meta-value>"
            "</custom-meta></custom-meta-group>"
        )
    return shown


# -- body and back ----------------------------------------------------------------------------------------------------


def _body(publication: Publication, facts: FullText) -> str:
    if facts.body == "none":
        if publication.index % 2:
            return ""
        return (
            '<body><sec sec-type="supplementary-material"><title/><supplementary-material id="scanned" '
            'content-type="scanned-pages"/></sec></body>'
        )
    sections = body_of(publication, facts)
    if not sections[0][0]:
        floats = _floats(publication) if facts.body == "full" and publication.index % 7 else ""
        return f"<body>{_paragraphs(sections[0][1])}{floats}</body>"
    shown = []
    for number, section in enumerate(sections, 1):
        extra = ""
        if section[0] == "Results" and publication.index % 7:
            if _dice(publication, 1) % 2:
                first = section[2][0]
                inner = _section(
                    publication, first, f"{number}.0", _floats(publication) + _linked(publication)
                )
                section = (section[0], section[1], section[2][1:])
                extra = inner
            else:
                extra = _floats(publication)
        elif section[0] == "Discussion":
            extra = _extras(publication)
        shown.append(_section(publication, section, str(number), extra))
    if publication.index % 5 == 0:
        shown.append(
            '<sec sec-type="supplementary-material" id="s9"><title>Supporting information</title>'
            '<supplementary-material id="S1" content-type="local-data"><label>S1 File</label><caption><p>'
            f"Supplementary remark {publication.index}.</p></caption>"
            '<media xlink:href="s1.zip"><caption><p>Click here</p></caption></media></supplementary-material></sec>'
        )
    return f"<body>{''.join(shown)}</body>"


def _paragraphs(paragraphs: list[list[Markup]]) -> str:
    return "".join(
        [f"<p>{' '.join([sentence.jats for sentence in paragraph])}</p>" for paragraph in paragraphs]
    )


def _section(publication: Publication, section: Section, number: str, extra: str = "") -> str:
    title, paragraphs, inner = section
    label = f"<label>{number}</label>" if publication.index % 9 == 4 else ""
    kind = ' sec-type="methods"' if title.endswith("methods") else ""
    if title == "Strains and data" and publication.index % 6 == 1:
        title = "<italic>E. coli</italic> strains"
    else:
        title = escape(title)
    within = "".join(_section(publication, one, f"{number}.{i}") for i, one in enumerate(inner, 1))
    return f'<sec id="s{number}"{kind}>{label}<title>{title}</title>{_paragraphs(paragraphs)}{extra}{within}</sec>'


def _figure(publication: Publication, number: int) -> str:
    titled = "<title>What was seen</title>" if _dice(publication, 3) % 4 == 0 else ""
    graphic = f'<graphic xlink:href="f{number}.jpg"/>'
    if publication.index % 8 == 0:
        graphic = f"<alternatives>{graphic}<textual-form>f{number}</textual-form></alternatives>"
    return (
        f'<fig id="F{number}"><label>Figure {number}</label><caption>{titled}<p>Figure caption remark {publication.index}. '
        f"<italic>P</italic> values are two-sided; see <bold>a</bold>.</p></caption>{graphic}</fig>"
    )


def _table(publication: Publication) -> str:
    number = publication.index
    titled = "<title>What was counted</title>" if _dice(publication, 3) % 4 == 1 else ""
    foot = ""
    if number % 3 != 2:
        foot = '<table-wrap-foot><fn id="tfn1"><label>a</label><p>Mean ± standard error.</p></fn></table-wrap-foot>'
    columns = '<colgroup span="1"><col span="1"/></colgroup>' if number % 8 == 0 else ""
    head = "<tr><th>Group</th><th><italic>n</italic><sup>a</sup></th></tr>"
    rows = (
        f"<tr><td>Table cell remark {number}</td><td><bold>12</bold></td></tr><tr><td><italic>E. coli</italic><break/>wild "
        'type</td><td>7.3 × 10<sup>3</sup> <xref ref-type="bibr" rid="B2">2</xref></td></tr>'
    )
    if number % 19:
        head, rows = f"<thead>{head}</thead>", f"<tbody>{rows}</tbody>"
    return (
        f'<table-wrap id="T1"><label>Table 1</label><caption>{titled}<p>Table caption remark {number}.</p></caption>'
        f"<table>{columns}{head}{rows}</table>{foot}</table-wrap>"
    )


def _floats(publication: Publication) -> str:
    """Figures and a table where the text calls for them: in the section or inside a paragraph."""
    figures = _figure(publication, 1) + _figure(publication, 2)
    if _dice(publication, 2) % 5 == 0:
        return f"<p>All counts are shown here. {_table(publication)} {figures}</p>"
    return figures + _table(publication)


def _dice(publication: Publication, which: int) -> int:
    """A number that goes with nothing else of the publication."""
    return ((publication.index * 2_654_435_761 + which * 97_003) & 0xFFFF_FFFF) >> 8


def _linked(publication: Publication) -> str:
    return (
        '<p>Sequences are at <ext-link ext-link-type="uri" xlink:href="https://archive.example/'
        f'{publication.index}">the archive</ext-link>.</p>'
    )


def _floats_group(publication: Publication) -> str:
    return f"<floats-group>{_figure(publication, 1)}{_figure(publication, 2)}{_table(publication)}</floats-group>"


def _extras(publication: Publication) -> str:
    """Formulas, lists, quotes, boxes and links, each in some articles."""
    number = publication.index
    shown = ""
    if number % 5 == 0:
        alternatives = f'<alternatives><tex-math id="M1">{_TEX}</tex-math>{_MATHML % 1}<graphic xlink:href="eq1.gif"/></alternatives>'
        shown += f'<p>The energy is <inline-formula>{alternatives}</inline-formula> as before.<disp-formula id="E1"><label>(1)</label>{alternatives}</disp-formula></p>'
        shown += f"<sec><title>A derivation</title><p>It follows that <disp-formula>{_MATHML % 2}</disp-formula></p></sec>"
        return shown
    if number % 5 == 1:
        shown += '<list list-type="bullet"><list-item><p>First, the samples.</p></list-item><list-item><p>Second, the counts.</p></list-item></list>'
        shown += "<p>Also in a paragraph: <list><list-item><p>one thing</p></list-item></list></p>"
    if number % 5 == 2:
        shown += "<disp-quote><p>Nobody counted them before.</p></disp-quote>"
        shown += '<boxed-text id="B1"><caption><title>Box 1</title></caption><p>What is known already.</p></boxed-text>'
    if number % 5 == 3:
        shown += (
            '<p>Code is at <ext-link ext-link-type="uri" xlink:href="https://code.example/x">https://code.example/x</ext-link>'
            ' and the <sc>ORF</sc> is long<sup><xref ref-type="bibr" rid="B3">3</xref></sup>'
            ' (<xref ref-type="fig" rid="F1"><italic>Fig. 1</italic></xref>); write to <email>data@uni.example</email>.</p>'
        )
    if number % 5 == 4:
        shown += '<p><bold>Remark.</bold> See <named-content content-type="species">the species</named-content> & others.</p>'.replace(
            "&", "&amp;"
        )
    return shown


def _back(publication: Publication, facts: FullText) -> str:
    number = publication.index
    acknowledgement = ""
    if number % 2 == 0 or facts.body != "full":
        title = "<title>Acknowledgements</title>" if number % 4 else ""
        acknowledgement = (
            f"<ack>{title}<p>Acknowledgement remark {number}. We thank <italic>everybody</italic>.</p></ack>"
        )
    glossary = notes = section = footnotes = appendix = ""
    whole = facts.body == "full"
    if number % 4 == 0 and whole:
        glossary = (
            "<glossary><title>Abbreviations</title><def-list><def-item><term>GR</term><def><p>Glossary remark "
            f"{number}.</p></def></def-item></def-list></glossary>"
        )
    if number % 7 == 0 and whole:
        notes = "<notes><title>Data availability</title><p>All data are in the archive.</p></notes>"
    if number % 6 == 0 and whole:
        section = f"<sec><title>Author contributions</title><p>Back matter section remark {number}.</p></sec>"
    if number % 3 == 0:
        footnotes = (
            f'<fn-group><fn fn-type="conflict"><label>1</label><p><bold>Conflict:</bold> none. Footnote remark {number}. '
            'See <ext-link ext-link-type="uri" xlink:href="https://code.example/y">here</ext-link>.</p></fn></fn-group>'
        )
    if number % 10 == 0:
        appendix = (
            f"<app-group><app><title>Appendix</title><p>Appendix remark {number}.</p></app></app-group>"
        )
    return f"<back>{acknowledgement}{glossary}{section}{notes}{footnotes}{appendix}{_reference_list(publication, facts)}</back>"


def _sub_article(publication: Publication, facts: FullText) -> str:
    if publication.index % 13 or facts.body != "full":
        return ""
    return (
        '<sub-article article-type="decision-letter" id="sa1"><front-stub><article-categories><subj-group>'
        "<subject>Decision letter</subject></subj-group></article-categories><title-group><article-title>Decision letter"
        '</article-title></title-group><contrib-group><contrib contrib-type="editor"><contrib-id contrib-id-type="orcid">'
        "https://orcid.org/0000-0000-0000-0001</contrib-id><name><surname>Editor</surname><given-names>Ann</given-names>"
        '</name><xref ref-type="aff" rid="aff1">1</xref></contrib></contrib-group></front-stub><body><p>Sub-article remark '
        f"{publication.index}.</p></body></sub-article>"
    )


# -- references -------------------------------------------------------------------------------------------------------


def _reference_list(publication: Publication, facts: FullText) -> str:
    pool = _references(publication.seed)
    rng = draw(publication.seed, "references", publication.index)
    count = REFERENCES_ALWAYS + int(rng.random() * (40 if facts.body == "full" else 1))
    form = publication.index % 2
    labelled = publication.index % 3 > 0
    title = "<title>References</title>" if publication.index % 4 else ""
    start = int(rng.random() * len(pool))
    shown = []
    for number in range(1, count + 1):
        label = f"<label>{number}.</label>" if labelled else ""
        shown.append(f'<ref id="B{number}">{label}{pool[(start + number * 7) % len(pool)][form]}</ref>')
    return f"<ref-list>{title}{''.join(shown)}</ref-list>"


@lru_cache(maxsize=4)
def _references(seed: int, count: int = 300) -> list[tuple[str, str]]:
    """A stock of references, each as element-citation and as mixed-citation."""
    return [_reference(seed, number) for number in range(count)]


def _reference(seed: int, number: int) -> tuple[str, str]:
    rng = draw(seed, "reference", number)
    journal = pick(JOURNALS, rng)
    year, volume, first = (
        1980 + int(rng.random() * 45),
        1 + int(rng.random() * 90),
        1 + int(rng.random() * 900),
    )
    people = [
        (pick(SURNAMES, rng), chr(65 + int(rng.random() * 26))) for _ in range(1 + int(rng.random() * 4))
    ]
    title = f"A cited study of <italic>{pick(SUBJECTS, rng)}</italic> no. {number}"
    names = "".join(
        f"<name><surname>{escape(s)}</surname><given-names>{g}</given-names>"
        f"{'<suffix>Jr</suffix>' if number % 12 == 0 else ''}</name>"
        for s, g in people
    )
    others = "<etal/>" if number % 3 == 0 else ""
    if number % 9 == 0:
        others += "<collab>The Consortium</collab>"
    group = f'<person-group person-group-type="author">{names}{others}</person-group>'
    source = escape(journal.abbreviation)
    source = f"<italic>{source}</italic>" if number % 10 == 1 else source
    doi = f'<pub-id pub-id-type="doi">10.5555/cited.{seed}.{number}</pub-id>' if number % 2 else ""
    pmid = f'<pub-id pub-id-type="pmid">{7_000_000 + number}</pub-id>' if number % 3 else ""
    pages = (
        f"<fpage>{first}</fpage><lpage>{first + 9}</lpage>"
        if number % 8
        else f"<elocation-id>e{first}</elocation-id>"
    )
    comment = (
        f'<comment>Available at: <ext-link ext-link-type="uri" xlink:href="https://cited.example/{number}">link</ext-link></comment>'
        if number % 4 == 0
        else ""
    )
    if number % 7 == 0:  # a book
        element = (
            f'<element-citation publication-type="book">{group}<year>{year}</year><chapter-title>{title}</chapter-title>'
            f"<source>Handbook {number}</source><edition>2</edition><publisher-loc>Tartu</publisher-loc>"
            f"<publisher-name>University Press</publisher-name><fpage>{first}</fpage><lpage>{first + 20}</lpage>"
            "<volume>2</volume></element-citation>"
        )
    elif number % 11 == 0:  # a talk
        element = (
            f'<element-citation publication-type="confproc">{group}<article-title>{title}</article-title><source>Proceedings'
            f"</source><conf-name>Conference {number}</conf-name><conf-loc>Łódź</conf-loc><month>6</month><year>{year}</year>"
            '<date-in-citation content-type="access-date">June 2020</date-in-citation><ext-link ext-link-type="uri" '
            f'xlink:href="https://talk.example/{number}">talk</ext-link></element-citation>'
        )
    else:
        element = (
            f'<element-citation publication-type="journal">{group}<article-title>{title}</article-title><source>{source}'
            f"</source><year>{year}</year><volume>{volume}</volume><issue>{1 + number % 12}</issue>{pages}{comment}{doi}{pmid}"
            "</element-citation>"
        )
    plain_names = ", ".join(
        f"<string-name><surname>{escape(s)}</surname> <given-names>{g}</given-names></string-name>"
        for s, g in people
    )
    if number % 2:
        plain_names = f'<person-group person-group-type="author">{plain_names if number % 4 == 1 else names}{others}</person-group>'
    book = (
        "<publisher-name>University Press</publisher-name>, <publisher-loc>Tartu</publisher-loc>; "
        if number % 7 == 0
        else ""
    )
    link = (
        f' <ext-link ext-link-type="uri" xlink:href="https://cited.example/{number}">link</ext-link>'
        if number % 2
        else ""
    )
    mixed = (
        f'<mixed-citation publication-type="journal">{plain_names}. (<year>{year}</year>) <article-title>{title}</article-title>.'
        f" <source>{source}</source> {book}<volume>{volume}</volume>(<issue>{1 + number % 12}</issue>):<fpage>{first}</fpage>–"
        f"<lpage>{first + 9}</lpage>. <italic>Epub</italic>. {comment}{doi}{pmid}{link}</mixed-citation>"
    )
    return element, mixed
