"""The files under test, as they are and as their tools read them."""

import functools
from pathlib import Path
from typing import Any

import yaml

CHECKOUT = Path(__file__).resolve().parents[2]


@functools.cache
def composed() -> dict[str, Any]:
    """docker-compose.yml with its anchors resolved."""
    found: dict[str, Any] = yaml.safe_load((CHECKOUT / "docker-compose.yml").read_text(encoding="utf-8"))
    return found
