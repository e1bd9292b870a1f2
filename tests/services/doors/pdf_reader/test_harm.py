"""Whatever a PDF does, it costs that document: an outcome, a reason, and the next one is read."""

import asyncio
import contextlib
import os
import signal
from pathlib import Path

import msgspec
import pytest

from pubweave.contract.digests import content_digest
from pubweave.doors.pdf_reader import PdfReader, PdfReaderSettings
from pubweave.doors.pdf_reader.messages import DEADLY, FETCH_EXCEPTIONS, OUTCOMES
from pubweave.processes.quarantine import Quarantined
from services.doors.pdf_reader.pdfs import form_bomb, pages_of, text_bomb

GOOD = pages_of(["Good."])


async def test_a_bomb_of_text_is_too_large() -> None:
    """A few kilobytes of PDF, megabytes of text: none of it is given."""
    async with PdfReader(PdfReaderSettings(max_text_characters=100_000)) as reader:
        reading = await reader.read(text_bomb(megabytes=1))

        assert (reading.outcome, reading.reason, reading.text) == ("too-large", "too-much-text", "")
        assert (await reader.read(GOOD)).text == "Good."
        assert reader.started == 1


async def test_memory_is_bounded() -> None:
    """It is the document that ends, not the machine."""
    async with PdfReader(PdfReaderSettings(memory_mb=180)) as reader:
        reading = await reader.read(text_bomb(megabytes=1))

        assert (reading.outcome, reading.reason) == ("too-large", "out-of-memory")
        assert (await reader.read(GOOD)).text == "Good."
        assert reader.started == 2


def limits_of(pid: int) -> dict[str, list[str]]:
    """Soft and hard limit by name, as Linux shows them."""
    told = Path(f"/proc/{pid}/limits").read_text()
    return {line[:26].strip(): line[26:].split()[:2] for line in told.splitlines()}


async def test_the_operating_system_holds_the_bounds() -> None:
    """No file written, no core, no further process, so much memory: of the process itself, not of its good will."""
    async with PdfReader(PdfReaderSettings(memory_mb=300)) as reader:
        await reader.read(GOOD)
        reading = asyncio.create_task(reader.read(form_bomb()))
        await asyncio.sleep(0)
        (pid,) = reader.pids()
        limits = limits_of(pid)
        reading.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await reading

    assert limits["Max file size"] == limits["Max core file size"] == limits["Max processes"] == ["0", "0"]
    assert limits["Max address space"] == [str(300 << 20)] * 2


async def test_processor_time_is_bounded() -> None:
    """The operating system ends it; the reason says so."""
    async with PdfReader(PdfReaderSettings(cpu_s=0)) as reader:
        reading = await reader.read(form_bomb())

        assert (reading.outcome, reading.reason, reading.fetch_exception) == ("timeout", "out-of-time", True)
        assert "processor time" in reading.evidence
        assert (await reader.read(GOOD)).text == "Good."


async def test_the_deadline_is_kept() -> None:
    """By the clock, whatever the process does."""
    async with PdfReader(PdfReaderSettings(deadline_s=0.3)) as reader:
        reading = await reader.read(form_bomb())

        assert (reading.reason, "0.3 s" in reading.evidence) == ("out-of-time", True)
        assert (await reader.read(GOOD)).text == "Good."


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL])
async def test_a_crash_costs_one_document(number: signal.Signals) -> None:
    """As a fault in the library or the kernel's out-of-memory killer would."""
    async with PdfReader() as reader:
        await reader.read(GOOD)
        reading = asyncio.create_task(reader.read(form_bomb()))
        await asyncio.sleep(0)
        (pid,) = reader.pids()
        os.kill(pid, number)
        crashed = await reading

        assert (crashed.outcome, crashed.reason) == ("failed", "crashed")
        assert number.name in crashed.evidence
        assert (await reader.read(GOOD)).text == "Good."
        assert reader.started == 2


async def test_what_killed_a_process_is_not_read_again() -> None:
    """By its content, whatever it is called; and it sets no fetchException any more."""
    async with PdfReader(PdfReaderSettings(cpu_s=0)) as reader:
        await reader.read(form_bomb())
        again = await reader.read(form_bomb())

        assert (again.outcome, again.reason, again.fetch_exception) == ("failed", "quarantined", False)
        assert "processor time" in again.evidence
        assert reader.started == 1


async def test_the_quarantine_outlives_the_reader(tmp_path: Path) -> None:
    """With a folder: the bytes, and why they are there."""
    settings = PdfReaderSettings(cpu_s=0, quarantine=tmp_path / "quarantine")
    async with PdfReader(settings) as reader:
        await reader.read(form_bomb())
    async with PdfReader(settings) as reader:
        again = await reader.read(form_bomb())

        assert again.reason == "quarantined"
        assert reader.started == 0
    digest = content_digest(form_bomb())
    told = msgspec.json.decode((tmp_path / "quarantine" / f"{digest}.json").read_bytes(), type=Quarantined)

    assert (told.digest, told.reason) == (digest, "out-of-time")
    assert (tmp_path / "quarantine" / f"{digest}.pdf").read_bytes() == form_bomb()


async def test_processes_are_recycled() -> None:
    """After so many documents another one reads."""
    async with PdfReader(PdfReaderSettings(documents_per_worker=2)) as reader:
        texts = [(await reader.read(GOOD)).text for _ in range(5)]

        assert texts == ["Good."] * 5
        assert reader.started == 3


async def test_a_process_that_has_grown_is_replaced() -> None:
    """But not before it has read a few, whatever it holds."""
    async with PdfReader(PdfReaderSettings(resident_mb=1, documents_at_least=3)) as reader:
        grown = [((await reader.read(GOOD)).text, reader.started) for _ in range(7)]

        assert grown == [("Good.", 1)] * 3 + [("Good.", 2)] * 3 + [("Good.", 3)]


async def test_documents_are_read_side_by_side() -> None:
    """As many as there are processes; one that takes for ever stops nobody else."""
    async with PdfReader(PdfReaderSettings(workers=2)) as reader:
        bomb = asyncio.create_task(reader.read(form_bomb()))
        texts = {(await reader.read(GOOD)).text for _ in range(20)}

        assert (texts, bomb.done()) == ({"Good."}, False)
        bomb.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await bomb


async def test_a_cancelled_document_gives_its_process_back() -> None:
    """The process is killed, and its place is free."""
    async with PdfReader() as reader:
        await reader.read(GOOD)
        reading = asyncio.create_task(reader.read(form_bomb()))
        await asyncio.sleep(0)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading

        assert (await reader.read(GOOD)).text == "Good."
        assert reader.pids() == ()


async def test_a_pdf_that_is_too_long_is_not_looked_at() -> None:
    """100 MiB by default."""
    async with PdfReader(PdfReaderSettings(max_pdf_bytes=1000)) as reader:
        reading = await reader.read(GOOD + b" " * 1000)

        assert (reading.outcome, reading.reason, reader.started) == ("too-large", "too-large", 0)
    assert PdfReaderSettings().max_pdf_bytes == 100 * 1024 * 1024


async def test_a_book_of_too_many_pages_is_too_large() -> None:
    """And its evidence says how many it has."""
    async with PdfReader(PdfReaderSettings(max_pages=2)) as reader:
        reading = await reader.read(pages_of(["a"], ["b"], ["c"]))

        assert (reading.outcome, reading.reason) == ("too-large", "too-many-pages")
        assert "3 pages" in reading.evidence


async def test_without_the_library_there_is_no_door(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra is not installed: one clear line, for every document."""
    (tmp_path / "pymupdf.py").write_text("raise ImportError('not here')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    async with PdfReader() as reader:
        readings = [await reader.read(GOOD), await reader.read(GOOD)]

        assert {(one.outcome, one.reason) for one in readings} == {("no-door", "not-installed")}
        assert "pubweave[pdf]" in readings[0].evidence
        assert reader.started == 0


def test_every_reason_has_one_outcome() -> None:
    """And what is deadly sets fetchException, as F-PDF-07 has it."""
    assert DEADLY == FETCH_EXCEPTIONS
    assert set(OUTCOMES) >= DEADLY
    assert OUTCOMES["read"] == "found"
    assert [reason for reason, outcome in OUTCOMES.items() if outcome == "empty"] == ["no-text-layer"]
