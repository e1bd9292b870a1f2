"""Is there a network at all? Told by the first replies of a job."""

from typing import Final

from pubweave.contract.exchange import Reply

UNREACHED: Final = "no source could be reached; nothing was counted, and asking again asks at once"
"""Why a line is parked whose run reached no host."""

HOSTS: Final = 2
"""One source that cannot be reached may be down; when a second one cannot be either, and none was, it is us."""


class Reach:
    """Hears every reply of a job; once somebody has been reached there is a network."""

    __slots__ = ("_hosts", "_reached")

    def __init__(self) -> None:
        self._hosts: set[str] = set()
        self._reached = False

    def heard(self, unit: str, reply: Reply) -> bool:
        """True for the reply with which it turns out that nobody can be reached.

        :param unit: the politeness unit that was asked
        """
        before = self.nobody
        if reply.unreached:
            self._hosts.add(unit)
        elif reply.status or reply.outcome == "found":
            self._reached = True
        return self.nobody and not before

    @property
    def nobody(self) -> bool:
        """Nobody can be reached: asking on would only take time."""
        return not self._reached and len(self._hosts) >= HOSTS
