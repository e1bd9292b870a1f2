"""The form of a resource service: a name and one pure function (design law 5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from pubweave.contract.declaration import Batching, Declaration
from pubweave.contract.exchange import Reply, Work
from pubweave.contract.field_candidate import FieldCandidate
from pubweave.contract.gate_flag import GateFlag
from pubweave.contract.link_found import LinkFound
from pubweave.contract.part_candidate import PartCandidate
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.resource_done import ResourceDone
from pubweave.contract.resources import Addresses
from pubweave.contract.vocabulary import ResourceName

if TYPE_CHECKING:  # the rule engine brings the page parser along; who reads no page does not load it
    from pubweave.core.reading.rules import RuleBook

Said: TypeAlias = PartCandidate | FieldCandidate | GateFlag | LinkFound | ResourceDone | ReplyWanted


class Context(msgspec.Struct, frozen=True):
    """Settings that resources may know. Everything else travels with the work."""

    addresses: Addresses = Addresses()
    email: str = ""
    """For sources that have none of their own among the settings."""
    europepmc_email: str = ""
    unpaywall_email: str = ""
    ncbi_email: str = ""
    ncbi_api_key: str = ""
    tool: str = "pubweave"
    no_batch: bool = False
    """Ask one by one, each in the form of the specification."""
    old_mined_terms: bool = True
    """D-10: ask the older endpoints when the annotations API fails technically."""
    affiliation_emails: bool = True
    """F-CA-09: take e-mail addresses of authors from their affiliations, until a list of corresponding authors is found."""
    classic_cleaning: bool = False
    """Pages without rules are cleaned by the names of their elements alone (F-CLN-01…11)."""
    structured_documents: bool = True
    """Keep every JATS article beside its plain full text, so that its structured document can be made (F-FUT-01)."""
    max_links: int = 10
    """F-CFG-20."""
    meta_tags: bool = True
    """Read the meta tags of pages; test operations do not (F-META-10)."""
    browser_first: bool = False
    """Article pages for which the rules want a browser are asked for there at once (F-YJ-30); else only when the page as
    it is served, judged and read, leaves something missing."""
    rules: RuleBook | None = None
    """The rules for pages in force; None where there are none (a page is then read without)."""


Step: TypeAlias = Callable[[Work, Reply | None, Context], list[Said]]
"""`step(work, reply, context) -> what is said`.

`reply` is None at the beginning. For every need of the work there is, over all steps, exactly one
`resource-done`; what is not answered yet travels on in the `work` of a `reply-wanted`. Same arguments,
same answer; nothing is kept.
"""


class Service(msgspec.Struct, frozen=True):
    """A resource service as the registry knows it."""

    name: ResourceName
    story: str
    """One sentence: what it hears, asks and says."""
    step: Step
    batching: Batching = Batching()

    @classmethod
    def of(cls, declaration: Declaration, step: Step) -> Service:
        """The service that a folder declares."""
        return cls(declaration.name, declaration.story, step, declaration.batching)
