"""What sources said, in the log: one line each, with all identifiers that the publication is known by.

A pure step does not log; what it says carries the lines (`ResourceDone.notes`, `missed`), so that they are the same wherever
it runs. The levels are those of the specification: F-ID-16, F-EPMC-04 to 06, F-EFT-03, F-DOI-01, F-PDF-07, F-SEL-06.
"""

import logging
from collections.abc import Iterable
from typing import Final

from pubweave.contract.exchange import Reply, Work
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.resource_done import ResourceDone
from pubweave.contract.restarted import Restarted
from pubweave.contract.values import Identifiers, Note
from pubweave.contract.vocabulary import NeedOutcome, NoteLevel
from pubweave.contract.webpage_read import WebpageRead

LOGGER: Final = "pubweave.sources"
"""Its lines are for the log: a thousand publications have thousands."""

_log = logging.getLogger(__name__)
_sources = logging.getLogger(LOGGER)
_sources.addHandler(logging.NullHandler())  # where nobody listens, they are not for the screen

LEVELS: Final[dict[NoteLevel, int]] = {
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}

_AS_ASKED: Final[frozenset[NeedOutcome]] = frozenset(
    {"found", "abstract-only", "rule-missed", "skipped", "superseded", "cancelled"}
)
"""Outcomes that are no news by themselves; any other is a warning (F-EXC-01…12)."""


def log_said(work: Work, reply: Reply | None, said: Iterable[object]) -> None:
    """Log what one step of a resource said of its publications."""
    for event in said:
        if isinstance(event, ResourceDone):
            _log_end(work, event)
        elif isinstance(event, WebpageRead) and event.outcome not in _AS_ASKED:
            _sources.warning("%s: %s: %s, %s", event.url, work.resource, event.outcome, event.evidence)
        elif isinstance(event, ReplyWanted) and event.door == "renderer" and reply is not None:
            _log_javascript(work, reply, event)


def log_notes(notes: Iterable[Note]) -> None:
    """Log what the merger noted. What it mends by itself (F-CHG-01) is not for the screen either."""
    for note in notes:
        (_sources if note.level == "error" else _log).log(LEVELS[note.level], "%s", note.text)


def note_of_restart(restart: Restarted) -> Note:
    """F-CHG-01: an identifier changed, and what was found by the old one is dropped."""
    before, after = restart.before, restart.after
    changes = ", ".join(
        f"{kind} {value} is {after.get(kind) or 'gone'}"
        for kind, value in before.known()
        if after.get(kind) != value
    )
    who = " ".join(dict.fromkeys(value for known in (after, before) for _, value in known.known()))
    return Note("error", f"{who}: fetched again from the beginning: {changes}")


def named(identifiers: Identifiers) -> str:
    """Every identifier that is known, so that the line is found by any of them."""
    return " ".join(value for _, value in identifiers.known())


def _log_end(work: Work, end: ResourceDone) -> None:
    who = next((named(need.identifiers) for need in work.needs if need.need == end.need), "")
    who = who or end.publication
    for note in end.notes:
        _sources.log(LEVELS[note.level], "%s: %s: %s", who, end.resource, note.text)
    if not end.notes and end.outcome not in _AS_ASKED:
        why = "" if end.evidence == end.outcome else end.evidence
        _sources.warning("%s: %s: %s", who, end.resource, ", ".join(filter(None, (end.outcome, why))))
    where = end.tried[-1] if end.tried else end.resource
    for missed in end.missed:
        _log.warning(
            "%s: the rules of %s gave %d of %d of %s; they want mending (%s)",
            who,
            missed.site,
            missed.selected,
            missed.there,
            missed.part,
            where,
        )


def _log_javascript(work: Work, reply: Reply, wanted: ReplyWanted) -> None:
    """A page that is asked for once more with a browser (F-EXC-09, F-WEB-21)."""
    url = wanted.request.url
    who = " ".join(dict.fromkeys(named(need.identifiers) for need in work.needs)) or url
    level = logging.WARNING if reply.outcome == "tls-failure" else logging.INFO
    why = reply.evidence or reply.outcome
    _sources.log(level, "%s: %s: once more with JavaScript: %s (%s)", who, work.resource, url, why)
