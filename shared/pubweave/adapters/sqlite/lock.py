"""One writing process per database file: an advisory lock that the kernel drops when its holder dies."""

import errno
import os
from pathlib import Path

from pubweave.ports import StorageProblem

try:
    import fcntl
except ImportError:  # not on Windows: there SQLite's own locks must do
    fcntl = None  # type: ignore[assignment]


class WriterLock:
    """Holds `<database>.lock`, which names the process, until `release`.

    Not the database file itself: closing any descriptor of it would drop SQLite's own locks (POSIX).

    :raises StorageProblem: another process has it, or the folder cannot be written
    """

    def __init__(self, database: Path) -> None:
        self._path = database.with_name(database.name + ".lock")
        self._file = self._take(database)

    def _take(self, database: Path) -> int:
        while True:
            try:
                file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            except OSError as error:
                raise _unusable(database, error) from error
            if fcntl is not None:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError as error:
                    holder = os.read(file, 32).decode("ascii", "replace").strip()
                    os.close(file)
                    raise StorageProblem(
                        f"The database {database} is being written by process {holder or 'unknown'}: "
                        "wait until it has ended, or use another database."
                    ) from error
            # A holder that ends removes the file; a lock on the removed one would be worth nothing.
            if self._is_current(file):
                break
            os.close(file)
        try:
            os.ftruncate(file, 0)
            os.write(file, f"{os.getpid()}\n".encode("ascii"))
        except OSError as error:
            self._path.unlink(missing_ok=True)
            os.close(file)
            raise _unusable(database, error) from error
        return file

    def _is_current(self, file: int) -> bool:
        try:
            return os.path.samestat(os.fstat(file), os.stat(self._path))
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Let go. Safe to repeat."""
        if self._file >= 0:
            self._path.unlink(missing_ok=True)
            os.close(self._file)
            self._file = -1


def _unusable(database: Path, error: OSError) -> StorageProblem:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StorageProblem(
            f"The disk of the database {database} is full: make room and start again, nothing was written."
        )
    how = "read-only" if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS) else "not usable"
    return StorageProblem(
        f"The folder of the database {database} is {how} ({error.strerror}): "
        "make it writable, or use another database."
    )
