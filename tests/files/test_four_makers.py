"""Four processes at once on an empty cache, the maker killed in half of the rounds."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROUNDS = 10
PARTS = 9


pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def _rounds(folder, what, rounds):
    """Let them make it; the folder of each round, in which there is one file, the same in all."""
    script = Path(__file__).with_name("four_makers.py")
    command = [sys.executable, str(script), str(folder), what, str(rounds)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert [line for line in run.stderr.splitlines() if not line.startswith("waiting for")] == []
    contents = set()
    for number in range(rounds):
        (only,) = (path for path in (folder / str(number) / "cache").rglob("*") if path.is_file())
        assert only.suffix == ".safetensors"
        assert not list(folder.rglob("*.parts"))
        contents.add(only.read_bytes())
        yield folder / str(number)
    assert len(contents) == 1


@pytest.mark.parametrize(("what", "pieces"), [("table", PARTS), ("kept", 1)])
def test_one_makes_and_the_others_take_it(tmp_path, what, pieces):
    for number, folder in enumerate(_rounds(tmp_path, what, ROUNDS)):
        # nothing is made twice, but for a whole that was not written when its maker was killed
        made = len((folder / "made").read_bytes())
        assert pieces <= made <= pieces + number % 2


def test_without_locks_tables_are_made_more_than_once_and_nothing_breaks(tmp_path):
    assert len(list(_rounds(tmp_path, "table without locks", 2))) == 2
