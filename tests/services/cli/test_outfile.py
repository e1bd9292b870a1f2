"""A file of results is there whole or not at all."""

from pathlib import Path

import pytest

from pubweave.output.out_file import Out
from pubweave.problems import UserError


class Stop(Exception):
    pass


def stop_after(out: Out, text: str) -> None:
    with out:
        out.write(text)
        raise Stop


@pytest.mark.parametrize("before", [None, "old\n"], ids=["new", "there already"])
def test_a_block_that_fails_changes_nothing(tmp_path: Path, before: str | None) -> None:
    """What was there stays, what was not there does not appear, and nothing else is left behind."""
    file = tmp_path / "x.json"
    if before is not None:
        file.write_text(before)
    with pytest.raises(Stop):
        stop_after(Out(file), "half")

    assert [(one.name, one.read_text()) for one in tmp_path.iterdir() if one.is_file()] == (
        [("x.json", before)] if before is not None else []
    )


def test_nobody_sees_half_a_file(tmp_path: Path) -> None:
    """While it is written, its name still leads to the old content."""
    file = tmp_path / "x.json"
    file.write_text("old")
    with Out(file) as out:
        out.write("new")
        out.flush()

        assert file.read_text() == "old"

    assert file.read_text() == "new"


def test_text_is_utf8(tmp_path: Path) -> None:
    """F-OUT-04; a letter that UTF-8 cannot hold is replaced instead of stopping everything."""
    with Out(tmp_path / "x") as out:
        out.write("α\udcff\n")

    assert (tmp_path / "x").read_bytes() == b"\xce\xb1?\n"


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real = tmp_path / "real.json"
    real.write_text("old")
    (tmp_path / "link.json").symlink_to(real)
    with Out(tmp_path / "link.json") as out:
        out.write("new")

    assert (tmp_path / "link.json").is_symlink()
    assert real.read_text() == "new"


def test_permissions_are_those_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    with Out(tmp_path / "ours"):
        pass

    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_devices_are_written_directly(tmp_path: Path) -> None:
    """A pipe cannot be replaced by a file."""
    with Out(Path("/dev/null")) as out:
        out.write("x")
    with pytest.raises(UserError, match="no space left"), Out(Path("/dev/full")) as out:
        out.write("x")

    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize("where", ["folder", "missing/x", "folder/file/x"])
def test_places_that_cannot_be_are_refused_when_opened(tmp_path: Path, where: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").touch()
    with pytest.raises(UserError), Out(tmp_path / where):
        pytest.fail("must not begin")
