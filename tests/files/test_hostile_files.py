"""Files that somebody made on purpose: the checksum of the header is right, the content is not."""

import json
import os
import pickle
import sys
import tracemalloc

import numpy as np
import pytest
import safetensors.numpy

from tiltless.errors import DamagedFileError, FileError, ForeignFileError, NewerFileError
from tiltless.files import header as module
from tiltless.files.arrays import read_arrays, write_arrays

METADATA = {
    "format": "tiltless",
    "header_sha256": "0" * 32,
    "format_version": "1",
    "kind": "test",
    "fingerprint": "",
    "tiltless": "0.1.0",
    "block_bytes": "1024",
    "checksums": module.checksum(b"\0" * 16),
}
ENTRY = {"dtype": "F64", "shape": [2], "data_offsets": [0, 16]}


def forge(path, text, data=b"\0" * 16, padded=True):
    """Write a file with this header text (or document), signed."""
    if not isinstance(text, bytes):
        text = json.dumps(text, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % 64 if padded else 0)
    path.write_bytes(module.sign(len(text).to_bytes(8, "little") + text) + data)


def document(metadata=None, **arrays):
    return {"__metadata__": METADATA | (metadata or {}), **(arrays or {"x": ENTRY})}


def without(key):
    return {"__metadata__": {k: v for k, v in METADATA.items() if k != key}, "x": ENTRY}


def text_of(tail):
    """The header text of a sound file, with something after its one array."""
    return json.dumps(document(), separators=(",", ":")).encode()[:-1] + tail


def refused(path, expected=DamagedFileError):
    tracemalloc.start()
    with pytest.raises(expected) as caught:
        read_arrays(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert type(caught.value) is expected
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300 + len(str(path))
    assert str(path) in str(caught.value)
    assert peak < 8 * os.path.getsize(path) + 4_000_000
    return str(caught.value)


def test_the_forger_can_make_a_sound_file(tmp_path):
    forge(tmp_path / "a", document())
    assert (read_arrays(tmp_path / "a").arrays["x"] == 0).all()


def entry(**fields):
    return document(x=ENTRY | fields)


FIT, SHAPE, FIELDS = (
    "gaps, overlap or do not fit",
    "a shape is not a list",
    "unknown fields",
)
OFFSETS, JSON, TWICE = "offsets are not two numbers", "it is not JSON", "appears twice"
BYTES = {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]}
ZERO = module.checksum(bytes(4)), module.checksum(bytes(8))

# name: (reason that the message gives, header, number of bytes of data)
HOSTILE = {
    "overlap": (FIT, document({"checksums": METADATA["checksums"] * 2}, x=ENTRY, y=ENTRY), 16),
    "gap": (FIT, entry(data_offsets=[8, 24]), 24),
    "wrong size": (FIT, entry(data_offsets=[0, 24]), 24),
    "reversed": (FIT, entry(data_offsets=[16, 0]), 16),
    "negative": (OFFSETS, entry(data_offsets=[-16, 0]), 16),
    "fraction offsets": (OFFSETS, entry(data_offsets=[0.0, 16.0]), 16),
    "truth offsets": (OFFSETS, entry(data_offsets=[False, 16]), 16),
    "three offsets": (OFFSETS, entry(data_offsets=[0, 16, 16]), 16),
    "no offsets": (OFFSETS, entry(data_offsets=None), 16),
    "overflow": (OFFSETS, entry(data_offsets=[0, 1 << 64], shape=[1 << 61]), 16),
    "beyond": ("should have", entry(data_offsets=[0, 1 << 40], shape=[1 << 37]), 16),
    "wrapping shape": ("too large", entry(shape=[1 << 62, 1 << 62]), 16),
    "wrapping to fit": ("too large", entry(shape=[(1 << 61) + 2]), 16),
    "zero hides": (
        "too large",
        document({"checksums": ""}, x=ENTRY | {"shape": [0, 1 << 62, 4], "data_offsets": [0, 0]}),
        0,
    ),
    "65 dimensions": (SHAPE, entry(shape=[1] * 64 + [2]), 16),
    "long shape": (SHAPE, entry(shape=[1] * 100_000 + [2]), 16),
    "large shape": (SHAPE, entry(shape=[10**4000, 2]), 16),
    "negative shape": (SHAPE, entry(shape=[-1, 2]), 16),
    "fraction": (SHAPE, entry(shape=[2.0]), 16),
    "truth": (SHAPE, entry(shape=[True, 2]), 16),
    "text shape": (SHAPE, entry(shape="2"), 16),
    "null shape": (SHAPE, entry(shape=None), 16),
    "object dtype": ("a dtype is unknown", entry(dtype="O"), 16),
    "list dtype": ("a dtype is unknown", entry(dtype=["F64"]), 16),
    "other dtype": ("a dtype is unknown", entry(dtype="BF16", shape=[8]), 16),
    "more fields": (FIELDS, entry(pickle="cos"), 16),
    "fewer fields": (FIELDS, document(x={"dtype": "F64", "shape": [2]}), 16),
    "no object": ("not an object", document(x=[0, 16]), 16),
    "unaligned": (
        "an array is not aligned",
        document(
            {"checksums": ZERO[0] + ZERO[1]},
            a=BYTES,
            b={"dtype": "F64", "shape": [1], "data_offsets": [4, 12]},
        ),
        12,
    ),
    "number in metadata": ("metadata is not text", document({"kind": 1}), 16),
    "object in metadata": ("metadata is not text", document({"user.a": {}}), 16),
    "no version": ("format_version is not a number", without("format_version"), 16),
    "no kind": ("kind is missing", without("kind"), 16),
    "no fingerprint": ("fingerprint is missing", without("fingerprint"), 16),
    "no writer": ("tiltless is missing", without("tiltless"), 16),
    "no checksums": ("checksums is missing", without("checksums"), 16),
    "no block size": ("block_bytes is not a number", without("block_bytes"), 16),
    "words": ("format_version is not a number", document({"format_version": "one"}), 16),
    "minus": ("format_version is not a number", document({"format_version": "-1"}), 16),
    "digits": ("block_bytes is not a number", document({"block_bytes": "\uff11\uff16"}), 16),
    "many digits": ("not a number", document({"block_bytes": "1" * 5000}), 16),
    "empty blocks": ("outside its limits", document({"block_bytes": "0"}), 16),
    "endless blocks": ("outside its limits", document({"block_bytes": "999999999"}), 16),
    "too few checksums": ("checksums are missing", document({"checksums": ""}), 16),
    "too many checksums": ("checksums are missing", document({"checksums": "0" * 64}), 16),
    "other checksums": ("block 0 of array 'x' was changed", document({"checksums": "f" * 32}), 16),
    "same array": (TWICE, text_of(b',"x":%s}' % json.dumps(ENTRY).encode()), 16),
    "same metadata": (TWICE, text_of(b',"__metadata__":%s}' % json.dumps(METADATA).encode()), 16),
    "same field": (TWICE, text_of(b',"y":{"dtype":"F64","dtype":"U8"}}'), 16),
    "not a number": ("not an object", text_of(b',"y":NaN}'), 16),
    "infinity": (
        SHAPE,
        text_of(b',"y":{"dtype":"F64","shape":[Infinity],"data_offsets":[16,16]}}'),
        16,
    ),
    "endless number": (JSON, text_of(b',"y":%s}' % (b"9" * 100_000)), 16),
    "deep lists": (JSON, text_of(b',"y":' + b"[" * 1_000_000), 16),
    "deep objects": (JSON, text_of(b',"y":' + b'{"a":' * 500_000), 16),
    "no end": (JSON, text_of(b""), 16),
    "second document": (JSON, text_of(b"}{}"), 16),
    "latin-1": (JSON, text_of(b',"\xe9":1}'), 16),
    "surrogate": (JSON, text_of(b',"y":"\xed\xa0\x80"}'), 16),
    "nul": (JSON, text_of(b"}\0"), 16),
    "longer": ("it has 400 bytes and should have 336", document(), 80),
    "shorter": ("it has 328 bytes and should have 336", document(), 8),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_headers(tmp_path, name):
    reason, header, data_bytes = HOSTILE[name]
    forge(tmp_path / "a", header, bytes(data_bytes))
    assert reason in refused(tmp_path / "a")


def test_the_largest_header_is_refused(tmp_path):
    room = module.MAX_HEADER_BYTES - 1000
    for tail in (b',"y":[' + b"[]," * (room // 3) + b"[]]}", b',"y":"' + b"a" * room + b'"}'):
        forge(tmp_path / "a", text_of(tail))
        with pytest.raises(DamagedFileError):
            read_arrays(tmp_path / "a")


def test_a_header_that_does_not_align_its_data(tmp_path):
    text = json.dumps(document(), separators=(",", ":")).encode()
    text += b" " * ((-(8 + len(text)) % 64) + 1)
    forge(tmp_path / "a", text, padded=False)
    assert "not aligned" in refused(tmp_path / "a")


CLAIMS = [0, 1, 50, 85, 1 << 20, module.MAX_HEADER_BYTES + 1, 1 << 40, (1 << 64) - 1]


@pytest.mark.parametrize("claim", CLAIMS)
def test_headers_that_claim_another_length(tmp_path, claim):
    forge(tmp_path / "a", document())
    raw = (tmp_path / "a").read_bytes()
    (tmp_path / "a").write_bytes(claim.to_bytes(8, "little") + raw[8:])
    assert f"a header of {claim:,} bytes does not fit into {len(raw)}" in refused(tmp_path / "a")


def test_a_stump_says_how_much_is_left(tmp_path):
    forge(tmp_path / "a", document())
    raw = (tmp_path / "a").read_bytes()
    for length in (0, 1, 8, 9, 60, 93):
        (tmp_path / "a").write_bytes(raw[:length])
        assert f"only {length} bytes" in refused(tmp_path / "a")


def test_a_header_above_the_limit_is_not_read(tmp_path):
    length = module.MAX_HEADER_BYTES + 56
    with open(tmp_path / "a", "wb") as file:
        file.write(length.to_bytes(8, "little") + module._BEGINNING)
        file.truncate(1 << 30)
    assert "does not fit" in refused(tmp_path / "a")


def test_a_newer_version_is_told_from_damage(tmp_path):
    forge(tmp_path / "a", document({"format_version": "2", "compression": "zstd"}, x={"new": 1}))
    assert "format version 2" in refused(tmp_path / "a", NewerFileError)
    assert "upgrade tiltless" in refused(tmp_path / "a", NewerFileError)


class Bomb:
    def __reduce__(self):
        return os.mkdir, ("exploded",)


def foreign_files():
    yield "pickle", pickle.dumps(Bomb())
    yield "safetensors", safetensors.numpy.save({"x": np.ones(3)}, {"format": "tiltless"})
    yield "zeros", bytes(1000)
    yield "text", b"ranks = 13\n" * 20
    yield "zip", b"PK\x03\x04" + bytes(range(256))


@pytest.mark.parametrize(("name", "data"), [*foreign_files()])
def test_foreign_files(tmp_path, monkeypatch, name, data):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").write_bytes(data)
    assert "not written by tiltless" in refused(tmp_path / "a", ForeignFileError)
    assert os.listdir(tmp_path) == ["a"]


def test_numpy_files_with_objects_are_foreign(tmp_path):
    np.save(tmp_path / "a.npy", np.array([Bomb()], object), allow_pickle=True)
    refused(tmp_path / "a.npy", ForeignFileError)


def test_names_from_a_file_do_not_reach_the_terminal(tmp_path):
    evil = "\x1b[31m\n" * 50
    path = tmp_path / "a"
    write_arrays(path, {evil: np.ones(3)}, kind=evil)
    raw = bytearray(path.read_bytes())
    raw[-1] ^= 1
    path.write_bytes(raw)
    assert "\x1b" not in refused(path)
    with pytest.raises(FileError) as caught:
        read_arrays(path, kind="test")
    assert "\x1b" not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX only")
def test_a_pipe_does_not_block(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert "not a file" in refused(tmp_path / "pipe", FileError)
