"""Where the recorded replies of the real services lie, if they are here at all."""

import os
from pathlib import Path

import pytest

_default = Path(__file__).resolve().parents[2] / "shared" / "data"
_given = os.environ.get("PUBWEAVE_SHARED_DATA")

SHARED_DATA: Path | None = next(
    (place for place in ([Path(_given)] if _given else [_default]) if place.is_dir()), None
)

needs_shared_data = pytest.mark.skipif(
    SHARED_DATA is None,
    reason="the recorded replies (../shared/data) are not here; set PUBWEAVE_SHARED_DATA to their folder",
)


def shared_data(*parts: str) -> Path:
    """The path of one recorded file or folder; call only under `needs_shared_data`."""
    assert SHARED_DATA is not None

    return SHARED_DATA.joinpath(*parts)
