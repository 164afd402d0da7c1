"""The shuffle of the ACPC's dealer: the same seed gives the same cards.

It draws from the Mersenne Twister MT19937, seeded with one 32-bit word as Matsumoto and Nishimura's
``init_genrand`` does, and takes the cards one by one from a deck ordered by suits. (Python's
generator is the same, but spreads its seed over the state in another way.)
"""

from collections.abc import Iterator
from random import Random

from tiltless.protocols.acpc.gamedef import GameDef
from tiltless.validate import whole_number

__all__ = ["DealtCards", "dealt_hands"]

_WORDS = 624
_MASK = 2**32 - 1

DealtCards = tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]
"""The hole cards of each position, and the whole board."""


def _twister(seed: int) -> Random:
    words = [whole_number("seed", seed, 0, _MASK)]
    for index in range(1, _WORDS):
        last = words[-1]
        words.append((1_812_433_253 * (last ^ last >> 30) + index) & _MASK)
    generator = Random()
    generator.setstate((3, (*words, _WORDS), None))
    return generator


def dealt_hands(game: GameDef, seed: int) -> Iterator[DealtCards]:
    """The cards of hand 0, 1, 2 … of a match."""
    draw = _twister(seed).getrandbits
    count, board = game.hole_cards, sum(game.board_cards)
    while True:
        deck, cards = list(game.deck), []
        for _ in range(count * game.players + board):
            index = draw(32) % len(deck)
            cards.append(deck[index])
            deck[index] = deck[-1]
            deck.pop()
        hole = [tuple(cards[count * p : count * (p + 1)]) for p in range(game.players)]
        yield tuple(hole), tuple(cards[count * game.players :])
