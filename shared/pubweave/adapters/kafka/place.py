"""Where the cluster is, how to log in, and which partition a key belongs to."""

import ssl
from functools import lru_cache
from typing import Any, Final

import msgspec
from aiokafka.partitioner import murmur2

_POSITIVE: Final = 0x7FFFFFFF


class KafkaLogin(msgspec.Struct, frozen=True):
    """How brokers are spoken to."""

    tls: bool = False
    ca_file: str = ""
    """PEM; empty: what the system trusts."""
    user: str = ""
    """Empty: no login."""
    password: str = ""
    mechanism: str = "SCRAM-SHA-512"

    def __repr__(self) -> str:
        return f"KafkaLogin(tls={self.tls}, user={self.user!r}, password=***)"

    def protocol(self) -> str:
        """Kafka's `security.protocol`."""
        return ("SASL_" if self.user else "") + ("SSL" if self.tls else "PLAINTEXT")

    def context(self) -> ssl.SSLContext | None:
        """None without TLS.

        :raises OSError: the certificates cannot be read
        """
        return ssl.create_default_context(cafile=self.ca_file or None) if self.tls else None


class KafkaPlace(msgspec.Struct, frozen=True):
    """Where the brokers are and how our topics are called there."""

    hosts: tuple[str, ...] = ("127.0.0.1:9092",)
    """`host:port` of some brokers; the others are found."""
    prefix: str = ""
    """Stands before the name of every topic and group, where several installations share a cluster."""
    login: KafkaLogin = KafkaLogin()

    @classmethod
    def at(cls, address: str, prefix: str = "", login: KafkaLogin | None = None) -> "KafkaPlace":
        """From `host:port,host:port`, as people write it."""
        hosts = tuple(one.strip() for one in address.split(",") if one.strip())
        return cls(hosts, prefix, login or KafkaLogin())

    def client(self) -> dict[str, Any]:
        """What every aiokafka client is made with.

        :raises OSError: the certificates cannot be read
        """
        found: dict[str, Any] = {
            "bootstrap_servers": list(self.hosts),
            "security_protocol": self.login.protocol(),
        }
        if self.login.tls:
            found["ssl_context"] = self.login.context()
        if self.login.user:
            found |= {
                "sasl_mechanism": self.login.mechanism,
                "sasl_plain_username": self.login.user,
                "sasl_plain_password": self.login.password,
            }
        return found

    def told(self) -> str:
        return ", ".join(self.hosts)


def partition_of(key: str, partitions: int) -> int:
    """The partition of what is partitioned by this key: murmur2, as Kafka's own clients choose for a message
    key, so that other programs find it, too."""
    return _hash(key) % partitions


@lru_cache(maxsize=20_000)
def _hash(key: str) -> int:
    """Kept for keys of which much is said at a time: it is worked out byte by byte, in Python."""
    number: int = murmur2(key.encode("utf-8", "surrogatepass"))
    return number & _POSITIVE
