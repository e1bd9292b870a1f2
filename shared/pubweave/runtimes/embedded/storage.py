"""What the embedded system stores in."""

from typing import Protocol

from pubweave.ports import Blobs, Log, Store


class Storage(Protocol):
    """One file, or one memory, with the three ports that hold something."""

    @property
    def log(self) -> Log: ...

    @property
    def store(self) -> Store: ...

    @property
    def blobs(self) -> Blobs: ...
