import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

KILLS = 50

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")


def kill_writers(writer, folder, kills=KILLS):
    script = Path(__file__).with_name("crash_writer.py")
    arguments = [writer, str(folder / "generations.tiltless"), str(kills), "1"]
    run = subprocess.run(
        [sys.executable, str(script), *arguments], capture_output=True, text=True, timeout=300
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_killed_writers_leave_a_whole_file(tmp_path):
    result = kill_writers("atomic", tmp_path)
    assert result["unreadable"] == 0
    assert result["backwards"] == 0
    assert result["temporaries_left"] == 0
    # The test itself: kills did fall into writes, and writes did happen.
    assert result["caught_writing"] >= 1
    assert result["generations"] >= 1


def test_the_same_test_catches_a_plain_writer(tmp_path):
    assert kill_writers("plain", tmp_path)["unreadable"] >= 1


@pytest.mark.slow
def test_killed_writers_leave_a_whole_file_500_times(tmp_path):
    result = kill_writers("atomic", tmp_path, kills=500)
    assert result["unreadable"] == result["backwards"] == result["temporaries_left"] == 0


LIMITED = """
import resource, sys
import numpy as np
from tiltless.errors import WriteError
from tiltless.files.arrays import read_arrays, write_arrays
path = sys.argv[1]
write_arrays(path, {"x": np.arange(1000)}, kind="test")
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
try:
    write_arrays(path, {"x": np.zeros(1 << 19)}, kind="test")
except WriteError as error:
    print(error)
assert (read_arrays(path).arrays["x"] == np.arange(1000)).all()
"""


@pytest.mark.parametrize("limit", [1, 1000, 1 << 20, (4 << 20) + 100])
def test_a_real_limit_of_the_system_leaves_the_old_file(tmp_path, limit):
    path = tmp_path / "x.tiltless"
    run = subprocess.run(
        [sys.executable, "-c", LIMITED, str(path), str(limit)], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith(f"cannot write {path}: File too large; ")
    assert os.listdir(tmp_path) == ["x.tiltless"]
