"""How many processes read, and how much memory each may use, where a container says how much there is."""

from pathlib import Path

import pytest

from pubweave.runtimes.readers import settings
from pubweave.runtimes.readers.settings import ReadersSettings, allowed, processors


def container(monkeypatch: pytest.MonkeyPatch, folder: Path, **limits: str) -> None:
    for name, text in limits.items():
        (folder / name.replace("_", ".")).write_text(text)
    monkeypatch.setattr(settings, "allowed", lambda name: allowed(name, folder))


@pytest.mark.parametrize(("memory", "bound"), [("max\n", 1024), ("536870912\n", 256), ("8589934592\n", 1024)])
def test_the_container_bounds_the_memory(
    memory: str, bound: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that reads has half of it at most; where nothing is said, what is set."""
    assert ReadersSettings().bound_mb <= 1024
    container(monkeypatch, tmp_path, memory_max=memory)

    assert ReadersSettings().bound_mb == bound


def test_the_container_bounds_the_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as processors but one, at least one; a number that is set is what is set."""
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(8)))
    container(monkeypatch, tmp_path)
    assert (processors(), ReadersSettings().processes) == (8, 7)
    container(monkeypatch, tmp_path, cpu_max="max 100000\n")
    assert ReadersSettings().processes == 7
    container(monkeypatch, tmp_path, cpu_max="400000 100000\n")
    assert (processors(), ReadersSettings().processes) == (4, 3)
    container(monkeypatch, tmp_path, cpu_max="50000 100000\n")
    assert (processors(), ReadersSettings().processes) == (1, 1)

    assert ReadersSettings(workers=5).processes == 5
