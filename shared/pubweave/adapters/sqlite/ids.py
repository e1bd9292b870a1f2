"""Digests of 32 hexadecimal digits take 16 bytes; any other id stays text."""

import re

_DIGEST = re.compile(r"[0-9a-f]{32}", re.ASCII)


def packed(id_: str) -> str | bytes:
    """What stands in the file for this id."""
    if len(id_) == 32 and _DIGEST.fullmatch(id_):
        return bytes.fromhex(id_)
    return id_


def unpacked(stored: str | bytes) -> str:
    """The id again."""
    return stored.hex() if isinstance(stored, bytes) else stored
