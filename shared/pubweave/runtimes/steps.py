"""One pure step of a resource, and what becomes of it when it breaks: the same wherever it runs (design law 5)."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Protocol

import msgspec

from pubweave.contract.exchange import Reply, Work
from pubweave.contract.vocabulary import AttemptOutcome
from pubweave.core.toolkit.guarding import guarded_step
from pubweave.core.toolkit.service import Context, Said, Service
from pubweave.runtimes.breaking import broken_step
from pubweave.runtimes.told import log_said

if TYPE_CHECKING:  # brings the page parser along
    from pubweave.core.toolkit.webpage_asking import WebpageSaid, WebpageService

_log = logging.getLogger(__name__)

Raised = tuple[type[Exception], ...]


def said_by(
    service: Service, work: Work, reply: Reply | None, context: Context, *, raised: Raised = ()
) -> list[Said]:
    """What a resource of publications says; a document that breaks it costs one need, not the run.

    :param raised: what is for the caller to deal with
    """
    try:
        said = guarded_step(service, work, reply, context)
    except raised:
        raise
    except Exception as bug:  # noqa: BLE001  # see above
        said = broken_step(service, work, bug, context)
    log_said(work, reply, said)
    return said


def page_said_by(
    service: WebpageService,
    work: Work,
    reply: Reply | None,
    context: Context,
    now_ms: int,
    *,
    raised: Raised = (),
) -> list[WebpageSaid]:
    """What a resource of web pages says; a page that breaks it costs itself, not the run.

    :param now_ms: when it broke, where no reply says when it came
    :param raised: what is for the caller to deal with
    """
    try:
        said = service.step(work, reply, context)
        log_said(work, reply, said)
        return said
    except raised:
        raise
    except Exception as bug:  # noqa: BLE001  # see above
        from pubweave.core.toolkit.webpage_asking import broken_page

        _log.error("The resource %s broke on a page; please report this", work.resource, exc_info=bug)
        return [*broken_page(work, bug, reply.fetched_at if reply is not None else now_ms)]


def unread(reply: Reply, outcome: AttemptOutcome, evidence: str, *, again: bool) -> Reply:
    """The reply as it is told to a resource that could not read it: as if the door had failed to bring it.

    :param again: reading it another time may end otherwise
    """
    return msgspec.structs.replace(
        reply,
        outcome=outcome,
        body=b"",
        blob=None,
        evidence=evidence,
        fetch_exception=again,
        web_fetch_exception=again,
    )


class Steps(Protocol):
    """Where steps run. What is said is the same wherever that is."""

    async def said(self, service: Service, work: Work, reply: Reply | None, context: Context) -> list[Said]:
        """What a resource of publications says."""

    async def page_said(
        self, service: WebpageService, work: Work, reply: Reply | None, context: Context, now_ms: int
    ) -> list[WebpageSaid]:
        """What a resource of web pages says; `now_ms` as for `page_said_by`."""


class Here:
    """`Steps` in this process, at once; one that takes too long cannot be ended."""

    async def said(self, service: Service, work: Work, reply: Reply | None, context: Context) -> list[Said]:
        """See `Steps`."""
        return said_by(service, work, reply, context)

    async def page_said(
        self, service: WebpageService, work: Work, reply: Reply | None, context: Context, now_ms: int
    ) -> list[WebpageSaid]:
        """See `Steps`."""
        return page_said_by(service, work, reply, context, now_ms)
