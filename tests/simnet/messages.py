"""What goes between the server and the hosts: requests, asks, replies."""

from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote, urlsplit


@dataclass(slots=True)
class Request:
    """One HTTP request as the host sees it."""

    method: str
    scheme: str
    host: str
    target: str
    """path and query as sent"""
    headers: dict[str, str]
    """names in lower case"""
    body: bytes = b""

    @property
    def path(self) -> str:
        return unquote(self.raw_path)

    @property
    def raw_path(self) -> str:
        return urlsplit(self.target).path

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.host}{self.target}"

    def parameters(self) -> dict[str, str]:
        """Query and, for a form POST, body; the last value of a name counts; names in lower case."""
        return {name.lower(): value for name, value in self.pairs()}

    def pairs(self) -> list[tuple[str, str]]:
        """The same with every value."""
        pairs = parse_qsl(urlsplit(self.target).query, keep_blank_values=True)
        if self.method == "POST" and "json" not in self.headers.get("content-type", ""):
            pairs += parse_qsl(self.body.decode("utf-8", "replace"), keep_blank_values=True)
        return pairs


@dataclass(slots=True)
class Reply:
    """One HTTP reply before faults."""

    status: int
    body: bytes = b""
    content_type: str = "text/html;charset=UTF-8"
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Weather:
    """Faults that change what is said rather than how: identifiers lost, records cut."""

    loses: Callable[[str, str], bool] = lambda form, value: False
    """whether a query of many identifiers loses this one, given the form it is asked in"""
    cut_after: int | None = None
    """a batch ends after so many records, in the middle of the next"""


FAIR = Weather()


@dataclass(slots=True)
class Ask:
    """What a request wants: the resource, the identifiers it names, and how to answer."""

    resource: str
    ids: tuple[str, ...]
    answer: Callable[[Weather], Reply]
    detail: str = field(default="")


def plain(status: int, body: str | bytes, content_type: str = "text/html;charset=UTF-8") -> Reply:
    """A reply with a short body."""
    return Reply(status, body.encode() if isinstance(body, str) else body, content_type)


XML = "application/xml;charset=UTF-8"
JSON = "application/json;charset=UTF-8"
