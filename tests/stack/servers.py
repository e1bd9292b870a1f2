"""The two servers: what is started, with which files and flags, and when it is ready."""

import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from stack.jars import POMS, jars
from stack.processes import Process, answers, free_ports, start

_READY_S: Final = 90.0
_POLL_S: Final = 0.1

NAMES: Final = ("kafka", "cassandra")

# Any 16 bytes in URL-safe base64 will do: the node is alone.
_CLUSTER_ID: Final = "cHVid2VhdmUtc3RhY2stMQ"

# Cassandra reaches into the JDK; these are the doors that it needs open on Java 17 (its own jvm17-server.options).
_EXPORTS: Final = [
    "java.base/jdk.internal.misc",
    "java.base/jdk.internal.ref",
    "java.base/sun.nio.ch",
    "java.management.rmi/com.sun.jmx.remote.internal.rmi",
    "java.rmi/sun.rmi.registry",
    "java.rmi/sun.rmi.server",
    "java.sql/java.sql",
    "java.base/java.lang.ref",
    "jdk.unsupported/sun.misc",
]
_OPENS: Final = [
    "java.base/java.lang.module",
    "java.base/jdk.internal.loader",
    "java.base/jdk.internal.ref",
    "java.base/jdk.internal.reflect",
    "java.base/jdk.internal.math",
    "java.base/jdk.internal.module",
    "java.base/jdk.internal.util.jar",
    "jdk.management/com.sun.management.internal",
    "java.base/sun.nio.ch",
    "java.base/java.io",
    "java.base/java.nio",
    "java.base/java.util.concurrent",
    "java.base/java.util",
    "java.base/java.util.concurrent.atomic",
    "java.base/java.lang",
    "java.base/java.math",
    "java.base/java.lang.reflect",
    "java.base/java.net",
]

JAVA_DOORS: Final = [f"--add-exports={package}=ALL-UNNAMED" for package in _EXPORTS] + [
    f"--add-opens={package}=ALL-UNNAMED" for package in _OPENS
]


def missing_programs() -> list[str]:
    """What would have to be installed to start servers here."""
    return [program for program in ("java", "mvn") if shutil.which(program) is None]


def nodetool(folder: Path, jmx_port: int, *words: str) -> str:
    """Ask a Cassandra that was started in this folder with `-Dcassandra.jmx.local.port`.

    :raises subprocess.CalledProcessError: it would not
    """
    # It keeps a history of what it was asked under the home folder: not in the user's.
    command = [_java(), *JAVA_DOORS, f"-Duser.home={folder}", "-cp", f"{jars('cassandra')}/*"]
    asked = ["org.apache.cassandra.tools.NodeTool", "-h", "127.0.0.1", "-p", str(jmx_port), *words]
    return subprocess.run([*command, *asked], capture_output=True, text=True, check=True).stdout


def log_file(folder: Path) -> Path:
    """What the server in this folder has said."""
    return folder / "server.log"


def start_server(name: str, folder: Path, port: int = 0, flags: Sequence[str] = ()) -> tuple[Process, int]:
    """Start a server whose data lie in `folder`; what is there already is kept.

    :param port: where it shall listen; 0 for any
    :param flags: for Java, beside our own
    :returns: the process and its port, when it takes connections
    :raises RuntimeError: it ended or did not get ready; the text ends with what it said
    """
    libraries = jars(name)
    folder.mkdir(parents=True, exist_ok=True)
    free, inner = free_ports(2)
    port = port or free
    command = (_kafka if name == "kafka" else _cassandra)(libraries, folder, port, inner)
    process = start([command[0], *flags, *command[1:]], log_file(folder))
    until = time.monotonic() + _READY_S
    while not answers(port):
        if not process.runs() or time.monotonic() > until:
            process.stop()
            raise RuntimeError(f"{name} did not start:\n{_last_lines(log_file(folder))}")
        time.sleep(_POLL_S)
    return process, port


def _kafka(libraries: Path, folder: Path, port: int, inner: int) -> list[str]:
    settings = folder / "server.properties"
    data = folder / "data"
    _fill("kafka.properties", settings, port=port, controller_port=inner, data=data)
    return kafka_command(libraries, settings, data)


def kafka_command(libraries: Path, settings: Path, data: Path) -> list[str]:
    """What starts a Kafka with these settings; its data folder is made, if need be.

    :raises RuntimeError: it could not be made
    """
    java = [
        _java(),
        "-cp",
        f"{libraries}/*",
        f"-Dlog4j2.configurationFile={POMS / 'kafka-log4j2.properties'}",
    ]
    if not data.exists():
        # `-XX:TieredStopAtLevel=1`: it runs for a second, optimising does not pay.
        made = subprocess.run(
            [
                *java,
                "-XX:TieredStopAtLevel=1",
                "kafka.tools.StorageTool",
                "format",
                "-t",
                _CLUSTER_ID,
                "-c",
                str(settings),
                "--ignore-formatted",
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        if made.returncode:
            raise RuntimeError(f"kafka could not make its data folder:\n{made.stdout}{made.stderr}")
    return [*java, "-Xmx512m", "-XX:+UseSerialGC", "kafka.Kafka", str(settings)]


def _cassandra(libraries: Path, folder: Path, port: int, inner: int) -> list[str]:
    settings = folder / "cassandra.yaml"
    data = folder / "data"
    data.mkdir(exist_ok=True)
    _fill("cassandra.yaml", settings, port=port, storage_port=inner, data=data)
    return cassandra_command(libraries, settings, data)


def cassandra_command(libraries: Path, settings: Path, data: Path) -> list[str]:
    """What starts a Cassandra with these settings."""
    return [
        _java(),
        *("-Xmx1g", "-Xms512m", "-XX:+UseSerialGC", "-XX:MaxDirectMemorySize=512m"),
        *JAVA_DOORS,
        *("-cp", f"{libraries}/*"),
        f"-Dcassandra.config={settings.as_uri()}",
        f"-Dlogback.configurationFile={POMS / 'cassandra-logback.xml'}",
        f"-Dcassandra.storagedir={data}",
        "-Dcassandra-foreground=yes",
        # Nobody else is there to be waited for.
        "-Dcassandra.skip_wait_for_gossip_to_settle=0",
        "-Dcassandra.ring_delay_ms=100",
        "-Dcassandra.superuser_setup_delay_ms=0",
        "org.apache.cassandra.service.CassandraDaemon",
    ]


def _java() -> str:
    found = shutil.which("java")
    assert found is not None, "missing_programs() was not asked"

    return found


def _fill(template: str, target: Path, **values: object) -> None:
    text = (POMS / template).read_text(encoding="utf-8")
    for name, value in values.items():
        text = text.replace("{" + name + "}", str(value))
    target.write_text(text, encoding="utf-8")


def _last_lines(path: Path) -> str:
    if not path.exists():
        return "(it said nothing)"
    return "\n".join(path.read_text(encoding="utf-8", errors="replace").splitlines()[-30:])
