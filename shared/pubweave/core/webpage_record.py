"""A web page or doc as it is kept: what it says, how it was fetched, and when one replaces another (chapter 13)."""

import msgspec

from pubweave.contract.values import BlobRef


class WebpageRecord(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """Of a web page or a doc; which of the two is said by the store it is in. Identified by its start address."""

    start_url: str
    final_url: str = ""
    content_type: str = ""
    status_code: int = 0
    """0: none (FTP, a file, nothing answered)."""
    title: str = ""
    content: str = ""
    blob: BlobRef | None = None
    """The content, where it is too long to stand in a row (`content` is empty then)."""
    blob_size: int = 0
    """Its length in characters."""
    content_time: int = 0
    """When content was last set; UNIX ms, 0 = never."""
    license: str = ""
    language: str = ""
    fetch_time: int = 0
    retry_counter: int = 0
    fetch_exception: bool = False
    outcome: str = ""
    """The need outcome of the last fetch, with its evidence: beyond chapter 13."""
    evidence: str = ""
    rules_version: str = ""

    @property
    def content_size(self) -> int:
        """Characters of the content, wherever it is."""
        return self.blob_size if self.blob is not None else len(self.content)

    def is_empty(self) -> bool:
        """F-WEB-02."""
        return not self.title and not self.content_size

    def is_usable(self, webpage_min_length: int) -> bool:
        """F-WEB-03."""
        return len(self.title) + self.content_size >= webpage_min_length

    def is_broken(self) -> bool:
        """F-WEB-04: it could not be fetched. Without a status, a final address says that it could."""
        return not 200 <= self.status_code <= 299 and (self.status_code != 0 or not self.final_url)

    def is_final(self, webpage_min_length: int) -> bool:
        """F-WEB-05."""
        return not self.is_broken() and self.is_usable(webpage_min_length) and bool(self.content_size)


def replaces(new: WebpageRecord, old: WebpageRecord, webpage_min_length: int) -> bool:
    """F-WEB-31: whether a new entry's content takes the old one's place."""
    if new.is_final(webpage_min_length):
        return True
    if new.is_empty():
        return old.is_empty()
    return not old.is_final(webpage_min_length)


def encode_webpage(record: WebpageRecord) -> bytes:
    """As it is stored."""
    return msgspec.json.encode(record)


def decode_webpage(body: bytes) -> WebpageRecord:
    """:raises msgspec.ValidationError: not a stored web page"""
    return _DECODER.decode(body)


_DECODER = msgspec.json.Decoder(WebpageRecord)
