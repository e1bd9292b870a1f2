"""Corresponding authors of article pages, from rules (F-CA-05, F-CA-06)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import unquote

from pubweave.contract.values import CorrespAuthor

_EMAIL = re.compile(r"[^\s@<>()\[\]\",;:]{1,128}@[^\s@<>()\[\]\",;:]{1,255}\.[^\s@<>()\[\]\",;:]+")


def email_in(href: str) -> str:
    """The e-mail address of a `mailto:` link, without its query; empty if there is none."""
    address = href.strip()
    if address[:7].lower() == "mailto:":
        address = address[7:]
    found = _EMAIL.search(unquote(address.split("?", 1)[0]))
    return found[0].rstrip(".") if found else ""


def paired(
    names: Sequence[str], emails: Sequence[str], emails_expected: bool = True
) -> tuple[CorrespAuthor, ...]:
    """Names and e-mails in order; where their counts differ only the e-mails count.

    Series that a page gives several times (blocks repeated for other widths) are reduced first. With
    `emails_expected` false (the rules name no e-mails) the names stand alone.
    """
    names = _one_series([name for name in names if name])
    emails = [email for email in emails if email]
    if names and len(emails) != len(names):
        emails = _one_series(_one_a_name(emails, len(names)))
    elif not names:
        emails = _one_series(emails)
    if not emails and not emails_expected:
        return tuple(CorrespAuthor(name=name) for name in names)
    if len(names) == len(emails):
        return tuple(CorrespAuthor(name=name, email=email) for name, email in zip(names, emails, strict=True))
    return tuple(CorrespAuthor(email=email) for email in dict.fromkeys(emails))


def _one_series(values: list[str]) -> list[str]:
    """The shortest series of which the list is a repetition."""
    for length in range(1, len(values) // 2 + 1):
        if len(values) % length == 0 and values == values[:length] * (len(values) // length):
            return values[:length]
    return values


def _one_a_name(emails: list[str], names: int) -> list[str]:
    """One e-mail a name where each stands there the same number of times in a row."""
    times, rest = divmod(len(emails), names)
    if rest or times < 2:
        return emails
    runs = [emails[start : start + times] for start in range(0, len(emails), times)]
    return [run[0] for run in runs] if all(len(set(run)) == 1 for run in runs) else emails
