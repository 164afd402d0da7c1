"""Entries: the hands with which the opponent enters a subgame.

* ``fixed-range``: those that we believe it has (unsafe search).
* ``resolving-gadget``, ``max-margin``: in part those that it chooses, see `tiltless.search.gadget`.
  The alternative values are those of a best response to the blueprint within this tree: one pass
  with the blueprint's strategy in it (`tiltless.search.blueprint_policy`). So the blueprint itself
  satisfies them in this tree, even after bets that are not in its own. That no hand gains more
  than its alternative value is guaranteed only with a trust of 0, which is not the default (`TRUST`
  says why); with the default, these are mixtures of unsafe and safe search.
"""

import numpy as np

from tiltless.cards.card import COMBO_COUNT
from tiltless.kernels.postflop.street import BEST
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import unblocked
from tiltless.search.beliefs import Vector
from tiltless.search.blueprint_policy import Table
from tiltless.search.gadget import FixedRange, Gadget, MaxMarginGadget, ResolvingGadget
from tiltless.validate import one_of

__all__ = [
    "CARRIED_TRUST",
    "ENTRIES",
    "FIXED",
    "TRUST",
    "alternatives",
    "hands_apart",
    "make_entry",
]

TRUST = {"fixed-range": 1.0, "resolving-gadget": 0.75, "max-margin": 0.98}
"""The probability that the opponent enters with its believed range, by kind of entry; see
`tiltless.search.gadget`. 0, as in the papers, is safe but loses to our blueprint; what these values
give up and gain is measured in docs/decisions/0007-search.md."""
CARRIED_TRUST = {**TRUST, "max-margin": 0.9}
"""The same where alternative values are carried from a solved street; measured in
docs/decisions/0009-re-solving.md."""
ENTRIES = tuple(TRUST)
FIXED = ENTRIES[0]


def make_entry(
    solver: PostflopSolver,
    entry: str,
    table: Table | None,
    opponent: int,
    trust: float | None = None,
    carried: Vector | None = None,
) -> Gadget:
    """The gadget by which the opponent enters a subgame; entry: one of `ENTRIES`.

    table: the blueprint's strategy, for alternative values.  carried: `carried_values`, which
    replace them; hands without one never choose to enter.  Without both the range is fixed.
    trust: replaces that of `TRUST` or `CARRIED_TRUST`.
    """
    one_of("entry", entry, ENTRIES)
    deal = solver.start(opponent)[: len(solver.boards[0].combos[0][opponent])].astype(np.float64)
    if entry == FIXED or (table is None and carried is None):
        return FixedRange(deal)
    apart = hands_apart(solver, opponent)
    if carried is not None:
        most = solver.spot.pot / 2 + solver.spot.stack
        values = carried[solver.boards[0].combos[0][opponent]]
        alternative = apart * np.where(np.isnan(values), most, values)
    elif table is not None:
        alternative = alternatives(solver, table, opponent)
    if trust is None:
        trust = (TRUST if carried is None else CARRIED_TRUST)[entry]
    if entry == "resolving-gadget":
        return ResolvingGadget(alternative, deal, trust)
    return MaxMarginGadget(alternative, apart, deal, trust)


def alternatives(solver: PostflopSolver, table: Table, opponent: int) -> Vector:
    """Alternative values: those of the opponent's hands in a best response to a strategy.

    table: see `BlueprintPolicy.table`. Counterfactual, in the order of the solver's hands.
    """
    cfv: Vector = solver.root_values(opponent, BEST, table).astype(np.float64)
    return cfv[: len(solver.boards[0].combos[0][opponent])]


def hands_apart(solver: PostflopSolver, player: int) -> Vector:
    """For each hand of a player, the other's reach at the root with hands that share no card."""
    weights = np.zeros(COMBO_COUNT)
    combos = solver.boards[0].combos[0]
    weights[combos[1 - player]] = solver.start(1 - player)[: len(combos[1 - player])]
    return unblocked(weights)[combos[player]]
