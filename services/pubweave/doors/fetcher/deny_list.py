"""An operator's deny list: hosts and DOIs that are not asked for, by whatever door (takedown requests, house rules).

One entry a line, and after a tab the reason; `#` begins a comment line:

    # hosts, with all their subdomains
    press.example
    # one DOI, and all of a registrant
    10.1234/withdrawn.5\ttaken down on request, 3 May
    10.5678/*
"""

import re
from pathlib import Path
from typing import Final
from urllib.parse import unquote

import msgspec

from pubweave.contract.exchange import Work
from pubweave.doors.fetcher.settings import FetcherProblem
from pubweave.doors.fetcher.watched import Watched
from pubweave.ports import Clock

_DOI: Final = re.compile(r"10\.\d{4,9}/[^\s?#&\"'<>|]+")
_DOI_BEFORE: Final = re.compile(r"^(?:doi:\s*|https?://(?:dx\.|www\.)?doi\.org/)", re.IGNORECASE)
_HOST: Final = re.compile(r"(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?")
# What publishers put behind a DOI in the addresses of its renderings.
_RENDERING: Final = re.compile(
    r"[/;,)]|\.(?:pdf|html?|xml|epub|full|abstract|short|long|txt)\b", re.IGNORECASE
)


class Denial(msgspec.Struct, frozen=True):
    """An entry forbids a question."""

    evidence: str
    among_others: bool = False
    """The question is for several publications, and only some of them are on the list."""


class _Entries(msgspec.Struct, frozen=True):
    """What stands in the file, each with its reason."""

    hosts: dict[str, str]
    dois: dict[str, str]
    prefixes: dict[str, str]


class DenyList:
    """The list as its file says; read again when the file changes, so no restart is needed."""

    def __init__(self, path: Path | None, clock: Clock) -> None:
        """:raises FetcherProblem: the file cannot be read, or a line is neither host nor DOI"""
        self._file = Watched(path, _read, clock) if path is not None else None
        self._use(self._file.value if self._file is not None else _Entries({}, {}, {}))

    def refusal(self, url: str, host: str, work: Work | None) -> Denial | None:
        """Why this address may not be asked for this work; None if it may."""
        if self._file is not None and self._file.changed():
            self._use(self._file.value)
        if self._hosts:
            labels = host.lower().rstrip(".").split(".")
            for start in range(len(labels)):
                entry = ".".join(labels[start:])
                if entry in self._hosts:
                    return Denial(_told(entry, self._hosts[entry]))
        if not self._dois and not self._prefixes:
            return None
        needs = work.needs if work is not None else ()
        denied = [entry for need in needs if (entry := self._denied_doi(need.identifiers.doi))]
        if denied:
            return Denial(denied[0], among_others=len(denied) < len(needs))
        found = self._in_address(url)
        return Denial(found, among_others=len(needs) > 1) if found else None

    def _denied_doi(self, doi: str) -> str:
        doi = doi.lower()
        if not doi:
            return ""
        if doi in self._dois:
            return _told(doi, self._dois[doi])
        return next(
            (
                _told(f"{prefix}*", reason)
                for prefix, reason in self._prefixes.items()
                if doi.startswith(prefix)
            ),
            "",
        )

    def _in_address(self, url: str) -> str:
        """A DOI stands in addresses as it is, encoded once or twice, and with a rendering behind it."""
        text = url
        for _ in range(3):
            for match in _DOI.finditer(text.lower()):
                doi = match.group()
                ends = [len(doi), *(cut.start() for cut in _RENDERING.finditer(doi))]
                for end in ends:
                    entry = self._denied_doi(doi[:end].rstrip("."))
                    if entry:
                        return entry
            decoded = unquote(text)
            if decoded == text:
                break
            text = decoded
        return ""

    def _use(self, entries: _Entries) -> None:
        self._hosts, self._dois, self._prefixes = entries.hosts, entries.dois, entries.prefixes


def _read(path: Path) -> _Entries:
    try:
        text = path.read_text("utf-8-sig")
    except OSError as problem:
        raise FetcherProblem(f"The deny list {path} cannot be read: {problem.strerror}.") from problem
    except UnicodeError as problem:
        raise FetcherProblem(f"The deny list {path} is not UTF-8 text.") from problem
    entries = _Entries({}, {}, {})
    for number, line in enumerate(text.splitlines(), start=1):
        entry, _, reason = line.partition("\t")
        entry, reason = entry.strip().lower(), reason.strip()
        if not entry or entry.startswith("#"):
            continue
        doi = _DOI_BEFORE.sub("", entry)
        if doi.startswith("10.") and "/" in doi:
            if doi.endswith(("/*", "/")):
                entries.prefixes[doi.rstrip("*")] = reason
            else:
                entries.dois[doi] = reason
        elif _HOST.fullmatch(entry):
            entries.hosts[entry.removeprefix("*.").rstrip(".")] = reason
        else:
            raise FetcherProblem(
                f"The deny list {path} line {number}: {entry!r} is neither a host nor a DOI "
                "(a reason stands after a tab)."
            )
    return entries


def _told(entry: str, reason: str) -> str:
    return f"{entry} is on the operator's deny list" + (f": {reason}" if reason else "")
