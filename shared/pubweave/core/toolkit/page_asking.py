"""How a resource gets one page or PDF: which door, what follows a failure, and when it is over (chapters 6, 7, 9.8).

    page ──► read                          rendered ──► read
     │ TLS failure ──► rendered             │ no browser here ──► page
     │ a PDF, or FTP ──► pdf                │ a PDF ──► pdf
     │ broken off, cut, "later" ──► again   │ broken off, cut, "later" ──► again
     └ anything else: the need's outcome    └ anything else: the need's outcome

Where the rules want a browser, it is asked first, or (`Context.browser_first` off) when the page as it is served leaves
something missing.

Nothing loops: every door is asked once (the fetcher twice for a page whose browser is not here), and again only as often as `core.toolkit.batching.repetition` allows.
"""

from collections.abc import Callable
from typing import Final
from urllib.parse import urlsplit

import msgspec

from pubweave.contract.exchange import Reply, Work
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.vocabulary import DoorName
from pubweave.core.addresses import address_of, scheme_of
from pubweave.core.politeness import host_of
from pubweave.core.toolkit.answering import NeedAnswer, wanted_page
from pubweave.core.toolkit.batching import Repeats, broken, named, repetition
from pubweave.core.toolkit.page_answers import Sought, lacking, say_page
from pubweave.core.toolkit.pdf_answers import WANTED_OF_A_PDF, is_pdf, say_pdf
from pubweave.core.toolkit.service import Said
from pubweave.core.types import pdf_counterpart

PAGE: Final = "page"
RENDERED: Final = "rendered"
PDF: Final = "pdf"
STEPS: Final = (PAGE, RENDERED, PDF)

_DOORS: Final[dict[str, DoorName]] = {PAGE: "fetcher", RENDERED: "renderer", PDF: "pdf_reader"}

_MAYBE_IN_A_BROWSER: Final = frozenset(
    {
        "blocked",
        "empty",
        "failed",
        "http-error",
        "malformed",
        "redirect-loop",
        "reset",
        "timeout",
        "unavailable",
    }
)
"""Outcomes that scripts and cookies can turn."""

_HUB: Final = ("linkinghub.elsevier.com", "/retrieve/pii/")
_BEHIND_HUB: Final = "https://www.sciencedirect.com/science/article/pii/"


class PageTrail(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where the search for one page stands; travels in `Work.memory`."""

    url: str
    repeats: Repeats = Repeats()
    reasons: tuple[str, ...] = ()
    """What happened on the way here, a few words each."""
    asked: tuple[str, ...] = ()
    """Steps that are over."""
    if_lacking: str = ""
    """The rule by which a browser is asked if the page as it is served leaves something missing."""


_decoder: Final = msgspec.json.Decoder(PageTrail)
_encoder: Final = msgspec.json.Encoder()


def without_hub(url: str) -> str:
    """Elsevier's linking hub goes on by JavaScript only; the page behind it is known (F-DOI-09)."""
    try:
        split = urlsplit(url)
    except ValueError:
        return url
    host, path = _HUB
    if split.hostname == host and split.path.startswith(path) and (pii := split.path.removeprefix(path)):
        return _BEHIND_HUB + pii
    return url


def begin_page(need: NeedsPart, url: str, page: Sought) -> list[Said]:
    """Ask for a page: in the browser where the rules say so, by the address before redirects (F-LNK-11)."""
    url = without_hub(url)
    if urlsplit(url).scheme == "ftp":
        return _as_pdf(need, Reply("bad-url", url, evidence="no page is asked for by FTP"), PageTrail(url))
    javascript = page.rules.wants_javascript(url)
    if javascript is None:
        return [_ask(need, PAGE, PageTrail(url))]
    if not page.browser_first:
        return [_ask(need, PAGE, PageTrail(url, if_lacking=javascript.pattern))]
    return [_ask(need, RENDERED, PageTrail(url, reasons=(f"in the browser by rule {javascript.pattern}",)))]


def page_of_pmcid(work: Work, reply: Reply | None, page: Sought, address: Callable[[str], str]) -> list[Said]:
    """A whole `Step` for a resource whose pages are named by PMCID.

    :param address: `PMCID -> address of its page`
    """
    if reply is not None:
        return go_on(work, reply, page)
    said: list[Said] = []
    for need in work.needs:
        if pmcid := need.identifiers.pmcid:
            said += begin_page(need, address(pmcid), page)
        else:
            said += NeedAnswer(need).done("skipped", "no PMCID to ask with")
    return said


def begin_pdf(need: NeedsPart, url: str) -> list[Said]:
    """Ask for a PDF."""
    return [_ask(need, PDF, PageTrail(url))]


def go_on(work: Work, reply: Reply, page: Sought) -> list[Said]:
    """What follows a reply in one of `STEPS`."""
    need = work.needs[0]
    trail = _decoder.decode(work.memory)
    step = work.step
    if reply.outcome == "empty" and step != PDF:
        reply = broken(reply, "a page without a body")
    if reply.outcome == "found" and reply.truncated:
        reply = broken(reply, "the reply breaks off")
    again = repetition(reply, trail.repeats) if reply.outcome != "malformed" or step != PDF else None
    if again is not None:
        delay_ms, repeats = again
        return [
            _ask(need, step, msgspec.structs.replace(trail, repeats=repeats), work.tries + 1, delay_ms),
        ]
    if step == PDF and reply.outcome == "found":
        return say_pdf(need, reply, pdf_counterpart(page.type), trail.reasons)
    match reply.outcome:
        case _ if step == PDF:
            return _ended(need, reply, trail)
        case "found":
            url = address_of(reply)
            behind = without_hub(url)
            if behind != url and step == PAGE and not trail.asked:
                return [_ask(need, PAGE, _next(trail, step, behind, "by Elsevier's linking hub"))]
            said = say_page(need, reply, page, trail.reasons)
            missing = lacking(need, said) if trail.if_lacking and step == PAGE else []
            return [_after_all(need, trail, ", ".join(missing))] if missing else said
        case outcome if step == PAGE and trail.if_lacking and outcome in _MAYBE_IN_A_BROWSER:
            return [_after_all(need, trail, reply.evidence or outcome)]
        case "tls-failure" if step == PAGE and RENDERED not in trail.asked:
            # F-EXC-09: once more with the browser, which takes certificates as they are.
            return [_ask(need, RENDERED, _next(trail, step, trail.url, f"TLS failure ({reply.evidence})"))]
        case "no-door" if step == RENDERED and (PAGE not in trail.asked or trail.if_lacking):
            # F-JS-06: what the page says without its scripts, tags of its head for one.
            return [_ask(need, PAGE, _next(trail, step, trail.url, reply.evidence))]
        case "no-door" if step == RENDERED:
            return _ended(need, msgspec.structs.replace(reply, outcome="tls-failure"), trail)
        case "wrong-type" | "too-large" if is_pdf(reply):  # PDFs may be longer than pages
            return _as_pdf(need, reply, trail)
        case "bad-url" if scheme_of(address_of(reply)) == "other":
            return _as_pdf(need, reply, trail)
    return _ended(need, reply, trail)


def _after_all(need: NeedsPart, trail: PageTrail, lacks: str) -> Said:
    """The browser, where the page as it is served was not enough."""
    reason = f"as it is served: {lacks}; in the browser by rule {trail.if_lacking}"
    return _ask(need, RENDERED, _next(trail, PAGE, trail.url, reason))


def _as_pdf(need: NeedsPart, reply: Reply, trail: PageTrail) -> list[Said]:
    """What is no page is tried as PDF, if a full text is wanted (F-EXC-01, F-EXC-05, F-PDF-02)."""
    reason = reply.evidence or reply.outcome
    if WANTED_OF_A_PDF not in need.missing:
        return NeedAnswer(need, named(reply)).done(
            "skipped", "; ".join([*trail.reasons, reason, "a PDF is read for its full text only"])
        )
    return [_ask(need, PDF, _next(trail, PAGE, address_of(reply), reason))]


def _next(trail: PageTrail, step: str, url: str, reason: str) -> PageTrail:
    """On to another step. Only the browser itself, when it is not here, leads back to the page, which is then taken as
    it is."""
    if_lacking = trail.if_lacking if step == PAGE else ""
    return PageTrail(url, trail.repeats, (*trail.reasons, reason), (*trail.asked, step), if_lacking)


def _ask(need: NeedsPart, step: str, trail: PageTrail, tries: int = 0, delay_ms: int = 0) -> Said:
    memory = _encoder.encode(trail)
    return wanted_page(
        need, trail.url, _DOORS[step], step=step, memory=memory, tries=tries, delay_ms=delay_ms
    )


def _ended(need: NeedsPart, reply: Reply, trail: PageTrail) -> list[Said]:
    """The need ends as its last reply did, with the reasons that led there."""
    why = f"{host_of(address_of(reply))}: {reply.evidence or reply.outcome}"
    # What is not there now is not asked for again in this run, and shows that the DOI led somewhere.
    tried = (address_of(reply),) if reply.outcome in ("absent", "gone") and reply.final_url else ()
    return NeedAnswer(need, named(reply)).done(
        reply.outcome,
        "; ".join([*trail.reasons, why]),
        fetch_exception=reply.fetch_exception,
        tried=tried,
    )
