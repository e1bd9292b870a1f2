"""How a web page or doc is got and read (chapters 6, 7, 13.2 and 13.3): one pure step for both resources.

    plain ──► read ──► is that all?  ──no──► browser ──► read
      │ a PDF, or no HTTP address ──► PDF reader ──► text and title
      │ TLS failure ──► browser
      └ broken off, "come back later" ──► the same once more

A page whose rules want the browser goes there at once. A bot check that comes as a page is an outcome, never content,
and no browser is sent to get past it. Where the browser gives nothing, what the page says without
its scripts is kept (F-WEB-22), and the evidence says so. Every work ends with one `webpage-read`.
"""

from collections.abc import Callable
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

from pubweave.contract.declaration import Declaration
from pubweave.contract.exchange import Reply, Work
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.resources import DECLARATIONS
from pubweave.contract.vocabulary import DoorName, NeedOutcome, PageKind, ResourceName
from pubweave.contract.webpage_read import WebpageRead
from pubweave.core.addresses import scheme_of
from pubweave.core.reading.pages import WebpageFindings, judge_page, read_webpage
from pubweave.core.reading.rules import RuleBook
from pubweave.core.toolkit.answering import wanted_page
from pubweave.core.toolkit.batching import Repeats, repetition
from pubweave.core.toolkit.pdf_answers import PdfRead, is_pdf, is_title
from pubweave.core.toolkit.service import Context

WebpageSaid: TypeAlias = WebpageRead | ReplyWanted
WebpageStep: TypeAlias = Callable[[Work, Reply | None, Context], list[WebpageSaid]]
"""As `core.toolkit.service.Step`: `step(work, reply, context) -> what is said`; over all steps exactly one
`webpage-read` for each need."""

JavaScript = Literal["rules", "always", "never", "if-short"]
"""Is the page read in the browser? `rules`: as those of its start address say, else if it is short or asks for
scripts (F-WEB-20, 21); `if-short`: by that test alone, whatever the rules (F-WEB-23)."""


class WebpageService(NamedTuple):
    """A resource of pages as the runtimes know it."""

    name: ResourceName
    story: str
    step: WebpageStep

    @classmethod
    def of(cls, declaration: Declaration, step: WebpageStep) -> "WebpageService":
        """The service that a folder declares."""
        return cls(declaration.name, declaration.story, step)


PLAIN: Final = "plain"
BROWSER: Final = "browser"
PDF: Final = "pdf"

_DOORS: Final[dict[str, DoorName]] = {PLAIN: "fetcher", BROWSER: "renderer", PDF: "pdf_reader"}
_ENTRIES: Final[dict[ResourceName, PageKind]] = {
    one.name: one.entry for one in DECLARATIONS if one.entry is not None
}
_NO_RULES: Final = RuleBook()

_XML_VIEWER: Final = b'id="webkit-xml-viewer-source-xml"'
"""Where a browser keeps XML of which it shows a tree, with a hint about itself above."""
_WALL_TEXT: Final = 1500
"""A bot check says less than so many characters; what says more is a page, whatever its title."""


class Memory(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the next step must know; travels in `Work.memory`."""

    javascript: JavaScript = "rules"
    before: WebpageRead | None = None
    """What the attempt before this one gave."""
    asked: tuple[str, ...] = ()
    """Steps that are over."""
    reasons: tuple[str, ...] = ()
    """Why it went on from each, a few words."""
    repeats: Repeats = Repeats()


_DECODER: Final = msgspec.json.Decoder(Memory | None)
_ENCODER: Final = msgspec.json.Encoder()
_PDFS: Final = msgspec.json.Decoder(PdfRead)


def first_work(need: NeedsPart, javascript: JavaScript = "rules") -> Work:
    """The work that a page begins with.

    :param javascript: what a person wants for this page, whatever its rules say
    """
    return Work(
        resource=need.resource,
        needs=(need,),
        memory=msgspec.Raw(_ENCODER.encode(Memory(javascript=javascript))),
    )


def page_step(work: Work, reply: Reply | None, context: Context) -> list[WebpageSaid]:
    """One step of `webpages` or `docs`; pure."""
    memory = _DECODER.decode(work.memory) or Memory()
    rules = context.rules or _NO_RULES
    if reply is None:
        return [_begin(need, memory, rules) for need in work.needs]
    return [_WebpageReply(work, memory, reply, rules, context.classic_cleaning).go_on()]


def broken_page(work: Work, bug: Exception, fetched_at: int) -> list[WebpageRead]:
    """A page that breaks its reader costs itself, not the run: a failure of class F-EXC-12."""
    return [
        _read(need, "failed", f"{type(bug).__name__}: {bug}", fetched_at=fetched_at, fetch_exception=True)
        for need in work.needs
    ]


def _begin(need: NeedsPart, memory: Memory, rules: RuleBook) -> ReplyWanted:
    url = _address(need)
    if scheme_of(url) != "http":
        why = f"not an HTTP address ({url.partition(':')[0][:20]}): tried as PDF"
        return _ask(need, PDF, url, _left(memory, PLAIN, why))
    by_rules = memory.javascript == "rules" and rules.webpage_javascript(url) is True
    return _ask(need, BROWSER if by_rules or memory.javascript == "always" else PLAIN, url, memory)


def _address(need: NeedsPart) -> str:
    assert need.link is not None, "a need of a page names its address as link"
    return need.link.url


def _left(memory: Memory, step: str, why: str, before: WebpageRead | None = None) -> Memory:
    """The memory after a step that did not end it."""
    return msgspec.structs.replace(
        memory,
        before=before or memory.before,
        asked=(*memory.asked, step),
        reasons=(*memory.reasons, why),
        repeats=Repeats(),
    )


def _ask(
    need: NeedsPart, step: str, url: str, memory: Memory, *, tries: int = 0, delay_ms: int = 0
) -> ReplyWanted:
    return wanted_page(
        need,
        url,
        _DOORS[step],
        step=step,
        memory=_ENCODER.encode(memory),
        tries=tries,
        delay_ms=delay_ms,
    )


def _read(
    need: NeedsPart,
    outcome: NeedOutcome,
    evidence: str,
    *,
    fetched_at: int,
    fetch_exception: bool = False,
    final_url: str = "",
    content_type: str = "",
    status_code: int = 0,
    findings: WebpageFindings | None = None,
    javascript: bool = False,
    unreached: bool = False,
) -> WebpageRead:
    found = findings or WebpageFindings()
    return WebpageRead(
        publication=need.publication,
        entry=_ENTRIES[need.resource],
        url=_address(need),
        need=need.need,
        epoch=need.place.epoch,
        run=need.place.run,
        fetched_at=fetched_at,
        outcome=outcome,
        evidence=evidence,
        fetch_exception=fetch_exception,
        final_url=final_url,
        content_type=content_type,
        status_code=status_code,
        title=found.title,
        content=found.content,
        license=found.license,
        language=found.language,
        rules_version=found.rules_version if found.by_rules else "",
        javascript=javascript,
        unreached=unreached,
    )


class _WebpageReply:
    """One reply to one page's question, and what follows from it."""

    def __init__(self, work: Work, memory: Memory, reply: Reply, rules: RuleBook, classic: bool) -> None:
        self._classic = classic
        self._work = work
        self._need = work.needs[0]
        self._memory = memory
        self._reply = reply
        self._rules = rules
        self._start = _address(self._need)

    def go_on(self) -> WebpageSaid:
        again = repetition(self._reply, self._memory.repeats, alone=False)
        if again is not None:
            delay_ms, repeats = again
            memory = msgspec.structs.replace(self._memory, repeats=repeats)
            url, tries = self._reply.url, self._work.tries + 1
            return _ask(self._need, self._work.step, url, memory, tries=tries, delay_ms=delay_ms)
        match self._work.step:
            case "browser":
                return self._after_browser()
            case "pdf":
                return self._after_pdf()
            case _:
                return self._after_plain()

    # --- the three doors

    def _after_plain(self) -> WebpageSaid:
        reply = self._reply
        match reply.outcome:
            case "found":
                findings = self._findings(reply.body)
                if wall := self._wall(findings, reply.body):
                    return wall
                read = self._found(findings)
                why = self._why_browser(findings)
                return self._to_browser(why, read) if why else read
            case "wrong-type" if is_pdf(reply):
                return self._to_pdf(reply.evidence or "a PDF")
            case "bad-url":
                return self._to_pdf(reply.evidence or "not an address")
            case "tls-failure" if BROWSER not in self._memory.asked and self._may_use_browser():
                return self._to_browser(f"TLS failure: {reply.evidence}", self._failed())
        return self._failed()

    def _after_browser(self) -> WebpageSaid:
        reply, before = self._reply, self._memory.before
        if reply.outcome == "found" and _XML_VIEWER in reply.body:
            if before is not None:
                return self._keep(before, "wrong-type", "XML, which a browser shows as a tree")
            if PLAIN not in self._memory.asked:
                why = "XML, read as it is served"
                return _ask(self._need, PLAIN, self._start, _left(self._memory, BROWSER, why))
        if reply.outcome == "found":
            # A document object model has no other encoding than that of the text it is handed over as.
            shown = reply.body.decode("utf-8", "replace")
            findings = self._findings(shown)
            if wall := self._wall(findings, shown):
                return wall if before is None else self._keep(before, wall.outcome, wall.evidence)
            read = self._found(findings, javascript=True)
            if before is not None and not (read.title or read.content) and (before.title or before.content):
                return self._keep(before, "empty", "the browser shows nothing")
            return read
        if reply.outcome == "wrong-type" and is_pdf(reply) and before is None:
            return self._to_pdf(reply.evidence or "a PDF")
        if before is not None:
            return self._keep(before, reply.outcome, reply.evidence)
        if reply.outcome == "no-door" and PLAIN not in self._memory.asked:
            # F-JS-06: better what the page says without its scripts than nothing.
            return _ask(
                self._need, PLAIN, self._start, _left(self._memory, BROWSER, self._without("no-door"))
            )
        return self._failed()

    def _after_pdf(self) -> WebpageSaid:
        reply, before = self._reply, self._memory.before
        final_url = reply.final_url or (before.final_url if before is not None else "")
        content_type = before.content_type if before is not None else ""
        status = reply.status or (before.status_code if before is not None else 0)
        if scheme_of(reply.final_url or reply.url) != "http":
            # The fetcher tells of FTP in the words of HTTP; there was no status (F-WEB-04).
            status, final_url = 0, final_url if reply.outcome == "found" else ""
        if reply.outcome != "found":
            return _read(
                self._need,
                reply.outcome,
                self._told(reply.evidence),
                fetched_at=reply.fetched_at,
                fetch_exception=reply.web_fetch_exception,
                final_url=final_url,
                content_type=content_type or reply.content_type,
                status_code=status,
                unreached=reply.unreached and before is None,
            )
        pdf = _PDFS.decode(reply.body)
        title = pdf.metadata.title.strip()
        return _read(
            self._need,
            "found" if pdf.text else "empty",
            self._told(reply.evidence or ("" if pdf.text else "the PDF has no text")),
            fetched_at=reply.fetched_at,
            fetch_exception=reply.web_fetch_exception,
            final_url=final_url or reply.url,
            content_type=content_type or "application/pdf",
            status_code=status,
            findings=WebpageFindings(title=title if is_title(title) else "", content=pdf.text),
        )

    # --- reading

    def _findings(self, body: bytes | str) -> WebpageFindings:
        reply = self._reply
        return read_webpage(
            body,
            reply.final_url or reply.url,
            self._rules,
            content_type=reply.content_type,
            cleaner="classic" if self._classic else "default",
        )

    def _wall(self, findings: WebpageFindings, body: bytes | str) -> WebpageRead | None:
        """The page as `blocked`, if it only asks whether somebody is a robot. Pages with rules are what rules select."""
        reply = self._reply
        if findings.by_rules or findings.text_size >= _WALL_TEXT:
            return None
        url = reply.final_url or reply.url
        verdict = judge_page(body, url, status=reply.status, content_type=reply.content_type)
        if verdict.kind != "bot-wall":
            return None
        blocked = msgspec.structs.replace(reply, outcome="blocked", evidence=verdict.evidence)
        return _WebpageReply(self._work, self._memory, blocked, self._rules, self._classic)._failed()

    def _found(self, findings: WebpageFindings, *, javascript: bool = False) -> WebpageRead:
        reply = self._reply
        is_empty = not (findings.content or (findings.is_discarded and findings.title))
        evidence = reply.evidence
        outcome: NeedOutcome = "found"
        if is_empty:
            outcome = "empty"
            evidence = evidence or ("the page has no content" if findings.title else "the page says nothing")
        elif findings.unmatched:
            outcome = "rule-missed"
            missed = f"the rule's selector {findings.unmatched!r} matches nothing, the page was cleaned"
            evidence = f"{evidence}; {missed}" if evidence else missed
        return _read(
            self._need,
            outcome,
            self._told(evidence),
            fetched_at=reply.fetched_at,
            fetch_exception=reply.web_fetch_exception,
            final_url=reply.final_url or reply.url,
            content_type=reply.content_type,
            status_code=reply.status,
            findings=findings,
            javascript=javascript,
        )

    def _failed(self) -> WebpageRead:
        """Chapter 6.2: final address, status and content type are kept where something answered."""
        reply = self._reply
        return _read(
            self._need,
            reply.outcome,
            self._told(reply.evidence),
            fetched_at=reply.fetched_at,
            fetch_exception=reply.web_fetch_exception,
            final_url=reply.final_url,
            content_type=reply.content_type,
            status_code=reply.status,
            unreached=reply.unreached,
        )

    def _keep(self, before: WebpageRead, outcome: str, evidence: str) -> WebpageRead:
        """F-WEB-22. That the browser failed for a while makes the page worth another attempt (F-EXC-16)."""
        told = "; ".join(filter(None, [before.evidence, *self._memory.reasons[-1:], self._without(outcome)]))
        return msgspec.structs.replace(
            before,
            evidence=f"{told}: {evidence}" if evidence and outcome != "no-door" else told,
            fetch_exception=before.fetch_exception or self._reply.web_fetch_exception,
        )

    def _without(self, outcome: str) -> str:
        if outcome == "no-door":
            return "read without JavaScript: there is no browser here"
        return f"read without JavaScript: {outcome}"

    def _told(self, evidence: str) -> str:
        return "; ".join(filter(None, [*self._memory.reasons, evidence]))

    # --- where it goes on

    def _may_use_browser(self) -> bool:
        if self._memory.javascript == "rules":
            return self._rules.webpage_javascript(self._start) is not False
        return self._memory.javascript != "never"

    def _why_browser(self, findings: WebpageFindings) -> str:
        """Why the page is read once more, in the browser (F-WEB-21, F-WEB-23); "" if it is not."""
        if BROWSER in self._memory.asked or not findings.is_page:
            return ""
        minimum = self._need.settings.thresholds.webpageMinLengthJavascript
        lacking = (
            f"the browser is asked for a page of {findings.text_size} characters"
            if findings.text_size < minimum
            else "the browser is asked because of a noscript element"
            if findings.has_noscript
            else ""
        )
        match self._memory.javascript:
            case "always" | "never":
                return ""
            case "if-short":
                return lacking
        if self._rules.webpage_javascript(self._start) is not None:
            return ""
        if self._rules.webpage_javascript(self._reply.final_url or self._start):
            return "the browser is asked by the rules of its final address"
        return "" if findings.by_rules else lacking

    def _to_browser(self, why: str, read: WebpageRead) -> ReplyWanted:
        return _ask(self._need, BROWSER, self._start, _left(self._memory, PLAIN, why, read))

    def _to_pdf(self, why: str) -> ReplyWanted:
        """F-EXC-01, F-EXC-05: at the address where the PDF was met."""
        memory = _left(self._memory, self._work.step, why, self._failed())
        return _ask(self._need, PDF, self._reply.final_url or self._start, memory)
