"""Hand records as lines of text, written quickly from the last state of a hand.

A record plays its hand again to check it; hands that the dealer has just played need no check.
"""

from collections.abc import Sequence

from tiltless.cards.card import card_text
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, Action
from tiltless.games.holdem.state import HoldemState

__all__ = ["final_line"]

_LETTERS: dict[Action, str] = {FOLD: "f", CHECK: "k", CALL: "c"}
_CARDS = tuple(card_text(card) for card in range(52))


def final_line(final: HoldemState, payoffs: Sequence[int], number: int) -> str:
    """The line of a hand that is over: ``hand_line(record_hand(final, number=number))``."""
    table = final.table
    streets, board = [""], [""]
    for move in final.moves:
        kind = move.__class__
        if kind is tuple:
            if move:
                streets.append("")
                board.append(_text(move))
        elif kind is not str:
            streets[-1] += _LETTERS.get(move) or f"r{move.chips}"
    fields = [
        f"HAND:{number}:{table.game.name}:{table.button}",
        "|".join(map(str, table.stacks)),
        "/".join(streets),
        "|".join(map(_text, final.hole)) + "/".join(board),
        "|".join(map(str, payoffs)),
        "",
    ]
    return ":".join(fields) + (f":{final.ranks}" if final.ranks else "")


def _text(cards: Sequence[int]) -> str:
    return "".join([_CARDS[card] for card in cards])
