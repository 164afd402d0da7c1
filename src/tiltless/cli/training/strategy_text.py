"""A decision as text: a table of its actions, and grids of the 169 starting hands."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from tiltless.blueprint.line_text import Choice
from tiltless.viz.terminal import grid_text

__all__ = ["action_table", "print_grids"]


def action_table(
    choices: Sequence[Choice], probs: npt.NDArray[np.float64], big_blind: int
) -> Table:
    """Each action with its size and probability."""
    table = Table("action")
    for heading in ("bb", "of the pot", "probability"):
        table.add_column(heading, justify="right")
    table.add_column("")
    for choice, prob in zip(choices, probs.tolist(), strict=True):
        chips = getattr(choice.action, "chips", None)
        size = "" if chips is None else f"{chips / big_blind:.4g}"
        share = "" if choice.share is None else f"{choice.share:.0%}"
        table.add_row(choice.label, size, share, f"{prob:.1%}", "#" * round(20 * prob))
    return table


def print_grids(
    console: Console, choices: Sequence[Choice], hands: npt.NDArray[np.float64]
) -> None:
    """One grid for calls or checks, one for all raises; folds are the rest."""
    for heading, wanted in (
        ("bets and raises", [choice.share is not None for choice in choices]),
        ("checks and calls", [choice.label.startswith(("check", "call")) for choice in choices]),
    ):
        if any(wanted):
            weights = hands[:, np.array(wanted)].sum(axis=1)
            weights = np.where(weights < 0.05, 0, np.where(weights > 0.95, 1, weights))
            console.print()
            console.print(grid_text(weights, f" {heading} (a digit: tenths)"))
