"""Mutated messages, for fuzz tests: text with random edits, and values of another kind."""

import time
from contextlib import contextmanager
from random import Random
from typing import Any

_WRONG = (None, -1, 0, 10**30, 10**400, 0.5, float("nan"), float("inf"), True, "ZZ", "", [], {})


def mutated(text: str, rng: Random, letters: str) -> str:
    """Text after one to thirty random edits: letters removed, added, changed, parts repeated."""
    parts = list(text)
    for _ in range(rng.choice((1, 1, 2, 5, 30))):
        index = rng.randrange(len(parts) + 1)
        kind = rng.randrange(4)
        if kind == 0:
            parts[index : index + rng.randrange(1, 8)] = []
        elif kind == 1:
            parts.insert(index, rng.choice(letters))
        elif kind == 2 and parts:
            parts[index % len(parts)] = rng.choice(letters)
        else:
            start = rng.randrange(len(parts) + 1)
            parts[index:index] = parts[start : start + rng.randrange(20)]
    return "".join(parts)


def torn(thing: Any, rng: Random) -> Any:
    """A message with one thing in it missing, or of another kind."""
    if isinstance(thing, dict | list | tuple) and thing and rng.random() < 0.8:
        keys = list(thing) if isinstance(thing, dict) else range(len(thing))
        key = rng.choice(keys)
        parts = dict(thing) if isinstance(thing, dict) else list(thing)
        if rng.random() < 0.2 and not isinstance(thing, tuple):
            del parts[key]
        else:
            parts[key] = torn(thing[key], rng)
        return tuple(parts) if isinstance(thing, tuple) else parts
    return rng.choice(_WRONG)


@contextmanager
def no_hang(message: Any):
    """Fails if the block takes a second of processor time, however busy the machine is."""
    before = time.thread_time()
    yield
    assert time.thread_time() - before < 1.0, message
