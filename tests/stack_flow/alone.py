"""`alone`: one test of a whole system at a time, however many processes run tests."""

import fcntl
from collections.abc import Iterator

import pytest

from stack.jars import stack_folder


@pytest.fixture
def alone() -> Iterator[None]:
    """Two systems on two cores starve each other's heartbeats, and the groups do nothing but rebalance."""
    folder = stack_folder() / "run"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "alone").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
