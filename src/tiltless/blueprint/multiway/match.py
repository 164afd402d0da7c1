"""One against all others, and the other way round: two strategies of one betting graph.

A deal is played in every seat by each strategy. With "the other everywhere" as a control, which
wins exactly nothing over all seats, the mean over seats is a duplicate match.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tiltless.blueprint.multiway.deals import MultiwayDealer
from tiltless.blueprint.multiway.graph import BettingGraph
from tiltless.kernels.multiway.play import play_multiway
from tiltless.kernels.multiway.traversal import MultiwayRules, Stage
from tiltless.validate import whole_number

__all__ = ["OneAgainstAll", "one_against_all", "play_deals"]

_BLOCK = 512
_Z = 1.959963984540054

Table = npt.NDArray[np.float32]


@dataclass(frozen=True)
class OneAgainstAll:
    """Results in milli-big-blinds a hand, with the half-width of their 95 % intervals.

    first, second: one of this strategy against all others of the other one.
    by_player: float64 ``[players]``, what the first wins in each seat; player 0 is the button.
    """

    deals: int
    first: float
    first_half_width: float
    second: float
    second_half_width: float
    by_player: npt.NDArray[np.float64]

    def __str__(self) -> str:
        return (
            f"one against all {self.first:+.1f} ± {self.first_half_width:.1f} mbb/h, the other way "
            f"round {self.second:+.1f} ± {self.second_half_width:.1f}, {self.deals:,} deals"
        )


def play_deals(
    graph: BettingGraph,
    dealer: MultiwayDealer,
    tables: tuple[Table, Table],
    who: list[int],
    deals: int,
    seed: int,
) -> npt.NDArray[np.float64]:
    """What each player wins in chips, float64 ``[deals, players]``.

    who: of each player, the number of its table, or -1 to check and call.  deals: at most a block.
    """
    state = np.random.SeedSequence(seed).generate_state(1, np.uint64)
    dealt = dealer.deal(state, deals, 0.0)
    out = np.zeros((deals, graph.players))
    play_multiway(
        graph.nodes,
        graph.offsets(dealer.counts),
        *tables,
        np.array(who, np.int64),
        dealt,
        Stage(0, graph.first_street, np.arange(graph.players, dtype=np.int64)),
        MultiwayRules(0.0, 0.0, 0.0, float(graph.stack), float(graph.pot), float(graph.ante)),
        out,
    )
    return out


def one_against_all(
    graph: BettingGraph,
    dealer: MultiwayDealer,
    first: Table,
    second: Table,
    deals: int,
    seed: int = 0,
) -> OneAgainstAll:
    """Play both strategies against each other, every deal in every seat.

    first, second: float32 ``[entries]``, averages or regrets.
    """
    deals = whole_number("deals", deals, 2, 1 << 40)
    players, big_blind = graph.players, graph.game.rules.big_blind
    means = np.zeros((2, deals))
    by_player = np.zeros(players)
    for low in range(0, deals, _BLOCK):
        high = min(low + _BLOCK, deals)
        for player in range(players):
            for side in (0, 1):
                who = [1 - side] * players
                who[player] = side
                part = seed * (1 << 32) + low // _BLOCK
                won = play_deals(graph, dealer, (first, second), who, high - low, part)[:, player]
                means[side, low:high] += won / players
                if side == 0:
                    by_player[player] += won.sum()
    unit = 1000 / big_blind
    mean, width = means.mean(axis=1), _Z * means.std(axis=1, ddof=1) / deals**0.5
    return OneAgainstAll(
        deals,
        float(mean[0] * unit),
        float(width[0] * unit),
        float(mean[1] * unit),
        float(width[1] * unit),
        by_player / deals * unit,
    )
