"""Seeded randomness of matches: random numbers derived from seed, deal, seat and decision.

Every random choice of a match follows from its place: the seed of the match, the number of the
deal, the seat and how many decisions that seat has made. A mirrored deal is played twice with the
same numbers in the same seats, so two players who do the same get the same, and any hand can be
played again by itself.

An agent knows the word of its decision, and must not get from there to anybody's cards. Steps of
splitmix64 can be undone, so places of a hand are told apart by BLAKE2b instead, which cannot: each
deal has a key (`deal_key`), and each use of it a word (`derived_word`). Who guesses the seed knows
everything: choose a large one for agents that are not trusted.
"""

from hashlib import blake2b
from random import Random

from tiltless.validate import whole_number

__all__ = ["SeededRandom", "deal_key", "derived_word", "mixed", "stirred"]

_MASK = 2**64 - 1
_GOLDEN = 0x9E3779B97F4A7C15


def stirred(word: int, number: int) -> int:
    """One number more for a word of `mixed`.

    ``mixed(1, 2, 3)`` is ``stirred(mixed(1, 2), 3)``: a step of splitmix64 (Steele, Lea & Flood
    2014), the number added to its constant.
    """
    word = (word + _GOLDEN + number) & _MASK
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & _MASK
    return word ^ (word >> 31)


def mixed(*numbers: int) -> int:
    """One 64-bit word from some whole numbers, in their order."""
    word = 0
    for number in numbers:
        word = stirred(word, number)
    return word


def deal_key(seed: int, deal: int) -> bytes:
    """The secret of a deal, of which its cards and everybody's luck are made."""
    return blake2b(b"tiltless deal %d %d" % (seed, deal), digest_size=32).digest()


def derived_word(key: bytes, place: int, number: int = 0) -> int:
    """A word for one use of a deal: what it is for, and how often that was before.

    Nobody gets from one of these words to another without the key.
    """
    return int.from_bytes(blake2b(b"%b%d %d" % (key, place, number), digest_size=8).digest())


class SeededRandom(Random):
    """A `random.Random` whose state is one word; cheap to set anew.

    word: uint64, the state; kernels may take it as the state of `tiltless.kernels.base.rng`.
    """

    def __init__(self, word: int = 0) -> None:
        self.word = whole_number("word", word, 0, _MASK)

    def __new__(cls, word: int = 0) -> "SeededRandom":
        """Python's own generator below is never used; a fixed seed is the cheapest for it."""
        return super().__new__(cls, 0)  # type: ignore[call-arg]  # it takes a seed, mypy says not

    def reset(self, word: int) -> None:
        """Begin anew from a word, such as one of `mixed`."""
        self.word = word

    def _next(self) -> int:
        word = self.word
        self.word = (word + _GOLDEN) & _MASK
        return stirred(word, 0)

    def random(self) -> float:
        """A number in [0, 1)."""
        return (self._next() >> 11) * 2.0**-53

    def getrandbits(self, k: int) -> int:
        """A whole number of ``k`` random bits."""
        if k <= 64:
            return self._next() >> (64 - k) if k else 0
        words = -(-k // 64)
        number = 0
        for _ in range(words):
            number = number << 64 | self._next()
        return number >> (64 * words - k)
