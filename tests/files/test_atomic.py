import contextlib
import errno
import io
import os
import stat
import subprocess
import sys
import threading
import types

import pytest

from tiltless.errors import FileError, WriteError
from tiltless.files import atomic
from tiltless.files.atomic import SUFFIX, atomic_write, make_folder, write_bytes, write_text

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX only")
TEMPORARY = atomic._Temporary  # before any test replaces it
OLD, NEW = b"old" * 5000, b"new" * 10_000


@pytest.fixture
def target(tmp_path):
    path = tmp_path / "table.bin"
    path.write_bytes(OLD)
    return path


def assert_old_and_alone(target):
    assert target.read_bytes() == OLD
    assert os.listdir(target.parent) == [target.name]


def assert_one_line(error, path):
    assert "\n" not in str(error)
    assert str(path) in str(error)


def test_a_new_file_and_its_replacement(tmp_path):
    path = tmp_path / "a.bin"
    write_bytes(path, NEW)
    assert path.read_bytes() == NEW
    write_bytes(str(path), b"")
    assert path.read_bytes() == b""
    assert os.listdir(tmp_path) == ["a.bin"]


def test_text_keeps_its_line_ends(tmp_path):
    write_text(tmp_path / "a.txt", "♠ one\ntwo\r\n")
    assert (tmp_path / "a.txt").read_bytes() == b"\xe2\x99\xa0 one\ntwo\r\n"


def test_a_relative_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_bytes("a.bin", NEW)
    assert (tmp_path / "a.bin").read_bytes() == NEW


def test_the_file_can_seek_and_nobody_sees_it_early(target):
    with atomic_write(target) as file:
        file.write(b"0123456789")
        file.seek(2)
        file.write(b"xx")
        file.flush()
        assert target.read_bytes() == OLD
    assert target.read_bytes() == b"01xx456789"


@pytest.mark.parametrize("exception", [KeyboardInterrupt, RuntimeError, SystemExit, MemoryError])
def test_an_exception_leaves_the_old_file_and_passes_unchanged(target, exception):
    with pytest.raises(exception), atomic_write(target) as file:  # noqa: PT012
        file.write(NEW)
        raise exception
    assert_old_and_alone(target)


def test_faults_of_other_files_pass_unchanged(target):
    with pytest.raises(FileNotFoundError) as caught, atomic_write(target):
        open(target.parent / "absent")  # noqa: SIM115
    assert not isinstance(caught.value, FileError)
    assert_old_and_alone(target)


def disk_that_fails(after, number):
    """Our temporary file above a disk that takes ``after`` write calls, counted in ``calls``."""

    class Disk(io.FileIO):
        calls = 0

        def write(self, data):
            Disk.calls += 1
            if Disk.calls > after:
                raise OSError(number, os.strerror(number))
            return super().write(data)

    class Temporary(TEMPORARY, Disk):
        pass

    return Temporary


def save(target):
    """Small and large writes, and one left in the buffer for the final flush."""
    with atomic_write(target) as file:
        for _ in range(5):
            file.write(b"x" * 5000)
        file.write(b"y" * 100_000)
        file.seek(0)
        file.write(b"z" * 100)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EFBIG])
def test_a_fault_in_each_write_call_leaves_the_old_file(target, monkeypatch, number):
    counting = disk_that_fails(10**9, number)
    monkeypatch.setattr(atomic, "_Temporary", counting)
    save(target.with_name("counted"))
    os.unlink(target.with_name("counted"))
    assert counting.calls >= 4
    for good in range(counting.calls):
        disk = disk_that_fails(good, number)
        monkeypatch.setattr(atomic, "_Temporary", disk)
        with pytest.raises(WriteError) as caught:
            save(target)
        assert disk.calls > good
        assert_one_line(caught.value, target)
        assert os.strerror(number) in str(caught.value)
        assert "previous version, if any, is intact" in str(caught.value)
        assert_old_and_alone(target)


@pytest.mark.parametrize("call", ["fsync", "chmod", "replace"])
@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC, errno.EACCES])
def test_a_fault_in_each_other_call_leaves_the_old_file(target, monkeypatch, call, number):
    def fail(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(atomic.os, call, fail)
    with pytest.raises(WriteError, match=r"is intact$") as caught:
        write_bytes(target, NEW)
    monkeypatch.undo()
    assert_one_line(caught.value, target)
    assert_old_and_alone(target)


def test_write_errors_are_file_errors_and_os_errors():
    assert issubclass(WriteError, FileError)
    assert issubclass(WriteError, OSError)
    assert str(WriteError("one line")) == "one line"


def test_a_missing_folder(tmp_path):
    with pytest.raises(WriteError, match=r"a\.bin.*create"):
        write_bytes(tmp_path / "absent" / "a.bin", NEW)


def test_in_the_cache_folder_the_message_names_its_variable(target, monkeypatch):
    def fail(*_):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(atomic.os, "replace", fail)
    for folder, named in ((target.parent / "other", False), (target.parent, True)):
        monkeypatch.setenv("TILTLESS_CACHE", str(folder))
        with pytest.raises(WriteError) as caught:
            write_bytes(target, NEW)
        assert ("TILTLESS_CACHE" in str(caught.value)) is named
        assert_one_line(caught.value, target)


def test_a_name_that_is_too_long(tmp_path):
    with pytest.raises(WriteError, match="shorter"):
        write_bytes(tmp_path / ("a" * 250), NEW)
    assert os.listdir(tmp_path) == []


def test_a_folder_in_the_place_of_the_file(tmp_path):
    with pytest.raises(WriteError, match="not a file; choose the name of a file"):
        write_bytes(tmp_path, NEW)


@posix
def test_a_special_file_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(WriteError, match="not a file"):
        write_bytes(tmp_path / "pipe", NEW)
    assert stat.S_ISFIFO(os.stat(tmp_path / "pipe").st_mode)
    assert os.listdir(tmp_path) == ["pipe"]


@posix
def test_links_are_followed_and_stay(target):
    link = target.with_name("link")
    link.symlink_to(target)
    write_bytes(link, NEW)
    assert link.is_symlink()
    assert target.read_bytes() == NEW


@posix
def test_permissions_of_the_old_file_are_kept(target):
    os.chmod(target, 0o600)
    write_bytes(target, NEW)
    assert stat.S_IMODE(os.stat(target).st_mode) == 0o600


@posix
def test_a_new_file_has_the_usual_permissions(tmp_path):
    (tmp_path / "usual").write_bytes(b"")
    write_bytes(tmp_path / "ours", b"")
    assert os.stat(tmp_path / "ours").st_mode == os.stat(tmp_path / "usual").st_mode


@posix
def test_file_and_folder_are_synced_in_the_right_order(target, monkeypatch):
    calls = []
    sync, rename = os.fsync, os.replace

    def fsync(handle):
        calls.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        if calls[-1] == "file":
            assert os.fstat(handle).st_size == 5  # flushed before
        sync(handle)

    monkeypatch.setattr(atomic.os, "fsync", fsync)
    monkeypatch.setattr(atomic.os, "replace", lambda *a: (calls.append("replace"), rename(*a)))
    write_bytes(target, b"short")
    assert calls == ["file", "replace", "folder"]


@posix
@pytest.mark.parametrize(("number", "fails"), [(errno.EIO, True), (errno.EINVAL, False)])
def test_a_folder_that_cannot_be_synced(target, monkeypatch, number, fails):
    sync = os.fsync

    def fsync(handle):
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(number, os.strerror(number))
        sync(handle)

    monkeypatch.setattr(atomic.os, "fsync", fsync)
    expected = pytest.raises(WriteError, match="new version is in place but may not survive")
    with expected if fails else contextlib.nullcontext():
        write_bytes(target, NEW)
    assert target.read_bytes() == NEW
    assert os.listdir(target.parent) == [target.name]


def test_windows_has_no_folder_sync_and_no_signal_zero(target, monkeypatch):
    monkeypatch.setattr(atomic, "sys", types.SimpleNamespace(platform="win32"))
    monkeypatch.setattr(atomic.os, "kill", lambda *_: pytest.fail("would end a process there"))
    left = leave(target, process=4)
    opened = []
    real_open = os.open
    monkeypatch.setattr(atomic.os, "open", lambda *a, **k: opened.append(a) or real_open(*a, **k))
    write_bytes(target, NEW)
    assert target.read_bytes() == NEW
    assert not left.exists()
    assert not opened


def leave(target, process, machine=None, name=None, age=0.0):
    """What a killed writer leaves."""
    machine = atomic._MACHINE if machine is None else machine
    left = target.with_name(f".{name or target.name}.{machine}.{process}.0123abcd{SUFFIX}")
    left.write_bytes(b"half")
    moment = left.stat().st_mtime - age
    os.utime(left, (moment, moment))
    return left


def dead_process():
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


def test_leftovers_of_dead_writers_are_swept(target):
    left = [
        leave(target, dead_process()),
        leave(target, os.getpid()),  # the number of a dead process that we have now
        leave(target, 9_999_999_999),
        leave(target, 17, machine="deadbeef", age=2 * atomic.STALE_SECONDS),
    ]
    write_bytes(target, NEW)
    assert [path.exists() for path in left] == [False] * 4


@posix
def test_what_may_be_alive_is_not_swept(target):
    kept = [
        leave(target, 1),
        leave(target, dead_process(), machine="deadbeef"),
        leave(target, dead_process(), name="table.bin.other"),
        leave(target, dead_process(), name="other"),
    ]
    for name in (f".table.bin.mine{SUFFIX}", f"table.bin{SUFFIX}", ".table.bin.swp"):
        kept.append(target.with_name(name))
        kept[-1].write_bytes(b"")
    write_bytes(target, NEW)
    assert [path.exists() for path in kept] == [True] * 7
    os.utime(kept[0], (0, 0))
    write_bytes(target, NEW)
    assert not kept[0].exists()


def test_our_own_other_writer_is_not_swept(target):
    with atomic_write(target) as slow:
        slow.write(b"slow")
        write_bytes(target, NEW)
        assert target.read_bytes() == NEW
    assert target.read_bytes() == b"slow"
    assert os.listdir(target.parent) == [target.name]
    assert not atomic._live


def test_a_temporary_name_is_swept_by_its_own_rule(target):
    name = os.path.basename(atomic._temporary_path(str(target)))
    assert name.startswith(f".{target.name}.")
    owner = atomic._OWNER.fullmatch(name[len(target.name) + 2 : -len(SUFFIX)])
    assert owner is not None
    assert owner.groups() == (atomic._MACHINE, str(os.getpid()))


def test_many_threads_write_one_file(target):
    contents = [bytes([65 + i]) * (1000 * (i + 1)) for i in range(6)]
    faults = []

    def work(content):
        try:
            for _ in range(10):
                write_bytes(target, content)
                assert target.read_bytes() in contents
        except BaseException as error:
            faults.append(error)

    threads = [threading.Thread(target=work, args=(content,)) for content in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults
    assert target.read_bytes() in contents
    assert os.listdir(target.parent) == [target.name]


def test_make_folder(tmp_path):
    assert make_folder(tmp_path / "a" / "b") == tmp_path / "a" / "b"
    make_folder(tmp_path / "a" / "b")
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(WriteError) as caught:
        make_folder(tmp_path / "file" / "c")
    assert_one_line(caught.value, tmp_path / "file" / "c")
    with pytest.raises(WriteError, match="choose the name of a folder") as caught:
        make_folder(tmp_path / "file")
    assert_one_line(caught.value, tmp_path / "file")
