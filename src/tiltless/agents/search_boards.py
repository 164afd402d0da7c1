"""Boards that can be searched: their kinds, and the menus of bets for each kind.

A board is searched like a river if no card follows its bets, and like a turn if one more does. In
River of Blood that depends on the colour of the newest card, from the river on.
"""

from collections.abc import Mapping

import numpy as np

from tiltless.abstraction.bets.presets import find_menu
from tiltless.cards.card import COMBO_COUNT
from tiltless.cards.hand_order import STANDARD
from tiltless.errors import OptionError
from tiltless.games.holdem.history import HIDDEN_RANKS
from tiltless.games.holdem.rules import Rules
from tiltless.games.holdem.view import View
from tiltless.search.budget import MOST_NODES, TooLargeError, grow_forests
from tiltless.search.streets import StreetStart
from tiltless.search.subgame import RED_SIZES, RIVER_SIZES, TURN_SIZES, subgame_spot

__all__ = ["RED", "RIVER", "TURN", "board_kind", "check_menus", "menus", "searchable"]

TURN, RIVER, RED = 2, 3, 4
"""Kinds of boards; red: one that goes on past the river."""
_SOME_BOARDS = {TURN: (0, 17, 34, 51), RIVER: (0, 17, 34, 51, 4), RED: (0, 17, 34, 51, 5)}


def board_kind(view: View) -> int:
    """The kind of the board in a view that is `searchable`."""
    rules = view.rules
    if not rules.run_suits:
        return view.street
    return RED if rules.deal_size(view.street, view.board) else RIVER


def searchable(view: View) -> bool:
    """Whether search supports the rules, and the decision is on the turn, the river or a run."""
    rules = view.rules
    return (
        (view.street >= RIVER if rules.run_suits else view.street in (TURN, RIVER))
        and len(view.starting_stacks) == 2
        and len(view.board) == view.street + 2
        and len(rules.streets) == RIVER + 1
        and rules.hole_cards == 2
        and rules.hand_order == STANDARD
        and rules.eval7_flushes == bool(rules.run_suits)
        and rules.raises_per_player is None
        and all(street.cap is None for street in rules.streets[-2:])
        and not view.betting.rules.fixed
        and HIDDEN_RANKS not in view.moves
        and view.game != "permutation"  # may hide a rank order that lasts the whole match
    )


def menus(turn: str, river: str, red: str) -> dict[int, str]:
    """The menu of each kind of board, from the texts of options; empty for the default."""
    given = {TURN: turn or TURN_SIZES, RIVER: river or RIVER_SIZES, RED: red or RED_SIZES}
    found = {kind: text.replace("+", ", ") for kind, text in given.items()}
    for text in found.values():
        find_menu(text)
    return found


def check_menus(sizes: Mapping[int, str], rules: Rules, bets_after: bool) -> None:
    """Refuse menus whose tree is too large even in a 3-bet pot of 20 big blinds.

    rules: those that the blueprint was trained with.  bets_after: on the card after a red one.
    """
    pot, stack = 20 * rules.big_blind, min(rules.stacks) - 10 * rules.big_blind
    if stack <= 0:
        return
    every, suits = np.ones(COMBO_COUNT), rules.run_suits
    first = ("red", RED) if suits else ("turn", TURN)
    for name, kind in (first, ("river", RIVER)):
        start, menu = StreetStart(_SOME_BOARDS[kind], pot, stack, rules.big_blind), sizes[kind]
        try:
            grow_forests(
                subgame_spot(start, every, every, menu, run_suits=suits, bets_after=bets_after)
            )
        except TooLargeError:
            raise OptionError(
                f"{name}={menu.replace(', ', '+')} gives a tree of more than {MOST_NODES:,} nodes, "
                "too many to search; give fewer sizes"
            ) from None
