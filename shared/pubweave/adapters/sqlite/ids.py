"""Digests of 32 hexadecimal digits take 16 bytes; any other id stays text."""


def packed(id_: str) -> str | bytes:
    """What stands in the file for this id."""
    if len(id_) != 32:
        return id_
    try:
        digest = bytes.fromhex(id_)
    except ValueError:
        return id_
    # Upper case and blanks are read, too, but would not come back.
    return digest if digest.hex() == id_ else id_


def unpacked(stored: str | bytes) -> str:
    """The id again."""
    return stored.hex() if isinstance(stored, bytes) else stored
