"""Faults: what goes wrong, where, how often, and whether it heals.

Whether an ask meets a fault depends on the seed and on the content of the ask (resource and identifiers) alone,
so the same job meets the same faults in any order. A fault with `heals_after` = k is gone at the k+1st attempt of
the same ask.
"""

import gzip
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any, Literal, get_args

from simnet.draw import share
from simnet.log import unit
from simnet.messages import Ask, Reply, Weather

Kind = Literal[
    "429", "500", "502", "503", "504", "html", "truncated", "cut", "drip", "reset", "empty", "version-only",
    "lose", "cut-batch", "bomb", "redirects", "tarpit", "bad-gzip", "wrong-type",
]  # fmt: skip
"""429 and 5xx: status (429 and 503 with Retry-After when `retry_after_s` is set). html: a page at 200. truncated: half of the
body, honest length. cut: the length of all, half of it, then the connection closes. drip: the body in `pieces` over
`seconds`. reset: the connection is reset instead of a reply. empty: 200 without a body. version-only:
`{"version":"6.9"}`. lose: a query of many identifiers loses this share of them (form by form; PMCIDs and single queries lose
nothing). cut-batch: the answer ends in the middle of a record after `records`. bomb: a small gzip body that becomes `megabytes`. redirects:
for ever. tarpit: no answer at all. bad-gzip: not gzip though it says so. wrong-type: an image."""
KINDS: tuple[str, ...] = get_args(Kind)


@dataclass(frozen=True)
class Fault:
    """One thing that goes wrong.

    `where` is a host (`www.` does not matter), a resource of the log, or `*`; `probability` is of an ask
    (for `lose`: of an identifier in a query of many). `heals_after`: attempts of the same ask that meet it
    before it heals; None = never heals. `naming`: only asks that name this identifier or address, in any case.
    """

    kind: Kind
    where: str = "*"
    probability: float = 1.0
    heals_after: int | None = None
    retry_after_s: int | None = None
    seconds: float = 2.0
    pieces: int = 20
    records: int = 3
    megabytes: int = 200
    naming: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"no such fault: {self.kind} (there are {', '.join(KINDS)})")

    def meets(self, seed: int, host: str, ask: Ask) -> bool:
        """Whether the ask meets this fault while it lasts."""
        if self.where not in ("*", ask.resource) and unit(self.where) != unit(host):
            return False
        if self.naming and self.naming.lower() not in map(str.lower, ask.ids):
            return False
        return (
            share(seed, self.kind, self.where, ask.resource, *sorted(ask.ids), ask.detail) < self.probability
        )

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass
class Faults:
    """The faults of a run, with the memory of which ask has met them how often."""

    seed: int = 0
    faults: list[Fault] = field(default_factory=list)
    met: Counter[tuple[int, str, tuple[str, ...], str]] = field(default_factory=Counter)

    def replace(self, faults: Iterable[Fault]) -> None:
        """Other faults from now on; what was met is forgotten."""
        self.faults = list(faults)
        self.met.clear()

    def for_ask(self, host: str, ask: Ask) -> tuple[Weather, Fault | None]:
        """What changes the content of the answer, and the first fault that changes its way."""
        losses: list[Fault] = []
        cut_after: int | None = None
        way: Fault | None = None
        for number, fault in enumerate(self.faults):
            if fault.kind == "lose":
                if fault.where in ("*", ask.resource) or unit(fault.where) == unit(host):
                    losses.append(fault)
                continue
            if way is not None or not fault.meets(self.seed, host, ask):
                continue
            key = (number, ask.resource, tuple(sorted(ask.ids)), ask.detail)
            if fault.heals_after is not None and self.met[key] >= fault.heals_after:
                continue
            self.met[key] += 1
            if fault.kind == "cut-batch":
                cut_after = fault.records
                continue
            way = fault

        def loses(form: str, value: str) -> bool:
            return any(share(self.seed, "lose", form, value.lower()) < fault.probability for fault in losses)

        return Weather(loses, cut_after), way


def spoil(fault: Fault, reply: Reply, url: str) -> Reply:
    """The reply that this fault makes of a reply; kinds that change the connection leave it as it is."""
    kind = fault.kind
    if kind in ("429", "500", "502", "503", "504"):
        headers = (("Retry-After", str(fault.retry_after_s)),) if fault.retry_after_s is not None else ()
        body = f"<html><head><title>{kind}</title></head><body><center><h1>{kind}</h1></center><hr>nginx</body></html>"
        if kind == "429" and "json" in reply.content_type:
            return Reply(429, b'{"error":"API rate limit exceeded","count":"4"}', "application/json", headers)
        return Reply(int(kind), body.encode(), "text/html", headers)
    if kind == "html":
        page = b"<!DOCTYPE html><html><head><title>Scheduled maintenance</title></head><body><h1>Back soon</h1></body></html>"
        return Reply(200, page, "text/html")
    if kind == "truncated":
        return Reply(reply.status, reply.body[: len(reply.body) // 2], reply.content_type, reply.headers)
    if kind == "empty":
        return Reply(200, b"", reply.content_type)
    if kind == "version-only":
        return Reply(200, b'{"version":"6.9"}', "application/json")
    if kind == "redirects":
        step = url.partition("step=")[2]
        following = int(step) + 1 if step.isdigit() else 1
        return Reply(
            302,
            b"",
            "text/html",
            (("Location", f"{url.partition('#')[0].partition('step=')[0].rstrip('?&')}?step={following}"),),
        )
    if kind == "bomb":
        return Reply(200, _bomb(fault.megabytes), reply.content_type, (("Content-Encoding", "gzip"),))
    if kind == "bad-gzip":
        return Reply(200, b"\x1f\x8b this is not gzip", reply.content_type, (("Content-Encoding", "gzip"),))
    if kind == "wrong-type":
        return Reply(200, b"\x89PNG\r\n\x1a\n" + bytes(60), "image/png")
    return reply


@lru_cache(maxsize=2)
def _bomb(megabytes: int) -> bytes:
    return gzip.compress(bytes(megabytes << 20), 9)


def parse(text: str) -> Fault:
    """`kind[@where][=probability][;name=value…]`, as the command line spells a fault.

    Examples: `503@eutils.ncbi.nlm.nih.gov=0.2;heals_after=2`, `lose@europepmc=0.16`.

    :raises ValueError: it cannot be read
    """
    head, *options = text.split(";")
    head, _, probability = head.partition("=")
    kind, _, where = head.partition("@")
    values: dict[str, Any] = {"kind": kind, "where": where or "*"}
    if probability:
        values["probability"] = float(probability)
    for option in options:
        name, _, value = option.partition("=")
        read = {"seconds": float, "naming": str}.get(name.strip(), int)
        values[name.strip()] = read(value)
    try:
        return Fault(**values)
    except TypeError as error:
        raise ValueError(f"cannot read the fault {text!r}: {error}") from None
