"""Sliding windows, against every way of travelling that a request can have."""

from hypothesis import given, settings
from hypothesis import strategies as st

from pubweave.doors.fetcher.windows import Window, WindowPlace


def most_in_a_window(arrivals: list[float], seconds: float) -> int:
    """The highest number of arrivals in any half-open window of this length."""
    ordered = sorted(arrivals)
    return max(
        (sum(start <= at < start + seconds for at in ordered) for start in ordered),
        default=0,
    )


def test_one_more_than_allowed_waits_for_the_first_to_leave() -> None:
    """The N+1st may go a full window after the first can have arrived."""
    window = Window(2, 1.0)
    for at_s in (0.0, 0.4):
        place = WindowPlace()
        assert window.wait_s(at_s) == 0
        window.take(place)
        place.sent(at_s, 0.05)

    assert 0.64 < window.wait_s(0.41) < 0.65
    assert window.wait_s(1.053) == 0


def test_an_early_answer_shortens_the_padding() -> None:
    """Once it is answered, a request has arrived: nothing later needs to be assumed."""
    window = Window(1, 1.0)
    place = WindowPlace()
    window.take(place)
    place.sent(0.0, 0.05)
    place.answered(0.01)

    assert window.wait_s(1.0) < 0.013


def test_a_request_that_waits_for_its_connection_holds_its_place() -> None:
    """Allowed early and sent late, it must not meet the next burst."""
    window = Window(1, 1.0)
    window.take(WindowPlace())

    assert window.wait_s(1000.0) == float("inf")


@settings(derandomize=True, deadline=None, max_examples=150)
@given(
    requests=st.integers(1, 6),
    travels=st.lists(
        st.tuples(
            st.floats(0, 0.4),  # from the decision to sending: connecting
            st.floats(0, 0.05),  # from sending to the server: up to the padding
            st.floats(0, 0.5),  # from the server to us
            st.floats(0, 0.3),  # until the next question comes up
        ),
        min_size=1,
        max_size=40,
    ),
)
def test_no_window_at_the_server_is_ever_above_the_budget(
    requests: int, travels: list[tuple[float, float, float, float]]
) -> None:
    """Law: with travelling times up to the padding, no window of one second sees more than N arrivals,
    whatever connections cost before and answers take after."""
    window = Window(requests, 1.0)
    now_s = 0.0
    arrivals: list[float] = []
    ahead: list[tuple[float, int, WindowPlace]] = []  # what will happen: (time, 0 sent or 1 answered, place)

    def pass_time(until_s: float) -> None:
        for event in sorted(ahead, key=lambda event: event[:2]):
            at_s, kind, place = event
            if at_s <= until_s:
                ahead.remove(event)
                if kind == 0:
                    place.sent(at_s, 0.05)
                else:
                    place.answered(at_s)

    for connecting_s, there_s, back_s, idle_s in travels:
        now_s += idle_s
        pass_time(now_s)
        while (wait_s := window.wait_s(now_s)) > 0:
            now_s = min([now_s + wait_s, *(at_s for at_s, _, _ in ahead if at_s > now_s)])
            pass_time(now_s)
        place = WindowPlace()
        window.take(place)
        sent_s = now_s + connecting_s
        arrivals.append(sent_s + there_s)
        ahead += [(sent_s, 0, place), (sent_s + there_s + back_s, 1, place)]

    assert most_in_a_window(arrivals, 1.0) <= requests
