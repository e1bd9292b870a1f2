"""From a link to its page, and from the page to what it says."""

from pubweave.contract.exchange import Reply, Work
from pubweave.contract.needs_part import NeedsPart
from pubweave.core.toolkit.answering import NeedAnswer
from pubweave.core.toolkit.page_answers import sought
from pubweave.core.toolkit.page_asking import begin_page, go_on
from pubweave.core.toolkit.service import Context, Said


def step(work: Work, reply: Reply | None, context: Context) -> list[Said]:
    """Ask for the page; read it."""
    if reply is None:
        return [said for need in work.needs for said in _begin(need, context)]
    return go_on(work, reply, sought(work.needs[0], context))


def _begin(need: NeedsPart, context: Context) -> list[Said]:
    if need.link is None:
        return NeedAnswer(need).done("skipped", "no link to follow")
    return begin_page(need, need.link.url, sought(need, context))
