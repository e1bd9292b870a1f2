"""Questions that a process asks in the middle of something, and whose answers come back to this very process.

A resource says what it wants and forgets it; whoever hears the answer goes on. A page in a browser cannot be handed on
like that: the process that holds it waits. So each such process has an address, its questions carry it, and it hears
everything that is said to its partition. What comes too late, or was for a process that has ended, is nobody's.
"""

import asyncio
from collections.abc import Awaitable, Callable

import msgspec

from pubweave.contract.exchange import Reply
from pubweave.contract.reply_received import ReplyReceived
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.doors.renderer.settings import hard_stop_s
from pubweave.ports import Blobs, Clock, StorageProblem


class Asking:
    """The questions of one process.

    :param address: of this process alone
    :param say: says a question so that it lasts
    """

    def __init__(
        self, address: str, say: Callable[[ReplyWanted], Awaitable[None]], blobs: Blobs, clock: Clock
    ) -> None:
        self.address = address
        self._say = say
        self._blobs = blobs
        self._clock = clock
        self._open: dict[str, list[asyncio.Future[Reply]]] = {}

    @property
    def waiting(self) -> int:
        """How many questions have no answer yet."""
        return sum(map(len, self._open.values()))

    def reasons(self) -> list[str]:
        """Why pages may stand still."""
        return [f"questions of pages that wait for the fetcher: {self.waiting}"] if self._open else []

    async def ask(self, wanted: ReplyWanted) -> Reply:
        """Have the fetcher asked, whichever process owns the site; waits as long as that takes, or until cancelled.
        No host is asked any more when the page must have ended.

        The same question, asked again after a crash, is the same: what was answered before is the answer still.

        :raises StorageProblem: the question cannot be said, or the body of its answer cannot be read
        """
        work = msgspec.structs.replace(wanted.work, asker=self.address)
        answer: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._open.setdefault(wanted.ask, []).append(answer)
        try:
            until = self._clock.now_ms() + int(1000 * hard_stop_s(wanted.request.timeout_ms))
            await self._say(msgspec.structs.replace(wanted, door="fetcher", work=work, until=until))
            reply = await answer
        finally:
            waiting = self._open[wanted.ask]
            waiting.remove(answer)
            if not waiting:
                del self._open[wanted.ask]
        if reply.blob is None:
            return reply
        return msgspec.structs.replace(reply, body=await self._blobs.get(reply.blob.digest), blob=None)

    def heard(self, received: ReplyReceived) -> None:
        """An answer has come; those that nobody here waits for are left."""
        if received.work.asker != self.address:
            return
        for answer in self._open.get(received.ask, []):
            if not answer.done():
                answer.set_result(received.reply)


class PageAsking:
    """What one page asks. A question that could not be said is no fault of the page's: `problem` has it."""

    def __init__(self, asking: Asking) -> None:
        self._asking = asking
        self.problem: StorageProblem | None = None

    async def fetch(self, wanted: ReplyWanted) -> Reply:
        """See `Asking.ask`."""
        try:
            return await self._asking.ask(wanted)
        except StorageProblem as problem:
            self.problem = problem
            raise
