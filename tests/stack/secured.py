"""A Kafka and a Cassandra that want TLS and a password, for as long as a test runs."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

import trustme

from stack.jars import POMS, jars
from stack.processes import Process, answers, free_ports, start
from stack.servers import cassandra_command, kafka_command

USER: Final = "weaver"
PASSWORD: Final = "for tests only"
_READY_S: Final = 120.0

_KAFKA: Final = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{inner}
listeners=SASL_SSL://127.0.0.1:{port},CONTROLLER://127.0.0.1:{inner}
advertised.listeners=SASL_SSL://127.0.0.1:{port}
controller.listener.names=CONTROLLER
inter.broker.listener.name=SASL_SSL
listener.security.protocol.map=CONTROLLER:PLAINTEXT,SASL_SSL:SASL_SSL
sasl.enabled.mechanisms=PLAIN
sasl.mechanism.inter.broker.protocol=PLAIN
listener.name.sasl_ssl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required \\
  username="broker" password="inner" user_broker="inner" user_{user}="{password}";
ssl.keystore.type=PEM
ssl.keystore.location={folder}/key.pem
ssl.truststore.type=PEM
ssl.truststore.location={folder}/ca.pem
log.dirs={folder}/data
auto.create.topics.enable=false
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
log.cleaner.dedupe.buffer.size=16777216
"""
_CASSANDRA: Final = """
authenticator: PasswordAuthenticator
client_encryption_options:
  enabled: true
  optional: false
  ssl_context_factory:
    class_name: org.apache.cassandra.security.PEMBasedSslContextFactory
  keystore: {folder}/key.pem
  truststore: {folder}/ca.pem
"""


class Secured(NamedTuple):
    address: str
    ca_file: Path


@contextmanager
def kafka(folder: Path) -> Iterator[Secured]:
    """Takes `USER` with `PASSWORD` by SASL PLAIN over TLS."""
    _certificates(folder)
    port, inner = free_ports(2)
    settings = folder / "server.properties"
    values = {"folder": folder, "port": port, "inner": inner, "user": USER, "password": PASSWORD}
    settings.write_text(_KAFKA.format(**values), encoding="ascii")
    with _running(
        start(kafka_command(jars("kafka"), settings, folder / "data"), folder / "log"), port, folder
    ):
        yield Secured(f"127.0.0.1:{port}", folder / "ca.pem")


@contextmanager
def cassandra(folder: Path) -> Iterator[Secured]:
    """Takes `cassandra` with `cassandra`, its first user, over TLS."""
    _certificates(folder)
    port, inner = free_ports(2)
    data = folder / "data"
    data.mkdir()
    settings = folder / "cassandra.yaml"
    text = (POMS / "cassandra.yaml").read_text(encoding="utf-8") + _CASSANDRA.format(folder=folder)
    for name, value in {"port": port, "storage_port": inner, "data": data}.items():
        text = text.replace("{" + name + "}", str(value))
    settings.write_text(text, encoding="utf-8")
    with _running(start(cassandra_command(jars("cassandra"), settings, data), folder / "log"), port, folder):
        yield Secured(f"127.0.0.1:{port}", folder / "ca.pem")


def _certificates(folder: Path) -> None:
    from cryptography.hazmat.primitives import serialization as form

    folder.mkdir(parents=True, exist_ok=True)
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    issued = authority.issue_cert("127.0.0.1", "localhost")
    key = form.load_pem_private_key(issued.private_key_pem.bytes(), None)
    # Java reads PKCS #8 only.
    pkcs8 = key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption())
    chain = b"".join(one.bytes() for one in issued.cert_chain_pems)
    (folder / "key.pem").write_bytes(pkcs8 + chain)


@contextmanager
def _running(process: Process, port: int, folder: Path) -> Iterator[None]:
    try:
        until = time.monotonic() + _READY_S
        while not answers(port):
            if not process.runs() or time.monotonic() > until:
                raise RuntimeError(f"it did not start:\n{(folder / 'log').read_text()[-3000:]}")
            time.sleep(0.2)
        yield
    finally:
        process.stop()
