"""efetch db=pubmed: a `PubmedArticleSet` of articles and book articles."""

from xml.sax.saxutils import escape

from simnet import content
from simnet.content import Author
from simnet.draw import draw
from simnet.facts import AbstractSize, Publication, Pubmed
from simnet.publishers import JOURNALS
from simnet.replies.europepmc import partner_id

HEAD = (
    '<?xml version="1.0" ?>\n<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2025//EN" '
    '"https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd">\n<PubmedArticleSet>'
)
TAIL = "\n</PubmedArticleSet>"
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_NOTICES = {
    "retracted": "RetractionIn",
    "retraction-notice": "RetractionOf",
    "erratum": "ErratumFor",
    "has-erratum": "ErratumIn",
    "concern": "ExpressionOfConcernIn",
    "has-preprint": "UpdateOf",
}
_TYPES = {
    "retracted": ("D016441", "Retracted Publication"),
    "retraction-notice": ("D016440", "Retraction of Publication"),
    "erratum": ("D016425", "Published Erratum"),
}
_BOOK_AUTHORS = ' Type="authors"'


def _yn(value: bool) -> str:
    return "Y" if value else "N"


def reply(records: list[str]) -> bytes:
    """The whole reply; an empty set is well-formed."""
    return (HEAD + "".join("\n" + record for record in records) + TAIL).encode()


def record(publication: Publication, facts: Pubmed) -> str:
    """One record of the set."""
    return _book(publication, facts) if facts.book else _article(publication, facts)


def _title(publication: Publication) -> str:
    return content.title_of(publication).pubmed + "."


def _abstract(publication: Publication, size: AbstractSize) -> str:
    parts = content.abstract_of(publication, size)
    if not parts:
        return ""
    shown = []
    for part in parts:
        label = f' Label="{part.label.upper()}" NlmCategory="{part.label.upper()}"' if part.label else ""
        shown.append(f"<AbstractText{label}>{' '.join(s.pubmed for s in part.sentences)}</AbstractText>")
    rights = (
        f"<CopyrightInformation>© {publication.year} The Author(s).</CopyrightInformation>"
        if publication.index % 5 == 0
        else ""
    )
    return f"<Abstract>{''.join(shown)}{rights}</Abstract>"


def _authors(publication: Publication, kind: str = "") -> str:
    affiliation = escape(", ".join(content.affiliation_of(publication)))

    def one(author: Author) -> str:
        orcid = f'<Identifier Source="ORCID">{author.orcid}</Identifier>' if author.orcid else ""
        mail = f" {author.email}." if author.email else ""
        return (
            f'<Author ValidYN="Y"><LastName>{escape(author.surname)}</LastName><ForeName>{escape(author.given)}'
            f"</ForeName><Initials>{author.initials}</Initials>{orcid}<AffiliationInfo><Affiliation>{affiliation}."
            f"{mail}</Affiliation></AffiliationInfo></Author>"
        )

    shown = "".join(one(author) for author in content.authors_of(publication))
    if publication.index % 23 == 0:
        shown += '<Author ValidYN="Y"><CollectiveName>The Field Study Group</CollectiveName></Author>'
    return f'<AuthorList{kind} CompleteYN="Y">{shown}</AuthorList>'


def _date(name: str, publication: Publication, attributes: str = "", padded: bool = True) -> str:
    month = f"{publication.month:02d}" if padded else str(publication.month)
    day = f"{publication.day:02d}" if padded else str(publication.day)
    return (
        f"<{name}{attributes}><Year>{publication.year}</Year><Month>{month}</Month><Day>{day}</Day></{name}>"
    )


def _issue_date(publication: Publication) -> str:
    if publication.index % 17 == 0:
        return f"<PubDate><MedlineDate>{publication.year} Jan-Mar</MedlineDate></PubDate>"
    day = f"<Day>{publication.day}</Day>" if publication.index % 3 == 0 else ""
    return f"<PubDate><Year>{publication.year}</Year><Month>{_MONTHS[publication.month - 1]}</Month>{day}</PubDate>"


def _article(publication: Publication, facts: Pubmed) -> str:
    journal, ids = publication.journal, facts.ids
    location = ""
    if ids.doi and publication.index % 3:
        location = f'<ELocationID EIdType="doi" ValidYN="Y">{escape(ids.doi)}</ELocationID>'
    if publication.index % 7 == 0:
        location += f'<ELocationID EIdType="pii" ValidYN="Y">e{publication.index}</ELocationID>'
    vernacular = ""
    title = _title(publication)
    language = "eng"
    if publication.translated:
        language = "fre"
        vernacular = "<VernacularTitle>De la mesure des choses.</VernacularTitle>"
        title = f"[{title[:-1]}]."
    article_date = _date("ArticleDate", publication, ' DateType="Electronic"', publication.index % 4 != 0)
    types = [_TYPES[publication.notice]] if publication.notice in _TYPES else []
    types.append(("D016428", "Journal Article"))
    kinds = "".join(f'<PublicationType UI="{ui}">{name}</PublicationType>' for ui, name in types)
    grants = ""
    if publication.index % 4 == 1:
        grants = (
            f'<GrantList CompleteYN="Y"><Grant><GrantID>MC_UU_{publication.index}</GrantID><Acronym>MRC_</Acronym>'
            "<Agency>Medical Research Council</Agency><Country>United Kingdom</Country></Grant></GrantList>"
        )
    first = 100 + publication.index % 800
    automated = ' IndexingMethod="Automated"' if publication.index % 3 == 0 else ""
    return (
        f'<PubmedArticle><MedlineCitation Status="MEDLINE" Owner="NLM"{automated}>'
        f'<PMID Version="1">{ids.pmid}</PMID>'
        f"<DateCompleted><Year>{publication.year}</Year><Month>12</Month><Day>01</Day></DateCompleted>"
        f"<DateRevised><Year>{publication.year + 1}</Year><Month>01</Month><Day>15</Day></DateRevised>"
        '<Article PubModel="Print-Electronic"><Journal>'
        f'<ISSN IssnType="Electronic">{journal.essn}</ISSN><JournalIssue CitedMedium="Internet"><Volume>'
        f"{1 + publication.year - 1990}</Volume><Issue>{1 + publication.index % 12}</Issue>{_issue_date(publication)}"
        f"</JournalIssue><Title>{escape(journal.title)}</Title><ISOAbbreviation>{escape(journal.abbreviation)}"
        f"</ISOAbbreviation></Journal><ArticleTitle>{title}</ArticleTitle><Pagination><StartPage>{first}</StartPage>"
        f"<EndPage>{first + 10}</EndPage><MedlinePgn>{first}-{first + 10}</MedlinePgn></Pagination>{location}"
        f"{_abstract(publication, facts.abstract)}{_authors(publication)}<Language>{language}</Language>{grants}"
        f"<PublicationTypeList>{kinds}</PublicationTypeList>{vernacular}{article_date}</Article>"
        f"<MedlineJournalInfo><Country>England</Country><MedlineTA>{escape(journal.abbreviation)}</MedlineTA>"
        f"<NlmUniqueID>{journal.nlm_id}</NlmUniqueID><ISSNLinking>{journal.issn}</ISSNLinking></MedlineJournalInfo>"
        f"{_chemicals(publication, facts)}<CitationSubset>IM</CitationSubset>{_notice(publication)}"
        f"{_mesh(publication, facts)}{_number_of_references(publication)}"
        f"{_other_ids(publication)}{_keywords(publication, facts)}{_statements(publication)}</MedlineCitation>"
        f"{_pubmed_data(publication, facts)}</PubmedArticle>"
    )


def _chemicals(publication: Publication, facts: Pubmed) -> str:
    if not facts.mesh or publication.index % 2:
        return ""
    return (
        "<ChemicalList><Chemical><RegistryNumber>YY9FVM7NSN</RegistryNumber>"
        '<NameOfSubstance UI="D006862">Hydrogen Sulfide</NameOfSubstance></Chemical></ChemicalList>'
    )


def _number_of_references(publication: Publication) -> str:
    return (
        f"<NumberOfReferences>{20 + publication.index % 60}</NumberOfReferences>"
        if publication.index % 13 == 0
        else ""
    )


def _other_ids(publication: Publication) -> str:
    return f'<OtherID Source="NLM">NIHMS{publication.index}</OtherID>' if publication.index % 8 == 0 else ""


def _statements(publication: Publication) -> str:
    shown = ""
    if publication.index % 11 == 0:
        shown += f'<GeneralNote Owner="NLM">Report number {publication.index}.</GeneralNote>'
    if publication.index % 6 == 0:
        shown += "<CoiStatement>The authors have declared that no competing interests exist.</CoiStatement>"
    return shown


def _notice(publication: Publication) -> str:
    kind = _NOTICES.get(publication.notice)
    if not kind:
        return ""
    pmid = (
        "" if publication.notice == "has-preprint" else f'<PMID Version="1">{partner_id(publication)}</PMID>'
    )
    source = f"{publication.journal.abbreviation}. {publication.year + 1} Feb;12(3):101-109"
    return (
        f'<CommentsCorrectionsList><CommentsCorrections RefType="{kind}"><RefSource>{escape(source)}</RefSource>'
        f"{pmid}</CommentsCorrections></CommentsCorrectionsList>"
    )


def _mesh(publication: Publication, facts: Pubmed) -> str:
    if not facts.mesh:
        return ""
    shown = []
    for number, term in enumerate(content.mesh_of(publication)):
        kind = ' Type="Geographic"' if (publication.index + number) % 31 == 0 else ""
        qualifiers = "".join(
            f'<QualifierName UI="{ui}" MajorTopicYN="{_yn(major)}">{name}</QualifierName>'
            for name, _, ui, major in term.qualifiers
        )
        shown.append(
            f'<MeshHeading><DescriptorName UI="{term.ui}" MajorTopicYN="{_yn(term.major)}"{kind}>'
            f"{term.term}</DescriptorName>{qualifiers}</MeshHeading>"
        )
    return f"<MeshHeadingList>{''.join(shown)}</MeshHeadingList>"


def _keywords(publication: Publication, facts: Pubmed) -> str:
    if not facts.keywords:
        return ""
    shown = "".join(
        f'<Keyword MajorTopicYN="N">{escape(word)}</Keyword>'
        for word in content.keywords_of(publication, facts.keywords)
    )
    return f'<KeywordList Owner="NOTNLM">{shown}</KeywordList>'


def _pubmed_data(publication: Publication, facts: Pubmed) -> str:
    ids = facts.ids
    own = f'<ArticleId IdType="pubmed">{ids.pmid}</ArticleId>'
    if publication.index % 6 == 0:
        own += f'<ArticleId IdType="pii">e{publication.index}</ArticleId>'
    if ids.pmcid:
        own += f'<ArticleId IdType="pmc">{ids.pmcid}</ArticleId>'
    if ids.doi:
        own += f'<ArticleId IdType="doi">{escape(ids.doi)}</ArticleId>'
    history = "".join(
        f'<PubMedPubDate PubStatus="{status}"><Year>{publication.year}</Year><Month>{publication.month}</Month>'
        f"<Day>{publication.day}</Day><Hour>6</Hour><Minute>0</Minute></PubMedPubDate>"
        for status in ("received", "pubmed", "medline", "entrez")
    )
    return (
        f"<PubmedData><History>{history}</History><PublicationStatus>ppublish</PublicationStatus>"
        f"<ArticleIdList>{own}</ArticleIdList>{_references(publication, facts)}</PubmedData>"
    )


def _references(publication: Publication, facts: Pubmed) -> str:
    """A reference list whose identifiers belong to others: the trap of fault 25."""
    if not facts.reference_ids:
        return ""
    rng = draw(publication.seed, "pubmed-references", publication.index)
    shown = []
    for number in range(3 + int(rng.random() * 6)):
        other = int(rng.random() * 10**7)
        journal = JOURNALS[other % len(JOURNALS)]
        ids = f'<ArticleId IdType="pubmed">{7_000_000 + other % 900_000}</ArticleId>'
        if number % 2 == 0:
            ids = f'<ArticleId IdType="doi">10.5555/cited.{other}</ArticleId>' + ids
        if number % 3 == 0:
            prefix = "PMC" if number % 2 else ""
            ids += f'<ArticleId IdType="pmc">{prefix}{2_000_000 + other % 900_000}</ArticleId>'
        listed = f"<ArticleIdList>{ids}</ArticleIdList>" if number != 1 else ""
        shown.append(
            f"<Reference><Citation>{escape(journal.abbreviation)}. {1990 + other % 30};{other % 40}(2):10-{20 + number}"
            f"</Citation>{listed}</Reference>"
        )
    return f"<ReferenceList>{''.join(shown)}</ReferenceList>"


def _book(publication: Publication, facts: Pubmed) -> str:
    return (
        f'<PubmedBookArticle><BookDocument><PMID Version="1">{facts.ids.pmid}</PMID><ArticleIdList>'
        f'<ArticleId IdType="bookaccession">NBK{publication.index}</ArticleId></ArticleIdList><Book><Publisher>'
        "<PublisherName>University of Washington, Seattle</PublisherName><PublisherLocation>Seattle (WA)"
        '</PublisherLocation></Publisher><BookTitle book="gene">Reviews of Genes<sup>®</sup></BookTitle><PubDate>'
        "<Year>1993</Year></PubDate><BeginningDate><Year>1993</Year></BeginningDate><EndingDate><Year>2025</Year>"
        "</EndingDate><Medium>Internet</Medium></Book>"
        f'<ArticleTitle book="gene" part="p{publication.index}">{content.title_of(publication).pubmed}</ArticleTitle>'
        f'<Language>eng</Language>{_authors(publication, _BOOK_AUTHORS)}<PublicationType UI="D016454">Review'
        f"</PublicationType>{_abstract(publication, facts.abstract)}"
        f"{_date('ContributionDate', publication)}{_date('DateRevised', publication)}</BookDocument><PubmedBookData>"
        f'<History><PubMedPubDate PubStatus="pubmed"><Year>{publication.year}</Year><Month>6</Month><Day>1</Day>'
        "<Hour>6</Hour><Minute>0</Minute></PubMedPubDate></History><PublicationStatus>ppublish</PublicationStatus>"
        f'<ArticleIdList><ArticleId IdType="pubmed">{facts.ids.pmid}</ArticleId></ArticleIdList></PubmedBookData>'
        "</PubmedBookArticle>"
    )
