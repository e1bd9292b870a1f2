"""Contents by digest: small ones as they are, others compressed, long ones in chunks."""

from typing import Final

import zstandard

from pubweave.adapters.sqlite.connection import Connection
from pubweave.contract.digests import content_digest
from pubweave.contract.values import BlobRef
from pubweave.ports import StorageProblem

CHUNK_BYTES: Final = 256 * 1024
_PLAIN_BELOW_BYTES: Final = 512
_LEVEL: Final = 1

_PLAIN: Final = 0
_ZSTD: Final = 1


class SqliteBlobs:
    def __init__(self, connection: Connection) -> None:
        self._db = connection
        self._compressor = zstandard.ZstdCompressor(level=_LEVEL, write_content_size=True)
        self._decompressor = zstandard.ZstdDecompressor()

    async def put(self, content: bytes) -> BlobRef:
        digest = content_digest(content)
        reference = BlobRef(digest=digest, bytes=len(content))
        if self._find(digest) is not None:
            return reference
        coding, stored = _PLAIN, content
        if len(content) >= _PLAIN_BELOW_BYTES:
            compressed = self._compressor.compress(content)
            if len(compressed) < len(content):
                coding, stored = _ZSTD, compressed
        name = bytes.fromhex(digest)
        if len(stored) <= CHUNK_BYTES:
            await self._db.write(_PUT, (name, len(content), coding, stored))
            return reference
        async with self._db.batch():
            await self._db.write(_PUT, (name, len(content), coding, None))
            row = self._find(digest)
            assert row is not None
            number = row[0]
            await self._db.write_all(
                "INSERT INTO chunk (blob, position, body) VALUES (?, ?, ?)",
                (
                    (number, position, stored[start : start + CHUNK_BYTES])
                    for position, start in enumerate(range(0, len(stored), CHUNK_BYTES))
                ),
            )
        return reference

    def _find(self, digest: str) -> tuple[int, int, int] | None:
        """Number, size in bytes and coding."""
        row: tuple[int, int, int] | None = None
        if name := _name(digest):
            row = self._db.one("SELECT number, bytes, coding FROM blob WHERE digest = ?", (name,))
        return row

    async def get(self, digest: str) -> bytes:
        found = self._find(digest)
        if found is None:
            raise KeyError(digest)
        number, size, coding = found
        stored: bytes | None = self._db.one("SELECT body FROM blob WHERE number = ?", (number,))[0]
        if stored is None:
            rows = self._db.all("SELECT body FROM chunk WHERE blob = ? ORDER BY position", (number,))
            stored = b"".join(row[0] for row in rows)
        try:
            content = (
                stored if coding == _PLAIN else self._decompressor.decompress(stored, max_output_size=size)
            )
        except zstandard.ZstdError as error:
            raise _damaged(digest) from error
        if len(content) != size or content_digest(content) != digest:
            raise _damaged(digest)
        return content

    async def has(self, digest: str) -> bool:
        return self._find(digest) is not None

    async def delete(self, digest: str) -> None:
        if (found := self._find(digest)) is None:
            return
        async with self._db.batch():
            await self._db.wiping()
            await self._db.write("DELETE FROM chunk WHERE blob = ?", (found[0],))
            await self._db.write("DELETE FROM blob WHERE number = ?", (found[0],))


_PUT = """INSERT INTO blob (digest, bytes, coding, body) VALUES (?, ?, ?, ?)
    ON CONFLICT (digest) DO NOTHING"""


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
