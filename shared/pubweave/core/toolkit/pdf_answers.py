"""What a PDF says to a need: text, then metadata, all of one type (F-PDF-04, F-PDF-05)."""

import re
from typing import Final

import msgspec

from pubweave.contract.exchange import Reply
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.vocabulary import PartName, TypeName
from pubweave.core.addresses import address_of
from pubweave.core.politeness import host_of
from pubweave.core.reading.pdf_text.metadata import PdfMetadata
from pubweave.core.toolkit.answering import NeedAnswer, failed
from pubweave.core.toolkit.batching import broken, named
from pubweave.core.toolkit.pdf_identity import other_article
from pubweave.core.toolkit.service import Said
from pubweave.core.types import PDF

_PDF_TYPE: Final = re.compile(r"(?:application|image)/.{0,200}?(?:pdf|octet-stream)|^pb", re.IGNORECASE)

_NO_TITLE: Final = re.compile(
    r"untitled.{0,4}|(?:doi|pii)\s*:.*|microsoft (?:word|powerpoint) - .*|slide \d+|\W*\d*\W*|"
    r"\S+\.(?:pdf|docx?|rtf|tex|dvi|ps|eps|indd|qxd|fm|p65|xml|cdr|pptx?)",
    re.IGNORECASE,
)
"""What programs put where the title should be: their own words and names of files."""

ABSTRACT_FROM: Final = 100
"""Characters from which a PDF's subject may be the abstract; most say in a line where the article appeared."""


class PdfRead(msgspec.Struct, frozen=True):
    """What the PDF reader's reply holds, as far as it is needed here."""

    text: str = ""
    pages: int = 0
    pages_failed: int = 0
    metadata: PdfMetadata = PdfMetadata()


_DECODER: Final = msgspec.json.Decoder(PdfRead)


def is_title(title: str) -> bool:
    """Whether what a PDF says there is a title, and not what its maker puts where one should be."""
    return _NO_TITLE.fullmatch(title) is None


def is_pdf(reply: Reply) -> bool:
    """A reply that is no page but may be a PDF, by its type (F-EXC-13) or by its beginning (F-EXC-05)."""
    return _PDF_TYPE.search(reply.content_type) is not None or b"%PDF-" in reply.body[:1024]


def say_pdf(need: NeedsPart, reply: Reply, type_: TypeName, reasons: tuple[str, ...] = ()) -> list[Said]:
    """Full text, document information, then XMP; the fold keeps the first of each part.

    A PDF that is plainly about another article holds nothing of use, as a page about one does.

    :param reply: the PDF reader's, `found`
    :param type_: of the page or link that led here; what is said has its PDF counterpart
    :param reasons: what happened on the way here
    """
    if type_ not in PDF:
        raise ValueError(f"{type_} is no type of a PDF")
    try:
        read = _DECODER.decode(reply.body)
    except msgspec.MsgspecError as problem:
        return failed(need, broken(reply, f"the PDF reader's answer cannot be read: {problem}"))
    answer = NeedAnswer(need, named(reply))
    url = address_of(reply)
    pages = f"{read.pages} pages" + (f", {read.pages_failed} unreadable" if read.pages_failed else "")
    if other := other_article(read.text, read.metadata, need.identifiers.doi, need.title):
        why = f"{host_of(url)}: a PDF of {pages}, but {other}"
        return answer.done("empty", "; ".join(filter(None, [*reasons, why, reply.evidence])), tried=(url,))
    missing = frozenset(need.missing)
    if "fulltext" in missing:
        answer.text("fulltext", type_, url, read.text)
    said = read.metadata
    for title, keywords, abstract, layer in (
        (said.title, said.keywords, said.subject, "document information"),
        (said.xmp_title, said.xmp_subjects, said.xmp_description, "XMP"),
    ):
        if "title" in missing and is_title(title):
            answer.text("title", type_, url, title, rule=layer)
        if "keywords" in missing:
            answer.keywords(type_, url, keywords, rule=layer)
        if "theAbstract" in missing and len(abstract) >= ABSTRACT_FROM:
            answer.text("theAbstract", type_, url, abstract, rule=layer)
    evidence = [*reasons, f"a PDF of {pages} with {len(read.text)} characters", reply.evidence]
    return answer.done("found", "; ".join(filter(None, evidence)), success=True, tried=(url,))


WANTED_OF_A_PDF: Final[PartName] = "fulltext"
"""F-PDF-02: a PDF is fetched only for this part."""
