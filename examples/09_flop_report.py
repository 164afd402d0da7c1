"""One spot on three flops: how often IP bets when checked to, and what both players win.

`tiltless report flops` does this for 25 to 1,755 flops; docs/flops.md has the commands.
"""

import tempfile

from tiltless.cards.flop_subsets import choose_flops
from tiltless.postflop.flops.run import FlopFolder, solve_flops
from tiltless.postflop.flops.settings import FlopSettings
from tiltless.postflop.flops.summary import BY_FLOP, FlopSummary

SETTINGS = FlopSettings(
    oop="99-66,AJs-ATs,KQs,QJs,JTs,T9s",
    ip="TT+,AQs+,AKo,KQs",
    pot=60,
    stack=270,
    bets="flop: 50%, a; turn, river: none",  # one street of bets: a second for each flop
    until=1.0,
)
FLOPS = choose_flops("AsKh4d, Ts9s8h, 7s7h2d")


def report(folder: str) -> FlopSummary:
    """Solve the flops that the folder does not have yet, and summarise all."""
    with FlopFolder.open(folder, SETTINGS) as kept:
        for result in solve_flops(kept, FLOPS):
            print(f"{result.flop} solved to {result.exploitability:.2f} % of the pot")
        return FlopSummary(SETTINGS, FLOPS, kept.results)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        summary = report(folder)
    after_check = SETTINGS.decisions[1]
    for row in [*summary.rows(after_check, BY_FLOP, sort="bet"), summary.total(after_check)]:
        print(
            f"{row.name:9}  IP bets {row.often(after_check.bets):4.0%}, equity "
            f"{row.number('ip', 'equity'):.0%}, EV {row.number('ip', 'ev'):.1f} of 60 chips, EQR "
            f"{row.number('ip', 'eqr'):.2f}"
        )
