"""Boards that can be searched: their kinds, and the menus of bets for each kind.

A board is searched like a river if no card follows its bets, and like a turn if one more does. In
River of Blood that depends on the colour of the newest card, from the river on. Flops are searched
on a GPU only.
"""

from collections.abc import Mapping
from contextlib import suppress

import numpy as np

from tiltless.abstraction.bets.presets import find_menu
from tiltless.cards.card import COMBO_COUNT
from tiltless.cards.hand_order import STANDARD
from tiltless.errors import OptionError, TiltlessError
from tiltless.games.holdem.actions import RaiseTo
from tiltless.games.holdem.history import HIDDEN_RANKS
from tiltless.games.holdem.rules import Rules
from tiltless.games.holdem.view import View
from tiltless.postflop.device.machine import Machine
from tiltless.postflop.spot import IP, Spot
from tiltless.search.budget import MOST_DEVICE_NODES, MOST_NODES, TooLargeError, grow_forests
from tiltless.search.streets import StreetStart
from tiltless.search.subgame import (
    FLOP_SIZES,
    RED_SIZES,
    RIVER_SIZES,
    TURN_SIZES,
    solve_subgame,
    subgame_spot,
)

__all__ = [
    "FLOP",
    "RED",
    "RIVER",
    "TURN",
    "board_kind",
    "check_menus",
    "menus",
    "searchable",
    "warm_up",
]

FLOP, TURN, RIVER, RED = 1, 2, 3, 4
"""Kinds of boards; red: one that goes on past the river."""
_SOME_BOARDS = {
    FLOP: (0, 17, 34),
    TURN: (0, 17, 34, 51),
    RIVER: (0, 17, 34, 51, 4),
    RED: (0, 17, 34, 51, 5),
}
_NAMES = {FLOP: "flop", TURN: "turn", RIVER: "river", RED: "red"}


def board_kind(view: View) -> int:
    """The kind of the board in a view that is `searchable`."""
    rules = view.rules
    if not rules.run_suits:
        return view.street
    return RED if rules.deal_size(view.street, view.board) else RIVER


def searchable(view: View, first: int = TURN) -> bool:
    """Whether search supports the rules, and the decision is on the turn, the river or a run.

    first: the first street that is searched, the turn or the flop.
    """
    rules = view.rules
    return (
        (view.street >= RIVER if rules.run_suits else first <= view.street <= RIVER)
        and len(view.starting_stacks) == 2
        and len(view.board) == view.street + 2
        and len(rules.streets) == RIVER + 1
        and rules.hole_cards == 2
        and rules.hand_order == STANDARD
        and rules.eval7_flushes == bool(rules.run_suits)
        and rules.raises_per_player is None
        and all(street.cap is None for street in rules.streets[first:])
        and not view.betting.rules.fixed
        and HIDDEN_RANKS not in view.moves
        and view.game != "permutation"  # may hide a rank order that lasts the whole match
    )


def menus(flop: str, turn: str, river: str, red: str) -> dict[int, str]:
    """The menu of each kind of board, from the texts of options; empty for the default."""
    given = {
        FLOP: flop or FLOP_SIZES,
        TURN: turn or TURN_SIZES,
        RIVER: river or RIVER_SIZES,
        RED: red or RED_SIZES,
    }
    found = {kind: text.replace("+", ", ") for kind, text in given.items()}
    for text in found.values():
        find_menu(text)
    return found


def check_menus(
    sizes: Mapping[int, str], rules: Rules, bets_after: bool, first: int = TURN
) -> None:
    """Refuse menus whose tree is too large even in a 3-bet pot of 20 big blinds.

    rules: those that the blueprint was trained with.  bets_after: on the card after a red one.
    first: the first street that is searched.
    """
    if min(rules.stacks) <= 10 * rules.big_blind:
        return
    for kind in (RED, RIVER) if rules.run_suits else range(first, RIVER + 1):
        menu, most = sizes[kind], MOST_DEVICE_NODES if kind == FLOP else MOST_NODES
        spot = _some_spot(kind, menu, rules, bets_after)
        try:
            grow_forests(spot, most=most)
        except TooLargeError:
            raise OptionError(
                f"{_NAMES[kind]}={menu.replace(', ', '+')} gives a tree of more than {most:,} "
                "nodes, too many to search; give fewer sizes"
            ) from None


def _some_spot(kind: int, menu: str, rules: Rules, bets_after: bool = False) -> Spot:
    """A 3-bet pot of 20 big blinds with all hands of both players."""
    pot, stack = 20 * rules.big_blind, min(rules.stacks) - 10 * rules.big_blind
    start, every = (
        StreetStart(_SOME_BOARDS[kind], pot, stack, rules.big_blind),
        np.ones(COMBO_COUNT),
    )
    return subgame_spot(start, every, every, menu, run_suits=rules.run_suits, bets_after=bets_after)


def warm_up(sizes: Mapping[int, str], rules: Rules, device: str | Machine) -> None:
    """Solve a flop and a turn on a device for a moment, with and without a bet that menus lack.

    So its kernels are compiled before a decision waits for them.
    """
    if min(rules.stacks) <= 10 * rules.big_blind or rules.run_suits:
        return
    for kind in (FLOP, TURN):
        spot = _some_spot(kind, sizes[kind], rules)
        for line in ((), (RaiseTo(3 * rules.big_blind),)):
            with suppress(TiltlessError):  # as a search would end
                solve_subgame(spot, line, IP, iterations=2, device=device)
