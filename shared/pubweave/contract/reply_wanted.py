from pubweave.contract.exchange import Carried, Reply, Request, Work
from pubweave.contract.values import Value
from pubweave.contract.vocabulary import DoorName, LaneName


class ReplyWanted(Value, tag_field="kind", tag="reply-wanted", frozen=True, omit_defaults=True):
    """A resource service wants one thing from the outside; every hop is one of these (design law 5)."""

    ask: str
    """Digest of request, work and try: the same question again has the same id."""
    unit: str
    """The politeness unit (design law 6): an API family, or a host with `www.` and case folded."""
    request: Request
    work: Work
    door: DoorName = "fetcher"
    """Who answers. Whatever another door needs from outside, the fetcher brings it: `pdf_reader` gives what the
    fetched PDF says (a `PdfReading` as JSON in the reply's body), `renderer` the page as a browser shows it."""
    delay_ms: int = 0
    """Not before this time has passed; above 30,000 it becomes a delayed event."""
    until: int = 0
    """UNIX ms; nobody waits for the answer after that, so it is not asked any more. 0: however long it takes."""
    lane: LaneName = "interactive"
    bring: bool = False
    """The renderer is there, and the fetcher is to bring the page that it shows (on the bus)."""
    fetched: Reply | None = None
    """What the fetcher brought, for a door that goes on from it (on the bus; a long body by reference). Until then
    a question for the PDF reader, and one of the renderer's with `bring`, goes to the fetcher."""
    carried: Carried | None = None
    """Where redirects have led it, if that is another politeness unit's turn (on the bus)."""
