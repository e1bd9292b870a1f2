"""The driver, for asyncio: prepared statements, a bound on what is in flight, patience, and its errors as
sentences."""

import asyncio
import re
import ssl
import zlib
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Final, Generic, NamedTuple, TypeVar

import msgspec
from cassandra import ConsistencyLevel, DriverException, OperationTimedOut, RequestExecutionException
from cassandra.auth import PlainTextAuthProvider
from cassandra.cluster import EXEC_PROFILE_DEFAULT, Cluster, ExecutionProfile, NoHostAvailable
from cassandra.connection import ConnectionException
from cassandra.policies import DCAwareRoundRobinPolicy, ExponentialReconnectionPolicy, TokenAwarePolicy
from cassandra.protocol import ErrorMessage, IsBootstrappingErrorMessage, OverloadedErrorMessage
from cassandra.query import BatchStatement, BatchType, tuple_factory

from pubweave.adapters.clock import SystemClock
from pubweave.ports import Clock, StorageAway, StorageProblem

Values = Sequence[Any]
Key = TypeVar("Key")
Value = TypeVar("Value")

_PROTOCOL: Final = 5
_FIRST_PAUSE_S: Final = 0.1
_LONGEST_PAUSE_S: Final = 5.0
_PAGE_ROWS: Final = 1000

_SETTINGS: Final = """SELECT name, value FROM system_views.settings WHERE name IN
    ('batch_size_warn_threshold', 'unlogged_batch_across_partitions_warn_threshold')"""
_SHARE: Final = 0.6
"""How much of what Cassandra warns of is used: it counts more to a row than its values."""
_LONGEST_WAIT_S: Final = 0.05
"""How long small rows wait for the answer to those before them, at most."""

# A node is away, slow or restarting: the same statement may do later. Everything else is a mistake of ours.
_PASSING: Final = (
    NoHostAvailable,
    OperationTimedOut,
    RequestExecutionException,
    ConnectionException,
    OverloadedErrorMessage,
    IsBootstrappingErrorMessage,
)


_UNITS: Final = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20}


class CassandraLogin(msgspec.Struct, frozen=True):
    """How nodes are spoken to."""

    tls: bool = False
    ca_file: str = ""
    """PEM; empty: what the system trusts."""
    user: str = ""
    """Empty: no login."""
    password: str = ""

    def __repr__(self) -> str:
        return f"CassandraLogin(tls={self.tls}, user={self.user!r}, password=***)"

    def cluster(self) -> dict[str, Any]:
        """What the driver's cluster is made with.

        :raises OSError: the certificates cannot be read
        """
        found: dict[str, Any] = {}
        if self.tls:
            found["ssl_context"] = context = ssl.create_default_context(cafile=self.ca_file or None)
            # Nodes are found by address, certificates seldom name addresses: who signed is what counts.
            context.check_hostname = False
        if self.user:
            found["auth_provider"] = PlainTextAuthProvider(self.user, self.password)
        return found


class CassandraPlace(msgspec.Struct, frozen=True):
    """Where the cluster is and how it is used."""

    hosts: tuple[str, ...] = ("127.0.0.1:9042",)
    """`host:port` of some of its nodes; the others are found."""
    keyspace: str = "pubweave"
    """Lower-case letters, digits and underscores, beginning with a letter."""
    local_dc: str = "datacenter1"
    """The data centre whose nodes are asked."""
    replication: Mapping[str, int] = msgspec.field(default_factory=lambda: {"datacenter1": 1})
    """How many copies each data centre keeps; used when the keyspace is made."""
    consistency: str = "LOCAL_QUORUM"
    in_flight: int = 128
    """How many statements may wait for an answer at once."""
    timeout_s: float = 10.0
    """For one answer."""
    patience_s: float = 60.0
    """How long a statement is tried again while nodes are away."""
    login: CassandraLogin = CassandraLogin()

    @classmethod
    def at(cls, address: str, **others: Any) -> "CassandraPlace":
        """From `host:port,host:port`, as people write it."""
        return cls(hosts=tuple(one.strip() for one in address.split(",") if one.strip()), **others)

    def told(self) -> str:
        return ", ".join(self.hosts)


class _Small(NamedTuple):
    """Statements about one partition that wait for others to go with."""

    statements: Sequence[tuple[Any, Values]]
    bytes: int
    done: "asyncio.Future[None]"


class RowsAtOnce(NamedTuple):
    """How much may go in one request. What costs most here is a request, whatever it holds; but Cassandra warns of
    batches that are too large, as its operator has set it."""

    partitions: int = 10
    bytes: int = int(_SHARE * 5 * 1024)


class Session:
    """Runs statements on one keyspace. Made by `connect`; `close` it.

    Every statement that is run must be safe to repeat: it is, when no answer came in time.
    """

    def __init__(self, cluster: Any, raw: Any, place: CassandraPlace, clock: Clock) -> None:
        self._cluster = cluster
        self._raw = raw
        self.place = place
        self.clock = clock
        self._free = asyncio.Semaphore(place.in_flight)
        self._prepared: dict[str, Any] = {}
        self._preparing: dict[str, asyncio.Task[Any]] = {}
        self._small: deque[_Small] = deque()
        self._small_going = 0
        """Requests of small rows without an answer."""
        self._small_late: asyncio.TimerHandle | None = None
        self._together = RowsAtOnce()
        self._going: set[asyncio.Task[None]] = set()
        self._answers: deque[tuple[asyncio.Future[Any], Any, BaseException | None]] = deque()
        """From the driver's thread."""
        self._called: asyncio.AbstractEventLoop | None = None
        """The loop that will take them soon."""
        self.closed = False

    @classmethod
    async def connect(cls, place: CassandraPlace, clock: Clock | None = None) -> "Session":
        """Connect to the cluster; the keyspace need not be there.

        :raises StorageProblem: no node answers
        """
        profile = ExecutionProfile(
            load_balancing_policy=TokenAwarePolicy(DCAwareRoundRobinPolicy(local_dc=place.local_dc)),
            consistency_level=ConsistencyLevel.name_to_value[place.consistency],
            row_factory=tuple_factory,
            request_timeout=place.timeout_s,
        )
        points = [_endpoint(one) for one in place.hosts]
        cluster: Any = None
        try:
            # A name that cannot be looked up (yet) is told by the constructor.
            cluster = Cluster(
                contact_points=points,
                port=points[0][1],
                protocol_version=_PROTOCOL,
                execution_profiles={EXEC_PROFILE_DEFAULT: profile},
                connect_timeout=place.timeout_s,
                **place.login.cluster(),
                reconnection_policy=ExponentialReconnectionPolicy(_FIRST_PAUSE_S, _LONGEST_PAUSE_S, None),
            )
            raw = await asyncio.to_thread(cluster.connect)
        except (DriverException, OSError, *_PASSING) as error:
            if cluster is not None:
                await asyncio.to_thread(cluster.shutdown)
            raise StorageAway(
                f"No Cassandra answers at {place.told()} in the data centre {place.local_dc} ({_short(error)}): "
                "look whether it runs and whether the address is right."
            ) from error
        session = cls(cluster, raw, place, clock or SystemClock())
        session._together = await session._allowed()
        return session

    # Reading.

    async def all(self, statement: str, values: Values = ()) -> list[Any]:
        """All rows that a reading statement gives."""
        return [row async for row in self.rows(statement, values)]

    async def one(self, statement: str, values: Values = ()) -> Any:
        """The first row, or None."""
        found, _ = await self._run(await self._bound(statement, values))
        return found[0] if found else None

    async def rows(self, statement: str, values: Values = (), page: int = _PAGE_ROWS) -> AsyncIterator[Any]:
        """The same as `all`, page by page."""
        bound = await self._bound(statement, values)
        bound.fetch_size = page
        state: Any = None
        while True:
            found, state = await self._run(bound, state)
            for row in found:
                yield row
            if state is None:
                return

    # Writing.

    async def write(self, statement: str, values: Values = ()) -> None:
        """Run one writing statement."""
        await self._run(await self._bound(statement, values))

    async def write_each(self, statement: str, rows: Iterable[Values]) -> None:
        """Run a writing statement for each of the rows, side by side."""
        await self.together(self.write(statement, row) for row in rows)

    async def write_small(self, *statements: tuple[str, Values]) -> None:
        """Run writing statements of small rows side by side, in as few requests as will do, also with those that others
        write at this moment or while such a request is under way. Among all of these no two may be about the same row,
        unless their timestamps are their own or either may win."""
        if not statements:
            return
        waiting = [self._gather([await self._prepared_with(one)]) for one in statements]
        if len(waiting) == 1:
            await waiting[0]
        else:
            await asyncio.gather(*waiting)

    async def write_one_partition(self, *statements: tuple[str, Values]) -> None:
        """Run statements for one partition of one table: all or none. They go with small rows if they are small, so the
        same holds of them."""
        await self._gather([await self._prepared_with(one) for one in statements])

    async def _prepared_with(self, statement: tuple[str, Values]) -> tuple[Any, Values]:
        text, values = statement
        return self._prepared.get(text) or await self._statement(text), values

    async def together(self, steps: Iterable[Any]) -> list[Any]:
        """Run coroutines side by side; their results in order."""
        return list(await asyncio.gather(*steps))

    async def change_schema(self, statement: str) -> None:
        """Run one statement that is not prepared (DDL, conditional)."""
        await self._run(statement)

    async def direct(self, statement: str) -> list[Any]:
        """Rows of one statement that is not prepared."""
        found, _ = await self._run(statement)
        return list(found)

    async def close(self) -> None:
        """Safe to repeat."""
        if not self.closed:
            self.closed = True
            await asyncio.to_thread(self._cluster.shutdown)

    # How.

    def _gather(self, statements: Sequence[tuple[Any, Values]]) -> "asyncio.Future[None]":
        """Done when they are. Whatever is too large to go with others goes by itself."""
        loop = asyncio.get_running_loop()
        one = _Small(statements, _bytes_of(statements), loop.create_future())
        if one.bytes > self._together.bytes:
            self._begin_small([one])
            return one.done
        if not self._small:
            loop.call_soon(self._send_small)
        self._small.append(one)
        return one.done

    def _send_small(self, late: bool = False) -> None:
        """What has gathered: in full requests; and what is left over if no such request is under way, else with what
        comes until that is answered."""
        while self._small:
            group, size = 0, 0
            for one in self._small:
                if group == self._together.partitions or size + one.bytes > self._together.bytes:
                    break
                group, size = group + 1, size + one.bytes
            if group == len(self._small) < self._together.partitions and self._small_going and not late:
                if self._small_late is None:
                    loop = asyncio.get_running_loop()
                    self._small_late = loop.call_later(_LONGEST_WAIT_S, self._send_small, True)
                return
            self._begin_small([self._small.popleft() for _ in range(group)])
        if self._small_late is not None:
            self._small_late.cancel()
            self._small_late = None

    def _begin_small(self, group: list[_Small]) -> None:
        self._small_going += 1
        task = asyncio.get_running_loop().create_task(self._run_small(group))
        self._going.add(task)
        task.add_done_callback(self._small_ended)

    def _small_ended(self, task: "asyncio.Task[None]") -> None:
        self._going.discard(task)
        self._small_going -= 1
        self._send_small()

    async def _run_small(self, group: list[_Small]) -> None:
        problem: BaseException | None = None
        try:
            statements = [statement for one in group for statement in one.statements]
            if len(statements) == 1:
                ((prepared, values),) = statements
                await self._run(prepared.bind(values))
            else:
                batch = BatchStatement(batch_type=BatchType.UNLOGGED)
                batch.is_idempotent = True
                for prepared, values in statements:
                    batch.add(prepared, values)
                await self._run(batch)
        except asyncio.CancelledError:
            for one in group:
                one.done.cancel()
            raise
        except Exception as error:  # noqa: BLE001  # told to those who wait
            problem = error
        for one in group:
            _settle(one.done, None, problem)

    async def _allowed(self) -> RowsAtOnce:
        """As the operator of the cluster has set it; the usual where that is not told."""
        usual = RowsAtOnce()
        try:
            told = dict(await self.direct(_SETTINGS))
        except StorageProblem:  # who logs in may not look
            return usual
        most = re.fullmatch(r"([0-9]+)\s*(B|KiB|MiB)", told.get("batch_size_warn_threshold") or "")
        partitions = told.get("unlogged_batch_across_partitions_warn_threshold") or ""
        return RowsAtOnce(
            max(1, int(partitions)) if partitions.isdigit() else usual.partitions,
            int(_SHARE * int(most[1]) * _UNITS[most[2]]) if most else usual.bytes,
        )

    async def _bound(self, statement: str, values: Values) -> Any:
        prepared = self._prepared.get(statement) or await self._statement(statement)
        return prepared.bind(values)

    async def _statement(self, text: str) -> Any:
        """The prepared statement; prepared once, also when several tasks want it at once."""
        if (prepared := self._prepared.get(text)) is not None:
            return prepared
        task = self._preparing.get(text)
        if task is None:
            task = self._preparing[text] = asyncio.ensure_future(self._prepare(text))
        try:
            prepared = self._prepared[text] = await asyncio.shield(task)
        except StorageProblem:
            self._preparing.pop(text, None)
            raise
        return prepared

    async def _prepare(self, text: str) -> Any:
        named = text.replace("{keyspace}", self.place.keyspace)
        prepared = await self._patiently(lambda: asyncio.to_thread(self._raw.prepare, named))
        prepared.is_idempotent = True
        return prepared

    async def _run(self, statement: Any, paging_state: Any = None) -> tuple[list[Any], Any]:
        """The rows of one page and where the next begins (None: nowhere)."""
        async with self._free:
            found: tuple[list[Any], Any] = await self._patiently(lambda: self._ask(statement, paging_state))
        return found

    async def _ask(self, statement: Any, paging_state: Any) -> tuple[list[Any], Any]:
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Any] = loop.create_future()

        # Both run in the driver's thread.
        def answered(rows: Any) -> None:
            self._answered(loop, answer, rows, None)

        def failed(error: Exception) -> None:
            self._answered(loop, answer, None, error)

        # The driver's own clock wakes its thread twice a request.
        asked = self._raw.execute_async(statement, paging_state=paging_state, timeout=None)
        late = loop.call_later(self.place.timeout_s, self._too_late, answer)
        asked.add_callbacks(answered, failed)
        try:
            rows = await answer
        finally:
            late.cancel()
        return list(rows or ()), asked.result().paging_state if asked.has_more_pages else None

    def _too_late(self, answer: "asyncio.Future[Any]") -> None:
        _settle(answer, None, OperationTimedOut(f"no answer within {self.place.timeout_s:g} s"))

    def _answered(
        self,
        loop: asyncio.AbstractEventLoop,
        answer: "asyncio.Future[Any]",
        rows: Any,
        error: BaseException | None,
    ) -> None:
        """In the driver's thread: answers that come together wake the loop once."""
        self._answers.append((answer, rows, error))
        if self._called is not loop:
            self._called = loop
            loop.call_soon_threadsafe(self._take_answers)

    def _take_answers(self) -> None:
        self._called = None  # before looking: what comes from now on calls again
        while self._answers:
            _settle(*self._answers.popleft())

    async def _patiently(self, step: Any) -> Any:
        if self.closed:
            raise StorageProblem(f"The connection to the Cassandra at {self.place.told()} was closed here.")
        pause_s = _FIRST_PAUSE_S
        until_s = self.clock.monotonic_s() + self.place.patience_s
        while True:
            try:
                return await step()
            except _PASSING as error:
                if self.clock.monotonic_s() + pause_s > until_s:
                    raise StorageAway(
                        f"The Cassandra at {self.place.told()} has not answered for "
                        f"{self.place.patience_s:.0f} s ({_short(error)}): "
                        "look whether it runs; what was begun can be done again."
                    ) from error
            except (DriverException, ErrorMessage) as error:
                raise StorageProblem(
                    f"The Cassandra at {self.place.told()} refused a statement ({_short(error)}): "
                    "this is a fault of Pubweave, please report it."
                ) from error
            await self.clock.sleep(pause_s)
            pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)


def _bytes_of(statements: Sequence[tuple[Any, Values]]) -> int:
    return sum(
        len(value) if isinstance(value, str | bytes) else 8 for _, values in statements for value in values
    )


class Lookups(Generic[Key, Value]):
    """Looks up together what is asked for at one moment, or while such a look is under way.

    :param look: gives what it finds of these keys
    :param most: keys in one look
    """

    def __init__(self, look: Callable[[list[Key]], Awaitable[Mapping[Key, Value]]], most: int) -> None:
        self._look = look
        self._most = most
        self._asked: dict[Key, asyncio.Future[Value | None]] = {}
        self._looking: asyncio.Task[None] | None = None

    async def get(self, key: Key) -> Value | None:
        """What there is; None if there is nothing.

        :raises StorageProblem: it could not be looked up
        """
        answer = self._asked.get(key)
        if answer is None:
            answer = self._asked[key] = asyncio.get_running_loop().create_future()
        if self._looking is None or self._looking.done():
            self._looking = asyncio.get_running_loop().create_task(self._go_on())
        return await asyncio.shield(answer)

    async def _go_on(self) -> None:
        while self._asked:
            answers = dict(islice(self._asked.items(), self._most))
            for key in answers:
                del self._asked[key]
            try:
                found = await self._look(list(answers))
            except BaseException as problem:
                for answer in (*answers.values(), *self._asked.values()):
                    _settle(answer, None, problem)
                self._asked.clear()
                if not isinstance(problem, Exception):
                    raise
                return
            for key, answer in answers.items():
                _settle(answer, found.get(key), None)


def _settle(answer: "asyncio.Future[Any]", rows: Any, error: BaseException | None) -> None:
    if answer.done():  # nobody waits any more
        return
    if error is None:
        answer.set_result(rows)
    else:
        answer.set_exception(error)


def _short(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:300]


def _endpoint(address: str) -> tuple[str, int]:
    host, colon, port = address.rpartition(":")
    return (host, int(port)) if colon and port.isdigit() else (address, 9042)


SHELVES: Final = tuple(range(32))
"""Thirty-two partitions a listing: ten million names are 300,000 a partition, some 20 MB. Never changed."""


def shelf_of(name: str) -> int:
    """On which of the shelves of a listing a name stands: the same in every process."""
    return zlib.crc32(name.encode("utf-8", "surrogatepass")) % len(SHELVES)
