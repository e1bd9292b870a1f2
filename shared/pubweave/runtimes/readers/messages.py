"""What is said between a process that decides and one that reads.

Questions are pickled: they come from our own process, and whatever a step may be is named by where it stands. Answers
are, too, as texts may hold what JSON cannot; but they come from a process in which hostile bytes were read, so only
what a resource may say is made of them (`answer_of`).
"""

import io
import pickle
from functools import cache
from importlib import import_module
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from pubweave.contract.exchange import Reply, Work
from pubweave.contract.webpage_read import WebpageRead
from pubweave.core.toolkit.service import Said

READY: Final = b"ready"
"""The first frame of a process."""
PROTOCOL: Final = 5


class ReaderBounds(msgspec.Struct, frozen=True):
    """What a process is told when it starts (`ReadersSettings`)."""

    memory_mb: int
    cpu_s: int


class Question(NamedTuple):
    """One step of a resource."""

    service: Any
    """`Service` or `WebpageService`; its step is a function of a module, found by its name."""
    work: Work
    reply: Reply
    context: bytes | None
    """A pickled `Context`, where it is another one than for the question before."""


class ReaderNote(NamedTuple):
    """A line for the log."""

    logger: str
    level: int
    text: str


AnySaid: TypeAlias = list[Said | WebpageRead]


class StepAnswer(NamedTuple):
    """What became of it."""

    said: AnySaid | None
    """None: there was not enough memory."""
    notes: list[ReaderNote]
    resident_mb: int
    """What the process holds now."""


def pickled(what: object) -> bytes:
    """As it is sent."""
    return pickle.dumps(what, PROTOCOL)


def question_of(frame: bytes) -> Question:
    """A frame from the process that decides."""
    question: Question = pickle.loads(frame)  # from our own process, which started this one
    return question


def answer_of(frame: bytes) -> StepAnswer:
    """A frame from a process that reads.

    :raises Nonsense: it is none
    """
    try:
        answer = _Unpickler(io.BytesIO(frame)).load()
    except Exception as problem:
        raise Nonsense(f"{type(problem).__name__}: {problem}") from problem
    if not isinstance(answer, StepAnswer):
        raise Nonsense("not an answer")
    return answer


class Nonsense(Exception):
    """A process that reads has said something that no resource can say."""


class _Unpickler(pickle.Unpickler):
    """Makes values of the contract, and nothing else: no function is called, no other class is made."""

    def find_class(self, module: str, name: str) -> Any:
        return _value(module, name)


@cache
def _value(module: str, name: str) -> Any:
    if module == __name__ and name in ("StepAnswer", "ReaderNote"):
        return StepAnswer if name == "StepAnswer" else ReaderNote
    if (module, name) == ("msgspec", "Raw"):
        return msgspec.Raw
    if module.startswith("pubweave.contract.") and "." not in name:
        found = getattr(import_module(module), name, None)
        if isinstance(found, type) and (
            issubclass(found, msgspec.Struct) or (issubclass(found, tuple) and hasattr(found, "_fields"))
        ):
            return found
    raise pickle.UnpicklingError(f"{module}.{name} is nothing that a resource says")
