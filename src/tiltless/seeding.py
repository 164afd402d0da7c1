"""Seeded randomness of matches: random numbers derived from seed, deal, seat and decision.

Every random choice of a match is determined by the seed of the match, the number of the deal, the
seat and how many decisions that seat has made. A mirrored deal is played twice with the same
numbers in the same seats, so two players who act alike get the same result, and any hand can be
replayed on its own.

An agent knows the word of its decision and must not be able to derive anybody's cards from it.
Steps of splitmix64 can be inverted, so the uses of a deal are separated by BLAKE2b instead, which
cannot: each deal has a key (`deal_key`), and each use of it a word (`derived_word`). An agent that
guesses the seed knows everything: choose a large one if agents are not trusted.
"""

from hashlib import blake2b
from random import Random

from tiltless.validate import whole_number

__all__ = ["SeededRandom", "deal_key", "derived_word", "mixed", "stirred"]

_MASK = 2**64 - 1
_GOLDEN = 0x9E3779B97F4A7C15


def stirred(word: int, number: int) -> int:
    """Mix one more number into a word of `mixed`.

    ``mixed(1, 2, 3)`` is ``stirred(mixed(1, 2), 3)``: a step of splitmix64 (Steele, Lea & Flood
    2014), with the number added to its constant.
    """
    word = (word + _GOLDEN + number) & _MASK
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & _MASK
    return word ^ (word >> 31)


def mixed(*numbers: int) -> int:
    """A 64-bit word from a sequence of whole numbers."""
    word = 0
    for number in numbers:
        word = stirred(word, number)
    return word


def deal_key(seed: int, deal: int) -> bytes:
    """The secret key of a deal, from which its cards and all random numbers are derived."""
    return blake2b(b"tiltless deal %d %d" % (seed, deal), digest_size=32).digest()


def derived_word(key: bytes, purpose: int, number: int = 0) -> int:
    """A word for one use of a deal; number: how many words of this purpose came before.

    Without the key, no word can be derived from another.
    """
    return int.from_bytes(blake2b(b"%b%d %d" % (key, purpose, number), digest_size=8).digest())


class SeededRandom(Random):
    """A `random.Random` whose state is one word, so that seeding is cheap.

    word: uint64, the state; kernels may use it as the state of `tiltless.kernels.base.rng`.
    """

    def __init__(self, word: int = 0) -> None:
        self.word = whole_number("word", word, 0, _MASK)

    def __new__(cls, word: int = 0) -> "SeededRandom":
        """Python's own generator is never used; a fixed seed is the cheapest for it."""
        return super().__new__(cls, 0)  # type: ignore[call-arg]  # it takes a seed, mypy disagrees

    def reset(self, word: int) -> None:
        """Restart from a word, such as one of `mixed`."""
        self.word = word

    def _next(self) -> int:
        word = self.word
        self.word = (word + _GOLDEN) & _MASK
        return stirred(word, 0)

    def random(self) -> float:
        """A random number in [0, 1)."""
        return (self._next() >> 11) * 2.0**-53

    def getrandbits(self, k: int) -> int:
        """An integer of ``k`` random bits."""
        if k <= 64:
            return self._next() >> (64 - k) if k else 0
        words = -(-k // 64)
        number = 0
        for _ in range(words):
            number = number << 64 | self._next()
        return number >> (64 * words - k)
