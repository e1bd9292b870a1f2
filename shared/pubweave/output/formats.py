"""The formats of output, by the words that stand after `--format`.

    writer = FORMATS["json"](Selection(plain=True), Frame(argv=…, lists=("publications", "webpages")))
    pieces = [*writer.begin(), *writer.publication(record), *writer.webpage(page, "webpage"), *writer.end()]

Write each piece as it comes; text as UTF-8, bytes as they are.
"""

from typing import Final

from pubweave.output.writer import DocumentFrame, ListName, NotInThisFormat, PageKind, Piece, Writer
from pubweave.output.writing_bibtex import BibtexWriter
from pubweave.output.writing_bioc import BiocWriter
from pubweave.output.writing_csl import CslWriter
from pubweave.output.writing_html import HtmlWriter
from pubweave.output.writing_json import JsonLinesWriter, JsonWriter
from pubweave.output.writing_parquet import ParquetWriter
from pubweave.output.writing_ris import RisWriter
from pubweave.output.writing_tables import CsvWriter, TsvWriter
from pubweave.output.writing_text import TextWriter

__all__ = [
    "FORMATS",
    "DocumentFrame",
    "ListName",
    "NotInThisFormat",
    "PageKind",
    "Piece",
    "Writer",
    "format_of_file",
]

FORMATS: Final[dict[str, type[Writer]]] = {
    writer.name: writer
    for writer in (
        TextWriter,
        HtmlWriter,
        JsonWriter,
        JsonLinesWriter,
        CsvWriter,
        TsvWriter,
        ParquetWriter,
        BiocWriter,
        BibtexWriter,
        RisWriter,
        CslWriter,
    )
}


def format_of_file(name: str) -> str:
    """The format that a file's name promises, by its longest ending; "" if it promises none."""
    lowered = name.lower()
    promised = [
        (len(suffix), format_)
        for format_, writer in FORMATS.items()
        for suffix in writer.suffixes
        if lowered.endswith(suffix)
    ]
    return max(promised, default=(0, ""))[1]
