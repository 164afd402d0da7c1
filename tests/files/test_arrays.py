import os
import random
import subprocess
import sys
from unittest import mock

import numpy as np
import pytest
import safetensors
import safetensors.numpy
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tiltless import __version__
from tiltless.errors import (
    ArrayError,
    DamagedFileError,
    FileError,
    FingerprintError,
    ForeignFileError,
    OptionError,
)
from tiltless.files import arrays as module
from tiltless.files.arrays import read_arrays, verify, write_arrays
from tiltless.files.blocks import DTYPES, blocks
from tiltless.files.header import MAX_HEADER_BYTES

CODES = sorted(dtype.str[1:] for dtype in DTYPES.values())


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("arrays") / "a.tiltless"


def same(found, given):
    """Equal in dtype (byte order aside), shape and every bit."""
    return (
        found.dtype == given.dtype.newbyteorder("<")
        and found.shape == given.shape
        and found.tobytes() == given.astype(found.dtype).tobytes()
    )


def layouts(array):
    """Other arrays with the same dtype, in the layouts that NumPy knows."""
    yield array
    yield np.asfortranarray(array)
    yield array.T
    if array.ndim:
        yield array[::2]
        yield array[::-1]
        yield np.broadcast_to(array, (3, *array.shape))


names = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
any_array = st.sampled_from(CODES).flatmap(
    lambda code: st.sampled_from("<>").flatmap(
        lambda order: hnp.arrays(
            np.dtype(order + code), hnp.array_shapes(min_dims=0, max_dims=4, min_side=0)
        )
    )
)


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(names, any_array, max_size=5),
    st.dictionaries(names, st.text(st.characters(exclude_categories=["Cs"])), max_size=3),
    st.sampled_from([8, 64, 1024, module.BLOCK_BYTES]),
    st.data(),
)
def test_round_trip_here_and_in_safetensors(path, contents, metadata, block_bytes, data):
    contents = {name: data.draw(st.sampled_from([*layouts(a)])) for name, a in contents.items()}
    with mock.patch.object(module, "BLOCK_BYTES", block_bytes):
        write_arrays(path, contents, kind="test", fingerprint="f", metadata=metadata)
    file = read_arrays(path, kind="test", fingerprint="f")
    assert file.metadata == metadata
    assert file.arrays.keys() == contents.keys()
    for name, array in contents.items():
        found = file.arrays[name]
        assert same(found, array)
        assert found.flags.aligned
        assert found.flags.c_contiguous
        assert not found.flags.writeable
    official = safetensors.numpy.load_file(path)
    assert official.keys() == contents.keys()
    assert all(same(official[name], array) for name, array in contents.items())


@pytest.mark.parametrize("code", CODES)
def test_every_dtype_of_either_byte_order(path, code):
    for order in "<>":
        array = (np.arange(300) % 7).astype(order + code)
        write_arrays(path, {"x": array}, kind="test")
        assert same(read_arrays(path).arrays["x"], array)
        assert same(safetensors.numpy.load_file(path)["x"], array)


def test_there_are_twelve_dtypes():
    assert CODES == ["b1", "f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]


def test_values_that_equality_overlooks(path):
    array = np.array([0x7FF8000000000001, 0xFFF0000000000000, 1 << 63], np.uint64).view(np.float64)
    write_arrays(path, {"x": array}, kind="test")
    assert read_arrays(path).arrays["x"].tobytes() == array.tobytes()


def test_what_a_file_says_about_itself(path):
    write_arrays(path, {"x": np.ones(3)}, kind="equity-table", metadata={"game": "kuhn"})
    file = read_arrays(str(path))
    assert (file.path, file.kind, file.fingerprint) == (path, "equity-table", "")
    assert (file.metadata, file.version) == ({"game": "kuhn"}, __version__)
    with pytest.raises(AttributeError):
        file.kind = "other"
    with pytest.raises(TypeError):
        file.metadata["game"] = "leduc"
    with pytest.raises(TypeError):
        file.arrays["y"] = np.ones(3)
    with safetensors.safe_open(path, "numpy") as official:
        metadata = official.metadata()
    assert metadata["format"] == "tiltless"
    assert metadata["kind"] == "equity-table"
    assert metadata["user.game"] == "kuhn"


def test_arrays_begin_where_vectors_like_it(path):
    contents = {
        "small": np.ones(3, np.uint8),
        "large": np.ones(5),
        "middle": np.ones(7, np.float32),
        "flag": np.ones(1, np.bool_),
        "word": np.ones(1, np.int64),
    }
    write_arrays(path, contents, kind="test")
    file = read_arrays(path)
    assert list(file.arrays) == ["large", "word", "middle", "small", "flag"]
    base = file.arrays["large"].ctypes.data
    assert base % 64 == 0
    assert all(array.ctypes.data % array.itemsize == 0 for array in file.arrays.values())


def test_load_gives_a_writable_copy(path):
    write_arrays(path, {"x": np.arange(4)}, kind="test")
    file = read_arrays(path)
    copy = file.load("x")
    copy[0] = 9
    assert file.arrays["x"][0] == 0
    with pytest.raises(ValueError, match="read-only"):
        file.arrays["x"][0] = 9
    with pytest.raises(OptionError, match=r"'y'.*'x'"):
        file.load("y")


def test_numba_tells_maps_from_copies(path):
    numba = pytest.importorskip("numba")
    write_arrays(path, {"x": np.arange(4.0)}, kind="test")
    file = read_arrays(path)
    assert not numba.typeof(file.arrays["x"]).mutable
    assert numba.typeof(file.load("x")) == numba.typeof(np.arange(4.0))


def test_maps_outlive_the_file_and_its_replacement(path):
    write_arrays(path, {"x": np.arange(1000)}, kind="test")
    old = read_arrays(path).arrays["x"]
    write_arrays(path, {"x": old, "y": old[::-1]}, kind="test")
    new = read_arrays(path).arrays
    os.unlink(path)
    for array in (old, new["x"], new["y"][::-1]):
        assert (array == np.arange(1000)).all()


def test_maps_can_be_written_without_loading_them(path, tmp_path):
    source = np.memmap(tmp_path / "raw", np.float32, "w+", shape=(3000, 1000))
    source[:] = np.arange(1000)
    write_arrays(path, {"x": source}, kind="test")
    assert np.array_equal(read_arrays(path).arrays["x"], source)


def test_blocks_never_copy_more_than_one(monkeypatch):
    array = np.arange(1000, dtype=">i4").reshape(10, 100).T
    pieces = [bytes(piece) for piece in blocks(array, 64)]
    assert {len(piece) for piece in pieces[:-1]} == {64}
    assert b"".join(pieces) == array.astype("<i4").tobytes()
    sizes = []
    real = np.empty
    monkeypatch.setattr(np, "empty", lambda n, *a: sizes.append(n) or real(n, *a))
    list(blocks(array, 64))
    assert sizes == [16]


@pytest.mark.parametrize(
    "array",
    [
        np.array([None]),
        np.array(["text"]),
        np.array([1j]),
        np.zeros(2, "M8[s]"),
        np.zeros(2, [("a", "f4")]),
        np.zeros(2, np.longdouble),
        [1, 2],
        3.0,
    ],
)
def test_arrays_that_files_do_not_hold(tmp_path, array):
    with pytest.raises(ArrayError, match="'x'"):
        write_arrays(tmp_path / "a", {"x": array}, kind="test")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("contents", "options"),
    [
        ({"__metadata__": np.ones(1)}, {}),
        ({"\ud800": np.ones(1)}, {}),
        ({1: np.ones(1)}, {}),
        ({}, {"kind": ""}),
        ({}, {"kind": None}),
        ({}, {"fingerprint": b"ff"}),
        ({}, {"metadata": {"a": 1}}),
        ({}, {"metadata": {1: "a"}}),
        ({}, {"metadata": {"a": "\udfff"}}),
        ({}, {"metadata": {"a": "x" * MAX_HEADER_BYTES}}),
    ],
)
def test_headers_that_cannot_be_written(tmp_path, contents, options):
    with pytest.raises(OptionError) as caught:
        write_arrays(tmp_path / "a", contents, **{"kind": "test", **options})
    assert "\n" not in str(caught.value)
    assert os.listdir(tmp_path) == []


def test_no_arrays_at_all(path):
    write_arrays(path, {}, kind="test")
    assert not read_arrays(path).arrays
    assert safetensors.numpy.load_file(path) == {}


def test_a_file_for_something_else(path):
    write_arrays(path, {"x": np.ones(3)}, kind="blueprint", fingerprint="aaaa")
    assert read_arrays(path, kind="blueprint", fingerprint="aaaa").kind == "blueprint"
    for options in ({"kind": "checkpoint"}, {"fingerprint": "bbbb"}, {"fingerprint": ""}):
        with pytest.raises(FingerprintError) as caught:
            read_arrays(path, **options)
        assert str(path) in str(caught.value)
        assert repr(next(iter(options.values()))) in str(caught.value)


def test_files_that_are_not_there(tmp_path):
    for absent in (tmp_path / "absent", tmp_path):
        with pytest.raises(FileError, match=f"{absent}: "):
            read_arrays(absent)


# Damage -----------------------------------------------------------------------------------------


@pytest.fixture
def sound(tmp_path, monkeypatch):
    """A file of several arrays and 17 blocks, and its bytes."""
    monkeypatch.setattr(module, "BLOCK_BYTES", 1024)
    rng = np.random.default_rng(0)
    contents = {
        "regret": rng.random((50, 30), np.float32),
        "visits": rng.integers(0, 9, 999).astype(np.uint64),
        "flags": rng.random(2500) < 0.5,
        "nothing": np.ones((3, 0)),
    }
    path = tmp_path / "sound.tiltless"
    write_arrays(path, contents, kind="test", metadata={"game": "kuhn"})
    verify(path)
    return path, path.read_bytes()


def refused(path, data, **options):
    """The error for these bytes, checked for form."""
    path.write_bytes(data)
    with pytest.raises((DamagedFileError, ForeignFileError)) as caught:
        read_arrays(path, **options)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
    assert "make" in str(caught.value)
    return caught.value


def flipped(raw, bit):
    data = bytearray(raw)
    data[bit // 8] ^= 1 << bit % 8
    return bytes(data)


def test_200_random_bit_flips(sound):
    path, raw = sound
    rng = random.Random(1)
    for _ in range(200):
        refused(path, flipped(raw, rng.randrange(8 * len(raw))))


def test_every_byte_of_the_header_without_reading_data(sound):
    path, raw = sound
    rng = random.Random(3)
    foreign = 0
    for byte in range(8 + int.from_bytes(raw[:8], "little")):
        error = refused(path, flipped(raw, 8 * byte + rng.randrange(8)), verify=False)
        foreign += isinstance(error, ForeignFileError)
    assert foreign == len(b'{"__metadata__":{"format":"tiltless","header_sha256":"')


def test_one_bit_of_every_block_is_named(sound):
    path, raw = sound
    start = 8 + int.from_bytes(raw[:8], "little")
    order = [("visits", 7992), ("regret", 6000), ("flags", 2500)]
    count = 0
    for name, size in order:
        for begin in range(0, size, 1024):
            count += 1
            error = refused(path, flipped(raw, 8 * (start + begin)))
            assert f"block {begin // 1024} of array '{name}'" in str(error)
        start += size
    assert start == len(raw)
    assert count == 17


def test_200_random_truncations(sound):
    path, raw = sound
    rng = random.Random(2)
    for length in [*range(100), *(rng.randrange(len(raw)) for _ in range(200))]:
        error = refused(path, raw[:length], verify=False)
        assert isinstance(error, DamagedFileError)


def test_appended_swapped_and_zeroed_data(sound):
    path, raw = sound
    start = 8 + int.from_bytes(raw[:8], "little")
    swapped = raw[:start] + raw[start + 1024 : start + 2048] + raw[start : start + 1024]
    refused(path, raw + b"\0", verify=False)
    refused(path, swapped + raw[start + 2048 :])
    refused(path, raw[:start] + bytes(len(raw) - start))
    refused(path, bytes(len(raw)))


def test_lazy_opening_does_not_look_at_data(sound):
    path, raw = sound
    path.write_bytes(flipped(raw, 8 * len(raw) - 1))
    assert read_arrays(path, verify=False).arrays["flags"].shape == (2500,)
    with pytest.raises(DamagedFileError):
        verify(path)


def test_a_file_that_cannot_be_read_to_the_end(sound, monkeypatch):
    def fail(*_):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(module, "checksum", fail)
    with pytest.raises(FileError, match="Input/output error"):
        verify(sound[0])


def test_only_numpy_is_imported():
    code = (
        "import sys; import tiltless.files.arrays, tiltless.files.fingerprint; "
        "names = {name.split('.')[0] for name in sys.modules} - sys.stdlib_module_names; "
        "print(*sorted(name for name in names if not name.startswith('_')))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout.split() == ["numpy", "tiltless"]
