"""First-in decisions as text: grids and a sentence for one player, a table for several."""

from collections.abc import Sequence

import numpy as np
from rich.console import Console
from rich.table import Table

from tiltless.blueprint.opening import Opening
from tiltless.viz.terminal import grid_text

__all__ = ["openings_table", "show_opening"]


def show_opening(console: Console, opening: Opening) -> None:
    """One opening range as grids and in a sentence."""
    player, raises, limps = opening.player, opening.raises, opening.limps
    raised, limped = opening.share(raises), opening.share(limps)
    for heading, weights, share in (("raises", raises, raised), ("limps", limps, limped)):
        if share >= 0.01:
            shown = np.where(weights < 0.05, 0, np.where(weights > 0.95, 1, weights))
            header = f" {player} {heading} {share:.0%} of its hands first in (a digit: tenths)"
            console.print()
            console.print(grid_text(shown, header))
    console.print()
    console.print(
        f"what was learned: {player} plays {raised + limped:.0%} of its hands first in, raises "
        f"{raised:.0%} and limps {limped:.0%} of them all",
        soft_wrap=True,
    )


def openings_table(openings: Sequence[Opening]) -> Table:
    """What each position does first in: a row for each."""
    table = Table("first in")
    for heading in ("folds", "limps", "raises", "plays"):
        table.add_column(heading, justify="right")
    for opening in openings:
        raised, limped = opening.share(opening.raises), opening.share(opening.limps)
        shares = (1 - raised - limped, limped, raised, raised + limped)
        table.add_row(opening.player, *(f"{share:.1%}" for share in shares))
    return table
