"""From a PDF link to its text."""

from typing import Final

from pubweave.contract.exchange import Reply, Request, Work
from pubweave.contract.needs_part import NeedsPart
from pubweave.core.addresses import address_of
from pubweave.core.politeness import host_of
from pubweave.core.toolkit.answering import NeedAnswer, wanted
from pubweave.core.toolkit.page_answers import sought
from pubweave.core.toolkit.page_asking import begin_pdf, go_on
from pubweave.core.toolkit.pdf_answers import WANTED_OF_A_PDF, is_pdf
from pubweave.core.toolkit.service import Context, Said

BROWSER_FIRST: Final = "browser-first"

_BY_BROWSER: Final = frozenset({"sciencedirect.com"})
"""F-LNK-09: what such an address gives is a page that leads on to the PDF by JavaScript."""


def step(work: Work, reply: Reply | None, context: Context) -> list[Said]:
    """Ask for the PDF; say what it holds."""
    if reply is None:
        return [said for need in work.needs for said in _begin(need)]
    need = work.needs[0]
    if work.step == BROWSER_FIRST:
        return begin_pdf(need, address_of(reply) if is_pdf(reply) else reply.url)
    return go_on(work, reply, sought(work.needs[0], context))


def _begin(need: NeedsPart) -> list[Said]:
    if need.link is None:
        return NeedAnswer(need).done("skipped", "no link to follow")
    if WANTED_OF_A_PDF not in need.missing:
        return NeedAnswer(need).done("skipped", "a PDF is read for its full text only")
    if host_of(need.link.url) in _BY_BROWSER:
        request = Request(
            url=need.link.url,
            expect="html",
            robots=True,
            timeout_ms=need.settings.timeout_ms,
            javascript=True,
        )
        return [wanted(request, "pdf", (need,), step=BROWSER_FIRST, door="renderer")]
    return begin_pdf(need, need.link.url)
