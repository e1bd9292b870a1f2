from pubweave.contract.findings import Finding
from pubweave.contract.values import Link


class LinkFound(Finding, tag="link-found", frozen=True, omit_defaults=True):
    """A resource found a link that may lead to the article (chapter 12)."""

    link: Link
