"""Answers that are kept for a while, so that a question that comes again after a crash is not asked again."""

from collections import deque
from typing import Final

import msgspec

from pubweave.contract.exchange import Reply
from pubweave.ports import Blobs, Clock, Store

KEPT_S: Final = 3600.0
"""A question comes again when it was answered but not acknowledged: at a crash, or when its partition moves. It is
acknowledged when all before it in the partition are, so this is longer than a door should ever need for one."""

MOST_KEPT: Final = 200_000

INLINE_BYTES: Final = 64 * 1024
"""A longer body lies among the contents, where the runtime that hands it on puts it anyway."""

_DROPPED_AT_ONCE: Final = 500


class StoredAnswers:
    """`door.Answered` over the store: `Fetcher(settings, clock, store, answered=Answers(store, blobs, clock))`.

    For runtimes whose questions come with messages; the embedded one keeps its questions itself. What a door that
    died had answered in its last hour stays in the store if the questions do not come again.
    """

    def __init__(
        self, store: Store, blobs: Blobs, clock: Clock, *, kept_s: float = KEPT_S, most_kept: int = MOST_KEPT
    ) -> None:
        self._store = store
        self._blobs = blobs
        self._clock = clock
        self._kept_s = kept_s
        self._most_kept = most_kept
        self._kept: deque[tuple[float, str]] = deque()

    async def recall(self, ask: str) -> Reply | None:
        """The reply that was given to this very question, a long body by its place.

        :raises StorageProblem: it cannot be told whether there is one
        """
        body = await self._store.answer(ask)
        if not body:
            return None
        try:
            reply = msgspec.msgpack.decode(body, type=Reply)
        except msgspec.MsgspecError:
            return None  # of another version: it is asked anew
        if reply.blob is not None and not await self._blobs.has(reply.blob.digest):
            return None  # its content was erased
        self._kept.append((self._clock.monotonic_s(), ask))
        return reply

    async def remember(self, ask: str, reply: Reply) -> Reply:
        """Keep a reply before it is given.

        :returns: the reply as it is to be given: a long body is stored, and need not be stored again
        :raises StorageProblem: it could not be kept, so it must not be given
        """
        if len(reply.body) > INLINE_BYTES:
            blob = await self._blobs.put(reply.body)
            reply = msgspec.structs.replace(reply, body=b"", blob=blob)
        await self._store.put_answer(ask, msgspec.msgpack.encode(reply))
        self._kept.append((self._clock.monotonic_s(), ask))
        await self._drop_old()
        return reply

    async def _drop_old(self) -> None:
        """Together, so that it costs little: a few hundred may stay a little longer."""
        due_s = self._clock.monotonic_s() - self._kept_s
        enough = min(_DROPPED_AT_ONCE, len(self._kept) - 1)
        if enough < 1 or (self._kept[enough - 1][0] > due_s and len(self._kept) <= self._most_kept):
            return
        await self._store.drop_answers([self._kept.popleft()[1] for _ in range(enough)])
