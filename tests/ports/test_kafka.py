"""Kafka keeps the promises of the log."""

import itertools
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from ports.log_contract import LogContract
from pubweave.adapters.kafka import KafkaLog, KafkaPlace
from pubweave.adapters.kafka.admin import apply
from pubweave.adapters.kafka.topics import Wanted
from pubweave.ports import Log
from stack.fixtures import kafka, needs_stack
from stack.processes import me

__all__ = ["kafka"]

pytestmark = needs_stack

numbers = itertools.count()


@pytest.fixture
async def place(kafka: str) -> KafkaPlace:
    """Two empty topics of one partition, under names that no other test has."""
    place = KafkaPlace.at(kafka, prefix=f"test-{me().pid}-{next(numbers)}.")
    compacted = {"cleanup.policy": "compact"}
    await apply(place, [Wanted(place.prefix + name, 1, compacted) for name in ("facts", "others")])
    return place


class TestKafkaLog(LogContract):
    @pytest_asyncio.fixture
    async def log(self, place: KafkaPlace) -> AsyncIterator[Log]:
        log = KafkaLog(place)
        yield log
        await log.close()
