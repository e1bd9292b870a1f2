"""Where results go: standard output, or a file that is there whole or not at all."""

import os
import stat
import sys
from pathlib import Path
from types import TracebackType
from typing import IO

from pubweave.output.terminal import for_people, on_terminal
from pubweave.problems import UserError


class Out:
    """To a file or, without one, to standard output; text is UTF-8 either way (F-OUT-04).

    A file is written under another name in the same folder and takes its own when the block ends well
    (F-OUT-02); a block that ends badly leaves what was there before.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._partial: Path | None = None
        self._stream: IO[bytes]

    @classmethod
    def check(cls, path: Path) -> None:
        """Before long work: whether a file that will be written after it can be written.

        :raises UserError: it cannot
        """
        if path.exists() and not path.is_dir() and not path.is_file():
            return  # a pipe: whoever reads it would see it opened and closed
        out = cls(path).__enter__()
        out._stream.close()
        if out._partial is not None:
            out._partial.unlink(missing_ok=True)

    def __enter__(self) -> "Out":
        """:raises UserError: it could never be written; said before any work is done"""
        if self._path is None:
            self._stream = sys.stdout.buffer
            return self
        try:
            self._stream = self._open(self._path)
        except OSError as problem:
            raise self._refused(problem) from None
        return self

    def _open(self, path: Path) -> IO[bytes]:
        if path.is_dir():
            raise UserError(f"{path} is a folder; a file is wanted")
        if path.exists() and not stat.S_ISREG(path.stat().st_mode):
            return path.open("wb")  # a pipe or a device: nothing to replace
        target = path.resolve()
        if not target.parent.is_dir():
            raise UserError(f"{path}: there is no folder {target.parent}")
        if target.exists() and not os.access(target, os.W_OK):
            raise UserError(f"{path} cannot be written: it is read-only")
        self._path = target
        self._partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
        return self._partial.open("wb")

    def _refused(self, problem: OSError) -> UserError:
        name = self._path or "standard output"
        return UserError(f"{name} cannot be written: {(problem.strerror or str(problem)).lower()}")

    def write(self, piece: str | bytes) -> None:
        """:raises UserError: the disk is full, say"""
        if self._path is None and on_terminal():
            piece = for_people(piece.decode("utf-8", "replace") if isinstance(piece, bytes) else piece)
        try:
            self._stream.write(piece if isinstance(piece, bytes) else piece.encode(errors="replace"))
        except BrokenPipeError:
            raise
        except OSError as problem:
            raise self._refused(problem) from None

    def flush(self) -> None:
        """Let readers have what is there (JSON Lines).

        :raises UserError: the disk is full, say
        """
        try:
            self._stream.flush()
        except BrokenPipeError:
            raise
        except OSError as problem:
            raise self._refused(problem) from None

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._path is None:
            if kind is None:
                self.flush()
            return
        try:
            self._stream.close()
            if self._partial is not None and kind is None:
                self._partial.replace(self._path)
        except OSError as problem:
            if kind is None:
                raise self._refused(problem) from None
        finally:
            if self._partial is not None:
                self._partial.unlink(missing_ok=True)
