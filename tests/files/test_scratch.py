import errno
import os
import subprocess
import sys

import numpy as np
import pytest

from tiltless.errors import WriteError
from tiltless.files import scratch
from tiltless.files.scratch import scratch_table


@pytest.mark.parametrize("entries", [0, 1, 1000, 600_001])
@pytest.mark.parametrize("reserves", [True, False])
def test_a_table_is_zeros_in_a_file_that_is_gone_afterwards(
    tmp_path, monkeypatch, entries, reserves
):
    if not reserves:

        def refuse(*_):
            raise OSError(errno.EOPNOTSUPP, "not here")

        monkeypatch.setattr(os, "posix_fallocate", refuse, raising=False)
    with scratch_table(tmp_path / "new", entries) as table:
        assert table.shape == (entries,)
        assert table.dtype == np.float32
        assert type(table) is np.ndarray
        assert not table.any()
        table[:] = np.arange(entries)
        assert (table == np.arange(entries)).all()
    assert list((tmp_path / "new").iterdir()) == []


@pytest.mark.parametrize("reserves", [True, False])
def test_the_room_is_taken_at_once(tmp_path, monkeypatch, reserves):
    if not reserves:
        monkeypatch.delattr(os, "posix_fallocate", raising=False)
    with open(tmp_path / "file", "w+b") as file:
        scratch._reserve(file, 3_000_001)
    found = (tmp_path / "file").stat()
    assert found.st_size == 3_000_001
    assert getattr(found, "st_blocks", 10**9) * 512 >= 3_000_001


def test_nothing_is_left_after_an_error(tmp_path):
    with pytest.raises(ZeroDivisionError), scratch_table(tmp_path, 100):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_one_line(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full, raising=False)
    problem = "4 MB"
    with pytest.raises(WriteError, match=problem) as caught, scratch_table(tmp_path, 1_000_000):
        pass
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


KILLED = """
import os, signal, sys
from tiltless.files.scratch import scratch_table
with scratch_table(sys.argv[1], 100_000) as table:
    table[:] = 1
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="has no SIGKILL")
def test_nothing_is_left_after_a_kill(tmp_path):
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)])
    assert done.returncode == -9
    assert list(tmp_path.iterdir()) == []
