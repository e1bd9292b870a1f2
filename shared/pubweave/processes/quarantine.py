"""Contents that killed the process that read them. They are not read again; with a folder, not after a restart either."""

import contextlib
import logging
import os
from pathlib import Path

import msgspec

from pubweave.contract.digests import content_digest

_log = logging.getLogger(__name__)


class Quarantined(msgspec.Struct, frozen=True):
    """What is known of one."""

    digest: str
    """`core.digests.content_digest` of its bytes; the file beside this one has the name."""
    reason: str
    evidence: str
    bytes: int


class Quarantine:
    """By content: the same bytes from another address are the same content.

    With a folder `DIGEST.KIND` and `DIGEST.json` are written for each; take them away, and it is read again.
    """

    def __init__(self, folder: Path | None, kind: str) -> None:
        """:param kind: the ending of the names of its files: pdf"""
        self._folder = folder
        self._kind = kind
        self._known: dict[str, Quarantined] = {}

    def get(self, data: bytes) -> Quarantined | None:
        """Why a content is in here; None: it is not."""
        if self._folder is None and not self._known:
            return None
        digest = content_digest(data)
        if self._folder is not None:
            with contextlib.suppress(OSError, msgspec.MsgspecError):
                return msgspec.json.decode((self._folder / f"{digest}.json").read_bytes(), type=Quarantined)
            return None
        return self._known.get(digest)

    def put(self, data: bytes, reason: str, evidence: str) -> None:
        """Lock one away, and say so in the log; also where the folder cannot be written, so that it would be read again."""
        entry = Quarantined(content_digest(data), reason, evidence, len(data))
        _log.warning("A %s of %d bytes is not read again: %s, %s", self._kind, entry.bytes, reason, evidence)
        if self._folder is None:
            self._known[entry.digest] = entry
            return
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._write(f"{entry.digest}.{self._kind}", data)
            self._write(f"{entry.digest}.json", msgspec.json.encode(entry))
        except OSError as problem:
            _log.error(
                "The quarantine cannot be written; this %s would be read again: %s", self._kind, problem
            )

    def _write(self, name: str, content: bytes) -> None:
        assert self._folder is not None
        partial = self._folder / f".{name}.{os.getpid()}.partial"
        partial.write_bytes(content)
        partial.replace(self._folder / name)
