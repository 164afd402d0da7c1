"""Strategy grids: how the 169 hand classes play at a decision.

`tiltless.viz.strategy` draws it as a PNG file, `tiltless.viz.node_grid` in the terminal.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tiltless.errors import OptionError
from tiltless.games.holdem.actions import Action, Fold, RaiseTo
from tiltless.games.holdem.notation import action_label
from tiltless.postflop.report import HandReport
from tiltless.validate import brief
from tiltless.viz.colours import BETS, CALL, FOLD

__all__ = ["HEIGHTS", "PALETTES", "StrategyGrid", "action_colours", "strategy_grid"]

Vector = npt.NDArray[np.float64]

_REDS = ("#fca5a5", "#f87171", "#ef4444", "#dc2626", "#b91c1c", "#8c1616", "#5f1010")
_BROWNS = ("#ffd27a", "#f5b73d", "#e69f00", "#d55e00", "#a64700", "#7a3300", "#4d2000")

_HARDLY = 0.005  # classes with less of the largest weight are left out: noise of a solver
_LETTERS = {2: "sl", 3: "sml", 4: "smlo"}  # bets from small to large
_MORE_LETTERS = "bdeghijkmnopqrstuvwyz"

PALETTES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "usual": (FOLD, CALL, _REDS),
    "rainbow": (FOLD, CALL, BETS),
    "colour-blind": ("#0072b2", "#56c5a8", _BROWNS),
}
"""Colours of fold, of check and call, and of bets from small to large."""
HEIGHTS = ("relative", "absolute", "full")
"""How high a cell is filled: by its weight relative to the largest, by its weight, or fully."""


@dataclass(frozen=True)
class StrategyGrid:
    """What fills the cells of the grid; `strategy_grid` makes it.

    labels, colours: of the actions, in the order of the report, as players read them.
    symbols: a letter for each: f, x, c, b or r for a bet or a raise, a for all-in; several sizes
    are s and l, or s, m and l, and so on.
    shares: of each action, NaN for classes that do not come here, ``[169, actions]``.
    heights: how high each cell is filled, 0 to 1, ``[169]``; 0 for classes that hardly come here.
    """

    report: HandReport
    labels: tuple[str, ...]
    colours: tuple[str, ...]
    symbols: tuple[str, ...]
    shares: Vector
    heights: Vector


def strategy_grid(
    report: HandReport, *, heights: str = "relative", palette: str = "usual"
) -> StrategyGrid:
    """The grid of the player who acts; heights, palette: names of `HEIGHTS` and `PALETTES`."""
    for name, value, known in (("heights", heights, HEIGHTS), ("palette", palette, PALETTES)):
        if value not in known:
            raise OptionError(f"{name}={brief(value)} is not known; known: {', '.join(known)}")
    node = report.node
    if not report.actions:
        raise OptionError(
            f"this player does not act after {node.line!r}; use the report of the player who does"
        )
    if not report.known.any():
        raise OptionError(f"play never reaches {node.line!r}; choose another line")
    classes = report.by_class()
    weight = np.nan_to_num(classes["weight"])
    weight[np.isnan(classes["ev"]) | (weight < _HARDLY * weight.max())] = 0.0
    if heights == "full":
        weight = (weight > 0).astype(np.float64)
    elif heights == "relative" and weight.any():
        weight = weight / weight.max()
    labels = tuple(action_label(action, node.betting, node.pot) for action in node.actions)
    colours = action_colours(node.actions, palette)
    shoves = [label.startswith("All-in") for label in labels]
    count = sum(isinstance(action, RaiseTo) for action in node.actions) - sum(shoves)
    one = "r" if node.betting.high else "b"
    letters = iter(one if count == 1 else _LETTERS.get(count, _MORE_LETTERS))
    symbols = []
    for action, word, shove in zip(node.actions, report.actions, shoves, strict=True):
        if isinstance(action, RaiseTo):
            symbols.append("a" if shove else next(letters, "+"))
        else:
            symbols.append(word)
    return StrategyGrid(report, labels, colours, tuple(symbols), classes["strategy"], weight)


def action_colours(actions: Sequence[Action], palette: str = "usual") -> tuple[str, ...]:
    """The colour of each action of a decision, whose raises are in ascending order."""
    fold, call, bets = PALETTES[palette]
    sizes = iter(_spread(bets, sum(isinstance(action, RaiseTo) for action in actions)))
    return tuple(
        next(sizes) if isinstance(action, RaiseTo) else fold if isinstance(action, Fold) else call
        for action in actions
    )


def _spread(colours: Sequence[str], count: int) -> list[str]:
    """A number of colours from small to large: the middle one, or evenly spaced."""
    first, last = (1, len(colours) - 2) if count <= 3 else (0, len(colours) - 1)
    if count <= 1:
        return [colours[2]] * count
    return [colours[round(first + n * (last - first) / (count - 1))] for n in range(count)]
