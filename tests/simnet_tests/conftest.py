"""Universes and running networks that tests share."""

from collections.abc import AsyncIterator, Iterator

import pytest

from simnet.fixture import Running, running
from simnet.universe import Universe
from simnet_tests.asking import Client


@pytest.fixture(scope="session")
def universe() -> Universe:
    """The standard universe."""
    return Universe(1, 2000)


@pytest.fixture(scope="session")
def fair_net(universe: Universe) -> Iterator[Running]:
    """One simulated internet for tests that need neither faults nor a clean log."""
    with running(universe) as net:
        yield net


@pytest.fixture
async def client(fair_net: Running) -> AsyncIterator[Client]:
    async with Client(fair_net) as client:
        yield client
