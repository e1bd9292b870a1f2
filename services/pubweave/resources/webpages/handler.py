"""From an address to what the page there says; one step serves both kinds of pages (`core.toolkit.webpage_asking`)."""

from pubweave.contract.exchange import Reply, Work
from pubweave.core.toolkit.service import Context
from pubweave.core.toolkit.webpage_asking import WebpageSaid, page_step


def step(work: Work, reply: Reply | None, context: Context) -> list[WebpageSaid]:
    """Ask for the page, go where the answer leads, and say once what it gave."""
    return page_step(work, reply, context)
