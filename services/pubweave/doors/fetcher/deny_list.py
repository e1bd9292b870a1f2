"""An operator's deny list: hosts and DOIs that are not asked for, by whatever door (takedown requests, house rules).

One entry a line, and after a tab the reason; `#` begins a comment line:

    # hosts, with all their subdomains
    press.example
    # one DOI, and all of a registrant
    10.1234/withdrawn.5\ttaken down on request, 3 May
    10.5678/*
"""

import logging
import re
from pathlib import Path
from typing import Final
from urllib.parse import unquote

import msgspec

from pubweave.contract.exchange import Work
from pubweave.doors.fetcher.settings import FetcherProblem
from pubweave.ports import Clock

_log = logging.getLogger(__name__)

_LOOKED_AT_EVERY_S: Final = 1.0
_DOI: Final = re.compile(r"10\.\d{4,9}/[^\s?#&\"'<>|]+")
_DOI_BEFORE: Final = re.compile(r"^(?:doi:\s*|https?://(?:dx\.|www\.)?doi\.org/)", re.IGNORECASE)
_HOST: Final = re.compile(r"(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?")
# What publishers put behind a DOI in the addresses of its renderings.
_RENDERING: Final = re.compile(
    r"[/;,)]|\.(?:pdf|html?|xml|epub|full|abstract|short|long|txt)\b", re.IGNORECASE
)


class Refusal(msgspec.Struct, frozen=True):
    """An entry forbids a question."""

    evidence: str
    among_others: bool = False
    """The question is for several publications, and only some of them are on the list."""


class DenyList:
    """The list as its file says; read again when the file changes, so no restart is needed."""

    def __init__(self, path: Path | None, clock: Clock) -> None:
        """:raises FetcherProblem: the file cannot be read, or a line is neither host nor DOI"""
        self._path = path
        self._clock = clock
        self._looked_s = clock.monotonic_s()
        self._seen: tuple[int, int, int] | None = None
        self._hosts: dict[str, str] = {}
        self._dois: dict[str, str] = {}
        self._prefixes: dict[str, str] = {}
        if path is not None:
            try:
                self._seen = _state(path)
                self._read(path)
            except OSError as problem:
                raise FetcherProblem(f"The deny list {path} cannot be read: {problem.strerror}.") from problem
            except UnicodeError as problem:
                raise FetcherProblem(f"The deny list {path} is not UTF-8 text.") from problem

    def refusal(self, url: str, host: str, work: Work | None) -> Refusal | None:
        """Why this address may not be asked for this work; None if it may."""
        self._refresh()
        if self._hosts:
            labels = host.lower().rstrip(".").split(".")
            for start in range(len(labels)):
                entry = ".".join(labels[start:])
                if entry in self._hosts:
                    return Refusal(_told(entry, self._hosts[entry]))
        if not self._dois and not self._prefixes:
            return None
        needs = work.needs if work is not None else ()
        denied = [entry for need in needs if (entry := self._denied_doi(need.identifiers.doi))]
        if denied:
            return Refusal(denied[0], among_others=len(denied) < len(needs))
        found = self._in_address(url)
        return Refusal(found, among_others=len(needs) > 1) if found else None

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

    def _refresh(self) -> None:
        if self._path is None or self._clock.monotonic_s() - self._looked_s < _LOOKED_AT_EVERY_S:
            return
        self._looked_s = self._clock.monotonic_s()
        try:
            state = _state(self._path)
            if state == self._seen:
                return
            self._seen = state
            self._read(self._path)
            _log.info("The deny list %s has changed and was read again", self._path)
        except (OSError, UnicodeError, FetcherProblem) as problem:
            if self._seen is not None:
                _log.error("The deny list was left as it was before: %s", problem)
            if isinstance(problem, OSError):
                self._seen = None

    def _read(self, path: Path) -> None:
        hosts: dict[str, str] = {}
        dois: dict[str, str] = {}
        prefixes: dict[str, str] = {}
        for number, line in enumerate(path.read_text("utf-8-sig").splitlines(), start=1):
            entry, _, reason = line.partition("\t")
            entry, reason = entry.strip().lower(), reason.strip()
            if not entry or entry.startswith("#"):
                continue
            doi = _DOI_BEFORE.sub("", entry)
            if doi.startswith("10.") and "/" in doi:
                if doi.endswith(("/*", "/")):
                    prefixes[doi.rstrip("*")] = reason
                else:
                    dois[doi] = reason
            elif _HOST.fullmatch(entry):
                hosts[entry.removeprefix("*.").rstrip(".")] = reason
            else:
                raise FetcherProblem(
                    f"The deny list {path} line {number}: {entry!r} is neither a host nor a DOI "
                    "(a reason stands after a tab)."
                )
        self._hosts, self._dois, self._prefixes = hosts, dois, prefixes


def _state(path: Path) -> tuple[int, int, int]:
    status = path.stat()
    return status.st_mtime_ns, status.st_size, status.st_ino


def _told(entry: str, reason: str) -> str:
    return f"{entry} is on the operator's deny list" + (f": {reason}" if reason else "")
