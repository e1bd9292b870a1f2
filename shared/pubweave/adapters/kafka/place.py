"""Where the cluster is, and which partition a key belongs to."""

from typing import Final

import msgspec
from aiokafka.partitioner import murmur2

_POSITIVE: Final = 0x7FFFFFFF


class KafkaPlace(msgspec.Struct, frozen=True):
    """Where the brokers are and how our topics are called there."""

    hosts: tuple[str, ...] = ("127.0.0.1:9092",)
    """`host:port` of some brokers; the others are found."""
    prefix: str = ""
    """Stands before the name of every topic and group, where several installations share a cluster."""

    @classmethod
    def at(cls, address: str, prefix: str = "") -> "KafkaPlace":
        """From `host:port,host:port`, as people write it."""
        return cls(tuple(one.strip() for one in address.split(",") if one.strip()), prefix)

    def told(self) -> str:
        return ", ".join(self.hosts)


def partition_of(key: str, partitions: int) -> int:
    """The partition of what is partitioned by this key: murmur2, as Kafka's own clients choose for a message
    key, so that other programs find it, too."""
    number: int = murmur2(key.encode("utf-8", "surrogatepass"))
    return (number & _POSITIVE) % partitions
