"""The process that reads: `python -m pubweave.runtimes.readers.worker`, started by `Readers` only.

Reads frames from its standard input (`ReaderBounds`, then one `Question` each) and answers each with an `StepAnswer`. It ends when
its input does, or whoever started it. A resource is loaded with the first question to it, rules when they change.
"""

import gc
import logging
import pickle
import sys

import msgspec

from pubweave.core.toolkit.service import Context, Service
from pubweave.processes.child import bound, bound_cpu, end_with, pipes, received, resident_mb, say
from pubweave.runtimes.collecting import collect_less_often
from pubweave.runtimes.readers.messages import (
    READY,
    AnySaid,
    Question,
    ReaderBounds,
    ReaderNote,
    StepAnswer,
    pickled,
    question_of,
)
from pubweave.runtimes.steps import page_said_by, said_by


class _Notes(logging.Handler):
    """What is logged here is told with the answer."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.notes: list[ReaderNote] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.notes.append(ReaderNote(record.name, record.levelno, self.format(record)))

    def taken(self) -> list[ReaderNote]:
        taken, self.notes = self.notes, []
        return taken


def main() -> None:
    """Answer until there is no more to answer."""
    end_with(int(sys.argv[1]))
    questions, answers = pipes()
    told = received(questions)
    if told is None:
        return
    bounds = msgspec.msgpack.decode(told, type=ReaderBounds)
    notes = _Notes()
    notes.setFormatter(logging.Formatter("%(message)s"))
    logging.basicConfig(handlers=[notes], level=logging.INFO)
    collect_less_often()
    gc.freeze()
    bound(bounds.memory_mb)
    say(answers, READY)
    context = Context()
    while (frame := received(questions)) is not None:
        bound_cpu(bounds.cpu_s)
        try:
            question = question_of(frame)
            if question.context is not None:
                context = pickle.loads(question.context)  # from our own process
            del frame
            said: AnySaid | None = _said(question, context)
        except MemoryError:
            said = None
        say(answers, pickled(StepAnswer(said, notes.taken(), resident_mb("self") or 0)))
        question = said = None  # type: ignore[assignment]  # nothing is held while nothing is asked


def _said(question: Question, context: Context) -> AnySaid:
    service, work, reply = question.service, question.work, question.reply
    if isinstance(service, Service):
        return [*said_by(service, work, reply, context, raised=(MemoryError,))]
    said = page_said_by(service, work, reply, context, reply.fetched_at, raised=(MemoryError,))
    return [*said]


if __name__ == "__main__":
    main()
