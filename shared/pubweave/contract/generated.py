"""What generators make."""

from pathlib import Path
from typing import NamedTuple


class GeneratedFile(NamedTuple):
    """One generated file and what must be in it."""

    path: Path
    content: str
