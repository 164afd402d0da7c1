import hashlib
import itertools
import os
import struct
import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiltless.errors import ArrayError, OptionError
from tiltless.files.fingerprint import fingerprint


def count(n):
    return struct.pack("<Q", n)


def test_the_encoding_spelled_out():
    parts = (None, True, False, 1, -1, 300, 0.5, "♠", ["a", ()], {"b": 1, "a": None})
    text = b"tiltless fingerprint 1\n" + b"L" + count(10) + b"NTF"
    text += b"I" + count(1) + b"\x01" + b"I" + count(1) + b"\xff" + b"I" + count(2) + b"\x2c\x01"
    text += b"R" + struct.pack("<d", 0.5) + b"S" + count(3) + "♠".encode()
    text += b"L" + count(2) + b"S" + count(1) + b"a" + b"L" + count(0)
    text += b"D" + count(2) + b"S" + count(1) + b"aN" + b"S" + count(1) + b"bI" + count(1) + b"\x01"
    assert fingerprint(*parts) == hashlib.sha256(text).hexdigest()[:32]


def test_the_encoding_of_arrays_spelled_out():
    text = b"tiltless fingerprint 1\n" + b"L" + count(1)
    text += b"A" + count(3) + b"I16" + count(2) + count(2) + count(1) + b"\x01\x00\xfe\xff"
    assert fingerprint(np.array([[1], [-2]], np.int16)) == hashlib.sha256(text).hexdigest()[:32]


GOLDEN = [
    ((), "21819dcde066e641de49778c420e7a18"),
    (("holdem", 1, 0.5, True, None), "02e4277b53428bfc2f8f53fd734cfd6e"),
    (({"street": "flop", "bins": [1, 2, 3]},), "bc930b7e070ced3458829916277f55ec"),
    ((np.arange(6, dtype=np.float32).reshape(2, 3),), "312326e63814a070789af1a377761373"),
    ((np.zeros((0, 4), np.bool_), -(2**200), "Ä♥"), "cf2313285f5b0b3c9468f30cb287b67f"),
]


@pytest.mark.parametrize(("parts", "expected"), GOLDEN)
def test_golden_values_never_change(parts, expected):
    assert fingerprint(*parts) == expected


DISTINCT = [
    *[(), ("",), ("", ""), ((),), ([[]],), ({},), (None,), ("None",)],
    *[("ab", "c"), ("a", "bc"), ("abc",), (("ab", "c"),), ("ab", ("c",)), ("a", "b", "c")],
    *[(1,), (1.0,), (True,), ("1",), (-1,), (0,), (0.0,), (-0.0,), (False,), (256,), (2**64,)],
    *[("é",), ("e\u0301",), ("\0",), (float("inf"),), (float("-inf"),), (0.1 + 0.2,), (0.3,)],
    *[({"a": 1},), ({"a": 1.0},), ({"a": {"b": 1}},), ({"a": 1, "b": 1},), ("a", 1), (["a", 1],)],
    *[({"a": "bc"},), ({"ab": "c"},), ({"a": None},), ({"a": []},)],
    *[(np.array(1),), (np.array([1]),), (np.array([[1]]),), (np.array([1, 0]),)],
    *[(np.array([1], dtype),) for dtype in ("i1", "u1", "i2", "u2", "i4", "u4", "u8", "f8")],
    *[(np.array([True]),), (np.zeros(0),), (np.zeros((0, 1)),), (np.zeros((1, 0)),)],
    *[(np.zeros(0, np.float32),), (np.arange(4).reshape(2, 2),), (np.arange(4).reshape(2, 2).T,)],
]


def test_different_data_have_different_names():
    names = [fingerprint(*parts) for parts in DISTINCT]
    for (i, one), (j, two) in itertools.combinations(enumerate(names), 2):
        assert one != two, (DISTINCT[i], DISTINCT[j])


class Rules(NamedTuple):
    name: str
    stack: int


def test_equal_data_have_equal_names():
    big = np.arange(10, dtype=">f4")
    wide = np.arange(20, dtype=np.float32)
    wide[::2] = np.arange(10)
    same = [
        (("a", 1), ["a", 1]),
        (Rules("a", 1), ("a", 1)),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        (big, big.astype("<f4")),
        (wide[::2], big),
        (np.float64(0.5), 0.5),
        (np.asfortranarray(np.arange(12).reshape(3, 4)), np.arange(12).reshape(3, 4)),
    ]
    for one, two in same:
        assert fingerprint(one) == fingerprint(two)


def test_large_arrays_are_read_to_the_end():
    array = np.zeros(300_000)
    name = fingerprint(array)
    array[-1] = 1
    assert fingerprint(array) != name


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=6,
)


def canonical(value):
    """A text that differs exactly where the data differ."""
    if isinstance(value, dict):
        return repr(sorted((key, canonical(item)) for key, item in value.items())) + "dict"
    if isinstance(value, list):
        return repr([canonical(item) for item in value])
    return repr(value)


@settings(deadline=None)
@given(plain, plain)
def test_names_are_equal_exactly_where_data_are(one, two):
    assert (fingerprint(one) == fingerprint(two)) == (canonical(one) == canonical(two))
    assert len(fingerprint(one)) == 32


@pytest.mark.parametrize("seed", ["0", "1", "12345"])
def test_the_hash_seed_of_python_does_not_matter(seed):
    code = (
        "from tiltless.files.fingerprint import fingerprint as f; "
        "print(f({'street': 'flop', 'bins': [1, 2, 3]}))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
    )
    assert run.stdout.strip() == GOLDEN[2][1]


class Thing:
    pass


@pytest.mark.parametrize(
    "value",
    [
        *[Thing(), Thing, b"bytes", {1, 2}, frozenset(), 1j, range(3), iter([]), ...],
        *[np.int64(1), np.float32(1), np.bool_(True), float("nan"), np.float64("nan")],
        *[{1: 2}, {None: 1}, {("a",): 1}, {b"a": 1}, "\ud800", {"\ud800": 1}],
    ],
)
def test_other_data_are_refused(value):
    for nested in (value, [value], {"a": value}):
        with pytest.raises(OptionError, match="fingerprint") as caught:
            fingerprint("a", nested)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("value", [np.array([None]), np.array(["a"]), np.zeros(1, "M8[s]")])
def test_arrays_of_objects_are_refused(value):
    with pytest.raises(ArrayError):
        fingerprint(value)


def test_data_that_contain_themselves_are_refused():
    loop = []
    loop.append(loop)
    with pytest.raises(OptionError, match="64"):
        fingerprint(loop)
