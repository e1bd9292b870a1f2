"""What a JATS article says to a need: the same for Europe PMC's full text and for PMC (F-EFT-03…12)."""

from typing import TYPE_CHECKING

from pubweave.contract.exchange import Reply
from pubweave.contract.findings import Mark
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.values import CorrespAuthor
from pubweave.contract.vocabulary import TypeName
from pubweave.core.reading.jats.plain import PlainArticle
from pubweave.core.reading.jats.stored import source_of
from pubweave.core.toolkit.answering import NeedAnswer
from pubweave.core.toolkit.service import Context, Said

if TYPE_CHECKING:
    from lxml import etree

NEVER_FINAL: tuple[Mark, ...] = ("never-final",)


def full_title(article: PlainArticle) -> str:
    """`title : subtitle` (F-PT-04)."""
    return " : ".join(text for text in (article.title, article.subtitle) if text)


def full_text(article: PlainArticle) -> str:
    """Title, abstract and the rest, separated by an empty line (F-PT-09)."""
    return "\n\n".join(text for text in (full_title(article), article.abstract, article.body) if text)


def say_article(
    need: NeedsPart,
    reply: Reply,
    article: PlainArticle,
    type_: TypeName,
    url: str,
    element: "etree._Element",
    context: Context,
) -> list[Said]:
    """Identifiers, what is missing, fields; then the outcome. The article itself goes beside the full text.

    An article without body text is `abstract-only`, and its full text is marked as never final (fault 31).
    """
    answer = NeedAnswer(need, reply)
    answer.identifier("pmid", type_, url, article.pmid)
    answer.identifier("pmcid", type_, url, article.pmcid)
    answer.identifier("doi", type_, url, article.doi)
    missing = need.missing
    if "title" in missing:
        answer.text("title", type_, url, full_title(article))
    if "keywords" in missing:
        answer.keywords(type_, url, article.keywords)
    if "theAbstract" in missing:
        answer.text("theAbstract", type_, url, article.abstract)
    if "fulltext" in missing:
        answer.text(
            "fulltext",
            type_,
            url,
            full_text(article),
            () if article.has_body else NEVER_FINAL,
            document=source_of(element) if article.has_body and context.structured_documents else b"",
        )
    if article.journal_title:
        answer.field("journalTitle", url, text=article.journal_title)
    if article.corresp_authors:
        answer.field(
            "correspAuthor",
            url,
            authors=tuple(
                CorrespAuthor(author.name, author.orcid, author.email, author.phone, author.uri)
                for author in article.corresp_authors
            ),
        )
    answer.lacks("title", "theAbstract")
    if article.has_body:
        return answer.done("found", f"an article with {len(article.body)} characters of text", success=True)
    why = "the publisher does not allow downloading the full text" if article.restricted else "no body text"
    return answer.done("abstract-only", why, success=True)
