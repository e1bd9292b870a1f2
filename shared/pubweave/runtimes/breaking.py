"""What becomes of a work whose step broke: a document that breaks a reader costs one need, not the run."""

import logging

from pubweave.contract.exchange import Work
from pubweave.core.answering import Answer
from pubweave.core.guarding import guarded_step
from pubweave.core.service import Context, Said, Service

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
        said += Answer(need).done("failed", f"{type(bug).__name__}: {bug}", fetch_exception=True)
    return said
