"""The rules of the ACPC's dealer: one hand of any game definition.

Chips are counted over the whole hand, not by street. Differences from the rules of
`tiltless.games.holdem`, which only matter for uneven stacks and split pots:

* The smallest no-limit raise is to twice the largest blind; after a raise from Y to X it is to
  X + (X - Y), but never below the last minimum; each later round begins with the largest bet plus
  the largest blind.
* A raise is legal while two players have chips left, even if nobody could call all of it.
* Pots are split into fractions; there are no odd chips.
* A round has at most 64 actions, so raises are refused when there would be no room for the calls.

Checked against OpenSpiel's ``universal_poker``, which contains the original code.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from tiltless.cards.scalar_evaluate import showdown
from tiltless.errors import InputError
from tiltless.games.holdem.betting import NOBODY
from tiltless.protocols.acpc.gamedef import GameDef

__all__ = ["CALL_MOVE", "FOLD_MOVE", "AcpcHand", "Move", "new_hand"]

_MOST_ACTIONS = 64  # in a round


class Move(NamedTuple):
    """An action: ``f``, ``c`` (check or call) or ``r``.

    size: of a no-limit raise, the chips of the player in the whole hand after it; otherwise 0.
    """

    letter: str
    size: int = 0

    def __str__(self) -> str:
        return f"{self.letter}{self.size}" if self.size else self.letter


FOLD_MOVE, CALL_MOVE = Move("f"), Move("c")


class AcpcHand(NamedTuple):
    """The betting of a hand; immutable, and without cards.

    rounds: the moves of each round that has begun; the rounds that follow an all-in are there too,
    and empty.  actor: the position to act, or `NOBODY` when the hand is over.  spent: chips of each
    position in the pot.  high: the most of them.  least: the smallest no-limit raise.  folded: set
    of positions, as bits.  called: players with chips left who have called the last bet.
    """

    game: GameDef
    rounds: tuple[tuple[Move, ...], ...]
    actor: int
    spent: tuple[int, ...]
    high: int
    least: int
    folded: int = 0
    called: int = 0

    @property
    def is_over(self) -> bool:
        """Whether nobody is to act any more."""
        return self.actor < 0

    @property
    def round(self) -> int:
        """The number of the round, from 0."""
        return len(self.rounds) - 1

    @property
    def live(self) -> tuple[int, ...]:
        """The positions that have not folded."""
        return tuple(p for p in range(self.game.players) if not self.folded >> p & 1)

    @property
    def board_size(self) -> int:
        """How many board cards have been dealt."""
        return sum(self.game.board_cards[: len(self.rounds)])

    @property
    def can_fold(self) -> bool:
        """Whether the player to act owes chips."""
        return self.actor >= 0 and self.spent[self.actor] != self.high

    @property
    def raise_bounds(self) -> tuple[int, int]:
        """The smallest and the largest raise of the player to act; (0, 0) if none is legal.

        Both are chips of that player in the whole hand; in limit games they are equal.
        """
        game, rounds, actor, _, high, least, _, _ = self
        now = rounds[-1]
        if actor < 0 or len(now) + game.players > _MOST_ACTIONS or self._able() <= 1:
            return 0, 0
        if sum(move.letter == "r" for move in now) >= game.max_raises[len(rounds) - 1]:
            return 0, 0
        stack = game.stacks[actor]
        if not game.no_limit:
            to = min(high + game.raise_sizes[len(rounds) - 1], stack)
            return to, to
        if least <= stack:
            return least, stack
        return (stack, stack) if high < stack else (0, 0)

    def _able(self) -> int:
        """How many players have not folded and have chips left."""
        stacks = self.game.stacks
        return sum(
            spent < stacks[position] and not self.folded >> position & 1
            for position, spent in enumerate(self.spent)
        )

    def fixed(self, move: Move) -> Move | None:
        """A move as the dealer understands it: raises get the nearest legal size; None if illegal.

        ``c`` is always legal, ``f`` only if chips are owed.
        """
        if self.actor < 0:
            return None
        if move.letter == "r":
            low, top = self.raise_bounds
            if not top:
                return None
            return Move("r", min(max(move.size, low), top)) if self.game.no_limit else Move("r")
        if move.letter == "f":
            return FOLD_MOVE if self.can_fold else None
        return CALL_MOVE if move.letter == "c" else None

    def apply(self, move: Move) -> "AcpcHand":
        """The hand after a move; `InputError` if it is not legal."""
        if self.fixed(move) != move:
            raise InputError(f"{move} is not legal here; {self.legal_text}")
        game, rounds, actor, spent, high, least, folded, called = self
        stack = game.stacks[actor]
        if move.letter == "f":
            folded |= 1 << actor
        else:
            if move.letter == "r":
                to = move.size or min(high + game.raise_sizes[self.round], stack)
                least = max(least, 2 * to - high)
                high, called = to, 0
            paid = min(high, stack)
            spent = (*spent[:actor], paid, *spent[actor + 1 :])
            called += paid < stack
        rounds = (*rounds[:-1], (*rounds[-1], move))
        after = AcpcHand(game, rounds, actor, spent, high, least, folded, called)
        return after._moved_on()

    @property
    def legal_text(self) -> str:
        """``legal: f, c, r200..20000``."""
        if self.actor < 0:
            return "the hand is over"
        low, top = self.raise_bounds
        raises = f"r{low}..{top}" if self.game.no_limit else "r"
        words = (["f"] if self.can_fold else []) + ["c"] + ([raises] if top else [])
        return f"legal: {', '.join(words)}"

    def _moved_on(self) -> "AcpcHand":
        """The next player to act, the next round, or the end."""
        game, rounds, actor = self.game, self.rounds, self.actor
        if game.players - self.folded.bit_count() == 1:
            return self._replace(actor=NOBODY)
        able = self._able()
        if self.called < able:
            return self._replace(actor=self._next(actor))
        if able > 1 and len(rounds) < game.rounds:
            opened = self._replace(
                rounds=(*rounds, ()), least=self.high + max(1, *game.blinds), called=0
            )
            first = game.first[len(rounds)]
            return opened._replace(actor=opened._next(first - 1))
        empty = ((),) * (game.rounds - len(rounds)) if able <= 1 else ()
        return self._replace(rounds=rounds + empty, actor=NOBODY)

    def _next(self, position: int) -> int:
        """The first player after a position who can act."""
        game = self.game
        for step in range(1, game.players + 1):
            seat = (position + step) % game.players
            if not self.folded >> seat & 1 and self.spent[seat] < game.stacks[seat]:
                return seat
        raise InputError("nobody has chips left to act with")

    def payoffs(self, hole: Sequence[Sequence[int]], board: Sequence[int]) -> tuple[float, ...]:
        """Net chips of each position when the hand is over.

        hole: by position; cards of folded players are not looked at.  board: all that was dealt.
        """
        if self.actor >= 0:
            raise InputError("the hand is not over; it has no result yet")
        live = self.live
        if len(live) == 1:
            pot = sum(self.spent)
            return tuple(
                float(pot * (position in live) - spent) for position, spent in enumerate(self.spent)
            )
        ranks = {position: _rank((*hole[position], *board)) for position in live}
        return tuple(self._showdown_value(position, ranks) for position in range(self.game.players))

    def _showdown_value(self, position: int, ranks: dict[int, "_Rank"]) -> float:
        """Layer by layer of equal payments, as the original sums it up in floating point."""
        if position not in ranks:
            return float(-self.spent[position])
        left = {each: spent for each, spent in enumerate(self.spent) if spent}
        value = 0.0
        while position in left:
            size = min(left.values())
            best = max(ranks[each] for each in left if each in ranks)
            winners = sum(ranks.get(each) == best for each in left)
            if ranks[position] == best:
                value += size * (len(left) - winners) / winners
            else:
                value -= size
            left = {each: chips - size for each, chips in left.items() if chips > size}
        return value


_Rank = tuple[tuple[int, ...], tuple[int, ...]]


def _rank(cards: Sequence[int]) -> _Rank:
    """The rank of a hand, larger is better: the best five cards, or all if there are fewer.

    With fewer than five cards only equal ranks count, as in Kuhn and Leduc.
    """
    if len(cards) >= 5:
        return tuple(showdown().values((), [cards])), ()
    counts = Counter(card >> 2 for card in cards)
    groups = sorted(((count, rank) for rank, count in counts.items()), reverse=True)
    return tuple(count for count, _ in groups), tuple(rank for _, rank in groups)


def new_hand(game: GameDef) -> AcpcHand:
    """A hand before the first action; the blinds are paid."""
    high = max(game.blinds)
    hand = AcpcHand(game, ((),), 0, game.blinds, high, 2 * high or 1)
    return hand._replace(actor=hand._next(game.first[0] - 1))
