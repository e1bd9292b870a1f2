"""Corresponding authors in words."""

from collections.abc import Callable, Iterable

from pubweave.contract.values import CorrespAuthor


def author_words(
    one: CorrespAuthor,
    text: Callable[[str], str] = str,
    address: Callable[[str], str] = str,
) -> str:
    """Name and what is known of the author, in brackets: `Ada Weaver (https://orcid.org/…, ada@loom.example)`.

    :param text: how words are written, for HTML escaped
    :param address: how web addresses are written, for HTML as links
    """
    details = [
        write(detail)
        for write, detail in ((address, one.orcid), (text, one.email), (text, one.phone), (address, one.uri))
        if detail
    ]
    bracket = f"({', '.join(details)})" if details else ""
    return f"{text(one.name)} {bracket}".strip()


def authors_text(authors: Iterable[CorrespAuthor]) -> str:
    """All of them on one line: names and details divided by commas, authors by semicolons (F-CA-08)."""
    return "; ".join(
        ", ".join(value for value in (one.name, one.orcid, one.email, one.phone, one.uri) if value)
        for one in authors
    )
