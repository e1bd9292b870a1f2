"""What a robots.txt says to us (RFC 9309). Pure; protego matches the patterns, which group is ours and which line
decides is found here."""

import re
from typing import Final

import msgspec
from protego import Protego

PARSED_BYTES: Final = 500 * 1024
"""RFC 9309 2.5: at least so much is parsed; what follows is left out."""

_TOKEN: Final = re.compile(r"[A-Za-z_-]+")
# Spellings that webmasters use and everybody understands.
_FIELDS: Final = {
    "user-agent": "user-agent",
    "useragent": "user-agent",
    "user agent": "user-agent",
    "disallow": "disallow",
    "dissallow": "disallow",
    "disalow": "disallow",
    "allow": "allow",
    "crawl-delay": "crawl-delay",
    "crawldelay": "crawl-delay",
}


class RobotsLine(msgspec.Struct, frozen=True, array_like=True):
    """One rule, and where it stands."""

    number: int
    field: str
    value: str


class RobotsRules:
    """The lines that are meant for one crawler."""

    def __init__(self, lines: tuple[RobotsLine, ...]) -> None:
        self.lines = lines
        self._all = _parser(lines)

    @property
    def crawl_delay_s(self) -> float:
        """Seconds wished for between two requests; 0 if nothing is said. (Not in RFC 9309, but usual.)"""
        return self._all.crawl_delay("*") or 0.0

    def refusing_line(self, url: str) -> str:
        """The line that forbids this address, as it stands there; "" if it may be asked."""
        if self._all.can_fetch(url, "*"):
            return ""
        # The longest pattern decides. Each further line can only forbid more, so the first company that forbids
        # is found by halving.
        forbidding = sorted(
            (line for line in self.lines if line.field == "disallow"),
            key=lambda line: len(line.value),
            reverse=True,
        )
        low, high = 0, len(forbidding)
        while high - low > 1:
            middle = (low + high) // 2
            if _parser(tuple(forbidding[:middle])).can_fetch(url, "*"):
                low = middle
            else:
                high = middle
        line = forbidding[low]
        return f"line {line.number}, Disallow: {line.value}"


def rules_for(content: bytes, token: str) -> RobotsRules:
    """The rules of the groups that name this product token, all of them together; else those for `*`
    (RFC 9309 2.2.1). A token is compared as a whole: a group for `pub` is not meant for `pubweave`."""
    token = token.lower()
    ours: list[RobotsLine] = []
    everybodys: list[RobotsLine] = []
    named = False
    agents: set[str] = set()
    after_rule = False
    for number, field, value in _fields(content):
        if field == "user-agent":
            if after_rule:
                agents = set()
                after_rule = False
            agents.add(_agent(value))
            named = named or _agent(value) == token
            continue
        after_rule = True
        line = RobotsLine(number, field, value)
        if token in agents:
            ours.append(line)
        if "*" in agents:
            everybodys.append(line)
    return RobotsRules(tuple(ours if named else everybodys))


def product_token(user_agent: str) -> str:
    """Our name in a robots.txt: the first word of the User-Agent header without its version."""
    found = _TOKEN.match(user_agent.strip())
    return found.group().lower() if found else "pubweave"


def _agent(value: str) -> str:
    if value.startswith("*"):
        return "*"
    found = _TOKEN.match(value)
    return found.group().lower() if found else ""


def _fields(content: bytes) -> list[tuple[int, str, str]]:
    text = content[:PARSED_BYTES].decode("utf-8", "replace").removeprefix("\ufeff")
    found = []
    for number, raw in enumerate(re.split(r"\r\n|\r|\n", text), start=1):
        name, colon, value = raw.partition("#")[0].partition(":")
        field = _FIELDS.get(name.strip().lower())
        if colon and field:
            found.append((number, field, value.strip()))
    return found


def _parser(lines: tuple[RobotsLine, ...]) -> Protego:
    return Protego.parse("\n".join(["User-agent: *", *(f"{line.field}: {line.value}" for line in lines)]))
