"""What scraping rules missed, in the log (F-SEL-06): one line a publication and part, with its identifier."""

import logging
from collections.abc import Iterable

from pubweave.contract.exchange import Work
from pubweave.contract.resource_done import ResourceDone
from pubweave.core.toolkit.service import Said

_log = logging.getLogger(__name__)


def log_missed(work: Work, said: Iterable[Said]) -> None:
    """Warn of rules that selected less of a part than stands on the page."""
    for event in said:
        if not isinstance(event, ResourceDone) or not event.missed:
            continue
        known = next((need.identifiers.known() for need in work.needs if need.need == event.need), ())
        named = known[0][1] if known else event.publication
        where = event.tried[-1] if event.tried else event.resource
        for missed in event.missed:
            _log.warning(
                "%s: the rules of %s gave %d of %d of %s; they want mending (%s)",
                named,
                missed.site,
                missed.selected,
                missed.there,
                missed.part,
                where,
            )
