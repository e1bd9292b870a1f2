"""Contents by digest: compressed as a whole, cut into chunks of 256 KiB, in a table of their own."""

from typing import Any, Final

import zstandard

from pubweave.adapters.cassandra.session import Session
from pubweave.contract.digests import content_digest
from pubweave.contract.values import BlobRef
from pubweave.ports import StorageProblem

CHUNK_BYTES: Final = 256 * 1024
_PLAIN_BELOW_BYTES: Final = 512
_LEVEL: Final = 3
_ROWS_AT_ONCE: Final = 16
"""4 MiB in one answer; Cassandra refuses answers above 16 MiB."""

_PLAIN: Final = 0
_ZSTD: Final = 1


class CassandraBlobs:
    """A content is there when its static columns are; they are written after its chunks."""

    def __init__(self, session: Session) -> None:
        self._db = session
        self._compressor = zstandard.ZstdCompressor(level=_LEVEL, write_content_size=True)
        self._decompressor = zstandard.ZstdDecompressor()

    async def put(self, content: bytes) -> BlobRef:
        digest = content_digest(content)
        reference = BlobRef(digest=digest, bytes=len(content))
        # Most are new, and writing again what is there costs less than asking of each whether it is.
        if len(content) > CHUNK_BYTES and await self.has(digest):
            return reference
        coding, stored = _PLAIN, bytes(content)
        if len(content) >= _PLAIN_BELOW_BYTES:
            compressed = self._compressor.compress(content)
            if len(compressed) < len(content):
                coding, stored = _ZSTD, compressed
        name = bytes.fromhex(digest)
        chunks = [stored[start : start + CHUNK_BYTES] for start in range(0, len(stored), CHUNK_BYTES)]
        head = (
            "INSERT INTO {keyspace}.blob (digest, bytes, coding, chunks) VALUES (?, ?, ?, ?)",
            (name, len(content), coding, len(chunks)),
        )
        insert = "INSERT INTO {keyspace}.blob (digest, position, body) VALUES (?, ?, ?)"
        if len(chunks) == 1:
            await self._db.write_one_partition((insert, (name, 0, chunks[0])), head)
            return reference
        await self._db.write_each(insert, [(name, position, chunk) for position, chunk in enumerate(chunks)])
        await self._db.write(*head)
        return reference

    async def get(self, digest: str) -> bytes:
        name = _name(digest)
        if not name:
            raise KeyError(digest)
        parts: dict[int, bytes] = {}
        rows: list[Any] = []
        after = -1
        while rows or after < 0:
            rows = await self._db.all(
                f"""SELECT bytes, coding, chunks, position, body FROM {{keyspace}}.blob
                    WHERE digest = ?{" AND position > ?" if after >= 0 else ""} LIMIT {_ROWS_AT_ONCE}""",
                (name, after) if after >= 0 else (name,),
            )
            if after < 0:
                if not rows or rows[0][2] is None:
                    raise KeyError(digest)
                size, coding, chunks = rows[0][:3]
            parts |= {row[3]: row[4] for row in rows if row[3] is not None}
            after = max(parts, default=chunks)
            if after + 1 >= chunks:
                break
        stored = b"".join(parts[position] for position in sorted(parts) if position < chunks)
        try:
            content = stored
            if coding == _ZSTD:
                content = self._decompressor.decompress(stored, max_output_size=size)
        except zstandard.ZstdError as error:
            raise _damaged(digest) from error
        if len(content) != size or content_digest(content) != digest:
            raise _damaged(digest)
        return content

    async def has(self, digest: str) -> bool:
        if not (name := _name(digest)):
            return False
        row = await self._db.one("SELECT chunks FROM {keyspace}.blob WHERE digest = ? LIMIT 1", (name,))
        return row is not None and row[0] is not None

    async def delete(self, digest: str) -> None:
        if name := _name(digest):
            await self._db.write("DELETE FROM {keyspace}.blob WHERE digest = ?", (name,))


def _name(digest: str) -> bytes:
    """The digest in 16 bytes; empty if it is not one, so that nothing has this name."""
    try:
        name = bytes.fromhex(digest)
    except ValueError:
        return b""
    return name if len(name) == 16 and name.hex() == digest else b""


def _damaged(digest: str) -> StorageProblem:
    return StorageProblem(
        f"The stored content {digest} is damaged: fetch its publication anew, or restore a backup."
    )
