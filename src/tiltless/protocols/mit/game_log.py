"""The game log of the MIT engines, line by line as they write it.

The log of 2020 begins with the order of ranks and shows every card twice, as dealt and with its
true rank; that of 2023 tells after each hand that went past the river who won what there. Both end
with the bankrolls. ``PLAYER misbehaved`` lines stand before the action that counted instead.
"""

from collections.abc import Iterable, Sequence

from tiltless.cards.card import RANKS, card_text
from tiltless.games.holdem.actions import Action, Call, Check, Fold, RaiseTo
from tiltless.games.holdem.events import Post

__all__ = ["GameLog"]

_STREETS = {3: "Flop", 4: "Turn", 5: "River"}
_RULE = "-" * 27
_LONGEST = 500  # characters of a line; a player may have answered with any amount of text
_PLAIN: dict[type, str] = {Fold: "folds", Call: "calls", Check: "checks"}


class GameLog:
    """The log of one match.

    names: the players, the first of whom is the small blind of the first hand.
    true_ranks: the true rank 0..12 of each shown rank, where cards have two faces; otherwise None.
    """

    def __init__(self, names: Sequence[str], true_ranks: Sequence[int] | None = None) -> None:
        self.lines = [f"6.176 MIT Pokerbots - {names[0]} vs {names[1]}"]
        self._true = None if true_ranks is None else [RANKS[rank] for rank in true_ranks]
        if self._true is not None:
            shown, true = " ".join(RANKS), " ".join(self._true)
            self.lines += [_RULE, f" {shown} ", f"[{true}]", _RULE]

    @property
    def text(self) -> str:
        """The whole log; its last line has no end."""
        return "\n".join(self.lines)

    def add(self, line: str) -> None:
        """Add a line, cut to a length that a file can bear thousands of times."""
        self.lines.append(" ".join(line[:_LONGEST].splitlines()))

    def add_round(self, number: int, names: Sequence[str], bankrolls: Sequence[int]) -> None:
        """Begin a hand; names, bankrolls: small blind first."""
        self.lines += ["", f"Round #{number}{_status(names, bankrolls)}"]

    def add_deal(
        self, names: Sequence[str], posts: Iterable[Post], hands: Sequence[Sequence[int]]
    ) -> None:
        """Blinds (and antes, which the engines do not have) and hole cards, small blind first."""
        for post in posts:
            word = post.kind.rpartition(" ")[2]
            self.add(f"{names[post.seat]} posts the {word} of {post.chips}")
        for name, cards in zip(names, hands, strict=True):
            self.add(f"{name} dealt {self._cards(cards)}")

    def add_street(self, board: Sequence[int], names: Sequence[str], paid: Sequence[int]) -> None:
        """A street opens; paid: chips paid in this hand so far, small blind first."""
        street = _STREETS.get(len(board), "Run")
        self.add(f"{street} {self._cards(board)}{_status(names, paid)}")

    def add_action(self, name: str, action: Action, is_bet: bool) -> None:
        """An action that counted; is_bet: whether nobody had bet on this street."""
        if isinstance(action, RaiseTo):
            self.add(f"{name} {'bets' if is_bet else 'raises to'} {action.chips}")
        else:
            self.add(f"{name} {_PLAIN[type(action)]}")

    def add_showdown(self, names: Sequence[str], hands: Sequence[Sequence[int]]) -> None:
        """Both hands are shown."""
        for name, cards in zip(names, hands, strict=True):
            self.add(f"{name} shows {self._cards(cards)}")

    def add_awards(self, names: Sequence[str], deltas: Sequence[int]) -> None:
        """The result of a hand, small blind first."""
        for name, delta in zip(names, deltas, strict=True):
            self.add(f"{name} awarded {delta}")

    def add_run(self, names: Sequence[str], deltas: Sequence[int], before: int) -> None:
        """The share of the run in the result; before: chips that each had paid when it began.

        The engine credits a split pot to the small blind.
        """
        sign = -1 if deltas[0] > deltas[1] else 1
        self.add("Run reached")
        self.add(f"{names[0]} won {deltas[0] + sign * before}")
        self.add(f"{names[1]} won {deltas[1] - sign * before}")

    def add_final(
        self,
        names: Sequence[str],
        bankrolls: Sequence[int],
        straights: Sequence[int] | None = None,
    ) -> None:
        """The end; straights: how many each player has shown, by name, which 2020 counts."""
        if straights is not None:
            self.lines += ["", "Straights " + " ".join(map(str, straights))]
        self.lines += ["", f"Final{_status(names, bankrolls)}"]

    def _cards(self, cards: Sequence[int]) -> str:
        shown = " ".join(map(card_text, cards))
        if self._true is None:
            return f"[{shown}]"
        true = " ".join(self._true[card >> 2] + card_text(card)[1] for card in cards)
        return f"{shown} [{true}]"


def _status(names: Sequence[str], chips: Sequence[int]) -> str:
    return "".join(f", {name} ({each})" for name, each in zip(names, chips, strict=True))
