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
    asyncio.run(_delete_others(kafka, before))


async def _topics(kafka: str) -> frozenset[str]:
    admin = AIOKafkaAdminClient(bootstrap_servers=kafka)
    await admin.start()
    try:
        return frozenset(await admin.list_topics())
    finally:
        await admin.close()


async def _delete_others(kafka: str, kept: frozenset[str]) -> None:
    others = [name for name in await _topics(kafka) if name not in kept and not name.startswith("__")]
    if not others:
        return
    admin = AIOKafkaAdminClient(bootstrap_servers=kafka, request_timeout_ms=60_000)
    await admin.start()
    try:
        await admin.delete_topics(others)
    finally:
        await admin.close()
