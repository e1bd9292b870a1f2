"""The command line from a program, with lists that the program brings (F-LIB-12)."""

import codecs
import io
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stdout
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, TextIO

from pubweave.api.checking import check_url, identifiers_of
from pubweave.contract.values import Identifiers


def run(
    arguments: Sequence[str],
    *,
    publications: Iterable[str | Identifiers] = (),
    webpages: Iterable[str] = (),
    docs: Iterable[str] = (),
) -> int:
    """Run one command line in this process, as `pubweave` would; it prints where the process prints. It has an event loop of
    its own: from a coroutine call it by `asyncio.to_thread`.

    :param arguments: without the program's name, modern or in PubFetcher's spelling
    :param publications: further identifiers for a pipeline (`pipe`, or PubFetcher's spelling), before its own
    :param webpages: further addresses of web pages for it
    :param docs: further addresses of docs for it
    :returns: the exit status: 0 all went well, 1 some could not be finished, 2 bad input
    :raises UserError: something in the lists is no identifier or no web address; nothing was done
    """
    lists = {
        "pub-file": ["\t".join((one.pmid, one.pmcid, one.doi)) for one in map(identifiers_of, publications)],
        "web-file": [check_url(one) for one in webpages],
        "doc-file": [check_url(one) for one in docs],
    }
    words = list(arguments)
    with ExitStack() as files:
        for name, lines in lists.items():
            if not lines:
                continue
            file = files.enter_context(tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".txt"))
            file.write("".join(f"{line}\n" for line in lines))
            file.flush()
            there = next((at for at, word in enumerate(words) if word.lstrip("-") == name), None)
            if there is not None:  # an option is given once, with all its files
                words.insert(there + 1, file.name)
            else:
                words += [f"-{name}" if words and words[0].startswith("-") else f"--{name}", file.name]
        files.enter_context(_bytes_taken())
        return _program()(words)


def _program() -> Callable[[Sequence[str]], int]:
    """What runs a command line: of the program `pubweave` that is installed with the library, which does not know it."""
    found = entry_points(group="console_scripts", name="pubweave")
    run: Callable[[Sequence[str]], int] = import_module(next(iter(found)).module).run
    return run


class _Decoding(io.RawIOBase):
    """Takes UTF-8 for a stream that takes text only."""

    def __init__(self, text: TextIO) -> None:
        self._text = text
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def writable(self) -> bool:
        return True

    def write(self, piece: Any) -> int:
        self._text.write(self._decoder.decode(bytes(piece)))
        return len(memoryview(piece))


@contextmanager
def _bytes_taken() -> Iterator[None]:
    """Notebooks and the like have a standard output without bytes, which commands write."""
    if hasattr(sys.stdout, "buffer"):
        yield
        return
    stream = io.TextIOWrapper(
        io.BufferedWriter(_Decoding(sys.stdout)), encoding="utf-8", newline="\n", write_through=True
    )
    with redirect_stdout(stream):
        try:
            yield
        finally:
            stream.detach().flush()
