"""One request to the outside and its reply, as resources and doors speak of it."""

from typing import Literal

import msgspec

from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.values import BlobRef, Value
from pubweave.contract.vocabulary import AttemptOutcome, ResourceName

Expect = Literal["xml", "json", "html", "pdf", "text", "any"]


class Request(Value, frozen=True, omit_defaults=True):
    """What a door is asked for."""

    url: str
    method: Literal["GET", "POST"] = "GET"
    form: tuple[tuple[str, str], ...] = ()
    """Pairs sent url-encoded in the body of a POST."""
    expect: Expect = "any"
    """What can be read. `xml`, `json`, `pdf`: a reply of another kind is `malformed` or `wrong-type`;
    `html` takes what F-EXC-14 lists."""
    family: str = ""
    """The API family whose budget holds (declared by a resource); empty: the host's own."""
    follow_redirects: bool = True
    robots: bool = False
    """Ask robots.txt first (pages and PDFs; APIs are exempt)."""
    max_bytes: int = 0
    """0: the door's setting for this kind."""
    timeout_ms: int = 15_000
    javascript: bool = False


class Reply(Value, frozen=True, omit_defaults=True):
    """What came back. `outcome` is the one attempt outcome; everything else is evidence."""

    outcome: AttemptOutcome
    url: str
    """As asked."""
    final_url: str = ""
    """After redirects; empty if nothing answered."""
    status: int = 0
    content_type: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    """Names in lower case; those that readers use (location, retry-after, content-language…)."""
    body: bytes = b""
    blob: BlobRef | None = None
    """The body, where it is too long to travel (on the bus; the runtime puts it back into `body`)."""
    truncated: bool = False
    """The body ended before its announced end; what is there is in `body` (salvage)."""
    fetched_at: int = 0
    attempts: int = 1
    fetch_exception: bool = False
    """Chapter 6.2 for publications: this failure sets fetchException."""
    web_fetch_exception: bool = False
    """The same for web pages and docs."""
    retry_after_ms: int = 0
    evidence: str = ""
    unreached: bool = False
    """Nothing was sent, because there was no way to the host: no network, no name, nobody who listens, no proxy."""

    def header(self, name: str) -> str:
        return next((value for key, value in self.headers if key == name), "")


class Carried(Value, frozen=True, omit_defaults=True):
    """What a question brings along that redirects have led to another politeness unit (design law 6)."""

    url: str
    """Where it has come to."""
    method: Literal["GET", "POST"] = "GET"
    """A redirect may have made a GET of a POST."""
    hops: int = 1
    """How many redirects were followed."""
    cookies: tuple[tuple[str, str], ...] = ()
    """(address, Set-Cookie) in the order of their coming; they live as long as one fetch."""
    seen: tuple[str, ...] = ()
    """Digests of the requests that were sent: the same once more would go round for ever."""
    remaining_ms: int = 0
    """What is left of the time for the whole; 0: all of it."""
    started_at: int = 0


class Work(Value, frozen=True, omit_defaults=True):
    """What a resource service works on: one need, or a batch of them, and how far it has come.

    Travels with the question and comes back with the answer, so any worker can go on (design law 5).
    """

    resource: ResourceName
    needs: tuple[NeedsPart, ...]
    step: str = ""
    """The resource's own word for where it stands; empty at the beginning."""
    tries: int = 0
    """How often this very question has been asked again."""
    memory: msgspec.Raw = msgspec.Raw(b"null")
    """What the next step must know beyond that: JSON of a Struct of the resource."""
    asker: str = ""
    """The process that waits for the answer in the middle of rendering a page, where one does (on the bus): nobody
    else can go on with it."""
