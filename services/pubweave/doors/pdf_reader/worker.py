"""The process that reads PDFs: `python -m pubweave.doors.pdf_reader.worker`, started by the door only.

Reads frames from its standard input (`PdfReaderBounds`, then one PDF each) and answers each with a `PdfReading`. It ends when its
input does. What it may use is bounded by the operating system, so that nothing in a PDF can talk it out of that.
"""

import sys
from typing import Any

import msgspec

from pubweave.doors.pdf_reader.messages import NOT_INSTALLED, READY, PdfReaderBounds
from pubweave.processes.child import bound, bound_cpu, end_with, pipes, received, say


def main() -> None:
    """Answer until there is no more to answer."""
    end_with(int(sys.argv[1]))
    documents, answers = pipes()
    told = received(documents)
    if told is None:
        return
    bounds = msgspec.msgpack.decode(told, type=PdfReaderBounds)
    try:
        import pymupdf
    except ImportError:
        say(answers, NOT_INSTALLED)
        return
    from pubweave.doors.pdf_reader.opening import read_pdf

    tools: Any = pymupdf.TOOLS
    tools.mupdf_display_errors(False)
    tools.mupdf_display_warnings(False)
    bound(bounds.memory_mb)
    say(answers, READY)
    encode = msgspec.msgpack.Encoder().encode
    while (data := received(documents)) is not None:
        bound_cpu(bounds.cpu_s)
        answer = encode(read_pdf(data, bounds))
        del data
        say(answers, answer)


if __name__ == "__main__":
    main()
