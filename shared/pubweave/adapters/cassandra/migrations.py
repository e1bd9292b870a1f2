"""The schema as numbered steps, each before (`pre`) or after (`post`) the deployment of the programs that need it.

A `pre` step only adds, so that programs of the release before go on; a `post` step takes away what nobody
uses any more. Files are named `NNNN_pre_what.cql` or `NNNN_post_what.cql`; one that was released is never
edited (its digest is kept beside its name). Statements are safe to repeat, so a step that was cut off is
run again as a whole.
"""

import hashlib
import os
import re
import socket
from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import Final, Literal

import msgspec

from pubweave.adapters.cassandra.session import CassandraPlace, Session
from pubweave.adapters.clock import SystemClock
from pubweave.ports import Clock, StorageProblem

Phase = Literal["pre", "post"]

_NAME: Final = re.compile(r"([0-9]{4})_(pre|post)_([a-z0-9_]+)\.cql", re.ASCII)
_KEYSPACE: Final = re.compile(r"[a-z][a-z0-9_]{0,47}", re.ASCII)
_LOCK: Final = "0000_lock"
_LOCK_S: Final = 600
"""After this long whoever took the lock is taken for dead; creating all tables takes seconds."""


class Migration(msgspec.Struct, frozen=True):
    number: int
    phase: Phase
    name: str
    """The file's name without its ending."""
    text: str

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]

    def statements(self, keyspace: str) -> list[str]:
        """Its statements for this keyspace, without comments."""
        lines = [line for line in self.text.splitlines() if not line.lstrip().startswith("--")]
        parts = "\n".join(lines).replace("{keyspace}", keyspace).split(";")
        return [part.strip() for part in parts if part.strip()]


def known() -> tuple[Migration, ...]:
    """The steps that this program knows, in order."""
    folder = files("pubweave.adapters.cassandra").joinpath("migrations")
    found = []
    for file in folder.iterdir():
        if matched := _NAME.fullmatch(file.name):
            phase: Phase = "pre" if matched[2] == "pre" else "post"
            text = file.read_text(encoding="utf-8")
            found.append(Migration(int(matched[1]), phase, file.name.removesuffix(".cql"), text))
    return tuple(sorted(found, key=lambda one: one.number))


def outstanding(
    applied: Iterable[tuple[str, str]], steps: Sequence[Migration], phases: Iterable[Phase] = ("pre", "post")
) -> list[Migration]:
    """Which steps are to be run. A newer program's `pre` steps only add, so this one goes on beside them: it can be
    started, scaled and gone back to while the next release is rolled out.

    :param applied: names and digests of those that were
    :raises StorageProblem: one was edited since, or a newer program took away what this one needs
    """
    done = dict(applied)
    names = {step.name for step in steps}
    if newer := sorted(name for name in set(done) - names if not _is_additive(name)):
        raise StorageProblem(
            f"The keyspace was made by a newer Pubweave (it has {newer[-1]}): update Pubweave, nothing was changed."
        )
    for step in steps:
        if done.get(step.name, step.digest) != step.digest:
            raise StorageProblem(
                f"The migration {step.name} is not the one that was run: a released one must not be edited."
            )
    wanted = set(phases)
    return [step for step in steps if step.name not in done and step.phase in wanted]


def _is_additive(name: str) -> bool:
    matched = _NAME.fullmatch(f"{name}.cql")
    return matched is not None and matched[2] == "pre"


async def migrate(
    place: CassandraPlace,
    phases: Sequence[Phase] = ("pre", "post"),
    clock: Clock | None = None,
    steps: Sequence[Migration] | None = None,
) -> list[str]:
    """Make the keyspace if need be and run what is outstanding; one process at a time does.

    :param phases: `("pre",)` before a deployment, `("post",)` after it, both at once where nothing runs
    :returns: names of the steps that were run
    :raises StorageProblem: no cluster, a newer keyspace, or somebody else is at it
    """
    if not _KEYSPACE.fullmatch(place.keyspace):
        raise StorageProblem(
            f"{place.keyspace!r} cannot be a keyspace: use lower-case letters, digits and underscores."
        )
    steps = known() if steps is None else steps
    clock = clock or SystemClock()
    session = await Session.connect(place, clock)
    try:
        await session.change_schema(
            f"CREATE KEYSPACE IF NOT EXISTS {place.keyspace} WITH replication = {_replication(place)}"
        )
        await session.change_schema(
            f"CREATE TABLE IF NOT EXISTS {place.keyspace}.migration "
            "(name text PRIMARY KEY, digest text, applied_at bigint)"
        )
        if not outstanding(await _applied(session), steps, phases):
            return []
        await _lock(session, clock)
        try:
            done = []
            for step in outstanding(await _applied(session), steps, phases):
                for statement in step.statements(place.keyspace):
                    await session.change_schema(statement)
                await session.write(
                    "INSERT INTO {keyspace}.migration (name, digest, applied_at) VALUES (?, ?, ?)",
                    (step.name, step.digest, clock.now_ms()),
                )
                done.append(step.name)
            return done
        finally:
            await session.direct(f"DELETE FROM {place.keyspace}.migration WHERE name = '{_LOCK}' IF EXISTS")
    finally:
        await session.close()


async def check(session: Session) -> None:
    """Look whether the keyspace is what this program needs.

    :raises StorageProblem: it is not there, a `pre` step is missing, or a newer program took away what this one needs
    """
    place = session.place
    there = await session.direct(
        f"SELECT table_name FROM system_schema.tables WHERE keyspace_name = '{place.keyspace}' "
        "AND table_name = 'migration'"
    )
    missing = outstanding(await _applied(session) if there else (), known(), ("pre",))
    if missing:
        raise StorageProblem(
            f"The keyspace {place.keyspace} at {place.told()} lacks {missing[0].name}: "
            f"run `pubweave tables apply --cassandra {','.join(place.hosts)} "
            f"--keyspace {place.keyspace}`."
        )


async def _applied(session: Session) -> list[tuple[str, str]]:
    rows = await session.direct(f"SELECT name, digest FROM {session.place.keyspace}.migration")
    return [(name, digest) for name, digest in rows if name != _LOCK]


async def _lock(session: Session, clock: Clock) -> None:
    table = f"{session.place.keyspace}.migration"
    me = f"{socket.gethostname()}:{os.getpid()}".replace("'", "")
    now = clock.now_ms()
    taken = (
        await session.direct(
            f"INSERT INTO {table} (name, digest, applied_at) VALUES ('{_LOCK}', '{me}', {now}) IF NOT EXISTS"
        )
    )[0]
    if taken[0]:
        return
    (held,) = await session.direct(f"SELECT digest, applied_at FROM {table} WHERE name = '{_LOCK}'") or [
        ("", 0)
    ]
    if held[0] == me:  # the answer to our own insert was lost, and the driver asked again
        return
    if held[1] < now - _LOCK_S * 1000:
        again = await session.direct(
            f"UPDATE {table} SET digest = '{me}', applied_at = {now} WHERE name = '{_LOCK}' "
            f"IF applied_at = {held[1]}"
        )
        if again[0][0]:
            return
    raise StorageProblem(
        f"Somebody else ({held[0]}) changes the keyspace {session.place.keyspace} just now: "
        "wait until it is done and start again."
    )


def _replication(place: CassandraPlace) -> str:
    copies = ", ".join(f"'{dc}': {number}" for dc, number in sorted(place.replication.items()))
    return f"{{'class': 'NetworkTopologyStrategy', {copies}}}"
