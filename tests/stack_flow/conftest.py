"""Every test has topics of its own; a broker that kept those of all of them would run out of open files."""

import asyncio
from collections.abc import Iterator

import pytest
from aiokafka.admin import AIOKafkaAdminClient


@pytest.fixture(autouse=True)
def topics_gone(request: pytest.FixtureRequest) -> Iterator[None]:
    """What a test has made is gone when the next one begins."""
    if "kafka" not in request.fixturenames:
        yield
        return
    kafka: str = request.getfixturevalue("kafka")
    before = asyncio.run(_topics(kafka))
    yield
    asyncio.run(_topics(kafka, delete_but=before))


async def _topics(kafka: str, delete_but: frozenset[str] | None = None) -> frozenset[str]:
    """Those there are; all but some and Kafka's own are deleted, if that is wanted."""
    admin = AIOKafkaAdminClient(bootstrap_servers=kafka, request_timeout_ms=60_000)
    await admin.start()
    try:
        found = frozenset(await admin.list_topics())
        others = [name for name in found - (delete_but or found) if not name.startswith("__")]
        if others:
            await admin.delete_topics(others)
        return found
    finally:
        await admin.close()
