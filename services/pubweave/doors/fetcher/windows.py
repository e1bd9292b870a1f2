"""Exact sliding windows: never more than N requests in any window of W seconds, as the server sees them."""

from math import inf

# Clocks of both sides tick in steps, and timers may fire a little early.
_TICK_S = 0.002


class WindowPlace:
    """One request's place in a window, taken before it is sent.

    `arrived_s` is the latest moment at which it can have reached the server: unknown while it is not sent,
    then padding after sending, then, if that is earlier, the moment its answer began.
    """

    __slots__ = ("arrived_s",)

    def __init__(self) -> None:
        self.arrived_s = inf

    def sent(self, now_s: float, padding_s: float) -> None:
        self.arrived_s = now_s + padding_s

    def answered(self, now_s: float) -> None:
        self.arrived_s = min(self.arrived_s, now_s)


class Window:
    """At most `requests` places of which a window of `seconds` can have seen the arrival.

    A request that waits for its connection holds its place, so a burst that was allowed early and sent late
    cannot meet the next one. Costs O(`requests`) per question.
    """

    def __init__(self, requests: int, seconds: float, *, begins_empty: bool = False) -> None:
        """:param begins_empty: nobody is taken to have asked before us"""
        self.requests = requests
        self.seconds = seconds
        self.begins_empty = begins_empty
        self._places: list[WindowPlace] = []

    def wait_s(self, now_s: float) -> float:
        """Seconds until a place may be free: 0 now; infinite if all wait to be sent."""
        held_s = self.seconds + _TICK_S
        self._places = [place for place in self._places if place.arrived_s + held_s > now_s]
        excess = len(self._places) - self.requests
        if excess < 0:
            return 0.0
        return sorted(place.arrived_s for place in self._places)[excess] + held_s - now_s

    def take(self, place: WindowPlace) -> None:
        self._places.append(place)

    def places(self) -> list[WindowPlace]:
        return list(self._places)

    def give_back(self, place: WindowPlace) -> None:
        """The request was never sent."""
        if place in self._places:
            self._places.remove(place)

    def idle(self, now_s: float) -> bool:
        """Nothing in it counts any more."""
        return self.wait_s(now_s) == 0.0 and not self._places
