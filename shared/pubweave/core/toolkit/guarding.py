"""Between a work and its resource: nobody is asked with what is no identifier, wherever it came from."""

import msgspec

from pubweave.contract.exchange import Reply, Work
from pubweave.contract.needs_part import NeedsPart
from pubweave.core.identifiers import askable
from pubweave.core.judging import shown
from pubweave.core.toolkit.answering import NeedAnswer
from pubweave.core.toolkit.service import Context, Said, Service


def guarded_step(service: Service, work: Work, reply: Reply | None, context: Context) -> list[Said]:
    """`service.step` for the needs that a source may be asked with; the others end as `skipped`."""
    bad = [need for need in work.needs if not _may_be_asked(need)]
    if not bad:
        return service.step(work, reply, context)
    said: list[Said] = []
    for need in bad:
        said += NeedAnswer(need).done("skipped", f"{shown(need.value)} is no {need.ask}, so nobody was asked")
    if good := tuple(need for need in work.needs if _may_be_asked(need)):
        said += service.step(msgspec.structs.replace(work, needs=good), reply, context)
    return said


def _may_be_asked(need: NeedsPart) -> bool:
    """Without an identifier there is nothing to look at: the resource says so itself, or follows a link."""
    return need.ask is None or not need.value or askable(need.ask, need.value)
