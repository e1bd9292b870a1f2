"""The services of an installation, as `pubweave work` knows them, with what starting one takes."""

from typing import Final, Literal, NamedTuple

from pubweave.contract.catalogue import SERVICES, topic_of
from pubweave.registry import ON, RESOURCES
from pubweave.runtimes.bus.system import ALL, PAGES
from pubweave.runtimes.messages.groups import topics_heard_by

Image = Literal["base", "pdf", "renderer"]

HEALTH_PORT: Final = 8080
"""Where every service answers /healthz, /readyz and /metrics."""
USER: Final = 10001
"""The user and group of our images."""

_IMAGES: Final[dict[str, Image]] = {"pdf_reader": "pdf", "renderer": "renderer"}
_MEMORY_MIB: Final = {"fetcher": 768, "merger": 768, "pdf_reader": 1536, "renderer": 2048}
_SMALL_MIB: Final = 384
_READING_MIB: Final = 512
"""Of a resource, which reads long replies in a process beside."""
_LAG_PER_REPLICA: Final = {"fetcher": 500, "merger": 2000, "materialiser": 1000}
_LAG: Final = 200
_ALONE: Final = ("scheduler",)
"""One is enough for any installation."""


class Deployed(NamedTuple):
    """One service, started on its own."""

    service: str
    """As `pubweave work` and the consumer group call it: `europepmc_fulltext`."""
    image: Image
    memory_mib: int
    """More than this and it is killed."""
    world: bool
    """It opens connections to the outside; all others reach Kafka and Cassandra only."""
    topics: tuple[str, ...]
    """What it consumes, by full name."""
    replicas_most: int
    """More would have no partition: the fewest partitions of a topic that it consumes."""
    lag_per_replica: int
    """So many waiting messages are worth one more."""
    sentence: str
    on: bool
    """Started unless somebody says otherwise."""

    @property
    def name(self) -> str:
        """As Kubernetes wants it (RFC 1123 label)."""
        return self.service.replace("_", "-")


def services() -> tuple[Deployed, ...]:
    """All of them, in the order of `pubweave work all`."""
    return tuple(_deployed(name) for name in ALL)


def _deployed(name: str) -> Deployed:
    topics = topics_heard_by(name)
    return Deployed(
        service=name,
        image=_IMAGES.get(name, "base"),
        memory_mib=_MEMORY_MIB.get(name, _READING_MIB if name in (*RESOURCES, *PAGES) else _SMALL_MIB),
        # The renderer's browser is answered by the fetcher, the PDF reader gets bytes: one door opens sockets.
        world=name == "fetcher",
        topics=topics,
        replicas_most=1 if name in _ALONE else min(topic_of(topic).partitions for topic in topics),
        lag_per_replica=_LAG_PER_REPLICA.get(name, _LAG),
        sentence=SERVICES[name],
        on=name not in RESOURCES or name in ON,
    )
