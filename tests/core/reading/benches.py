"""Measurements of `bench/`, as tests use them."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

FOLDER = Path(__file__).resolve().parents[3] / "bench"


def bench(name: str) -> ModuleType:
    """A module of `bench/`, which is no package."""
    if str(FOLDER) not in sys.path:
        sys.path.append(str(FOLDER))
    return importlib.import_module(name)
