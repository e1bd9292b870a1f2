"""What becomes of a work whose step broke, or a question whose door did: it costs one need or question, not the run."""

import logging

from pubweave.contract.exchange import Reply, Work
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.core.toolkit.answering import NeedAnswer
from pubweave.core.toolkit.guarding import guarded_step
from pubweave.core.toolkit.service import Context, Said, Service

_log = logging.getLogger(__name__)


def broken_step(service: Service, work: Work, bug: Exception, context: Context) -> list[Said]:
    """Begin anew with each need of a batch by itself; a need that was alone, or breaks again, ends as `failed`."""
    _log.error(
        "The resource %s broke on a reply for %d needs; please report this",
        work.resource,
        len(work.needs),
        exc_info=bug,
    )
    said: list[Said] = []
    for need in work.needs:
        if len(work.needs) > 1:
            try:
                said += guarded_step(service, Work(resource=work.resource, needs=(need,)), None, context)
                continue
            except Exception as again:  # noqa: BLE001  # as above, for one need of the batch
                bug = again
        said += NeedAnswer(need).done("failed", f"{type(bug).__name__}: {bug}", fetch_exception=True)
    return said


def broken_door(wanted: ReplyWanted, bug: Exception, now_ms: int) -> Reply:
    """The one reply of a question all the same."""
    _log.error("A door broke on %s; please report this", wanted.request.url, exc_info=bug)
    return Reply(
        outcome="failed",
        url=wanted.request.url,
        fetched_at=now_ms,
        fetch_exception=True,
        web_fetch_exception=True,
        evidence=f"{type(bug).__name__}: {bug}",
    )
