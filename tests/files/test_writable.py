"""What cannot be written is found out before the work."""

import os
from pathlib import Path

import pytest

from tiltless.errors import OptionError, WriteError
from tiltless.files.writable import check_picture, check_writable


def test_a_new_file_and_an_old_one(tmp_path):
    check_writable(tmp_path / "new")
    (tmp_path / "old").write_text("x")
    check_writable(str(tmp_path / "old"))
    check_picture(tmp_path / "new.PNG")
    assert [each.name for each in tmp_path.iterdir()] == ["old"]


@pytest.mark.parametrize(
    ("name", "says"), [("no/file", "no folder"), ("old/file", "no folder"), (".", "not a file")]
)
def test_what_cannot_be(tmp_path, name, says):
    (tmp_path / "old").write_text("x")
    with pytest.raises(WriteError, match=says) as caught:
        check_writable(tmp_path / name)
    assert "\n" not in str(caught.value)


def test_a_closed_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, _: Path(path) != tmp_path.resolve())
    with pytest.raises(WriteError, match="not writable"):
        check_writable(tmp_path / "x")


@pytest.mark.parametrize("name", ["x.txt", "x", "png", "x.png.txt", "x.jpg"])
def test_a_picture_is_png(tmp_path, name):
    with pytest.raises(OptionError, match=r"\.png"):
        check_picture(tmp_path / name)
