"""Learned best response at a table of several: one seat learns, all others are frozen.

::

    response = LearnedResponse(model.graph, dealer, model.policy())
    response.run(1_000_000)                    # traversals
    response.wins(dealer.buckets, 100_000)     # one of it against copies of the frozen strategy

The traversals are those of training; only the opponents act by the frozen table. The response
**begins as the frozen strategy**: its first regrets are the frozen probabilities times ``trust``
chips. From nothing it would have to learn the whole game first, and in the study had found nothing
after 160 s of processor time. What it wins, in every seat and with real chips, is a lower bound of
what one player could gain, and so of NashConv divided by the number of players. It says nothing
about how far the strategy is from an equilibrium, and a bound of 0 is no proof of strength.

The bound is of the table: rows that training never met are played uniformly at random here, and by
hand strength by the agent. The response has the menu and the buckets of the frozen strategy, and
its later streets are shared in the same way.

Paper: Timbers et al. (2020), "Approximate exploitability: learning a best response in large
games", arXiv 2004.09677, for the idea of learning the response; the learner is ours.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.buckets import Buckets
from tiltless.blueprint.multiway.deals import MultiwayDealer
from tiltless.blueprint.multiway.engine import MultiwayEngine, VectorRules
from tiltless.blueprint.multiway.graph import BettingGraph
from tiltless.blueprint.multiway.simulate import RotationResult, play_against_copies
from tiltless.errors import ArrayError
from tiltless.validate import positive

__all__ = ["TRUST", "LearnedResponse"]

TRUST = 20_000.0
"""Chips of regret that the frozen strategy begins with: hundreds of visits to a row."""


class LearnedResponse(MultiwayEngine):
    """A response to copies of a strategy; see the module.

    frozen: float32 ``[entries]``, weights laid out by `BettingGraph.offsets`.
    trust: chips of regret that it begins with; the smaller, the sooner it leaves the strategy, and
    the more it loses at first to the chance of a few traversals.
    """

    def __init__(
        self,
        graph: BettingGraph,
        dealer: MultiwayDealer,
        frozen: npt.NDArray[np.float32],
        *,
        trust: float = TRUST,
        seed: int = 0,
        threads: int = 1,
    ) -> None:
        positive("trust", trust, 1e12)
        rules = VectorRules(  # all traversals count the same, since the others do not change
            0, average_every=1 << 62, snapshot_every=1 << 62, explore=0.0, callers=0.0
        )
        super().__init__(graph, dealer, rules, seed=seed, threads=threads)
        if frozen.shape != self.regret.shape or frozen.dtype != np.float32:
            raise ArrayError(
                f"the strategy has shape {frozen.shape} and dtype {frozen.dtype}; this graph needs "
                f"{self.regret.shape} of float32"
            )
        self.frozen = frozen
        np.multiply(frozen, np.float32(trust), out=self.regret)

    def _played(self) -> npt.NDArray[np.float32]:
        return self.frozen

    def wins(self, buckets: Sequence[Buckets], deals: int, *, seed: int = 0) -> RotationResult:
        """One of the response, as it is now, against copies of the frozen strategy.

        buckets: of the frozen strategy.  deals: each is played in every seat.
        """
        return play_against_copies(
            self.graph, buckets, deals, self.regret, self.frozen, seed=seed, threads=self.threads
        )
