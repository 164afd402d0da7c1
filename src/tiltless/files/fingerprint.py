"""Fingerprints: a short hash of a configuration, the same on every machine.

A value is written as a tag, a length and its content, so that no two different values share an
encoding: ``("ab", "c")`` is not ``("a", "bc")``, and 1, 1.0, True and "1" all differ.

::

    N                  None                      L count value…         tuple or list
    T, F               True, False               D count (key value)…   dict, keys in UTF-8 order
    I length bytes     int, two's complement     A length dtype         array: dtype as in files,
    R 8 bytes          float, IEEE 754             count size… values   shape, values in C order
    S length bytes     str, UTF-8

Lengths and counts have 64 bits; all numbers are little-endian, integers as short as possible.
The fingerprint is the first 128 bits of the SHA-256 of these bytes, enough to rule out accidental
collisions.
"""

import hashlib
import math
import struct
from typing import Any

import numpy as np

from tiltless.errors import OptionError
from tiltless.files.blocks import blocks, dtype_name

__all__ = ["fingerprint"]

_DOMAIN = b"tiltless fingerprint 1\n"
_DEEPEST = 64
_BLOCK_BYTES = 1 << 20


def fingerprint(*parts: Any) -> str:
    """Hash plain data to 32 hexadecimal digits.

    Parts are str, int, float, bool, None, NumPy arrays, and tuples, lists and dicts (with string
    keys) of these. A tuple equals a list and the order of a dict does not matter, as in TOML and
    JSON; -0.0 is not 0.0. Anything else raises `OptionError`, or `ArrayError` for an array of
    objects; so does NaN, which is not equal to itself.
    """
    digest = hashlib.sha256(_DOMAIN)
    _feed(digest, parts, 0)
    return digest.hexdigest()[:32]


def _feed(digest: Any, value: Any, depth: int) -> None:
    if depth > _DEEPEST:
        raise OptionError(f"fingerprint of data nested deeper than {_DEEPEST}; flatten it")
    if value is None:
        digest.update(b"N")
    elif isinstance(value, bool):  # before int, which it also is
        digest.update(b"T" if value else b"F")
    elif isinstance(value, int):
        size = value.bit_length() // 8 + 1
        _feed_bytes(digest, b"I", value.to_bytes(size, "little", signed=True))
    elif isinstance(value, float):
        if math.isnan(value):
            raise OptionError("fingerprint of nan, which is not equal to itself; use None instead")
        digest.update(b"R" + struct.pack("<d", value))
    elif isinstance(value, str):
        _feed_bytes(digest, b"S", _utf8(value))
    elif isinstance(value, tuple | list):
        digest.update(b"L" + struct.pack("<Q", len(value)))
        for item in value:
            _feed(digest, item, depth + 1)
    elif isinstance(value, dict):
        _feed_dict(digest, value, depth)
    elif isinstance(value, np.ndarray):
        _feed_bytes(digest, b"A", dtype_name(value, "part of a fingerprint").encode())
        digest.update(struct.pack(f"<Q{value.ndim}Q", value.ndim, *value.shape))
        for block in blocks(value, _BLOCK_BYTES):
            digest.update(block)
    else:
        raise OptionError(
            f"fingerprint of a {type(value).__name__}; use str, int, float, bool, None, arrays, "
            "and tuples, lists or dicts of them"
        )


def _feed_bytes(digest: Any, tag: bytes, content: bytes) -> None:
    digest.update(tag + struct.pack("<Q", len(content)))
    digest.update(content)


def _feed_dict(digest: Any, value: dict[Any, Any], depth: int) -> None:
    for key in value:
        if not isinstance(key, str):
            raise OptionError(f"fingerprint of a dict with the key {key!r}; keys must be strings")
    digest.update(b"D" + struct.pack("<Q", len(value)))
    for key in sorted(value, key=_utf8):
        _feed_bytes(digest, b"S", _utf8(key))
        _feed(digest, value[key], depth + 1)


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise OptionError(f"fingerprint of {text!r}, which is not valid Unicode") from None
