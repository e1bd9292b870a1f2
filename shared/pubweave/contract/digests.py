"""Names made from content: event ids, answers, blobs."""

import hashlib

import xxhash


def content_digest(content: bytes) -> str:
    """The address of a blob: 32 hexadecimal digits of BLAKE2b. Nobody can make two contents share it."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def quick_digest(*parts: str | bytes) -> str:
    """A name for an event or an answer: 32 hexadecimal digits of XXH3 over the parts, kept apart.

    Fast, not proof against somebody who wants a collision: never an address of content.
    """
    pieces: list[bytes] = []
    for part in parts:
        piece = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        pieces.append(len(piece).to_bytes(8, "big"))
        pieces.append(piece)
    return xxhash.xxh3_128_hexdigest(b"".join(pieces))
