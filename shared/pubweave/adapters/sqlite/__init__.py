"""Log, store and blobs over one SQLite file and one connection: the default of the embedded system.

`SqliteStorage.open(path, create=…)` takes the writer's lock of the file (`lock.py`), looks whether it is
one of ours (`opening.py`), brings an older schema forward (`schema.py`) and gives `.log`, `.store` and
`.blobs`. What a batch writes through any of the three becomes durable together when it ends; writes
outside a batch commit themselves. SQL runs inside the event loop: each statement is short.
"""

from pubweave.adapters.sqlite.storage import FileSizes, SqliteStorage

__all__ = ["FileSizes", "SqliteStorage"]
