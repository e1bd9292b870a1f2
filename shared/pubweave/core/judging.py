"""What comes from outside is judged before it is acted on: who says it, nobody knows.

Topics are open to other programs, so a message may be anything: no JSON, of a version that is not known here, with an
identifier that is a piece of a query, with a number that no table can hold. `judged` gives the event as this program
may act on it, identifiers written as the command line writes them, or a `Refusal` with its reason. It never raises.
"""

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple, TypeAlias
from urllib.parse import urlsplit

import msgspec

from pubweave.contract.codec import UndecodableEvent, decode
from pubweave.contract.erasure_requested import ErasureRequested
from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.job_closed import JobClosed
from pubweave.contract.kinds import Event, subject_of
from pubweave.contract.line_standing import LineStanding
from pubweave.contract.put_requested import PutRequested
from pubweave.contract.removal_requested import RemovalRequested
from pubweave.contract.routing import topic_for
from pubweave.contract.submission_settled import SubmissionSettled
from pubweave.contract.submissions_entered import SubmissionsEntered
from pubweave.contract.values import Identifiers
from pubweave.contract.vocabulary import IDENTIFIER_KINDS, IdentifierKind
from pubweave.contract.webpage_put import WebpagePut
from pubweave.contract.webpage_removed import WebpageRemoved
from pubweave.core.identifiers import askable, is_doi, is_pmcid, is_pmid, normalise_doi
from pubweave.core.record import decode_record
from pubweave.core.webpage_record import decode_webpage

LARGEST_NUMBER: Final = 2**53 - 1
"""What every reader of JSON and every table holds."""
LAST_MS: Final = 253_402_300_799_999
"""The end of the year 9999."""
LAST_LINE: Final = 999_999_999
"""Lines are sorted as text of nine digits."""

LONGEST_DIGITS: Final = 18
LONGEST_DOI: Final = 2_000
LONGEST_NAME: Final = 200
"""Of a job, and of what else stands in keys."""
LONGEST_LABEL: Final = 1_000
"""Of what is only repeated: correlation ids and the like."""
LONGEST_ADDRESS: Final = 8_000
LARGEST_REQUEST: Final = 256 * 1024
"""Bytes of a request for a fetch; what follows from it is larger and must be said as well."""
LARGEST_PUT: Final = 768 * 1024

_JOB: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,199}")
_SHOWN: Final = 60
_NAMES: Final[dict[IdentifierKind, str]] = {"pmid": "PMID", "pmcid": "PMCID", "doi": "DOI"}
_VALID: Final = {"pmid": is_pmid, "pmcid": is_pmcid, "doi": is_doi}


class Refusal(NamedTuple):
    """A message that is not acted on."""

    reason: str
    """One sentence, safe for a terminal."""
    kind: str = ""
    """As announced; empty if nothing was."""
    version: int = 0
    line: FetchRequested | None = None
    """The line of a job that gets the outcome `refused`, without what was wrong in it; None: a dead letter."""
    unread: bool = False
    """Nobody here can read it; a newer release may."""


class Rewritten(NamedTuple):
    """A message that is acted on when it has been said again in this form, in place of the one that came: whatever a
    line is known by later, erasing included, is what stands in the log."""

    event: FetchRequested


Judgement: TypeAlias = Event | Refusal | Rewritten


def judged(topic: str, key: str, kind: str, version: int, body: bytes, problem: str = "") -> Judgement:
    """The event of a message, or why it is refused.

    :param key: of the record; "" where that is not known
    :param problem: what is wrong with its headers already
    """
    if problem:
        return _unreadable(topic, kind, version, body, problem)
    try:
        event = decode(kind, version, body)
    except UndecodableEvent as undecodable:
        return _unreadable(topic, kind, version, body, undecodable.reason)
    except Exception as odd:  # noqa: BLE001  # whatever a reader of JSON thinks of: it is the message's fault
        return _unreadable(topic, kind, version, body, f"{type(odd).__name__}: {odd}")
    if not isinstance(event, _FROM_OUTSIDE):
        return event
    why = _misplaced(topic, key, event)
    tidy = _tidy(event)
    why = why or "; ".join(_faults(tidy, len(body)))
    if why:
        return _refused(tidy, kind, version, why)
    return Rewritten(tidy) if isinstance(tidy, FetchRequested) and tidy is not event else event


def judged_request(request: FetchRequested) -> FetchRequested | Refusal:
    """A line of a job that comes from no topic, as `judged` judges those that do: as it is acted on, or why it is refused."""
    tidy = _tidy(request)
    assert isinstance(tidy, FetchRequested)
    why = "; ".join(_of_request(tidy))
    return _refused(tidy, "fetch-requested", 1, why) if why else tidy


def is_web_address(text: str) -> bool:
    """It begins with http, https or ftp, names a host, and holds no white space."""
    try:
        split = urlsplit(text)
        usable = split.scheme in ("http", "https", "ftp") and bool(split.hostname) and split.port != 0
    except ValueError:
        return False
    return usable and not any(letter.isspace() for letter in text)


def tidy_identifiers(given: Identifiers) -> Identifiers:
    """The triplet as it is kept: without white space around, DOIs without prefix and in upper case."""
    pmcid = given.pmcid.strip()
    return Identifiers(
        pmid=given.pmid.strip(),
        pmcid="PMC" + pmcid[3:] if pmcid[:3].lower() == "pmc" else pmcid,
        doi=_tidy_doi(given.doi),
    )


def faults_of_identifiers(given: Identifiers) -> Iterator[str]:
    """What is wrong with a triplet, a sentence each; nothing where all that it holds are identifiers."""
    for kind, value in given.known():
        if not _VALID[kind](value):
            yield f"{shown(value)} is not a {_NAMES[kind]}"
        elif len(value) > (LONGEST_DOI if kind == "doi" else LONGEST_DIGITS):
            yield f"{shown(value)} is too long for a {_NAMES[kind]}"
        elif not askable(kind, value):
            yield f"{shown(value)} is not written as a {_NAMES[kind]} is"


def shown(text: str) -> str:
    """A text as reasons repeat it: quoted, on one line, not too long, safe for a terminal."""
    cut = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
    return (
        "'" + "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in cut) + "'"
    )


def _tidy_doi(text: str) -> str:
    doi = text.strip()
    return normalise_doi(doi) if is_doi(doi) else doi


def _tidy(event: Event) -> Event:
    if isinstance(event, FetchRequested):
        identifiers = tidy_identifiers(event.identifiers)
        url = event.url.strip()
        if identifiers != event.identifiers or url != event.url:
            return msgspec.structs.replace(event, identifiers=identifiers, url=url)
    return event


# --- what cannot be read


class _LineName(msgspec.Struct):
    job: str
    line: int


_line: Final = msgspec.json.Decoder(_LineName)


def _unreadable(topic: str, kind: str, version: int, body: bytes, why: str) -> Refusal:
    kind, why = _clean(kind, LONGEST_NAME), _clean(why, LONGEST_LABEL)
    version = version if 0 <= version <= LARGEST_NUMBER else 0
    line = _line_in(body) if topic.startswith("fetch-requested.") else None
    return Refusal(why, kind, version, line, unread=True)


def _line_in(body: bytes) -> FetchRequested | None:
    """The line of a job that a message speaks of which cannot be read otherwise; None if nobody can say."""
    try:
        found = _line.decode(body)
    except Exception:  # noqa: BLE001  # whatever a reader of JSON thinks of
        return None
    if _is_job(found.job) and 0 <= found.line <= LAST_LINE:
        return FetchRequested(job=found.job, line=found.line)
    return None


def _clean(text: str, at_most: int) -> str:
    cut = text if len(text) <= at_most else text[: at_most - 1] + "…"
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in cut)


# --- what can be read


def _misplaced(topic: str, key: str, event: Event) -> str:
    """Why a message stands where it does not belong."""
    try:
        belongs = topic_for(event)
        wanted = _about(event)
    except Exception:  # noqa: BLE001  # what it is about names no place
        return "nobody can say where it belongs"
    if topic != belongs:
        return f"it belongs into the topic {belongs}"
    if key and wanted and key != wanted and not key.startswith(wanted + "/"):
        return f"its record key {shown(key)} does not begin with {shown(wanted)}, which it is about"
    return ""


def _about(event: Event) -> str:
    """What the topics that strangers write to are partitioned by (`contract.catalogue.partition_key`)."""
    match event:
        case JobClosed() | LineStanding():
            return event.job
        case _:
            return subject_of(event)


def _faults(event: Event, size: int) -> Iterator[str]:
    yield from _of_numbers(event)
    match event:
        case FetchRequested():
            if size > LARGEST_REQUEST:
                yield f"it has {size:,} bytes; a request has no more than {LARGEST_REQUEST:,}"
            yield from _of_request(event)
        case SubmissionsEntered():
            yield from _of_name("the publication", event.publication, LONGEST_ADDRESS)
            if not all(_is_job(line.job) and 0 <= line.line <= LAST_LINE for line in event.lines):
                yield "a line of it has no name"
        case PutRequested():
            yield from _of_name("the publication", event.publication)
            yield from _of_name("the request", event.request, LONGEST_LABEL)
            yield from _of_put(event, size)
        case RemovalRequested() | ErasureRequested():
            yield from _of_name("the publication", event.publication, LONGEST_ADDRESS)
            yield from _of_name("the request", event.request, LONGEST_LABEL)
        case WebpagePut() | WebpageRemoved():
            yield from _of_page(event, size)
        case JobClosed() | LineStanding() | SubmissionSettled():
            if not _is_job(event.job):
                yield f"{shown(event.job)} is no name of a job"
        case _:
            pass


def _of_request(line: FetchRequested) -> Iterator[str]:
    if not _is_job(line.job):
        yield f"{shown(line.job)} is no name of a job"
    if not 0 <= line.line <= LAST_LINE:
        yield f"line {_clean(str(line.line), 40)} is not between 0 and {LAST_LINE}"
    if line.entry == "publication":
        if not line.identifiers.known() and not line.links:
            yield "it names no identifier"
        yield from faults_of_identifiers(line.identifiers)
    else:
        yield from _of_address(line.url)
    for link in line.links:
        yield from _of_address(link.url)
    labels = (line.correlation_id, line.idempotency_key, *(value for _, value in line.provenance.known()))
    if any(len(label) > LONGEST_LABEL for label in labels):
        yield f"what is to be repeated with it has more than {LONGEST_LABEL:,} characters"


def _of_put(event: PutRequested, size: int) -> Iterator[str]:
    if size > LARGEST_PUT:
        yield f"it has {size:,} bytes; a record that is put in place has no more than {LARGEST_PUT:,}"
        return
    try:
        record = decode_record(bytes(event.record))
    except Exception as problem:  # noqa: BLE001  # any: it is no record
        yield f"its record cannot be read: {_clean(str(problem), LONGEST_LABEL)}"
        return
    if not record.identifiers.known():
        yield "its record names no identifier"
    yield from faults_of_identifiers(tidy_identifiers(record.identifiers))


def _of_page(event: WebpagePut | WebpageRemoved, size: int) -> Iterator[str]:
    word, _, url = event.publication.partition(" ")
    if word != event.entry:
        yield f"{shown(event.publication)} is no {event.entry}"
    yield from _of_address(url)
    if not 0 < event.epoch <= LARGEST_NUMBER:
        yield f"epoch {_clean(str(event.epoch), 40)} is none"
    if isinstance(event, WebpagePut):
        if size > LARGEST_PUT:
            yield f"it has {size:,} bytes; a page that is put in place has no more than {LARGEST_PUT:,}"
            return
        try:
            decode_webpage(event.record)
        except Exception as problem:  # noqa: BLE001  # any: it is no page
            yield f"its page cannot be read: {_clean(str(problem), LONGEST_LABEL)}"


def _of_address(url: str) -> Iterator[str]:
    if not url:
        yield "it names no address"
    elif len(url) > LONGEST_ADDRESS:
        yield f"{shown(url)} is too long for an address"
    elif not is_web_address(url) or not url.isprintable():
        yield f"{shown(url)} is no web address: they begin with https://, http:// or ftp://"


def _of_name(what: str, name: str, at_most: int = LONGEST_NAME) -> Iterator[str]:
    if not name or len(name) > at_most or not name.isprintable():
        yield f"{shown(name)} is no name of {what}"


def _of_numbers(event: Event) -> Iterator[str]:
    for name, number in _numbers("", msgspec.to_builtins(event, enc_hook=_without_raw)):
        if name.endswith("_at"):
            if not 0 <= number <= LAST_MS:
                yield f"{name} {_clean(str(number), 40)} is no time in milliseconds before the year 10000"
        elif abs(number) > LARGEST_NUMBER:
            yield f"{name} is a number of {len(str(abs(number)))} digits"


def _without_raw(inner: Any) -> None:
    """A record inside is read by itself."""


def _numbers(name: str, value: Any) -> Iterator[tuple[str, int]]:
    match value:
        case bool():
            return
        case int():
            yield name, value
        case dict():
            for inner, found in value.items():
                yield from _numbers(str(inner), found)
        case list() | tuple():
            for found in value:
                yield from _numbers(name, found)
        case _:
            return


def _is_job(name: str) -> bool:
    return _JOB.fullmatch(name) is not None


def _refused(event: Event, kind: str, version: int, why: str) -> Refusal:
    line: FetchRequested | None = None
    if isinstance(event, FetchRequested) and _is_job(event.job) and 0 <= event.line <= LAST_LINE:
        good: dict[str, str] = {
            one: value
            for one in IDENTIFIER_KINDS
            if (value := event.identifiers.get(one))
            and not any(faults_of_identifiers(Identifiers(**{one: value})))
        }
        labels = {
            name: value
            for name in ("correlation_id", "idempotency_key")
            if len(value := getattr(event, name)) <= LONGEST_LABEL
        }
        line = FetchRequested(job=event.job, line=event.line, identifiers=Identifiers(**good), **labels)
    return Refusal(_clean(why, LONGEST_LABEL), kind, version, line)


_FROM_OUTSIDE: Final = (
    FetchRequested,
    SubmissionsEntered,
    PutRequested,
    RemovalRequested,
    ErasureRequested,
    WebpagePut,
    WebpageRemoved,
    JobClosed,
    LineStanding,
    SubmissionSettled,
)
"""What other programs and people say, and what lines of jobs hang on. All else names what this program asked itself:
an answer to a question that nobody asked changes nothing."""
