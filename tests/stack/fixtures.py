"""`kafka` and `cassandra` for tests: the address of a real server, for as long as this process runs tests.

Use: `from stack.fixtures import cassandra, needs_stack` in the test module and `pytestmark = needs_stack`.
Modules that do so share the server, also across the processes of pytest-xdist.
"""

import os
from collections.abc import Iterator

import pytest

from stack.leases import Lease, obstacle

needs_stack = pytest.mark.stack


def _in_ci() -> bool:
    return os.environ.get("CI", "").lower() in ("1", "true", "yes")


def _use(name: str) -> Iterator[str]:
    if sentence := obstacle(name):
        if _in_ci():
            pytest.fail(f"in CI nothing is skipped, but {sentence}", pytrace=False)
        pytest.skip(sentence)
    lease = Lease(name)
    address = lease.take()
    try:
        yield address
    finally:
        lease.release()


@pytest.fixture(scope="session")
def kafka() -> Iterator[str]:
    """`host:port` of a real Kafka."""
    yield from _use("kafka")


@pytest.fixture(scope="session")
def cassandra() -> Iterator[str]:
    """`host:port` of a real Cassandra."""
    yield from _use("cassandra")
