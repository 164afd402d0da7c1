"""Decision columns: the public facts of each decision as arrays, the input of features."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["DecisionColumns", "Integers"]

Integers = npt.NDArray[np.integer[Any]]


class DecisionColumns(NamedTuple):
    """Decisions as everybody at the table sees them; arrays of equal length, cards left out.

    A single decision is the case of length 1, so each feature is written once. They are made by
    `tiltless.blueprint.information.situations` for all decisions of a tree, and by
    `tiltless.blueprint.line_key.KeyedLine` for those on one line of play.

    Columns have the dtypes that are named here when they come from a tree; from a line all numbers
    are int64. Features must not mind.

    chips: all chips of all players, one number.
    street: int32, 0 before the flop.  seat: int32, places clockwise from the button.
    pot: int64, all chips paid so far.  call: int64, what a call costs, no more than the player has.
    last: int32, the slot of the last action on this street, see
    `tiltless.kernels.blueprint.decision_columns`.
    raises: int32, bets and raises on this street, blinds not counted.
    slots: int64, what is on offer, as a number, see
    `tiltless.kernels.blueprint.decision_columns.MenuSlots`.
    history: uint64, a word for all actions of the hand; in a street that repeats, for the chips and
    players with which it began and the actions since then.  street_history: uint64, a word for the
    actions on this street.
    """

    chips: int
    street: Integers
    seat: Integers
    pot: Integers
    call: Integers
    last: Integers
    raises: Integers
    slots: Integers
    history: npt.NDArray[np.uint64]
    street_history: npt.NDArray[np.uint64]
